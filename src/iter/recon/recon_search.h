#ifndef ITER_RECON_RECON_SEARCH_H
#define ITER_RECON_RECON_SEARCH_H

#include "iter/recon/recon_internal.h"

/** Projections y that are compared with A x: all rays of a problem, or those of some views. */
struct search_rays {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	struct recon_subsets *subsets; // NULL: none
	double count;                  // rays of weight > 0; complex ones count twice
	double curvature;              // largest eigenvalue of A'W A for all trials, NAN until it is known
};

/** A factor that was tried, and its results, which are NAN until they are known. */
struct trial {
	long problem;
	double lambda, residual, penalty, score;
};

/** A search for the factor of one problem; x is in the domain, Ax has all rays. */
struct search {
	struct recon *r;
	long problem;
	struct search_rays all;
	struct iter_conf conf; // without monitor and checkpoint
	void *x, *Ax;
	double sigma;  // standard deviation of a ray of weight 1; NAN: not known
	double misfit; // prediction error of left-out views / r->unit.sigma; 0 below SEARCH_MISFIT
	double noise;  // upper bound of the fraction of r->unit.sigma that is noise, 1 / SEARCH_REACH to 1;
	               // the remaining part is due to edges
	long n, room;
	struct trial *trial;
};

extern void search_begin(struct search *s, struct recon *r, long problem, const void *y,
        const struct weights *W, const struct iter_conf *conf);
extern void search_end(struct search *s); // keeps the trials

/** Appends a trial; the caller fills in its results. */
extern struct trial *search_add(struct search *s, double lambda);

/** Reconstructs x from these rays by `iterations` iterations. y: projections that replace rays->y; NULL:
 * rays->y. Starts from the given x if the algorithm can and conf.warm is set. state: data of the last run
 * with these rays; NULL: none. */
extern void search_solve(struct search *s, struct search_rays *rays, double lambda, const void *y,
        long iterations, struct run_state *state, void *x);

/** |A x - y|_W for these rays; for other data models the root of twice the data term. Ax becomes A x, or A x
 * - y for least squares. */
extern double search_residual(struct search *s, const struct search_rays *rays, void *Ax, const void *x);

/** The penalty at x, without its factor. */
extern double search_penalty(const struct search *s, const void *x, double lambda);

/** Whether a trial starts from the result of the last trial: true if the factor of a term is chosen. False if
 * `--lambda` is chosen, because its penalty may depend on the start of the run. */
extern bool search_is_warm(const struct search *s);

/** A factor for which x is almost completely suppressed. It is the ratio of the data term at x = 0 to the
 * penalty after the best gradient step from x = 0. NAN if the projections or this penalty are 0. */
extern double search_largest(struct search *s);

/** Sets range[] to the limits of the factor in `--range`; without `--range`, to 0 and INFINITY. */
extern void search_range(const struct search *s, double range[2]);

/** v = W^(-1/2) times random signs, always the same; 0 where the weight is 0. Returns the number of nonzero
 * elements. v NULL: only counts. */
extern double search_signs(const struct weights *W, enum dtype type, long m, void *v);

/**
 * Rules that choose the factor, by a search from the factor `start`. A rule returns NAN, with a message about
 * the reason, if the data do not determine the factor.
 *
 * Left-out views [1]: a tenth of the views, spread over the scan, is predicted from the other views. The
 * factor with the smallest |A x - y|_W of the left-out views is chosen (for emission counts: with the
 * smallest sum of squares of Freeman-Tukey deviates [3]). Factors are tried in steps of 2 (4 for squares),
 * and a parabola is fitted through the best three. The rule needs at least SEARCH_VIEWS views. If `start` is
 * a good estimate of the factor, `reach` limits the search to start / reach .. start * reach; INFINITY: no
 * limit. If views are predicted better than the estimated noise allows, edges of the object have increased
 * this estimate. s->noise is then the fraction of the estimate that is noise, and the lower limit of the
 * factor is multiplied by s->noise. A prediction error above SEARCH_MISFIT times the noise is due to the
 * model and hardly depends on the factor. With a finite `reach`, the result is then the start times the ratio
 * of this error to the noise.
 *
 * Degrees of freedom: |A x - y|^2_W = sigma^2 (rays - dof), where dof is the trace of y -> A x. The trace is
 * estimated with a second run, whose projections are those of the first run plus a vector of random signs
 * [2]. Both runs make the same iterations. NAN if the residual stays above the noise and hardly falls when
 * the factor is divided by 3: then the model of the data is wrong.
 *
 * [1] M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
 * Statistical Society B 36, 1974. [2] D. Girard, A fast 'Monte-Carlo cross-validation' procedure for large
 * least squares problems with noisy data, Numerische Mathematik 56, 1989. [3] M. Freeman, J. Tukey,
 * Transformations related to the angular and the square root, Annals of Mathematical Statistics 21, 1950.
 */
extern double search_by_views(struct search *s, double start, double reach);
extern double search_by_freedom(struct search *s, double start);

/** SEARCH_FIRST, SEARCH_NEXT: iterations of the first trial, and of each trial that continues from the
 * previous one. */
enum { SEARCH_FIRST = 20, SEARCH_NEXT = 10, SEARCH_VIEWS = 4, SEARCH_MISFIT = 8, SEARCH_REACH = 8 };

/** The position of the extremum of the parabola through (-1, a), (0, b), (1, c), limited to -1 .. 1. */
extern double search_vertex(double a, double b, double c);

#endif
