/** The back projection of filtered back projection as an operator, for reconstructions that do not need the
 * transpose of A. */

#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp.h"
#include "ct/projector/mask.h"
#include "misc/error.h"
#include "misc/mem.h"

struct fbp_op {
	struct geom *g;
	struct grid grid;
	struct fbp *f;
	enum dtype type;
	bool filtered;
	const struct mask *mask;
	size_t bytes; // of the volume
	void *buffer; // a batch of views as the back projection takes them
};

/** The measured columns among those that the back projection takes, the others 0. */
static void widen(const struct fbp_op *o, const char *p, long n)
{
	const size_t size = dtype_size(o->type), cols = (size_t)fbp_cols(o->f) * size;
	const size_t from = (size_t)o->g->cols * size, left = (size_t)fbp_left(o->f) * size;

	memset(o->buffer, 0, (size_t)(n * o->g->rows) * cols);

	for (long i = 0; i < n * o->g->rows; i++)
		memcpy((char *)o->buffer + (size_t)i * cols + left, p + (size_t)i * from, from);
}

static void backproject(const void *self, void *dst, const void *src)
{
	const struct fbp_op *o = self;
	const long per = fbp_batch(o->f, o->type), view = o->g->cols * o->g->rows * (long)dtype_size(o->type);

	memset(dst, 0, o->bytes);

	for (long k = 0, n; k < o->g->views; k += n) {
		n = (o->g->views - k < per) ? o->g->views - k : per;

		if (o->filtered)
			fbp_filter(o->f, o->type, o->buffer, (const char *)src + k * view, k, n);
		else
			widen(o, (const char *)src + k * view, n);

		fbp_backproject(o->f, &o->grid, o->type, dst, 1, o->buffer, k, n);
	}

	if (NULL != o->mask)
		mask_volume(o->mask, o->type, dst);
}

static void no_transpose(const void *self, void *dst, const void *src)
{
	(void)self;
	(void)dst;
	(void)src;
	error("the transpose of the back projection of fbp is not implemented");
}

static void destroy(void *self)
{
	struct fbp_op *o = self;

	fbp_free(o->f);
	geom_free(o->g);
	free(o->buffer);
	free(o);
}

struct linop *linop_fbp_create(const struct geom *g, const struct grid *grid, enum dtype type, bool filtered,
        const struct mask *mask, const char *name)
{
	static const struct linop_ops voxel = {
	        .name = "voxel", .forward = backproject, .adjoint = no_transpose, .destroy = destroy};
	static const struct linop_ops fbp = {
	        .name = "fbp", .forward = backproject, .adjoint = no_transpose, .destroy = destroy};

	if (dtype_is_complex(type))
		error("the back projection of fbp needs a real type, found %s", dtype_name(type));

	struct fbp_op *o = NEW(struct fbp_op);
	const long odims[3] = {grid->size[0], grid->size[1], grid->size[2]},
	           idims[3] = {g->cols, g->rows, g->views};

	o->g = geom_create(g->views, g->cols, g->rows, g->parallel);
	o->g->radius = g->radius;
	o->g->stack = g->stack;
	memcpy(o->g->view, g->view, (size_t)g->views * sizeof *g->view);
	o->grid = *grid;
	o->f = fbp_create(o->g, &(const struct fbp_settings){0}, name);
	o->type = type;
	o->filtered = filtered;
	o->mask = mask;
	o->bytes =
	        (size_t)mul_checked(mul_checked(odims[0], odims[1], "the volume"), odims[2], "the volume") *
	        dtype_size(type);
	o->buffer = mem_alloc((size_t)(fbp_batch(o->f, type) * g->rows * fbp_cols(o->f)) * dtype_size(type));

	return linop_create(filtered ? &fbp : &voxel, o, type, 3, odims, 3, idims);
}
