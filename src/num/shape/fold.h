#ifndef NUM_SHAPE_FOLD_H
#define NUM_SHAPE_FOLD_H

#include "num/kern/ops.h"

/** These functions reduce a block of elements along some dims. The block should fit into the processor cache.
 * Sums are kept in float64, complex128 or 64-bit integers. A sum of signed integers that may exceed 64 bits
 * has 128 bits, and is clipped at the end. */
struct fold_spec {
	enum reduction red; // SUM, MEAN, MIN, MAX, NORM, NORM1, DOT
	bool magnitude;     // MIN and MAX use |x|
	bool plain;         // DOT is sum x y, without conjugation
	bool as_float;      // integers are summed in float64
};

struct fold {
	struct fold_spec spec;
	bool lines;            // kernels run along a reduced dim
	int nin;               // number of operands
	enum dtype load;       // type of the elements that are passed in
	enum dtype acc, value; // types of accumulators and results
	int map;               // enum op that is first applied to the elements, or -1
	enum op merge;         // operation that combines accumulators
	bool wide;             // accumulators have 128 bits
};

/** Dims of a block of contiguous elements, innermost first. Kept and reduced dims alternate. */
struct fold_block {
	int G;
	long len[DIMS + 1];
	bool reduced[DIMS + 1];
};

/** Adds an outermost dim to the block. */
extern void fold_block_add(struct fold_block *b, long len, bool reduced);
extern long fold_block_results(const struct fold_block *b);
/** Returns the dim along which kernels run. The result is 1 if dim 0 is short, and 0 otherwise. */
extern int fold_block_axis(const struct fold_block *b);

/** Prepares f for operands of types in[] and `terms` elements per result. The minimum or maximum of complex
 * numbers is an error() that names `what`. */
extern void fold_init(struct fold *f, struct fold_spec spec, bool lines, const enum dtype in[], long terms,
        const char *what);

/** Returns the number of bytes of an accumulator. */
extern long fold_size(const struct fold *f);

/**
 * Returns the default element type of the results:
 *
 *   minimum and maximum          type of the elements
 *   norms, extremes of |x|       real type of the elements, float64 for integers
 *   sums of integers             int64 or uint64
 *   means of integers            float32 up to 16 bits, else float64
 *   means of floats              type of the elements
 *   sums of floats               type of the elements, with at least 32 bits
 */
extern enum dtype fold_type(struct fold_spec spec, const enum dtype in[]);

/** Returns whether integers of type t are first converted to float64. */
extern bool fold_is_float(struct fold_spec spec, enum dtype t);

/** Sets n accumulators to the start value, which is 0 for sums. */
extern void fold_start(const struct fold *f, long n, void *acc);

/** Combines acc[i] with part[i] for n accumulators. */
extern void fold_merge(const struct fold *f, long n, void *acc, const void *part);

enum { FOLD_PIECE = 1 << 12, FOLD_SCRATCH = 3 * 16 * FOLD_PIECE };

/** Combines acc[i] with element i of the operands. `f->lines` must be false. `buf` has FOLD_SCRATCH bytes. */
extern void fold_row(const struct fold *f, long n, void *acc, const void *const in[], void *buf);

/** Combines the accumulators `acc` with the elements of block b. `axis` is the result of fold_block_axis()
 * for a full block, even if b is shorter. `buf` has FOLD_SCRATCH bytes. */
extern void fold_block(const struct fold *f, const struct fold_block *b, int axis, void *acc,
        const void *const in[], void *buf);

/** Converts n accumulators to n results of type f->value, in place. Every accumulator is the reduction of
 * `count` elements. */
extern void fold_finish(const struct fold *f, long n, long count, void *acc);

#endif
