#ifndef ITER_ALGORITHM_IRGNM_H
#define ITER_ALGORITHM_IRGNM_H

#include "iter/algorithm/gauss_newton.h"

/**
 * The iteratively regularised Gauss-Newton method [1] for F(x) = y:
 *
 *     x_{k+1} = argmin 1/2 |F(x_k) + F'(x_k) (x - x_k) - y|^2_W + alpha_k/2 |x - x_ref|^2,
 *     alpha_k = max(alpha factor^k, lambda of the problem)
 *
 * Each minimisation is by conjugate gradients. A step that does not decrease 1/2 |F(x) - y|^2_W + alpha_k/2
 * |x - x_ref|^2 is halved until it does. The monitor shows 1/2 |F(x) - y|^2_W as the objective, and the
 * length of the step. Defaults in algorithm_irgnm: alpha 0 means the curvature of the misfit along its
 * gradient, factor 0 means 1/2.
 *
 * [1] A. B. Bakushinskii, The problem of the convergence of the iteratively regularized Gauss-Newton method,
 * Comput. Math. Math. Phys. 32, 1992.
 */
extern const struct algorithm algorithm_irgnm;

struct irgnm_conf {
	long iterations;
	double alpha, factor, alpha_min; // > 0, 0 < factor <= 1, >= 0
	struct newton_inner inner;
	const void *reference; // x_ref, of the domain; NULL: 0
	double noise;          // stop at |F(x) - y|_W of this (the discrepancy principle); 0 = never
	double change;         // stop at |x - last x| <= change |x|; 0 = never
	struct monitor *monitor;
};

/** x: the start, and the result. ITER_MINIMUM: no step decreases the objective. Memory: 3 vectors of the
 * domain, 2 of the codomain, and the memory of F. */
extern struct iter_result irgnm(const struct newton_problem *p, const struct irgnm_conf *conf, void *x);

#endif
