#ifndef CT_FBP_FBP_WEIGH_H
#define CT_FBP_FBP_WEIGH_H

#include <math.h>

#include "num/device/cuda/device_fn.h"

/** fbp_column: the weights of a column's rays before the ramp filter, including the factor of the view, and
 * the direction of the ray of row 0. fbp_rays: the step from a row to the next in a view, and the unit vector
 * towards the axis. C and CUDA C. */
struct fbp_column {
	double weight, d[3];
};

struct fbp_rays {
	double v[3], central[3];
};

/** Cosine of the angle between the ray of row b and the ray through the axis. */
DEVICE_FN double fbp_cosine(const struct fbp_column *c, const struct fbp_rays *r, long b)
{
	const double x = c->d[0] + (double)b * r->v[0], y = c->d[1] + (double)b * r->v[1],
	             z = c->d[2] + (double)b * r->v[2];

	return (x * r->central[0] + y * r->central[1] + z * r->central[2]) / sqrt(x * x + y * y + z * z);
}

#endif
