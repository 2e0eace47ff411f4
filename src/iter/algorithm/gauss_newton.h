#ifndef ITER_ALGORITHM_GAUSS_NEWTON_H
#define ITER_ALGORITHM_GAUSS_NEWTON_H

#include "iter/algorithm/algorithm.h"

/** Shared by algorithms on the linearised 1/2 |F(x) - y|^2_W (iter/algorithm/irgnm.h, iter/algorithm/lm.h): F
 * of the problem, or its A. */

/** Their vectors: in the domain the x before a step, minus the gradient, the direction; in the codomain r = y
 * - F(x), during a step that of the linear model, and J d or W r. */
enum { NEWTON_OLD, NEWTON_S, NEWTON_D, NEWTON_VOLUMES };
enum { NEWTON_R, NEWTON_Q, NEWTON_PROJECTIONS };

/** At the start of a run: checks the problem. error() unless F has one input and one output. */
extern void newton_begin(struct run *r);

/** Moves the point to x: r = y - F(x); requests |r|_W^2, told as INFINITY if it is not finite; error() at the
 * start. */
extern int newton_ask_move(struct run *r);
extern double newton_told_move(struct run *r, int place, bool start);

/** x = argmin of 1/2 |J (x - point) - r|^2_W + alpha/2 |x - reference|^2 from x = point on, by conjugate
 * gradients, which fetch once per step; reference NULL is 0. NEWTON_R becomes the residual of the linear
 * model. r->gradient: the norm of the gradient at the start. */
extern void newton_step(struct run *r, double alpha, const void *reference);

/** |J s|_W^2 / |s|^2 with s the gradient of the misfit at the point: a curvature. 0 if s is 0. */
extern double newton_curvature(struct run *r);

/** Fills the numbers about x with that misfit. */
extern void newton_tell(struct run *r, double r2);

/** For problems with only F, without a run. */
struct newton_problem {
	const struct nlop *F; // one input, one output
	const void *y;
	const struct weights *W; // NULL: the identity
};
extern struct iter_problem newton_problem_of(const struct newton_problem *p);

#endif
