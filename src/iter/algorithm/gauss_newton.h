#ifndef ITER_ALGORITHM_GAUSS_NEWTON_H
#define ITER_ALGORITHM_GAUSS_NEWTON_H

#include "iter/algorithm/algorithm.h"

/** Shared by algorithms on the linearised 1/2 |F(x) - y|^2_W (iter/algorithm/irgnm.h, iter/algorithm/lm.h). F
 * is the nonlinear operator of the problem; without one, its A. */

/** Vectors of these algorithms. In the domain: NEWTON_OLD is x before a step, NEWTON_S the negative gradient
 * s, NEWTON_D the direction d. In the codomain: NEWTON_R is r = y - F(x), and during a step the residual of
 * the linear model; NEWTON_Q is J d or W r. */
enum { NEWTON_OLD, NEWTON_S, NEWTON_D, NEWTON_VOLUMES };
enum { NEWTON_R, NEWTON_Q, NEWTON_PROJECTIONS };

/** Checks the problem; called at the start of a run. error() unless F has one input and one output. */
extern void newton_begin(struct run *r);

/** Makes x the point of linearisation: r = y - F(x). Requests |r|_W^2, which newton_told_move() returns. If
 * |r|_W^2 is not finite, newton_told_move() returns INFINITY, or calls error() if `start` is true. */
extern int newton_ask_move(struct run *r);
extern double newton_told_move(struct run *r, int place, bool start);

/** x = argmin of 1/2 |J (x - point) - r|^2_W + alpha/2 |x - reference|^2 where `point` is the point of
 * linearisation; reference NULL is 0. Conjugate gradients start at x = point and make one transfer to the
 * host per step. NEWTON_R becomes the residual of the linear model. r->gradient: the norm of the gradient at
 * the start. */
extern void newton_step(struct run *r, double alpha, const void *reference);

/** Curvature |J s|_W^2 / |s|^2 of the misfit along its gradient s at the point of linearisation; 0 if s is
 * 0. */
extern double newton_curvature(struct run *r);

/** Sets the residual and objective of the run from r2 = |r|_W^2. */
extern void newton_tell(struct run *r, double r2);

/** The input of irgnm() and lm(): a problem whose operator is nonlinear. */
struct newton_problem {
	const struct nlop *F; // one input, one output
	const void *y;
	const struct weights *W; // NULL: the identity
};
extern struct iter_problem newton_problem_of(const struct newton_problem *p);

#endif
