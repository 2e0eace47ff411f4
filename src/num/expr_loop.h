#ifndef NUM_EXPR_LOOP_H
#define NUM_EXPR_LOOP_H

#include "num/expr_plan.h"

/**
 * A pass over strided operands: its dims merged and sorted, and every operand ("lane") with its steps along
 * them. Ranges of its elements may be computed in any order by any thread; what a range gives depends on
 * nothing else.
 */

/** A strided operand: data, or numbers that are counted along a dim (steps in elements, no base). */
struct lane {
	enum dtype type;
	bool swapped;
	long strs[DIMS];
	bool along; // one step holds for neighbours across dims: step
	long step;
	bool direct; // a store: the step before may write here at once
	bool stream; // a store: past the cache
};

struct loop {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const unsigned char (*scalars)[16]; // per node
	int D;
	long dims[DIMS];
	long count;
	bool rows; // long lines: blocks end with them
	struct lane *lanes;
};

/** What a thread needs: scratch memory, and counters of its own. */
struct loop_worker {
	char *scratch;
	long *lost;           // per output: values that its type could not hold
	long *missing;        // per check: values outside a real domain
	struct kern_acc *acc; // per reduction of the pass, of the range that runs
	/* of the block that runs */
	long *from;         // per lane: how far from its base the block begins
	const void **value; // per step
	bool *flat;         // per step: one value for all elements
	long pos[DIMS];
};

/** Adds a lane's steps; then expr_loop_simplify() merges. dims of a lane are 1 where it is repeated. */
extern struct loop *expr_loop_create(
        const struct expr_plan *p, const struct expr_pass *q, const unsigned char (*scalars)[16]);
/** strs [bytes], 0 where repeated. */
extern void expr_loop_set(struct loop *l, int lane, enum dtype type, bool swapped, const long strs[DIMS]);
/** `ordered`: element numbers count as in the pass's dims, dim 0 the fastest. */
extern void expr_loop_simplify(struct loop *l, bool ordered);
extern void expr_loop_free(struct loop *l);

extern struct loop_worker *expr_loop_worker_create(const struct expr_plan *p, const struct expr_pass *q);
extern void expr_loop_worker_free(struct loop_worker *w);

/** Elements [first, first + n); base[lane] is where element 0 of a lane lies (loads and stores). */
extern void expr_loop_range(
        const struct loop *l, struct loop_worker *w, char *const base[], long first, long n);

/** One step on scalars: between passes. */
extern void expr_loop_scalar(
        const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing);

#endif
