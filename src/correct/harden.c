#include "correct/harden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

/** The t1 with p(t1) = p. p(t1) is increasing and concave, so that Newton steps from the left never
 * overshoot. */
static double solve(const struct beam *s, double p, double t2, double start)
{
	double t = start;

	for (int i = 0; i < 200; i++) {
		double slope;
		const double step = (p - beam_line(s, t, t2, &slope)) / slope;

		t += step;

		if (fabs(step) * s->mu0[0] < 1e-13 * (1. + fabs(p)))
			break;
	}

	return t;
}

enum { KNOTS = 2049, LENGTHS = 129 };
static const double first_p = -1., last_p = 20.;

struct harden_table {
	long lengths; // 1 for one material
	double step;  // of t2 [mm]
	double *value, *slope;
};

struct harden_table *harden_table_create(const struct beam *s, double longest)
{
	struct harden_table *t = NEW(struct harden_table);

	t->lengths = (NULL != s->mu[1] && longest > 0.) ? LENGTHS : 1;
	t->step = (1 < t->lengths) ? longest / (LENGTHS - 3) : 1.; // one more on either side
	t->value = mem_alloc((size_t)(t->lengths * KNOTS) * sizeof *t->value);
	t->slope = mem_alloc((size_t)(t->lengths * KNOTS) * sizeof *t->slope);

#pragma omp parallel for schedule(static)
	for (long l = 0; l < t->lengths; l++) {
		const double t2 = (1 < t->lengths) ? (double)(l - 1) * t->step : 0.;
		double t1 = 0.;

		for (long i = 0; i < KNOTS; i++) {
			const double p = first_p + (last_p - first_p) * (double)i / (KNOTS - 1);
			double slope;

			t1 = solve(s, p, t2, t1);
			beam_line(s, t1, t2, &slope);
			t->value[l * KNOTS + i] = s->mu0[0] * t1 + s->mu0[1] * t2;
			t->slope[l * KNOTS + i] = s->mu0[0] / slope;
		}
	}

	return t;
}

void harden_table_free(struct harden_table *t)
{
	free(t->value);
	free(t->slope);
	free(t);
}

/** Along p: cubic with the slopes at the knots. */
static double along_p(const struct harden_table *t, long l, double p)
{
	const double h = (last_p - first_p) / (KNOTS - 1), x = (p - first_p) / h;
	const double *v = t->value + l * KNOTS, *d = t->slope + l * KNOTS;

	if (!(x > 0.))
		return v[0] + (p - first_p) * d[0];

	if (!(x < KNOTS - 1))
		return v[KNOTS - 1] + (p - last_p) * d[KNOTS - 1];

	const long i = (long)x;
	const double w = x - (double)i, u = 1. - w;

	return u * u * ((1. + 2. * w) * v[i] + w * h * d[i]) +
	       w * w * ((1. + 2. * u) * v[i + 1] - u * h * d[i + 1]);
}

double harden_table_value(const struct harden_table *t, double p, double t2)
{
	if (1 == t->lengths)
		return along_p(t, 0, p);

	double x = t2 / t->step + 1.;

	x = (x > 1.) ? x : 1.;
	x = (x < (double)(t->lengths - 2)) ? x : (double)(t->lengths - 2);

	const long i = (x < (double)(t->lengths - 3)) ? (long)x : t->lengths - 3;
	const double w = x - (double)i;
	const double a = along_p(t, i - 1, p), b = along_p(t, i, p), c = along_p(t, i + 1, p),
	             d = along_p(t, i + 2, p);

	return -w * (w - 1.) * (w - 2.) / 6. * a + (w + 1.) * (w - 1.) * (w - 2.) / 2. * b -
	       (w + 1.) * w * (w - 2.) / 2. * c + (w + 1.) * w * (w - 1.) / 6. * d;
}

double harden_polynomial(int degree, const double c[], double p)
{
	double sum = 0.;

	for (int k = degree - 1; k >= 0; k--)
		sum = (sum + c[k]) * p;

	return sum;
}

/** Least squares of powers 1..degree of p, scaled to 1: Gram-Schmidt, each column twice, then back
 * substitution. */
double harden_fit(long n, const double t[], const double p[], int degree, double reference, double c[])
{
	double most = 0., worst = 0.;

	if (n < degree)
		error("%ld steps are too few for a polynomial of degree %d (expected at least as many steps "
		      "as the degree)",
		        n, degree);

	for (long i = 0; i < n; i++)
		most = (fabs(p[i]) > most) ? fabs(p[i]) : most;

	double *q = mem_alloc((size_t)(n * degree) * sizeof *q),
	       *r = mem_calloc((size_t)(degree * degree), sizeof *r);

	for (int k = 0; k < degree; k++) {
		double *col = q + k * n, square = 0.;

		for (long i = 0; i < n; i++)
			col[i] = pow(p[i] / most, k + 1);

		for (int m = 0; m < 2 * k; m++) {
			double dot = 0.;

			for (long i = 0; i < n; i++)
				dot += q[m % k * n + i] * col[i];

			for (long i = 0; i < n; i++)
				col[i] -= dot * q[m % k * n + i];

			r[m % k * degree + k] += dot;
		}

		for (long i = 0; i < n; i++)
			square += col[i] * col[i];

		r[k * degree + k] = sqrt(square);

		if (!(square > 1e-20))
			error("the steps have too few different line integrals for a polynomial of degree %d",
			        degree);

		for (long i = 0; i < n; i++)
			col[i] /= sqrt(square);
	}

	for (int k = degree - 1; k >= 0; k--) {
		double dot = 0.;

		for (long i = 0; i < n; i++)
			dot += q[k * n + i] * t[i];

		for (int m = k + 1; m < degree; m++)
			dot -= r[k * degree + m] * c[m];

		c[k] = dot / r[k * degree + k];
	}

	for (int k = 0; k < degree; k++)
		c[k] /= pow(most, k + 1);

	for (long i = 0; i < n; i++)
		worst = fmax(worst, fabs(harden_polynomial(degree, c, p[i]) - t[i]));

	const double mu = isnan(reference) ? 1. / c[0] : reference;

	if (!(mu > 0.))
		error("the attenuation of thin steps is %g 1/mm, expected a positive value", mu);

	for (int k = 0; k < degree; k++)
		c[k] *= mu;

	free(q);
	free(r);

	return worst;
}
