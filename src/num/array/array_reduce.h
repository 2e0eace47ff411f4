#ifndef NUM_ARRAY_ARRAY_REDUCE_H
#define NUM_ARRAY_ARRAY_REDUCE_H

#include "num/array/array.h"
#include "num/array/array_walk.h"
#include "num/kern/kern.h"

/** A reduction runs two nested loops. The outer loop visits the kept dims and computes one result per
 * position. The inner loop visits the reduced dims. The order of additions depends on shapes and steps only,
 * not on the number of threads. */
enum { REDUCE_ARGS_MAX = 2, REDUCE_OPERANDS = 3 }; // operands: inputs a, b, then the output

struct reduce {
	enum reduction red;
	struct op_types t;
	int args;
	struct array_walk kept, reduced; // `kept`: of a, b, out; `reduced`: of a, b
	long kcount, rcount;             // results; inputs per result
	char *ptr[REDUCE_OPERANDS];
	enum dtype type[REDUCE_OPERANDS];
	bool swapped[REDUCE_OPERANDS];
	enum narrow narrow;
	long lost;
};

/** Reduces with one accumulator per result. Use this function if the inputs of a result are close together in
 * memory. Reductions such as RED_ARGMIN need this function. */
extern void array_reduce_lines(struct reduce *r);

/**
 * These functions update the accumulators of many neighbouring results together:
 * - array_reduce_rows_fit(): Returns whether array_reduce_rows() is possible and faster than
 *   array_reduce_lines().
 * - array_reduce_rows(): Computes the reduction.
 */
extern bool array_reduce_rows_fit(const struct reduce *r);
extern void array_reduce_rows(struct reduce *r);

/** Converts n results of type t.value and stores the results at `out`, `step` bytes apart. `over` is the
 * number of results that did not fit into t.value. The number of values that do not fit is added to r->lost.
 */
extern void array_reduce_store(struct reduce *r, char *out, long step, const void *value, long n, long over);

#endif
