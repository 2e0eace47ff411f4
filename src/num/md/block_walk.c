#include <string.h>

#include "num/md/block_walk.h"

#include "misc/mem.h"

/** A dim that is not completely inside a block. */
static void add_level(struct block_walk *w, long n, bool reduced, long inner, long results)
{
	const long most = WALK_BLOCK / inner;

	if (1 < most) { // a piece of it is
		w->piece = (n + most - 1) / most;
		w->piece = (n + w->piece - 1) / w->piece;
		fold_block_add(&w->block, w->piece, reduced);
	}

	const long blocks = (n + w->piece - 1) / w->piece;

	w->last = n - (blocks - 1) * w->piece;
	w->level[w->L++] = (struct block_level){
	        blocks, inner * w->piece, reduced ? 0 : results * w->piece, reduced, 1 < most};
}

static void make_blocks(struct block_walk *w, const long dims[DIMS], unsigned long reduced)
{
	bool whole = true;

	*w = (struct block_walk){.count = 1, .results = 1, .piece = 1, .last = 1};

	for (int d = 0; d < DIMS; d++) {
		const bool r = reduced >> d & 1;

		if (1 == dims[d])
			continue;

		if (whole && w->count <= WALK_BLOCK / dims[d]) {
			fold_block_add(&w->block, dims[d], r);
		} else if (whole) {
			whole = false;
			add_level(w, dims[d], r, w->count, w->results);
		} else {
			w->level[w->L++] =
			        (struct block_level){dims[d], w->count, r ? 0 : w->results, r, false};
		}

		w->count = mul_checked(w->count, dims[d], "the number of elements");
		w->results *= r ? 1 : dims[d];
	}

	if (0 == w->block.G)
		fold_block_add(&w->block, 1, false);

	w->axis = fold_block_axis(&w->block);
	w->direct = true;

	for (int g = 0; g < w->block.G; g++)
		w->direct = w->direct && !w->block.reduced[g];
}

/** A group is what lies inside the slowest reduced level. */
static void make_groups(struct block_walk *w)
{
	int inside = 0;

	for (int l = 0; l < w->L; l++)
		inside = w->level[l].reduced ? l + 1 : inside;

	w->per_group = w->groups = 1;

	for (int l = 0; l < w->L; l++)
		*(l < inside ? &w->per_group : &w->groups) *= w->level[l].n;
}

void block_walk_init(struct block_walk *w, const long dims[DIMS], unsigned long reduced)
{
	make_blocks(w, dims, reduced);
	make_groups(w);
}

void block_walk_by_result(struct block_walk *w)
{
	struct block_level sorted[DIMS + 1];
	int n = 0;

	for (int pass = 1; pass >= 0; pass--)
		for (int l = 0; l < w->L; l++)
			if (w->level[l].reduced == (1 == pass))
				sorted[n++] = w->level[l];

	memcpy(w->level, sorted, sizeof sorted);
	make_groups(w);
}

struct block_place block_walk_place(const struct block_walk *w, long block)
{
	struct block_place p = {.n = 1, .results = 1};

	for (int l = 0; l < w->L; l++) {
		const long i = block % w->level[l].n;

		block /= w->level[l].n;
		p.first += i * w->level[l].step;
		p.out += i * w->level[l].ostep;
		p.shorter = p.shorter || (w->level[l].pieces && i == w->level[l].n - 1);
	}

	const struct fold_block b = block_walk_shape(w, &p);

	for (int g = 0; g < b.G; g++)
		p.n *= b.len[g];

	p.results = fold_block_results(&b);

	return p;
}

struct fold_block block_walk_shape(const struct block_walk *w, const struct block_place *p)
{
	struct fold_block b = w->block;

	if (p->shorter)
		b.len[b.G - 1] = b.len[b.G - 1] / w->piece * w->last;

	return b;
}

long block_walk_group(const struct block_walk *w, long group)
{
	return (group < w->groups) ? block_walk_place(w, group * w->per_group).out : w->results;
}
