#include "correct/eigen_flats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

/** Eigenvectors of a symmetric matrix g[n * n] by Jacobi rotations. The columns of v are the eigenvectors;
 * the diagonal of g becomes the eigenvalues. */
static void jacobi(long n, double *g, double *v)
{
	for (long i = 0; i < n * n; i++)
		v[i] = (0 == i % (n + 1)) ? 1. : 0.;

	for (int sweep = 0; sweep < 60; sweep++) {
		double off = 0., all = 0.;

		for (long i = 0; i < n; i++)
			for (long j = 0; j < n; j++) {
				all += g[i * n + j] * g[i * n + j];
				off += (i == j) ? 0. : g[i * n + j] * g[i * n + j];
			}

		if (!(off > 1e-28 * all))
			return;

		for (long p = 0; p < n; p++)
			for (long q = p + 1; q < n; q++) {
				if (0. == g[p * n + q])
					continue;

				const double theta = (g[q * n + q] - g[p * n + p]) / (2. * g[p * n + q]);
				const double t = copysign(1., theta) / (fabs(theta) + hypot(theta, 1.));
				const double c = 1. / hypot(t, 1.), s = t * c;

				for (long k = 0; k < n; k++) {
					const double a = g[k * n + p], b = g[k * n + q];

					g[k * n + p] = c * a - s * b;
					g[k * n + q] = s * a + c * b;
				}

				for (long k = 0; k < n; k++) {
					const double a = g[p * n + k], b = g[q * n + k];

					g[p * n + k] = c * a - s * b;
					g[q * n + k] = s * a + c * b;
				}

				for (long k = 0; k < n; k++) {
					const double a = v[k * n + p], b = v[k * n + q];

					v[k * n + p] = c * a - s * b;
					v[k * n + q] = s * a + c * b;
				}
			}
	}
}

void eigen_flats(long count, long size, double *frames, long n, double *image)
{
	double *g = mem_alloc((size_t)(2 * count * count) * sizeof *g), *v = g + count * count;

	memset(image, 0, (size_t)size * sizeof *image);

	for (long k = 0; k < count; k++)
		for (long i = 0; i < size; i++)
			image[i] += frames[k * size + i] / (double)count;

	for (long k = 0; k < count; k++)
		for (long i = 0; i < size; i++)
			frames[k * size + i] -= image[i];

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < count; k++)
		for (long m = 0; m <= k; m++) {
			double dot = 0.;

			for (long i = 0; i < size; i++)
				dot += frames[k * size + i] * frames[m * size + i];

			g[k * count + m] = g[m * count + k] = dot;
		}

	jacobi(count, g, v);

	for (long c = 0; c < n; c++) {
		double *out = image + (c + 1) * size;
		long best = 0;

		for (long k = 1; k < count; k++)
			if (g[k * (count + 1)] > g[best * (count + 1)])
				best = k;

		memset(out, 0, (size_t)size * sizeof *out);

		for (long k = 0; k < count; k++)
			for (long i = 0; i < size; i++)
				out[i] += v[k * count + best] * frames[k * size + i] / sqrt((double)count);

		g[best * (count + 1)] = -INFINITY;
	}

	free(g);
}

/** n equations g c = r in place, by elimination with the largest pivot; 0 where the matrix is singular. */
static void solve(long n, double *g, double *r)
{
	for (long p = 0; p < n; p++) {
		long best = p;

		for (long k = p + 1; k < n; k++)
			if (fabs(g[k * n + p]) > fabs(g[best * n + p]))
				best = k;

		if (!(fabs(g[best * n + p]) > 0.)) {
			memset(r, 0, (size_t)n * sizeof *r);
			return;
		}

		for (long k = 0; k < n; k++) {
			const double t = g[p * n + k];

			g[p * n + k] = g[best * n + k];
			g[best * n + k] = t;
		}

		const double t = r[p];

		r[p] = r[best];
		r[best] = t;

		for (long k = 0; k < n; k++) {
			const double f = (k == p) ? 0. : g[k * n + p] / g[p * n + p];

			for (long m = p; m < n; m++)
				g[k * n + m] -= f * g[p * n + m];

			r[k] -= f * r[p];
		}
	}

	for (long p = 0; p < n; p++)
		r[p] /= g[p * (n + 1)];
}

/** t and its derivatives -t image / (flat - dark) by the weights: line[(n + 1) * size]. */
static void linearise(long size, long n, const double *image, const double *dark, const double *x,
        const double c[], double *line)
{
	for (long i = 0; i < size; i++) {
		double open = -(dark ? dark[i] : 0.);

		for (long k = 0; k <= n; k++)
			open += c[k] * image[k * size + i];

		const double good = open > 0. && isfinite(x[i]);

		line[i] = good ? (x[i] - (dark ? dark[i] : 0.)) / open : 0.;

		for (long k = 1; k <= n; k++)
			line[k * size + i] = good ? -line[i] * image[k * size + i] / open : 0.;
	}
}

/** Adds the difference between elements i and j to the normal equations, weighted by 1 / its size. */
static void add_difference(
        long i, long j, long size, long n, const double *line, double least, double *g, double *r)
{
	const double d = line[j] - line[i], w = 1. / sqrt(d * d + least * least);

	for (long k = 0; k < n; k++) {
		const double dk = line[(k + 1) * size + j] - line[(k + 1) * size + i];

		r[k] -= w * dk * d;

		for (long m = 0; m <= k; m++)
			g[k * n + m] += w * dk * (line[(m + 1) * size + j] - line[(m + 1) * size + i]);
	}
}

void eigen_flats_weights(
        long cols, long rows, long n, const double *image, const double *dark, const double *x, double c[])
{
	enum { STEPS = 15 };

	const long size = cols * rows;
	double *line = mem_alloc((size_t)((n + 1) * size) * sizeof *line);
	double *g = mem_alloc((size_t)(n * n + n) * sizeof *g), *r = g + n * n;

	for (long k = 0; k <= n; k++)
		c[k] = (0 == k);

	for (int step = 0; step < STEPS; step++) {
		double mean = 0.;

		linearise(size, n, image, dark, x, c, line);
		memset(g, 0, (size_t)(n * n + n) * sizeof *g);

		for (long i = 0; i + 1 < size; i++)
			mean += fabs(line[i + 1] - line[i]) / (double)size;

		const double least = 0.1 * mean + 1e-12;

		for (long b = 0; b < rows; b++)
			for (long a = 0; a < cols; a++) {
				const long i = b * cols + a;

				if (a + 1 < cols)
					add_difference(i, i + 1, size, n, line, least, g, r);

				if (b + 1 < rows)
					add_difference(i, i + cols, size, n, line, least, g, r);
			}

		for (long k = 0; k < n; k++)
			for (long m = k + 1; m < n; m++)
				g[k * n + m] = g[m * n + k];

		solve(n, g, r);

		for (long k = 0; k < n; k++)
			c[k + 1] += r[k];
	}

	free(line);
	free(g);
}
