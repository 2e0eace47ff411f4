/* [1] R. Swinbank, R. J. Purser, Fibonacci grids: a novel approach to global modelling, Q. J. R. Meteorol.
 * Soc. 132, 2006. */

#include "ct/geometry/orbit.h"

#include <math.h>

#include "ct/geometry/vec3.h"

void sincos_degrees(double angle, double *s, double *c)
{
	double turn = fmod(angle, 360.), quarter = rint(turn / 90.), rest = turn - 90. * quarter;
	double a = sin(rest * (M_PI / 180.)), b = cos(rest * (M_PI / 180.));

	if (fabs(rest) == 45.) {
		a = copysign(M_SQRT1_2, rest);
		b = M_SQRT1_2;
	}

	switch (((int)quarter % 4 + 4) % 4) {
	case 0:
		*s = a;
		*c = b;
		break;
	case 1:
		*s = b;
		*c = -a;
		break;
	case 2:
		*s = -a;
		*c = -b;
		break;
	default:
		*s = -b;
		*c = a;
	}
}

/** Turns p from axis a towards axis b; adding zero makes every -0 a 0. */
static void orbit_rotate(double p[3], int a, int b, double s, double c)
{
	double x = p[a], y = p[b];

	p[a] = (x * c - y * s) + 0.;
	p[b] = (x * s + y * c) + 0.;
}

/** The view at angle 0 with an untilted axis. */
static struct geom_view start_view(const struct orbit *o)
{
	struct geom_view v = {.u = {o->pitch[0], 0., 0.}, .v = {0., 0., o->pitch[1]}};

	v.s[1] = o->parallel ? 1. : -o->sod;
	v.d[1] = o->parallel ? 0. : o->sdd - o->sod;
	return v;
}

/** v turned about the unit vector axis. */
static void turn_about(double v[3], const double axis[3], double s, double c)
{
	double across[3], along = dot3(axis, v);

	cross3(across, axis, v);

	for (int i = 0; i < 3; i++)
		v[i] = (c * v[i] + s * across[i] + (1. - c) * along * axis[i]) + 0.;
}

void geom_turn_detector(struct geom *g, long view, const double angle[3])
{
	struct geom_view *w = g->view + view;
	double axis[3][3], s, c;

	geom_normal(g, view, axis[0]);
	scale3(axis[1], 1. / norm3(w->u), w->u);
	scale3(axis[2], 1. / norm3(w->v), w->v);

	double right[3];

	cross3(right, w->v, axis[0]);

	const double hand = (dot3(right, w->u) < 0.) ? -1. : 1.;
	const double sign[3] = {hand, hand, -hand};

	for (int i = 0; i < 3; i++) {
		if (angle[i] == 0.)
			continue;

		sincos_degrees(sign[i] * angle[i], &s, &c);
		turn_about(w->u, axis[i], s, c);
		turn_about(w->v, axis[i], s, c);
	}
}

double orbit_short_arc(const struct orbit *o, long cols)
{
	struct orbit flat = *o;
	double most = 0.;

	flat.tilt = flat.sphere = 0.;

	struct geom *g = orbit_geom(&flat, 1, (double[]){0.}, cols, 1);

	for (int side = 0; side < 2; side++) {
		double s[3], d[3];

		geom_ray(g, 0, side ? cols - 0.5 : -0.5, 0., s, d);
		most = fmax(most, fabs(atan2(d[0], d[1])));
	}

	geom_free(g);
	return o->parallel ? 180. : 180. + 2. * most * (180. / M_PI);
}

/** Latitude of view k of n on a sphere [degrees]. */
static double latitude(const struct orbit *o, long k, long n)
{
	double s, c;

	if (o->sphere == 0.)
		return 0.;

	sincos_degrees(o->sphere, &s, &c);
	return asin(s * (1. - (2. * (double)k + 1.) / (double)n)) * (180. / M_PI);
}

/** Turns the columns first .. last of a view: up by `up`, then about z by `angle` [degrees]. */
static void turn_columns(struct geom_view *v, int first, int last, double up, double angle)
{
	double *column[4] = {v->s, v->d, v->u, v->v}, s, c;

	for (int i = first; i <= last; i++) {
		sincos_degrees(-up, &s, &c);
		orbit_rotate(column[i], 1, 2, s, c);
		sincos_degrees(angle, &s, &c);
		orbit_rotate(column[i], 0, 1, s, c);
	}
}

/** Tomosynthesis: the source moves, the detector stays. */
static void move_source(const struct orbit *o, struct geom_view *v, double up, double angle)
{
	if (o->line) {
		v->s[0] = o->sod * tan(angle * (M_PI / 180.));
		turn_columns(v, 0, 3, up, 0.);
		return;
	}

	turn_columns(v, 0, 0, up, angle);
	turn_columns(v, 1, 3, up, 0.);
}

struct geom *orbit_geom(const struct orbit *o, long views, const double angle[], long cols, long rows)
{
	struct geom *g = geom_create(views, cols, rows, o->parallel);
	double low = INFINITY, high = -INFINITY;

	g->radius = o->radius;

	for (long k = 0; k < views; k++) {
		g->view[k] = start_view(o);
		geom_turn_detector(g, k, o->detector);
		low = fmin(low, angle[k]);
		high = fmax(high, angle[k]);
	}

	geom_shift(g, o->offset[0] / o->pitch[0], o->offset[1] / o->pitch[1]);

	for (long k = 0; k < views; k++) {
		double z = o->helix * ((angle[k] - low) - (high - low) / 2.) / 360.;
		double up = o->tilt + latitude(o, k, views);

		if (o->fixed)
			move_source(o, g->view + k, up, angle[k]);
		else
			turn_columns(g->view + k, 0, 3, up, angle[k]);

		g->view[k].d[2] += z;

		if (!o->parallel)
			g->view[k].s[2] += z;
	}

	return g;
}
