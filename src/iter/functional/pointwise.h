#ifndef ITER_FUNCTIONAL_POINTWISE_H
#define ITER_FUNCTIONAL_POINTWISE_H

#include "iter/functional/functional.h"
#include "iter/step/passes.h"
#include "iter/step/weights.h"

/** A block of elements on which a kernel works. The arrays are float64, whatever the type of the functional.
 */
struct point_block {
	long n;              // number of elements
	int parts;           // numbers per element: 1 for real types, 2 for complex types
	double *x;           // argument of a kernel, overwritten by the result
	const double *y, *b; // parameters of the functional, with the layout of x, or NULL
	const double *w;     // n weights, or NULL
};

enum { POINT_PARAMS = 4 };

/** The kernels of a functional g that is a sum over elements. */
struct point_kernels {
	const char *name;
	/** Returns the sum of g over the elements of the block. */
	double (*value)(const double param[POINT_PARAMS], const struct point_block *k);
	/** Replaces x by the prox of gamma times g. NULL means that no prox is available. */
	void (*prox)(const double param[POINT_PARAMS], double gamma, const struct point_block *k);
	/** Replaces x by the gradient of g at x. */
	void (*gradient)(const double param[POINT_PARAMS], const struct point_block *k);
	/** Writes upper bounds of the curvature of g to x[0..n). */
	void (*curvature)(const double param[POINT_PARAMS], const struct point_block *k);
	/** Writes the second derivatives of g to x[0..n). */
	void (*second)(const double param[POINT_PARAMS], const struct point_block *k);
	/** Writes the curvature of g near its minimum to x[0..n). NULL means that the Lipschitz constant
	 * times the weights is used. */
	void (*expected)(const double param[POINT_PARAMS], const struct point_block *k);
	enum point_rule rule; // selects the GPU implementation; POINT_ELSEWHERE means none
	/** Computes the prox of n elements in one call, on the host or on a device. NULL means that prox() is
	 * called for each block. */
	void (*prox_all)(const double param[POINT_PARAMS], double gamma, enum dtype type, long n, void *dst,
	        const void *src);
	/** Returns the sum of the convex conjugates at x, or INFINITY outside their domain. NULL means that
	 * the conjugate is unknown. */
	double (*conjugate)(const double param[POINT_PARAMS], const struct point_block *k);
};

/** Creates a functional that is a sum over elements. The arguments y, b and w are explained in
 * iter/functional/functionals.h. `lipschitz` is the Lipschitz constant of the gradient for weights 1, or
 * INFINITY if there is none. */
extern struct functional *pointwise_create(const struct point_kernels *kernels, enum dtype type, int D,
        const long dims[], const double param[POINT_PARAMS], double lipschitz, const void *y, const void *b,
        const struct weights *w);

#endif
