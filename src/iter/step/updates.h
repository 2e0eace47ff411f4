#ifndef ITER_STEP_UPDATES_H
#define ITER_STEP_UPDATES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iter/step/numbers.h"
#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** Combined operations on the vectors of an algorithm, computed on the device of these vectors. The
 * function iter_updates_of() returns the operations for a device. Vectors have n numbers of a real type. A
 * complex vector has two numbers per element. All sums are float64 numbers on the device of the vectors.
 * The order of summation depends only on n. */

/**
 * A factor in a vector update has the value:
 *
 *     times *over / *under             if root is false
 *     times sqrt(*over / *under)       if root is true
 *
 * A NULL pointer counts as 1. The factor is 0 if *under is 0, negative or NaN. `over` and `under` point to
 * numbers on the device of the vectors.
 */
struct update_factor {
	double times;
	const double *over, *under;
	bool root;
};

/** Returns the value of a factor. */
DEVICE_FN double update_factor(const struct update_factor *f)
{
	double v = f->times;

	if (NULL != f->over)
		v *= f->root ? sqrt(*f->over) : *f->over;

	if (NULL != f->under)
		v = (*f->under > 0.) ? v / (f->root ? sqrt(*f->under) : *f->under) : 0.;

	return v;
}

/**
 * These functions return factors with the following values:
 *
 *     factor_of(a)              a
 *     factor_times(a, p)        a *p
 *     factor_over(a, p)         a / *p
 *     factor_times_root(a, p)   a sqrt(*p)
 *     factor_over_root(a, p)    a / sqrt(*p)
 */
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

/**
 * Returns the new value of one voxel after an accelerated projected gradient step (iter/algorithm/apg.c).
 * `x` is the last iterate, and `xp` is the iterate before x. `*z` receives the starting point of the step:
 *
 *     z = x + momentum (x - xp)
 *
 * `g` is the gradient of the data term at z. `d` is the curvature of the data term plus lambda. If d <= 0,
 * the voxel does not change, and *z is x.
 */
DEVICE_FN double update_projected(
        double x, double xp, double g, double d, double momentum, double lambda, double *z)
{
	*z = x + momentum * (x - xp);

	if (d > 0.)
		return fmax(0., *z - (g + lambda * *z) / d);

	return *z = x;
}

/** Returns max(0, slope / z), the weight of an element z of a term. Without `prox`, w is the slope of the
 * term at z. With `prox`, w is the proximal operator with step size t at z. The slope is then (z - w) / t.
 * For z = 0 the result is `1 / t` with `prox`, and 0 without `prox`. */
DEVICE_FN double update_weight(bool prox, double t, double z, double w)
{
	const double slope = prox ? (z - w) / t : w;

	return (0. == z) ? (prox ? 1. / t : 0.) : fmax(0., slope / z);
}

enum { UPDATE_VECTORS = 16 }; // largest number of basis vectors in one pass

/** Table of operations on vectors, for the CPU or the GPU. */
struct iter_updates {
	/** Computes y = a x + b y. `x` may be NULL, which means 0. `sum` receives the sum of squares of the
	 * new y, or is NULL. */
	void (*mix)(enum dtype real, long n, void *y, const struct update_factor *a, const void *x,
	        const struct update_factor *b, double *sum);
	/** Computes `x = at - relaxation s / d` where d > 0, and `x = at` elsewhere. `at` may be x. `last`
	 * receives the old x, or is NULL. `sum[0]` receives the sum of squares of s. `sum[1]` receives the
	 * sum of squares of s / d over the elements with d > 0. */
	void (*divide)(enum dtype real, long n, void *x, void *last, const void *at, const void *s,
	        const void *d, double relaxation, double sum[2]);
	/**
	 * Replaces each element of xp by the result of update_projected(). The sums use the new xp and the
	 * output `z` of update_projected():
	 *
	 *     sum[0] = sum of (d (z - xp))^2
	 *     sum[1] = sum of d (z - xp) (xp - x)
	 */
	void (*project)(enum dtype real, long n, const void *x, void *xp, const void *g, const void *d,
	        double momentum, double lambda, double sum[2]);
	/** Adds a to all elements of x. `*below` receives the number of elements that were negative before
	 * the addition. */
	void (*add)(enum dtype real, long n, void *x, double a, double *below);
	/** Replaces negative elements of x by 0. `*below` receives the number of negative elements. */
	void (*clip)(enum dtype real, long n, void *x, double *below);
	/** Exchanges the vectors x and y. */
	void (*exchange)(enum dtype real, long n, void *x, void *y);
	/** Replaces each element of w by update_weight(prox, t, z, w). */
	void (*weigh)(enum dtype real, long n, void *w, const void *z, bool prox, double t);
	/** Fills x with random signs 1 and -1. The signs are those of philox_signs() for `stream`
	 * (num/md/philox.h). */
	void (*signs)(enum dtype real, long n, void *x, uint64_t stream);
	/** Computes the inner products out[i] = <v[i], w> for 0 <= i < k. */
	void (*inner)(enum dtype real, long n, long k, const void *const v[], const void *w, double *out);
	/** Computes y = x + sign sum_i c[i] v[i]. The k vectors v[i] are added in the order of i. `sum`
	 * receives the sum of squares of y, or is NULL. If `there` is true, c is on the device of the
	 * vectors, else on the host. */
	void (*combine)(enum dtype real, long n, void *y, const void *x, double sign, long k,
	        const void *const v[], const double *c, bool there, double *sum);
	/** Applies numbers_apply() to the array n. */
	void (*numbers)(enum numbers_rule rule, const struct numbers_given *given, double *n);
};

/** The tables of operations on the CPU and on the GPU. */
extern const struct iter_updates iter_updates_cpu, iter_updates_gpu;

/** Returns the table for the device on which p resides. */
extern const struct iter_updates *iter_updates_of(const void *p);

#endif
