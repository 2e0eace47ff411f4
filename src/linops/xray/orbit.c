#include "linops/xray/orbit.h"

#include <math.h>

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
static void turn(double p[3], int a, int b, double s, double c)
{
	double x = p[a], y = p[b];

	p[a] = (x * c - y * s) + 0.;
	p[b] = (x * s + y * c) + 0.;
}

/** The view at angle 0 with an upright axis. */
static struct geom_view start_view(const struct orbit *o)
{
	struct geom_view v = {.u = {o->pitch[0], 0., 0.}, .v = {0., 0., o->pitch[1]}};

	v.s[1] = o->parallel ? 1. : -o->sod;
	v.d[1] = o->parallel ? 0. : o->sdd - o->sod;
	return v;
}

struct geom *orbit_geom(const struct orbit *o, long views, const double angle[], long cols, long rows)
{
	struct geom *g = geom_create(views, cols, rows, o->parallel);
	double s, c, low = INFINITY, high = -INFINITY;

	g->radius = o->radius;

	for (long k = 0; k < views; k++) {
		g->view[k] = start_view(o);
		low = fmin(low, angle[k]);
		high = fmax(high, angle[k]);
	}

	geom_shift(g, o->offset[0] / o->pitch[0], o->offset[1] / o->pitch[1]);

	for (long k = 0; k < views; k++) {
		double *column[4] = {g->view[k].s, g->view[k].d, g->view[k].u, g->view[k].v};
		double z = o->helix * ((angle[k] - low) - (high - low) / 2.) / 360.;

		for (int i = 0; i < 4; i++) {
			sincos_degrees(-o->tilt, &s, &c);
			turn(column[i], 1, 2, s, c);
			sincos_degrees(angle[k], &s, &c);
			turn(column[i], 0, 1, s, c);
		}

		g->view[k].d[2] += z;

		if (!o->parallel)
			g->view[k].s[2] += z;
	}

	return g;
}
