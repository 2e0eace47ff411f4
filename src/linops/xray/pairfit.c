/* Rays of a circular scan that are measured from both ends. */

#include "linops/xray/pairfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/axis_internal.h"
#include "linops/xray/geom_edit.h"
#include "linops/xray/scan.h"
#include "linops/xray/views.h"
#include "misc/mem.h"
#include "num/least_squares.h"

enum { COLUMNS = 256, VIEWS = 720, LINES = 20000 }; // at most
enum { NEAR_ROWS = 24, STAGES = 2 };
static const long sigmas[STAGES] = {4, 1}; // of the blur [columns of at most COLUMNS]

/** A line in the plane of the circle from the source of one view to that of another, and where it is closest
 * to the axis [mm]. */
struct line {
	long view[2];
	double at[3];
};

struct problem {
	struct geom *g; // of the pixels joined
	long first, rows;
	double *p; // (columns, rows, views) from row `first` on
	long n;
	struct line *line;
	int which[BALLFIT_PARAMETERS], count;
};

/** Columns, rows and views that become one. */
static void choose_bins(const struct geom *g, long bin[3])
{
	bin[0] = (g->cols + COLUMNS - 1) / COLUMNS;
	bin[1] = (bin[0] < g->rows) ? bin[0] : g->rows;
	bin[2] = (g->views + VIEWS - 1) / VIEWS;
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

		views_at(proj, DT_FLOAT64, size, k * bin[2], size, view, NULL);

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

/* ---- lines ---- */

static bool inside(const struct problem *q, long k, const double x[3], double margin)
{
	double a, b;

	return geom_project(q->g, k, x, &a, &b) && a >= margin && a <= (double)(q->g->cols - 1) - margin;
}

/** Lines from every skip-th view to those of other numbers that see it too; line NULL: they are counted. */
static long find_lines(const struct problem *q, long skip, struct line *line)
{
	const struct geom *g = q->g;
	const double margin = 0.02 * (double)g->cols + 2.;
	long n = 0;

	for (long k = 0; k < g->views; k += skip)
		for (long l = 0; l < g->views; l++) {
			struct line one = {.view = {k, l}};

			if (k == l || (0 == l % skip && l < k)) // there already
				continue;

			for (int i = 0; i < 3; i++) // sources are equally far from the axis: the middle
				one.at[i] = 0.5 * (g->view[k].s[i] + g->view[l].s[i]);

			if (!inside(q, k, one.at, margin) || !inside(q, l, one.at, margin))
				continue;

			if (NULL != line)
				line[n] = one;

			n++;
		}

	return n;
}

static void choose_lines(struct problem *q)
{
	const long all = find_lines(q, 1, NULL), skip = (all + LINES - 1) / LINES;

	q->n = find_lines(q, (skip > 1) ? skip : 1, NULL);
	q->line = mem_alloc((size_t)(q->n + 1) * sizeof *q->line);
	find_lines(q, (skip > 1) ? skip : 1, q->line);
}

/* ---- their difference ---- */

/** The value where a point is seen, linear between pixels; NAN outside. */
static double value_at(const struct problem *q, const struct geom *g, long k, const double x[3])
{
	const double *p = q->p + k * g->cols * q->rows;
	double a, b;

	if (!geom_project(g, k, x, &a, &b))
		return NAN;

	b = (1 == q->rows) ? 0. : b - (double)q->first;

	if (!(a >= 0. && a <= (double)(g->cols - 1) && b >= 0. && b <= (double)(q->rows - 1)))
		return NAN;

	const long i = (long)fmin(floor(a), (double)(g->cols - 2)),
	           j = (1 == q->rows) ? 0 : (long)fmin(floor(b), (double)(q->rows - 2)),
	           next = (1 == q->rows) ? 0 : g->cols;
	const double s = a - (double)i, t = b - (double)j;
	const double *at = p + j * g->cols + i;

	return (1. - t) * ((1. - s) * at[0] + s * at[1]) + t * ((1. - s) * at[next] + s * at[next + 1]);
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
	for (long i = 0; i < q->n; i++) {
		const struct line *l = q->line + i;
		const double d = value_at(q, g, l->view[0], l->at) - value_at(q, g, l->view[1], l->at);

		r[i] = isfinite(d) ? d : 0.;
	}

	geom_free(g);
}

bool pairfit(const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], double shift,
        struct pairfit *out)
{
	struct problem q = {0};
	double x[BALLFIT_PARAMETERS], step[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS];
	long bin[3];
	bool good = true;

	choose_bins(g, bin);
	q.g = joined(g, bin);
	choose_rows(&q);
	choose_lines(&q);
	*out = (struct pairfit){.pairs = q.n};

	for (int i = 0; i < BALLFIT_PARAMETERS; i++) {
		if (!wanted[i])
			continue;

		x[q.count] = (BALLFIT_U == i) ? shift / (double)bin[0] : 0.;
		step[q.count] = (BALLFIT_SDD == i) ? 1e-3 : 0.05;
		q.which[q.count++] = i;
	}

	for (int stage = 0; stage < STAGES && good && q.n > 4 * q.count; stage++) {
		load(&q, g, proj, bin);
		blur(&q, sigmas[stage]);
		good = least_squares_fit(
		        &(struct least_squares){
		                .n = q.n, .m = q.count, .residuals = residuals, .ctx = &q, .step = step},
		        x, error, &out->rms);
		free(q.p);
	}

	// neighbouring rays share a blurred pixel: 2 sqrt(pi) sigma columns are one independent value
	const double apart = fmax(1., 0.5 * (double)(q.g->cols * q.g->views) / (double)(q.n + 1)),
	             alike = fmax(1., 2. * sqrt(M_PI) * (double)sigmas[STAGES - 1] / apart);

	for (int i = 0; i < q.count && good; i++) {
		const double unit = (BALLFIT_U == q.which[i])   ? (double)bin[0]
		                    : (BALLFIT_V == q.which[i]) ? (double)bin[1]
		                                                : 1.;

		out->value[q.which[i]] = x[i] * unit;
		out->error[q.which[i]] = error[i] * unit * sqrt(alike);
	}

	good = good && q.n > 4 * q.count;
	free(q.line);
	geom_free(q.g);

	return good;
}
