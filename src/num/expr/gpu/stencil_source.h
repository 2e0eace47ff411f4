#ifndef NUM_EXPR_GPU_STENCIL_SOURCE_H
#define NUM_EXPR_GPU_STENCIL_SOURCE_H

#include "num/expr/expr_fold.h"
#include "num/expr/stencil.h"

/**
 * Source texts of the kernels for a pass with neighbourhoods. A block of threads computes one tile of the
 * results. Shared memory holds the stages (num/expr/stencil.h) of the tile and its neighbours. If shared
 * memory is too small, a separate kernel stores each stage in an array. Every element is computed by the
 * same operations in the same order as on the CPU.
 */
struct stencil_source {
	const struct stencil *s;
	int kernels;
	struct stencil_kernel {
		int stage; // stage that the kernel stores; -1 means the results
		char *text;
	} * kernel;
	int tile[3];    // [elements]
	long words;     // number of argument words of 8 bytes
	int reductions; // number of reductions of the pass
	int *how;       // enum expr_fold of each reduction
	int counters;   // one per output (values that do not fit), then one per check (outside the domain)
	int *scalar;    // per node: index of its argument word; -1 means none
	bool *kept;     // per stage: whether an array stores it
};

/**
 * Slices that the kernels compute, and the addresses of element 0 of the arrays. Element 0 of an input or
 * output may be outside the slab.
 */
struct stencil_places {
	const char *in[EXPR_OPERANDS];
	char *out[EXPR_OPERANDS];
	char **kept;     // per stage: array of stencil_source_kept() elements, or NULL
	long from, to;   // slices [from, to)
	long rest[DIMS]; // indices of dims 3 and higher
};

/** Creates the sources. The argument w gives types, steps and byte order of inputs and outputs. If
 * `aligned`, all elements have the alignment of their type. Returns NULL if the pass takes samples, or if
 * its programs or windows are too large for a kernel. */
extern struct stencil_source *stencil_source_create(
        const struct stencil *s, const struct stencil_work *w, bool aligned);
extern void stencil_source_free(struct stencil_source *s);

/** Returns the number of elements of a stored stage for `slices` slices of results. */
extern long stencil_source_kept(const struct stencil_source *s, int stage, long slices);
/** Returns the number of blocks of a kernel for `slices` slices of results. */
extern long stencil_source_blocks(const struct stencil_source *s, int kernel, long slices);
/** Sets `words[k]` for `EXPR_WORDS <= k < s->words`. */
extern void stencil_source_arguments(const struct stencil_source *s, const struct stencil_work *w,
        const struct stencil_places *p, const unsigned char (*scalars)[16], int64_t *words);

#endif
