#ifndef ITER_ALGORITHM_LM_H
#define ITER_ALGORITHM_LM_H

#include "iter/algorithm/gauss_newton.h"

/**
 * The Levenberg-Marquardt method [1, 2] minimises 1/2 |F(x) - y|^2_W. Each step h minimises
 * the following sum by conjugate gradients:
 *
 *     1/2 |F(x) + F'(x) h - y|^2_W + mu/2 |h|^2
 *
 * A step that decreases the misfit is accepted. The next mu depends on how well the linear model predicts the
 * decrease [3]. After a rejected step, mu grows and a new step is computed.
 *
 * [1] K. Levenberg, Q. Appl. Math. 2, 1944. [2] D. W. Marquardt, J. SIAM 11, 1963. [3] H. B. Nielsen, Damping
 * parameter in Marquardt's method, IMM-REP-1999-05, Technical University of Denmark, 1999.
 */
extern const struct algorithm algorithm_lm; // conf->newton.alpha is lm_conf.damping

struct lm_conf {
	long iterations;  // includes rejected steps
	double damping;   // first mu, divided by the curvature of the misfit along its gradient; 0 means 1e-3
	double tolerance; // stop if |gradient| <= tolerance |gradient at the start|; 0 means never
	struct newton_inner inner;
	double noise;  // stop if |F(x) - y|_W <= noise; 0 means never
	double change; // stop if the length of a step is at most change |x|; 0 means never
	struct monitor *monitor;
};

/** Runs the method. On entry x is the starting point, on return the result. The memory is 3 vectors of the
 * domain, 2 of the codomain, and the memory of F. */
extern struct iter_result lm(const struct newton_problem *p, const struct lm_conf *conf, void *x);

#endif
