/* Slices reconstructed with one candidate after the other: a wrong axis gives double edges, negative values
 * and a flat histogram [4]. */

#include "ct/calibration/axis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp.h"
#include "ct/geometry/geom_edit.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"

/** The slice (n x n) of a scan with the axis at a column, or a part of it. */
static float *reconstruct(const struct axis_scan *s, double column, const struct axis_crop *crop, long *n)
{
	struct geom *g = geom_copy(s->g);
	const struct fbp_settings set = {.filter.window = RAMP_RAMP};
	struct grid grid;

	geom_shift(g, s->nominal - column, 0.);
	geom_default_grid(s->g, &grid); // the same for all candidates
	grid.origin[2] = 0.;

	for (int i = 0; i < 2 && crop; i++) {
		grid.size[i] = crop->n;
		grid.origin[i] = crop->at[i] - 0.5 * (double)(crop->n - 1) * grid.spacing[i];
	}

	if (!g->parallel) // the height of the row
		grid.origin[2] = g->view[0].d[2] +
		                 (g->view[0].s[2] - g->view[0].d[2]) * (1. - 1. / geom_magnification(g, 0));
	else
		grid.origin[2] = g->view[0].d[2];

	struct fbp *f = fbp_create(g, &set, s->name);
	const long batch = fbp_batch(f, DT_FLOAT32);
	float *vol = mem_calloc((size_t)(grid.size[0] * grid.size[1]), sizeof *vol);
	float *p = mem_alloc((size_t)(batch * s->cols) * sizeof *p);
	float *q = mem_alloc((size_t)(batch * fbp_cols(f)) * sizeof *q);

	for (long k = 0, m; k < s->views; k += m) {
		m = (s->views - k < batch) ? s->views - k : batch;

		for (long i = 0; i < m * s->cols; i++)
			p[i] = (float)s->p[k * s->cols + i];

		fbp_filter(f, DT_FLOAT32, q, p, k, m);
		fbp_backproject(f, &grid, DT_FLOAT32, vol, 1, q, k, m);
	}

	*n = grid.size[0];
	free(q);
	free(p);
	fbp_free(f);
	geom_free(g);

	return vol;
}

float *axis_slice(const struct axis_scan *s, double column, const struct axis_crop *crop)
{
	const int loud = log_level;
	long n;

	log_level = -1; // an axis off the middle is what is looked at

	float *x = reconstruct(s, column, crop, &n);

	log_level = loud;

	return x;
}

static bool is_inside(long i, long j, long n)
{
	return hypot((double)(2 * i - n + 1), (double)(2 * j - n + 1)) < 0.95 * (double)n;
}

/** Squares of the gradient, those of the field of view's edge left out. */
static double *edges_of(const float *x, long n)
{
	double *e = mem_calloc((size_t)(n * n), sizeof *e);

	for (long j = 1; j < n; j++)
		for (long i = 1; i < n; i++) {
			const double v = x[j * n + i], dx = v - (double)x[j * n + i - 1],
			             dy = v - (double)x[(j - 1) * n + i];

			e[j * n + i] = is_inside(i, j, n) ? dx * dx + dy * dy : 0.;
		}

	return e;
}

/** Sum of a square of `size` elements from (i, j) on. */
static double square_sum(const double *e, long n, long i, long j, long size)
{
	double sum = 0.;

	for (long b = j; b < j + size && b < n; b++)
		for (long a = i; a < i + size && a < n; a++)
			sum += e[b * n + a];

	return sum;
}

struct axis_crop axis_crop_choose(const struct axis_scan *s, double column, long most)
{
	const long bin = (s->cols + 127) / 128;
	struct axis_crop crop = {.n = most};
	struct grid whole;
	double best = -1.;
	long n;

	geom_default_grid(s->g, &whole);

	if (whole.size[0] <= most) {
		crop.n = whole.size[0];
		return crop;
	}

	struct axis_scan *t = axis_scan_bin(s, bin, 1);
	const struct axis_crop all = {.n = t->cols};
	float *x = axis_slice(t, (column - 0.5 * (double)(bin - 1)) / (double)bin, &all);

	n = all.n;

	double *e = edges_of(x, n);
	const long size = (most + bin - 1) / bin, step = (size / 8 > 1) ? size / 8 : 1;

	for (long j = 0; j <= n - size; j += step)
		for (long i = 0; i <= n - size; i += step) {
			const double sum = square_sum(e, n, i, j, size),
			             coarse = whole.spacing[0] * (double)bin;

			if (!(sum > best))
				continue;

			best = sum;
			crop.at[0] = coarse * ((double)i + 0.5 * (double)(size - n));
			crop.at[1] = coarse * ((double)j + 0.5 * (double)(size - n));
		}

	free(e);
	free(x);
	axis_scan_free(t);

	return crop;
}

enum { BINS = 256 };

/** Range of the histogram: that of the first slice, and a third more. */
struct range {
	double lo, hi;
};

static struct range range_of(const float *x, long n)
{
	double lo = INFINITY, hi = -INFINITY;

	for (long j = 0; j < n; j++)
		for (long i = 0; i < n; i++)
			if (is_inside(i, j, n)) {
				lo = fmin(lo, x[j * n + i]);
				hi = fmax(hi, x[j * n + i]);
			}

	return (struct range){lo - (hi - lo) / 6., hi + (hi - lo) / 6.};
}

static double entropy(const float *x, long n, const struct range *r)
{
	double count[BINS] = {0.}, all = 0., sum = 0.;

	for (long j = 0; j < n; j++)
		for (long i = 0; i < n; i++) {
			double at = ((double)x[j * n + i] - r->lo) / (r->hi - r->lo) * BINS;

			if (!is_inside(i, j, n))
				continue;

			count[(at > 0.) ? (at < BINS) ? (int)at : BINS - 1 : 0] += 1.;
			all += 1.;
		}

	for (int b = 0; b < BINS; b++)
		if (count[b] > 0.)
			sum -= count[b] / all * log(count[b] / all);

	return sum;
}

/** Costs of a slice in the order of the methods from AXIS_NEGATIVITY on. */
static void costs(const float *x, long n, const struct range *r, double out[3])
{
	double negative = 0., gradient = 0.;

	for (long j = 1; j < n; j++)
		for (long i = 1; i < n; i++) {
			double v = x[j * n + i], dx = v - (double)x[j * n + i - 1],
			       dy = v - (double)x[(j - 1) * n + i];

			if (!is_inside(i, j, n))
				continue;

			negative -= fmin(0., v);
			gradient += dx * dx + dy * dy;
		}

	out[0] = negative;
	out[1] = entropy(x, n, r);
	out[2] = -gradient;
}

/** Costs of all candidates; the three curves have the same. */
static void axis_slices_sweep(const struct axis_scan *s, struct axis_curve c[3])
{
	const int loud = log_level;
	struct range r;
	long n;

	log_level = -1; // an axis off the middle is what is looked for

	float *first = reconstruct(s, 0.5 * (s->lo + s->hi), NULL, &n);

	r = range_of(first, n);
	free(first);
	log_level = loud;
	progress_start("center", c[0].n);
	log_level = -1;

#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < c[0].n; i++) {
		double cost[3];
		long size;
		float *x = reconstruct(s, c[0].first + (double)i * c[0].step, NULL, &size);

		costs(x, size, &r, cost);
		free(x);

		for (int m = 0; m < 3; m++)
			c[m].cost[i] = cost[m];

		progress_add(1);
	}

	log_level = loud;
	progress_end();
}

/** What the three metrics make of candidates lo, lo + step .. hi in columns of a binned scan. */
static void judge(const struct axis_scan *t, double lo, double hi, double step, double apart, bool found[3],
        double column[3], double confidence[3])
{
	struct axis_curve c[3];

	for (int m = 0; m < 3; m++)
		c[m] = axis_curve_create(lo, hi, step);

	axis_slices_sweep(t, c);

	for (int m = 0; m < 3; m++) {
		found[m] = axis_curve_judge(c + m, apart, column + m, confidence + m);
		free(c[m].cost);
	}
}

/** Over all candidates coarsely, then about what each metric found; metrics that agree share the work. */
void axis_slices(const struct axis_scan *s, const bool wanted[], struct axis_result out[])
{
	const long coarse = (s->cols + 127) / 128, fine = (s->cols + 399) / 400;
	const double reach = 1.5 * (double)coarse / (double)fine, step = (reach > 2.) ? 0.5 : 0.25;
	struct axis_result *r = out + AXIS_NEGATIVITY;
	bool found[3], done[3];
	double column[3], confidence[3];

	wanted += AXIS_NEGATIVITY;

	if (!wanted[0] && !wanted[1] && !wanted[2])
		return;

	struct axis_scan *half = axis_half_turn(s),
	                 *t = axis_scan_bin(half, coarse, (half->views + 239) / 240);

	judge(t, t->lo, t->hi, 1., 4., found, column, confidence);
	axis_scan_free(t);
	t = axis_scan_bin(half, fine, (half->views + 399) / 400);

	for (int m = 0; m < 3; m++) {
		r[m].found = found[m] && wanted[m];
		r[m].column = column[m] * (double)coarse + 0.5 * (double)(coarse - 1);
		r[m].confidence = confidence[m];
		done[m] = !r[m].found;
	}

	for (int m = 0; m < 3; m++) {
		const double at = (r[m].column - 0.5 * (double)(fine - 1)) / (double)fine;

		if (done[m])
			continue;

		judge(t, at - reach, at + reach, step, 1e9, found, column, confidence);

		for (int i = m; i < 3; i++) {
			const double fine_column = column[i] * (double)fine + 0.5 * (double)(fine - 1);

			if (done[i] || (i != m && fabs(r[i].column - r[m].column) > (double)coarse))
				continue;

			r[i].found = found[i];
			r[i].column = fine_column;
			done[i] = true;
		}
	}

	axis_scan_free(t);
	axis_scan_free(half);
}
