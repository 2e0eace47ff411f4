/* Opposite views and opposite rays: parallel views 180 degrees apart are mirror images about the axis. In a
 * fan beam, the ray at fan angle gamma of the source at beta is also measured at fan angle -gamma by the
 * source at beta + 180 degrees + 2 gamma. */

#include "ct/calibration/axis_internal.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/geom_edit.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

static double wrap_turn(double a)
{
	a = fmod(a, 2. * M_PI);

	return (a < 0.) ? a + 2. * M_PI : a;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct circle_order circle_order_create(const struct geom *g)
{
	struct circle_order o = {.n = g->views};
	const size_t bytes = (size_t)o.n * sizeof(double);
	double *angle = mem_alloc(bytes), *share = mem_alloc(bytes), *gap = mem_alloc(bytes);

	o.angle = mem_alloc(bytes);
	o.view = mem_alloc((size_t)o.n * sizeof *o.view);

	for (long k = 0; k < o.n; k++)
		angle[k] = geom_angle(g, k);

	scan_half_gaps(o.n, angle, 2. * M_PI, share, gap, o.view);

	for (long k = 0; k < o.n; k++)
		o.angle[k] = wrap_turn(angle[o.view[k]]);

	qsort(gap, (size_t)o.n, sizeof *gap, ascending);
	o.step = gap[o.n / 2];
	free(gap);
	free(share);
	free(angle);

	return o;
}

void circle_order_free(struct circle_order *o)
{
	free(o->angle);
	free(o->view);
}

bool circle_between(const struct circle_order *o, double angle, struct between *b)
{
	const double a = wrap_turn(angle);
	long lo = 0, hi = o->n;

	if (o->n < 2)
		return false;

	while (lo < hi) { // the first behind a
		long mid = (lo + hi) / 2;

		if (o->angle[mid] > a)
			hi = mid;
		else
			lo = mid + 1;
	}

	long next = lo % o->n, prev = (lo + o->n - 1) % o->n;
	double up = wrap_turn(o->angle[next] - a), down = wrap_turn(a - o->angle[prev]);

	if (up + down > 2.5 * o->step) { // in a gap: go on from the two views at its nearer end
		long end = (up < down) ? next : prev,
		     inner = (up < down) ? (next + 1) % o->n : (prev + o->n - 1) % o->n;
		double beyond = fmin(up, down),
		       step = fabs(remainder(o->angle[end] - o->angle[inner], 2. * M_PI));

		if (beyond > 1.01 * o->step || !(step > 0.) || step > 2.5 * o->step)
			return false;

		*b = (struct between){{o->view[end], o->view[inner]}, {1. + beyond / step, -beyond / step}};
		return true;
	}

	double f = (up + down > 0.) ? down / (up + down) : 0.;

	*b = (struct between){{o->view[prev], o->view[next]}, {1. - f, f}};
	return true;
}

/** A view between two. */
static void blend(const struct axis_scan *s, const struct between *b, double *line)
{
	const double *p = s->p + b->view[0] * s->cols, *q = s->p + b->view[1] * s->cols;

	for (long a = 0; a < s->cols; a++)
		line[a] = b->weight[0] * p[a] + b->weight[1] * q[a];
}

/** Spectrum of the derivative of a line, tapered at its ends. */
static void spectrum_of(const double *line, long n, bool mirrored, long padded, complex double *out)
{
	double *x = mem_calloc((size_t)padded, sizeof *x);
	long taper = (n / 10 > 1) ? n / 10 : 1;

	for (long a = 1; a < n; a++) {
		long from_end = (a - 1 < n - 1 - a) ? a - 1 : n - 1 - a;
		double w = (from_end < taper)
		                   ? 0.5 - 0.5 * cos(M_PI * ((double)from_end + 0.5) / (double)taper)
		                   : 1.;
		double d = mirrored ? line[n - a] - line[n - 1 - a] : line[a] - line[a - 1];

		x[a] = w * (mirrored ? -d : d);
	}

	fft_r2c(padded, 1, DT_FLOAT64, out, x);
	free(x);
}

/** Phase correlation at a shift: sum of the whitened spectrum's real part. */
static double correlation_at(const complex double *cross, long half, long padded, double shift)
{
	double sum = 0.;

	for (long k = 1; k < half; k++) {
		double phase = 2. * M_PI * (double)k * shift / (double)padded;

		sum += creal(cross[k]) * cos(phase) - cimag(cross[k]) * sin(phase);
	}

	return sum;
}

/** Adds up the cross spectra of all pairs of opposite views; the number of pairs. */
static long cross_spectrum(const struct axis_scan *s, long padded, complex double *cross)
{
	const long half = padded / 2 + 1;
	struct circle_order o = circle_order_create(s->g);
	double *line = mem_alloc((size_t)s->cols * sizeof *line);
	complex double *f = mem_alloc((size_t)half * sizeof *f), *q = mem_alloc((size_t)half * sizeof *q);
	long pairs = 0;

	memset(cross, 0, (size_t)half * sizeof *cross);

	for (long k = 0; k < s->views; k++) {
		struct between b;

		if (!circle_between(&o, geom_angle(s->g, k) + M_PI, &b))
			continue;

		blend(s, &b, line);
		spectrum_of(s->p + k * s->cols, s->cols, false, padded, f);
		spectrum_of(line, s->cols, true, padded, q);

		for (long i = 0; i < half; i++)
			cross[i] += f[i] * conj(q[i]);

		pairs++;
	}

	free(q);
	free(f);
	free(line);
	circle_order_free(&o);

	return pairs;
}

/** Costs of all candidates of a curve. */
static void correlate(const struct axis_curve *c, const complex double *cross, long padded, long cols)
{
#pragma omp parallel for schedule(static)
	for (long i = 0; i < c->n; i++)
		c->cost[i] = -correlation_at(cross, padded / 2 + 1, padded,
		        2. * (c->first + (double)i * c->step) - (double)(cols - 1));
}

void axis_phase(const struct axis_scan *s, struct axis_result *r)
{
	const long padded = fft_good_size(2 * s->cols), half = padded / 2 + 1;
	complex double *cross;

	if (!s->g->parallel) {
		r->why = "opposite views of a fan are not mirror images";
		return;
	}

	cross = mem_alloc((size_t)half * sizeof *cross);

	if (0 == cross_spectrum(s, padded, cross)) {
		r->why = "no views are 180 degrees apart";
		free(cross);
		return;
	}

	double most = 0.;

	for (long k = 1; k < half; k++)
		most = fmax(most, cabs(cross[k]));

	for (long k = 0; k < half;
	        k++) { // whitened where there is signal; noise is at the highest frequencies
		double x = 2. * (double)k / (double)padded, size = cabs(cross[k]);

		cross[k] *= (size > 1e-9 * most) ? exp(-4. * x * x) / (size + 1e-4 * most) : 0.;
	}

	/* f(a) = p(2 c - a), mirrored p(n - 1 - a): f(a) = mirrored(a + n - 1 - 2 c). Candidates are half
	 * columns apart: whole shifts. */
	struct axis_curve c = axis_curve_create(s->lo, s->hi, 0.125),
	                  all = axis_curve_create(0., (double)(s->cols - 1), 0.5);

	correlate(&c, cross, padded, s->cols);
	correlate(&all, cross, padded, s->cols);
	r->found = axis_curve_judge(&c, 2., &r->column, &r->confidence);

	if (r->found) // a better one outside the range
		r->confidence *= axis_curve_share(&c, &all);

	free(all.cost);
	free(c.cost);
	free(cross);
}

/** Places of the columns as angles (parallel: mm) from the axis, when it is seen at a column. */
static void places(const struct axis_scan *s, double column, double *at)
{
	struct geom *g = geom_copy(s->g);

	geom_shift(g, s->nominal - column, 0.);

	for (long a = 0; a < s->cols; a++)
		at[a] = scan_place(g, 0, (double)a);

	geom_free(g);
}

/** The column (fraction) at a place; they are monotonous. -1: beyond the detector. */
static double column_of(const double *at, long n, double place)
{
	const bool up = at[n - 1] > at[0];
	long lo = 0, hi = n - 1;

	if ((place < at[up ? 0 : n - 1]) || (place > at[up ? n - 1 : 0]))
		return -1.;

	while (hi - lo > 1) {
		long mid = (lo + hi) / 2;

		if ((at[mid] <= place) == up)
			lo = mid;
		else
			hi = mid;
	}

	return (double)lo + (place - at[lo]) / (at[hi] - at[lo]);
}

/** So many columns of n have to be seen from both ends. */
static long least_columns(long n)
{
	return (n / 20 > 8) ? n / 20 : 8;
}

/** 1 - correlation coefficient of rays and their opposite ones; NAN where too few. */
static double opposite_cost(const struct axis_scan *s, const struct circle_order *o, double column)
{
	const long n = s->cols;
	double *at = mem_alloc((size_t)n * sizeof *at), *mirror = mem_alloc((size_t)n * sizeof *mirror);
	double sum[5] = {0.};
	long count = 0, seen = 0;
	const long least = least_columns(n);

	places(s, column, at);

	for (long a = 0; a < n; a++) {
		mirror[a] = column_of(at, n, -at[a]);
		seen += mirror[a] >= 0.;
	}

	for (long k = 0; k < s->views && seen >= least; k++) {
		const double beta = geom_angle(s->g, k), *p = s->p + k * n;
		struct between b;
		bool have = false;

		for (long a = 0; a < n; a++) {
			if (mirror[a] < 0.)
				continue;

			if (!s->g->parallel || !have)
				have = circle_between(
				        o, beta + M_PI + (s->g->parallel ? 0. : 2. * at[a]), &b);

			if (!have) {
				if (s->g->parallel)
					break;
				continue;
			}

			double q = b.weight[0] * axis_cubic(s->p + b.view[0] * n, n, mirror[a]) +
			           b.weight[1] * axis_cubic(s->p + b.view[1] * n, n, mirror[a]);

			sum[0] += p[a];
			sum[1] += q;
			sum[2] += p[a] * p[a];
			sum[3] += q * q;
			sum[4] += p[a] * q;
			count++;
		}
	}

	free(mirror);
	free(at);

	double w = (double)count, pp = sum[2] - sum[0] * sum[0] / w, qq = sum[3] - sum[1] * sum[1] / w,
	       pq = sum[4] - sum[0] * sum[1] / w;

	return (count >= least && pp > 0. && qq > 0.) ? 1. - pq / sqrt(pp * qq) : NAN;
}

static void fill_overlap(const struct axis_scan *s, const struct circle_order *o, struct axis_curve *c)
{
#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < c->n; i++)
		c->cost[i] = opposite_cost(s, o, c->first + (double)i * c->step);
}

bool axis_overlap(const struct axis_scan *s, struct axis_result *r, struct axis_curve *curve)
{
	const long bin = (s->cols + 511) / 512, skip = (s->views + 359) / 360;
	struct axis_scan *few = axis_scan_bin(s, bin, s->g->parallel ? 1 : skip),
	                 *all = axis_scan_bin(s, 1, 1);
	struct circle_order o = circle_order_create(few->g), whole = circle_order_create(all->g);
	struct between b;
	const bool whole_turn = circle_between(&o, geom_angle(few->g, few->views / 3) + M_PI, &b) &&
	                        circle_between(&o, geom_angle(few->g, 2 * few->views / 3) + M_PI, &b);
	const double edge = 0.5 * (double)least_columns(few->cols); // still that many are seen from both ends

	if (whole_turn && !s->asked) { // views all around: a strip at the edge of a half acquisition suffices
		few->lo = fmin(few->lo, edge);
		few->hi = fmax(few->hi, (double)(few->cols - 1) - edge);
	}

	struct axis_curve coarse = axis_curve_create(few->lo, few->hi, 1.);

	axis_blur(few, 1.5);
	axis_blur(all, 1.5);
	fill_overlap(few, &o, &coarse);
	r->why = "no opposite rays were measured";

	if (axis_curve_judge(&coarse, 5., &r->column, &r->confidence)) {
		double middle = r->column * (double)bin + 0.5 * (double)(bin - 1), none;
		struct axis_curve fine = axis_curve_create(
		        middle - 1.5 * (double)bin, middle + 1.5 * (double)bin, 0.25 * (double)bin);

		fill_overlap(all, &whole, &fine);
		r->found = axis_curve_judge(&fine, 1e9, &r->column, &none);

		if (r->found && bin > 1) {
			struct axis_curve last = axis_curve_create(r->column - 1., r->column + 1., 0.25);

			fill_overlap(all, &whole, &last);
			r->found = axis_curve_judge(&last, 1e9, &r->column, &none);
			free(last.cost);
		}

		free(fine.cost);
	}

	coarse.first = coarse.first * (double)bin + 0.5 * (double)(bin - 1);
	coarse.step *= (double)bin;
	*curve = coarse;
	circle_order_free(&o);
	circle_order_free(&whole);
	axis_scan_free(few);
	axis_scan_free(all);

	return whole_turn;
}
