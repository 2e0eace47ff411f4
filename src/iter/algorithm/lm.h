#ifndef ITER_ALGORITHM_LM_H
#define ITER_ALGORITHM_LM_H

#include "iter/algorithm/gauss_newton.h"

/**
 * Levenberg-Marquardt [1, 2]: minimises 1/2 |F(x) - y|^2_W by steps h that minimise
 *
 *     1/2 |F(x) + F'(x) h - y|^2_W + mu/2 |h|^2
 *
 * by conjugate gradients. A step is accepted if it decreases the misfit. The new mu then depends on the ratio
 * of this decrease to the decrease that the linear model predicted [3]. After a rejected step, mu grows and
 * the step is repeated.
 *
 * [1] K. Levenberg, Q. Appl. Math. 2, 1944. [2] D. W. Marquardt, J. SIAM 11, 1963. [3] H. B. Nielsen, Damping
 * parameter in Marquardt's method, IMM-REP-1999-05, Technical University of Denmark, 1999.
 */
extern const struct algorithm algorithm_lm; // conf->newton.alpha: the damping below

struct lm_conf {
	long iterations; // steps tried, also rejected ones
	double damping;  // first mu, as a fraction of the curvature of the misfit along its gradient; 0: 1e-3
	double tolerance; // stop at |gradient| <= tolerance |gradient at the start|; 0 = never
	struct newton_inner inner;
	double noise;  // stop at |F(x) - y|_W of this; 0 = never
	double change; // stop at a step of length <= change |x|; 0 = never
	struct monitor *monitor;
};

/** x: the start, and the result. Memory: 3 vectors of the domain, 2 of the codomain, and the memory of F. */
extern struct iter_result lm(const struct newton_problem *p, const struct lm_conf *conf, void *x);

#endif
