#ifndef CT_FBP_FBP_WEIGH_H
#define CT_FBP_FBP_WEIGH_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/** Weights of one detector column before the ramp filter. `weight` includes the scale factor of the view. `d`
 * is the direction of the ray in row 0, for fan and cone beams only. This header is valid C and CUDA C. */
struct fbp_column {
	double weight, d[3];
};

/** Directions of one view. `v` is the step from one detector row to the next. `central` is the unit vector
 * along the ray through the rotation axis. */
struct fbp_rays {
	double v[3], central[3];
};

/** Returns the cosine of the angle between the ray of row b and the ray through the axis. */
DEVICE_FN double fbp_cosine(const struct fbp_column *c, const struct fbp_rays *r, long b)
{
	const double x = c->d[0] + (double)b * r->v[0], y = c->d[1] + (double)b * r->v[1],
	             z = c->d[2] + (double)b * r->v[2];

	return (x * r->central[0] + y * r->central[1] + z * r->central[2]) / sqrt(x * x + y * y + z * z);
}

#endif
