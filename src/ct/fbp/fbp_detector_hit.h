#ifndef CT_FBP_FBP_DETECTOR_HIT_H
#define CT_FBP_FBP_DETECTOR_HIT_H

#include <math.h>
#include <stdbool.h>

#include "num/device/cuda/device_fn.h"

/** These functions project voxels on the detector for filtered back projection. This header is valid C, CUDA
 * C and OpenCL C. */

/** The spacing of the detector columns, as seen from the source. */
enum fbp_spacing { FBP_EVEN, FBP_EQUIANGULAR, FBP_UNEVEN };

/** Data of one view for filtered back projection, in float64. For a flat detector, `to` maps a voxel (x, y,
 * z, 1) [mm] to (column * w, row * w, w). For a curved detector, `to` maps the voxel to a point relative to
 * the centre of curvature. The coordinates of this point are along u [mm], along the normal [mm] and along v
 * [rows]. Here, w is the depth of the voxel divided by the depth of the rotation axis (fbp.h). */
struct fbp_view {
	double to[3][4];
	double factor; // scale factor of the filtered view [1/mm]
	enum fbp_spacing spacing;
	bool curved, parallel;
	bool untilted;     // a step along z changes only the row
	double from[3];    // curved: source, or direction of a parallel beam, in the coordinates of `to`
	double radius;     // curved: radius [mm]
	double pitch;      // curved: angle between columns [rad]
	double middle[2];  // column and row of the detector's centre
	double depth;      // depth of the rotation axis [mm]
	double central[3]; // unit vector along the ray through the axis
};

/** The projection of a voxel. `col` and `row` are the position on the detector. `rise` is the number of
 * detector rows per slice. `weight` is 1 / w^2 (fbp.h). For a flat detector, the weight is 0 if the voxel is
 * behind the source. For a curved detector, the weight is 0 if the ray misses the cylinder. */
struct fbp_hit {
	double col, row, rise, weight;
};

/** Projects a voxel on a flat detector. `at` is view->to times the voxel. `rise` is the change of at[1] from
 * one slice to the next. */
DEVICE_FN void fbp_hit_flat(struct fbp_hit *s, const double at[3], double rise)
{
	double f = (at[2] > 0.) ? 1. / at[2] : 0.;

	s->col = at[0] * f;
	s->row = at[1] * f;
	s->rise = rise * f;
	s->weight = f * f;
}

/** Projects a voxel on a curved detector. `at` is view->to times the voxel. `rise` is the change of at[2]
 * from one slice to the next. */
DEVICE_FN void fbp_hit_curved(struct fbp_hit *s, const struct fbp_view *v, const double at[3], double rise)
{
	double d[3], o[3];
	int r;

	for (r = 0; r < 3; r++) {
		o[r] = v->parallel ? at[r] : v->from[r];
		d[r] = v->parallel ? v->from[r] : at[r] - v->from[r];
	}

	double dd = d[0] * d[0] + d[1] * d[1], od = o[0] * d[0] + o[1] * d[1];
	double disc = od * od - dd * (o[0] * o[0] + o[1] * o[1] - v->radius * v->radius);
	bool meets = dd > 0. && disc >= 0.;
	double t = meets ? (sqrt(disc) - od) / dd : 0.;

	s->col = atan2(o[0] + t * d[0], o[1] + t * d[1]) / v->pitch + v->middle[0];
	s->row = o[2] + t * d[2] + v->middle[1];
	s->rise = v->parallel ? rise : t * rise;
	s->weight = !meets ? 0. : v->parallel ? 1. : v->depth * v->depth / dd;
}

/** Returns x limited to the range from lo to hi. For NaN, the result is lo. */
DEVICE_FN double fbp_clamp(double x, double lo, double hi)
{
	x = (x > lo) ? x : lo;
	return (x < hi) ? x : hi;
}

#endif
