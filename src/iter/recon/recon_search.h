#ifndef ITER_RECON_RECON_SEARCH_H
#define ITER_RECON_RECON_SEARCH_H

#include "iter/recon/recon_internal.h"

/** Projections y that are compared with A x. The projections are all rays of a problem, or the rays of some
 * views. */
struct search_rays {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	struct recon_subsets *subsets; // NULL means none
	double count;                  // number of rays of positive weight; complex rays count twice
	double curvature; // largest eigenvalue of A'W A, the same for all trials; NAN until known
};

/** A trial reconstruction with one factor, and its results. Unknown results are NAN. */
struct trial {
	long problem;
	double lambda, residual, penalty, score;
};

/** A search for the factor of one problem. */
struct search {
	struct recon *r;
	long problem;
	struct search_rays all;
	struct iter_conf conf; // without monitor and checkpoint
	void *x, *Ax;          // volume, and projections of all rays
	double sigma;          // standard deviation of a ray of weight 1; NAN means unknown
	double misfit;         // prediction error of left-out views / r->unit.sigma; 0 below SEARCH_MISFIT
	double noise;          // upper bound of the fraction of r->unit.sigma that is noise and not edges
	long n, room;
	struct trial *trial;
};

/** Begins a search for the factor of a problem with projections y and weights W. */
extern void search_begin(struct search *s, struct recon *r, long problem, const void *y,
        const struct weights *W, const struct iter_conf *conf);

/** Frees the memory of a search, except the trials. */
extern void search_end(struct search *s);

/** Appends a trial, whose results are set by the caller. */
extern struct trial *search_add(struct search *s, double lambda);

/** Reconstructs x from `rays` by `iterations` iterations. The projections y replace rays->y. If conf.warm is
 * set and the algorithm supports a starting point, the run starts from x. `state` contains data from the last
 * run with these rays, or is NULL. */
extern void search_solve(struct search *s, struct search_rays *rays, double lambda, const void *y,
        long iterations, struct run_state *state, void *x);

/** Returns |A x - y|_W for `rays`. If the data term is not least squares, returns the square root of twice
 * the data term. Ax becomes `A x - y` for least squares, and `A x` for other models. */
extern double search_residual(struct search *s, const struct search_rays *rays, void *Ax, const void *x);

/** Returns the penalty at x, divided by its factor lambda. */
extern double search_penalty(const struct search *s, const void *x, double lambda);

/** Returns true if a trial starts from the result of the last trial. The result is true if a term has the
 * factor `auto`. For --lambda the result is false, because the penalty may depend on the starting point. */
extern bool search_is_warm(const struct search *s);

/** Returns a factor for which x is almost completely suppressed. The factor is the data term at x = 0 divided
 * by the penalty after one optimal gradient step. Returns NAN if the projections or the penalty are 0. */
extern double search_largest(struct search *s);

/** Sets range[] to the smallest and largest factor of option --range. Without --range, range[] becomes 0 and
 * INFINITY. */
extern void search_range(const struct search *s, double range[2]);

/** Sets v to `W^(-1/2)` times random signs, or to 0 where the weight is 0. The signs are the same in every
 * run. Returns the number of nonzero elements, where complex elements count twice. If v is NULL, the elements
 * are only counted. */
extern double search_signs(const struct weights *W, enum dtype type, long m, void *v);

/**
 * Returns the factor that predicts left-out views best [1]. Returns NAN with a warning if there are fewer
 * than SEARCH_VIEWS views.
 *
 * A tenth of the views, spread over the scan, is predicted from the other views. The residual |A x - y|_W of
 * the left-out views is the prediction error. For emission counts, the prediction error is the root of the
 * sum of squared Freeman-Tukey deviates [3]. The search begins at the factor `start`. The ratio of
 * neighbouring factors is 2, or 4 for quadratic penalties. A parabola is fitted through the best three
 * factors.
 *
 * A finite `reach` limits the search to factors from `start / reach` to `start * reach`. INFINITY means no
 * limit.
 *
 * If edges of the object increase the noise estimate, the prediction error is below this estimate. `s->noise`
 * receives the ratio of the smallest prediction error to the noise estimate, at most 1. The lower limit of
 * the factor is multiplied by s->noise.
 *
 * A prediction error above SEARCH_MISFIT times the noise shows that the model of the data is inaccurate. If
 * the model is inaccurate and `reach` is finite, the result is `start` times the ratio of error to noise.
 *
 * [1] M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
 * Statistical Society B 36, 1974.
 *
 * [3] M. Freeman, J. Tukey, Transformations related to the angular and the square root, Annals of
 * Mathematical Statistics 21, 1950.
 */
extern double search_by_views(struct search *s, double start, double reach);

/**
 * Returns the factor for which |A x - y|^2_W = sigma^2 (rays - dof). The degrees of freedom dof are the trace
 * of the matrix y -> A x. The trace is estimated with a second run [2]. The projections of the second run are
 * those of the first run plus a vector of random signs. Both runs make the same iterations.
 *
 * Returns NAN with a message if the model of the data is wrong. The model is wrong if the residual exceeds
 * the noise and hardly falls for smaller factors.
 *
 * [2] D. Girard, A fast 'Monte-Carlo cross-validation' procedure for large least squares problems with noisy
 * data, Numerische Mathematik 56, 1989.
 */
extern double search_by_freedom(struct search *s, double start);

/**
 * Constants of the search:
 * - SEARCH_FIRST: iterations of the first trial.
 * - SEARCH_NEXT: iterations of each trial that continues from the previous trial.
 * - SEARCH_VIEWS: smallest number of views for search_by_views().
 * - SEARCH_MISFIT: largest ratio of prediction error to noise for an accurate model.
 * - SEARCH_REACH: `reach` of the rule `auto`, and the largest value of `1 / s->noise`.
 */
enum { SEARCH_FIRST = 20, SEARCH_NEXT = 10, SEARCH_VIEWS = 4, SEARCH_MISFIT = 8, SEARCH_REACH = 8 };

/** Returns the position of the extremum of the parabola through (-1, a), (0, b) and (1, c). The result is
 * limited to the interval from -1 to 1. */
extern double search_vertex(double a, double b, double c);

#endif
