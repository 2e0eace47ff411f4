/** CIL: the Python expression that makes an AcquisitionGeometry. CIL's angles rotate the object
 * counter-clockwise, so the scanner rotates by -angle. Before this, CIL rotates the rotation axis to z (by
 * the smallest rotation). It then rotates about z until the line from the source to the detector's centre, or
 * the beam, is along +y. CIL's volumes have these axes. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

static const double degree = M_PI / 180.;

/** The value of a call's argument, by name or by place; NULL when absent. */
static const struct setting *argument(const struct settings *s, const char *call, const char *name, int place)
{
	const struct setting *v = settings_find(s, name);

	if (v)
		return v;

	char *key = mem_printf("%s.%d", call, place);

	v = settings_find(s, key);
	free(key);
	return v;
}

/** A vector of n components, the third 0 when n = 2. */
static void vector(double out[3], const struct settings *s, const char *call, const char *name, int place,
        int n, const double other[3])
{
	const struct setting *v = argument(s, call, name, place);

	if (!v && !other)
		error("%s: %s() lacks %s", s->path, call, name);

	if (v && (v->word || v->n != n))
		error("%s: %s has %ld numbers, expected %d", s->path, name, v->word ? 0 : v->n, n);

	out[2] = 0.;
	memcpy(out, v ? v->number : other, (size_t)(v ? n : 3) * sizeof *out);
}

/** The calls and the names of their arguments in order. Others, as set_channels() and set_labels(), say
 * nothing about the geometry. */
static const struct call {
	const char *name, *arguments;
} calls[] = {{"create_Parallel2D", "ray_direction|detector_position|detector_direction_x|"
                                   "rotation_axis_position|units"},
        {"create_Cone2D", "source_position|detector_position|detector_direction_x|rotation_axis_position|"
                          "units"},
        {"create_Parallel3D", "ray_direction|detector_position|detector_direction_x|detector_direction_y|"
                              "rotation_axis_position|rotation_axis_direction|units"},
        {"create_Cone3D", "source_position|detector_position|detector_direction_x|detector_direction_y|"
                          "rotation_axis_position|rotation_axis_direction|units"},
        {"create_Cone3D_Flex", "source_position_set|detector_position_set|detector_direction_x_set|"
                               "detector_direction_y_set|volume_centre_position|units"},
        {"set_panel", "num_pixels|pixel_size|origin"}, {"set_angles", "angles|initial_angle|angle_unit"}};

enum { CALLS = sizeof calls / sizeof *calls, CREATING_CALLS = 5 };

static const struct call *call_of(const char *name)
{
	for (int i = 0; i < CALLS; i++)
		if (0 == strcmp(calls[i].name, name))
			return calls + i;

	return NULL;
}

static int count_words(const char *list)
{
	int n = 1;

	for (; *list; list++)
		n += '|' == *list;

	return n;
}

/** error() where an argument has a name that the call does not know, or there are too many without one. */
static void check_arguments(const struct settings *s)
{
	for (long i = 0; i < s->n; i++) {
		const struct setting *v = s->v + i;
		const struct call *c = v->call ? call_of(v->call) : NULL;

		if (!c)
			continue;

		const size_t n = strlen(c->name);

		if (0 == strncmp(v->key, c->name, n) && '.' == v->key[n]) {
			if (atoi(v->key + n + 1) >= count_words(c->arguments))
				error("%s: %s() has too many arguments (valid: %s)", s->path, c->name,
				        exchange_spell(c->arguments));
		} else if (exchange_word(c->arguments, v->key) < 0) {
			error("%s: %s(): unknown argument '%.60s' (valid: %s)", s->path, c->name, v->key,
			        exchange_spell(c->arguments));
		}
	}
}

static const char *find_call(const struct settings *s)
{
	for (long i = 0; i < s->n; i++) {
		const struct setting *v = s->v + i;

		if (0 != strcmp(v->key, SETTINGS_CALL) || 0 != strncmp(v->word, "create_", 7))
			continue;

		for (int k = 0; k < CREATING_CALLS; k++)
			if (0 == strcmp(v->word, calls[k].name))
				return v->word;

		error("%s: unknown call %s() (valid: create_Parallel2D, create_Parallel3D, create_Cone2D, "
		      "create_Cone3D, create_Cone3D_Flex)",
		        s->path, v->word);
	}

	error("%s contains no call of AcquisitionGeometry.create_Cone3D() or a variant of it", s->path);
}

/** The value of the argument `name` as an index of the words in the list; `other` when it is absent. */
static int choice(
        const struct settings *s, const struct setting *v, const char *name, const char *list, int other)
{
	return v ? exchange_choice(s->path, name, v->word, list) : other;
}

struct panel {
	long size[2];
	double pitch[2], sign[2];
};

static struct panel read_panel(const struct exchange_source *f, const struct settings *s)
{
	const struct setting *n = argument(s, "set_panel", "num_pixels", 0);
	const struct setting *p = argument(s, "set_panel", "pixel_size", 1);
	const struct setting *o = argument(s, "set_panel", "origin", 2);
	const int corner = choice(s, o, "origin", "bottom-left|bottom-right|top-left|top-right", 0);
	struct panel out = {.size = {0, 1},
	        .pitch = {1., 1.},
	        .sign = {(corner & 1) ? -1. : 1., (corner & 2) ? -1. : 1.}};

	if (!n || n->word || n->n < 1 || n->n > 2)
		error("%s: num_pixels of set_panel() must be one or two integers", s->path);

	for (int i = 0; i < n->n; i++)
		out.size[i] = exchange_count(f, "num_pixels", n->number[i]);

	if (p && (p->word || p->n < 1 || p->n > 2))
		error("%s: pixel_size of set_panel() must be one or two numbers", s->path);

	for (int i = 0; p && i < 2; i++) {
		out.pitch[i] = p->number[i < p->n ? i : 0];

		if (!(out.pitch[i] > 0.))
			error("%s: pixel_size is %g, expected a positive length", s->path, out.pitch[i]);
	}

	return out;
}

static void turn_z(double p[3], double s, double c)
{
	const double x = p[0], y = p[1];

	p[0] = c * x - s * y;
	p[1] = s * x + c * y;
}

/** The least turn that takes the unit vector a to z. */
static void turn_to_z(double p[3], const double a[3])
{
	const double x = p[0], y = p[1], z = p[2];

	if (a[2] <= -1. + 1e-12) {
		p[1] = -y;
		p[2] = -z;
		return;
	}

	const double f = (x * a[0] + y * a[1]) / (1. + a[2]);

	p[0] = x - a[0] * (z + f);
	p[1] = y - a[1] * (z + f);
	p[2] = a[0] * x + a[1] * y + a[2] * z;
}

/** Angle [rad] about z that takes the view's line from source to detector to +y. */
static double to_y(const struct geom_view *w, bool parallel)
{
	const double x = w->s[0], y = w->s[1];

	return parallel ? atan2(x, y) : atan2(w->d[0] - x, w->d[1] - y);
}

static void turn_view(struct geom_view *w, double angle)
{
	double *part[4] = {w->s, w->d, w->u, w->v};

	for (int i = 0; i < 4; i++)
		turn_z(part[i], sin(angle), cos(angle));
}

/** Detector directions as steps between pixels. */
static void scale_view(struct geom_view *w, const struct panel *p)
{
	scale3(w->u, p->sign[0] * p->pitch[0] / norm3(w->u), w->u);
	scale3(w->v, p->sign[1] * p->pitch[1] / norm3(w->v), w->v);
}

static const double zero[3] = {0., 0., 0.}, along_x[3] = {1., 0., 0.}, along_y[3] = {0., 1., 0.},
                    along_z[3] = {0., 0., 1.};

/** The view in CIL's frame before the object turns. */
static struct geom_view read_system(const struct settings *s, const char *call, bool parallel, int n)
{
	struct geom_view w;
	double position[3], axis[3];
	double *part[4] = {w.s, w.d, w.u, w.v};

	vector(w.s, s, call, parallel ? "ray_direction" : "source_position", 0, n, parallel ? along_y : NULL);
	vector(w.d, s, call, "detector_position", 1, n, parallel ? zero : NULL);
	vector(w.u, s, call, "detector_direction_x", 2, n, along_x);
	memcpy(w.v, along_z, sizeof w.v);

	if (3 == n)
		vector(w.v, s, call, "detector_direction_y", 3, n, along_z);

	vector(position, s, call, "rotation_axis_position", 3 == n ? 4 : 3, n, zero);
	memcpy(axis, along_z, sizeof axis);

	if (3 == n)
		vector(axis, s, call, "rotation_axis_direction", 5, n, along_z);

	scale3(axis, 1. / norm3(axis), axis);
	sub3(w.d, w.d, position);

	if (!parallel)
		sub3(w.s, w.s, position);

	for (int i = 0; i < 4; i++)
		turn_to_z(part[i], axis);

	turn_view(&w, to_y(&w, parallel));
	return w;
}

static struct geom *read_turning(const struct exchange_source *f, const struct settings *s, const char *call)
{
	const bool parallel = NULL != strstr(call, "Parallel");
	const struct setting *a = argument(s, "set_angles", "angles", 0);
	const struct setting *first = argument(s, "set_angles", "initial_angle", 1);
	const struct setting *unit = argument(s, "set_angles", "angle_unit", 2);
	const struct panel panel = read_panel(f, s);
	struct geom_view w = read_system(s, call, parallel, strstr(call, "2D") ? 2 : 3);

	if (!a || a->word || a->n < 1)
		error("%s: set_angles() lacks a list of angles", s->path);

	if (first && (first->word || 1 != first->n))
		error("%s: initial_angle must be a number", s->path);

	const double scale =
	        (choice(s, unit, "angle_unit", "degree|degrees|radian|radians", 0) > 1) ? 1. : degree;
	const double start = first ? first->number[0] : 0.;
	struct geom *g = geom_create(a->n, panel.size[0], panel.size[1], parallel);

	scale_view(&w, &panel);

	for (long k = 0; k < a->n; k++) {
		g->view[k] = w;
		turn_view(g->view + k, -scale * (a->number[k] + start));
	}

	return g;
}

static struct geom *read_flexible(const struct exchange_source *f, const struct settings *s, const char *call)
{
	static const char *const names[] = {"source_position_set", "detector_position_set",
	        "detector_direction_x_set", "detector_direction_y_set"};
	const struct panel panel = read_panel(f, s);
	const struct setting *set[4];
	double centre[3];

	for (int i = 0; i < 4; i++) {
		set[i] = argument(s, call, names[i], i);

		if (!set[i] || set[i]->word || set[i]->n < 3 || set[i]->n % 3 || set[i]->n != set[0]->n)
			error("%s: %s is missing or does not have three numbers per view", s->path, names[i]);
	}

	vector(centre, s, call, "volume_centre_position", 4, 3, zero);

	struct geom *g = geom_create(set[0]->n / 3, panel.size[0], panel.size[1], false);

	for (long k = 0; k < g->views; k++) {
		double *part[4] = {g->view[k].s, g->view[k].d, g->view[k].u, g->view[k].v};

		for (int i = 0; i < 4; i++)
			sub3(part[i], set[i]->number + 3 * k, i < 2 ? centre : zero);

		scale_view(g->view + k, &panel);
	}

	return g;
}

/** Lengths in other units than mm. CIL's own default says nothing: mm. */
static void to_mm(struct geom *g, const struct settings *s, const char *call)
{
	static const double unit[] = {1., 1., 10., 1e3, 1e-3};
	const struct setting *v =
	        argument(s, call, "units", exchange_word(call_of(call)->arguments, "units"));
	const double f = unit[choice(s, v, "units", "mm|units distance|cm|m|um", 0)];

	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;

		scale3(w->s, g->parallel ? 1. : f, w->s);
		scale3(w->d, f, w->d);
		scale3(w->u, f, w->u);
		scale3(w->v, f, w->v);
	}
}

struct geom *cil_read(struct exchange_source *f)
{
	struct settings *s = settings_parse(f->path, f->text);
	const char *call = find_call(s);

	check_arguments(s);

	struct geom *g = strstr(call, "Flex") ? read_flexible(f, s, call) : read_turning(f, s, call);

	to_mm(g, s, call);
	settings_free(s);
	return g;
}

/** Whether all views are one body turned about z; angle[views]: by which [degrees]; *body: before. */
static bool is_turning(const struct geom *g, struct geom_view *body, double angle[])
{
	const double scale = norm3(g->view[0].d) + norm3(g->view[0].s) + norm3(g->view[0].u);

	for (long k = 0; k < g->views; k++) {
		struct geom_view w = g->view[k];
		const double *a[4] = {w.s, w.d, w.u, w.v}, *b[4] = {body->s, body->d, body->u, body->v};
		const double t = to_y(&w, g->parallel);

		angle[k] = t / degree;

		if (k)
			angle[k] -= 360. * rint((angle[k] - angle[k - 1]) / 360.);

		turn_view(&w, t);

		if (0 == k)
			*body = w;

		for (int i = 0; i < 4; i++)
			for (int c = 0; c < 3; c++)
				if (!exchange_same(a[i][c], b[i][c], (i > 1) ? norm3(b[i]) : scale))
					return false;
	}

	return true;
}

static void put(struct str *out, const char *name, const double v[3])
{
	str_printf(out, "    %s=", name);
	exchange_list(out, 3, v);
	str_add(out, ",\n");
}

/** One vector of every view: 0 s, 1 d, 2 u, 3 v; directions as unit vectors. */
static void put_set(struct str *out, const char *name, const struct geom *g, int which)
{
	str_printf(out, "    %s=[", name);

	for (long k = 0; k < g->views; k++) {
		const struct exchange_frame f = exchange_frame(g, k);
		const double *v[4] = {g->view[k].s, g->view[k].d, f.u, f.v};

		str_add(out, k ? ", " : "");
		exchange_list(out, 3, v[which]);
	}

	str_add(out, "],\n");
}

static void put_panel(struct str *out, const struct geom *g)
{
	const struct exchange_frame f = exchange_frame(g, 0);

	str_printf(out, "  .set_panel(num_pixels=[%ld, %ld], pixel_size=", g->cols, g->rows);
	exchange_list(out, 2, f.pitch);
	str_add(out, ", origin='bottom-left')");
}

static void write_turning(
        struct str *out, const struct geom *g, const struct geom_view *body, const double angle[])
{
	double u[3], v[3];

	scale3(u, 1. / norm3(body->u), body->u);
	scale3(v, 1. / norm3(body->v), body->v);
	str_printf(out, "AcquisitionGeometry.create_%s3D(\n", g->parallel ? "Parallel" : "Cone");
	put(out, g->parallel ? "ray_direction" : "source_position", body->s);
	put(out, "detector_position", body->d);
	put(out, "detector_direction_x", u);
	put(out, "detector_direction_y", v);
	put(out, "rotation_axis_position", zero);
	put(out, "rotation_axis_direction", along_z);
	str_add(out, "    units='mm') \\\n");
	put_panel(out, g);
	str_add(out, " \\\n  .set_angles(angles=");
	exchange_list(out, g->views, angle);
	str_add(out, ", initial_angle=0, angle_unit='degree')\n");
}

static void write_flexible(struct str *out, const struct geom *g)
{
	str_add(out, "AcquisitionGeometry.create_Cone3D_Flex(\n");
	put_set(out, "source_position_set", g, 0);
	put_set(out, "detector_position_set", g, 1);
	put_set(out, "detector_direction_x_set", g, 2);
	put_set(out, "detector_direction_y_set", g, 3);
	put(out, "volume_centre_position", zero);
	str_add(out, "    units='mm') \\\n");
	put_panel(out, g);
	str_add(out, "\n");
}

void cil_write(struct str *out, const struct geom *g, const char *name)
{
	struct geom_view body;
	double *angle = mem_alloc(mul_checked(g->views, sizeof(double), name));

	expect_flat(g, name, "CIL");
	expect_orthogonal(g, name, "CIL");
	expect_one_pitch(g, name, "CIL");

	if (is_turning(g, &body, angle))
		write_turning(out, g, &body, angle);
	else if (!g->parallel)
		write_flexible(out, g);
	else
		error("%s: CIL needs a parallel beam and a detector that turn together about one axis", name);

	free(angle);
}
