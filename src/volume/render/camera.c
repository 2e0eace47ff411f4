/* From pixels to rays. */

#include <math.h>

#include "volume/render/render_kern.h"

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

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

void render_view_rays(const struct render_view *v, long x, long y, int tw, int n, struct render_rays *r)
{
	for (int l = 0; l < n; l++) {
		const double a = (double)(x + l % tw), b = (double)(y + l / tw);
		double q[3], to[3];

		for (int i = 0; i < 3; i++) {
			q[i] = v->plane[i] + a * v->right[i] + b * v->down[i];
			to[i] = v->perspective ? q[i] - v->eye[i] : v->ahead[i];
		}

		const double length = sqrt(dot(to, to));

		for (int i = 0; i < 3; i++) {
			const double d = to[i] / length * v->step / v->spacing[i];

			r->o[i][l] =
			        (float)((v->perspective ? v->eye[i] : q[i]) / v->spacing[i] + v->centre[i]);
			r->d[i][l] = fabs(d) < 1e-7 ? 0.f : (float)d;
			r->v[i][l] = (float)(to[i] / length);
		}
	}
}
