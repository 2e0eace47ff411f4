/** The X-ray transform as a linear operator, applied to each channel and time separately. */

#include <stdlib.h>

#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"
#include "num/device/profile.h"
#include "num/md/distributed.h"

struct xray_op {
	struct xray *x;
	enum dtype type;
	long views, repeats;
	size_t vol_bytes, proj_bytes; // of one channel and time
};

/** What one application of the operator reads and writes. */
static long touched(const struct xray_op *o)
{
	return o->repeats * (long)(o->vol_bytes + o->proj_bytes);
}

static void op_forward(const void *self, void *dst, const void *src)
{
	static struct profile_entry entry = {.module = "xray", .name = "A"};
	const struct xray_op *o = self;
	const long size = (long)dtype_size(o->type), voxels = (long)o->vol_bytes / size,
	           pixels = (long)o->proj_bytes / size;

	PROFILE_SPAN(&entry, touched(o));

	for (long i = 0; i < o->repeats; i++) {
		char *proj = (char *)dst + i * o->proj_bytes;
		const char *vol = (const char *)src + i * o->vol_bytes;

		if (distributed())
			xray_forward_distributed(o->x, o->type,
			        &(const struct xray_vector){dst, o->repeats * pixels, i * pixels},
			        &(const struct xray_vector){(void *)src, o->repeats * voxels, i * voxels});
		else if (ranks_shared())
			xray_forward_shared(o->x, o->type, proj, vol);
		else
			xray_forward(o->x, o->type, proj, vol, 0, o->views);
	}

	progress_projection();
}

static void op_adjoint(const void *self, void *dst, const void *src)
{
	static struct profile_entry entry = {.module = "xray", .name = "A'"};
	const struct xray_op *o = self;
	const long size = (long)dtype_size(o->type), voxels = (long)o->vol_bytes / size,
	           pixels = (long)o->proj_bytes / size;

	PROFILE_SPAN(&entry, touched(o));

	if (!distributed())
		device_fill(dst, 0, o->repeats * o->vol_bytes);

	for (long i = 0; i < o->repeats; i++) {
		char *vol = (char *)dst + i * o->vol_bytes;
		const char *proj = (const char *)src + i * o->proj_bytes;

		if (distributed())
			xray_adjoint_distributed(o->x, o->type,
			        &(const struct xray_vector){dst, o->repeats * voxels, i * voxels},
			        &(const struct xray_vector){(void *)src, o->repeats * pixels, i * pixels});
		else if (ranks_shared())
			xray_adjoint_shared(o->x, o->type, vol, proj);
		else
			xray_adjoint(o->x, o->type, vol, proj, 0, o->views);
	}

	progress_projection();
}

static void op_destroy(void *self)
{
	struct xray_op *o = self;

	xray_free(o->x);
	free(o);
}

static const struct linop_ops xray_ops = {.name = "xray",
        .forward = op_forward,
        .adjoint = op_adjoint,
        .destroy = op_destroy,
        .nonnegative = true,
        .anywhere = true};

static size_t bytes(const long n[3], enum dtype type, const char *what)
{
	return mul_checked(mul_checked(mul_checked(n[0], n[1], what), n[2], what), dtype_size(type), what);
}

struct linop *linop_xray_masked_create(const struct geom *g, const struct grid *grid, enum xray_model model,
        enum dtype type, long channels, long times, const struct mask *mask)
{
	struct xray_op *o = NEW(struct xray_op);
	const long odims[5] = {g->cols, g->rows, g->views, channels, times};
	const long idims[5] = {grid->size[0], grid->size[1], grid->size[2], channels, times};

	*o = (struct xray_op){.x = xray_create(g, grid, model), .type = type, .views = g->views};
	xray_set_mask(o->x, mask);
	o->repeats = mul_checked(channels, times, "channels and times");
	o->vol_bytes = bytes(idims, type, "the volume");
	o->proj_bytes = bytes(odims, type, "the projections");
	return linop_create(&xray_ops, o, type, 5, odims, 5, idims);
}

struct linop *linop_xray_create(const struct geom *g, const struct grid *grid, enum xray_model model,
        enum dtype type, long channels, long times)
{
	return linop_xray_masked_create(g, grid, model, type, channels, times, NULL);
}
