#ifndef NUM_SHAPE_REDUCE_DIMS_H
#define NUM_SHAPE_REDUCE_DIMS_H

#include "misc/file/cfl.h"
#include "num/shape/fold.h"

/**
 * Reductions along some dims of whole files and streams, of one array or of the products of two (repeated
 * along dims of length 1): one pass, by threads, in an order and partition that depend on the shapes alone.
 * Files need a few tens of MiB of private memory whatever their size. A stream is reduced as it comes where
 * the results that are unfinished at a time fit into 512 MiB, else it is spooled.
 */
struct reduce_dims {
	struct fold_spec spec;
	unsigned long dims; // reduced; all: ~0ul
	int nin;            // 1, DOT: 2
	struct cfl *in[2];
};

/** Element type of the results where the user names none. */
extern enum dtype reduce_dims_type(const struct reduce_dims *r);

/** Bytes of private memory that it takes, for tool_needs(). error() where the operands do not fit. */
extern long reduce_dims_memory(const struct reduce_dims *r);

/** Writes the results: an array of the dims of the operands together, 1 along the
 * reduced ones, of any type; what it cannot hold is clipped, with a warning. */
extern void reduce_dims(const struct reduce_dims *r, struct cfl *out, const char *what);

/** The one result along all dims: int64, uint64, float32, float64 or complex128, in value[16]. */
extern enum dtype reduce_dims_value(const struct reduce_dims *r, void *value, const char *what);

/** Says in a header, that of an operand, that the dims are reduced: length 1, at the centre of what there was
 * and as wide. */
extern void reduce_dims_header(struct hdr *h, unsigned long dims);

#endif
