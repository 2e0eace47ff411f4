#ifndef CT_FBP_FBP_DETECTOR_HIT_H
#define CT_FBP_FBP_DETECTOR_HIT_H

#include <math.h>
#include <stdbool.h>

#include "num/device/cuda/device_fn.h"

/** The projection of a voxel on the detector, for filtered back projection. C and CUDA C. */

/** The spacing of the columns of a view as seen from the source. */
enum fbp_spacing { FBP_EVEN, FBP_EQUIANGULAR, FBP_UNEVEN };

/**
 * Data of one view for filtered back projection, in float64. For a flat detector, the rows of `to` map a
 * voxel (x, y, z, 1) [mm] to column * w, row * w and w. For a curved detector, these rows map the voxel to
 * coordinates along u [mm], along the normal [mm] and along v [rows], relative to the centre of curvature. w
 * is the distance from the source along the detector's normal (curved: within the fan), 1 at the rotation
 * axis.
 */
struct fbp_view {
	double to[3][4];
	double factor; // of the filtered view [1/mm]
	enum fbp_spacing spacing;
	bool curved, parallel;
	bool untilted;     // along z nothing changes but the row
	double from[3];    // curved: the source (parallel: the direction) in the same coordinates
	double radius;     // curved [mm]
	double pitch;      // curved: angle of a column [rad]
	double middle[2];  // column and row of the detector's centre
	double depth;      // of the rotation axis [mm]
	double central[3]; // unit vector along the ray through the axis
};

/** The projection of a voxel: column, row, change of the row per voxel along z, and weight 1 / w^2 (0 behind
 * the source). */
struct fbp_hit {
	double col, row, rise, weight;
};

/** For a flat detector: `at` is view->to times the voxel, and `rise` is the change of the row per voxel along
 * z. */
DEVICE_FN void fbp_hit_flat(struct fbp_hit *s, const double at[3], double rise)
{
	double f = (at[2] > 0.) ? 1. / at[2] : 0.;

	s->col = at[0] * f;
	s->row = at[1] * f;
	s->rise = rise * f;
	s->weight = f * f;
}

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

/** x limited to lo..hi; lo if x is NaN. */
DEVICE_FN double fbp_clamp(double x, double lo, double hi)
{
	x = (x > lo) ? x : lo;
	return (x < hi) ? x : hi;
}

#endif
