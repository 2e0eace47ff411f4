#ifndef NUM_SHAPE_FOLD_H
#define NUM_SHAPE_FOLD_H

#include "num/kern/ops.h"

/**
 * Reduces a block that fits into the cache along some of its dims, by the kernels of num/kern/kern.h. There
 * is one accumulator per result: float64, complex128 or 64-bit integers. Sums of signed integers whose
 * partial sums may exceed 64 bits use 128 bits and are clipped once, at the end.
 */
struct fold_spec {
	enum reduction red; // SUM, MEAN, MIN, MAX, NORM, NORM1, DOT
	bool magnitude;     // MIN, MAX: of |x|
	bool plain;         // DOT: sum x y, nothing conjugated
	bool as_float;      // sums of integers run in float64 too
};

struct fold {
	struct fold_spec spec;
	bool lines;            // elements of a line go to one result, else those of a row to one each
	int nin;               // operands
	enum dtype load;       // type in which elements are given
	enum dtype acc, value; // of an accumulator; of a result
	int map;               // enum op on rows or magnitudes of lines; -1 = none
	enum op merge;         // of accumulators
	bool wide;             // accumulators of 128 bits, whatever `acc`
};

/**
 * A block of contiguous elements: its dims, innermost first, are alternately kept and reduced.
 */
struct fold_block {
	int G;
	long len[DIMS + 1];
	bool reduced[DIMS + 1];
};

/** Adds a new outermost dim. */
extern void fold_block_add(struct fold_block *b, long len, bool reduced);
extern long fold_block_results(const struct fold_block *b);
/** The dim along which kernels run: the innermost one, or the next one if the innermost is short. */
extern int fold_block_axis(const struct fold_block *b);

/** Chooses kernels and types for operands of types in[], with `terms` elements per result. error() naming
 * `what` if the reduction needs an order of complex numbers. */
extern void fold_init(struct fold *f, struct fold_spec spec, bool lines, const enum dtype in[], long terms,
        const char *what);

/** Bytes of an accumulator; a result of fold_finish() has the bytes of type f->value. */
extern long fold_size(const struct fold *f);

/** Element type of an array of results for operands of types in[]: the type of the elements for MIN, MAX and
 * means of floats; the type of the accumulator for sums of integers; else the float type of the elements,
 * with at least 32 bits.
 */
extern enum dtype fold_type(struct fold_spec spec, const enum dtype in[]);

/** Whether integers of type t are first converted to float64. */
extern bool fold_is_float(struct fold_spec spec, enum dtype t);

/** Initialises n accumulators with the reduction of no elements. */
extern void fold_start(const struct fold *f, long n, void *acc);

/** acc[i] = acc[i] combined with part[i]. */
extern void fold_merge(const struct fold *f, long n, void *acc, const void *part);

enum { FOLD_PIECE = 1 << 12, FOLD_SCRATCH = 3 * 16 * FOLD_PIECE };

/** acc[i] = acc[i] combined with element i of the operands; for a fold without `lines`. buf: FOLD_SCRATCH
 * bytes. */
extern void fold_row(const struct fold *f, long n, void *acc, const void *const in[], void *buf);

/** acc = acc combined with the block; axis: fold_block_axis() of a full block, also if b is a shorter one;
 * buf: FOLD_SCRATCH bytes. */
extern void fold_block(const struct fold *f, const struct fold_block *b, int axis, void *acc,
        const void *const in[], void *buf);

/** Converts n accumulators, each the reduction of `count` elements, to n results in place. A result is not
 * larger than an accumulator.
 */
extern void fold_finish(const struct fold *f, long n, long count, void *acc);

#endif
