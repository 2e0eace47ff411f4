/* The axis as a line on the detector: parallel views 180 degrees apart are mirror images about it. */

#include "ct/calibration/axis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/stream/view_read.h"
#include "misc/mem.h"

enum { MOST_PAIRS = 12, SIGMA = 2, REACH = 3 * SIGMA }; // of the blur [pixels]

/** Pairs of views, blurred a little so that interpolation costs the same everywhere. */
struct pairs {
	long cols, rows, n;
	double pitch[2]; // [mm]
	double *a[MOST_PAIRS], *b[MOST_PAIRS];
};

static double *load(struct cfl *proj, const struct pairs *p, long k)
{
	const long size = p->cols * p->rows;
	double *x = mem_alloc((size_t)size * sizeof *x);

	view_read_at(proj, DT_FLOAT64, size, k, 0, size, (void *const[2]){x, NULL});
	axis_blur_lines(x, p->cols, 1, p->rows, p->cols, SIGMA);
	axis_blur_lines(x, p->rows, p->cols, p->cols, 1, SIGMA);

	return x;
}

/** The view closest to 180 degrees from view k, and how far off it is [rad]. */
static long opposite(const struct geom *g, long k, double *off)
{
	long best = -1;

	*off = INFINITY;

	for (long i = 0; i < g->views; i++) {
		const double d = fabs(remainder(geom_angle(g, i) - geom_angle(g, k) - M_PI, 2. * M_PI));

		if (d < *off) {
			*off = d;
			best = i;
		}
	}

	return best;
}

/** Views of which some other is the opposite, evenly chosen. */
static void choose(struct pairs *p, const struct geom *g, struct cfl *proj)
{
	long *found = mem_alloc((size_t)g->views * sizeof *found), n = 0;
	const double step =
	        (g->views > 1) ? fabs(remainder(geom_angle(g, 1) - geom_angle(g, 0), 2. * M_PI)) : 0.;
	double off;

	for (long k = 0; k < g->views; k++)
		if (opposite(g, k, &off) > k && off < 0.05 * step + 1e-6)
			found[n++] = k;

	p->n = (n < MOST_PAIRS) ? n : MOST_PAIRS;

	for (long i = 0; i < p->n; i++) {
		const long k = found[i * n / p->n];

		p->a[i] = load(proj, p, k);
		p->b[i] = load(proj, p, opposite(g, k, &off));
	}

	free(found);
}

/** Within a line of n pixels, away from its ends, where the blur knows only one side. */
static bool inside(double x, long n)
{
	const double edge = (n > 4 * REACH) ? REACH : 0.;

	return x >= edge && x <= (double)(n - 1) - edge;
}

/** Value at (u, v) by cubic convolution along both directions. */
static double interpolate(const struct pairs *p, const double *x, double u, double v)
{
	const long k = (long)v;
	double line[4];

	for (long i = 0; i < 4; i++) {
		const long row = k - 1 + i, last = p->rows - 1;

		line[i] = axis_cubic(x + ((row < 0) ? 0 : (row > last) ? last : row) * p->cols, p->cols, u);
	}

	return axis_cubic(line, 4, 1. + v - (double)k);
}

/** Mean square of the difference of views and mirrored opposite ones; the axis through (column, middle row),
 * leaning by `roll` [rad] to the right. */
static double mismatch(const struct pairs *p, double column, double roll, double *count)
{
	const double c = cos(2. * roll), s = sin(2. * roll), middle = 0.5 * (double)(p->rows - 1);
	double total = 0., n = 0.;

	double sum[MOST_PAIRS] = {0.}, used[MOST_PAIRS] = {0.};

#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < p->n; i++)
		for (long b = 0; b < p->rows; b++)
			for (long a = 0; a < p->cols; a++) {
				const double x = ((double)a - column) * p->pitch[0],
				             y = ((double)b - middle) * p->pitch[1];
				const double u = (-x * c + y * s) / p->pitch[0] + column,
				             v = (x * s + y * c) / p->pitch[1] + middle;

				if (!inside(u, p->cols) || !inside(v, p->rows) ||
				        !inside((double)a, p->cols) || !inside((double)b, p->rows))
					continue;

				const double d = p->a[i][b * p->cols + a] - interpolate(p, p->b[i], u, v);

				sum[i] += d * d;
				used[i] += 1.;
			}

	for (long i = 0; i < p->n; i++) {
		total += sum[i];
		n += used[i];
	}

	*count = n;

	return (n > 16.) ? total / n : INFINITY;
}

/** The least along one of two parameters: a parabola through three values; its curvature. */
static double descend(const struct pairs *p, double x[2], int which, double step)
{
	double n, y[2] = {x[0], x[1]};
	const double m = mismatch(p, y[0], y[1], &n);

	y[which] = x[which] - step;

	const double l = mismatch(p, y[0], y[1], &n);

	y[which] = x[which] + step;

	const double r = mismatch(p, y[0], y[1], &n), bend = l - 2. * m + r;

	if (bend > 0.)
		x[which] += fmax(-step, fmin(step, 0.5 * step * (l - r) / bend));
	else
		x[which] += (l < r) ? -step : step;

	return bend / (step * step);
}

bool axis_mirror(const struct geom *g, struct cfl *proj, double start, struct axis_line *out)
{
	struct pairs p = {
	        .cols = g->cols, .rows = g->rows, .pitch = {norm3(g->view[0].u), norm3(g->view[0].v)}};
	double x[2] = {start, 0.}, n = 0., bend[2] = {0.}, step[2] = {1., 0.01};

	cfl_map(proj);
	choose(&p, g, proj);

	for (int i = 0; i < 40 && p.n > 0 && step[0] > 0.01; i++)
		for (int w = 0; w < 2; w++) {
			const double before = x[w];

			bend[w] = (1 == w && 1 == p.rows) ? 1. : descend(&p, x, w, step[w]);

			if (fabs(x[w] - before) < 0.3 * step[w])
				step[w] *= 0.5;
		}

	const double left = (p.n > 0) ? mismatch(&p, x[0], x[1], &n) : NAN;

	const double alike = sqrt(4. * M_PI) * SIGMA; // neighbours are not independent after the blur

	*out = (struct axis_line){.column = x[0],
	        .roll = x[1] * 180. / M_PI,
	        .column_error = alike * sqrt(2. * left / (n * bend[0])),
	        .roll_error = alike * sqrt(2. * left / (n * bend[1])) * 180. / M_PI,
	        .rms = sqrt(left),
	        .pairs = p.n};

	for (long i = 0; i < p.n; i++) {
		free(p.a[i]);
		free(p.b[i]);
	}

	return p.n > 0 && isfinite(out->column_error) && isfinite(out->roll_error);
}
