#include "ct/geometry/geom.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"

struct geom *geom_create(long views, long cols, long rows, bool parallel)
{
	struct geom *g = NEW(struct geom);

	*g = (struct geom){.views = views, .cols = cols, .rows = rows, .parallel = parallel};
	g->view = mem_alloc(mul_checked(views, sizeof(struct geom_view), "the geometry"));
	return g;
}

void geom_free(struct geom *g)
{
	if (!g)
		return;

	free(g->view);
	free(g);
}

/** Reads all columns of the file as float64, [view][c][i]; malloc'd. */
static double *read_columns(struct cfl *f, long views)
{
	long n = mul_checked(views, 16, f->name);
	double *out = mem_alloc(mul_checked(n, sizeof(double), f->name));
	const void *in = cfl_next(f, n);

	if (!dtype_is_complex(f->hdr.type)) {
		convert(DT_FLOAT64, out, f->hdr.type, in, n, NARROW_WRAP);
		return out;
	}

	complex double *z = mem_alloc(mul_checked(n, sizeof *z, f->name));

	convert(DT_COMPLEX128, z, f->hdr.type, in, n, NARROW_WRAP);

	for (long i = 0; i < n; i++) {
		if (!(cimag(z[i]) == 0.))
			error("%s: element %ld of the geometry has an imaginary part, expected real numbers",
			        f->name, i);

		out[i] = creal(z[i]);
	}

	free(z);
	return out;
}

/** Copies a column and checks its last component; kind is its name. */
static void take_column(
        double out[3], const double col[4], double w, const char *kind, const char *name, long view)
{
	for (int i = 0; i < 4; i++)
		if (!isfinite(col[i]))
			error("%s: view %ld: %s is not finite", name, view, kind);

	if (col[3] != w)
		error("%s: view %ld: last component of %s is %g, expected %g", name, view, kind, col[3], w);

	memcpy(out, col, 3 * sizeof(double));
}

/** The rays of a stack of fans lie in planes across z. */
static void check_stack(const struct geom *g, const char *name, long view)
{
	const struct geom_view *p = g->view + view;
	const double near = 1e-9;

	if (!(hypot(p->v[0], p->v[1]) <= near * norm3(p->v)))
		error("%s: view %ld: v is not parallel to z (expected v parallel to z in a stack of fans)",
		        name, view);

	if (!(fabs(p->u[2]) <= near * norm3(p->u) && fabs(p->s[2] - p->d[2]) <= near * norm3(p->v)))
		error("%s: view %ld: the rays are not perpendicular to z (expected u and s - d perpendicular "
		      "to z in a stack of fans)",
		        name, view);
}

static void check_view(const struct geom *g, const char *name, long view)
{
	const struct geom_view *p = g->view + view;
	double n[3], ray[3];

	if (!(norm3(p->u) > 0.))
		error("%s: view %ld: u is zero, expected the step between detector columns", name, view);

	if (!(norm3(p->v) > 0.))
		error("%s: view %ld: v is zero, expected the step between detector rows", name, view);

	cross3(n, p->u, p->v);

	if (!(norm3(n) > 1e-9 * norm3(p->u) * norm3(p->v)))
		error("%s: view %ld: u and v are parallel, expected two directions", name, view);

	for (int i = 0; i < 3; i++)
		ray[i] = p->s[i] - (g->parallel ? 0. : p->d[i]);

	if (!(norm3(ray) > 0.))
		error("%s: view %ld: %s", name, view,
		        g->parallel ? "the beam direction s is zero"
		                    : "the source is at the detector's centre");

	if (!(fabs(dot3(n, ray)) > 1e-9 * norm3(n) * norm3(ray)))
		error("%s: view %ld: the rays are parallel to the detector surface", name, view);

	if (g->stack)
		check_stack(g, name, view);
}

static void choose_detector(
        struct geom *g, const struct cfl *f, const struct opt_longs *detector, const struct cfl *proj)
{
	if (detector && detector->n > 2)
		usage_error("--detector has %d numbers, expected COLS[:ROWS]", detector->n);

	if (detector && detector->n > 0) {
		g->cols = detector->v[0];
		g->rows = detector->n > 1 ? detector->v[1] : 1;
	} else if (f->hdr.has_detector) {
		g->cols = f->hdr.detector[0];
		g->rows = f->hdr.detector[1];
	} else if (proj) {
		g->cols = proj->hdr.dims[0];
		g->rows = proj->hdr.dims[1];
	}

	if (g->cols <= 0)
		error("%s: the header has no section '# Detector' (give --detector COLS:ROWS)", f->name);

	if (g->rows <= 0)
		error("%s: the detector has %ld x %ld pixels, expected at least 1 x 1", f->name, g->cols,
		        g->rows);

	g->radius = f->hdr.has_detector ? f->hdr.radius : 0.;

	if (!(g->radius >= 0. && isfinite(g->radius)))
		error("%s: the detector radius is %g mm, expected 0 (flat) or more", f->name, g->radius);
}

static void check_radius(const struct geom *g, const char *name)
{
	if (g->radius == 0.)
		return;

	for (long k = 0; k < g->views; k++)
		if (!(g->cols * norm3(g->view[k].u) < 2. * M_PI * g->radius))
			error("%s: view %ld: %ld columns of %g mm on a circle of radius %g mm cover 360 "
			      "degrees or more, expected less",
			        name, k, g->cols, norm3(g->view[k].u), g->radius);
}

void geom_check(const struct geom *g, const char *name)
{
	for (long k = 0; k < g->views; k++) {
		const struct geom_view *p = g->view + k;

		for (int i = 0; i < 3; i++)
			if (!isfinite(p->s[i]) || !isfinite(p->d[i]) || !isfinite(p->u[i]) ||
			        !isfinite(p->v[i]))
				error("%s: view %ld: a position or direction is not finite", name, k);

		check_view(g, name, k);
	}

	check_radius(g, name);
}

/** The last component of s says which kind of beam it is. */
enum { W_PARALLEL, W_POINT, W_STACK };

static const char *const kind_names[] = {"parallel", "fan or cone", "stacked fan"};

/** Whether all rays of the one row stay in a plane across z. */
static bool is_planar(const struct geom *g)
{
	bool planar = (g->rows == 1);

	for (long k = 0; k < g->views && planar; k++) {
		const struct geom_view *w = g->view + k;
		const double near = 1e-9, height = g->parallel ? w->s[2] : w->s[2] - w->d[2];

		planar = hypot(w->v[0], w->v[1]) <= near * norm3(w->v) &&
		         fabs(w->u[2]) <= near * norm3(w->u) &&
		         fabs(height) <= near * norm3(g->parallel ? w->s : w->v) &&
		         fabs(w->d[2] - g->view[0].d[2]) <= near * norm3(w->v);
	}

	return planar;
}

bool geom_stack_rows(struct geom *g, long rows, double step, double z)
{
	if (rows == 1 || !is_planar(g))
		return false;

	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;

		w->v[0] = w->v[1] = 0.;
		w->v[2] = (w->v[2] < 0.) ? -step : step;
		w->u[2] = 0.;
		w->d[2] = z;
		w->s[2] = g->parallel ? 0. : z;
	}

	g->rows = rows;
	g->stack = !g->parallel;
	return true;
}

void geom_stack_over(struct geom *g, const struct grid *grid, const char *name)
{
	const long n = grid->size[2];

	if (n == 1 || !geom_stack_rows(g, n, grid->spacing[2],
	                      grid->origin[2] + (double)(n - 1) / 2. * grid->spacing[2]))
		error("%s: %s (expected the geometry of one slice, and a volume of several slices)", name,
		        n == 1 ? "the volume has one slice"
		               : "the rays are not in one plane perpendicular to z");
}

void geom_expect_source(const struct geom *g, const char *name)
{
	if (g->stack)
		error("%s: a stack of fans (one source per row) is not supported here, expected one source "
		      "for all rows",
		        name);
}

/** A geometry of views of one kind from their columns. */
/** Projections of several rows of one slice's geometry are a stack. */
static void stack_before(
        struct geom *g, const struct opt_longs *detector, const struct cfl *proj, const char *name)
{
	if (!proj || (detector && detector->n > 0) || proj->hdr.dims[0] != g->cols ||
	        proj->hdr.dims[2] != g->views)
		return;

	const double step = proj->hdr.has_spacing ? proj->hdr.spacing[1] : norm3(g->view[0].v);

	if (geom_stack_rows(g, proj->hdr.dims[1], step, g->view[0].d[2]))
		info("%s: the geometry of one slice is used for each of the %ld rows of %s, %g mm apart",
		        name, g->rows, proj->name, step);
}

static bool is_kind(double w)
{
	return w == W_PARALLEL || w == W_POINT || w == W_STACK;
}

static struct geom *take_views(const struct cfl *f, const struct opt_longs *detector, const struct cfl *proj,
        const double *col, double kind, const char *name)
{
	struct geom *g = geom_create(f->hdr.dims[2], 0, 0, kind == W_PARALLEL);

	choose_detector(g, f, detector, proj);
	g->stack = (kind == W_STACK);

	for (long k = 0; k < g->views; k++) {
		struct geom_view *p = g->view + k;
		const double *c = col + 16 * k;

		if (c[3] != kind && is_kind(c[3]))
			error("%s: view %ld is a %s beam, but the first view is not (all views must have the "
			      "same "
			      "beam)",
			        name, k, kind_names[(int)c[3]]);

		take_column(p->s, c, kind, "s", name, k);
		take_column(p->d, c + 4, 1., "d", name, k);
		take_column(p->u, c + 8, 0., "u", name, k);
		take_column(p->v, c + 12, 0., "v", name, k);
		check_view(g, name, k);
	}

	check_radius(g, name);

	stack_before(g, detector, proj, name);
	return g;
}

struct geom **geom_load_frames(
        struct cfl *f, const struct opt_longs *detector, const struct cfl *proj, long frames[2])
{
	const long *dims = f->hdr.dims;

	cfl_expect(f, 1u << Q_GEOMETRY, "make one with gantry traj");

	if (dims[0] != 4 || dims[1] != 4 || hdr_rank(&f->hdr) > 5)
		error("%s has dimensions %s, expected a geometry of 4 x 4 x views", f->name,
		        hdr_shape(&f->hdr));

	frames[0] = dims[3];
	frames[1] = dims[4];

	const long n = mul_checked(frames[0], frames[1], f->name);
	double *col = read_columns(f, mul_checked(n, dims[2], f->name));
	struct geom **g = mem_alloc(mul_checked(n, sizeof(struct geom *), f->name));

	if (!is_kind(col[3]))
		error("%s: view 0: last component of s is %g, expected 1 (source point), 0 (direction of a "
		      "parallel beam) or 2 (a source for each row)",
		        f->name, col[3]);

	for (long i = 0; i < n; i++) {
		char *name =
		        n > 1 ? mem_printf("%s: channel %ld, time %ld", f->name, i % frames[0], i / frames[0])
		              : mem_strdup(f->name);

		g[i] = take_views(f, detector, proj, col + 16 * i * dims[2], col[3], name);
		free(name);
	}

	free(col);
	return g;
}

struct geom *geom_load(struct cfl *f, const struct opt_longs *detector, const struct cfl *proj)
{
	const long *dims = f->hdr.dims;
	long frames[2];

	const char *frame = dims[3] > 1 ? "channel" : "time";

	if (dims[0] == 4 && dims[1] == 4 && hdr_rank(&f->hdr) > 3)
		error("%s has dimensions %s, expected a geometry of 4 x 4 x views (for one geometry per %s, "
		      "use gantry recon or 'gantry -l %s COMMAND')",
		        f->name, hdr_shape(&f->hdr), frame, frame);

	struct geom **all = geom_load_frames(f, detector, proj, frames), *g = all[0];

	free(all);
	return g;
}

void geom_header(const struct geom *g, struct hdr *h)
{
	hdr_set_dims(h, 3, (long[]){4, 4, g->views});
	h->type = DT_FLOAT64;
	h->quantity = Q_GEOMETRY;
	strcpy(h->unit, "mm");
	h->has_detector = true;
	h->detector[0] = g->cols;
	h->detector[1] = g->rows;
	h->radius = g->radius;
}

void geom_store(const struct geom *g, double *out)
{
	for (long k = 0; k < g->views; k++) {
		const struct geom_view *p = g->view + k;
		const double *col[4] = {p->s, p->d, p->u, p->v};
		const double w[4] = {g->parallel ? W_PARALLEL : g->stack ? W_STACK : W_POINT, 1., 0., 0.};

		for (int c = 0; c < 4; c++) {
			memcpy(out, col[c], 3 * sizeof(double));
			out[3] = w[c];
			out += 4;
		}
	}
}

void geom_write(const char *name, const struct geom *g)
{
	struct hdr h;

	hdr_init(&h);
	geom_header(g, &h);

	struct cfl *f = cfl_create(name, &h);

	geom_store(g, cfl_slab(f, f->count));
	cfl_close(f);
}

void geom_normal(const struct geom *g, long view, double n[3])
{
	const struct geom_view *p = g->view + view;
	double to[3];

	cross3(n, p->u, p->v);

	for (int i = 0; i < 3; i++)
		to[i] = g->parallel ? -p->s[i] : p->s[i] - p->d[i];

	double f = (dot3(n, to) < 0. ? -1. : 1.) / norm3(n);

	for (int i = 0; i < 3; i++)
		n[i] *= f;
}

void geom_pixel(const struct geom *g, long view, double a, double b, double p[3])
{
	const struct geom_view *w = g->view + view;
	double x = a - (g->cols - 1) / 2., y = b - (g->rows - 1) / 2., z = 0., n[3] = {0., 0., 0.};

	if (g->radius > 0.) {
		double pitch = norm3(w->u), turn = x * pitch / g->radius;

		geom_normal(g, view, n);
		x = g->radius * sin(turn) / pitch;
		z = 2. * g->radius * sin(turn / 2.) * sin(turn / 2.);
	}

	for (int i = 0; i < 3; i++)
		p[i] = w->d[i] + x * w->u[i] + y * w->v[i] + z * n[i];
}

/** Coefficients c of x = c[0] u + c[1] v + c[2] n. */
static void coordinates(double c[3], const struct geom_view *w, const double n[3], const double x[3])
{
	double un[3], nv[3], uv[3];

	cross3(uv, w->u, w->v);
	cross3(nv, w->v, n);
	cross3(un, n, w->u);

	c[0] = dot3(x, nv) / dot3(w->u, nv);
	c[1] = dot3(x, un) / dot3(w->v, un);
	c[2] = dot3(x, uv) / dot3(n, uv);
}

/** Parameter t at which the line p + t r, in units of u, v and mm along n, meets the cylinder, in front of
 * the source and on the side of the detector's centre; NAN when it does not. */
static double meet_cylinder(const struct geom *g, const double p[3], const double r[3], double pitch)
{
	double x = p[0] * pitch, dx = r[0] * pitch, z = p[2] - g->radius;
	double a = dx * dx + r[2] * r[2], b = x * dx + z * r[2], c = x * x + z * z - g->radius * g->radius;
	double root = sqrt(b * b - a * c), best = NAN, nearest = INFINITY;

	for (int sign = -1; sign <= 1; sign += 2) {
		double t = (-b + sign * root) / a, height = z + t * r[2];

		if (isfinite(t) && (g->parallel || t > 0.) && height < nearest) {
			best = t;
			nearest = height;
		}
	}

	return best;
}

bool geom_project(const struct geom *g, long view, const double x[3], double *a, double *b)
{
	const struct geom_view *w = g->view + view;
	const double source[3] = {w->s[0], w->s[1], g->stack ? x[2] : w->s[2]};
	const double *from = g->parallel ? x : source;
	double n[3], ray[3], to[3], p[3], r[3], pitch = norm3(w->u), t;

	geom_normal(g, view, n);
	sub3(ray, x, source);
	sub3(to, from, w->d);
	coordinates(p, w, n, to);
	coordinates(r, w, n, g->parallel ? w->s : ray);

	t = (g->radius > 0.) ? meet_cylinder(g, p, r, pitch) : -p[2] / r[2];

	if (!isfinite(t) || (!g->parallel && !(t > 0.)))
		return false;

	*a = p[0] + t * r[0];
	*b = p[1] + t * r[1] + (g->rows - 1) / 2.;

	if (g->radius > 0.)
		*a = atan2(*a * pitch, g->radius - (p[2] + t * r[2])) * g->radius / pitch;

	*a += (g->cols - 1) / 2.;
	return true;
}

void geom_shift(struct geom *g, double columns, double rows)
{
	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;
		double n[3], d[3], pitch = norm3(w->u);

		geom_normal(g, k, n);
		geom_pixel(g, k, columns + (g->cols - 1) / 2., rows + (g->rows - 1) / 2., d);

		if (g->radius > 0.) {
			double c = cos(columns * pitch / g->radius), s = sin(columns * pitch / g->radius);

			for (int i = 0; i < 3; i++)
				w->u[i] = c * w->u[i] + s * pitch * n[i];
		}

		memcpy(w->d, d, sizeof d);

		for (int i = 0; g->stack && i < 3; i++)
			w->s[i] += rows * w->v[i];
	}
}

void geom_ray(const struct geom *g, long view, double a, double b, double s[3], double dir[3])
{
	const struct geom_view *w = g->view + view;
	double p[3];

	geom_pixel(g, view, a, b, p);

	for (int i = 0; i < 3; i++) {
		s[i] = g->parallel ? p[i]
		                   : w->s[i] + (g->stack ? (b - (double)(g->rows - 1) / 2.) * w->v[i] : 0.);
		dir[i] = g->parallel ? w->s[i] : p[i] - s[i];
	}
}

double geom_angle(const struct geom *g, long view)
{
	const double *s = g->view[view].s;
	double angle = g->parallel ? atan2(-s[0], s[1]) : atan2(s[0], -s[1]);

	if (angle < 0.)
		angle += 2. * M_PI;

	return (angle >= 2. * M_PI) ? 0. : angle + 0.; // no -0
}

/** Length of a step between pixels without what the turn of its view rounded. */
static double pitch_of(const double step[3])
{
	char text[32];

	snprintf(text, sizeof text, "%.13g", norm3(step));

	return strtod(text, NULL);
}

void geom_proj_header(const struct geom *g, struct hdr *h)
{
	const long size[3] = {g->cols, g->rows, g->views};
	const double spacing[3] = {pitch_of(g->view[0].u), pitch_of(g->view[0].v), 1.};

	for (int d = 0; d < 3; d++) {
		h->dims[d] = size[d];
		h->spacing[d] = spacing[d];
		h->origin[d] = NAN;
	}

	h->has_spacing = true;
	h->quantity = Q_LINE_INTEGRAL;
	h->unit[0] = 0;
}

void geom_check_proj(const struct geom *g, const struct cfl *geom_file, const struct cfl *proj)
{
	const long *d = proj->hdr.dims;

	if (d[0] == g->cols && d[1] == g->views && d[2] == 1 && g->views > 1 &&
	        (1 == g->rows || !geom_file->hdr.has_detector))
		error("%s has dimensions %s, expected %ld x 1 x %ld for columns, rows and views (use 'gantry "
		      "permute 0:2:1 %s NAME')",
		        proj->name, hdr_shape(&proj->hdr), g->cols, g->views, proj->name);

	if (d[0] != g->cols || d[1] != g->rows || d[2] != g->views)
		error("%s has dimensions %s, expected %ld x %ld x %ld (columns, rows, views) for the "
		      "geometry %s",
		        proj->name, hdr_shape(&proj->hdr), g->cols, g->rows, g->views, geom_file->name);
}

/** Point of the ray through pixel (a, b) that is closest to the z axis: its height, and its distance to the
 * axis. */
static double axis_approach(const struct geom *g, long view, double a, double b, double *height)
{
	double s[3], d[3];

	geom_ray(g, view, a, b, s, d);

	double h2 = d[0] * d[0] + d[1] * d[1];
	double t = (h2 > 0.) ? -(s[0] * d[0] + s[1] * d[1]) / h2 : 0.;

	*height = s[2] + t * d[2];
	return hypot(s[0] + t * d[0], s[1] + t * d[1]);
}

void geom_field_of_view(const struct geom *g, double *radius, double z[2])
{
	double ca = (g->cols - 1) / 2., cb = (g->rows - 1) / 2.;

	*radius = 0.;
	z[0] = INFINITY;
	z[1] = -INFINITY;

	for (long k = 0; k < g->views; k++)
		for (int side = 0; side < 2; side++) {
			double h, edge_a = side ? g->cols - 0.5 : -0.5, edge_b = side ? g->rows - 0.5 : -0.5;

			*radius = fmax(*radius, axis_approach(g, k, edge_a, cb, &h));
			axis_approach(g, k, ca, edge_b, &h);
			z[0] = fmin(z[0], h);
			z[1] = fmax(z[1], h);
		}
}
