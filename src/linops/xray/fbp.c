/* Where the weights come from. In the plane of a fan, the ray at angle gamma to the one through the axis,
 * seen from a source at distance R, is the parallel ray of angle beta + gamma at distance R sin gamma.
 * Changing variables in the parallel formula, and with the ramp's scaling h(c t) = h(t) / c^2, gives for a
 * flat detector in any position
 *
 *     f(x) = 1/2 int dbeta  1/w(x)^2  int da  h(a(x) - a)  R cos(gamma(a)) p(beta, a)
 *
 * where w is the depth along the detector's normal and a the coordinate on a parallel detector at depth 1.
 * Columns a apart by tau turn h(a) da into h[n] / tau. In three dimensions cos(gamma) becomes the cosine
 * between the ray and the one through the axis [1], and R is shortened by the lean of the detector's columns
 * against the axis, which makes a thin pencil around the central ray right.
 *
 * Columns at places a[i] that are not equally spaced (a curved detector not centred on the source) have no
 * common kernel; the ramp's scaling gives h(a[i] - a[j]) = h[i - j] ((i - j) / (a[i] - a[j]))^2: a matrix.
 * For an equiangular detector that is the usual (g / sin g)^2. */

#include "linops/xray/fbp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/scan.h"
#include "misc/error.h"
#include "misc/mem.h"

enum { CHUNK = 32 };

/** How the columns of a view are spaced. */
enum spacing { EVEN, EQUIANGULAR, UNEVEN };

/** One view in float64. The rows of `to` map a voxel (x, y, z, 1) [mm]:
 *  flat: to column * w, row * w and w, counted from pixel (0, 0);
 *  curved: to its coordinates along u [mm], along the normal [mm] and along v [rows], counted from the centre
 * of curvature. */
struct view {
	double to[3][4];
	double factor; // of the filtered view [1/mm]
	enum spacing spacing;
	double bend; // between neighbouring columns [rad]
	bool curved, parallel, upright;
	double from[3];    // curved: the source (parallel: the direction) in the same coordinates
	double radius;     // curved [mm]
	double pitch;      // angle of a column, curved [rad]
	double middle[2];  // column and row of the detector's centre
	double depth;      // of the rotation axis: w is 1 there [mm]
	double central[3]; // unit vector from the source through the axis
};

struct fbp {
	const struct geom *g;
	struct scan *scan;
	struct view *view;
	enum ramp_window window;
	struct ramp *ramp; // of the views seen last
	double bend;
	double *place;  // of the columns of `matrix`
	double *matrix; // cols x cols, for UNEVEN
};

static double dot3(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm3(const double a[3])
{
	return sqrt(dot3(a, a));
}

static void cross3(double out[3], const double a[3], const double b[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static void scale3(double out[3], double f, const double a[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = f * a[i];
}

static void sub3(double out[3], const double a[3], const double b[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] - b[i];
}

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

/** How much of a pixel's height along v lies across the ray e and the axis' plane; 1 for upright columns and
 * horizontal rays. */
static double lean(const struct geom_view *w, const double e[3])
{
	double uv = dot3(w->u, w->v) / dot3(w->u, w->u), across[3];

	for (int i = 0; i < 3; i++)
		across[i] = w->v[i] - uv * w->u[i];

	return fabs(dot3(w->v, e) * e[2] - w->v[2]) / norm3(across);
}

static void set_flat(const struct geom *g, long k, const double m[3], struct view *v)
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

static void set_curved(const struct geom *g, long k, const double m[3], struct view *v)
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

	v->spacing = centred ? EQUIANGULAR : UNEVEN;
	v->bend = centred ? v->pitch : 0.;
}

/** Columns upright, and nothing but the row changes along z. */
static bool is_upright(const struct view *v)
{
	int other = v->curved ? 1 : 2;
	double size = fabs(v->to[other][0]) + fabs(v->to[other][1]) + fabs(v->to[0][0]) + fabs(v->to[0][1]);

	return fabs(v->to[0][2]) <= 1e-13 * size && fabs(v->to[other][2]) <= 1e-13 * size;
}

/** Distance of consecutive columns and the factor in front of the sum over them, without the angle. */
static double set_factor(
        const struct geom *g, long k, const double m[3], const double to_axis[3], const struct view *v)
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

	if (EQUIANGULAR == v->spacing)
		tau = v->pitch;
	else if (!v->curved)
		tau = norm3(w->u) / (dot3(m, w->d) - dot3(m, w->s));

	return norm3(to_axis) * tilt / (v->depth * v->depth * tau);
}

static void set_view(const struct geom *g, long k, struct view *v, const char *name)
{
	double m[3], c[3], to_axis[3];

	*v = (struct view){.curved = g->radius > 0., .parallel = g->parallel, .depth = 1.};
	v->middle[0] = 0.5 * (double)(g->cols - 1);
	v->middle[1] = 0.5 * (double)(g->rows - 1);
	normal_of(g, k, m);
	scan_centre(g, k, c);
	sub3(to_axis, c, g->view[k].s);

	if (g->parallel)
		memcpy(to_axis, g->view[k].s, sizeof to_axis);
	else
		v->depth = dot3(m, to_axis);

	if (!(v->depth > 0.))
		error("%s: view %ld: the rotation axis is %g mm behind the source, expected it in front",
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

	v->upright = is_upright(v);
	v->factor = set_factor(g, k, m, to_axis, v);
}

struct fbp *fbp_create(const struct geom *g, enum ramp_window window, const char *name)
{
	struct fbp *f = NEW(struct fbp);

	f->g = g;
	f->window = window;
	f->scan = scan_create(g, name);
	f->view = mem_calloc((size_t)g->views, sizeof *f->view);

	for (long k = 0; k < g->views; k++)
		set_view(g, k, f->view + k, name);

	return f;
}

void fbp_free(struct fbp *f)
{
	if (!f)
		return;

	scan_free(f->scan);
	ramp_free(f->ramp);
	free(f->matrix);
	free(f->place);
	free(f->view);
	free(f);
}

const char *fbp_describe(const struct fbp *f)
{
	return scan_describe(f->scan);
}

/** Whether the views share a filter of equally spaced columns. */
static bool same_ramp(const struct view *a, const struct view *b)
{
	return UNEVEN != a->spacing && UNEVEN != b->spacing && fabs(a->bend - b->bend) <= 1e-12 * a->bend;
}

static void use_ramp(struct fbp *f, double bend)
{
	if (f->ramp && f->bend == bend)
		return;

	ramp_free(f->ramp);
	f->ramp = ramp_create(f->window, f->g->cols, bend);
	f->bend = bend;
}

/** Place of a column across the rays: on a line at depth 1 from the source; for a parallel beam [mm]. *slope:
 * its change per column; *cosine: of the ray's angle to the normal. */
static double column_place(const struct view *v, double a, double *slope, double *cosine)
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

/** The matrix for columns that are not equally spaced; kept while the views have the same columns. */
static void use_matrix(struct fbp *f, const struct view *v)
{
	long n = f->g->cols;
	double *place = mem_alloc((size_t)n * sizeof *place);
	double *slope = mem_alloc((size_t)n * sizeof *slope);
	double *cosine = mem_alloc((size_t)n * sizeof *cosine);
	bool same = NULL != f->matrix;

	for (long i = 0; i < n; i++) {
		place[i] = column_place(v, (double)i, slope + i, cosine + i);
		same = same && fabs(place[i] - f->place[i]) <= 1e-12 * fabs(place[i]);
	}

	free(f->place);
	f->place = place;

	if (!f->matrix)
		f->matrix = mem_alloc((size_t)mul_checked(n, n, "the filter matrix") * sizeof *f->matrix);

#pragma omp parallel for schedule(static) if (!same)
	for (long i = 0; i < (same ? 0 : n); i++)
		for (long j = 0; j < n; j++) {
			double rho = (i == j) ? slope[i] : (place[i] - place[j]) / (double)(i - j);

			f->matrix[i * n + j] = ramp_kernel(f->window, i - j) * fabs(slope[j]) /
			                       (rho * rho * cosine[i] * cosine[i]);
		}

	free(slope);
	free(cosine);
}

#define REAL  float
#define FN(x) x##_float
#include "linops/xray/fbp_filter_impl.inc"

#define REAL  double
#define FN(x) x##_double
#include "linops/xray/fbp_filter_impl.inc"

/** Weights of one view's rays, factor included: weight[cols * rows]. */
static void ray_weights(const struct fbp *f, long k, double *weight)
{
	const struct geom *g = f->g;
	const struct view *v = f->view + k;
	const struct geom_view *w = g->view + k;

	scan_weights(f->scan, k, weight);

	for (long a = 0; a < g->cols; a++)
		weight[a] *= v->factor;

	for (long b = g->rows - 1; b >= 0; b--)
		for (long a = 0; a < g->cols; a++)
			weight[b * g->cols + a] = weight[a];

	if (g->parallel)
		return;

#pragma omp parallel for schedule(static) if (g->rows > 16)
	for (long a = 0; a < g->cols; a++) {
		double s[3], d[3];

		geom_ray(g, k, (double)a, 0., s, d);

		for (long b = 0; b < g->rows; b++) {
			double e[3] = {d[0] + (double)b * w->v[0], d[1] + (double)b * w->v[1],
			        d[2] + (double)b * w->v[2]};

			weight[b * g->cols + a] *= dot3(e, v->central) / norm3(e);
		}
	}
}

static void weigh(const struct fbp *f, enum dtype type, void *x, long first, long n)
{
	long size = f->g->cols * f->g->rows;
	double *weight = mem_alloc((size_t)size * sizeof *weight);

	for (long k = 0; k < n; k++) {
		ray_weights(f, first + k, weight);

		if (DT_FLOAT32 == type)
			weigh_float(size, (float *)x + k * size, weight);
		else
			weigh_double(size, (double *)x + k * size, weight);
	}

	free(weight);
}

void fbp_filter(struct fbp *f, enum dtype type, void *x, long first, long n)
{
	long rows = f->g->rows, size = f->g->cols * rows;

	weigh(f, type, x, first, n);

	for (long k = 0, m; k < n; k += m) {
		const struct view *v = f->view + first + k;
		void *at = (char *)x + k * size * (long)dtype_size(type);

		for (m = 1; k + m < n && same_ramp(v, v + m);)
			m++;

		if (UNEVEN != v->spacing) {
			use_ramp(f, v->bend);
			ramp_lines(f->ramp, type, m * rows, at);
		} else {
			use_matrix(f, v);

			if (DT_FLOAT32 == type)
				apply_matrix_float(f->matrix, f->g->cols, rows, at);
			else
				apply_matrix_double(f->matrix, f->g->cols, rows, at);
		}
	}
}

/** Where CHUNK neighbouring voxels along x project to: column, row, change of the row per voxel along z,
 * weight 1 / w^2. */
struct spot {
	double col[CHUNK], row[CHUNK], rise[CHUNK], weight[CHUNK];
};

/** v->to at voxel (i, j, k) and its steps along x and z. */
struct line {
	double at[3], step[3], rise[3];
};

static struct line line_at(const struct view *v, const struct grid *g, long i, long j, long k)
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

static void flat_spots(const struct line *l, long n, struct spot *s)
{
	for (long i = 0; i < n; i++) {
		double t = (double)i, w = l->at[2] + t * l->step[2];
		double f = (w > 0.) ? 1. / w : 0.;

		s->col[i] = (l->at[0] + t * l->step[0]) * f;
		s->row[i] = (l->at[1] + t * l->step[1]) * f;
		s->rise[i] = l->rise[1] * f;
		s->weight[i] = f * f;
	}
}

static void curved_spots(const struct view *v, const struct line *l, long n, struct spot *s)
{
	for (long i = 0; i < n; i++) {
		double q[3], d[3], o[3];

		for (int r = 0; r < 3; r++) {
			q[r] = l->at[r] + (double)i * l->step[r];
			o[r] = v->parallel ? q[r] : v->from[r];
			d[r] = v->parallel ? v->from[r] : q[r] - v->from[r];
		}

		double dd = d[0] * d[0] + d[1] * d[1], od = o[0] * d[0] + o[1] * d[1];
		double disc = od * od - dd * (o[0] * o[0] + o[1] * o[1] - v->radius * v->radius);
		bool meets = dd > 0. && disc >= 0.;
		double t = meets ? (sqrt(disc) - od) / dd : 0.;

		s->col[i] = atan2(o[0] + t * d[0], o[1] + t * d[1]) / v->pitch + v->middle[0];
		s->row[i] = o[2] + t * d[2] + v->middle[1];
		s->rise[i] = v->parallel ? l->rise[2] : t * l->rise[2];
		s->weight[i] = !meets ? 0. : v->parallel ? 1. : v->depth * v->depth / dd;
	}
}

static void find_spots(
        const struct view *v, const struct grid *g, long i, long j, long k, long n, struct spot *s)
{
	struct line l = line_at(v, g, i, j, k);

	if (v->curved)
		curved_spots(v, &l, n, s);
	else
		flat_spots(&l, n, s);
}

/** Copies of filtered views with a border of zeros. */
struct frames {
	bool turned; // rows fastest
	long lines, pitch;
};

static struct frames frames_of(const struct fbp *f, bool turned)
{
	long cols = f->g->cols + 3, rows = f->g->rows + 3;

	return (struct frames){
	        .turned = turned, .lines = turned ? cols : rows, .pitch = turned ? rows : cols};
}

#define REAL  float
#define FN(x) x##_float
#include "linops/xray/fbp_impl.inc"

#define REAL  double
#define FN(x) x##_double
#include "linops/xray/fbp_impl.inc"

/** Volumes of fewer slices gain nothing from going along z. */
enum { UPRIGHT_SLICES = 8 };

void fbp_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step,
        const void *q, long first, long n)
{
	bool upright = grid->size[2] >= UPRIGHT_SLICES;

	for (long k = 0; k < n; k++)
		upright = upright && f->view[first + k].upright;

	struct frames fr = frames_of(f, upright);
	void *frame = mem_alloc((size_t)(n * fr.lines * fr.pitch) * dtype_size(type));

	if (DT_FLOAT32 == type) {
		set_frames_float(&fr, frame, q, f->g->cols, f->g->rows, n);
		(upright ? upright_float : any_geometry_float)(f, &fr, grid, vol, step, frame, first, n);
	} else {
		set_frames_double(&fr, frame, q, f->g->cols, f->g->rows, n);
		(upright ? upright_double : any_geometry_double)(f, &fr, grid, vol, step, frame, first, n);
	}

	free(frame);
}

long fbp_batch(const struct fbp *f, enum dtype type)
{
	const long most = 64, bytes = 16L << 20;
	long n = bytes / ((f->g->cols + 3) * (f->g->rows + 3) * (long)dtype_size(type));

	n = (n < 1) ? 1 : (n > most) ? most : n;

	return (n < f->g->views) ? n : f->g->views;
}

long fbp_memory(const struct fbp *f, enum dtype type)
{
	long view = (f->g->cols + 3) * (f->g->rows + 3);

	return 2 * fbp_batch(f, type) * view * (long)dtype_size(type) + view * (long)sizeof(double);
}
