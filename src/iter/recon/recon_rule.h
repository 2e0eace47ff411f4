#ifndef ITER_RECON_RECON_RULE_H
#define ITER_RECON_RECON_RULE_H

#include "iter/iter.h"

/**
 * Chooses the factor lambda of a penalty by a rule, from reconstructions with several factors:
 *
 * - auto: the factor of the rule 'views'. For total variation and other sums of lengths of differences, auto
 * is the geometric mean of this factor and the default factor. The default factor is 0.5 in units of the
 * noise (iter/recon/recon_unit.h). With fewer than SEARCH_VIEWS views auto is the default factor. If the
 * prediction error of left-out views exceeds SEARCH_MISFIT times the noise, auto is the default factor times
 * the ratio of prediction error to noise.
 * - views: the factor that predicts left-out views best (iter/recon/recon_search.h)
 * - dof[:SIGMA]: the residual is as large as the noise, corrected for the degrees of freedom
 * (iter/recon/recon_search.h)
 * - discrepancy[:SIGMA]: the residual is as large as the noise [1], |A x - y|_W = SIGMA sqrt(rays of weight >
 * 0). SIGMA is the standard deviation of a line integral of weight 1, estimated from the projections unless
 * given (iter/monitor/noise_level.h). The factor is bracketed, then found by regula falsi. The search ends if
 * dividing the factor by ten does not change the residual.
 * - lcurve: the point of largest curvature of the curve log residual over log penalty [2]
 * - gcv: generalised cross-validation [3] minimises |A x - y|^2_W / (rays - trace)^2. The trace of y -> A x
 * is estimated with one random vector of signs [4], always the same. The rule is for least squares with a
 * quadratic penalty, where x is linear in y.
 *
 * lcurve and gcv try RULE_DENSITY factors per decade of the range and fit a parabola through the best three.
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

/** Creates the rule from --rule, --range and the term whose factor is auto; NULL if no factor has to be
 * chosen. usage_error() if the rule does not apply to the problem. */
extern struct recon_rule *recon_rule_create(const struct recon *r);

/** Approximate number of reconstructions that the rule makes for each problem. */
extern double recon_rule_runs(const struct recon_rule *rule);

/** Whether the rule advances two runs together, which needs the vectors of both. */
extern bool recon_rule_has_probe(const struct recon_rule *rule);

/** The factor for problem k, with projections y and weights W (NULL: 1). */
extern double recon_rule_choose(struct recon_rule *rule, struct recon *r, long k, const void *y,
        const struct weights *W, const struct iter_conf *conf);

/** Writes --curve; rule may be NULL. */
extern void recon_rule_close(struct recon_rule *rule, const struct recon *r);

#endif
