/* Vo's metric [3]: a parallel sinogram over a whole turn has its spectrum within a double wedge, |angular
 * frequency| <= 2 pi R |frequency|. The second half turn is the first one mirrored about the axis; a wrong
 * axis gives energy outside the wedge. */

#include "ct/calibration/axis_internal.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/fft/fft.h"

/** Mean size of the spectrum outside the double wedge of objects of radius cols / 4, away from its axes. */
static double outside(const complex double *f, long cols, long lines)
{
	const long half = cols / 2 + 1, drop = (lines / 30 < 20) ? lines / 30 : 20;
	const double radius = 0.25 * (double)cols;
	double sum = 0.;
	long n = 0;

	for (long k = drop + 1; k < lines - drop; k++) {
		double m = (double)((k <= lines / 2) ? k : lines - k);
		long end = (long)ceil(m / (2. * M_PI * radius) * (double)cols);

		for (long j = 2; j < half && j <= end; j++) {
			sum += cabs(f[k * half + j]);
			n++;
		}
	}

	return (n > 0) ? sum / (double)n : NAN;
}

/** Cost of an axis at a column. Where the mirror image has no value stands the first half turn's own, upside
 * down. */
static double wedge_cost(const struct axis_scan *h, double column)
{
	const long cols = h->cols, lines = 2 * h->views, half = cols / 2 + 1;
	const long dims[2] = {half, lines};
	double *x = mem_alloc((size_t)(lines * cols) * sizeof *x);
	complex double *f = mem_alloc((size_t)(lines * half) * sizeof *f);

	memcpy(x, h->p, (size_t)(h->views * cols) * sizeof *x);

	for (long k = 0; k < h->views; k++) {
		const double *from = h->p + k * cols, *other = h->p + (h->views - 1 - k) * cols;
		double *to = x + (h->views + k) * cols;

		for (long a = 0; a < cols; a++) {
			double at = 2. * column - (double)a;

			to[a] = (at >= 0. && at <= (double)(cols - 1)) ? axis_cubic(from, cols, at)
			                                               : other[a];
		}
	}

	fft_r2c(cols, lines, DT_FLOAT64, f, x);
	fft(2, dims, 2, 0, DT_COMPLEX128, f, f);

	double cost = outside(f, cols, lines);

	free(f);
	free(x);

	return cost;
}

static void fill(const struct axis_scan *h, struct axis_curve *c)
{
#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < c->n; i++)
		c->cost[i] = wedge_cost(h, c->first + (double)i * c->step);
}

/** Over `half` columns around the middle of a scan with bins of b. */
static bool search(const struct axis_scan *s, long bin, long skip, double middle, double reach, double step,
        struct axis_result *r)
{
	struct axis_scan *t = axis_scan_bin(s, bin, skip);
	struct axis_scan *h = axis_half_turn(t);
	const double shift = 0.5 * (double)(bin - 1);
	double lo = isnan(middle) ? t->lo : (middle - reach - shift) / (double)bin,
	       hi = isnan(middle) ? t->hi : (middle + reach - shift) / (double)bin;
	struct axis_curve c = axis_curve_create(lo, hi, step);

	axis_blur(h, 2.);
	bool found = false;
	double confidence;

	if (h->views > 7) {
		fill(h, &c);
		found = axis_curve_judge(&c, 5., &r->column, &confidence);
		r->column = r->column * (double)bin + shift;
		r->confidence = isnan(middle) ? confidence : r->confidence;
	}

	free(c.cost);
	axis_scan_free(h);
	axis_scan_free(t);

	return found;
}

void axis_wedge(const struct axis_scan *s, struct axis_result *r)
{
	const long bin = (s->cols + 255) / 256, skip = (s->views + 359) / 360, fine = (s->cols + 1023) / 1024;

	if (!s->g->parallel) {
		r->why = "the double wedge exists for parallel beams only";
		return;
	}

	r->found = search(s, bin, skip, NAN, 0., 1., r) &&
	           search(s, fine, skip, r->column, 2. * (double)bin, 0.5, r) &&
	           search(s, fine, skip, r->column, 1.25 * (double)fine, 0.25, r);
}
