#ifndef ITER_GAUSS_NEWTON_H
#define ITER_GAUSS_NEWTON_H

#include "iter/iter.h"
#include "nlops/nlop.h"

/** What iterations on the linearised 1/2 |F(x) - y|^2_W share (iter/irgnm.h, iter/lm.h). */

struct newton_problem {
	const struct nlop *F; // one input, one output
	const void *y;
	const struct weights *W; // NULL: the identity
};

/** How the linearised problems are solved: by conjugate gradients, at most so many iterations, until the
 * gradient is that part of the first one. */
struct newton_inner {
	long iterations;
	double tolerance;
};

struct gauss_newton {
	struct newton_problem p;
	struct linop *J; // at the last point
	enum dtype type;
	long n, m;
	void *r;     // y - F(x), W-weighted norm below; during a step that of the linear model
	void *q;     // J d, or W r
	void *s, *d; // minus the gradient, direction
};

extern void gauss_newton_init(struct gauss_newton *g, const struct newton_problem *p, const void *ref);
extern void gauss_newton_free(struct gauss_newton *g);

/** Moves the point to x: r = y - F(x); returns |r|_W^2. error() when it is not finite, naming the iteration.
 */
extern double gauss_newton_move(struct gauss_newton *g, const void *x, long iteration);

/** x = argmin of 1/2 |J (x - point) - r|^2_W + alpha/2 |x - reference|^2 from x = point on; reference NULL is
 * 0. r becomes the residual of the linear model; returns |r|_W^2. *gradient: the norm of the gradient at the
 * start. */
extern double gauss_newton_step(struct gauss_newton *g, double alpha, const void *reference,
        const struct newton_inner *inner, void *x, double *gradient);

/** |J s|_W^2 / |s|^2 with s the gradient of the misfit at the point: a curvature. 0 where s is 0. */
extern double gauss_newton_curvature(struct gauss_newton *g);

#endif
