#include "ct/geometry/geom_edit.h"

#include <math.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/orbit.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

void geom_move(struct geom *g, const double by[3])
{
	for (long k = 0; k < g->views; k++)
		for (int i = 0; i < 3; i++) {
			g->view[k].d[i] += by[i];

			if (!g->parallel)
				g->view[k].s[i] += by[i];
		}
}

static void turn_view(struct geom_view *w, int axis, double s, double c)
{
	double *column[4] = {w->s, w->d, w->u, w->v};
	int a = (axis + 1) % 3, b = (axis + 2) % 3;

	for (int i = 0; i < 4; i++) {
		double x = column[i][a], y = column[i][b];

		column[i][a] = (x * c - y * s) + 0.;
		column[i][b] = (x * s + y * c) + 0.;
	}
}

void geom_rotate(struct geom *g, const double angle[3])
{
	for (int axis = 0; axis < 3; axis++) {
		double s, c;

		if (angle[axis] == 0.)
			continue;

		sincos_degrees(angle[axis], &s, &c);

		for (long k = 0; k < g->views; k++)
			turn_view(g->view + k, axis, s, c);
	}
}

void geom_reverse(struct geom *g)
{
	const double first = geom_angle(g, 0);

	for (long k = 1; k < g->views; k++) {
		double s, c;

		sincos_degrees(-2. * (geom_angle(g, k) - first) * (180. / M_PI), &s, &c);
		turn_view(g->view + k, 2, s, c);
	}
}

struct geom *geom_copy(const struct geom *g)
{
	struct geom *out = geom_create(g->views, g->cols, g->rows, g->parallel);

	out->radius = g->radius;
	out->stack = g->stack;
	memcpy(out->view, g->view, (size_t)g->views * sizeof *out->view);

	return out;
}

struct geom *geom_pick(const struct geom *g, long n, const long view[])
{
	struct geom *out = geom_create(n, g->cols, g->rows, g->parallel);

	out->radius = g->radius;
	out->stack = g->stack;

	for (long k = 0; k < n; k++)
		out->view[k] = g->view[view[k]];

	return out;
}

void geom_bin(struct geom *g, long columns, long rows)
{
	long cols_left = g->cols / columns, rows_left = g->rows / rows;

	if (cols_left < 1 || rows_left < 1)
		error("bins of %ld x %ld pixels do not fit into the detector of %ld x %ld pixels", columns,
		        rows, g->cols, g->rows);

	/* The centre of the kept range. */
	geom_shift(
	        g, (double)(cols_left * columns - g->cols) / 2., (double)(rows_left * rows - g->rows) / 2.);

	for (long k = 0; k < g->views; k++) {
		scale3(g->view[k].u, (double)columns, g->view[k].u);
		scale3(g->view[k].v, (double)rows, g->view[k].v);
	}

	g->cols = cols_left;
	g->rows = rows_left;
}

double geom_axis_column(const struct geom *g, const char *name)
{
	double sum = 0.;

	for (long k = 0; k < g->views; k++) {
		double centre[3], a, b;

		scan_centre(g, k, centre);

		if (!geom_project(g, k, centre, &a, &b))
			error("%s: view %ld does not see the rotation axis, so --center cannot shift its "
			      "detector",
			        name, k);

		sum += a;
	}

	return sum / (double)g->views;
}
