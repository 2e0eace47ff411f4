#ifndef NUM_MD_BLOCK_WALK_H
#define NUM_MD_BLOCK_WALK_H

#include "num/shape/fold.h"

/**
 * The division of an array into blocks for a reduction along some dims. A block is contiguous: it contains
 * whole inner dims and a range of the next dim. The division depends on the shape alone.
 */

enum { WALK_BLOCK = 1 << 15 }; // elements of a block, at most

/** A loop over blocks along one dim. */
struct block_level {
	long n;
	long step;  // [elements] from one block to the next
	long ostep; // [results]
	bool reduced;
	bool pieces; // of a dim: the last may be shorter
};

struct block_walk {
	long count, results;     // elements and results of the array
	struct fold_block block; // as a rule
	int axis;                // fold_block_axis()
	bool direct;             // a block holds no reduced dim: every element goes to a result of its own
	long piece, last;        // along the outermost dim of a block: as a rule, and in the last
	int L;
	struct block_level level[DIMS + 1]; // the loops, innermost first
	long groups, per_group; // blocks of one group give the same results as none of another does
};

/** Initialises a walk over the blocks in the order of the elements. */
extern void block_walk_init(struct block_walk *w, const long dims[DIMS], unsigned long reduced);

/** Changes the order so that blocks that share results are consecutive; the blocks of one result stay in
 * order.
 */
extern void block_walk_by_result(struct block_walk *w);

/** A block: its elements [first, first + n) and its results [out, out + results). */
struct block_place {
	long first, n;
	long out, results;
	bool shorter;
};
extern struct block_place block_walk_place(const struct block_walk *w, long block);

/** The dims of a block. */
extern struct fold_block block_walk_shape(const struct block_walk *w, const struct block_place *p);

/** The first result of a group; if `group` is the number of groups, the number of results. */
extern long block_walk_group(const struct block_walk *w, long group);

#endif
