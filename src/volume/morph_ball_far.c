/* Masks and large balls: voxels within the radius of the object, or of the background, by exact distances in
 * windows of slices. */

#include <stdlib.h>

#include "misc/mem.h"
#include "misc/error.h"
#include "volume/distance.h"
#include "volume/mask_rows.h"
#include "volume/morph_passes.h"

struct far {
	const struct morph_pass *p;
	unsigned char *out; // slices from z on
	long z;
	double limit;
};

static void far_store(void *ctx, long x, long y, long z, long count, const double square[])
{
	const struct far *f = ctx;
	unsigned char *out = f->out + ((z - f->z) * f->p->in->ny + y) * f->p->in->nx + x;

	for (long i = 0; i < count; i++)
		out[i] = (square[i] <= f->limit) == f->p->max;
}

void morph_ball_far(const struct morph_pass *p)
{
	const struct voxels *v = p->in;
	const struct morph *m = p->m;
	const long slice = v->nx * v->ny, reach = morph_reach(m, 2), most = morph_far_slices(m, v->nz);
	const long step = (most == v->nz) ? v->nz : most - 2 * reach;
	struct mask_rows rows = {.in = v, .invert = p->max};
	struct distance d = {.nx = v->nx, .ny = v->ny, .nz = v->nz, .rows = mask_rows, .ctx = &rows};
	struct far f = {.p = p, .limit = m->radius * m->radius * (1. + 1e-9)};
	uint32_t *near = mem_alloc((size_t)(slice * most) * sizeof *near);

	if (v->nx > DISTANCE_MAX || v->ny > DISTANCE_MAX)
		error("the volume has %ld x %ld voxels, expected at most %d along x and y for this radius",
		        v->nx, v->ny, DISTANCE_MAX);

	for (int k = 0; k < 3; k++) {
		d.h[k] = m->h[k];
		d.border[k] = (p->axes & 1u << k) && m->has_outside && (0. != m->outside) == p->max;
	}

	f.out = mem_alloc((size_t)(slice * step));

	for (f.z = 0; f.z < v->nz; f.z += step) {
		const long end = (v->nz - f.z < step) ? v->nz : f.z + step;
		const long from = (f.z > reach) ? f.z - reach : 0;
		const long to = (v->nz - end < reach) ? v->nz : end + reach;

		distance_slices(&d, from, to - from, near, sizeof *near);
		distance_columns(&d, from, to - from, near, sizeof *near, f.z, end, far_store, &f);
		voxels_put(p->out, p->at + f.z * slice, (end - f.z) * slice, f.out);
	}

	free(near);
	free(f.out);
}
