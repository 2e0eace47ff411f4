#include "num/stat/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

bool cholesky_solve(long n, double *A, double *b, double *inverse)
{
	for (long i = 0; i < n; i++)
		for (long j = 0; j <= i; j++) {
			double sum = A[i * n + j];

			for (long k = 0; k < j; k++)
				sum -= A[i * n + k] * A[j * n + k];

			if (i == j && !(sum > 0.))
				return false;

			A[i * n + j] = (i == j) ? sqrt(sum) : sum / A[j * n + j];
		}

	for (long c = -1; c < (inverse ? n : 0); c++) {
		double *y = (c < 0) ? b : mem_calloc((size_t)n, sizeof *y);

		if (c >= 0)
			y[c] = 1.;

		for (long i = 0; i < n; i++) {
			for (long k = 0; k < i; k++)
				y[i] -= A[i * n + k] * y[k];

			y[i] /= A[i * n + i];
		}

		for (long i = n - 1; i >= 0; i--) {
			for (long k = i + 1; k < n; k++)
				y[i] -= A[k * n + i] * y[k];

			y[i] /= A[i * n + i];
		}

		if (c >= 0) {
			inverse[c] = y[c];
			free(y);
		}
	}

	return true;
}

static double sum_squares(const double *r, long n)
{
	double sum = 0.;

	for (long i = 0; i < n; i++)
		sum += r[i] * r[i];

	return sum;
}

/** The derivatives (n, m) by differences. */
static double *jacobian(const struct least_squares *p, const double *x)
{
	double *J = mem_alloc((size_t)(p->n * p->m) * sizeof *J);

	for (long c = 0; c < p->m; c++) {
		const double h = p->step[c];
		double *y = mem_alloc((size_t)p->m * sizeof *y),
		       *other = mem_alloc((size_t)p->n * sizeof *other);

		memcpy(y, x, (size_t)p->m * sizeof *y);
		y[c] += h;
		p->residuals(p->ctx, y, J + c * p->n);
		y[c] -= 2. * h;
		p->residuals(p->ctx, y, other);

		for (long i = 0; i < p->n; i++)
			J[c * p->n + i] = (J[c * p->n + i] - other[i]) / (2. * h);

		free(other);
		free(y);
	}

	return J;
}

/** J'J and -J'r. */
static void normal_equations(
        const struct least_squares *p, const double *x, const double *r, double *JJ, double *Jr)
{
	double *J = jacobian(p, x);

	for (long a = 0; a < p->m; a++) {
		Jr[a] = 0.;

		for (long i = 0; i < p->n; i++)
			Jr[a] -= J[a * p->n + i] * r[i];

		for (long b = 0; b <= a; b++) {
			double sum = 0.;

			for (long i = 0; i < p->n; i++)
				sum += J[a * p->n + i] * J[b * p->n + i];

			JJ[a * p->m + b] = JJ[b * p->m + a] = sum;
		}
	}

	free(J);
}

bool least_squares_fit(const struct least_squares *p, double *x, double *error, double *rms)
{
	const size_t unknowns = (size_t)p->m, count = (size_t)p->n;
	double *y = mem_alloc(unknowns * sizeof *y), *r = mem_alloc(count * sizeof *r),
	       *s = mem_alloc(count * sizeof *s), *JJ = mem_alloc(unknowns * unknowns * sizeof *JJ),
	       *A = mem_alloc(unknowns * unknowns * sizeof *A), *step = mem_alloc(unknowns * sizeof *step);
	double damping = 1e-3;
	bool good = true;

	p->residuals(p->ctx, x, r);

	for (int i = 0; i < 60 && good; i++) {
		const double before = sum_squares(r, p->n);

		normal_equations(p, x, r, JJ, step);
		memcpy(A, JJ, unknowns * unknowns * sizeof *A);

		for (long c = 0; c < p->m; c++)
			A[c * p->m + c] *= 1. + damping;

		good = cholesky_solve(p->m, A, step, NULL);

		for (long c = 0; c < p->m; c++)
			y[c] = x[c] + step[c];

		p->residuals(p->ctx, y, s);

		const double after = sum_squares(s, p->n);

		if (after <= before) {
			memcpy(x, y, unknowns * sizeof *x);
			memcpy(r, s, count * sizeof *r);
			damping = fmax(damping / 5., 1e-12);

			if (before - after <= 1e-12 * before)
				break;
		} else {
			damping *= 8.;

			if (damping > 1e12)
				break;
		}
	}

	if (good) {
		normal_equations(p, x, r, JJ, step);
		good = p->n > p->m && cholesky_solve(p->m, JJ, step, error);
	}

	*rms = sqrt(sum_squares(r, p->n) / (double)(p->n > 0 ? p->n : 1));

	for (long c = 0; c < p->m && good; c++)
		error[c] = sqrt(error[c] * sum_squares(r, p->n) / (double)(p->n - p->m));

	free(step);
	free(A);
	free(JJ);
	free(s);
	free(r);
	free(y);

	return good;
}

bool least_squares_block_errors(const struct least_squares *p, const double *x, long blocks, double *error)
{
	const size_t unknowns = (size_t)p->m;
	double *J = jacobian(p, x), *r = mem_alloc((size_t)p->n * sizeof *r),
	       *JJ = mem_alloc(unknowns * unknowns * sizeof *JJ),
	       *A = mem_alloc(unknowns * unknowns * sizeof *A), *g = mem_alloc(unknowns * sizeof *g);
	bool good = true;

	p->residuals(p->ctx, x, r);
	normal_equations(p, x, r, JJ, g);
	memset(error, 0, unknowns * sizeof *error);

	for (long b = 0; b < blocks && good; b++) {
		const long first = b * p->n / blocks, last = (b + 1) * p->n / blocks;

		for (long c = 0; c < p->m; c++) {
			g[c] = 0.;

			for (long i = first; i < last; i++)
				g[c] += J[c * p->n + i] * r[i];
		}

		memcpy(A, JJ, unknowns * unknowns * sizeof *A);
		good = cholesky_solve(p->m, A, g, NULL);

		for (long c = 0; c < p->m; c++)
			error[c] += g[c] * g[c];
	}

	for (long c = 0; c < p->m && good; c++)
		error[c] = sqrt(error[c] * (double)blocks / (double)(blocks - 1));

	free(g);
	free(A);
	free(JJ);
	free(r);
	free(J);

	return good;
}
