#ifndef VOLUME_RENDER_RAY_H
#define VOLUME_RENDER_RAY_H

#include <math.h>

#include "num/device/cuda/device_fn.h"
#include "volume/render/render.h"

/** The ray of a pixel. Sample k is at `o + k d`. */
struct render_ray {
	float o[3], d[3]; // [voxels]
	float v[3];       // direction, of length 1 in mm
};

DEVICE_FN void render_view_ray(const struct render_view *v, long x, long y, struct render_ray *r)
{
	double q[3], to[3];

	for (int i = 0; i < 3; i++) {
		q[i] = v->plane[i] + (double)x * v->right[i] + (double)y * v->down[i];
		to[i] = v->perspective ? q[i] - v->eye[i] : v->ahead[i];
	}

	const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);

	for (int i = 0; i < 3; i++) {
		const double d = to[i] / length * v->step / v->spacing[i];

		r->o[i] = (float)((v->perspective ? v->eye[i] : q[i]) / v->spacing[i] + v->centre[i]);
		r->d[i] = fabs(d) < 1e-7 ? 0.f : (float)d;
		r->v[i] = (float)(to[i] / length);
	}
}

#endif
