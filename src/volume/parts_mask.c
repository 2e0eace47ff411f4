#include "volume/parts_mask.h"

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

struct mask_pass {
	const struct parts_volume *v;
	const struct voxels_out *out;
	long at;
	unsigned char other;
	const struct voxels *in;
	double level;
	unsigned axes;
	bool *chosen;
	long *nans;
};

static void mask_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct mask_pass *p = ctx;
	const long nx = p->v->nx, n = c->rows * nx;
	unsigned char *out = mem_alloc((size_t)n);

	(void)shared;
	memset(out, p->other, (size_t)n);

	for (long r = 0; r < c->rows; r++)
		for (long i = c->start[r]; i < c->start[r + 1]; i++)
			if (p->chosen[c->number[c->local[i]]])
				memset(out + r * nx + c->run[i].start, 1 - p->other,
				        c->run[i].end - c->run[i].start);

	voxels_put(p->out, p->at + c->first * nx, n, out);
	free(out);
}

void parts_mask(const struct parts *p, const struct parts_volume *v, const bool chosen[],
        const struct voxels_out *out, long at, unsigned char other)
{
	struct mask_pass m = {.v = v, .out = out, .at = at, .other = other, .chosen = (bool *)chosen};

	parts_pass(p, &(struct parts_pass){.chunk = mask_chunk, .ctx = &m, .what = "writing the mask"});
}

/* ---- which components: flags of those of a block, then of all ---- */

static void *choose_begin(void *ctx, long locals, const uint32_t *number)
{
	(void)ctx;
	(void)number;

	return mem_calloc((size_t)locals + 1, 1);
}

static void choose_end(void *ctx, void *shared, long locals, const uint32_t *number)
{
	const struct mask_pass *p = ctx;
	const unsigned char *flag = shared;

	for (long k = 0; k < locals; k++)
		if (flag[k])
			p->chosen[number[k]] = true;

	free(shared);
}

static void above_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct mask_pass *p = ctx;
	const long nx = p->v->nx, n = c->rows * nx;
	double *buffer = mem_alloc((size_t)n * 24);
	const double *x = voxels_get_as(p->in, DT_FLOAT64, c->first * nx, n, buffer, buffer + n);
	const long nans = voxels_count_nan(DT_FLOAT64, n, x);
	unsigned char *flag = shared;

#pragma omp atomic
	*p->nans += nans;

	for (long r = 0; r < c->rows; r++, x += nx)
		for (long i = c->start[r]; i < c->start[r + 1]; i++)
			for (uint32_t k = c->run[i].start; k < c->run[i].end; k++)
				flag[c->local[i]] |= x[k] > p->level;

	free(buffer);
}

long parts_above(const struct parts *p, const struct parts_volume *v, bool chosen[], const struct voxels *in,
        double level)
{
	long nans = 0;
	struct mask_pass m = {.v = v, .in = in, .level = level, .chosen = chosen, .nans = &nans};

	parts_pass(p, &(struct parts_pass){.begin = choose_begin,
	                      .chunk = above_chunk,
	                      .end = choose_end,
	                      .ctx = &m,
	                      .what = "choosing components"});

	return nans;
}

static bool at_end(long i, long n)
{
	return 0 == i || n - 1 == i;
}

static void border_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct mask_pass *p = ctx;
	const struct parts_volume *v = p->v;
	unsigned char *flag = shared;

	for (long r = 0; r < c->rows; r++) {
		const bool row = ((p->axes & 2) && at_end(parts_y(v, c->first + r), v->ny)) ||
		                 ((p->axes & 4) && at_end(parts_z(v, c->first + r), v->nz));

		for (long i = c->start[r]; i < c->start[r + 1]; i++)
			flag[c->local[i]] |=
			        row || ((p->axes & 1) && (0 == c->run[i].start || v->nx == c->run[i].end));
	}
}

void parts_on_border(const struct parts *p, const struct parts_volume *v, bool chosen[], unsigned axes)
{
	struct mask_pass m = {.v = v, .axes = axes, .chosen = chosen};

	parts_pass(p, &(struct parts_pass){.begin = choose_begin,
	                      .chunk = border_chunk,
	                      .end = choose_end,
	                      .ctx = &m,
	                      .what = "finding the border"});
}
