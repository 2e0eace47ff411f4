#ifndef NUM_ARRAY_ARRAY_REDUCE_H
#define NUM_ARRAY_ARRAY_REDUCE_H

#include "num/array/array.h"
#include "num/array/array_walk.h"
#include "num/kern/kern.h"

/**
 * A reduction with an outer loop over the kept dims (one result per position) and an inner loop over the
 * reduced dims. Both loops are in normal form: dims sorted by the steps of the inputs, and merged. The order
 * in which elements are added depends on shapes and steps alone, not on the number of threads.
 */
enum { REDUCE_ARGS_MAX = 2, REDUCE_OPERANDS = 3 }; // operands: inputs a, b, then the output

struct reduce {
	enum reduction red;
	struct op_types t;
	int args;
	struct array_walk kept, reduced; // of a, b, out; of a, b
	long kcount, rcount;             // elements
	char *ptr[REDUCE_OPERANDS];
	enum dtype type[REDUCE_OPERANDS];
	bool swapped[REDUCE_OPERANDS];
	enum narrow narrow;
	long lost;
};

/** One accumulator per result, to which lines of reduced elements are added. Used if the inputs of one result
 * are close together in memory, or if the reduction needs element numbers. */
extern void array_reduce_lines(struct reduce *r);

/** Rows of accumulators, to which rows of elements are added one after another. Used if the inputs of
 * neighbouring results are close together. array_reduce_rows_fit(): whether this is possible and faster. */
extern bool array_reduce_rows_fit(const struct reduce *r);
extern void array_reduce_rows(struct reduce *r);

/** Stores n results from `value` (of type t.value) in the output, from element `out` on, `step` bytes apart;
 * `over` of the results did not fit into t.value. */
extern void array_reduce_store(struct reduce *r, char *out, long step, const void *value, long n, long over);

#endif
