/** The ASTRA toolbox: the dictionary of astra.create_proj_geom() as JSON or printed by Python, or its vectors
 * as a table. Vectors of a view: source (parallel: ray direction), centre of the detector, step between
 * columns, step between rows. Angles in radians, as in astra.geom_2vec(). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/file.h"

enum { SPACE_NUMBERS = 12, PLANE_NUMBERS = 6 };

/** Views from rows of 12 numbers, or of 6 for slices. */
static struct geom *from_vectors(const double *v, long views, bool plane, bool parallel, long cols, long rows)
{
	struct geom *g = geom_create(views, cols, rows, parallel);

	for (long k = 0; k < views; k++) {
		struct geom_view *w = g->view + k;
		double *part[4] = {w->s, w->d, w->u, w->v};
		const int n = plane ? 2 : 3;

		*w = (struct geom_view){{0.}, {0.}, {0.}, {0.}};

		for (int i = 0; i < (plane ? 3 : 4); i++, v += n)
			memcpy(part[i], v, (size_t)n * sizeof *v);

		if (plane)
			w->v[2] = norm3(w->u);
	}

	return g;
}

static bool is_plane(const char *type)
{
	return 0 == strncmp(type, "fanflat", 7) || 0 == strcmp(type, "parallel") ||
	       0 == strcmp(type, "parallel_vec");
}

static struct geom *read_vectors(const struct settings *s, const char *type)
{
	const struct setting *v = settings_find(s, "Vectors");
	const bool plane = is_plane(type);
	const int width = plane ? PLANE_NUMBERS : SPACE_NUMBERS;

	if (!v || v->word || v->n < 1 || v->n % width || v->width != width)
		error("%s: expected 'Vectors' with %d numbers per view, as the type '%s' requires", s->path,
		        width, type);

	return from_vectors(v->number, v->n / width, plane, 0 == strncmp(type, "parallel", 8),
	        settings_count(s, plane ? "DetectorCount" : "DetectorColCount"),
	        plane ? 1 : settings_count(s, "DetectorRowCount"));
}

static double length(const struct settings *s, const char *key)
{
	const double v = settings_number(s, key, NAN);

	if (!(v > 0.))
		error("%s: %s is %g, expected a positive length", s->path, key, v);

	return v;
}

static struct geom *read_plain(const struct settings *s, const char *type)
{
	const struct setting *a = settings_find(s, "ProjectionAngles");
	const bool plane = is_plane(type), parallel = 0 == strncmp(type, "parallel", 8);

	if (!a || a->word || a->n < 1)
		error("%s: ProjectionAngles is missing, expected a list [radians]", s->path);

	const long cols = settings_count(s, plane ? "DetectorCount" : "DetectorColCount");
	const long rows = plane ? 1 : settings_count(s, "DetectorRowCount");
	const double pu = length(s, plane ? "DetectorWidth" : "DetectorSpacingX");
	const double pv = plane ? pu : length(s, "DetectorSpacingY");
	const double so = parallel ? 0. : length(s, "DistanceOriginSource");
	const double od = parallel ? 0. : settings_number(s, "DistanceOriginDetector", NAN);

	if (!(od >= 0.))
		error("%s: DistanceOriginDetector is %g, expected 0 or more", s->path, od);

	exchange_warn_degrees(s->path, "ProjectionAngles", a->n, a->number);

	struct geom *g = geom_create(a->n, cols, rows, parallel);

	for (long k = 0; k < a->n; k++) {
		const double si = sin(a->number[k]), co = cos(a->number[k]);

		g->view[k] = (struct geom_view){.s = {so * si, -so * co, 0.},
		        .d = {-od * si, od * co, 0.},
		        .u = {pu * co, pu * si, 0.},
		        .v = {0., 0., pv}};

		if (parallel)
			memcpy(g->view[k].s, (double[]){-si, co, 0.}, sizeof g->view[k].s);
	}

	return g;
}

struct geom *astra_read(struct exchange_source *f)
{
	static const char *const types[] = {"parallel", "fanflat", "parallel3d", "cone", "parallel_vec",
	        "fanflat_vec", "parallel3d_vec", "cone_vec"};
	struct settings *s = settings_parse(f->path, f->text);
	const char *type = settings_word(s, "type");
	struct geom *g = NULL;

	for (int i = 0; type && i < 8; i++)
		if (0 == strcmp(type, types[i]))
			g = (i < 4) ? read_plain(s, type) : read_vectors(s, type);

	if (!g)
		error("%s: type is %s, expected one of ASTRA's: parallel, fanflat, parallel3d, cone, "
		      "parallel_vec, fanflat_vec, parallel3d_vec or cone_vec",
		        f->path, type ? type : "missing");

	settings_free(s);
	return g;
}

static bool form_is_plane(enum exchange_form form)
{
	return EXCHANGE_PARALLEL_VEC == form || EXCHANGE_FANFLAT_VEC == form;
}

static bool form_is_parallel(enum exchange_form form)
{
	return EXCHANGE_PARALLEL_VEC == form || EXCHANGE_PARALLEL3D_VEC == form;
}

struct geom *astra_read_table(struct exchange_source *f, enum exchange_form form)
{
	const bool plane = form_is_plane(form);
	const int width = plane ? PLANE_NUMBERS : SPACE_NUMBERS;
	long n, size[2];
	double pitch[2], *v = file_read_numbers(f->path, &n);

	if (n < 1 || n % width)
		error("%s: Vectors contains %ld numbers, expected %d per view", f->path, n, width);

	exchange_detector(f, false, size, pitch);

	if (plane && size[1] != 1)
		error("%s: 2-D vectors imply a single detector row (give --detector %ld)", f->path, size[0]);

	struct geom *g = from_vectors(v, n / width, plane, form_is_parallel(form), size[0], size[1]);

	free(v);
	return g;
}

static void vector_row(struct str *out, const struct geom *g, long view, bool plane, const char *between)
{
	const struct geom_view *w = g->view + view;
	const double *part[4] = {w->s, w->d, w->u, w->v};

	for (int i = 0; i < (plane ? 3 : 4); i++)
		for (int c = 0; c < (plane ? 2 : 3); c++) {
			str_add(out, (i || c) ? between : "");
			str_add_double(out, part[i][c] + 0., 6);
		}
}

void astra_write_table(struct str *out, const struct geom *g, const char *name, enum exchange_form form)
{
	const bool plane = form_is_plane(form);

	expect_flat(g, name, "ASTRA");

	if (form_is_parallel(form) != g->parallel)
		error("%s: a %s beam needs vectors of another type (use --to astra, which chooses the type)",
		        name, g->parallel ? "parallel" : "fan or cone");

	if (plane && !exchange_is_flatland(g))
		error("%s: 2-D vectors need one detector row at z = 0 (use cone_vec or parallel3d_vec)",
		        name);

	str_add(out, "# ");
	exchange_note(out, g);
	str_add(out, "\n");

	for (long k = 0; k < g->views; k++) {
		vector_row(out, g, k, plane, " ");
		str_add(out, "\n");
	}
}

/** Angle of a view that the plain forms can say [rad]; distances[2]: origin to source and detector. */
static double plain_angle(const struct geom *g, const char *name, long view, double distance[2])
{
	const struct geom_view *w = g->view + view;
	const struct exchange_frame f = exchange_frame(g, view);
	const double t = g->parallel ? atan2(w->u[1], w->u[0]) : geom_angle(g, view);
	const double back[3] = {sin(t), -cos(t), 0.}, right[3] = {cos(t), sin(t), 0.};
	const double beam = g->parallel ? norm3(w->s) : 1., scale = f.pitch[0];
	bool good = exchange_same(dot3(f.u, right), 1., 1.) && exchange_same(f.v[2], 1., 1.);

	distance[0] = g->parallel ? 0. : dot3(w->s, back);
	distance[1] = g->parallel ? 0. : -dot3(w->d, back);

	if (g->parallel)
		good &= exchange_same(fabs(dot3(w->s, back)), beam, beam);
	else
		good &= exchange_same(w->s[2], 0., scale);

	good &= exchange_same(dot3(w->d, right), 0., scale) && exchange_same(w->d[2], 0., scale);

	if (!good)
		error("%s: view %ld is tilted, shifted or not on a circle about z (use --to astra, which "
		      "writes a vector for each view)",
		        name, view);

	return t;
}

static void write_plain(struct str *out, const struct geom *g, const char *name)
{
	const bool plane = exchange_is_flatland(g);
	const struct exchange_frame f = exchange_frame(g, 0);
	double first[2], distance[2], *angle = mem_alloc(mul_checked(g->views, sizeof(double), name));

	expect_one_pitch(g, name, "ASTRA");

	for (long k = 0; k < g->views; k++) {
		angle[k] = plain_angle(g, name, k, k ? distance : first);

		if (k && (!exchange_same(distance[0], first[0], first[0]) ||
		                 !exchange_same(distance[1], first[1], first[0])))
			error("%s: view %ld and view 0 have different source or detector distances (use --to "
			      "astra, which writes a vector for each view)",
			        name, k);
	}

	str_printf(out, "{\"type\": \"%s\",\n",
	        g->parallel ? (plane ? "parallel" : "parallel3d") : (plane ? "fanflat" : "cone"));

	if (plane) {
		str_printf(out, " \"DetectorCount\": %ld,\n \"DetectorWidth\": ", g->cols);
	} else {
		str_printf(
		        out, " \"DetectorRowCount\": %ld,\n \"DetectorColCount\": %ld,\n", g->rows, g->cols);
		str_add(out, " \"DetectorSpacingY\": ");
		str_add_double(out, f.pitch[1], 6);
		str_add(out, ",\n \"DetectorSpacingX\": ");
	}

	str_add_double(out, f.pitch[0], 6);

	if (!g->parallel) {
		str_add(out, ",\n \"DistanceOriginSource\": ");
		str_add_double(out, first[0], 6);
		str_add(out, ",\n \"DistanceOriginDetector\": ");
		str_add_double(out, first[1], 6);
	}

	str_add(out, ",\n \"ProjectionAngles\": ");
	exchange_list(out, g->views, angle);
	str_add(out, "}\n");
	free(angle);
}

void astra_write(struct str *out, const struct geom *g, const char *name, bool plain)
{
	const bool plane = exchange_is_flatland(g);

	expect_flat(g, name, "ASTRA");

	if (plain) {
		write_plain(out, g, name);
		return;
	}

	str_printf(out, "{\"type\": \"%s\",\n",
	        g->parallel ? (plane ? "parallel_vec" : "parallel3d_vec")
	                    : (plane ? "fanflat_vec" : "cone_vec"));

	if (plane)
		str_printf(out, " \"DetectorCount\": %ld,\n", g->cols);
	else
		str_printf(
		        out, " \"DetectorRowCount\": %ld,\n \"DetectorColCount\": %ld,\n", g->rows, g->cols);

	str_add(out, " \"Vectors\": [");

	for (long k = 0; k < g->views; k++) {
		str_add(out, k ? ",\n  [" : "\n  [");
		vector_row(out, g, k, plane, ", ");
		str_add(out, "]");
	}

	str_add(out, "]}\n");
}
