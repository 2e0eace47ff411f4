#ifndef ITER_ALGORITHM_ALGORITHM_H
#define ITER_ALGORITHM_ALGORITHM_H

#include "iter/iter.h"
#include "iter/step/updates.h"

/**
 * The interface of iterative algorithms. A struct algorithm states what input an algorithm accepts and how
 * many vectors are needed. The struct contains the function for one iteration. The function algorithm_solve()
 * allocates the vectors, sets the starting point, and makes the iterations. The function also calls the
 * monitor and tests for convergence and divergence.
 *
 * A vector of the domain has the size of x. A vector of the codomain has the size of y.
 */

/** Flags that state what an algorithm accepts besides A and y, and how the algorithm behaves. */
enum {
	TAKES_WEIGHTS = 1u << 0,
	TAKES_LAMBDA = 1u << 1,
	TAKES_DATA = 1u << 2,      // a differentiable functional of A x
	TAKES_DATA_PROX = 1u << 3, // a functional of A x with a proximal operator
	TAKES_SMOOTH = 1u << 4,    // any number of differentiable terms
	TAKES_PROX = 1u << 5,      // one term g(x) that has a proximal operator
	TAKES_TERMS = 1u << 6,     // any number of terms g(B x) that have a proximal operator
	TAKES_SUBSETS = 1u << 7,   // subsets of the rows of A
	TAKES_COMPLEX = 1u << 8,
	NEEDS_NONNEGATIVE = 1u << 9,  // A must have no negative elements
	MONOTONE = 1u << 10,          // the objective never increases
	TAKES_BACK = 1u << 11,        // a back projector that is not the transpose of A
	KEEPS_VOLUMES = 1u << 12,     // stores a basis of vectors of the domain
	KEEPS_PROJECTIONS = 1u << 13, // stores a basis of vectors of the codomain
	SETS_RESIDUAL = 1u << 14,     // uses conf->noise as a constraint, not as a stopping criterion
	KEEPS_SUMS = 1u << 15,        // stores column sums of each subset, if memory allows
	SETS_TOLERANCE = 1u << 16,    // sets run.met when conf->tolerance is met
	WEIGHTS_VOLUME = 1u << 17,    // needs one more vector of the domain if there are weights
	DESCENDS = 1u << 18,          // uses gradients or subgradients of terms
	NEEDS_VALUES = 1u << 19,      // compares objectives: all terms must have a known value
	NEEDS_SECOND = 1u << 20,      // needs a data functional with second derivatives
	TAKES_NONLINEAR = 1u << 21,   // a nonlinear operator F instead of A
	TAKES_DICTIONARY = 1u << 22,
	TAKES_STEP = 1u << 23, // conf->step, conf->relaxation
	TAKES_RELAXATION = 1u << 24,
	ANYWHERE = 1u << 25,    // vectors may be on a device
	BOUNDS_ONLY = 1u << 26, // with TAKES_PROX: the term must be bounds, since voxels have different steps
	STAYS_NONNEGATIVE = 1u << 27, // x is always >= 0; a term that demands x >= 0 is ignored
	CARRIES_ON = 1u << 28,        // a run can continue with other factors of the terms
	TAKES_STEPS = 1u << 29,       // conf->steps
	TAKES_INNER = 1u << 30,       // conf->newton.inner
	TAKES_FACTOR = 1u << 31       // conf->newton.factor
};

enum { RUN_NUMBERS = 64 };

/** Vectors of a run that the algorithm does not write for its problem. On the host, they take no memory. */
struct unwritten {
	double volumes, projections, terms; // vectors of the domain and of the codomain; elements of z
	bool subsets;                       // only subsets are projected, never all views at once
};

/** Values at an iterate, as printed by the option -v. */
struct run_values {
	double residual, objective, gradient, step;
};

/** The state of a run. The algorithm decides what the vectors v, w, z and the numbers s contain. A checkpoint
 * contains x, the vectors and the numbers. */
struct run {
	const struct iter_problem *p;
	const struct iter_conf *conf;
	const struct algorithm *alg;
	enum dtype type; // of the vectors
	long n, m;       // elements of a vector of the domain; of the codomain
	void *x;         // the current iterate
	void **v;        // vectors of the domain
	void **w;        // vectors of the codomain
	void **kept;     // at most `keeps` vectors of the domain; NULL where not yet computed
	void **z;        // vectors of the size of B_i x: vector k of term i is z[k * terms + i]
	void *back;      // work space of a vector of the domain, for terms with a gradient and an operator
	double s[RUN_NUMBERS];
	int *order; // order of the subsets in this iteration; NULL without subsets
	long basis; // number of basis vectors
	double *h;  // (basis + 2) (basis + 4) numbers for a method with a basis
	long keeps; // number of vectors in `kept`
	long k;     // number of completed iterations
	// values at the new x, set at the start and by each step; NAN means unknown
	double residual, objective, gradient, step;
	struct run_values before; // these values before the step
	double excess;            // last estimate of (f(x) - minimum) / f(x); NAN means none
	double size2;             // |x|^2 if the step computed it; otherwise NAN
	bool minimum;             // x is a minimiser, so the run ends
	bool met;                 // the tolerance is met; set by algorithms with SETS_TOLERANCE
	enum iter_end stay;       // why no step was made; ITER_ALL means that a step was made
	bool again;               // the step was rejected: x is unchanged, and another step follows
	const struct nlop *F;     // operator used by the algorithm; may be NULL
	struct linop *J;          // derivative of F at x; may be NULL
	struct weights *M;        // weights used by the algorithm; may be NULL
	double *asked;            // requested numbers, on the device of the vectors
	double *told;             // host copy of `asked`; equal to `asked` if the vectors are on the host
	int numbers;              // how many numbers are requested
	long room;                // size of `asked`
	bool fetched;             // run_fetch() was called after the last request
};

struct algorithm {
	const char *name, *about; // name on the command line; a sentence for the help
	unsigned takes;           // flags
	// number of vectors of the domain, number of vectors of the codomain, number of vectors for each term
	int volumes, projections, terms;
	int basis;                    // default number of basis vectors; 0 means no basis
	double start;                 // value of all voxels without a starting point, 0 or 1
	enum sampler order;           // default order of the subsets
	long iterations;              // default number of iterations with terms; 0 means the common default
	int subsets;                  // default number of subsets; 0 means OS_SUBSETS
	int least_subsets;            // default if an update takes longer than projections; 0 means `subsets`
	bool by_view;                 // by default, one subset per view
	bool distributed;             // vectors may be distributed over the ranks (num/md/distributed.h)
	const char *const *words;     // default terms, as on the command line; NULL means none
	void (*begin)(struct run *r); // prepares the first iteration; x is the starting point
	void (*iterate)(struct run *r);
	// Returns f(x) minus a lower bound of f near x (iter/monitor/gap.h), or NAN if unknown. Writes f(x)
	// to *objective. Does not change what the next iteration computes. May be NULL.
	double (*gap)(struct run *r, double *objective);
	void (*end)(struct run *r);         // computes the result x after the last iteration; may be NULL
	bool (*sound)(const struct run *r); // whether counts read from a checkpoint are valid; may be NULL
	// Returns the approximate number of projections and back projections in a run for n voxels. NULL
	// means that all iterations cost the same.
	double (*projections_of)(long n, long iterations);
	// Uses p, conf, alg, type, n and m of the run only. NULL means that only work space of terms without
	// an operator is not written.
	struct unwritten (*unwritten)(const struct run *r);
};

/** Returns the algorithm called `name`, or NULL if the name is unknown. */
extern const struct algorithm *algorithm_find(const char *name);

/** All algorithms, followed by NULL. */
extern const struct algorithm *const algorithms[];

/** Returns NULL if the algorithm can solve the problem, otherwise the reason why not. The reason is a text
 * that follows the algorithm's name in a message, such as "takes no weights". */
extern const char *algorithm_refuses(const struct algorithm *a, const struct iter_problem *p);

/** These functions return how many vectors a run needs besides x and y. The argument `basis` is conf->basis.
 *
 * - algorithm_volumes(): returns the number of vectors of the domain.
 * - algorithm_projections(): returns the number of vectors of the codomain.
 */
extern long algorithm_volumes(const struct algorithm *a, long basis, bool weighted);
extern long algorithm_projections(const struct algorithm *a, long basis);

/** Returns the number of subsets for which column sums of A are stored. The column sums of a subset are a
 * vector of the domain. Without the flag KEEPS_SUMS, returns 0. Otherwise returns `subsets`, or less if the
 * column sums would need more than half of the free memory. The domain has n elements, and the codomain has m
 * elements. */
extern long algorithm_keeps(const struct algorithm *a, int subsets, enum dtype type, long n, long m);

/** Returns which vectors a run for the problem does not write. The domain has n elements, and the codomain
 * has m elements. Members of the problem other than the terms and the number of subsets are ignored. */
extern struct unwritten algorithm_unwritten(const struct algorithm *a, const struct iter_problem *p,
        const struct iter_conf *conf, enum dtype type, long n, long m);

/** Solves the problem. On entry x is the starting point if conf->warm is true. On return x is the result. A
 * problem that the algorithm does not accept is an error(). */
extern struct iter_result algorithm_solve(
        const struct algorithm *a, const struct iter_problem *p, const struct iter_conf *conf, void *x);

/**
 * The state that one run passes to the next run, for algorithms with the flag CARRIES_ON. The next run
 * continues from the vectors of the last run, and ignores conf->warm. Only the factors of the terms may
 * differ between the runs. Initialise the state with {0}. Without the flag, nothing is passed.
 */
struct run_state {
	struct run *run;
};

/** Frees the vectors of a state. */
extern void run_state_free(struct run_state *s);

/** Returns whether a number is an integer from 0 to `most`. */
extern bool run_is_count(double number, long most);

/* ---- numbers of an iteration ---- */

/**
 * These functions compute numbers, such as norms, on the device of the vectors. All numbers are copied to the
 * host at once.
 *
 * - run_ask_dot() and similar functions: request a number and return the position of the number.
 * - run_fetch(): copies all requested numbers to the host.
 * - run_told(): returns the number at a position, after run_fetch().
 *
 * The first request after run_fetch() discards the earlier numbers.
 */
extern int run_ask_dot(struct run *r, long n, const void *x, const void *y);
extern int run_ask_norm(struct run *r, long n, const void *x);
extern int run_ask_weighted(struct run *r, const struct weights *W, long n, const void *x); // |x|^2_W
extern int run_ask_value(struct run *r, const struct functional *g, const void *x);
extern double *run_ask(struct run *r, int *place); // memory for a number that the caller computes
extern double *run_ask_some(struct run *r, int count, int *place); // memory for `count` numbers
extern void run_ask_up_to(struct run *r, long numbers);            // makes room for so many requests
extern void run_fetch(struct run *r);
extern double run_told(const struct run *r, int place);

/** Returns the address of a requested number, or NULL if the number is on a device. The number can be read
 * without run_fetch(). */
extern const double *run_look(const struct run *r, int place);

/** Computes y = a x + b y for vectors of n elements. If x is NULL, computes y = b y. The factors a and b may
 * be on the device. If `squares` is not NULL, |y|^2 of the new y is written to *squares. */
extern void run_mix(const struct run *r, long n, void *y, struct update_factor a, const void *x,
        struct update_factor b, double *squares);

/** These functions request and store |x|^2 of the new x. Call run_ask_size() before run_fetch(), and
 * run_told_size() after run_fetch(). If neither is called, algorithm_solve() computes |x|^2. */
extern int run_ask_size(struct run *r);
extern void run_told_size(struct run *r, int place);

/** Stores an upper bound of |x|, in place of run_told_size(). A bound far below the largest number of the
 * type proves that x is finite. */
extern void run_told_bound(struct run *r, double bound);

/** These functions split run_data(), run_penalty(), run_terms() and run_prox() into two calls. A function
 * run_ask_..() requests a result. After run_fetch(), a function run_told_..() returns the result. */
extern int run_ask_data(struct run *r, void *slope, const void *Ax);
extern double run_told_data(struct run *r, int place);
extern int run_ask_penalty(struct run *r, const void *x);
extern double run_told_penalty(const struct run *r, int place);
extern int run_ask_terms(struct run *r, const void *x, bool smooth);
extern double run_told_terms(const struct run *r, int place, bool smooth);
extern int run_ask_prox(struct run *r, double gamma, void *dst, const void *src);
extern double run_told_prox(const struct run *r, int place);

/** Positions of the numbers whose sum is the value of the differentiable part of f. */
struct run_asked {
	int data, penalty, terms;
};
extern struct run_asked run_ask_smooth_at(struct run *r, void *slope, void *Ax, const void *x);
extern double run_told_smooth(struct run *r, const struct run_asked *a);

/* ---- what algorithms are made of ---- */

/** Writes the gradient of the data term d (iter/iter.h) at Ax to `slope`, and returns d(Ax). The arrays
 * `slope` and Ax may be the same. For least squares, the function also sets r->residual to |A x - y|_W. */
extern double run_data(struct run *r, void *slope, const void *Ax);

/** Returns lambda/2 |x|^2. */
extern double run_penalty(struct run *r, const void *x);

/** Returns the sum of the differentiable terms at x if `smooth` is true. Otherwise returns the sum of the
 * other terms at x. With the flag TAKES_TERMS, an infinite term counts as 0, because x meets constraints only
 * in the limit. */
extern double run_terms(struct run *r, const void *x, bool smooth);

/** Adds lambda x and the gradients of the differentiable terms at x to `slope`. */
extern void run_penalty_slope(struct run *r, void *slope, const void *x);

/**
 * These functions write the gradient of the differentiable part of f at x to `slope`. These functions
 * return the value of the differentiable part, and overwrite Ax.
 *
 * - run_smooth_at(): requires that Ax contains A x.
 * - run_smooth(): computes A x first.
 */
extern double run_smooth_at(struct run *r, void *slope, void *Ax, const void *x);
extern double run_smooth(struct run *r, void *slope, void *Ax, const void *x);

/** Writes the gradient as run_smooth_at() does, but computes no value. */
extern void run_slope_at(struct run *r, void *slope, void *Ax, const void *x);

/** Returns the term that is not differentiable, for algorithms with TAKES_PROX. Returns NULL if all terms are
 * differentiable. */
extern const struct functional *run_prox_term(const struct run *r);

/** Writes the prox of gamma times run_prox_term() at src to dst. Returns the value of the term at dst.
 * Without a term, copies src to dst and returns 0. */
extern double run_prox(struct run *r, double gamma, void *dst, const void *src);

/** Returns the largest eigenvalue of the Hessian of the differentiable part of f, or a larger number. Returns
 * INFINITY if no finite bound is known. Overwrites tmp and Ax. */
extern double run_lipschitz(struct run *r, void *tmp, void *Ax);

/** Returns the result of run_lipschitz() for f without the data term. */
extern double run_lipschitz_terms(const struct run *r);

/** Returns the largest eigenvalue of A'W A or a larger number. The arrays tmp and Ax are overwritten. */
extern double run_lipschitz_squares(struct run *r, void *tmp, void *Ax);

/** Calls error() if `curvature`, an upper bound of the curvature of f, is not finite. */
extern void run_expect_bound(const struct run *r, double curvature);

/**
 * These functions describe the subsets in the order of this iteration. Without subsets, all rows of A count
 * as one subset.
 *
 * - run_subsets(): returns the number of subsets, at least 1.
 * - run_subset(): returns the subset at place i in the order.
 * - run_order(): returns the kind of order (iter/step/sampler.h).
 */
extern int run_subsets(const struct run *r);
extern struct iter_subset run_subset(const struct run *r, int i);
extern enum sampler run_order(const struct run *r);

/**
 * These functions use the number of a subset, which does not depend on the order.
 *
 * - run_subset_number(): returns the number of the subset at place i in the order.
 * - run_subset_at(): returns the subset of a given number.
 * - run_subset_rows(): returns the address of a subset's rows in w, a vector of the codomain. The vector w
 *   contains the rows of subset 0, then the rows of subset 1, and so on.
 */
extern int run_subset_number(const struct run *r, int i);
extern struct iter_subset run_subset_at(const struct run *r, int number);
extern void *run_subset_rows(const struct run *r, void *w, int number);

/** Sets all n elements of x to `value`. The type must be real. */
extern void run_fill(enum dtype type, long n, void *x, double value);

/** Returns the relative error below which a gradient consists of rounding errors only. */
extern double run_rounding(const struct run *r);

/** Returns conf->relaxation, or 1 if conf->relaxation is 0. */
extern double run_relaxation(const struct run *r);

#endif
