#ifndef ITER_ITER_H
#define ITER_ITER_H

#include <stdbool.h>

#include "iter/monitor.h"
#include "iter/weights.h"
#include "linops/linop.h"

/**
 * What every algorithm here is given: minimise
 *
 *     f(x) = 1/2 |A x - y|^2_W + lambda/2 |x|^2
 *
 * y: linop_codomain_size(A) elements of A's type. W: NULL is the identity.
 */
struct iter_problem {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	double lambda; // >= 0
};

struct iter_conf {
	long iterations;         // at most
	double tolerance;        // stop at |gradient| <= tolerance |gradient at 0|; 0 = never
	bool warm;               // x holds a starting point, else it is cleared first
	struct monitor *monitor; // NULL: silent
};

enum iter_end {
	ITER_ALL,       // every iteration was made
	ITER_TOLERANCE, // the tolerance was met
	ITER_MINIMUM,   // the gradient is zero, or has no effect on A x: nothing is left to do
	ITER_DIVERGED   // the objective grew; x holds the best point found. A warning has been given
};

struct iter_result {
	enum iter_end end;
	long iterations;
	double residual;  // |A x - y|_W
	double objective; // f(x)
	double gradient;  // norm, where the last step started
};

/** Does the objective f after a step mean divergence, coming from `before` and, at the start, `first`? Warns
 * then. NaN or infinity: error(). */
extern bool iter_diverged(double f, double before, double first, long iteration);

#endif
