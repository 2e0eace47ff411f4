/* [1] C. D. Kuglin, D. C. Hines, The phase correlation image alignment method, IEEE Int. Conf. Cybernetics
 * and Society, 1975. [2] N. T. Vo et al., Data processing methods and data acquisition for samples larger
 * than the field of view in parallel-beam tomography, Optics Express 29(12), 2021. [3] N. T. Vo et al.,
 * Reliable method for calculating the center of rotation in parallel-beam tomography, Optics Express 22(16),
 * 2014. [4] T. Donath, F. Beckmann, A. Schreyer, Automated determination of the center of rotation in
 * tomography data, J. Opt. Soc. Am. A 23(5), 2006. */

#include "ct/calibration/axis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/geom_edit.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"

const char axis_names[] = "phase|overlap|wedge|negativity|entropy|sharpness";

long axis_middle_row(const struct geom *g)
{
	double sum = 0.;

	if (g->parallel)
		return g->rows / 2;

	for (long k = 0; k < g->views; k++) {
		double c[3], a, b;

		scan_centre(g, k, c);
		sum += geom_project(g, k, c, &a, &b) ? b : 0.5 * (double)(g->rows - 1);
	}

	long row = lround(sum / (double)g->views);

	return (row < 0) ? 0 : (row >= g->rows) ? g->rows - 1 : row;
}

/** The geometry of one row. */
static struct geom *row_geom(const struct geom *g, long row)
{
	struct geom *one = geom_create(g->views, g->cols, 1, g->parallel);

	one->radius = g->radius;
	one->stack = g->stack;

	for (long k = 0; k < g->views; k++) {
		one->view[k] = g->view[k];

		for (int i = 0; i < 3; i++)
			one->view[k].d[i] += ((double)row - 0.5 * (double)(g->rows - 1)) * g->view[k].v[i];
	}

	return one;
}

struct axis_scan *axis_scan_create(const struct geom *g, struct cfl *proj, long row, const char *name)
{
	struct axis_scan *s = NEW(struct axis_scan);
	const char *data = cfl_map(proj);
	size_t size = dtype_size(proj->hdr.type);

	s->name = name;
	s->cols = g->cols;
	s->views = g->views;
	s->g = row_geom(g, row);
	s->nominal = geom_axis_column(g, name);
	s->lo = 0.1 * (double)(s->cols - 1);
	s->hi = 0.9 * (double)(s->cols - 1);
	s->p = mem_alloc((size_t)mul_checked(s->cols, s->views, "the sinogram") * sizeof *s->p);

	for (long k = 0; k < s->views; k++) {
		double *line = s->p + k * s->cols;

		convert(DT_FLOAT64, line, proj->hdr.type,
		        data + (size_t)((k * g->rows + row) * g->cols) * size, s->cols, NARROW_SATURATE);

		for (long a = 0; a < s->cols; a++)
			if (!isfinite(line[a]))
				error("%s: element %ld of row %ld in view %ld is not finite", proj->name, a,
				        row, k);
	}

	return s;
}

void axis_scan_free(struct axis_scan *s)
{
	if (!s)
		return;

	geom_free(s->g);
	free(s->p);
	free(s);
}

struct axis_scan *axis_scan_bin(const struct axis_scan *s, long b, long v)
{
	struct axis_scan *t = NEW(struct axis_scan);
	long *view = mem_alloc((size_t)s->views * sizeof *view);

	t->name = s->name;
	t->views = (s->views + v - 1) / v;
	t->cols = s->cols / b;

	for (long k = 0; k < t->views; k++)
		view[k] = k * v;

	t->g = geom_pick(s->g, t->views, view);
	geom_bin(t->g, b, 1);
	t->p = mem_calloc((size_t)(t->cols * t->views), sizeof *t->p);

	for (long k = 0; k < t->views; k++)
		for (long a = 0; a < t->cols * b; a++)
			t->p[k * t->cols + a / b] += s->p[k * v * s->cols + a] / (double)b;

	const double half = 0.5 * (double)(b - 1); // column c of s is (c - half) / b

	t->nominal = (s->nominal - half) / (double)b;
	t->lo = (s->lo - half) / (double)b;
	t->hi = (s->hi - half) / (double)b;
	free(view);

	return t;
}

/** The view behind the part of the circle that was left out, in the order of the angles times sense; view 0
 * where none was. */
static long first_view(const struct axis_scan *s, double sense)
{
	const size_t bytes = (size_t)s->views * sizeof(double);
	double *angle = mem_alloc(bytes), *share = mem_alloc(bytes), *gap = mem_alloc(bytes), next = 0.;
	long *order = mem_alloc((size_t)s->views * sizeof *order), worst = 0;

	for (long k = 0; k < s->views; k++)
		angle[k] = sense * geom_angle(s->g, k);

	scan_half_gaps(s->views, angle, 2. * M_PI, share, gap, order);

	for (long i = 1; i < s->views; i++) {
		next = fmax(next, fmin(gap[i], gap[worst]));
		worst = gap[i] > gap[worst] ? i : worst;
	}

	const long first = gap[worst] > 3. * next ? order[(worst + 1) % s->views] : 0;

	free(order);
	free(gap);
	free(share);
	free(angle);

	return first;
}

struct axis_scan *axis_half_turn(const struct axis_scan *s)
{
	struct axis_scan *h = NEW(struct axis_scan);
	const size_t bytes = (size_t)s->views * sizeof(double);
	double *angle = mem_alloc(bytes), *share = mem_alloc(bytes), *gap = mem_alloc(bytes);
	long *order = mem_alloc((size_t)s->views * sizeof *order);
	const double second = (s->views > 1) ? geom_angle(s->g, 1) : 0.;
	const double sense = (remainder(second - geom_angle(s->g, 0), 2. * M_PI) < 0.) ? -1. : 1.;
	const double first = geom_angle(s->g, first_view(s, sense)), slack = 1e-6;

	*h = *s;
	h->views = 0;

	for (long k = 0; k < s->views; k++)
		angle[k] = sense * (geom_angle(s->g, k) - first) + slack;

	scan_half_gaps(s->views, angle, 2. * M_PI, share, gap, order);
	h->p = mem_alloc((size_t)(s->views * s->cols) * sizeof *h->p);

	for (long i = 0; i < s->views; i++) {
		const long k = order[i];

		if (s->g->parallel && fmod(angle[k] + 4. * M_PI, 2. * M_PI) >= M_PI)
			continue;

		memcpy(h->p + h->views * h->cols, s->p + k * s->cols, (size_t)s->cols * sizeof *h->p);
		order[h->views++] = k;
	}

	h->g = geom_pick(s->g, h->views, order);
	free(order);
	free(gap);
	free(share);
	free(angle);

	return h;
}

void axis_blur(struct axis_scan *s, double sigma)
{
	const long reach = (long)ceil(3. * sigma);
	double *line = mem_alloc((size_t)s->cols * sizeof *line);

	for (long k = 0; k < s->views; k++) {
		double *p = s->p + k * s->cols;

		memcpy(line, p, (size_t)s->cols * sizeof *line);

		for (long a = 0; a < s->cols; a++) {
			double sum = 0., all = 0.;

			for (long d = -reach; d <= reach; d++) {
				long b = (a + d < 0) ? 0 : (a + d >= s->cols) ? s->cols - 1 : a + d;
				double w = exp(-0.5 * (double)(d * d) / (sigma * sigma));

				sum += w * line[b];
				all += w;
			}

			p[a] = sum / all;
		}
	}

	free(line);
}

void axis_blur_lines(double *p, long n, long step, long lines, long next, long sigma)
{
	const long reach = 3 * sigma;
	double *line = mem_alloc((size_t)n * sizeof *line);

	for (long l = 0; l < lines; l++) {
		double *x = p + l * next;

		for (long i = 0; i < n; i++)
			line[i] = x[i * step];

		for (long i = 0; i < n; i++) {
			double sum = 0., all = 0.;

			for (long d = -reach; d <= reach; d++) {
				const long j = (i + d < 0) ? 0 : (i + d >= n) ? n - 1 : i + d;
				const double w = exp(-0.5 * (double)(d * d) / (double)(sigma * sigma));

				sum += w * line[j];
				all += w;
			}

			x[i * step] = sum / all;
		}
	}

	free(line);
}

struct axis_curve axis_curve_create(double lo, double hi, double step)
{
	struct axis_curve c = {.n = (long)floor((hi - lo) / step + 1e-9) + 1, .first = lo, .step = step};

	c.cost = mem_alloc((size_t)c.n * sizeof *c.cost);

	for (long i = 0; i < c.n; i++)
		c.cost[i] = NAN;

	return c;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_cost(const struct axis_curve *c)
{
	double *sorted = mem_alloc((size_t)c->n * sizeof *sorted), median = NAN;
	long n = 0;

	for (long i = 0; i < c->n; i++)
		if (isfinite(c->cost[i]))
			sorted[n++] = c->cost[i];

	qsort(sorted, (size_t)n, sizeof *sorted, ascending);

	if (n > 0)
		median = sorted[n / 2];

	free(sorted);
	return median;
}

bool axis_curve_judge(const struct axis_curve *c, double apart, double *column, double *confidence)
{
	const double median = median_cost(c);
	double rival = INFINITY, shift = 0.;
	long best = -1;

	for (long i = 0; i < c->n; i++)
		if (isfinite(c->cost[i]) && (best < 0 || c->cost[i] < c->cost[best]))
			best = i;

	if (best < 0 || !(median > c->cost[best]))
		return false;

	for (long i = 0; i < c->n; i++) // the slope towards the best is no rival: a local minimum is
		if (fabs((double)(i - best)) * c->step > apart && isfinite(c->cost[i]) &&
		        (0 == i || !(c->cost[i - 1] < c->cost[i])) &&
		        (c->n - 1 == i || !(c->cost[i + 1] < c->cost[i])))
			rival = fmin(rival, c->cost[i]);

	if (best > 0 && best < c->n - 1) {
		double l = c->cost[best - 1], m = c->cost[best], r = c->cost[best + 1], bend = l - 2. * m + r;

		if (isfinite(bend) && bend > 0.)
			shift = 0.5 * (l - r) / bend;
	}

	*column = c->first + c->step * ((double)best + shift);
	*confidence = (0 == best || c->n - 1 == best)
	                      ? 0.
	                      : fmin(1., fmax(0., (rival - c->cost[best]) / (median - c->cost[best])));

	return true;
}

double axis_curve_share(const struct axis_curve *c, const struct axis_curve *all)
{
	const double median = median_cost(all), hi = c->first + (double)(c->n - 1) * c->step;
	double best = INFINITY;

	for (long i = 0; i < c->n; i++)
		best = isfinite(c->cost[i]) ? fmin(best, c->cost[i]) : best;

	double least = best;

	for (long i = 0; i < all->n; i++) {
		const double at = all->first + (double)i * all->step;

		if (isfinite(all->cost[i]) && (at < c->first || at > hi))
			least = fmin(least, all->cost[i]);
	}

	return (median > best) ? (median - best) / (median - least) : 0.;
}

/** How good a column is by a curve: 1 the best, 0 no better than the median. */
static double vote(const struct axis_curve *c, double column)
{
	const long i = lround((column - c->first) / c->step);
	const double median = median_cost(c);
	double best = INFINITY;

	for (long k = 0; k < c->n; k++)
		best = isfinite(c->cost[k]) ? fmin(best, c->cost[k]) : best;

	if (i < 0 || i >= c->n || !isfinite(c->cost[i]))
		return 0.;

	return fmin(1., fmax(0., (median - c->cost[i]) / (median - best)));
}

void axis_find(const struct axis_scan *s, const bool wanted[], struct axis_result out[])
{
	for (int m = 0; m < AXIS_METHODS; m++)
		out[m] = (struct axis_result){.why = "no candidate is clearly best"};

	if (wanted[AXIS_PHASE])
		axis_phase(s, out + AXIS_PHASE);

	if (wanted[AXIS_WEDGE])
		axis_wedge(s, out + AXIS_WEDGE);

	axis_slices(s, wanted, out);

	if (!wanted[AXIS_OVERLAP])
		return;

	struct axis_curve c;
	const bool whole_turn = axis_overlap(s, out + AXIS_OVERLAP, &c);

	for (int m = 0; m < AXIS_METHODS; m++)
		if (whole_turn && out[AXIS_OVERLAP].found && out[m].found && AXIS_OVERLAP != m)
			out[m].confidence *= vote(&c, out[m].column);

	free(c.cost);
}

/** How much a method counts in the median: slices of objects cut off by the detector mislead. */
static const double weight_of[AXIS_METHODS] = {1., 1., 1., 0.5, 0.5, 0.2};

bool axis_median(const struct axis_result r[], double *column, double *spread)
{
	double total = 0., best = 0., lo = INFINITY, hi = -INFINITY;
	int order[AXIS_METHODS], n = 0, counted = 0;

	for (int m = 0; m < AXIS_METHODS; m++) {
		if (!r[m].found)
			continue;

		int at = n++;

		for (; at > 0 && r[order[at - 1]].column > r[m].column; at--)
			order[at] = order[at - 1];

		order[at] = m;
		total += weight_of[m] * r[m].confidence + 1e-6;
		best = fmax(best, weight_of[m] * r[m].confidence);
	}

	if (0 == n)
		return false;

	double sum = 0.;
	bool done = false;

	for (int i = 0; i < n; i++) {
		const struct axis_result *x = r + order[i];
		const double weight = weight_of[order[i]] * x->confidence;

		sum += weight + 1e-6;

		if (!done && sum >= 0.5 * total) {
			*column = x->column;
			done = true;
		}

		if (weight >= 0.5 * best) {
			lo = fmin(lo, x->column);
			hi = fmax(hi, x->column);
			counted++;
		}
	}

	*spread = (counted > 1) ? 0.5 * (hi - lo) : NAN;

	return true;
}
