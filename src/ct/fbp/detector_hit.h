#ifndef CT_FBP_DETECTOR_HIT_H
#define CT_FBP_DETECTOR_HIT_H

/** These functions compute where lines of voxels along z are projected on the detector. The detector columns
 * must be parallel to z. This header is valid C and CUDA C. */

#include <math.h>

#include "num/device/cuda/device_fn.h"

/** Data of one view. For a flat detector, `to` maps the voxel index (x, y, z, 1) to (column * w, row * w, w).
 * For a curved detector, `to` maps the voxel index to a point relative to the centre of curvature. The
 * coordinates of this point are along u [mm], along the normal [mm] and along v [rows]. */
struct hit_view {
	double to[3][4];
	double from[3]; /* curved: source, or direction of a parallel beam, in the coordinates of `to` */
	double radius, pitch; /* curved: radius [mm], angle between columns [rad]; flat: 0 */
	double middle[2];     /* column and row of the detector's centre */
	double depth2;        /* curved: squared distance from the source at which the weight is 1 [mm^2] */
	int parallel;
};

/** The projection of a line of voxels along z. `column` is the detector column of the whole line. `row` is
 * the detector row of slice 0. `rise` is the number of detector rows per slice. `weight` is the distance
 * weight 1 / w^2 (see fbp.h). For a flat detector, the weight is 0 if the line is behind the source. For a
 * curved detector, the weight is 0 if the ray misses the cylinder. */
struct detector_hit {
	double column, row, rise, weight;
};

/** The ray through voxel (x, y, 0), for a curved detector. The ray passes through the point o in direction d.
 * The ray meets the detector at o + t d. If the ray misses the detector's cylinder, `meets` is 0. */
struct hit_ray {
	double o[3], d[3], t;
	int meets;
};

DEVICE_FN struct hit_ray hit_ray(const struct hit_view *v, double x, double y)
{
	struct hit_ray s;

	for (int r = 0; r < 3; r++) {
		double q = v->to[r][0] * x + v->to[r][1] * y + v->to[r][3];

		s.o[r] = v->parallel ? q : v->from[r];
		s.d[r] = v->parallel ? v->from[r] : q - v->from[r];
	}

	double dd = s.d[0] * s.d[0] + s.d[1] * s.d[1], od = s.o[0] * s.d[0] + s.o[1] * s.d[1];
	double disc = od * od - dd * (s.o[0] * s.o[0] + s.o[1] * s.o[1] - v->radius * v->radius);

	s.meets = dd > 0. && disc >= 0.;
	s.t = s.meets ? (sqrt(disc) - od) / dd : 0.;
	return s;
}

DEVICE_FN struct detector_hit hit_curved(const struct hit_view *v, double x, double y)
{
	struct hit_ray r = hit_ray(v, x, y);
	double dd = r.d[0] * r.d[0] + r.d[1] * r.d[1];
	struct detector_hit s;

	s.column = atan2(r.o[0] + r.t * r.d[0], r.o[1] + r.t * r.d[1]) / v->pitch + v->middle[0];
	s.row = r.o[2] + r.t * r.d[2] + v->middle[1];
	s.rise = v->parallel ? v->to[2][2] : r.t * v->to[2][2];
	s.weight = !r.meets ? 0. : v->parallel ? 1. : v->depth2 / dd;
	return s;
}

DEVICE_FN struct detector_hit hit_flat(const struct hit_view *v, double x, double y)
{
	struct detector_hit s;
	double w, f;

	w = v->to[2][0] * x + v->to[2][1] * y + v->to[2][3];
	f = (w > 0.) ? 1. / w : 0.;
	s.column = (v->to[0][0] * x + v->to[0][1] * y + v->to[0][3]) * f;
	s.row = (v->to[1][0] * x + v->to[1][1] * y + v->to[1][3]) * f;
	s.rise = v->to[1][2] * f;
	s.weight = f * f;
	return s;
}

/** The separable footprint (sf.h) of a line of voxels along z. Along the columns, the footprint is a box of
 * width `wide` convolved with a box of width `soft`. Both widths are in columns, and soft <= wide. Along the
 * rows, the footprint is a box of width hit.rise. The footprint of sf.h multiplies `amount` by one number per
 * view (untilted_internal.h). For fan and cone beams, another factor is the distance between voxel and source
 * [mm]. */
struct hit_footprint {
	float wide, soft, amount;
};

DEVICE_FN struct hit_footprint hit_boxes(float gx, float gy, float amount)
{
	float a = fabsf(gx), b = fabsf(gy);
	struct hit_footprint o = {(a > b) ? a : b, (a > b) ? b : a, amount};

	return o;
}

DEVICE_FN struct hit_footprint hit_footprint_flat(
        const struct hit_view *v, const struct detector_hit *s, double x, double y)
{
	float f = (float)(1. / (v->to[2][0] * x + v->to[2][1] * y + v->to[2][3]));

	return hit_boxes((float)(v->to[0][0] - s->column * v->to[2][0]) * f,
	        (float)(v->to[0][1] - s->column * v->to[2][1]) * f, f * f * f);
}

/** Returns the footprint on a curved detector. The widths are measured along the arc. */
DEVICE_FN struct hit_footprint hit_footprint_curved(const struct hit_view *v, double x, double y)
{
	struct hit_ray r = hit_ray(v, x, y);
	float sine = (float)((r.o[0] + r.t * r.d[0]) / v->radius),
	      cosine = (float)((r.o[1] + r.t * r.d[1]) / v->radius);
	float d0 = (float)r.d[0], d1 = (float)r.d[1], scale = v->parallel ? 1.f : (float)r.t,
	      inv = 1.f / (float)(v->radius * v->pitch), g[2];
	float along = cosine * d0 - sine * d1, before = sine * d0 + cosine * d1, lean = along / before;

	for (int i = 0; i < 2; i++) {
		float e0 = (float)v->to[0][i], e1 = (float)v->to[1][i];

		g[i] = scale * inv * ((cosine * e0 - sine * e1) - lean * (sine * e0 + cosine * e1));
	}

	return hit_boxes(g[0], g[1], scale * scale / fabsf(before));
}

/** Returns the projection of the line of voxels at (x, y). */
DEVICE_FN struct detector_hit hit_at(const struct hit_view *v, double x, double y)
{
	return (v->radius > 0.) ? hit_curved(v, x, y) : hit_flat(v, x, y);
}

#endif
