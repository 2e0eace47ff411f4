#ifndef NUM_EXPR_EXPR_LOOP_H
#define NUM_EXPR_EXPR_LOOP_H

#include "num/expr/expr_plan.h"

/** A loop computes a pass over strided operands, called lanes. Any thread may compute ranges of elements in
 * any order. The result of a range depends only on the range. */

/** A strided operand, or the index along a dim. Strides of an index are in elements. */
struct lane {
	enum dtype type;
	bool swapped;
	long strs[DIMS];
	long step;   // stride along dim 0
	bool along;  // whether all elements of the loop are `step` apart
	bool plain;  // contiguous in the type of the computation, used without a copy
	bool direct; // store: operators may write here directly
	bool stream; // store: bypasses the cache
};

/** Lanes are advanced in groups of this size, for branch prediction. */
enum { LANES_STEP = 8 };

struct loop {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const unsigned char (*scalars)[16]; // per node
	int D;
	long dims[DIMS];
	long count;
	bool rows;  // whether blocks end with the lines, if lines are long
	long block; // elements of a block of a long line
	struct lane *lanes;
	bool *flat; // per step: one value per line; without `rows`, one per loop
	bool *once; // per step: computed once per line, like all operands
};

struct block;
struct order;

/** Computes a step that needs more than one kernel call. */
typedef void order_fn(const struct block *b, const struct order *o);

/** A step of a pass with resolved addresses. */
struct order {
	kern_fn *fn;        // kernel that computes the whole step, or NULL
	order_fn *run;      // used if fn is NULL
	void *const *in[3]; // pointers to the addresses of the operands
	void *const *out;   // pointer to the address of the result
	unsigned flat;      // operands that are one value, as bits
	bool one;           // whether the result is one value
	const struct step *s;
	void *own; // address of the value in the scratch memory
};

/** The start of a block in a lane, as an address or an index. */
union place {
	void *at;
	long from;
};

/** Working memory of a thread. */
struct loop_worker {
	char *scratch;
	long *lost;           // per output: values that did not fit
	long *missing;        // per check: overflows or values outside a real domain
	struct kern_acc *acc; // per reduction of the pass, for the current range
	union place *lane;    // per lane, with LANES_STEP more
	long *delta;          // per lane: offset to the next block
	void **cells;         // addresses: one value and three scalars per step
	int nflat, n;
	struct order *flat;   // steps with one value per line, without checks
	struct order *orders; // other steps, without loads used in place
	long pos[DIMS];
};

extern struct loop *expr_loop_create(
        const struct expr_plan *p, const struct expr_pass *q, const unsigned char (*scalars)[16]);
/** Sets the type and strides [bytes] of a lane. A stride of 0 repeats an element. `aligned` is true if data
 * have the alignment of their type. */
extern void expr_loop_set(
        struct loop *l, int lane, enum dtype type, bool swapped, bool aligned, const long strs[DIMS]);
/** Simplifies the loop after all lanes are set. If `ordered` is true, elements are numbered with dim 0
 * fastest. */
extern void expr_loop_simplify(struct loop *l, bool ordered);
extern void expr_loop_free(struct loop *l);

extern struct loop_worker *expr_loop_worker_create(const struct loop *l);
extern void expr_loop_worker_free(struct loop_worker *w);

/** Computes elements [first, first + n). For a load or store, base[lane] is the address of element 0. */
extern void expr_loop_range(
        const struct loop *l, struct loop_worker *w, char *const base[], long first, long n);

/** Computes a scalar node between passes. */
extern void expr_loop_scalar(
        const struct expr_plan *p, int node, unsigned char (*scalars)[16], long *missing);

#endif
