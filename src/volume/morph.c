#include "volume/morph.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "volume/mask_rows.h"
#include "volume/morph_passes.h"
#include "volume/parts_mask.h"

/** For masks, balls above this radius [voxels] are computed by the distance transform. */
static const long far_reach = 32;

/** Rounding of lengths in mm must not decide what lies on the surface of a ball. */
static double ball_limit(const struct morph *m)
{
	return m->radius * m->radius * (1. + 1e-9);
}

long morph_chord(const struct morph *m, long dy, long dz)
{
	const double y = m->h[1] * (double)dy, z = m->h[2] * (double)dz, left = ball_limit(m) - y * y - z * z;

	return left < 0. ? -1 : (long)(sqrt(left) / m->h[0] * (1. + 1e-12));
}

long morph_reach(const struct morph *m, int d)
{
	return m->ball ? (long)(sqrt(ball_limit(m)) / m->h[d] * (1. + 1e-12)) : m->box[d];
}

static bool is_far(const struct morph *m)
{
	return m->binary && m->ball &&
	       (morph_reach(m, 0) > far_reach || morph_reach(m, 1) > far_reach ||
	               morph_reach(m, 2) > far_reach);
}

static void pass(const struct morph_pass *p)
{
	if (!p->m->ball)
		morph_box(p);
	else if (is_far(p->m))
		morph_ball_far(p);
	else if (p->binary)
		morph_ball_bits(p);
	else
		morph_ball_values(p);
}

/** Two passes with an array between them. */
static void two_passes(struct morph_pass *p)
{
	const struct voxels *in = p->in;
	const struct voxels_out *out = p->out;
	const enum dtype type = p->m->out->hdr.type;
	const long at = p->at;
	struct voxels_out memory = {.size = (long)dtype_size(type)};

	memory.data = mem_alloc((size_t)(in->each * memory.size));

	struct voxels between = *in;

	between.data = memory.data;
	between.type = type;
	between.at = 0;

	p->out = &memory;
	p->at = 0;
	pass(p);
	p->in = &between;
	p->out = out;
	p->at = at;
	p->max = !p->max;
	pass(p);
	free(memory.data);
}

static void fill_holes(const struct morph_pass *p)
{
	struct mask_rows background = {.in = p->in, .invert = true};
	const struct parts_volume v = {.nx = p->in->nx,
	        .ny = p->in->ny,
	        .nz = p->in->nz,
	        .neighbours = p->m->neighbours,
	        .rows = mask_rows,
	        .ctx = &background,
	        .what = "finding the background"};
	struct parts *parts = parts_find(&v);
	bool *around = mem_calloc((size_t)parts_count(parts) + 1, sizeof *around);

	parts_on_border(parts, &v, around, p->axes);
	parts_mask(parts, &v, around, p->out, p->at, 1);
	free(around);
	parts_free(parts);
}

long morph_far_slices(const struct morph *m, long nz)
{
	const long slices = 4 * morph_reach(m, 2) + 8;

	return slices < nz ? slices : nz;
}

long morph_memory(const struct morph *m, const struct hdr *in)
{
	const long slice = in->dims[0] * in->dims[1];
	long bytes = 0;

	if (MORPH_OPEN == m->op || MORPH_CLOSE == m->op)
		bytes += slice * in->dims[2] * (long)(m->binary ? 1 : dtype_size(in->type));

	if (MORPH_FILL != m->op && is_far(m))
		bytes += 4 * slice * morph_far_slices(m, in->dims[2]);

	return bytes;
}

void morph_run(const struct morph *m)
{
	struct voxels in;
	struct voxels_out out;

	voxels_open(&in, m->in);

	if (m->ball || MORPH_FILL == m->op)
		voxels_create(&out, m->out);
	else
		out = (struct voxels_out){m->out, cfl_map_out(m->out), (long)dtype_size(m->out->hdr.type)};

	progress_start(MORPH_FILL == m->op ? "filling holes" : "morphology", m->in->count);

	for (long k = 0; k < in.volumes; k++) {
		struct morph_pass p = {.in = &in,
		        .out = &out,
		        .at = k * in.each,
		        .max = MORPH_DILATE == m->op || MORPH_CLOSE == m->op,
		        .binary = m->binary,
		        .axes = voxels_axes(&m->in->hdr),
		        .m = m};

		voxels_select(&in, k);

		if (MORPH_FILL == m->op)
			fill_holes(&p);
		else if (MORPH_OPEN == m->op || MORPH_CLOSE == m->op)
			two_passes(&p);
		else
			pass(&p);

		progress_update((k + 1) * in.each);
	}

	progress_end();
}
