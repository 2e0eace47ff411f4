#ifndef ITER_RECON_RECON_RULE_H
#define ITER_RECON_RECON_RULE_H

#include "iter/iter.h"

/**
 * The factor lambda of a penalty, chosen by a rule from reconstructions with many of them:
 *
 * - auto: as views. For total variation the geometric mean of the factor of views and the usual factor, 0.5
 * in units of the noise (iter/recon/recon_unit.h). With fewer than SEARCH_VIEWS views: the usual factor. If
 * left-out views differ from their prediction by more than SEARCH_MISFIT times the noise: the usual factor
 * times this ratio.
 * - views: left-out views are predicted best (iter/recon/recon_search.h)
 * - dof[:SIGMA]: the residual is that of the noise minus degrees of freedom (iter/recon/recon_search.h)
 * - discrepancy[:SIGMA]: the residual is that of the noise [1]: |A x - y|_W = SIGMA sqrt(rays of weight > 0).
 * SIGMA is the standard deviation of a line integral of weight 1, estimated from the projections unless given
 * (iter/monitor/noise_level.h). The factor is bracketed, then found by regula falsi; the search ends if a
 * tenth of a factor does not change the residual.
 * - lcurve: the curve log residual, log penalty bends most [2]
 * - gcv: generalised cross-validation [3]: the smallest |A x - y|^2_W / (rays - trace)^2. The trace of y -> A
 * x is estimated with one random vector of signs [4], always the same. For least squares with a quadratic
 * penalty, where x is linear in y.
 *
 * The last two try RULE_DENSITY factors a decade over the range and fit a parabola through the best three.
 *
 * [1] V. Morozov, On the solution of functional equations by the method of regularization, Soviet Math. Dokl.
 * 7, 1966. [2] P. C. Hansen, D. P. O'Leary, The use of the L-curve in the regularization of discrete
 * ill-posed problems, SIAM Journal on Scientific Computing 14, 1993. [3] G. Golub, M. Heath, G. Wahba,
 * Generalized cross-validation as a method for choosing a good ridge parameter, Technometrics 21, 1979. [4]
 * M. Hutchinson, A stochastic estimator of the trace of the influence matrix for Laplacian smoothing splines,
 * Communications in Statistics - Simulation and Computation 19, 1990.
 */
struct recon;
struct recon_rule;

enum { RULE_DENSITY = 3, RULE_DECADES = 7 };

/** From --rule, --range and a factor that is auto; NULL if nothing is to be chosen. usage_error() if the rule
 * does not apply to the problem. */
extern struct recon_rule *recon_rule_create(const struct recon *r);

/** Approximate number of reconstructions that the rule makes for each problem. */
extern double recon_rule_runs(const struct recon_rule *rule);

/** Whether two runs proceed in step, so that the vectors of both are kept. */
extern bool recon_rule_has_probe(const struct recon_rule *rule);

/** The factor for problem k, with projections y and weights W (NULL: 1). */
extern double recon_rule_choose(struct recon_rule *rule, struct recon *r, long k, const void *y,
        const struct weights *W, const struct iter_conf *conf);

/** Writes --curve; rule may be NULL. */
extern void recon_rule_close(struct recon_rule *rule, const struct recon *r);

#endif
