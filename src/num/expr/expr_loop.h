#ifndef NUM_EXPR_EXPR_LOOP_H
#define NUM_EXPR_EXPR_LOOP_H

#include "num/expr/expr_plan.h"

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
	long step;   // along lines: strs[0]
	bool along;  // one step holds for neighbours across dims too
	bool plain;  // contiguous elements in the work type of their step: used where they lie
	bool direct; // a store: the step before may write here at once
	bool stream; // a store: past the cache
};

/** Lanes are moved on in groups of this size: whether there is one more is no question to a processor that
 * guesses the answer from loops just left. */
enum { LANES_STEP = 8 };

struct loop {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const unsigned char (*scalars)[16]; // per node
	int D;
	long dims[DIMS];
	long count;
	bool rows; // long lines: blocks end with them
	struct lane *lanes;
	bool *flat; // per step: its values are one for a line (all the loop without `rows`)
	bool *once; // per step: computed once for a line, with all that it is made of
};

struct block;
struct order;

/** A step that is more than a call of a kernel. */
typedef void order_fn(const struct block *b, const struct order *o);

/** A step with its places found: what a block needs, and nothing to decide. */
struct order {
	kern_fn *fn;        // an operator, and no more to do; else NULL
	order_fn *run;      // anything else
	void *const *in[3]; // where the operands' addresses are
	void *const *out;   // where that of the result's place is
	unsigned flat;      // operands that are one value: the kernels' bits
	bool one;           // the result is one value
	const struct step *s;
	void *own; // the value's place in the scratch memory
};

/** Where a block begins in a lane: memory, or the first of the numbers that are counted. */
union place {
	void *at;
	long from;
};

/** What a thread needs: scratch memory, and counters of its own. */
struct loop_worker {
	char *scratch;
	long *lost;           // per output: values that its type could not hold
	long *missing;        // per check: values outside a real domain
	struct kern_acc *acc; // per reduction of the pass, of the range that runs
	union place *lane;    // per lane, and up to LANES_STEP more
	long *delta;          // how they go on from block to block
	void **cells;         // addresses: one of each step's value, three of each step's scalars
	int nflat, n;
	struct order *flat;   // steps of one value for a line, without checks
	struct order *orders; // the others, but for operands that are used where they lie
	long pos[DIMS];
};

extern struct loop *expr_loop_create(
        const struct expr_plan *p, const struct expr_pass *q, const unsigned char (*scalars)[16]);
/** Sets a lane: strs [bytes], 0 where repeated; `aligned`: data are where elements of the type may lie. */
extern void expr_loop_set(
        struct loop *l, int lane, enum dtype type, bool swapped, bool aligned, const long strs[DIMS]);
/** Once all are set. `ordered`: element numbers count as in the pass's dims, dim 0 the fastest. */
extern void expr_loop_simplify(struct loop *l, bool ordered);
extern void expr_loop_free(struct loop *l);

extern struct loop_worker *expr_loop_worker_create(const struct loop *l);
extern void expr_loop_worker_free(struct loop_worker *w);

/** Elements [first, first + n); base[lane] is where element 0 of a lane lies (loads and stores). */
extern void expr_loop_range(
        const struct loop *l, struct loop_worker *w, char *const base[], long first, long n);

/** One step on scalars: between passes. */
extern void expr_loop_scalar(
        const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing);

#endif
