#ifndef NUM_EXPR_EXPR_SOURCE_H
#define NUM_EXPR_EXPR_SOURCE_H

#include "num/expr/expr_fold.h"
#include "num/expr/expr_loop.h"

/**
 * Source text of the kernel gantry_expr() for one pass of an expression. NVRTC or nvcc compiles the text as
 * CUDA C++. For a CPU, the text compiles as plain C++, and a call computes one block. The text depends on
 * types, alignment, repeated operands, and on which steps are 0 or contiguous. Extents, steps, addresses and
 * scalars are kernel arguments. Therefore arrays of any size can use the same text.
 *
 * A thread loads `vector` neighbouring elements at a time, `unroll` times. Sums are accumulated in float64,
 * in an order that is the same in every run.
 */
struct expr_source {
	char *text; // follows expr_source_library()
	int vector, unroll;
	long words;     // number of argument words of 8 bytes, including the first EXPR_WORDS
	int reductions; // number of reductions of the pass
	int *how;       // enum expr_fold of each reduction
	int counters;   // one per output (values that do not fit), then one per check (outside the domain)
	const struct loop *loop;
	int *scalar; // per node: index of its argument word; -1 means none
	int *grid;   // per step: index of the words for origin and spacing of a coordinate
	int *same;   // per lane: expr_same_lane()
};

/** Creates the source text. The address of element 0 of lane k is base[k]. A lane is an operand of the
 * loop. The loop must outlive the source. */
extern struct expr_source *expr_source_create(const struct loop *l, char *const base[]);
extern void expr_source_free(struct expr_source *s);

/** Returns the text that precedes every source. */
extern const char *expr_source_library(void);

/** Sets `words[k]` for `EXPR_WORDS <= k < s->words`, given the addresses `base[]`. */
extern void expr_source_arguments(const struct expr_source *s, char *const base[], int64_t *words);

/** These functions return the index of the first argument word:
 * - expr_source_lane_word(): for the address and steps of a lane
 * - expr_source_grid_word(): for the origin and spacing of coordinate step `step`
 * - expr_source_scalar_word(): for the scalar of a node */
extern long expr_source_lane_word(const struct loop *l, int lane);
extern int expr_source_grid_word(const struct expr_source *s, int step);
extern int expr_source_scalar_word(const struct expr_source *s, int node);

/** Returns the number of elements per block for a pass over `count` elements. The result is a multiple of the
 * number of elements that a block loads together. With reductions, a pass has at most EXPR_BLOCKS blocks. */
enum { EXPR_BLOCKS = 8192 };
extern long expr_source_part(const struct expr_source *s, long count);

/** These functions return C++ type names: expr_memory_type() for elements in memory, expr_work_type() for
 * computed values. */
extern const char *expr_memory_type(enum dtype t);
extern const char *expr_work_type(enum dtype t);

/** Returns the first lane with the data, steps and type of `lane`. */
extern int expr_same_lane(const struct loop *l, char *const base[], int lane);

#endif
