#ifndef ITER_ALGORITHM_ALGORITHM_H
#define ITER_ALGORITHM_ALGORITHM_H

#include "iter/iter.h"
#include "iter/step/updates.h"

/**
 * Algorithms as steps. Each algorithm declares its inputs and the vectors it needs, and makes one iteration
 * of a run at a time. algorithm_solve() does the common parts: memory, starting point, monitor, stopping,
 * divergence.
 */

/** What an algorithm accepts besides A and y. */
enum {
	TAKES_WEIGHTS = 1u << 0,
	TAKES_LAMBDA = 1u << 1,
	TAKES_DATA = 1u << 2,      // a differentiable functional of A x
	TAKES_DATA_PROX = 1u << 3, // a functional of A x with a proximal operator
	TAKES_SMOOTH = 1u << 4,    // differentiable terms
	TAKES_PROX = 1u << 5,      // one term without an operator that has a proximal operator
	TAKES_TERMS = 1u << 6,     // any terms with a proximal operator, with any operators
	TAKES_SUBSETS = 1u << 7,   // subsets of rows
	TAKES_COMPLEX = 1u << 8,
	NEEDS_NONNEGATIVE = 1u << 9, // an operator without negative elements
	MONOTONE = 1u << 10,         // the objective never grows
	TAKES_BACK = 1u << 11,       // another back projector
	KEEPS_VOLUMES = 1u << 12,    // a basis of vectors of the domain; below: of the codomain
	KEEPS_PROJECTIONS = 1u << 13,
	SETS_RESIDUAL = 1u << 14,   // conf->noise is a constraint, not a stopping criterion
	KEEPS_SUMS = 1u << 15,      // sums of the columns of each subset, if memory allows
	SETS_TOLERANCE = 1u << 16,  // tests conf->tolerance itself
	WEIGHTS_VOLUME = 1u << 17,  // one more volume with weights
	DESCENDS = 1u << 18,        // uses (sub)gradients of terms
	NEEDS_VALUES = 1u << 19,    // values of all terms: it compares objectives
	NEEDS_SECOND = 1u << 20,    // data with second derivatives
	TAKES_NONLINEAR = 1u << 21, // F instead of A
	TAKES_DICTIONARY = 1u << 22,
	TAKES_STEP = 1u << 23, // conf->step, conf->relaxation
	TAKES_RELAXATION = 1u << 24,
	ANYWHERE = 1u << 25,          // its vectors may be on a device: it does not access them directly
	BOUNDS_ONLY = 1u << 26,       // TAKES_PROX for bounds only: each voxel has a separate step
	STAYS_NONNEGATIVE = 1u << 27, // its volumes are >= 0: the term nonneg is satisfied and ignored
	CARRIES_ON = 1u << 28,        // its vectors are a start for other factors of the terms
	TAKES_STEPS = 1u << 29,       // conf->steps
	TAKES_INNER = 1u << 30,       // conf->newton.inner
	TAKES_FACTOR = 1u << 31       // conf->newton.factor
};

enum { RUN_NUMBERS = 64 };

/** Values of an iterate x that -v prints. */
struct run_values {
	double residual, objective, gradient, step;
};

/** A problem being solved. Algorithms use the vectors and numbers freely; checkpoints contain all of them. */
struct run {
	const struct iter_problem *p;
	const struct iter_conf *conf;
	const struct algorithm *alg;
	enum dtype type;
	long n, m; // elements of domain and codomain
	void *x;
	void **v;    // vectors of the domain
	void **w;    // of the codomain
	void **kept; // `keeps` vectors of the domain that can be recomputed; NULL: not yet computed
	void **z;    // of the terms' arguments: [vector * terms + term]
	void *back;  // of the domain: work space for the gradient of a term; NULL without such terms
	double s[RUN_NUMBERS];
	int *order; // of the subsets in this iteration; NULL without subsets
	long basis; // number of basis vectors; v and w have that many more vectors
	double *h;  // (basis + 2) (basis + 4)
	long keeps; // algorithm_keeps()
	long k;     // iterations made
	// values of the new x, set by the start and by each step; NAN: unknown
	double residual, objective, gradient, step;
	struct run_values before; // the same before this step
	double excess; // the objective over its minimum, as a part of it, when last estimated; NAN: not yet
	double size2;  // |x|^2 if the step computed it; NAN: unknown
	bool minimum;  // x is a minimiser: no step can improve it
	bool met;      // the tolerance is met; for algorithms with SETS_TOLERANCE
	enum iter_end stay;   // the reason if no step was made (then not counted); ITER_ALL: a step was made
	bool again;           // the step was rejected: x is unchanged, and another step will be tried
	const struct nlop *F; // of the algorithm: F, and its derivative at x; NULL: none
	struct linop *J;
	struct weights *M; // of the algorithm; NULL: none
	double *asked; // requested numbers, on the device of the vectors; `told`: their copies on the host
	double *told;  // equal to `asked` if the vectors are on the host
	int numbers;   // how many have been requested
	long room;     // allocated numbers
	bool fetched;
};

struct algorithm {
	const char *name, *about; // as on the command line; a sentence
	unsigned takes;
	int volumes, projections, terms; // numbers of vectors
	int basis;                       // vectors of a basis unless conf says; 0: none
	double start;                    // value of x without a starting point: 0 or 1
	enum sampler order;              // default order of the subsets
	long iterations;                 // default number with terms; 0: the common default
	int subsets;                     // default, at most the number of views; 0: OS_SUBSETS
	int least_subsets;            // if passes over the volume take longer than projections; 0: as above
	bool by_view;                 // default: as many subsets as views
	bool distributed;             // its vectors may be distributed over the ranks (num/md/distributed.h)
	const char *const *words;     // default terms (iter/recon/recon_terms.h); NULL: none
	void (*begin)(struct run *r); // x is the starting point
	void (*iterate)(struct run *r);
	// returns f(x) minus a lower bound of f near x (iter/monitor/gap.h), NAN if unknown; *objective =
	// f(x). Must not change the state of the next iteration. NULL: unknown
	double (*gap)(struct run *r, double *objective);
	void (*end)(struct run *r);         // NULL: x is the result
	bool (*sound)(const struct run *r); // whether the counts in a checkpoint are valid; NULL: no counts
	// approximate number of projections and back projections of a run for n voxels, if later iterations
	// cost more; NULL: all iterations cost the same
	double (*projections_of)(long n, long iterations);
};

/** The algorithms by name; NULL: unknown name. The list ends with NULL. */
extern const struct algorithm *algorithm_find(const char *name);
extern const struct algorithm *const algorithms[];

/** NULL if the algorithm can solve the problem; otherwise the reason why not, as text that follows its name
 * in a message. */
extern const char *algorithm_refuses(const struct algorithm *a, const struct iter_problem *p);

/** Vectors of the domain and the codomain that a run needs besides x and y; basis: conf->basis. */
extern long algorithm_volumes(const struct algorithm *a, long basis, bool weighted);
extern long algorithm_projections(const struct algorithm *a, long basis);

/** Number of vectors of n elements that are stored to avoid computing them in every iteration. With the flag
 * KEEPS_SUMS there is one per subset, or fewer if these exceed half of the memory that the other vectors
 * leave. Without the flag the number is 0. subsets: number of subsets, 0: none. m: elements of the codomain.
 */
extern long algorithm_keeps(const struct algorithm *a, int subsets, enum dtype type, long n, long m);

/** x: linop_domain_size(A) elements, in and out. error() if algorithm_refuses(). */
extern struct iter_result algorithm_solve(
        const struct algorithm *a, const struct iter_problem *p, const struct iter_conf *conf, void *x);

/**
 * The state that a run passes to the next run. Both runs have the same algorithm, projections and terms; only
 * the factors of terms may differ. Algorithms with the flag CARRIES_ON pass all vectors: the next run
 * continues from the vectors and ignores its own starting point. Other algorithms pass nothing. Initialise
 * with {0}.
 */
struct run_state {
	struct run *run;
};
extern void run_state_free(struct run_state *s);

/** Whether a number is one of 0, 1, ..., most. */
extern bool run_is_count(double number, long most);

/* ---- numbers of an iteration ---- */

/**
 * The numbers are computed on the device of the vectors. Each function run_ask..() returns the position at
 * which its number will be stored. run_fetch() copies all numbers to the host at once, and run_told() returns
 * them. The first request after run_fetch() begins a new group.
 */
extern int run_ask_dot(struct run *r, long n, const void *x, const void *y);
extern int run_ask_norm(struct run *r, long n, const void *x);
extern int run_ask_weighted(struct run *r, const struct weights *W, long n, const void *x); // |x|^2_W
extern int run_ask_value(struct run *r, const struct functional *g, const void *x);
extern double *run_ask(struct run *r, int *place); // space for a number that the caller computes
extern double *run_ask_some(struct run *r, int count, int *place); // for `count` numbers in sequence
extern void run_ask_up_to(struct run *r, long numbers);            // called before requests of many numbers
extern void run_fetch(struct run *r);
extern double run_told(const struct run *r, int place);

/** The address of a requested number before run_fetch(); NULL if the number is on a device. */
extern const double *run_look(const struct run *r, int place);

/** y = a x + b y over n elements; x NULL: y = b y. The factors may be on the device. squares: NULL, or
 * receives |y|^2 of the new y. */
extern void run_mix(const struct run *r, long n, void *y, struct update_factor a, const void *x,
        struct update_factor b, double *squares);

/** Called by steps that compute |x|^2 of the new x themselves: run_ask_size() before run_fetch(), and
 * run_told_size() after it. After other steps, algorithm_solve() computes |x|^2. */
extern int run_ask_size(struct run *r);
extern void run_told_size(struct run *r, int place);

/** Replaces run_told_size() if only an upper bound of |x| is known. If the bound is far below the largest
 * number of the type, x is finite. */
extern void run_told_bound(struct run *r, double bound);

/** run_data(), run_penalty(), run_terms() and run_prox(), each in two parts: run_ask_..() requests a result,
 * and run_told_..() returns the result. run_told_..() is called before the next request. */
extern int run_ask_data(struct run *r, void *slope, const void *Ax);
extern double run_told_data(struct run *r, int place);
extern int run_ask_penalty(struct run *r, const void *x);
extern double run_told_penalty(const struct run *r, int place);
extern int run_ask_terms(struct run *r, const void *x, bool smooth);
extern double run_told_terms(const struct run *r, int place, bool smooth);
extern int run_ask_prox(struct run *r, double gamma, void *dst, const void *src);
extern double run_told_prox(const struct run *r, int place);

/** The positions of the numbers that make up the value of the differentiable part. */
struct run_asked {
	int data, penalty, terms;
};
extern struct run_asked run_ask_smooth_at(struct run *r, void *slope, void *Ax, const void *x);
extern double run_told_smooth(struct run *r, const struct run_asked *a);

/* ---- what algorithms are made of ---- */

/** slope = gradient of the data term d (iter/iter.h) at Ax; `slope` may be Ax. Returns d(A x). For least
 * squares, r->residual = |A x - y|_W. */
extern double run_data(struct run *r, void *slope, const void *Ax);

/** run_penalty(): lambda/2 |x|^2. run_terms(): the sum of the differentiable terms at x (if `smooth`), or the
 * sum of the other terms. Constraints that x meets only in the limit (TAKES_TERMS) count as 0. */
extern double run_penalty(struct run *r, const void *x);
extern double run_terms(struct run *r, const void *x, bool smooth);

/** slope += the gradient of the penalty: lambda x, and the gradients of the smooth terms. */
extern void run_penalty_slope(struct run *r, void *slope, const void *x);

/** slope = the gradient of the differentiable part at x, A' W (A x - y) + .. for least squares. Returns the
 * value of the differentiable part at x. run_smooth_at() expects A x in Ax; run_smooth() computes it first.
 * Both overwrite Ax. */
extern double run_smooth_at(struct run *r, void *slope, void *Ax, const void *x);
extern double run_smooth(struct run *r, void *slope, void *Ax, const void *x);

/** The gradient alone, with Ax as in run_smooth_at(). */
extern void run_slope_at(struct run *r, void *slope, void *Ax, const void *x);

/** run_prox_term(): the term of TAKES_PROX, or NULL. run_prox(): dst = the prox of gamma times this term at
 * src, or src without such a term. */
extern const struct functional *run_prox_term(const struct run *r);
extern double run_prox(struct run *r, double gamma, void *dst, const void *src); // its value at dst

/** The largest eigenvalue of the Hessian of the differentiable part, or an upper bound of it (linops/norm.h);
 * tmp and Ax are overwritten. */
extern double run_lipschitz(struct run *r, void *tmp, void *Ax);

/** The largest eigenvalue of the Hessian of lambda/2 |x|^2 and the differentiable terms, without the data. */
extern double run_lipschitz_terms(const struct run *r);

/** The largest eigenvalue of A'W A, without penalty and terms. */
extern double run_lipschitz_squares(struct run *r, void *tmp, void *Ax);

/** error() unless the bound of the curvature, which determines step sizes, is finite. */
extern void run_expect_bound(const struct run *r, double curvature);

/** run_subsets(): the number of subsets of the rows, at least 1. run_subset(): the i-th subset in the order
 * of this iteration (iter/step/sampler.h). */
extern int run_subsets(const struct run *r);
extern struct iter_subset run_subset(const struct run *r, int i);
extern enum sampler run_order(const struct run *r);

/** run_subset_number(): the number of the i-th subset, 0 without subsets. run_subset_at(): the subset with
 * this number. run_subset_rows(): the rows of the subset with this number in w, a vector of the codomain in
 * which the subsets follow each other. */
extern int run_subset_number(const struct run *r, int i);
extern struct iter_subset run_subset_at(const struct run *r, int number);
extern void *run_subset_rows(const struct run *r, void *w, int number);

/** x = value in all n elements of a real type. */
extern void run_fill(enum dtype type, long n, void *x, double value);

/** conf->relaxation or 1. */
extern double run_relaxation(const struct run *r);

#endif
