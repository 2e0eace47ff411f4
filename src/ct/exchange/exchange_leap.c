/** LEAP: its parameter file, lines KEY = VALUE. With phi = our scan angle - 90 degrees (the file holds our
 * angle), e = (cos phi, sin phi, 0) and p = (-sin phi, cos phi, 0): columns grow along p, rows along z, and
 * pixel (i, j) is at pixelWidth (i - centerCol), pixelHeight (j - centerRow) from the foot of the source's
 * normal. cone, fan: source at sod e - tau p, detector plane at (sod - sdd) e; a helix is at z = helicalPitch
 * (phi - middle phi) with the pitch in mm per radian; a curved detector has equal angles atan(pixelWidth /
 * sdd). parallel: rays along -e. modular: source, centre, unit vectors along rising rows and columns of every
 * view. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

static const double degree = M_PI / 180.;

/** The parameter by its name now or that of older files; NULL when absent. */
static const struct setting *find(const struct settings *s, const char *name, const char *old)
{
	const struct setting *v = settings_find(s, name);

	return v ? v : settings_find(s, old);
}

static double number(const struct settings *s, const char *name, const char *old, double other)
{
	return settings_number(s, !settings_find(s, name) && settings_find(s, old) ? old : name, other);
}

static long count(const struct settings *s, const char *name, const char *old)
{
	return settings_count(s, !settings_find(s, name) && settings_find(s, old) ? old : name);
}

/** What all of LEAP's geometries have. */
struct leap {
	long views, rows, cols;
	double height, width; // of a pixel [mm]
	double row, col;      // centerRow, centerCol
	double sod, sdd, tau, helix, tilt;
};

/** A length of at least that; error() naming the key when it is shorter. */
static double length(const struct settings *s, const char *name, const char *old, double least)
{
	const double v = number(s, name, old, NAN);

	if (!(v > least))
		error("%s: %s is %g mm, expected more than %g mm", s->path, name, v, least);

	return v;
}

/** What cannot be left out: another transform. */
static void check_unsupported(const struct settings *s, long views)
{
	if (0. != number(s, "muCoeff", "mucoeff", 0.))
		error("%s: muCoeff: attenuated transforms are not supported", s->path);

	if (1 == views && fabs(number(s, "axisOfSymmetry", "proj_axisofsymmetry", 90.)) <= 30.)
		error("%s: axisOfSymmetry: symmetric objects are not supported", s->path);
}

static struct leap read_common(struct exchange_source *f, const struct settings *s, bool point_source)
{
	const double views = number(s, "numAngles", "proj_nangles", NAN);
	struct leap p = {.views = exchange_views(f, "numAngles", views),
	        .rows = count(s, "numRows", "proj_nrows"),
	        .cols = count(s, "numCols", "proj_ncols"),
	        .height = length(s, "pixelHeight", "proj_pheight", 0.),
	        .width = length(s, "pixelWidth", "proj_pwidth", 0.)};

	check_unsupported(s, p.views);
	p.row = number(s, "centerRow", "proj_crow", 0.5 * (double)(p.rows - 1));
	p.col = number(s, "centerCol", "proj_ccol", 0.5 * (double)(p.cols - 1));
	p.tau = number(s, "tau", "proj_tau", 0.);
	p.helix = number(s, "helicalPitch", "proj_helicalpitch", 0.);
	p.tilt = number(s, "tiltAngle", "proj_tiltAngle", 0.);

	if (point_source) {
		p.sod = length(s, "sod", "proj_sod", 0.);
		p.sdd = length(s, "sdd", "proj_sdd", p.sod);
	}

	return p;
}

/** Scan angles [degrees]. */
static double *read_angles(const struct settings *s, long views)
{
	const struct setting *v = find(s, "phis", "proj_phis");
	double *out = mem_alloc(mul_checked(views, sizeof(double), s->path));

	if (v && (v->word || v->n != views))
		error("%s: phis has %ld numbers, expected %ld", s->path, v->n, views);

	for (long k = 0; k < views; k++)
		out[k] = v ? v->number[k]
		           : (double)k * number(s, "angularRange", "proj_arange", NAN) / (double)views;

	return out;
}

static void set_view(struct geom_view *w, const struct leap *p, double angle, double z, bool parallel)
{
	const double c = cos((angle - 90.) * degree), s = sin((angle - 90.) * degree);
	const double e[3] = {c, s, 0.}, side[3] = {-s, c, 0.};
	const double ct = cos(p->tilt * degree), st = sin(p->tilt * degree);
	const double across = (0.5 * (double)(p->cols - 1) - p->col) * p->width;
	const double along = (0.5 * (double)(p->rows - 1) - p->row) * p->height;

	for (int i = 0; i < 3; i++) {
		const double up = (i == 2) ? 1. : 0.;
		const double u = ct * side[i] + st * up, v = -st * side[i] + ct * up;

		w->s[i] = parallel ? -e[i] : p->sod * e[i] - p->tau * side[i] + z * up;
		w->d[i] = (p->sod - p->sdd) * e[i] - p->tau * side[i] + z * up + across * u + along * v;
		w->u[i] = p->width * u;
		w->v[i] = p->height * v;
	}
}

/** A detector of equal angles: its centre is on the cylinder about the source. */
static void bend_view(struct geom_view *w, const struct leap *p, double angle, double z)
{
	const double step = atan(p->width / p->sdd), turn = (0.5 * (double)(p->cols - 1) - p->col) * step;
	const double c = cos((angle - 90.) * degree), s = sin((angle - 90.) * degree);
	const double e[3] = {c, s, 0.}, side[3] = {-s, c, 0.};
	const double along = (0.5 * (double)(p->rows - 1) - p->row) * p->height;

	for (int i = 0; i < 3; i++) {
		w->s[i] = p->sod * e[i] - p->tau * side[i];
		w->d[i] = w->s[i] + p->sdd * (sin(turn) * side[i] - cos(turn) * e[i]);
		w->u[i] = p->sdd * step * (cos(turn) * side[i] + sin(turn) * e[i]);
		w->v[i] = 0.;
	}

	w->s[2] += z;
	w->d[2] += z + along;
	w->v[2] = p->height;
}

static struct geom *read_orbit(struct exchange_source *f, const struct settings *s, const char *kind)
{
	const bool parallel = 0 == strcmp(kind, "parallel");
	const struct setting *type = settings_find(s, "detectorType");
	const bool curved = type && 1 == exchange_choice(s->path, type->key, type->word, "flat|curved");
	struct leap p = read_common(f, s, !parallel);
	double *angle = read_angles(s, p.views), middle = 0.5 * (angle[0] + angle[p.views - 1]);
	struct geom *g = geom_create(p.views, p.cols, p.rows, parallel);

	if (parallel)
		p.tau = p.helix = 0.;

	if (curved && (parallel || 0. != p.tilt))
		error("%s: a curved detector needs a cone beam without detector tilt", s->path);

	if (curved)
		g->radius = p.sdd;

	for (long k = 0; k < p.views; k++) {
		const double z = p.helix * (angle[k] - middle) * degree;

		if (curved)
			bend_view(g->view + k, &p, angle[k], z);
		else
			set_view(g->view + k, &p, angle[k], z, parallel);
	}

	g->stack = 0 == strcmp(kind, "fan") && p.rows > 1 && !curved;

	for (long k = 0; k < p.views && g->stack; k++) // a source for each row
		g->view[k].s[2] = g->view[k].d[2];

	free(angle);
	return g;
}

static struct geom *read_modular(struct exchange_source *f, const struct settings *s)
{
	static const char *const names[4][2] = {{"sourcePositions", "proj_srcpos"},
	        {"moduleCenters", "proj_modcenter"}, {"colVectors", "proj_colvec"},
	        {"rowVectors", "proj_rowvec"}};
	const struct leap p = read_common(f, s, false);
	struct geom *g = geom_create(p.views, p.cols, p.rows, false);

	for (int i = 0; i < 4; i++) {
		const struct setting *v = find(s, names[i][0], names[i][1]);

		if (!v || v->word || v->n != 3 * p.views)
			error("%s: %s is missing or does not have three numbers for each of %ld views",
			        s->path, names[i][0], p.views);

		for (long k = 0; k < p.views; k++) {
			struct geom_view *w = g->view + k;
			double *part[4] = {w->s, w->d, w->u, w->v};
			const double step = (i < 2) ? 1. : (i == 2) ? p.width : p.height;

			scale3(part[i], step, v->number + 3 * k);
		}
	}

	geom_shift(g, 0.5 * (double)(p.cols - 1) - p.col, 0.5 * (double)(p.rows - 1) - p.row);
	return g;
}

static void read_volume(
        struct exchange_source *f, const struct settings *s, const struct geom *g, const char *kind)
{
	if (!find(s, "numX", "img_dimx") || !find(s, "voxelWidth", "img_pwidth"))
		return;

	const double width = length(s, "voxelWidth", "img_pwidth", 0.);
	const double height =
	        find(s, "voxelHeight", "img_pheight") ? length(s, "voxelHeight", "img_pheight", 0.) : width;
	const bool rows_fix_z = g->parallel || 0 == strcmp(kind, "fan");
	const double at[3] = {number(s, "offsetX", "img_offsetx", 0.),
	        number(s, "offsetY", "img_offsety", 0.), number(s, "offsetZ", "img_offsetz", 0.)};

	f->has_volume = true;
	f->volume = (struct grid){.size = {count(s, "numX", "img_dimx"), count(s, "numY", "img_dimy"),
	                                  count(s, "numZ", "img_dimz")},
	        .spacing = {width, width, height}};

	for (int i = 0; i < 3; i++)
		f->volume.origin[i] = at[i] - 0.5 * (double)(f->volume.size[i] - 1) * f->volume.spacing[i];

	if (rows_fix_z)
		f->volume.origin[2] =
		        at[2] - number(s, "centerRow", "proj_crow", 0.5 * (double)(g->rows - 1)) *
		                        number(s, "pixelHeight", "proj_pheight", height);
}

struct geom *leap_read(struct exchange_source *f)
{
	struct settings *s = settings_parse(f->path, f->text);
	const struct setting *v = find(s, "geometry", "proj_geometry");

	if (!v)
		error("%s: geometry is missing (valid: cone, fan, parallel, modular)", f->path);

	static const char *const kinds[] = {"cone", "fan", "parallel", "modular"};
	const char *kind = kinds[exchange_choice(f->path, v->key, v->word, "cone|fan|parallel|modular")];
	struct geom *g = (0 == strcmp(kind, "modular")) ? read_modular(f, s) : read_orbit(f, s, kind);

	read_volume(f, s, g, kind);
	settings_free(s);
	return g;
}

/** Parameters of one view of an orbit; its angle [degrees] and height. False when it is no such view. */
static bool measure(struct leap *p, double *angle, double *z, const struct geom *g, long view)
{
	const struct geom_view *w = g->view + view;
	const struct exchange_frame f = exchange_frame(g, view);
	const double scale = norm3(w->d) + norm3(w->s) + norm3(w->u);
	double toward[3], across, turn = 0.;

	sub3(toward, w->d, w->s);
	*p = (struct leap){.views = g->views,
	        .rows = g->rows,
	        .cols = g->cols,
	        .height = f.pitch[1],
	        .width = f.pitch[0]};

	/* Untilted: rows along z, columns across; a bent one by its middle column. */
	if (!exchange_same(f.v[2], 1., 1.) || !exchange_same(f.u[2], 0., 1.))
		return false;

	if (g->radius > 0.) {
		/* The foot of the normal through the axis is not known from the arc: LEAP's tau is 0 here. */
		const double far = hypot(w->s[0], w->s[1]);
		const double e[2] = {w->s[0] / far, w->s[1] / far};

		p->sdd = hypot(toward[0], toward[1]);
		p->sod = far;
		*angle = atan2(e[1], e[0]) / degree + 90.;
		turn = atan2(e[0] * toward[1] - e[1] * toward[0], -(e[0] * toward[0] + e[1] * toward[1]));

		double n[2] = {-toward[0] / p->sdd, -toward[1] / p->sdd};

		if (!exchange_same(p->sdd, g->radius, scale) ||
		        !exchange_same(f.n[0] * n[0] + f.n[1] * n[1], 1., 1.))
			return false;

		p->width = p->sdd * tan(f.pitch[0] / g->radius);
		p->col = 0.5 * (double)(p->cols - 1) - turn * g->radius / f.pitch[0];
	} else {
		*angle = atan2(f.n[1], f.n[0]) / degree + 90.;
		p->sod = g->parallel ? 0. : dot3(w->s, f.n);
		p->sdd = g->parallel ? 0. : -dot3(toward, f.n);
		p->tau = g->parallel ? 0. : -dot3(w->s, f.u);
		across = g->parallel ? dot3(w->d, f.u) : dot3(toward, f.u);
		p->col = 0.5 * (double)(p->cols - 1) - across / f.pitch[0];
	}

	if (g->parallel && !exchange_same(-dot3(w->s, f.n), norm3(w->s), norm3(w->s)))
		return false;

	*z = (g->parallel || g->stack) ? 0. : w->s[2];
	p->row = 0.5 * (double)(p->rows - 1) - (w->d[2] - *z) / f.pitch[1];
	return f.right_handed;
}

/** Whether the views are an orbit; parameters and angles [degrees]. */
static bool is_orbit(struct leap *p, double *angle, const struct geom *g)
{
	double *z = mem_alloc((size_t)g->views * sizeof *z), middle;
	bool good = true;

	for (long k = 0; k < g->views && good; k++) {
		struct leap q;

		good = measure(k ? &q : p, angle + k, z + k, g, k);

		if (k && good) {
			const double scale = p->sod + p->sdd + fabs(p->tau) + p->width * (double)p->cols;

			angle[k] -= 360. * rint((angle[k] - angle[k - 1]) / 360.);
			good = exchange_same(p->sod, q.sod, scale) && exchange_same(p->sdd, q.sdd, scale) &&
			       exchange_same(p->tau, q.tau, scale) &&
			       exchange_same(p->col, q.col, (double)p->cols) &&
			       exchange_same(p->row, q.row, (double)p->rows) &&
			       exchange_same(p->width, q.width, p->width) &&
			       exchange_same(p->height, q.height, p->height);
		}
	}

	middle = 0.5 * (angle[0] + angle[g->views - 1]);

	if (good && g->views > 1 && angle[g->views - 1] != angle[0])
		p->helix = (z[g->views - 1] - z[0]) / ((angle[g->views - 1] - angle[0]) * degree);

	for (long k = 0; k < g->views && good; k++)
		good = exchange_same(z[k], p->helix * (angle[k] - middle) * degree, p->sod);

	free(z);
	return good;
}

static void put(struct str *out, const char *name, double x)
{
	str_printf(out, "%s = ", name);
	str_add_double(out, x + 0., 6);
	str_add(out, "\n");
}

static void put_volume(
        struct str *out, const struct grid *volume, const char *name, const struct leap *p, const char *kind)
{
	static const char *const size[3] = {"numX", "numY", "numZ"}, *const at[3] = {
	                                                                     "offsetX", "offsetY", "offsetZ"};
	const bool rows_fix_z = 0 == strcmp(kind, "parallel") || 0 == strcmp(kind, "fan");

	if (!exchange_same(volume->spacing[0], volume->spacing[1], volume->spacing[0]))
		error("%s: LEAP needs equal voxel sizes along x and y, found %g and %g mm (change --spacing)",
		        name, volume->spacing[0], volume->spacing[1]);

	str_add(out, "# CT volume parameters\n");

	for (int i = 0; i < 3; i++)
		str_printf(out, "%s = %ld\n", size[i], (i == 2 && rows_fix_z) ? p->rows : volume->size[i]);

	put(out, "voxelWidth", volume->spacing[0]);
	put(out, "voxelHeight", rows_fix_z ? p->height : volume->spacing[2]);

	for (int i = 0; i < 3; i++)
		put(out, at[i],
		        (i == 2 && rows_fix_z) ? 0.
		                               : volume->origin[i] + 0.5 * (double)(volume->size[i] - 1) *
		                                                             volume->spacing[i]);
}

static void put_vectors(struct str *out, const char *name, const struct geom *g, int which)
{
	str_printf(out, "%s = ", name);

	for (long k = 0; k < g->views; k++) {
		const struct exchange_frame f = exchange_frame(g, k);
		const double *v[4] = {g->view[k].s, g->view[k].d, f.v, f.u};

		for (int i = 0; i < 3; i++) {
			str_add(out, (k || i) ? ", " : "");
			str_add_double(out, v[which][i] + 0., 6);
		}
	}

	str_add(out, "\n");
}

static void put_detector(struct str *out, const struct leap *p, const char *kind, bool curved)
{
	str_printf(out, "\n# CT geometry parameters\ngeometry = %s\n", kind);

	if (curved)
		str_add(out, "detectorType = curved\n");

	str_printf(out, "numAngles = %ld\nnumRows = %ld\nnumCols = %ld\n", p->views, p->rows, p->cols);
	put(out, "pixelHeight", p->height);
	put(out, "pixelWidth", p->width);
	put(out, "centerRow", p->row);
	put(out, "centerCol", p->col);
}

static void write_modular(struct str *out, const struct geom *g, const char *name, const struct grid *volume)
{
	const struct exchange_frame f = exchange_frame(g, 0);
	const struct leap p = {.views = g->views,
	        .rows = g->rows,
	        .cols = g->cols,
	        .height = f.pitch[1],
	        .width = f.pitch[0],
	        .row = 0.5 * (double)(g->rows - 1),
	        .col = 0.5 * (double)(g->cols - 1)};

	if (g->parallel)
		error("%s: LEAP needs a parallel beam that turns about z with an untilted detector", name);

	expect_flat(g, name, "LEAP's modular beam");
	expect_orthogonal(g, name, "LEAP");
	expect_one_pitch(g, name, "LEAP");

	put_volume(out, volume, name, &p, "modular");
	put_detector(out, &p, "modular", false);
	put_vectors(out, "sourcePositions", g, 0);
	put_vectors(out, "moduleCenters", g, 1);
	put_vectors(out, "rowVectors", g, 2);
	put_vectors(out, "colVectors", g, 3);
}

void leap_write(
        struct str *out, const struct geom *g, const char *name, const struct grid *volume, bool modular)
{
	double *angle = mem_alloc(mul_checked(g->views, sizeof(double), name));
	struct leap p = {0};

	if (modular || !is_orbit(&p, angle, g) || (g->stack && g->radius > 0.)) {
		geom_expect_source(g, name);
		write_modular(out, g, name, volume);
		free(angle);
		return;
	}

	const char *kind = g->parallel                                                ? "parallel"
	                   : g->stack || (exchange_is_flatland(g) && g->radius == 0.) ? "fan"
	                                                                              : "cone";

	put_volume(out, volume, name, &p, kind);
	put_detector(out, &p, kind, g->radius > 0.);
	str_add(out, "phis = ");

	for (long k = 0; k < g->views; k++) {
		str_add(out, k ? ", " : "");
		str_add_double(out, angle[k] + 0., 6);
	}

	str_add(out, "\n");

	if (!g->parallel) {
		put(out, "sod", p.sod);
		put(out, "sdd", p.sdd);
		put(out, "tau", p.tau);
	}

	if (0 == strcmp(kind, "cone"))
		put(out, "helicalPitch", p.helix);

	free(angle);
}
