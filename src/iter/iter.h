#ifndef ITER_ITER_H
#define ITER_ITER_H

#include <stdbool.h>

#include "iter/functional/functional.h"
#include "iter/monitor/monitor.h"
#include "iter/step/sampler.h"
#include "iter/step/weights.h"
#include "linops/linop.h"
#include "nlops/nlop.h"

/** A term g(B x). */
struct iter_term {
	const struct functional *g;
	const struct linop *B; // NULL: the identity
};

/** Some rows of a problem: 1/2 |A x - y|^2_W for these. */
struct iter_subset {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	const struct functional *data; // another d of these rows; NULL: as above
};

/**
 * The input of all algorithms: minimise
 *
 *     f(x) = d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x),    d(p) = 1/2 |p - y|^2_W
 *
 * y: linop_codomain_size(A) elements of A's type. W: NULL is the identity. iter/algorithm/algorithm.h states
 * which of these an algorithm accepts; the others are 0.
 */
struct iter_problem {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	double lambda;                 // >= 0
	const struct functional *data; // another d; NULL: as above
	const struct nlop *F;     // in the place of A, which is then only for its shape, or NULL; NULL: A
	const struct linop *back; // B, from the codomain to the domain, in the place of A'; NULL: A'
	// W, from the domain to as many coefficients, in the place of terms: x = W' z with few z that are not
	// 0; NULL: the identity. Its text tells it from others in checkpoints
	const struct linop *dictionary;
	const char *dictionary_text;
	int terms;
	const struct iter_term *term;
	double *curvature; // the largest eigenvalue of A'W A, NAN until it is known; NULL: not kept
	int subsets;       // 0: none. Every row is in one of them
	const struct iter_subset *subset;
};

/** For methods that take gradient steps of terms between passes over the data (asd_pocs.c); 0: the defaults
 * there. */
struct iter_descent {
	long steps;          // after each pass
	double alpha;        // their first length, as a part of how far the first pass moved x
	double ratio;        // they shorten where they move x by more than this part of the pass
	double shrink, fade; // factors of their length then, and of the relaxation after each pass
};

/** Linearised problems are solved by conjugate gradients with at most so many iterations (0: NEWTON_INNER),
 * or until the gradient is reduced to this fraction of the first one. */
enum { NEWTON_INNER = 10 };
struct newton_inner {
	long iterations;
	double tolerance;
};

/** For methods for nonlinear problems: iter/algorithm/irgnm.h, iter/algorithm/lm.h. */
struct newton_conf {
	double alpha, factor; // 0: found by the algorithm
	struct newton_inner inner;
	const void *reference; // of the domain; NULL: 0
};

/** Steps of splitting methods: per voxel and ray (iter/step/diagonal.h), or the same for all, from norms.
 */
enum iter_steps { STEPS_DIAGONAL, STEPS_PLAIN };

struct iter_conf {
	long iterations;         // at most
	double tolerance;        // stop at |gradient| <= tolerance |gradient at 0|; 0 = never
	long basis;              // vectors of the basis of algorithms that keep one; 0: as they like
	bool warm;               // x holds a starting point, else it is cleared first
	struct monitor *monitor; // NULL: silent
	double step;             // of the algorithms that have one; 0: found by the algorithm
	enum iter_steps steps;   // where step is 0
	struct newton_conf newton;
	double relaxation;      // factor of a step, 0 < relaxation < 2; 0 is 1
	double noise;           // stop at a residual |A x - y|_W of this; 0 = never
	double change;          // stop at |x - last x| <= change |x|; 0 = never
	double seconds;         // stop after this time; 0 = never
	double until;           // stop where f(x) is that part above its minimum, by an estimate; 0 = never
	bool keep;              // where the objective grew beyond all measure: x is the best so far
	const char *checkpoint; // file for the state of the run; NULL: none
	long every;             // it is written after so many iterations, and at the end
	const char *identity;   // what else must agree for that: any text; NULL: nothing
	bool resume;            // the run is resumed from there, with the same bytes
	enum sampler order;     // of the subsets
	uint64_t seed;          // of random numbers
	struct iter_descent descent;
	// where the vectors of the run stay for one that continues with other factors of the terms, x being
	// what it left (iter/algorithm/algorithm.h); NULL: they do not
	struct run_state *state;
};

enum iter_end {
	ITER_ALL,       // every iteration was made
	ITER_TOLERANCE, // the tolerance was met
	ITER_MINIMUM,   // the gradient is zero, or has no effect on A x: nothing is left to do
	ITER_DIVERGED,  // the objective grew; x holds the best point found. A warning has been given
	ITER_NOISE,     // the residual is that of the noise
	ITER_CHANGE,    // x hardly changed
	ITER_TIME,      // time is over
	ITER_CONVERGED  // the objective falls by less than was asked for
};

struct iter_result {
	enum iter_end end;
	long iterations;
	double residual;     // |A x - y|_W
	double objective;    // f(x)
	double gradient;     // norm, where the last step started
	double fell, lately; // f(x), as a part of it, over the last third and tenth of all iterations; NAN:
	                     // unknown
	double excess; // f(x) over its minimum, as a part of it, estimated from a duality gap; NAN: unknown
};

/** Does the objective f after a step indicate divergence, given `before` and the one at the start, `first`?
 * If so, reports it, and whether it may be rounding. NaN or infinity: error(). */
extern bool iter_diverged(double f, double before, double first, long iteration);

#endif
