#ifndef NUM_EXPR_EXPR_SOURCE_H
#define NUM_EXPR_EXPR_SOURCE_H

#include "num/expr/expr_fold.h"
#include "num/expr/expr_loop.h"

/**
 * A pass of an expression as the source of one kernel, gantry_expr(). The text compiles as CUDA C++ by NVRTC
 * or nvcc, and as plain C++ for CPUs, where one call computes a block. The text depends on types, on
 * alignment, on which steps are 0 or contiguous and on which operands are the same. Extents, steps, addresses
 * and scalars are arguments, so that one text is used for all sizes.
 *
 * A thread processes `vector` neighbouring elements at a time, in accesses of up to 16 bytes, and repeats
 * this `unroll` times. The number of elements of a block depends only on the size of the pass. Sums are
 * computed in float64: per thread, then in a tree over the threads of a block, then over the blocks.
 */
struct expr_source {
	char *text; // what follows expr_source_library()
	int vector, unroll;
	long words;     // of the arguments, 8 bytes each: EXPR_WORDS, then those of this text
	int reductions; // [pass->reductions]
	int *how;       // enum expr_fold of each
	int counters;   // values that do not fit per output, then those outside domains per check
	const struct loop *loop;
	int *scalar; // per node: its word among the arguments, -1
	int *grid;   // per step: that of a coordinate's origin and spacing
	int *same;   // per lane: the lane that it equals, itself where none
};

/** base[lane]: address of element 0 of a lane, as for expr_loop_range(). The loop must outlive the result. */
extern struct expr_source *expr_source_create(const struct loop *l, char *const base[]);
extern void expr_source_free(struct expr_source *s);

/** The common beginning of all sources. */
extern const char *expr_source_library(void);

/** Writes the arguments words[EXPR_WORDS..s->words) for the addresses base[]. */
extern void expr_source_arguments(const struct expr_source *s, char *const base[], int64_t *words);

/** The index of the first argument word of a lane (its address and steps), of coordinate step `step` (origin
 * and spacing), and of the scalar of a node. */
extern long expr_source_lane_word(const struct loop *l, int lane);
extern int expr_source_grid_word(const struct expr_source *s, int step);
extern int expr_source_scalar_word(const struct expr_source *s, int node);

/** Elements per block for a pass over `count` elements: a multiple of the elements that the threads of a
 * block process at a time. At most EXPR_BLOCKS blocks if there are reductions. */
enum { EXPR_BLOCKS = 8192 };
extern long expr_source_part(const struct expr_source *s, long count);

/** The C++ name of a type of elements in memory, and of a work type. */
extern const char *expr_memory_type(enum dtype t);
extern const char *expr_work_type(enum dtype t);

/** The first lane with the same data, steps and type as `lane`. */
extern int expr_same_lane(const struct loop *l, char *const base[], int lane);

#endif
