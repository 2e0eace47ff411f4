#ifndef CT_PROJECTOR_MODEL_GENERAL_WORK_H
#define CT_PROJECTOR_MODEL_GENERAL_WORK_H

/** Code that the general ray kernels in CUDA C and OpenCL C share. */

#include "ct/projector/model/gather.h"
#include "ct/projector/model/joseph.h"

/** The scan, the tile and the strides of one call of the general kernels. The struct is passed by value in
 * C, CUDA C and OpenCL C. Strides are in elements. */
struct general_work {
	struct gather g;
	long first, views;    /* views of proj, counted in the geometry */
	long row, rows;       /* detector rows of proj */
	long slice, slices;   /* slices of vol */
	long stride[3], step; /* strides of vol along x, y, z; stride of proj along columns */
};

/** Clips a ray to the planes in which the ray meets the slices of this call. Returns the number of planes. */
DEVICE_FN int general_clip_slices(const struct general_work *w, struct joseph_line *l)
{
	const double low = (double)w->slice;
	double lo = l->first, hi = (double)l->first + l->count - 1;

	if (l->m == 2) {
		lo = (low + 1. > lo) ? low + 1. : lo;
		hi = (low + w->slices < hi) ? low + w->slices : hi;
	} else {
		const double slope = l->slope[1]; /* q is z */

		joseph_narrow(&lo, &hi, l->pos[1] - low, 1. / slope, w->slices + 1.);

		if (slope == 0. && !(l->pos[1] >= low && l->pos[1] <= low + w->slices + 1.))
			return l->count = 0;
	}

	if (!(lo <= hi))
		return l->count = 0;

	l->first = (int)lo;
	l->first += (l->first < lo);
	return l->count = (int)hi - l->first + 1;
}

/** For axes p and q of a ray: first voxel, number of voxels and stride of `vol`. */
struct general_window {
	long low[2], size[2], stride[2];
};

DEVICE_FN void general_find_window(
        struct general_window *o, const struct general_work *w, const struct joseph_line *l)
{
	for (int i = 0; i < 2; i++) {
		const int axis = i ? l->q : l->p;

		o->low[i] = (axis == 2) ? w->slice : 0;
		o->size[i] = (axis == 2) ? w->slices : w->g.size[axis];
		o->stride[i] = w->stride[axis];
	}
}

/** The cells that a ray meets in successive planes, along axes p and q. A cell is the square between four
 * voxel centres. Cells are numbered from `low`, which is 1 below the lowest cell. `first` is the index of
 * cell `low` in struct general_window. */
struct general_cells {
	double low[2];
	long first[2];
	int inside; /* all cells of these planes are inside the window */
};

/** Finds the cells that a ray meets in successive planes. Along p and q, the ray is at x0 in the first plane
 * and at x1 in the last plane. */
DEVICE_FN void general_find_cells(
        struct general_cells *c, const struct general_window *o, const double x0[2], const double x1[2])
{
	c->inside = 1;

	for (int i = 0; i < 2; i++) {
		const double low = (x0[i] < x1[i]) ? x0[i] : x1[i], high = (x0[i] < x1[i]) ? x1[i] : x0[i];

		c->low[i] = floor(low) - 1.;
		c->first[i] = (long)c->low[i] - 1 - o->low[i];
		c->inside = c->inside && c->first[i] >= 0 &&
		            high - c->low[i] + 2. + (double)c->first[i] < (double)o->size[i];
	}
}

DEVICE_FN int general_is_voxel(const struct general_cells *c, const struct general_window *o, int p, int q)
{
	return (unsigned long)(c->first[0] + p) < (unsigned long)o->size[0] &&
	       (unsigned long)(c->first[1] + q) < (unsigned long)o->size[1];
}

#endif
