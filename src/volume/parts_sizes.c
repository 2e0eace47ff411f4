#include "volume/parts_sizes.h"

#include <stdlib.h>

#include "misc/mem.h"

static void *sizes_begin(void *ctx, long locals, const uint32_t *number)
{
	(void)ctx;
	(void)number;

	return mem_calloc((size_t)locals + 1, sizeof(long));
}

static void sizes_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	long *voxels = shared;

	(void)ctx;

	for (long i = 0; i < c->start[c->rows]; i++)
		voxels[c->local[i]] += (long)(c->run[i].end - c->run[i].start);
}

static void sizes_end(void *ctx, void *shared, long locals, const uint32_t *number)
{
	const long *voxels = shared;
	long *all = ctx;

	for (long k = 0; k < locals; k++)
		all[number[k]] += voxels[k];

	free(shared);
}

void parts_sizes(const struct parts *p, long voxels[])
{
	const long count = parts_count(p);

	for (long i = 1; i <= count; i++)
		voxels[i] = 0;

	parts_pass(p, &(struct parts_pass){.begin = sizes_begin,
	                      .chunk = sizes_chunk,
	                      .end = sizes_end,
	                      .ctx = voxels,
	                      .what = "counting voxels"});
}
