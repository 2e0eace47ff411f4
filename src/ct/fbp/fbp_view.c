#include "ct/fbp/fbp_view.h"

#include <math.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

/** Rows that give the coefficients of a vector in the basis p, q, r. */
static void dual_basis(double out[3][3], const double p[3], const double q[3], const double r[3])
{
	cross3(out[0], q, r);
	cross3(out[1], r, p);
	cross3(out[2], p, q);

	double volume = dot3(out[0], p);

	for (int i = 0; i < 3; i++)
		scale3(out[i], 1. / volume, out[i]);
}

/** row = (coef, -coef . origin): maps x to coef . (x - origin). */
static void affine(double row[4], const double coef[3], const double origin[3])
{
	memcpy(row, coef, 3 * sizeof *row);
	row[3] = -dot3(coef, origin);
}

/** Unit normal of the detector, along the rays. */
static void normal_of(const struct geom *g, long k, double m[3])
{
	double p[3], d[3];

	cross3(m, g->view[k].u, g->view[k].v);
	geom_ray(g, k, 0.5 * (double)(g->cols - 1), 0.5 * (double)(g->rows - 1), p, d);
	scale3(m, (dot3(m, d) < 0. ? -1. : 1.) / norm3(m), m);
}

/** How much of a pixel's height along v lies across the ray e and the axis' plane; 1 for untilted columns and
 * horizontal rays. */
static double lean(const struct geom_view *w, const double e[3])
{
	double uv = dot3(w->u, w->v) / dot3(w->u, w->u), across[3];

	for (int i = 0; i < 3; i++)
		across[i] = w->v[i] - uv * w->u[i];

	return fabs(dot3(w->v, e) * e[2] - w->v[2]) / norm3(across);
}

static void set_flat(const struct geom *g, long k, const double m[3], struct fbp_view *v)
{
	const struct geom_view *w = g->view + k;
	double dual[3][3], off[3], depth;

	if (g->parallel) {
		dual_basis(dual, w->u, w->v, w->s);

		for (int i = 0; i < 2; i++) {
			affine(v->to[i], dual[i], w->d);
			v->to[i][3] += v->middle[i];
		}

		v->to[2][3] = 1.;
		return;
	}

	dual_basis(dual, w->u, w->v, m);
	sub3(off, w->s, w->d);
	depth = -dot3(m, off);
	affine(v->to[2], m, w->s);

	for (int i = 0; i < 2; i++) {
		double shift = dot3(dual[i], off) + v->middle[i];

		affine(v->to[i], dual[i], w->s);

		for (int c = 0; c < 4; c++)
			v->to[i][c] = (depth * v->to[i][c] + shift * v->to[2][c]) / v->depth;
	}

	for (int c = 0; c < 4; c++)
		v->to[2][c] /= v->depth;
}

static void set_curved(const struct geom *g, long k, const double m[3], struct fbp_view *v)
{
	const struct geom_view *w = g->view + k;
	double along[3], centre[3], from[3], dual[3][3];

	scale3(along, 1. / norm3(w->u), w->u);
	dual_basis(dual, along, m, w->v);

	for (int i = 0; i < 3; i++) {
		centre[i] = w->d[i] - g->radius * m[i];
		from[i] = w->s[i] - (g->parallel ? 0. : centre[i]);
	}

	for (int i = 0; i < 3; i++) {
		affine(v->to[i], dual[i], centre);
		v->from[i] = dot3(dual[i], from);
	}

	v->radius = g->radius;
	v->pitch = norm3(w->u) / g->radius;

	bool centred = !g->parallel && hypot(v->from[0], v->from[1]) < 1e-9 * g->radius;

	v->spacing = centred ? FBP_EQUIANGULAR : FBP_UNEVEN;
}

/** Columns untilted, and nothing but the row changes along z. */
static bool is_untilted(const struct fbp_view *v)
{
	int other = v->curved ? 1 : 2;
	double size = fabs(v->to[other][0]) + fabs(v->to[other][1]) + fabs(v->to[0][0]) + fabs(v->to[0][1]);

	return fabs(v->to[0][2]) <= 1e-13 * size && fabs(v->to[other][2]) <= 1e-13 * size;
}

/** Distance of consecutive columns and the factor in front of the sum over them, without the angle. */
static double set_factor(
        const struct geom *g, long k, const double m[3], const double to_axis[3], const struct fbp_view *v)
{
	const struct geom_view *w = g->view + k;
	double tilt = lean(w, v->central);

	if (g->parallel) {
		double across[3], pitch = 1.;

		if (!v->curved) {
			cross3(across, w->u, w->v);
			pitch = fabs(dot3(across, v->central)) * norm3(w->u) / norm3(across);
		}

		return tilt / pitch;
	}

	double tau = 1.;

	if (FBP_EQUIANGULAR == v->spacing)
		tau = v->pitch;
	else if (!v->curved)
		tau = norm3(w->u) / (dot3(m, w->d) - dot3(m, w->s));

	return norm3(to_axis) * tilt / (v->depth * v->depth * tau);
}

void fbp_view_set(struct fbp_view *v, const struct geom *g, long k, long left, const char *name)
{
	double m[3], c[3], to_axis[3];

	*v = (struct fbp_view){.curved = g->radius > 0., .parallel = g->parallel, .depth = 1.};
	v->middle[0] = 0.5 * (double)(g->cols - 1) + (double)left;
	v->middle[1] = 0.5 * (double)(g->rows - 1);
	normal_of(g, k, m);
	scan_centre(g, k, c);
	sub3(to_axis, c, g->view[k].s);

	if (g->parallel)
		memcpy(to_axis, g->view[k].s, sizeof to_axis);
	else
		v->depth = dot3(m, to_axis);

	if (!(v->depth > 0.))
		error("%s: view %ld: the rotation axis is %g mm behind the source, expected an axis in front "
		      "of the source",
		        name, k, -v->depth);

	scale3(v->central, 1. / norm3(to_axis), to_axis);

	if (v->curved)
		set_curved(g, k, m, v);
	else
		set_flat(g, k, m, v);

	if (v->curved && !g->parallel) { // depth: within the fan
		double in[2];

		for (int i = 0; i < 2; i++)
			in[i] = dot3(v->to[i], c) + v->to[i][3] - v->from[i];

		v->depth = hypot(in[0], in[1]);
	}

	v->untilted = is_untilted(v);
	v->factor = set_factor(g, k, m, to_axis, v);
}

double fbp_view_column(const struct fbp_view *v, double a, double *slope, double *cosine)
{
	double g = (a - v->middle[0]) * v->pitch;
	double x = v->radius * sin(g), y = v->radius * cos(g), dx = y * v->pitch, dy = -x * v->pitch;

	if (v->parallel) {
		double e = hypot(v->from[0], v->from[1]);

		*cosine = 1.;
		*slope = (dx * v->from[1] - dy * v->from[0]) / e;
		return (x * v->from[1] - y * v->from[0]) / e;
	}

	x -= v->from[0];
	y -= v->from[1];
	*cosine = y / hypot(x, y);
	*slope = (dx * y - dy * x) / (y * y);

	return x / y;
}

/** v->to at voxel (i, j, k) and its steps along x and z. */
struct line {
	double at[3], step[3], rise[3];
};

static struct line line_at(const struct fbp_view *v, const struct grid *g, long i, long j, long k)
{
	double x[3] = {g->origin[0] + (double)i * g->spacing[0], g->origin[1] + (double)j * g->spacing[1],
	        g->origin[2] + (double)k * g->spacing[2]};
	struct line l;

	for (int r = 0; r < 3; r++) {
		l.at[r] = dot3(v->to[r], x) + v->to[r][3];
		l.step[r] = v->to[r][0] * g->spacing[0];
		l.rise[r] = v->to[r][2] * g->spacing[2];
	}

	return l;
}

static void flat_hits(const struct line *l, long n, struct fbp_hits *s)
{
	for (long i = 0; i < n; i++) {
		const double t = (double)i, at[3] = {l->at[0] + t * l->step[0], l->at[1] + t * l->step[1],
		                                    l->at[2] + t * l->step[2]};
		struct fbp_hit hit;

		fbp_hit_flat(&hit, at, l->rise[1]);
		s->col[i] = hit.col;
		s->row[i] = hit.row;
		s->rise[i] = hit.rise;
		s->weight[i] = hit.weight;
	}
}

static void curved_hits(const struct fbp_view *v, const struct line *l, long n, struct fbp_hits *s)
{
	for (long i = 0; i < n; i++) {
		struct fbp_hit hit;
		double at[3];

		for (int r = 0; r < 3; r++)
			at[r] = l->at[r] + (double)i * l->step[r];

		fbp_hit_curved(&hit, v, at, l->rise[2]);
		s->col[i] = hit.col;
		s->row[i] = hit.row;
		s->rise[i] = hit.rise;
		s->weight[i] = hit.weight;
	}
}

void fbp_view_hits(
        const struct fbp_view *v, const struct grid *g, long i, long j, long k, long n, struct fbp_hits *s)
{
	struct line l = line_at(v, g, i, j, k);

	if (v->curved)
		curved_hits(v, &l, n, s);
	else
		flat_hits(&l, n, s);
}
