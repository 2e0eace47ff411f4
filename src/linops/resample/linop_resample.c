/* Resampling as an operator. */

#include <stdlib.h>

#include "linops/linop.h"
#include "linops/resample/resample.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"

struct grid_change {
	enum dtype type;
	struct resample_plan *plan;
	long in, out, more; // voxels; volumes, the parts of complex ones counted
	struct scratch *room;
};

/** Volume b: of complex ones the real or the imaginary part. */
static struct resample_array volume(const struct grid_change *g, const void *p, long n, long b)
{
	const bool complex_ = dtype_is_complex(g->type);
	const long size = (long)dtype_size(g->type), part = (long)dtype_size(dtype_real(g->type));
	const long number = complex_ ? b / 2 : b;

	return (struct resample_array){.data = (char *)p + number * n * size + (complex_ ? b % 2 * part : 0),
	        .type = dtype_real(g->type),
	        .step = size};
}

static void *room(const struct grid_change *g, long *bytes)
{
	*bytes = resample_memory(g->plan);

	return scratch_get(g->room, DT_UINT8, *bytes, NULL);
}

static void resample_op_forward(const void *self, void *dst, const void *src)
{
	const struct grid_change *g = self;
	long bytes;
	void *memory = room(g, &bytes);

	for (long b = 0; b < g->more; b++)
		resample_forward(g->plan, volume(g, dst, g->out, b), volume(g, src, g->in, b), memory, bytes);
}

static void resample_op_adjoint(const void *self, void *dst, const void *src)
{
	const struct grid_change *g = self;
	long bytes;
	void *memory = room(g, &bytes);

	for (long b = 0; b < g->more; b++)
		resample_adjoint(g->plan, volume(g, dst, g->in, b), volume(g, src, g->out, b), memory);
}

static void resample_op_destroy(void *self)
{
	struct grid_change *g = self;

	resample_plan_free(g->plan);
	scratch_free(g->room);
	free(g->room);
	free(g);
}

static const struct linop_ops resample_ops = {.name = "resample",
        .forward = resample_op_forward,
        .adjoint = resample_op_adjoint,
        .destroy = resample_op_destroy};

struct linop *linop_resample_create(enum dtype type, int D, const long dims[], const struct resample *r)
{
	struct resample settings = *r;
	struct grid_change *g = NEW(struct grid_change);
	long odims[DIMS];

	settings.fill = 0.;
	*g = (struct grid_change){.type = type, .in = 1, .out = 1, .more = dtype_is_complex(type) ? 2 : 1};

	for (int d = 0; d < D; d++) {
		if (d < 3 && dims[d] != r->in[d])
			error("the input of a resampling has %ld elements along dimension %d, expected %ld",
			        dims[d], d, r->in[d]);

		odims[d] = (d < 3) ? r->out[d] : dims[d];
		g->more *= (d < 3) ? 1 : dims[d];
	}

	for (int d = 0; d < 3; d++) {
		g->in = mul_checked(g->in, r->in[d], "the resampled volume");
		g->out = mul_checked(g->out, r->out[d], "the resampled volume");

		if (d >= D && (1 != r->in[d] || 1 != r->out[d]))
			error("dimension %d cannot be resampled: the array has %d dimensions", d, D);
	}

	g->plan = resample_plan_create(&settings, dtype_real(type), NULL, NULL);
	g->room = NEW(struct scratch);

	return linop_create(&resample_ops, g, type, D, odims, D, dims);
}
