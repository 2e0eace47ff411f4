#ifndef NUM_SHAPE_REDUCE_DIMS_H
#define NUM_SHAPE_REDUCE_DIMS_H

#include "misc/file/cfl.h"
#include "num/shape/fold.h"

/** Reduction of files or streams along some dims. With two operands, the products of elements are reduced.
 * Dims of length 1 are repeated. Results do not depend on the number of threads. Files of any size need a few
 * tens of MiB of private memory. A stream is reduced during reading if incomplete results fit into 512 MiB.
 * Otherwise the stream is spooled. */
struct reduce_dims {
	struct fold_spec spec;
	unsigned long dims; // dims to reduce, ~0ul for all
	int nin;            // 2 for DOT, else 1
	struct cfl *in[2];
};

/** Returns the default element type of the results. */
extern enum dtype reduce_dims_type(const struct reduce_dims *r);

/** Returns the required private memory [bytes], for tool_needs(). Operands of different shapes are an
 * error(). */
extern long reduce_dims_memory(const struct reduce_dims *r);

/** Writes the results to `out`, with length 1 along the reduced dims. `out` may have any type. Values outside
 * the range of the type are clipped with a warning. */
extern void reduce_dims(const struct reduce_dims *r, struct cfl *out, const char *what);

/** Writes the result of a reduction along all dims to `value`, a buffer of 16 bytes. Returns the type of the
 * result: int64, uint64, float32, float64 or complex128. */
extern enum dtype reduce_dims_value(const struct reduce_dims *r, void *value, const char *what);

/** Sets the reduced dims of a header to length 1, with unchanged centre and total width. */
extern void reduce_dims_header(struct hdr *h, unsigned long dims);

#endif
