#ifndef NUM_EXPR_GPU_STENCIL_SOURCE_H
#define NUM_EXPR_GPU_STENCIL_SOURCE_H

#include "num/expr/expr_fold.h"
#include "num/expr/stencil.h"

/**
 * A pass with neighbourhoods as sources of kernels, texts like those of num/expr/expr_source.h. A block of
 * threads makes a tile of the results: it computes the stages (num/expr/stencil.h) of the tile and of what is
 * around it in shared memory, one after the other. Where they do not fit, each stage is an array in memory,
 * made by a kernel of its own. Every element is computed by the steps of the CPU in their order.
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

/** What the kernels of some slices find where. Element 0 of inputs and outputs would lie at these addresses.
 */
struct stencil_places {
	const char *in[EXPR_OPERANDS];
	char *out[EXPR_OPERANDS];
	char **kept;     // per stage: as long as stencil_source_kept() says; NULL
	long from, to;   // slices
	long rest[DIMS]; // of the further dims
};

/** NULL: a program of the pass is too long, or one of its windows too large, for a kernel. Types, steps and
 * byte order of inputs and outputs are those of w; `aligned`: elements lie where their units may. */
extern struct stencil_source *stencil_source_create(
        const struct stencil *s, const struct stencil_work *w, bool aligned);
extern void stencil_source_free(struct stencil_source *s);

/** Elements of a kept stage of so many slices of results. */
extern long stencil_source_kept(const struct stencil_source *s, int stage, long slices);
/** Blocks of a kernel for so many slices. */
extern long stencil_source_blocks(const struct stencil_source *s, int kernel, long slices);
/** Fills words[EXPR_WORDS..s->words). */
extern void stencil_source_arguments(const struct stencil_source *s, const struct stencil_work *w,
        const struct stencil_places *p, const unsigned char (*scalars)[16], int64_t *words);

#endif
