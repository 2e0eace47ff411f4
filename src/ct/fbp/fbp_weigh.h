#ifndef CT_FBP_FBP_WEIGH_H
#define CT_FBP_FBP_WEIGH_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/** Weights of one column of a filtered view before the ramp filter. Both weights include the scale factor of
 * the view. `weight` is for the value of the column itself, and 0 outside the detector. `fill` is for the
 * value at the rotation axis (scan_fill()). `d` is the direction of the ray in row 0, for fan and cone beams
 * only. This header is valid C and CUDA C. */
struct fbp_column {
	double weight, fill, d[3];
};

/** Data of one view. `v` is the step from one detector row to the next. `central` is the unit vector along
 * the ray through the rotation axis. The value at the axis is interpolated between the detector columns
 * axis[0] and axis[1]; `part` is the weight of axis[1]. If axis[0] is -1, no column needs this value. */
struct fbp_rays {
	double v[3], central[3], part;
	long axis[2];
};

/** Returns the cosine of the angle between the ray of row b and the ray through the axis. */
DEVICE_FN double fbp_cosine(const struct fbp_column *c, const struct fbp_rays *r, long b)
{
	const double x = c->d[0] + (double)b * r->v[0], y = c->d[1] + (double)b * r->v[1],
	             z = c->d[2] + (double)b * r->v[2];

	return (x * r->central[0] + y * r->central[1] + z * r->central[2]) / sqrt(x * x + y * y + z * z);
}

/** Returns the line integral at the rotation axis in one detector row p. */
DEVICE_FN double fbp_at_axis_float(const float *p, const struct fbp_rays *r)
{
	return (1. - r->part) * (double)p[r->axis[0]] + r->part * (double)p[r->axis[1]];
}

DEVICE_FN double fbp_at_axis_double(const double *p, const struct fbp_rays *r)
{
	return (1. - r->part) * p[r->axis[0]] + r->part * p[r->axis[1]];
}

#endif
