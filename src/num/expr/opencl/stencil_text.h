#ifndef NUM_EXPR_OPENCL_STENCIL_TEXT_H
#define NUM_EXPR_OPENCL_STENCIL_TEXT_H

#include "num/expr/stencil.h"

/**
 * Source text of the OpenCL C kernels for a pass with neighbourhoods. Kernel gantry_stageK() computes stage K
 * of a slab, with the neighbours that later stages need, and stores it in an array. Sources are read where
 * they are needed. Kernel gantry_results() computes the results. The order of operations is that of the CPU,
 * except for sums over all elements.
 *
 * All kernels have these parameters, in this order:
 * - `words` of 8 bytes (stencil_text_fill())
 * - `counters` of 32 bits: one per output (values that do not fit), then one per check (outside the domain)
 * - `sums` of type `total` (library.cl): reductions of each part of the slab
 * - the buffers of inputs, outputs, stages and samplers that the pass uses, in the order of their numbers
 *
 * A work-group computes a part of the results: `rows` rows of one slice, or what is left of the slice.
 */
struct stencil_text {
	const struct stencil *s;
	char *text;   // follows library.cl
	long words;   // length of `words`
	int *word;    // per node: word of a scalar, or -1
	int samplers; // different ones
	int *sampler; // their ids
	int all;      // buffers, used or not
	int buffers;
	bool *used; // per buffer: whether the pass uses it
	long rows;
};

/** Slices [from, to) at the indices rest[] of dims 3 and higher. Element 0 of buffer k is base[k] bytes after
 * the start of the buffer; it may be outside. */
struct stencil_slab {
	long from, to, rest[DIMS];
	const long *base;
};

/** These functions return the buffer number of an output and a stage. Buffer k is input k. The samplers
 * follow the last stage. */
extern int stencil_text_output(const struct stencil *s, int k);
extern int stencil_text_stage(const struct stencil *s, int k);

/** Creates the text. w gives the types of inputs and outputs; samplers are not used. Returns NULL if OpenCL C
 * cannot express the pass, or if its programs or windows are too large for a kernel. */
extern struct stencil_text *stencil_text_create(const struct stencil *s, const struct stencil_work *w);
extern void stencil_text_free(struct stencil_text *t);

/** Fills t->words words. w gives the steps of inputs and outputs, and the samplers. */
extern void stencil_text_fill(const struct stencil_text *t, const struct stencil_work *w,
        const struct stencil_slab *slab, const unsigned char (*scalars)[16], int64_t *words);

/** Returns the number of elements of the array of a stage for `slices` slices of results. */
extern long stencil_text_stored(const struct stencil_text *t, int stage, long slices);
/** Returns the number of parts of a slice. */
extern long stencil_text_parts(const struct stencil_text *t);

#endif
