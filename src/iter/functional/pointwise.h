#ifndef ITER_FUNCTIONAL_POINTWISE_H
#define ITER_FUNCTIONAL_POINTWISE_H

#include "iter/functional/functional.h"
#include "iter/step/passes.h"
#include "iter/step/weights.h"

/**
 * Functionals that are sums over elements. Kernels compute short blocks in float64, for all types.
 */
struct point_block {
	long n;    // elements
	int parts; // numbers of an element: 1, or 2 of complex types
	double *x;
	const double *y, *b; // like x, or NULL
	const double *w;     // n, or NULL
};

enum { POINT_PARAMS = 4 };

struct point_kernels {
	const char *name;
	double (*value)(const double param[POINT_PARAMS], const struct point_block *k);
	/** Changes x in place; NULL: not available. */
	void (*prox)(const double param[POINT_PARAMS], double gamma, const struct point_block *k);
	void (*gradient)(const double param[POINT_PARAMS], const struct point_block *k);
	void (*curvature)(const double param[POINT_PARAMS], const struct point_block *k); // x[0..n)
	void (*second)(const double param[POINT_PARAMS], const struct point_block *k);    // likewise
	/** x[0..n) = the curvature of g near its minimum; NULL: given by the weights. */
	void (*expected)(const double param[POINT_PARAMS], const struct point_block *k);
	enum point_rule rule; // the function on a device; POINT_ELSEWHERE: none
	/** prox in one pass over all elements, on any device; NULL: block by block. */
	void (*prox_all)(const double param[POINT_PARAMS], double gamma, enum dtype type, long n, void *dst,
	        const void *src);
	/** The sum of the conjugates at x, INFINITY outside their domain; NULL: unknown. */
	double (*conjugate)(const double param[POINT_PARAMS], const struct point_block *k);
};

/** y, b, w as in iter/functional/functionals.h; lipschitz: Lipschitz constant of the gradient for weights 1;
 * INFINITY: none. */
extern struct functional *pointwise_create(const struct point_kernels *kernels, enum dtype type, int D,
        const long dims[], const double param[POINT_PARAMS], double lipschitz, const void *y, const void *b,
        const struct weights *w);

#endif
