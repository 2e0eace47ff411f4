#ifndef NUM_SHAPE_REDUCE_DIMS_H
#define NUM_SHAPE_REDUCE_DIMS_H

#include "misc/file/cfl.h"
#include "num/shape/fold.h"

/**
 * Reductions along some dims of whole files and streams, of one array or of the products of two arrays
 * (repeated along dims of length 1). Reductions need one pass and use several threads; order and partition
 * depend on the shapes alone. Files of any size need a few tens of MiB of private memory. A stream is reduced
 * while it is read if incomplete results fit into 512 MiB; else it is spooled.
 */
struct reduce_dims {
	struct fold_spec spec;
	unsigned long dims; // reduced; all: ~0ul
	int nin;            // 1, DOT: 2
	struct cfl *in[2];
};

/** Default element type of the results. */
extern enum dtype reduce_dims_type(const struct reduce_dims *r);

/** Private memory needed [bytes], for tool_needs(). error() if the operands do not fit. */
extern long reduce_dims_memory(const struct reduce_dims *r);

/** Writes the results: an array with the common dims of the operands, 1 along the reduced ones, of any type;
 * values outside the range of this type are clipped, with a warning. */
extern void reduce_dims(const struct reduce_dims *r, struct cfl *out, const char *what);

/** The single result along all dims: int64, uint64, float32, float64 or complex128, in value[16]. */
extern enum dtype reduce_dims_value(const struct reduce_dims *r, void *value, const char *what);

/** Changes an operand's header for reduced dims: length 1, same centre and total width.
 */
extern void reduce_dims_header(struct hdr *h, unsigned long dims);

#endif
