#ifndef NUM_EXPR_GPU_STENCIL_SOURCE_H
#define NUM_EXPR_GPU_STENCIL_SOURCE_H

#include "num/expr/expr_fold.h"
#include "num/expr/stencil.h"

/**
 * Sources of the kernels for a pass with neighbourhoods, similar to the sources of num/expr/expr_source.h. A
 * block of threads computes a tile of the results. The block computes the stages (num/expr/stencil.h) of the
 * tile and its neighbours in shared memory, one after the other. If the stages do not fit into shared memory,
 * a separate kernel computes each stage into an array in memory. Every element is computed by the same steps
 * in the same order as on the CPU.
 */
struct stencil_source {
	const struct stencil *s;
	int kernels;
	struct stencil_kernel {
		int stage; // whose array it makes; -1: the results
		char *text;
	} * kernel;
	int tile[3];    // [elements]
	long words;     // of the arguments, 8 bytes each
	int reductions; // [pass->reductions]
	int *how;       // enum expr_fold of each
	int counters;   // values that do not fit per output, then those outside domains per check
	int *scalar;    // per node: its word among the arguments, -1
	bool *kept;     // per stage: an array in memory
};

/** A range of slices that kernels compute, and the addresses of their arrays. The addresses of inputs and
 * outputs are those of element 0, which may be outside the slab.
 */
struct stencil_places {
	const char *in[EXPR_OPERANDS];
	char *out[EXPR_OPERANDS];
	char **kept;     // per stage: as long as stencil_source_kept() says; NULL
	long from, to;   // slices
	long rest[DIMS]; // of the further dims
};

/** Creates the sources; w gives types, steps and byte order of inputs and outputs. `aligned`: addresses of
 * elements have the alignment of their type. NULL if a program of the pass is too long, or a window too
 * large, for a kernel. */
extern struct stencil_source *stencil_source_create(
        const struct stencil *s, const struct stencil_work *w, bool aligned);
extern void stencil_source_free(struct stencil_source *s);

/** Number of elements of a stored stage for `slices` slices of results. */
extern long stencil_source_kept(const struct stencil_source *s, int stage, long slices);
/** Number of blocks of a kernel for `slices` slices. */
extern long stencil_source_blocks(const struct stencil_source *s, int kernel, long slices);
/** Writes the arguments words[EXPR_WORDS..s->words). */
extern void stencil_source_arguments(const struct stencil_source *s, const struct stencil_work *w,
        const struct stencil_places *p, const unsigned char (*scalars)[16], int64_t *words);

#endif
