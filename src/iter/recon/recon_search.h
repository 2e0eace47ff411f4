#ifndef ITER_RECON_RECON_SEARCH_H
#define ITER_RECON_RECON_SEARCH_H

#include "iter/recon/recon_internal.h"

/** Rays that are compared with A x, all those of a problem or some of its views. */
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

/** A search for the factor of one problem; vectors of the domain x and of all rays Ax. */
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

/** Room for one more, which is filled. */
extern struct trial *search_add(struct search *s, double lambda);

/** x of these rays with projections y in the place of theirs (NULL: theirs), by so many iterations: from x
 * where that makes sense and conf.warm; state (NULL: none): of the last run with it. */
extern void search_solve(struct search *s, struct search_rays *rays, double lambda, const void *y,
        long iterations, struct run_state *state, void *x);

/** |A x - y|_W of these rays; of other measures of the data the root of twice their value. Ax becomes A x, of
 * least squares A x - y. */
extern double search_residual(struct search *s, const struct search_rays *rays, void *Ax, const void *x);

/** The penalty at x, without its factor. */
extern double search_penalty(const struct search *s, const void *x, double lambda);

/** Whether lambda is the factor of a term and trials go on from the last one: --lambda may be a penalty on
 * the distance to the start. */
extern bool search_is_warm(const struct search *s);

/** A factor with which the penalty is as large as the data: nothing is left of x there. From the best step
 * along the first gradient. NAN where the projections are 0. */
extern double search_largest(struct search *s);

/** --range, (0, INFINITY) without it. */
extern void search_range(const struct search *s, double range[2]);

/** v = W^(-1/2) times random signs, always the same, 0 where the weight is; v NULL: nothing. How many numbers
 * of v are not 0. */
extern double search_signs(const struct weights *W, enum dtype type, long m, void *v);

/**
 * Rules, from a first factor on; NAN where the data do not say, and why is said in a sentence.
 *
 * Views left out: [1] a tenth of the views, spread over the scan, is predicted from the others, with the
 * smallest |A x - y|_W (of counts of emission: sum of squares of deviates of Freeman and Tukey [3]). A
 * parabola goes through the best three of factors 2 apart (4 of squares). At least
 * SEARCH_VIEWS views. reach (INFINITY: none): the start is as good a guess, and no factor is farther from it.
 * Where views are predicted better than the noise allows, that is of edges in part: factors may be smaller by
 * as much, and s->noise is the part that is left. Where views are off by SEARCH_MISFIT times the noise, that
 * error of the model is what has to be smoothed and what it is hardly depends on the factor: then the start
 * times how many times the noise it is.
 *
 * Degrees of freedom: |A x - y|^2_W = sigma^2 (rays - dof), dof = the trace of y -> A x, from one vector of
 * signs [2] that is added to the projections of a second run in step with the first. NAN where the residual
 * stays above the noise and hardly falls with a factor of 1/3: then the model of the data is wrong.
 *
 * [1] M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
 * Statistical Society B 36, 1974. [2] D. Girard, A fast 'Monte-Carlo cross-validation' procedure for large
 * least squares problems with noisy data, Numerische Mathematik 56, 1989. [3] M. Freeman, J. Tukey,
 * Transformations related to the angular and the square root, Annals of Mathematical Statistics 21, 1950.
 */
extern double search_by_views(struct search *s, double start, double reach);
extern double search_by_freedom(struct search *s, double start);

/** Iterations of the first trial, and of those that go on from it. */
enum { SEARCH_FIRST = 20, SEARCH_NEXT = 10, SEARCH_VIEWS = 4, SEARCH_MISFIT = 8, SEARCH_REACH = 8 };

/** Where a parabola through three points, one apart, has its end, at -1 to 1. */
extern double search_vertex(double a, double b, double c);

#endif
