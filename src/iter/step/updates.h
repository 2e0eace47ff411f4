#ifndef ITER_STEP_UPDATES_H
#define ITER_STEP_UPDATES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iter/step/numbers.h"
#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/**
 * Passes that combine several operations on the vectors of an algorithm, on the device of these vectors.
 * There is one table per device, chosen by the address of a vector. Vectors are n numbers of a real type; a
 * complex vector has two numbers per element. Sums, and the numbers used by an update, are float64 on the
 * device of the vectors. The order of summation depends only on n.
 */

/** The factor is `times` multiplied by *over / *under or, with `root`, by sqrt(*over / *under). A NULL
 * pointer counts as 1. If *under is not above 0, the factor is 0 and a step has no effect. */
struct update_factor {
	double times;
	const double *over, *under;
	bool root;
};

DEVICE_FN double update_factor(const struct update_factor *f)
{
	double v = f->times;

	if (NULL != f->over)
		v *= f->root ? sqrt(*f->over) : *f->over;

	if (NULL != f->under)
		v = (*f->under > 0.) ? v / (f->root ? sqrt(*f->under) : *f->under) : 0.;

	return v;
}

/** The factors a, a p, a / p, a sqrt(p) and a / sqrt(p). */
static inline struct update_factor factor_of(double a)
{
	const struct update_factor f = {a, NULL, NULL, false};

	return f;
}

static inline struct update_factor factor_times(double a, const double *p)
{
	const struct update_factor f = {a, p, NULL, false};

	return f;
}

static inline struct update_factor factor_over(double a, const double *p)
{
	const struct update_factor f = {a, NULL, p, false};

	return f;
}

static inline struct update_factor factor_times_root(double a, const double *p)
{
	const struct update_factor f = {a, p, NULL, true};

	return f;
}

static inline struct update_factor factor_over_root(double a, const double *p)
{
	const struct update_factor f = {a, NULL, p, true};

	return f;
}

/** An accelerated projected gradient step of one voxel (iter/algorithm/apg.c). x: the last iterate, xp: the
 * one before it, g: the gradient of the data term at z = x + momentum (x - xp), d: the curvature of the data
 * term plus lambda. *z becomes the starting point of the step. Voxels without curvature do not change. */
DEVICE_FN double update_projected(
        double x, double xp, double g, double d, double momentum, double lambda, double *z)
{
	*z = x + momentum * (x - xp);

	if (d > 0.)
		return fmax(0., *z - (g + lambda * *z) / d);

	return *z = x;
}

/** The weight of an element z of a term: its slope divided by z, at least 0. w is the slope at z. With
 * `prox`, w is the result of the proximal operator at z with step t, and the slope is (z - w) / t. */
DEVICE_FN double update_weight(bool prox, double t, double z, double w)
{
	const double slope = prox ? (z - w) / t : w;

	return (0. == z) ? (prox ? 1. / t : 0.) : fmax(0., slope / z);
}

enum { UPDATE_VECTORS = 16 }; // most vectors in one pass over a basis

struct iter_updates {
	/** y = a x + b y; x NULL: y = b y. sum: NULL, or receives the sum of squares of the new y. */
	void (*mix)(enum dtype real, long n, void *y, const struct update_factor *a, const void *x,
	        const struct update_factor *b, double *sum);
	/** last = x, unless last is NULL; x = at - relaxation s / d where d > 0, elsewhere x = at. at may be
	 * x. sum[2]: sums of squares of s, and of s / d. */
	void (*divide)(enum dtype real, long n, void *x, void *last, const void *at, const void *s,
	        const void *d, double relaxation, double sum[2]);
	/** xp = update_projected(x, xp, .., &z). sum[2]: with this z and the new xp, the sums of |d (z -
	 * xp)|^2 and of d (z - xp) (xp - x). */
	void (*project)(enum dtype real, long n, const void *x, void *xp, const void *g, const void *d,
	        double momentum, double lambda, double sum[2]);
	/** x += a; *below: the number of elements that were negative before. */
	void (*add)(enum dtype real, long n, void *x, double a, double *below);
	/** x = max(x, 0); *below: the number of elements that were negative before. */
	void (*clip)(enum dtype real, long n, void *x, double *below);
	void (*exchange)(enum dtype real, long n, void *x, void *y);
	/** w = update_weight(prox, t, z, w). */
	void (*weigh)(enum dtype real, long n, void *w, const void *z, bool prox, double t);
	/** Random signs: philox_signs() of the stream (num/md/philox.h). */
	void (*signs)(enum dtype real, long n, void *x, uint64_t stream);
	/** out[i] = <v[i], w>, i < k. */
	void (*inner)(enum dtype real, long n, long k, const void *const v[], const void *w, double *out);
	/** y = x + sign sum_i c[i] v[i], added in the order of i; sum: NULL, or receives the sum of squares
	 * of y. `there`: c is on the device of the vectors, else on the host. */
	void (*combine)(enum dtype real, long n, void *y, const void *x, double sign, long k,
	        const void *const v[], const double *c, bool there, double *sum);
	/** Applies numbers_apply() to n, in place. */
	void (*numbers)(enum numbers_rule rule, const struct numbers_given *given, double *n);
};

extern const struct iter_updates iter_updates_cpu, iter_updates_gpu;

/** The table of the device on which p resides. */
extern const struct iter_updates *iter_updates_of(const void *p);

#endif
