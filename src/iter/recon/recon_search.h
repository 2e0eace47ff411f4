#ifndef ITER_RECON_RECON_SEARCH_H
#define ITER_RECON_RECON_SEARCH_H

#include "iter/recon/recon_internal.h"

/** Rays that are compared with A x: all those of a problem, or some of its views. */
struct search_rays {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	struct recon_subsets *subsets; // NULL: none
	double count;                  // of weight > 0; two for each complex one
	double curvature;              // of all trials, NAN until it is known
};

/** A factor that was tried; NAN: unknown. */
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
	double misfit; // how many times r->unit.sigma views left out are off by, 0 below SEARCH_MISFIT
	double noise;  // what part of r->unit.sigma is noise at most, 1 / SEARCH_REACH to 1: edges have the
	               // rest
	long n, room;
	struct trial *trial;
};

extern void search_begin(struct search *s, struct recon *r, long problem, const void *y,
        const struct weights *W, const struct iter_conf *conf);
extern void search_end(struct search *s); // not of the trials

/** Appends an entry, to be filled in. */
extern struct trial *search_add(struct search *s, double lambda);

/** Reconstructs x from these rays with projections y instead of theirs (NULL: theirs), by so many iterations:
 * from the given x if possible and conf.warm; state (NULL: none): of the last run with it. */
extern void search_solve(struct search *s, struct search_rays *rays, double lambda, const void *y,
        long iterations, struct run_state *state, void *x);

/** |A x - y|_W for these rays; for other data models the root of twice their value. Ax becomes A x, for least
 * squares A x - y. */
extern double search_residual(struct search *s, const struct search_rays *rays, void *Ax, const void *x);

/** The penalty at x, without its factor. */
extern double search_penalty(const struct search *s, const void *x, double lambda);

/** Whether lambda is the factor of a term and trials continue from the last one: --lambda may be a penalty on
 * the distance to the start. */
extern bool search_is_warm(const struct search *s);

/** A factor for which the penalty equals the data term: x is then almost completely suppressed. From the best
 * step along the first gradient. NAN if the projections are 0. */
extern double search_largest(struct search *s);

/** --range, (0, INFINITY) without it. */
extern void search_range(const struct search *s, double range[2]);

/** v = W^(-1/2) times random signs, always the same, 0 where the weight is 0; v NULL: nothing. The number of
 * elements of v that are not 0. */
extern double search_signs(const struct weights *W, enum dtype type, long m, void *v);

/**
 * Rules, starting from an initial factor; NAN if the data do not determine it, with a message about the
 * reason.
 *
 * Views left out: [1] a tenth of the views, spread over the scan, is predicted from the others; the factor
 * with the smallest |A x - y|_W is chosen (for emission counts: sum of squares of Freeman-Tukey deviates
 * [3]). A parabola is fitted through the best three of factors in steps of 2 (4 for squares). At least
 * SEARCH_VIEWS views. reach (INFINITY: none): the start is an equally good estimate, and the factor is
 * limited to this ratio from it. If views are predicted better than the noise allows, the noise estimate is
 * partly due to edges: factors may be smaller by the same ratio, and s->noise is the remaining part. If the
 * prediction is off by SEARCH_MISFIT times the noise, the error of the model has to be smoothed, and it
 * hardly depends on the factor: then the result is the start times the ratio to the noise.
 *
 * Degrees of freedom: |A x - y|^2_W = sigma^2 (rays - dof), dof = the trace of y -> A x, estimated from one
 * vector of signs [2] that is added to the projections of a second run in step with the first. NAN if the
 * residual stays above the noise and hardly falls with a factor of 1/3: then the model of the data is wrong.
 *
 * [1] M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
 * Statistical Society B 36, 1974. [2] D. Girard, A fast 'Monte-Carlo cross-validation' procedure for large
 * least squares problems with noisy data, Numerische Mathematik 56, 1989. [3] M. Freeman, J. Tukey,
 * Transformations related to the angular and the square root, Annals of Mathematical Statistics 21, 1950.
 */
extern double search_by_views(struct search *s, double start, double reach);
extern double search_by_freedom(struct search *s, double start);

/** Iterations of the first trial, and of those that continue from it. */
enum { SEARCH_FIRST = 20, SEARCH_NEXT = 10, SEARCH_VIEWS = 4, SEARCH_MISFIT = 8, SEARCH_REACH = 8 };

/** The extremum of a parabola through three points at distance 1, within -1 to 1. */
extern double search_vertex(double a, double b, double c);

#endif
