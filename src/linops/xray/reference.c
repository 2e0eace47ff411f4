/** Joseph's method in float64, straight from its definition (doc/geometry.md): slow, and sharing no
 * mathematics with joseph.h. */

#include "linops/xray/xray.h"

#include <math.h>

#include "linops/xray/bricks.h"

struct ray {
	double s[3], d[3]; // voxel index space
	int m, p, q;       // dominant axis, and those across
	double length;     // [mm] between planes
};

static int largest(const double d[3])
{
	int m = 0;

	for (int i = 1; i < 3; i++)
		if (fabs(d[i]) > fabs(d[m]))
			m = i;

	return m;
}

/** The dominant axis. Where two components are equal but for rounding, the bits of the projector's own
 * direction decide. */
static int dominant(const double d[3], const struct xray *x, long a, long b, long view)
{
	const struct xray_view *w = x->view + view;
	const int m = largest(d);
	double own[3];

	for (int i = 0; i < 3; i++)
		own[i] = column_direction(x, w, a, i) +
		         (x->g->parallel ? 0. : (b - (x->g->rows - 1) / 2.) * w->v[i]);

	const int n = largest(own);

	return (fabs(d[n]) > fabs(d[m]) * (1. - 1e-9)) ? n : m;
}

static void find_ray(struct ray *r, const struct xray *x, long a, long b, long view)
{
	double sum = 0.;

	geom_ray(x->g, view, a, b, r->s, r->d);

	for (int i = 0; i < 3; i++) {
		sum += r->d[i] * r->d[i];
		r->d[i] /= x->grid.spacing[i];
		r->s[i] = (r->s[i] - x->grid.origin[i]) / x->grid.spacing[i];
	}

	r->m = dominant(r->d, x, a, b, view);
	r->p = (r->m + 1) % 3;
	r->q = (r->m + 2) % 3;
	r->length = sqrt(sum) / fabs(r->d[r->m]);
}

static double tent(double t)
{
	return (fabs(t) < 1.) ? 1. - fabs(t) : 0.;
}

/** Does the ray reach the plane, and where? */
static bool cross(const struct xray *x, const struct ray *r, long plane, double *p, double *q)
{
	double t = (plane - r->s[r->m]) / r->d[r->m];

	*p = r->s[r->p] + t * r->d[r->p];
	*q = r->s[r->q] + t * r->d[r->q];
	return x->g->parallel || t >= 0.;
}

double xray_reference_pixel(const struct xray *x, const double *vol, long a, long b, long view)
{
	const long *n = x->grid.size;
	double sum = 0., p, q;
	struct ray r;

	find_ray(&r, x, a, b, view);

	for (long i = 0; i < n[r.m]; i++) {
		if (!cross(x, &r, i, &p, &q) || !(p > -1. && p < n[r.p] && q > -1. && q < n[r.q]))
			continue;

		for (long j = (long)floor(p); j <= (long)floor(p) + 1; j++)
			for (long k = (long)floor(q); k <= (long)floor(q) + 1; k++) {
				long at[3];

				at[r.m] = i;
				at[r.p] = j;
				at[r.q] = k;

				if (j >= 0 && j < n[r.p] && k >= 0 && k < n[r.q])
					sum += tent(p - j) * tent(q - k) *
					       vol[at[0] + n[0] * (at[1] + n[1] * at[2])];
			}
	}

	return sum * r.length;
}

double xray_reference_voxel(const struct xray *x, const double *proj, long i, long j, long k)
{
	const long at[3] = {i, j, k};
	double sum = 0., p, q;

	for (long view = 0; view < x->g->views; view++)
		for (long b = 0; b < x->g->rows; b++)
			for (long a = 0; a < x->g->cols; a++) {
				struct ray r;

				find_ray(&r, x, a, b, view);

				if (cross(x, &r, at[r.m], &p, &q))
					sum += tent(p - at[r.p]) * tent(q - at[r.q]) * r.length *
					       proj[a + x->g->cols * (b + x->g->rows * view)];
			}

	return sum;
}
