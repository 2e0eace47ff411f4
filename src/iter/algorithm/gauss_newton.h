#ifndef ITER_ALGORITHM_GAUSS_NEWTON_H
#define ITER_ALGORITHM_GAUSS_NEWTON_H

#include "iter/algorithm/algorithm.h"

/** Functions shared by irgnm() and lm(). These methods minimise 1/2 |F(x) - y|^2_W. F(x) is the nonlinear
 * operator of the problem, or A x if there is none. J is the derivative of F at a point x0, called the point
 * of linearisation. */

/**
 * Vectors of the domain:
 *
 * - NEWTON_OLD is x before a step.
 * - NEWTON_S is the negative gradient s.
 * - NEWTON_D is the direction d of the step.
 */
enum { NEWTON_OLD, NEWTON_S, NEWTON_D, NEWTON_VOLUMES };

/**
 * Vectors of the codomain:
 *
 * - NEWTON_R is the residual r = y - F(x). During a step, NEWTON_R is the residual of the linear model.
 * - NEWTON_Q is J d or W r.
 */
enum { NEWTON_R, NEWTON_Q, NEWTON_PROJECTIONS };

/** Checks the settings at the start of a run. A negative number of inner iterations is an error(). */
extern void newton_begin(struct run *r);

/**
 * These functions make x the point of linearisation, and compute r = y - F(x).
 *
 * - newton_ask_move(): requests |r|_W^2.
 * - newton_told_move(): returns |r|_W^2. A value that is not finite is returned as INFINITY. If `start` is
 *   true, a value that is not finite is an error().
 */
extern int newton_ask_move(struct run *r);
extern double newton_told_move(struct run *r, int place, bool start);

/** Sets x to the minimiser of 1/2 |J (x - x0) - r|^2_W + alpha/2 |x - reference|^2. If
 * `reference` is NULL, the reference is 0. The minimisation is by conjugate gradients, which start at x = x0.
 * NEWTON_R becomes the residual of the linear model. The norm of the gradient at x0 is written to
 * r->gradient. */
extern void newton_step(struct run *r, double alpha, const void *reference);

/** Returns |J s|_W^2 / |s|^2, where s is the gradient of the misfit at x0. The ratio
 * is the curvature of the misfit along s. Returns 0 if s is 0. */
extern double newton_curvature(struct run *r);

/** Sets the residual and the objective of the run. The argument r2 is |r|_W^2. */
extern void newton_tell(struct run *r, double r2);

/** The problem that irgnm() and lm() solve. */
struct newton_problem {
	const struct nlop *F; // with one input and one output
	const void *y;
	const struct weights *W; // NULL means the identity
};

/** Converts a problem to the input of algorithm_solve(). */
extern struct iter_problem newton_problem_of(const struct newton_problem *p);

#endif
