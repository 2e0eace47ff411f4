/** The models in float64, straight from their definitions (doc/geometry.md): slow, and sharing no mathematics
 * with joseph.h and siddon.h. */

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

/** Length of the ray inside voxel at, in units of its length between planes of the dominant axis: what the
 * six faces leave of it. */
static double inside(const struct xray *x, const struct ray *r, const long at[3])
{
	double lo = x->g->parallel ? -INFINITY : 0., hi = INFINITY;

	for (int i = 0; i < 3; i++) {
		if (r->d[i] == 0. && floor(r->s[i] + 0.5) != at[i])
			return 0.;

		if (r->d[i] == 0.)
			continue;

		const double a = (at[i] - 0.5 - r->s[i]) / r->d[i], b = (at[i] + 0.5 - r->s[i]) / r->d[i];

		lo = fmax(lo, fmin(a, b));
		hi = fmin(hi, fmax(a, b));
	}

	return (lo < hi) ? (hi - lo) * fabs(r->d[r->m]) : 0.;
}

/** Weight of a voxel in a ray [mm]. */
static double weight(const struct xray *x, const struct ray *r, const long at[3])
{
	double p, q;

	if (x->model == XRAY_SIDDON)
		return inside(x, r, at) * r->length;

	if (!cross(x, r, at[r->m], &p, &q))
		return 0.;

	return tent(p - at[r->p]) * tent(q - at[r->q]) * r->length;
}

double xray_reference_pixel(const struct xray *x, const double *vol, long a, long b, long view)
{
	const long *n = x->grid.size;
	const long more = (x->model == XRAY_SIDDON); // a slab's ray leaves the four voxels around its middle
	double sum = 0., p, q;
	struct ray r;

	find_ray(&r, x, a, b, view);

	for (long i = 0; i < n[r.m]; i++) {
		cross(x, &r, i, &p, &q);

		if (!(p > -2. && p < n[r.p] + 1 && q > -2. && q < n[r.q] + 1))
			continue;

		for (long j = (long)floor(p) - more; j <= (long)floor(p) + 1 + more; j++)
			for (long k = (long)floor(q) - more; k <= (long)floor(q) + 1 + more; k++) {
				long at[3];

				at[r.m] = i;
				at[r.p] = j;
				at[r.q] = k;

				if (j >= 0 && j < n[r.p] && k >= 0 && k < n[r.q])
					sum += weight(x, &r, at) * vol[at[0] + n[0] * (at[1] + n[1] * at[2])];
			}
	}

	return sum;
}

double xray_reference_voxel(const struct xray *x, const double *proj, long i, long j, long k)
{
	const long at[3] = {i, j, k};
	double sum = 0.;

	for (long view = 0; view < x->g->views; view++)
		for (long b = 0; b < x->g->rows; b++)
			for (long a = 0; a < x->g->cols; a++) {
				struct ray r;

				find_ray(&r, x, a, b, view);
				sum += weight(x, &r, at) * proj[a + x->g->cols * (b + x->g->rows * view)];
			}

	return sum;
}
