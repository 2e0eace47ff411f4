#ifndef ITER_STEP_QUADRATIC_H
#define ITER_STEP_QUADRATIC_H

#include "iter/algorithm/algorithm.h"

/**
 * The least-squares problem of splitting methods:
 *
 *     1/2 |A x - y|^2_W + lambda/2 |x|^2 + sum_i rho_i/2 |B_i x - t_i|^2,    rho_i = rho weights[i],
 *
 * where B_i and t_i belong to term i. The problem is solved approximately by a few steps of conjugate
 * gradients. The solver uses r->w[0] and the vectors r->v[] with the indices below.
 */
enum {
	QUADRATIC_AY,
	QUADRATIC_SLOPE,
	QUADRATIC_DIRECTION,
	QUADRATIC_HESSIAN,
	QUADRATIC_BACK,
	QUADRATIC_VOLUMES
};

struct quadratic {
	double rho;
	const double *weights;                           // NULL: 1
	void (*target)(struct run *r, int i, void *t_i); // fills in t_i
};

/** Called first: computes A'Wy. */
extern void quadratic_begin(struct run *r);

/** quadratic_curvature(): the largest curvature of the data term, to which rho is proportional. It is |A|^2
 * if quadratic_is_plain(), else the largest eigenvalue of A'W A. quadratic_is_plain() is true with
 * STEPS_PLAIN, with a step size given by the user, and for terms of denoisers, whose strength depends on rho.
 */
extern bool quadratic_is_plain(const struct run *r);
extern double quadratic_curvature(struct run *r);

/** dst = B_i x. */
extern void quadratic_apply(const struct run *r, int i, void *dst, const void *x);

/** v[QUADRATIC_SLOPE] = the negative gradient at x. */
extern void quadratic_slope(struct run *r, const struct quadratic *q, const void *x);

/** Moves x towards the minimum. On a device the stopping criterion is not fetched, to avoid waiting: all
 * steps are made, and those after the stopping criterion is met have length 0. */
extern void quadratic_solve(struct run *r, const struct quadratic *q, void *x);

/** Objective and residual at x, where constraints count as 0 (iter/algorithm/algorithm.h). quadratic_ask()
 * requests these numbers and quadratic_told() writes them to the run; quadratic_evaluate() does both. */
struct quadratic_asked {
	int data, penalty, terms, size;
};
extern struct quadratic_asked quadratic_ask(struct run *r, const void *x);
extern void quadratic_told(struct run *r, const struct quadratic_asked *a);
extern void quadratic_evaluate(struct run *r, const void *x);

/** Scratch vector of term i, as long as B_i x; quadratic_slope() and quadratic_solve() overwrite it. */
extern void *quadratic_spare(const struct run *r, int i);

#endif
