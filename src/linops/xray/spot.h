#ifndef LINOPS_XRAY_SPOT_H
#define LINOPS_XRAY_SPOT_H

/**
 * Where lines of voxels along z are seen on a detector whose columns are parallel to z: C and CUDA C.
 *
 * The rows of `to` map voxel indices (x, y, z, 1)
 *   flat: to column * w, row * w and w;
 *   curved: to its coordinates along u [mm], along the normal [mm] and along v [rows], counted from the
 * centre of curvature, in which the source (parallel: the direction) is `from`.
 */

#include <math.h>

#include "num/cuda/device_fn.h"

struct spot_view {
	double to[3][4];
	double from[3];
	double radius, pitch; /* curved: [mm], angle of a column [rad]; flat: 0 */
	double middle[2];     /* column and row of the detector's centre */
	double depth2; /* curved: square of the distance from the source at which the weight is 1 [mm^2] */
	int parallel;
};

/** Column, row of slice 0, rows per slice, and weight 1 / w^2; the latter two are 0 where nothing is seen. */
struct spot {
	double column, row, rise, weight;
};

DEVICE_FN struct spot spot_curved(const struct spot_view *v, double x, double y)
{
	struct spot s;
	double q[3], d[3], o[3];

	for (int r = 0; r < 3; r++) {
		q[r] = v->to[r][0] * x + v->to[r][1] * y + v->to[r][3];
		o[r] = v->parallel ? q[r] : v->from[r];
		d[r] = v->parallel ? v->from[r] : q[r] - v->from[r];
	}

	double dd = d[0] * d[0] + d[1] * d[1], od = o[0] * d[0] + o[1] * d[1];
	double disc = od * od - dd * (o[0] * o[0] + o[1] * o[1] - v->radius * v->radius);
	int meets = dd > 0. && disc >= 0.;
	double t = meets ? (sqrt(disc) - od) / dd : 0.;

	s.column = atan2(o[0] + t * d[0], o[1] + t * d[1]) / v->pitch + v->middle[0];
	s.row = o[2] + t * d[2] + v->middle[1];
	s.rise = v->parallel ? v->to[2][2] : t * v->to[2][2];
	s.weight = !meets ? 0. : v->parallel ? 1. : v->depth2 / dd;
	return s;
}

DEVICE_FN struct spot spot_flat(const struct spot_view *v, double x, double y)
{
	struct spot s;
	double w, f;

	w = v->to[2][0] * x + v->to[2][1] * y + v->to[2][3];
	f = (w > 0.) ? 1. / w : 0.;
	s.column = (v->to[0][0] * x + v->to[0][1] * y + v->to[0][3]) * f;
	s.row = (v->to[1][0] * x + v->to[1][1] * y + v->to[1][3]) * f;
	s.rise = v->to[1][2] * f;
	s.weight = f * f;
	return s;
}

/** The line of voxels (x, y, .). */
DEVICE_FN struct spot spot_at(const struct spot_view *v, double x, double y)
{
	return (v->radius > 0.) ? spot_curved(v, x, y) : spot_flat(v, x, y);
}

#endif
