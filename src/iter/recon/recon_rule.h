#ifndef ITER_RECON_RECON_RULE_H
#define ITER_RECON_RECON_RULE_H

#include "iter/iter.h"

/**
 * A rule chooses the factor lambda of a penalty by comparing reconstructions with several factors. The rules
 * are:
 *
 * - auto: the default rule, explained below.
 * - views: chooses the factor that predicts left-out views best (iter/recon/recon_search.h).
 * - dof[:SIGMA]: chooses the residual |A x - y|_W = SIGMA sqrt(n - dof) for dof degrees of freedom
 * (iter/recon/recon_search.h).
 * - discrepancy[:SIGMA]: chooses the residual |A x - y|_W = SIGMA sqrt(n) for n rays of positive weight [1].
 * - lcurve: chooses the point of largest curvature on the curve of log residual over log penalty [2].
 * - gcv: generalised cross-validation [3], which minimises `|A x - y|^2_W / (n - trace)^2` for n rays of
 * positive weight.
 *
 * The rule `auto` depends on the penalty and on the views:
 *
 * - For most penalties, `auto` uses the factor of the rule `views`.
 * - For sums of lengths of differences, the factor is `sqrt(search.noise * default factor * views factor)`.
 * - With fewer than SEARCH_VIEWS views, `auto` uses the default factor.
 * - For sums of lengths of differences, if the prediction is bad, the factor is
 * `default factor * error / noise`.
 *
 * The default factor is 0.5 in units of the noise (iter/recon/recon_unit.h). For quadratic penalties, the
 * default factor is search_largest() / 1000. Total variation is an example of a sum of lengths of
 * differences. A prediction is bad if its error exceeds SEARCH_MISFIT times the noise.
 *
 * SIGMA is the standard deviation of a line integral of weight 1. If SIGMA is not given, it is estimated from
 * the projections (iter/monitor/noise_level.h). The rule `discrepancy` brackets the factor and then uses
 * regula falsi. The rule `discrepancy` stops if dividing the factor by ten hardly changes the residual.
 *
 * The rule `gcv` is for least squares with quadratic penalties, where x is linear in y. The trace is that of
 * the linear map from y to A x. The trace is estimated with one random vector of signs [4], which is the same
 * in every run.
 *
 * The rules `lcurve` and `gcv` try RULE_DENSITY factors per decade of the range. A parabola through the best
 * three factors gives the result.
 *
 * [1] V. Morozov, On the solution of functional equations by the method of regularization, Soviet Math. Dokl.
 * 7, 1966.
 *
 * [2] P. C. Hansen, D. P. O'Leary, The use of the L-curve in the regularization of discrete ill-posed
 * problems, SIAM Journal on Scientific Computing 14, 1993.
 *
 * [3] G. Golub, M. Heath, G. Wahba, Generalized cross-validation as a method for choosing a good ridge
 * parameter, Technometrics 21, 1979.
 *
 * [4] M. Hutchinson, A stochastic estimator of the trace of the influence matrix for Laplacian smoothing
 * splines, Communications in Statistics - Simulation and Computation 19, 1990.
 */
struct recon;
struct recon_rule;

enum { RULE_DENSITY = 3, RULE_DECADES = 7 }; // factors per decade, and decades of the range without --range

/** Creates the rule from --rule, --range and the term whose factor is `auto`. Returns NULL if no factor has
 * to be chosen. A rule that does not apply to the problem is a usage_error(). */
extern struct recon_rule *recon_rule_create(const struct recon *r);

/** Returns the approximate number of reconstructions that the rule makes for each problem. */
extern double recon_rule_runs(const struct recon_rule *rule);

/** Returns true if the rule makes two runs in parallel. Two parallel runs need memory for the vectors of both
 * runs. */
extern bool recon_rule_has_probe(const struct recon_rule *rule);

/** Returns the factor for problem k with projections y and weights W. If W is NULL, all weights are 1. */
extern double recon_rule_choose(struct recon_rule *rule, struct recon *r, long k, const void *y,
        const struct weights *W, const struct iter_conf *conf);

/** Writes the file of option --curve and frees the rule. A NULL rule is ignored. */
extern void recon_rule_close(struct recon_rule *rule, const struct recon *r);

#endif
