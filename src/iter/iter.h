#ifndef ITER_ITER_H
#define ITER_ITER_H

#include <stdbool.h>

#include "iter/functional/functional.h"
#include "iter/monitor/monitor.h"
#include "iter/step/sampler.h"
#include "iter/step/weights.h"
#include "linops/linop.h"
#include "nlops/nlop.h"

/** A regularisation term g(B x) of the objective. */
struct iter_term {
	const struct functional *g;
	const struct linop *B; // NULL means the identity
};

/** A subset of the rows of A, for example some of the views. The data term of the subset is 1/2 |A x -
 * y|^2_W. */
struct iter_subset {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	const struct functional *data; // replaces the data term by d(A x) of these rows; NULL means none
};

/**
 * The optimisation problem that algorithms solve. Algorithms minimise the objective
 *
 *     f(x) = d(A x) + lambda/2 |x|^2 + sum_i g_i(B_i x), d(p) = 1/2 |p - y|^2_W
 *
 * The projections y have linop_codomain_size(A) elements of the type of A. If W is NULL, all weights are 1.
 * The flags in iter/algorithm/algorithm.h state which members an algorithm accepts. Members that the
 * algorithm does not accept must be 0.
 */
struct iter_problem {
	const struct linop *A;
	const void *y;
	const struct weights *W;
	double lambda;                 // >= 0
	const struct functional *data; // d; NULL means 1/2 |p - y|^2_W
	const struct nlop *F;     // nonlinear operator used instead of A; NULL means A. With F, A may be NULL
	const struct linop *back; // operator from projections to volume used instead of A'; NULL means A'
	// transform D with as many coefficients as voxels, used instead of terms; NULL means the identity.
	// The solution is x = D' z with few nonzero coefficients z
	const struct linop *dictionary;
	const char *dictionary_text; // identifies the dictionary in checkpoints
	int terms;
	const struct iter_term *term;
	double *curvature; // largest eigenvalue of A'W A, NAN until known; NULL means not stored
	int subsets;       // number of subsets, 0 means none; every row is in one subset
	const struct iter_subset *subset;
};

/** Parameters of ASD-POCS and related algorithms. These algorithms alternate passes over the data with
 * gradient steps on the terms. A value of 0 means the default in iter/algorithm/asd_pocs.c. */
struct iter_descent {
	long steps;          // number of gradient steps after each pass
	double alpha;        // first step length, as a fraction of the change of x in the first pass
	double ratio;        // steps are shortened if they change x by more than this fraction of the pass
	double shrink, fade; // factors: of a shortened step length, and of the relaxation after each pass
};

/** Stopping criteria of the conjugate gradient iteration that solves a linearised problem. The iteration
 * stops after `iterations` steps, where 0 means NEWTON_INNER. The iteration also stops when the gradient is
 * at most `tolerance` times the initial gradient. */
enum { NEWTON_INNER = 10 };
struct newton_inner {
	long iterations;
	double tolerance;
};

/** Parameters of the algorithms for nonlinear problems (iter/algorithm/irgnm.h, iter/algorithm/lm.h). */
struct newton_conf {
	double alpha, factor; // 0 means chosen by the algorithm
	struct newton_inner inner;
	const void *reference; // volume subtracted from x in the penalty; NULL means 0
};

/**
 * Choice of step sizes in primal-dual algorithms:
 * - STEPS_DIAGONAL: Each voxel and each ray has its own step size (iter/step/diagonal.h).
 * - STEPS_PLAIN: All voxels and rays share a step size computed from operator norms.
 */
enum iter_steps { STEPS_DIAGONAL, STEPS_PLAIN };

/** Parameters of a run: stopping criteria, step sizes, log and checkpoints. */
struct iter_conf {
	long iterations;         // largest number of iterations
	double tolerance;        // stop when |gradient| <= tolerance |gradient at 0|; 0 means never
	long basis;              // number of basis vectors, for algorithms with a basis; 0 means the default
	bool warm;               // x contains the starting point; if false, the algorithm sets x
	struct monitor *monitor; // NULL means silent
	double step;             // 0 means chosen by the algorithm
	enum iter_steps steps;   // used if step is 0
	struct newton_conf newton;
	double relaxation;      // factor of each step, 0 < relaxation < 2; 0 means 1
	double noise;           // stop when the residual |A x - y|_W is at most this; 0 means never
	double change;          // stop when |x - last x| <= change |x|; 0 means never
	double seconds;         // stop after this time [s]; 0 means never
	double until;           // stop when excess (see struct iter_result) is at most this; 0 means never
	bool keep;              // if the objective diverges, return the best x so far
	const char *checkpoint; // file for the state of the run; NULL means no file
	long every;             // iterations between two checkpoints; the last iteration is also written
	const char *identity;   // must equal the text in the checkpoint; NULL means no text
	bool resume;            // resume from the checkpoint (bit-identical result)
	enum sampler order;     // order of the subsets
	uint64_t seed;          // seed of random numbers
	struct iter_descent descent;
	// vectors kept for another run that continues with other factors of the terms
	// (iter/algorithm/algorithm.h); NULL means not kept
	struct run_state *state;
};

/** Reasons why a run ended. */
enum iter_end {
	ITER_ALL,       // all iterations were made
	ITER_TOLERANCE, // the tolerance was met
	ITER_MINIMUM,   // x is a minimiser: the gradient is 0 or does not change A x
	ITER_DIVERGED,  // the objective grew, and a warning was printed
	ITER_NOISE,     // the residual reached conf->noise
	ITER_CHANGE,    // the change of x met conf->change
	ITER_TIME,      // the time limit was reached
	ITER_CONVERGED  // the criterion conf->until was met
};

/** Result of a run. */
struct iter_result {
	enum iter_end end;
	long iterations;
	double residual;     // |A x - y|_W
	double objective;    // f(x)
	double gradient;     // norm at the start of the last step
	double fell, lately; // relative decrease of f(x) over the last third and tenth of the run, or NAN
	double excess;       // estimate of (f(x) - minimum) / f(x) from a duality gap, or NAN
};

/** Returns true if the objective f after a step indicates divergence. `before` is the objective before the
 * step, and `first` is the objective at the start. In case of divergence, a warning is printed. If the
 * increase is within rounding errors, a note is printed instead. A NaN or infinite f is an error(). */
extern bool iter_diverged(double f, double before, double first, long iteration);

#endif
