#ifndef ITER_ALGORITHM_IRGNM_H
#define ITER_ALGORITHM_IRGNM_H

#include "iter/algorithm/gauss_newton.h"

/**
 * The iteratively regularised Gauss-Newton method [1] for F(x) = y:
 *
 *     x_{k+1} = argmin 1/2 |F(x_k) + F'(x_k) (x - x_k) - y|^2_W + alpha_k/2 |x - x_ref|^2,
 *     alpha_k = max(alpha factor^k, lambda of the problem)
 *
 * Each minimisation is by conjugate gradients. A step must decrease the following sum:
 *
 *     1/2 |F(x) - y|^2_W + alpha_k/2 |x - x_ref|^2
 *
 * Otherwise the step is halved and tried again. The objective in the monitor is 1/2 |F(x) - y|^2_W.
 *
 * In algorithm_irgnm, alpha = 0 means the result of newton_curvature() at the start. In algorithm_irgnm,
 * factor = 0 means 1/2.
 *
 * [1] A. B. Bakushinskii, The problem of the convergence of the iteratively regularized Gauss-Newton method,
 * Comput. Math. Math. Phys. 32, 1992.
 */
extern const struct algorithm algorithm_irgnm;

struct irgnm_conf {
	long iterations;
	double alpha, factor, alpha_min; // alpha > 0, 0 < factor <= 1, alpha_min >= 0
	struct newton_inner inner;
	const void *reference; // x_ref, a vector of the domain; NULL means 0
	double noise;          // stop if |F(x) - y|_W <= noise (discrepancy principle); 0 means never
	double change;         // stop if |x - last x| <= change |x|; 0 means never
	struct monitor *monitor;
};

/** Runs the method. On entry x is the starting point, on return the result. ITER_MINIMUM means that no step
 * decreases the objective. The memory is 3 vectors of the domain, 2 of the codomain, and the memory of F. */
extern struct iter_result irgnm(const struct newton_problem *p, const struct irgnm_conf *conf, void *x);

#endif
