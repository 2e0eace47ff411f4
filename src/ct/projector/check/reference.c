/** The models in float64, directly from their definitions (doc/projectors.md): slow, and without any code
 * from joseph.h, siddon.h and sf.h. */

#include "ct/projector/xray.h"

#include <math.h>
#include <stdlib.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/bricks.h"
#include "ct/projector/stack/stack.h"
#include "misc/mem.h"

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

	if (!cross(x, r, at[r->m], &p, &q))
		return 0.;

	return tent(p - at[r->p]) * tent(q - at[r->q]) * r->length;
}

/** The same by Siddon's method. */
static double length_inside(const struct xray *x, const struct ray *r, const long at[3])
{
	return inside(x, r, at) * r->length;
}

/** Separable footprints: the footprint of a voxel [pixels], see sf.h. */
struct shade {
	double at[2], wide[2], soft[2];
	double mm; // volume of the voxel over the area of a pixel's beam there; 0: none
};

/** The detector where a ray hits it: tangent across (unit vector) and a normal, any length. */
struct detector_hit {
	double hit[3], tangent[3], normal[3], t;
	double column;
};

/** Coordinates of a vector in the plane of a and b: as a multiple of a, and of b. */
static void resolve(double out[2], const double p[3], const double a[3], const double b[3])
{
	double n[3], pb[3], ap[3];

	cross3(n, a, b);
	cross3(pb, p, b);
	cross3(ap, a, p);
	out[0] = dot3(pb, n) / dot3(n, n);
	out[1] = dot3(ap, n) / dot3(n, n);
}

/** Where o + t r meets the detector, t the larger one on a curved one; false: nowhere. */
static bool hit_detector(
        struct detector_hit *h, const struct geom *g, long view, const double o[3], const double r[3])
{
	const struct geom_view *w = g->view + view;
	const double pitch = norm3(w->u), R = g->radius;
	double n[3], from[3], c[2], turn = 0.;

	geom_normal(g, view, n);
	scale3(h->tangent, 1. / pitch, w->u);
	sub3(from, o, w->d);

	if (R > 0.) {
		double y[2], flat[3], dir[3], e[2];

		for (int i = 0; i < 3; i++) { // along u, leaving out v and n
			flat[i] = from[i] - dot3(from, n) * n[i];
			dir[i] = r[i] - dot3(r, n) * n[i];
		}

		resolve(y, flat, h->tangent, w->v);
		resolve(e, dir, h->tangent, w->v);

		const double q[2] = {y[0], dot3(from, n) - R}, d[2] = {e[0], dot3(r, n)};
		const double A = d[0] * d[0] + d[1] * d[1], B = q[0] * d[0] + q[1] * d[1],
		             D = B * B - A * (q[0] * q[0] + q[1] * q[1] - R * R);

		if (!(D >= 0.))
			return false;

		h->t = (sqrt(D) - B) / A;
		turn = atan2(q[0] + h->t * d[0], -(q[1] + h->t * d[1]));
	} else {
		h->t = -dot3(from, n) / dot3(r, n);
	}

	for (int i = 0; i < 3; i++) {
		h->hit[i] = from[i] + h->t * r[i];
		h->tangent[i] = cos(turn) * h->tangent[i] + sin(turn) * n[i];
	}

	cross3(h->normal, h->tangent, w->v);
	resolve(c, h->hit, w->u, w->v);
	h->column = (R > 0.) ? turn * R / pitch : c[0];
	return isfinite(h->t);
}

/** Boxes of widths |g|, the smaller two as one of their variance. */
static void blur(double *wide, double *soft, const double g[3])
{
	int m = largest(g);

	*wide = fabs(g[m]);
	*soft = fmin(hypot(g[(m + 1) % 3], g[(m + 2) % 3]), *wide);
}

static void cast_shade(struct shade *o, const struct xray *x, const double at[3], long view)
{
	const struct geom *g = x->g;
	const struct geom_view *w = g->view + view;
	const double *spacing = x->grid.spacing, pitch = norm3(w->u);
	double p[3], r[3], edge[2][3], c[2], near = 0., row[3], n[3], front[3];
	struct detector_hit h;

	*o = (struct shade){.mm = 0.};

	for (int i = 0; i < 3; i++) {
		p[i] = x->grid.origin[i] + at[i] * spacing[i];
		r[i] = g->parallel ? w->s[i] : p[i] - w->s[i];
	}

	if (!hit_detector(&h, g, view, g->parallel ? p : w->s, r))
		return;

	const double depth = dot3(h.normal, r), scale = g->parallel ? 1. : h.t;

	for (int i = 0; i < 3; i++) {
		double q[3];

		for (int k = 0; k < 3; k++) // how the hit moves along an edge of the voxel
			q[k] = scale * spacing[i] * ((k == i) - r[k] * h.normal[i] / depth);

		resolve(c, q, h.tangent, w->v);
		edge[0][i] = c[0] / pitch;
		edge[1][i] = c[1];
		near += fabs(h.normal[i]) * spacing[i] / 2.;
	}

	geom_normal(g, view, n);

	cross3(front, w->u, w->v); // turns with the normal around a curved detector

	if (dot3(n, front) * depth > 0. || (!g->parallel && !(fabs(depth) > near && h.t > 0.)))
		return;

	for (int i = 0; i < 3; i++)
		row[i] = h.hit[i] - dot3(n, h.hit) * n[i];

	resolve(c, row, w->u, w->v);
	o->at[0] = h.column + (g->cols - 1) / 2.;
	o->at[1] = c[1] + (g->rows - 1) / 2.;
	blur(&o->wide[0], &o->soft[0], edge[0]);
	blur(&o->wide[1], &o->soft[1], edge[1]);
	o->mm = spacing[0] * spacing[1] * spacing[2] * scale * scale * norm3(r) / (pitch * fabs(depth));

	if (w->v[0] == 0. && w->v[1] == 0.) {
		o->wide[1] = fabs(edge[1][2]);
		o->soft[1] = 0.;
	}
}

/** Integral from lo to hi of the footprint's density, which is linear between its corners. */
static double part(double wide, double soft, double lo, double hi)
{
	const double in = (wide - soft) / 2., out = (wide + soft) / 2.,
	             corner[6] = {-INFINITY, -out, -in, in, out, INFINITY};
	double sum = 0.;

	for (int i = 1; i < 4; i++) {
		const double a = fmax(lo, corner[i]), b = fmin(hi, corner[i + 1]), mid = fabs((a + b) / 2.);

		if (a < b)
			sum += (b - a) * ((i == 2) ? 1. : (out - mid) / soft) / wide;
	}

	return sum;
}

/** What pixel (a, b) gets of it [mm]. */
static double share(const struct xray *x, const struct shade *s, long a, long b, bool untilted)
{
	const double da = a - s->at[0], db = b - s->at[1];

	if (s->mm == 0.)
		return 0.;

	const double along = part(s->wide[0], s->soft[0], da - 0.5, da + 0.5);

	if (untilted && x->g->rows == 1 && x->grid.size[2] == 1) // a slice without ends
		return (fabs(db) <= s->wide[1] / 2.) ? s->mm * along / s->wide[1] : 0.;

	return s->mm * along * part(s->wide[1], s->soft[1], db - 0.5, db + 0.5);
}

static bool untilted(const struct xray *x, long view)
{
	return x->g->view[view].v[0] == 0. && x->g->view[view].v[1] == 0.;
}

/** How far, along p and q, voxels may lie from the ray's point in a plane and be seen: half the pixel and
 * half the footprint there, and some more. False: too close to the source to tell. */
static bool reach(double out[2], const struct xray *x, const struct ray *r, const double at[3], long view)
{
	const struct geom_view *w = x->g->view + view;
	struct shade s;
	double side[2][3], p[3], dir[3];
	struct detector_hit h;

	cast_shade(&s, x, at, view);

	for (int i = 0; i < 3; i++) {
		p[i] = x->grid.origin[i] + at[i] * x->grid.spacing[i];
		dir[i] = x->g->parallel ? w->s[i] : p[i] - w->s[i];
	}

	if (s.mm == 0. || !hit_detector(&h, x->g, view, x->g->parallel ? p : w->s, dir))
		return false;

	const double scale = x->g->parallel ? 1. : 1. / h.t;

	double thick = 0.;

	for (int i = 0; i < 3; i++)
		thick += fabs(h.normal[i]) * x->grid.spacing[i];

	if (!x->g->parallel && fabs(dot3(h.normal, dir)) < 5. * thick)
		return false;

	for (int i = 0; i < 3; i++) {
		side[0][i] = h.tangent[i] * norm3(w->u) * (0.5 + (s.wide[0] + s.soft[0]) / 2.) * scale /
		             x->grid.spacing[i];
		side[1][i] = w->v[i] * (0.5 + (s.wide[1] + s.soft[1]) / 2.) * scale / x->grid.spacing[i];
	}

	for (int i = 0; i < 2; i++) { // moved along the ray into the plane
		const int k = i ? r->q : r->p;

		out[i] = 2.;

		for (int e = 0; e < 2; e++)
			out[i] += 2. * fabs(side[e][k] - side[e][r->m] * r->d[k] / r->d[r->m]);
	}

	return true;
}

/** Is a voxel so close to the source, or to its plane, that its footprint may be anywhere? */
static bool close_to_source(const struct xray *x, const double at[3], long view)
{
	double n[3], depth = 0., thick = 0., near = 0., size = 0.;

	if (x->g->parallel)
		return false;

	geom_normal(x->g, view, n);

	for (int i = 0; i < 3; i++) {
		const double h = x->grid.spacing[i],
		             r = x->grid.origin[i] + at[i] * h - x->g->view[view].s[i];

		depth -= n[i] * r;
		thick += fabs(n[i]) * h;
		near += r * r;
		size += h * h;
	}

	return depth < 6. * thick || near < 100. * size;
}

static bool volume_is_close(const struct xray *x, long view)
{
	bool close = false;

	for (int corner = 0; corner < 8; corner++) {
		double at[3];

		for (int i = 0; i < 3; i++)
			at[i] = (corner >> i & 1) ? x->grid.size[i] : -1.;

		close = close || close_to_source(x, at, view);
	}

	return close;
}

/** The voxels around the ray, plane by plane, and those close to the source. */
static double footprint_pixel(const struct xray *x, const double *vol, long a, long b, long view)
{
	const long *n = x->grid.size;
	const bool close = volume_is_close(x, view);
	struct ray r;
	double sum = 0.;

	find_ray(&r, x, a, b, view);

	for (long i = 0; i < n[r.m]; i++) {
		double middle[3], at[3], far[2] = {0., 0.};

		middle[r.m] = at[r.m] = i;
		cross(x, &r, i, &middle[r.p], &middle[r.q]);

		const bool all = !reach(far, x, &r, middle, view), scan = all || close;
		const double p0 = scan ? 0. : fmax(ceil(middle[r.p] - far[0]), 0.),
		             q0 = scan ? 0. : fmax(ceil(middle[r.q] - far[1]), 0.),
		             p1 = scan ? n[r.p] - 1. : fmin(floor(middle[r.p] + far[0]), n[r.p] - 1.),
		             q1 = scan ? n[r.q] - 1. : fmin(floor(middle[r.q] + far[1]), n[r.q] - 1.);

		for (at[r.p] = p0; at[r.p] <= p1; at[r.p]++)
			for (at[r.q] = q0; at[r.q] <= q1; at[r.q]++) {
				struct shade s;

				if (!all && close &&
				        (fabs(at[r.p] - middle[r.p]) > far[0] ||
				                fabs(at[r.q] - middle[r.q]) > far[1]) &&
				        !close_to_source(x, at, view))
					continue;

				cast_shade(&s, x, at, view);
				sum += share(x, &s, a, b, untilted(x, view)) *
				       vol[(long)at[0] + n[0] * ((long)at[1] + n[1] * (long)at[2])];
			}
	}

	return sum;
}

static double footprint_voxel(const struct xray *x, const double *proj, const double at[3])
{
	const struct geom *g = x->g;
	double sum = 0.;

	for (long view = 0; view < g->views; view++) {
		struct shade s;

		cast_shade(&s, x, at, view);

		for (long b = 0; b < g->rows; b++)
			for (long a = 0; a < g->cols; a++)
				sum += share(x, &s, a, b, untilted(x, view)) *
				       proj[a + g->cols * (b + g->rows * view)];
	}

	return sum;
}

/** What a voxel weighs in a ray [mm]. */
typedef double weight_fn(const struct xray *x, const struct ray *r, const long at[3]);

/** A ray's value from the voxels around it in each plane, and `more` beyond these. */
static double ray_pixel(
        const struct xray *x, const double *vol, long a, long b, long view, weight_fn *weigh, long more)
{
	const long *n = x->grid.size;
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
					sum += weigh(x, &r, at) * vol[at[0] + n[0] * (at[1] + n[1] * at[2])];
			}
	}

	return sum;
}

static double ray_voxel(const struct xray *x, const double *proj, const long at[3], weight_fn *weigh)
{
	double sum = 0.;

	for (long view = 0; view < x->g->views; view++)
		for (long b = 0; b < x->g->rows; b++)
			for (long a = 0; a < x->g->cols; a++) {
				struct ray r;

				find_ray(&r, x, a, b, view);
				sum += weigh(x, &r, at) * proj[a + x->g->cols * (b + x->g->rows * view)];
			}

	return sum;
}

/** What slice k weighs in row b of a stack of fans: by Joseph's method interpolated, by Siddon's the slice
 * that the row lies in, else the part of the row, as high as from one to the next, in the slice. */
static double slice_weight(const struct xray *x, long b, long k, long view)
{
	const double z = stack_row(x, view, b), high = fabs(x->view[view].v[2]);

	switch (x->model) {
	case XRAY_JOSEPH:
		return tent(z - (double)k);
	case XRAY_SIDDON:
		return floor(z + 0.5) == (double)k;
	case XRAY_SF:
		return fmax(fmin(z + high / 2., (double)k + 0.5) - fmax(z - high / 2., (double)k - 0.5), 0.) /
		       high;
	}

	return 0.;
}

/** Of a stack of fans: slice by slice. */
static double stack_pixel(const struct xray *x, const double *vol, long a, long b, long view)
{
	double sum = 0.;

	for (long k = 0; k < x->grid.size[2]; k++) {
		const double w = slice_weight(x, b, k, view);

		if (w > 0.)
			sum += w * xray_reference_pixel(
			                   x->plane, vol + k * x->grid.size[0] * x->grid.size[1], a, 0, view);
	}

	return sum;
}

static double stack_voxel(const struct xray *x, const double *proj, long i, long j, long k)
{
	const long cols = x->g->cols, views = x->g->views;
	double *row = mem_calloc(mul_checked(cols, views, "a slice"), sizeof *row);

	for (long view = 0; view < views; view++)
		for (long b = 0; b < x->g->rows; b++) {
			const double w = slice_weight(x, b, k, view);

			for (long a = 0; a < cols && w > 0.; a++)
				row[view * cols + a] += w * proj[(view * x->g->rows + b) * cols + a];
		}

	const double sum = xray_reference_voxel(x->plane, row, i, j, 0);

	free(row);
	return sum;
}

double xray_reference_pixel(const struct xray *x, const double *vol, long a, long b, long view)
{
	if (x->plane)
		return stack_pixel(x, vol, a, b, view);

	switch (x->model) {
	case XRAY_JOSEPH:
		return ray_pixel(x, vol, a, b, view, weight, 0);
	case XRAY_SIDDON: // a slab's ray leaves the four voxels around its middle
		return ray_pixel(x, vol, a, b, view, length_inside, 1);
	case XRAY_SF:
		return footprint_pixel(x, vol, a, b, view);
	}

	return NAN;
}

double xray_reference_voxel(const struct xray *x, const double *proj, long i, long j, long k)
{
	if (x->plane)
		return stack_voxel(x, proj, i, j, k);

	const long at[3] = {i, j, k};

	switch (x->model) {
	case XRAY_JOSEPH:
		return ray_voxel(x, proj, at, weight);
	case XRAY_SIDDON:
		return ray_voxel(x, proj, at, length_inside);
	case XRAY_SF:
		return footprint_voxel(x, proj, (const double[3]){i, j, k});
	}

	return NAN;
}
