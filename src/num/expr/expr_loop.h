#ifndef NUM_EXPR_EXPR_LOOP_H
#define NUM_EXPR_EXPR_LOOP_H

#include "num/expr/expr_plan.h"

/**
 * A pass over strided operands: dims, merged and sorted, and the steps of every operand ("lane") along these
 * dims. Ranges of elements may be computed in any order by any thread; the result of a range depends only on
 * the range.
 */

/** A strided operand: data, or the index along a dim (steps in elements, no base). */
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

/** Lanes are advanced in groups of this size, so that the processor predicts the number of loop iterations
 * well. */
enum { LANES_STEP = 8 };

struct loop {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const unsigned char (*scalars)[16]; // per node
	int D;
	long dims[DIMS];
	long count;
	bool rows;  // long lines: blocks end with them
	long block; // elements of a block of a long line
	struct lane *lanes;
	bool *flat; // per step: its values are one for a line (all the loop without `rows`)
	bool *once; // per step: computed once for a line, with all that it is made of
};

struct block;
struct order;

/** A step that needs more than a call of a kernel. */
typedef void order_fn(const struct block *b, const struct order *o);

/** A step with resolved addresses, which runs on a block without further decisions. */
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

/** The start of a block in a lane: an address, or the first index. */
union place {
	void *at;
	long from;
};

/** Work space of a thread: scratch memory and its own counters. */
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
/** Sets a lane: strs [bytes], 0 where repeated; `aligned`: data have the alignment of their type. */
extern void expr_loop_set(
        struct loop *l, int lane, enum dtype type, bool swapped, bool aligned, const long strs[DIMS]);
/** Called when all lanes are set. `ordered`: elements are numbered in the order of the dims of the pass, dim
 * 0 fastest. */
extern void expr_loop_simplify(struct loop *l, bool ordered);
extern void expr_loop_free(struct loop *l);

extern struct loop_worker *expr_loop_worker_create(const struct loop *l);
extern void expr_loop_worker_free(struct loop_worker *w);

/** Computes elements [first, first + n). base[lane] is the address of element 0 of a lane (loads and stores).
 */
extern void expr_loop_range(
        const struct loop *l, struct loop_worker *w, char *const base[], long first, long n);

/** Computes one step on scalars, between passes. */
extern void expr_loop_scalar(
        const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing);

#endif
