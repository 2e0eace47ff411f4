/** TIGRE: the attributes of tigre.geometry() with Python's order of axes (z, y, x and V, U), and the angles,
 * as JSON. At angle 0 TIGRE's source is on +x: alpha is our scan angle - 90 degrees. A view is made in this
 * order. The detector is at x = -(DSD - DSO), its columns along y and its rows along z. It is rotated about
 * its centre by rotDetector, the angles about x, then y, then z, and shifted by offDetector. Source and
 * detector are rotated by the Euler angles Rz(alpha) Ry(theta) Rz(psi) and shifted by COR (-sin alpha, cos
 * alpha, 0). The centre of the volume is at offOrigin. A parallel beam turns by alpha alone, its rays run
 * from (DSO, pixel before offDetector) to the pixel. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

struct pose {
	double alpha, theta, psi;
	double dso, dsd, cor;
	double offset[2]; // V, U
	double turn[3];   // about x, y, z
	double origin[3]; // z, y, x
};

/** m = Rz(c) Ry(b) Rx(a). */
static void turn_xyz(double m[3][3], double a, double b, double c)
{
	const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
	const double out[3][3] = {{cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa},
	        {sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa}, {-sb, cb * sa, cb * ca}};

	memcpy(m, out, sizeof out);
}

/** m = Rz(a) Ry(b) Rz(c). */
static void turn_zyz(double m[3][3], double a, double b, double c)
{
	const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
	const double out[3][3] = {{ca * cb * cc - sa * sc, -ca * cb * sc - sa * cc, ca * sb},
	        {sa * cb * cc + ca * sc, -sa * cb * sc + ca * cc, sa * sb}, {-sb * cc, sb * sc, cb}};

	memcpy(m, out, sizeof out);
}

static void apply(double out[3], const double m[3][3], const double p[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = dot3(m[i], p);
}

static struct geom_view view_of(const struct pose *p, bool parallel, const double pitch[2])
{
	struct geom_view w;
	double euler[3][3], turn[3][3], u[3] = {0., pitch[0], 0.}, v[3] = {0., 0., pitch[1]};
	double s[3] = {p->dso, 0., 0.}, d[3] = {p->dso - p->dsd, p->offset[1], p->offset[0]};

	if (parallel) {
		s[0] = -p->dsd;
		s[1] = p->offset[1];
		s[2] = p->offset[0];
	}

	turn_xyz(turn, p->turn[0], p->turn[1], p->turn[2]);
	turn_zyz(euler, p->alpha, parallel ? 0. : p->theta, parallel ? 0. : p->psi);
	apply(w.s, euler, s);
	apply(w.d, euler, d);
	apply(s, turn, u);
	apply(w.u, euler, s);
	apply(s, turn, v);
	apply(w.v, euler, s);

	const double cor[3] = {-p->cor * sin(p->alpha), p->cor * cos(p->alpha), 0.};

	for (int i = 0; i < 3; i++) {
		w.d[i] += cor[i];
		w.s[i] += parallel ? 0. : cor[i];
	}

	return w;
}

/** Numbers of view k of an attribute with `width` numbers for all views, or for each. */
static void per_view(
        double *out, const struct settings *s, const char *key, long views, long k, int width, double other)
{
	const struct setting *v = settings_find(s, key);

	for (int i = 0; i < width; i++)
		out[i] = other;

	if (!v && isnan(other))
		error("%s: %s is missing", s->path, key);

	if (!v || (v->word && 0 == strcmp(v->word, "None")))
		return;

	const bool none = 1 == v->n && !v->word && v->number[0] == 0.; // 0 for all

	if (v->word || (v->n != width && v->n != width * views && !none))
		error("%s: %s has %ld numbers, expected %d, or %d for each of %ld views", s->path, key,
		        v->word ? 0 : v->n, width, width, views);

	for (int i = 0; i < width; i++)
		out[i] = none ? 0. : v->number[(v->n == width) ? i : k * width + i];
}

static void read_pose(
        struct pose *p, const struct settings *s, const struct setting *angles, long views, long k)
{
	const double *a = angles->number + k * (angles->n / views);
	const struct setting *radians = settings_find(s, "radians");
	const bool degrees = radians && 1 == exchange_choice(s->path, "radians", radians->word, "true|false");

	memset(p, 0, sizeof *p);
	p->alpha = a[0];

	if (angles->n > views) {
		p->theta = a[1];
		p->psi = a[2];
	}

	if (degrees) {
		p->alpha *= M_PI / 180.;
		p->theta *= M_PI / 180.;
		p->psi *= M_PI / 180.;
	}

	per_view(&p->dso, s, "DSO", views, k, 1, NAN);
	per_view(&p->dsd, s, "DSD", views, k, 1, NAN);

	if (!(p->dso > 0. && p->dsd > 0.))
		error("%s: view %ld: DSO is %g mm and DSD is %g mm, expected positive lengths", s->path, k,
		        p->dso, p->dsd);

	per_view(&p->cor, s, "COR", views, k, 1, 0.);
	per_view(p->offset, s, "offDetector", views, k, 2, 0.);
	per_view(p->turn, s, "rotDetector", views, k, 3, 0.);
	per_view(p->origin, s, "offOrigin", views, k, 3, 0.);
}

static void read_volume(struct exchange_source *f, const struct settings *s, const double centre[3])
{
	const double *n, *step;

	if (!settings_find(s, "nVoxel") || !settings_find(s, "dVoxel"))
		return;

	n = settings_numbers(s, "nVoxel", 3);
	step = settings_numbers(s, "dVoxel", 3);
	f->has_volume = true;

	for (int i = 0; i < 3; i++) {
		f->volume.size[i] = exchange_count(f, "nVoxel", n[2 - i]);
		f->volume.spacing[i] = step[2 - i];
		f->volume.origin[i] = centre[i] - (n[2 - i] - 1.) / 2. * step[2 - i];
	}
}

/** The size of a pixel is positive, and that of the detector, where it is not computed, agrees. */
static void check_pixels(const struct settings *s, const double n[2], const double size[2])
{
	const struct setting *all = settings_find(s, "sDetector");

	for (int i = 0; i < 2; i++) {
		if (!(size[i] > 0.))
			error("%s: dDetector is %g mm, expected a positive length", s->path, size[i]);

		if (all && 2 == all->n &&
		        !(fabs(all->number[i] - n[i] * size[i]) <= 1e-3 * fabs(all->number[i])))
			error("%s: sDetector is %g mm, expected nDetector * dDetector = %g mm", s->path,
			        all->number[i], n[i] * size[i]);
	}
}

struct geom *tigre_read(struct exchange_source *f)
{
	struct settings *s = settings_parse(f->path, f->text);
	const struct setting *angles = settings_find(s, "angles");
	const struct setting *mode = settings_find(s, "mode");
	const bool parallel = mode && 1 == exchange_choice(s->path, "mode", mode->word, "cone|parallel");

	if (!angles || angles->word || angles->n < 1)
		error("%s: the list of angles is missing (angles in radians)", f->path);

	if (angles->nested && 3 != angles->width)
		error("%s: each row of angles has %ld numbers, expected three (alpha, theta and psi)",
		        f->path, angles->width);

	const long views = exchange_views(f, "views", (double)(angles->nested ? angles->n / 3 : angles->n));
	const double *pixels = settings_numbers(s, "nDetector", 2);
	const double *size = settings_numbers(s, "dDetector", 2);
	const double pitch[2] = {size[1], size[0]};
	const long rows = exchange_count(f, "nDetector", pixels[0]);
	const long cols = exchange_count(f, "nDetector", pixels[1]);
	check_pixels(s, pixels, size);

	if (!angles->nested && !settings_find(s, "radians"))
		exchange_warn_degrees(f->path, "angles", angles->n, angles->number);

	struct geom *g = geom_create(views, cols, rows, parallel);
	double centre[3] = {0.}, (*at)[3] = mem_alloc(mul_checked(views, sizeof *at, f->path));

	for (long k = 0; k < views; k++) {
		struct pose p;

		read_pose(&p, s, angles, views, k);
		g->view[k] = view_of(&p, parallel, pitch);

		for (int i = 0; i < 3; i++) {
			at[k][i] = p.origin[2 - i];
			centre[i] += at[k][i] / (double)views;
		}
	}

	/* A volume that moves from view to view is a scanner that moves the other way. */
	for (long k = 0; k < views; k++)
		for (int i = 0; i < 3; i++) {
			const double by = exchange_same(at[k][i], centre[i], 1.) ? 0. : centre[i] - at[k][i];

			g->view[k].d[i] += by;
			g->view[k].s[i] += parallel ? 0. : by;
		}

	read_volume(f, s, centre);
	free(at);
	settings_free(s);
	return g;
}

/** Whether the source stays at one height: then Euler angles say it, else the volume moves. */
static bool is_level(const struct geom *g)
{
	for (long k = 1; k < g->views; k++)
		if (!exchange_same(g->view[k].s[2], g->view[0].s[2], norm3(g->view[0].s)))
			return false;

	return true;
}

/** Angles about x, y, z of the turn whose columns are the normal, the columns and the rows of the detector.
 */
static void turn_angles(double turn[3], const double m[3][3])
{
	const double level = fmax(-1., fmin(1., -m[2][0]));

	turn[1] = asin(level);

	if (fabs(level) < 1. - 1e-12) {
		turn[0] = atan2(m[2][1], m[2][2]);
		turn[2] = atan2(m[1][0], m[0][0]);
	} else {
		turn[0] = atan2(-m[1][2], m[1][1]);
		turn[2] = 0.;
	}

	for (int i = 0; i < 3; i++)
		turn[i] = (fabs(turn[i]) < 1e-12) ? 0. : turn[i];
}

static void cone_pose(struct pose *p, const struct geom *g, const char *name, long view, bool level)
{
	const struct geom_view *w = g->view + view;
	const struct exchange_frame f = exchange_frame(g, view);
	const double *axis[3] = {f.n, f.u, f.v};
	double euler[3][3], m[3][3], d[3], up = level ? w->s[2] : 0., far = hypot(w->s[0], w->s[1]);

	if (!(hypot(far, up) > 0.))
		error("%s: view %ld: the source is at the origin, where TIGRE's angles are undefined", name,
		        view);

	p->alpha = (far > 0.) ? atan2(w->s[1], w->s[0]) : 0.;
	p->theta = -atan2(up, far);
	p->dso = hypot(far, up);
	p->origin[0] -= level ? 0. : w->s[2];
	turn_zyz(euler, p->alpha, p->theta, 0.);

	for (int i = 0; i < 3; i++) {
		d[i] = 0.;

		for (int j = 0; j < 3; j++)
			d[i] += euler[j][i] * (w->d[j] - (j == 2 && !level ? w->s[2] : 0.));
	}

	for (int i = 0; i < 3; i++)
		for (int c = 0; c < 3; c++)
			m[i][c] = euler[0][i] * axis[c][0] + euler[1][i] * axis[c][1] +
			          euler[2][i] * axis[c][2];

	p->dsd = p->dso - d[0];
	p->offset[0] = d[2];
	p->offset[1] = d[1];
	turn_angles(p->turn, m);
}

static void parallel_pose(struct pose *p, const struct geom *g, const char *name, long view)
{
	const struct geom_view *w = g->view + view;
	const struct exchange_frame f = exchange_frame(g, view);
	const double far = norm3(w->s);

	if (!exchange_same(w->s[2], 0., far) || !exchange_same(dot3(w->s, f.n), -far, far))
		error("%s: view %ld: TIGRE needs a parallel beam perpendicular to z and to the detector",
		        name, view);

	p->alpha = atan2(-w->s[1], -w->s[0]);
	p->dso = 1000.;
	p->dsd = 2000.;
	p->cor = -w->d[0] * sin(p->alpha) + w->d[1] * cos(p->alpha);
	p->origin[0] -= w->d[2];
	p->turn[0] = atan2(f.u[2], f.v[2]);
	p->turn[0] = (fabs(p->turn[0]) < 1e-12) ? 0. : p->turn[0];
}

/** An attribute: once when it is the same in every view, else as a list of lists. */
static void attribute(
        struct str *out, const char *key, const struct pose *p, long views, size_t at, int width)
{
	bool same = true;

	for (long k = 1; k < views; k++)
		for (int i = 0; i < width; i++) {
			const double *a = (const double *)((const char *)p + at) + i;
			const double *b = (const double *)((const char *)(p + k) + at) + i;

			same &= exchange_same(*a, *b, fabs(*a) + 1e-3);
		}

	str_printf(out, ",\n \"%s\": %s", key, same ? "" : "[");

	for (long k = 0; k < (same ? 1 : views); k++) {
		const double *a = (const double *)((const char *)(p + k) + at);

		str_add(out, k ? ", " : "");

		if (1 == width)
			str_add_double(out, a[0] + 0., 6);
		else
			exchange_list(out, width, a);
	}

	str_add(out, same ? "" : "]");
}

static void volume_attributes(struct str *out, const struct grid *volume)
{
	double n[3], step[3], all[3];

	for (int i = 0; i < 3; i++) {
		n[i] = (double)volume->size[2 - i];
		step[i] = volume->spacing[2 - i];
		all[i] = n[i] * step[i];
	}

	str_add(out, ",\n \"nVoxel\": ");
	exchange_list(out, 3, n);
	str_add(out, ",\n \"dVoxel\": ");
	exchange_list(out, 3, step);
	str_add(out, ",\n \"sVoxel\": ");
	exchange_list(out, 3, all);
}

static void detector_attributes(struct str *out, const struct geom *g)
{
	const struct exchange_frame f = exchange_frame(g, 0);
	const double n[2] = {(double)g->rows, (double)g->cols}, step[2] = {f.pitch[1], f.pitch[0]};
	const double all[2] = {n[0] * step[0], n[1] * step[1]};

	str_add(out, ",\n \"nDetector\": ");
	exchange_list(out, 2, n);
	str_add(out, ",\n \"dDetector\": ");
	exchange_list(out, 2, step);
	str_add(out, ",\n \"sDetector\": ");
	exchange_list(out, 2, all);
}

void tigre_write(struct str *out, const struct geom *g, const char *name, const struct grid *volume)
{
	struct pose *p = mem_calloc((size_t)g->views, sizeof *p);
	const bool level = is_level(g);

	expect_flat(g, name, "TIGRE");
	expect_orthogonal(g, name, "TIGRE");
	expect_one_pitch(g, name, "TIGRE");
	expect_right_handed(g, name, "TIGRE");

	for (long k = 0; k < g->views; k++) {
		for (int i = 0; i < 3; i++)
			p[k].origin[2 - i] =
			        volume->origin[i] + (double)(volume->size[i] - 1) / 2. * volume->spacing[i];

		if (g->parallel)
			parallel_pose(p + k, g, name, k);
		else
			cone_pose(p + k, g, name, k, level);
	}

	str_printf(out, "{\"mode\": \"%s\"", g->parallel ? "parallel" : "cone");
	attribute(out, "DSD", p, g->views, offsetof(struct pose, dsd), 1);
	attribute(out, "DSO", p, g->views, offsetof(struct pose, dso), 1);
	detector_attributes(out, g);
	volume_attributes(out, volume);
	attribute(out, "offOrigin", p, g->views, offsetof(struct pose, origin), 3);
	attribute(out, "offDetector", p, g->views, offsetof(struct pose, offset), 2);
	attribute(out, "rotDetector", p, g->views, offsetof(struct pose, turn), 3);
	attribute(out, "COR", p, g->views, offsetof(struct pose, cor), 1);
	str_add(out, ",\n \"accuracy\": 0.5,\n \"angles\": [");

	for (long k = 0; k < g->views; k++) {
		str_add(out, k ? ", " : "");
		exchange_list(out, 3, (double[]){p[k].alpha, p[k].theta, p[k].psi});
	}

	str_add(out, "]}\n");
	free(p);
}
