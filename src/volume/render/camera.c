/* The camera in voxels: rays are made of it by ray.h. */

#include <math.h>

#include "volume/render/render_kern.h"

/* Directions of the picture: right, up, ahead. */
static void orient(const struct render_camera *c, double right[3], double up[3], double ahead[3])
{
	const double ca = cos(c->azimuth), sa = sin(c->azimuth), ce = cos(c->elevation),
	             se = sin(c->elevation);
	const double r[3] = {-sa, ca, 0.}, u[3] = {-se * ca, -se * sa, ce};

	for (int i = 0; i < 3; i++) {
		right[i] = cos(c->roll) * r[i] + sin(c->roll) * u[i];
		up[i] = cos(c->roll) * u[i] - sin(c->roll) * r[i];
	}

	ahead[0] = -ce * ca;
	ahead[1] = -ce * sa;
	ahead[2] = -se;
}

void render_view_make(struct render_view *v, const struct render_camera *c, const long n[3],
        const double spacing[3], double step)
{
	const double across = 0.5 * (double)(c->width - 1), along = 0.5 * (double)(c->height - 1);
	const long side = c->width < c->height ? c->width : c->height;
	double right[3], extent = 0.;

	orient(c, right, v->up, v->ahead);
	v->width = c->width;
	v->height = c->height;
	v->perspective = c->perspective > 0.;
	v->step = step;

	for (int i = 0; i < 3; i++) {
		v->centre[i] = 0.5 * (double)(n[i] - 1);
		v->spacing[i] = spacing[i];
		extent += 0.5 * fabs(v->ahead[i]) * spacing[i] * (double)n[i];
	}

	/* With parallel rays along an axis, samples a voxel apart lie at the elements. */
	const double far = v->perspective ? 0.5 * (double)side * c->pixel / tan(0.5 * c->perspective)
	                                  : extent - 0.5 * step;

	for (int i = 0; i < 3; i++) {
		v->right[i] = c->pixel * right[i];
		v->down[i] = -c->pixel * v->up[i];
		v->eye[i] = -far * v->ahead[i];
		v->plane[i] = (v->perspective ? 0. : v->eye[i]) - across * v->right[i] - along * v->down[i];
	}
}
