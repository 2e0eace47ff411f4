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

/** Some rows of a problem, with the data term 1/2 |A x - y|^2_W. */
struct iter_subset {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	const struct functional *data; // d of these rows; NULL: the data term above
};

/**
 * The input of all algorithms: minimise
 *
 *     f(x) = d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x),    d(p) = 1/2 |p - y|^2_W
 *
 * y: linop_codomain_size(A) elements of A's type. W NULL: the identity. iter/algorithm/algorithm.h states
 * which of these members an algorithm accepts; all others must be 0.
 */
struct iter_problem {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	double lambda;                 // >= 0
	const struct functional *data; // d; NULL: the squares above
	const struct nlop *F;          // replaces A, which may be NULL or only gives the shape; NULL: A
	const struct linop *back;      // B, from the codomain to the domain, replaces A'; NULL: A'
	// W, from the domain to as many coefficients, instead of terms: x = W' z with few nonzero z; NULL:
	// the identity. Its text identifies it in checkpoints
	const struct linop *dictionary;
	const char *dictionary_text;
	int terms;
	const struct iter_term *term;
	double *curvature; // the largest eigenvalue of A'W A, NAN until it is known; NULL: not stored
	int subsets;       // 0: none. Every row is in one of them
	const struct iter_subset *subset;
};

/** Parameters of methods that alternate passes over the data with gradient steps on the terms; 0: the
 * defaults of asd_pocs.c. */
struct iter_descent {
	long steps;          // after each pass
	double alpha;        // first step length, as a fraction of the distance that the first pass moved x
	double ratio;        // they are shortened if they move x by more than this fraction of the pass
	double shrink, fade; // factors: of the step length when shortened; of the relaxation after each pass
};

/** Linearised problems are solved by conjugate gradients. This inner iteration stops after `iterations` steps
 * (0: NEWTON_INNER), or when the gradient is at most `tolerance` times the initial gradient. */
enum { NEWTON_INNER = 10 };
struct newton_inner {
	long iterations;
	double tolerance;
};

/** Settings of the methods for nonlinear problems (iter/algorithm/irgnm.h, iter/algorithm/lm.h). */
struct newton_conf {
	double alpha, factor; // 0: found by the algorithm
	struct newton_inner inner;
	const void *reference; // of the domain; NULL: 0
};

/** Step sizes of splitting methods. STEPS_DIAGONAL: one for each voxel and one for each ray
 * (iter/step/diagonal.h). STEPS_PLAIN: one for all voxels and rays, from operator norms.
 */
enum iter_steps { STEPS_DIAGONAL, STEPS_PLAIN };

struct iter_conf {
	long iterations;         // at most
	double tolerance;        // stop at |gradient| <= tolerance |gradient at 0|; 0 = never
	long basis;              // vectors of the basis, for algorithms with one; 0: default
	bool warm;               // x contains a starting point; otherwise it is set to 0 first
	struct monitor *monitor; // NULL: silent
	double step;             // step size; 0: chosen by the algorithm
	enum iter_steps steps;   // if step is 0
	struct newton_conf newton;
	double relaxation; // factor of a step, 0 < relaxation < 2; 0 is 1
	double noise;      // stop at a residual |A x - y|_W of this; 0 = never
	double change;     // stop at |x - last x| <= change |x|; 0 = never
	double seconds;    // stop after this time; 0 = never
	double until; // stop if the estimated excess of f(x) over its minimum is at most this fraction; 0 =
	              // never
	bool keep;    // if the objective diverges, return the best x so far
	const char *checkpoint; // file for the state of the run; NULL: none
	long every;             // it is written after so many iterations, and at the end
	const char *identity;   // text that must also agree with the checkpoint's; NULL: none
	bool resume;            // resume from the checkpoint (bit-identical result)
	enum sampler order;     // of the subsets
	uint64_t seed;          // of random numbers
	struct iter_descent descent;
	// keeps the vectors for a run that continues from x with other factors of the terms
	// (iter/algorithm/algorithm.h); NULL: not kept
	struct run_state *state;
};

enum iter_end {
	ITER_ALL,       // every iteration was made
	ITER_TOLERANCE, // the tolerance was met
	ITER_MINIMUM,   // the gradient is zero, or has no effect on A x: x is a minimiser
	ITER_DIVERGED,  // the objective grew; x holds the best point found. A warning has been given
	ITER_NOISE,     // the residual has reached conf->noise
	ITER_CHANGE,    // x hardly changed
	ITER_TIME,      // time is over
	ITER_CONVERGED  // the criterion conf->until is met
};

struct iter_result {
	enum iter_end end;
	long iterations;
	double residual;     // |A x - y|_W
	double objective;    // f(x)
	double gradient;     // norm at the start of the last step
	double fell, lately; // decrease of f(x) over the last third and tenth of all iterations, as a
	                     // fraction of f(x); NAN: unknown
	double excess; // excess of f(x) over its minimum, as a fraction, estimated from a duality gap; NAN:
	               // unknown
};

/** Whether the objective f after a step indicates divergence; before: the objective before the step; first:
 * the objective at the start. If f indicates divergence, prints a warning, or a note if the increase is
 * within rounding. error() if f is NaN or infinite. */
extern bool iter_diverged(double f, double before, double first, long iteration);

#endif
