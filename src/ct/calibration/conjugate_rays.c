/* Opposite rays of a circular scan. */

#include "ct/calibration/conjugate_rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/calibration/axis_internal.h"
#include "ct/fbp/scan.h"
#include "ct/geometry/geom_edit.h"
#include "ct/stream/view_read.h"
#include "misc/mem.h"
#include "num/md/rand.h"
#include "num/stat/least_squares.h"

enum { COLUMNS = 512, VIEWS = 720, RAYS = 40000 }; // about, at most
enum { NEAR_ROWS = 24, STAGES = 2, SECTORS = 16 };
static const long sigmas[STAGES] = {4, 1}; // of the blur [columns of at most COLUMNS]
static const double sense_ratio = 1.5;

/** A ray in the plane of the circle, at a column of a view. */
struct ray {
	long view;
	double column;
};

struct problem {
	struct geom *g; // of the pixels joined
	long first, rows;
	double *p; // (columns, rows, views) from row `first` on
	long n;
	struct ray *ray;
	struct circle_order order;
	int which[BALLFIT_PARAMETERS], count;
};

/** Columns, rows and views that become one. */
static void choose_bins(const struct geom *g, long bin[3])
{
	bin[0] = (g->cols + COLUMNS - 1) / COLUMNS;
	bin[1] = (bin[0] < g->rows) ? bin[0] : g->rows;
	bin[2] = (g->views > VIEWS) ? g->views / VIEWS : 1;
}

static struct geom *joined(const struct geom *g, const long bin[3])
{
	const long n = (g->views + bin[2] - 1) / bin[2];
	long *view = mem_alloc((size_t)n * sizeof *view);

	for (long k = 0; k < n; k++)
		view[k] = k * bin[2];

	struct geom *s = geom_pick(g, n, view);

	geom_bin(s, bin[0], bin[1]);
	free(view);

	return s;
}

/** Rows near those that the plane of the circle is seen in. */
static void choose_rows(struct problem *q)
{
	const struct geom *g = q->g;
	double lo = INFINITY, hi = -INFINITY;

	for (long k = 0; k < g->views; k++) {
		double a, b, c[3];

		scan_centre(g, k, c);

		if (!geom_project(g, k, c, &a, &b))
			continue;

		lo = fmin(lo, b);
		hi = fmax(hi, b);
	}

	const long first = (long)fmax(0., floor(lo) - NEAR_ROWS),
	           last = (long)fmin((double)(g->rows - 1), ceil(hi) + NEAR_ROWS);

	q->first = (first < g->rows) ? first : g->rows - 1;
	q->rows = (last >= q->first) ? last - q->first + 1 : 1;
}

static void load(struct problem *q, const struct geom *whole, struct cfl *proj, const long bin[3])
{
	const long cols = q->g->cols, size = whole->cols * whole->rows;
	double *view = mem_alloc((size_t)size * sizeof *view);

	q->p = mem_calloc((size_t)(cols * q->rows * q->g->views), sizeof *q->p);

	for (long k = 0; k < q->g->views; k++) {
		double *to = q->p + k * cols * q->rows;

		view_read_at(proj, DT_FLOAT64, size, k * bin[2], 0, size, (void *const[2]){view, NULL});

		for (long b = 0; b < q->rows * bin[1]; b++)
			for (long a = 0; a < cols * bin[0]; a++)
				to[b / bin[1] * cols + a / bin[0]] +=
				        view[(q->first * bin[1] + b) * whole->cols + a] /
				        (double)(bin[0] * bin[1]);
	}

	free(view);
}

static void blur(struct problem *q, long sigma)
{
	const long cols = q->g->cols, rows = q->rows;

	axis_blur_lines(q->p, cols, 1, rows * q->g->views, cols, sigma);

	for (long k = 0; rows > 1 && k < q->g->views; k++)
		axis_blur_lines(q->p + k * cols * rows, rows, cols, cols, 1, sigma);
}

/* ---- rays ---- */

/** The row at which a column sees the plane of the circle. */
static double row_of(const struct geom *g, long k, double a)
{
	double low[3], high[3];

	if (1 == g->rows)
		return 0.;

	geom_pixel(g, k, a, 0., low);
	geom_pixel(g, k, a, 1., high);

	return (g->view[k].s[2] - low[2]) / (high[2] - low[2]);
}

/** The angle of a column's ray to the axis, counter-clockwise [rad]. */
static double angle_of(const struct geom *g, long k, double a)
{
	const double *s = g->view[k].s;
	double p[3];

	geom_pixel(g, k, a, row_of(g, k, a), p);

	const double d[2] = {p[0] - s[0], p[1] - s[1]};

	return atan2(d[0] * s[1] - d[1] * s[0], -(d[0] * s[0] + d[1] * s[1]));
}

/** Where the ray of view k at an angle to the axis is closest to the axis. */
static void foot(const struct geom *g, long k, double angle, double x[3])
{
	const double *s = g->view[k].s, c = cos(angle), t = sin(angle);

	x[0] = s[0] - c * (c * s[0] - t * s[1]);
	x[1] = s[1] - c * (t * s[0] + c * s[1]);
	x[2] = s[2];
}

/** Whether the opposite ray is seen from both views next to its source. */
static bool is_seen(const struct problem *q, const struct geom *g, const struct ray *r)
{
	const double margin = 0.02 * (double)g->cols + 2., angle = angle_of(g, r->view, r->column);
	struct between b;

	if (!circle_between(&q->order, geom_angle(g, r->view) + M_PI + 2. * angle, &b))
		return false;

	for (int i = 0; i < 2; i++) {
		double x[3], u, v;

		foot(g, b.view[i], -angle, x);

		if (!geom_project(g, b.view[i], x, &u, &v) || !(u >= margin) ||
		        !(u <= (double)(g->cols - 1) - margin))
			return false;
	}

	return true;
}

/** Rays of evenly spread views and of the columns to one side of the axis, so that each line is there once.
 */
static void choose_rays(struct problem *q, const struct geom *g)
{
	const long most = (RAYS / g->cols > 16) ? RAYS / g->cols : 16, skip = (g->views + most - 1) / most;
	const double margin = 0.02 * (double)g->cols + 2.;

	q->n = 0;
	q->ray = mem_alloc((size_t)((g->views / skip + 1) * g->cols) * sizeof *q->ray);

	for (long k = 0; k < g->views; k += skip)
		for (long a = (long)ceil(margin); a <= (double)(g->cols - 1) - margin; a++) {
			const struct ray r = {.view = k, .column = (double)a};

			if (angle_of(g, k, r.column) > 0. && is_seen(q, g, &r))
				q->ray[q->n++] = r;
		}
}

/* ---- their difference ---- */

/** The value at a place of view k, cubic between columns and linear between rows; beyond the detector that of
 * its edge. */
static double value_at(const struct problem *q, const struct geom *g, long k, double a, double b)
{
	const double *p = q->p + k * g->cols * q->rows;

	if (1 == q->rows)
		return axis_cubic(p, g->cols, a);

	const double row = fmin(fmax(b - (double)q->first, 0.), (double)(q->rows - 1));
	const long j = (long)fmin(floor(row), (double)(q->rows - 2));
	const double t = row - (double)j, *at = p + j * g->cols;

	return (1. - t) * axis_cubic(at, g->cols, a) + t * axis_cubic(at + g->cols, g->cols, a);
}

/** The value of a ray without that of the opposite one; 0 where this is not measured. */
static double mismatch(const struct problem *q, const struct geom *g, const struct ray *r)
{
	const double angle = angle_of(g, r->view, r->column);
	double d = value_at(q, g, r->view, r->column, row_of(g, r->view, r->column));
	struct between b;

	if (!circle_between(&q->order, geom_angle(g, r->view) + M_PI + 2. * angle, &b))
		return 0.;

	for (int i = 0; i < 2; i++) {
		double x[3], u, v;

		foot(g, b.view[i], -angle, x);

		if (!geom_project(g, b.view[i], x, &u, &v))
			return 0.;

		d -= b.weight[i] * value_at(q, g, b.view[i], u, v);
	}

	return isfinite(d) ? d : 0.;
}

static void residuals(void *ctx, const double *x, double *r)
{
	const struct problem *q = ctx;
	struct geom *g = geom_copy(q->g);
	double value[BALLFIT_PARAMETERS] = {0.};

	for (int i = 0; i < q->count; i++)
		value[q->which[i]] = x[i];

	ballfit_apply(g, value);

#pragma omp parallel for schedule(static)
	for (long i = 0; i < q->n; i++)
		r[i] = mismatch(q, g, q->ray + i);

	geom_free(g);
}

/** The noise of a residual, from that of a pixel: what the blur and the mean of two views leave. */
static double noise_of(const struct problem *q, double pixel)
{
	const double sigma = (double)sigmas[STAGES - 1], blurred = 1. / (2. * sqrt(M_PI) * sigma);
	const double views = 1. + 2. / 3.; // one, and the mean of w^2 + (1 - w)^2 of two

	return pixel * sqrt(blurred * (q->rows > 1 ? blurred : 1.) * views);
}

/** The shift of the detector that the correlation of opposite rays gives [columns]. */
static double first_shift(const struct geom *g, struct cfl *proj, const char *name)
{
	const bool overlap[AXIS_METHODS] = {[AXIS_OVERLAP] = true};
	struct axis_result found[AXIS_METHODS];
	struct axis_scan *s = axis_scan_create(g, proj, axis_middle_row(g), name);
	const double nominal = s->nominal;

	axis_find(s, overlap, found);
	axis_scan_free(s);

	return found[AXIS_OVERLAP].found ? nominal - found[AXIS_OVERLAP].column : 0.;
}

bool conjugate_rays_circular(const struct geom *g)
{
	const double *s = g->view[0].s, radius = hypot(s[0], s[1]);

	for (long k = 1; k < g->views && !g->parallel; k++) {
		const double *t = g->view[k].s;

		if (fabs(t[2] - s[2]) > 1e-3 * radius || fabs(hypot(t[0], t[1]) / radius - 1.) > 1e-3)
			return false;
	}

	return !g->parallel;
}

/** Sums of squares of the derivatives of the residuals. */
static void sensitivity(const struct problem *q, const double *x, const double *step, double out[])
{
	double *up = mem_alloc((size_t)q->n * sizeof *up), *down = mem_alloc((size_t)q->n * sizeof *down);

	for (int c = 0; c < q->count; c++) {
		double y[BALLFIT_PARAMETERS];

		memcpy(y, x, sizeof y);
		y[c] = x[c] + step[c];
		residuals((void *)q, y, up);
		y[c] = x[c] - step[c];
		residuals((void *)q, y, down);
		out[c] = 0.;

		for (long i = 0; i < q->n; i++)
			out[c] += (up[i] - down[i]) * (up[i] - down[i]);
	}

	free(down);
	free(up);
}

/** By how much the noise makes derivatives look larger: their sums of squares over those without what views
 * of noise alone have; INFINITY where they are hardly more than that. */
static void inflation(struct problem *q, const double *x, const double *step, double pixel, double out[])
{
	const size_t count = (size_t)(q->g->cols * q->rows * q->g->views);
	double with[BALLFIT_PARAMETERS], noise[BALLFIT_PARAMETERS], *keep = q->p;

	sensitivity(q, x, step, with);
	q->p = mem_alloc(count * sizeof *q->p);

	for (size_t i = 0; i < count; i++)
		q->p[i] = pixel * rand_normal(0, i);

	blur(q, sigmas[STAGES - 1]);
	sensitivity(q, x, step, noise);
	free(q->p);
	q->p = keep;

	for (int c = 0; c < q->count; c++)
		out[c] = (with[c] > 1.3 * noise[c]) ? sqrt(with[c] / (with[c] - noise[c])) : INFINITY;
}

struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name)
{
	struct problem q = {0};
	struct conjugate_fit out = {.good = true};
	double x[BALLFIT_PARAMETERS], step[BALLFIT_PARAMETERS], deviation[BALLFIT_PARAMETERS],
	        inflated[BALLFIT_PARAMETERS], pixel = 0.;
	const double shift = first_shift(g, proj, name);
	long bin[3];

	choose_bins(g, bin);
	q.g = joined(g, bin);
	choose_rows(&q);
	q.order = circle_order_create(q.g);

	struct geom *shifted = geom_copy(q.g);

	geom_shift(shifted, shift / (double)bin[0], 0.);
	choose_rays(&q, shifted);
	geom_free(shifted);
	out.pairs = q.n;

	for (int i = 0; i < BALLFIT_PARAMETERS; i++) {
		if (!wanted[i])
			continue;

		x[q.count] = (BALLFIT_U == i) ? shift / (double)bin[0] : 0.;
		step[q.count] = (BALLFIT_SDD == i) ? 1e-3 : 0.05;
		q.which[q.count++] = i;
	}

	const struct least_squares problem = {
	        .n = q.n, .m = q.count, .residuals = residuals, .ctx = &q, .step = step};

	out.good = q.n > 4 * q.count + SECTORS;

	for (int stage = 0; stage < STAGES && out.good; stage++) {
		load(&q, g, proj, bin);
		pixel = axis_noise(q.p, q.g->cols, q.rows, q.g->views);
		blur(&q, sigmas[stage]);
		out.good = least_squares_fit(&problem, x, deviation, &out.rms);

		if (STAGES - 1 == stage && out.good) {
			out.good = least_squares_block_errors(&problem, x, SECTORS, deviation);
			inflation(&q, x, step, pixel, inflated);
		}

		free(q.p);
	}

	for (int i = 0; i < q.count && out.good; i++) {
		const double unit = (BALLFIT_U == q.which[i])   ? (double)bin[0]
		                    : (BALLFIT_V == q.which[i]) ? (double)bin[1]
		                                                : 1.;

		out.value[q.which[i]] = x[i] * unit;
		out.error[q.which[i]] = deviation[i] * inflated[i] * unit;
	}

	out.noise = noise_of(&q, pixel);
	circle_order_free(&q.order);
	free(q.ray);
	geom_free(q.g);

	return out;
}

double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit)
{
	struct geom *reversed = geom_copy(g);

	geom_reverse(reversed);

	const struct conjugate_fit other = conjugate_rays(reversed, proj, wanted, name);

	geom_free(reversed);

	return (fit->good && other.good && fit->rms > sense_ratio * other.rms) ? fit->rms / other.rms : 0.;
}
