#ifndef ITER_STEP_QUADRATIC_H
#define ITER_STEP_QUADRATIC_H

#include "iter/algorithm/algorithm.h"

/**
 * Splitting methods solve a least-squares problem in each iteration. The function to be minimised is:
 *
 *     1/2 |A x - y|^2_W + lambda/2 |x|^2 + sum_i rho_i/2 |B_i x - t_i|^2,    rho_i = rho weights[i],
 *
 * `B_i` is the operator of term i, and `t_i` is the target vector of term i. The functions below solve the
 * problem approximately by a few steps of conjugate gradients. The work vectors are r->w[0] and the
 * elements of r->v[] with the indices below.
 */
enum {
	QUADRATIC_AY,        // A'Wy
	QUADRATIC_SLOPE,     // negative gradient
	QUADRATIC_DIRECTION, // search direction
	QUADRATIC_HESSIAN,   // Hessian times a vector
	QUADRATIC_BACK,      // B_i' times a vector
	QUADRATIC_VOLUMES    // number of vectors above
};

struct quadratic {
	double rho;
	const double *weights;                           // one per term; NULL means 1
	void (*target)(struct run *r, int i, void *t_i); // writes t_i
};

/** Computes A'Wy. Call this function before the other functions of this header. */
extern void quadratic_begin(struct run *r);

/**
 * The parameter rho is proportional to the curvature of the data term.
 * - quadratic_is_plain(): Returns whether |A|^2 is used as the curvature.
 * - quadratic_curvature(): Returns the curvature, which is |A|^2 or the largest eigenvalue of A'W A.
 *
 * The curvature is |A|^2 with STEPS_PLAIN, or if the user gives a step size. The curvature is also |A|^2 if
 * the value of a term is unknown. The strength of a denoiser depends on rho.
 */
extern bool quadratic_is_plain(const struct run *r);
extern double quadratic_curvature(struct run *r);

/** Computes dst = B_i x. A term without operator has the identity as B_i. */
extern void quadratic_apply(const struct run *r, int i, void *dst, const void *x);

/** Computes the negative gradient at x in r->v[QUADRATIC_SLOPE]. */
extern void quadratic_slope(struct run *r, const struct quadratic *q, const void *x);

/** Moves x towards the minimum by at most 8 steps of conjugate gradients. On a device all 8 steps are made,
 * and steps after convergence have length 0. The host does not wait for the device. */
extern void quadratic_solve(struct run *r, const struct quadratic *q, void *x);

/**
 * These functions compute the objective and the residual at x. In the objective, constraints count as 0
 * (iter/algorithm/algorithm.h).
 * - quadratic_ask(): Requests the objective and the residual.
 * - quadratic_told(): Stores the requested numbers in the run. Call run_fetch() before.
 * - quadratic_evaluate(): Calls quadratic_ask(), run_fetch() and quadratic_told().
 */
struct quadratic_asked {
	int data, penalty, terms, size; // positions of the requested numbers
};
extern struct quadratic_asked quadratic_ask(struct run *r, const void *x);
extern void quadratic_told(struct run *r, const struct quadratic_asked *a);
extern void quadratic_evaluate(struct run *r, const void *x);

/** Returns a scratch vector for term i, with the size of B_i x. The functions quadratic_slope() and
 * quadratic_solve() overwrite this vector. */
extern void *quadratic_spare(const struct run *r, int i);

#endif
