#ifndef NUM_MD_BLOCK_WALK_H
#define NUM_MD_BLOCK_WALK_H

#include "num/shape/fold.h"

/** Division of an array into contiguous blocks, for reductions along some dims. A block contains whole inner
 * dims and a range of the next dim. The division depends only on the shape. */

enum { WALK_BLOCK = 1 << 15 }; // largest number of elements of a block

/** A loop over the blocks along one dim. */
struct block_level {
	long n;
	long step;  // from one block to the next [elements]
	long ostep; // from one block to the next [results]
	bool reduced;
	bool pieces; // whether the last block may be shorter
};

struct block_walk {
	long count, results;     // numbers of elements and results of the array
	struct fold_block block; // shape of a block that is not the last
	int axis;                // fold_block_axis()
	bool direct;             // whether no dim of a block is reduced
	long piece, last;        // lengths of a block and of the last block, along their outermost dim
	int L;
	struct block_level level[DIMS + 1]; // loops, innermost first
	long groups, per_group;             // number of groups that share no results; blocks per group
};

/** Initialises a walk over the blocks in the order of the elements. */
extern void block_walk_init(struct block_walk *w, const long dims[DIMS], unsigned long reduced);

/** Reorders the walk: blocks that share results become consecutive. Blocks of one result keep their order. */
extern void block_walk_by_result(struct block_walk *w);

/** The elements [first, first + n) and the results [out, out + results) of a block. */
struct block_place {
	long first, n;
	long out, results;
	bool shorter;
};
extern struct block_place block_walk_place(const struct block_walk *w, long block);

/** Returns the dims of a block. */
extern struct fold_block block_walk_shape(const struct block_walk *w, const struct block_place *p);

/** Returns the first result of a group. For group = w->groups, returns the number of results. */
extern long block_walk_group(const struct block_walk *w, long group);

#endif
