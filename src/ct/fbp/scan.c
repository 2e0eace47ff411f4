/* [1] D. L. Parker, Optimal short scan convolution reconstruction for fan beam CT, Med. Phys. 9(2), 1982.
 * [2] M. D. Silver, A method for including redundant data in computed tomography, Med. Phys. 27(4), 2000.
 * [3] G. Wang, X-ray micro-CT with a displaced detector array, Med. Phys. 29(7), 2002. */

#include "ct/fbp/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"

enum scan_kind { SCAN_HALF, SCAN_FULL, SCAN_SHORT };

struct scan {
	const struct geom *g;
	enum scan_kind kind;
	double *share;  // of the circle, per view [rad]
	double first;   // angle where a short scan begins [rad]
	double fan;     // half fan angle of Parker's weights [rad]
	double side[2]; // reach of the detector to both sides of the axis: [rad], parallel [mm]; positive
	char text[160];
};

static const double degree = M_PI / 180.;

static double wrap(double angle, double period)
{
	double a = fmod(angle, period);

	if (a < 0.)
		a += period;

	return (a >= period) ? 0. : a;
}

struct place {
	double angle;
	long index;
};

static int by_angle(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->angle != y->angle)
		return (x->angle > y->angle) - (x->angle < y->angle);

	return (x->index > y->index) - (x->index < y->index);
}

void scan_half_gaps(long n, const double angle[], double period, double weight[], double gap[], long order[])
{
	struct place *p = mem_alloc((size_t)n * sizeof *p);

	for (long i = 0; i < n; i++)
		p[i] = (struct place){wrap(angle[i], period), i};

	qsort(p, (size_t)n, sizeof *p, by_angle);

	for (long i = 0; i < n; i++) {
		gap[i] = (i + 1 < n) ? p[i + 1].angle - p[i].angle : p[0].angle + period - p[i].angle;
		order[i] = p[i].index;
	}

	for (long i = 0; i < n; i++)
		weight[p[i].index] = 0.5 * (gap[i] + gap[i ? i - 1 : n - 1]);

	free(p);
}

long scan_same_angle(long n, double period, const double gap[], long first, long i)
{
	const double near = 0.1 * period / (double)n;
	double span = 0.;

	for (i++; i < n; i++) {
		span += gap[(first + i - 1) % n];

		if (span > near)
			break;
	}

	return i;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Views around a circle of some period. */
struct circle {
	double *share;  // of an open circle without the missing data
	double largest; // gap [rad]
	double step;    // usual gap at the edges of the largest one
	long next;      // view behind it
	bool open;      // the largest gap is missing data, not coarse sampling
};

/** The usual gap: the median of those that are no repetition. */
static double median_gap(long n, const double sorted[], double period)
{
	long first = 0;

	while (first < n && sorted[first] < 0.1 * period / (double)n)
		first++;

	return (first < n) ? sorted[first + (n - first) / 2] : period;
}

/** Shares of views at the same angle become equal. By the gaps alone, only the first and the last of them
 * would count. */
static void share_repeated(
        long n, double period, const double gap[], const long order[], long first, double *share)
{
	for (long i = 0, end; i < n; i = end) {
		double sum = 0.;

		end = scan_same_angle(n, period, gap, first, i);

		for (long k = i; k < end; k++)
			sum += share[order[(first + k) % n]];

		for (long k = i; k < end; k++)
			share[order[(first + k) % n]] = sum / (double)(end - i);
	}
}

/** The largest gap is taken for missing data where it stands out: three times the next largest, or thirty
 * times the usual one (golden and random angles stay below). */
static struct circle circle_create(const struct geom *g, double period)
{
	long n = g->views, worst = 0;
	size_t bytes = (size_t)n * sizeof(double);
	double *angle = mem_alloc(bytes), *gap = mem_alloc(bytes), *sorted = mem_alloc(bytes);
	long *order = mem_alloc((size_t)n * sizeof *order);
	struct circle c = {.share = mem_alloc(bytes)};

	for (long i = 0; i < n; i++)
		angle[i] = geom_angle(g, i);

	scan_half_gaps(n, angle, period, c.share, gap, order);

	for (long i = 0; i < n; i++)
		if (gap[i] > gap[worst])
			worst = i;

	c.largest = gap[worst];
	c.next = order[(worst + 1) % n];

	memcpy(sorted, gap, bytes);
	qsort(sorted, (size_t)n, sizeof *sorted, ascending);

	c.step = (n > 1) ? sorted[n - 2] : 0.;
	c.open = c.largest > 3. * c.step || c.largest > 30. * median_gap(n, sorted, period);

	if (c.open) {
		c.share[order[worst]] -= 0.5 * (c.largest - c.step);
		c.share[c.next] -= 0.5 * (c.largest - c.step);
	}

	share_repeated(n, period, gap, order, (worst + 1) % n, c.share);

	free(order);
	free(sorted);
	free(gap);
	free(angle);

	return c;
}

void scan_centre(const struct geom *g, long view, double c[3])
{
	const struct geom_view *w = g->view + view;
	double p[3], d[3], dd = 0., rise;

	memset(c, 0, 3 * sizeof *c);

	if (g->parallel)
		return;

	geom_ray(g, view, 0.5 * (double)(g->cols - 1), 0.5 * (double)(g->rows - 1), p, d);

	for (int i = 0; i < 2; i++)
		dd += d[i] * d[i];

	if (!(dd > 0.))
		return;

	/* Height at which the detector's middle looks at the axis, and half of what it sees of the axis
	 * there. */
	double t = -(w->s[0] * d[0] + w->s[1] * d[1]) / dd;

	c[2] = w->s[2] + t * d[2];
	rise = fabs(t * w->v[2]) * 0.5 * (double)g->rows;

	if (fabs(w->s[2] - c[2]) <= rise)
		c[2] = w->s[2];
}

double scan_place(const struct geom *g, long view, double a)
{
	double p[3], d[3], c[3];

	geom_ray(g, view, a, 0.5 * (double)(g->rows - 1), p, d);

	if (g->parallel)
		return (d[0] * p[1] - d[1] * p[0]) / hypot(d[0], d[1]);

	scan_centre(g, view, c);

	double to[2] = {c[0] - p[0], c[1] - p[1]};

	return atan2(to[0] * d[1] - to[1] * d[0], to[0] * d[0] + to[1] * d[1]);
}

/** Whether every view sees the axis, up to the outer edges of its pixels. */
static bool axis_is_seen(const struct geom *g)
{
	for (long i = 0; i < g->views; i++)
		if (scan_place(g, i, -0.5) * scan_place(g, i, (double)g->cols - 0.5) > 0.)
			return false;

	return true;
}

/** What every view sees on both sides of the axis; *fan: the largest angle that any sees. */
static void measure_reach(const struct geom *g, double side[2], double *fan)
{
	side[0] = side[1] = INFINITY;
	*fan = 0.;

	for (long i = 0; i < g->views; i++) {
		double a = scan_place(g, i, 0.), b = scan_place(g, i, (double)(g->cols - 1));

		side[0] = fmin(side[0], -fmin(a, b));
		side[1] = fmin(side[1], fmax(a, b));
		*fan = fmax(*fan, fmax(fabs(a), fabs(b)));
	}
}

/** How far the beam leans out of the x-y plane: tangent of the angle. Opposite views then differ. */
static double inclination(const struct geom *g)
{
	double most = 0.;

	for (long i = 0; i < g->views; i++) {
		const double *s = g->view[i].s;

		most = fmax(most, fabs(s[2]) / hypot(s[0], s[1]));
	}

	return most;
}

/** Whether one side of the detector reaches visibly further. */
static bool is_displaced(const struct scan *s)
{
	double far = fmax(s->side[0], s->side[1]);

	return fabs(s->side[0] - s->side[1]) > 1e-6 * far;
}

static void choose_parallel(struct scan *s, const char *name)
{
	const double visible = 1e-3, small = 0.1; // inclinations: below, views 180 degrees apart are mirror
	                                          // images, exactly or nearly
	struct circle half = circle_create(s->g, M_PI), full = circle_create(s->g, 2. * M_PI);
	double inclined = inclination(s->g);

	if (inclined > small && full.open)
		error("%s: the views cover %.1f degrees, but a beam inclined by %.1f degrees needs 360 "
		      "degrees",
		        name, 360. - (full.largest - full.step) / degree, atan(inclined) / degree);

	if (half.open)
		error("%s: the views cover %.1f degrees, but filtered back projection of a parallel beam "
		      "needs 180 degrees",
		        name, 180. - (half.largest - half.step) / degree);

	bool whole = !full.open && (inclined > visible || is_displaced(s));

	s->kind = whole ? SCAN_FULL : SCAN_HALF;
	s->share = whole ? full.share : half.share;
	free(whole ? half.share : full.share);
	snprintf(s->text, sizeof s->text, "parallel beam, views weighted modulo %d degrees",
	        whole ? 360 : 180);
}

/** Feldkamp's source stays on a circle about the axis. */
static void check_circle(const struct geom *g, const char *name)
{
	double lo = INFINITY, hi = -INFINITY, far = 0.;

	for (long i = 0; i < g->views; i++) {
		const double *s = g->view[i].s;

		lo = fmin(lo, s[2]);
		hi = fmax(hi, s[2]);
		far = fmax(far, hypot(s[0], s[1]));
	}

	if (hi - lo > 1e-3 * far)
		warn("%s: the source moves by %g mm along the axis, but this method is for circular scans "
		     "(use --method katsevich or gantry wls)",
		        name, hi - lo);
}

static void choose_fan(struct scan *s, enum scan_short form, const char *name, double fan)
{
	check_circle(s->g, name);

	struct circle c = circle_create(s->g, 2. * M_PI);
	double arc = 2. * M_PI - c.largest + c.step, needed = M_PI + 2. * fan;

	s->share = c.share;
	s->kind = c.open ? SCAN_SHORT : SCAN_FULL;

	if (!c.open) {
		snprintf(s->text, sizeof s->text, "full scan%s",
		        is_displaced(s) ? ", offset detector weights" : "");
		return;
	}

	if (!(arc + 0.5 * c.step >= needed))
		error("%s: the views cover %.1f degrees, but a %s beam needs %.1f degrees (180 degrees + the "
		      "fan angle)",
		        name, arc / degree, s->g->rows > 1 ? "cone" : "fan", needed / degree);

	s->fan = (SCAN_PARKER == form) ? fan : fmax(0.5 * (arc - M_PI), fan);
	s->first = geom_angle(s->g, c.next) - 0.5 * c.step;
	snprintf(s->text, sizeof s->text, "short scan over %.1f degrees, %s weights", arc / degree,
	        (SCAN_PARKER == form) ? "Parker" : "Silver");
}

/** How far the columns of a view lean as seen along its middle ray: the angle of its rows to the plane across
 * the rotation axis [rad]. */
static double lean_of(const struct geom *g, long view)
{
	const double *u = g->view[view].u;
	double p[3], d[3], dd = 0., du = 0., uu = 0.;

	geom_ray(g, view, 0.5 * (double)(g->cols - 1), 0.5 * (double)(g->rows - 1), p, d);

	for (int i = 0; i < 3; i++) {
		dd += d[i] * d[i];
		du += d[i] * u[i];
		uu += u[i] * u[i];
	}

	// the axis and u across the ray
	const double zz = 1. - d[2] * d[2] / dd, zu = u[2] - d[2] * du / dd;

	return zz > 1e-12 ? asin(fmin(1., fabs(zu) / sqrt(zz * (uu - du * du / dd)))) : 0.;
}

/** Rows are what the filter runs along. */
static void check_rows(const struct geom *g, const char *name)
{
	const double visible = 3. * degree;
	double lean = 0., kept = 0.;

	for (long i = 0; i < g->views; i++) {
		const double l = lean_of(g, i);

		lean = fmax(lean, l);
		kept += cos(l) / (double)g->views;
	}

	if (lean > 0.25 * M_PI)
		error("%s: the detector rows are tilted by %.1f degrees towards the rotation axis, expected "
		      "at most 45 degrees (exchange detector rows and columns, or use gantry cg)",
		        name, lean / degree);

	if (lean > visible)
		warn("%s: the detector rows are tilted by up to %.1f degrees towards the rotation axis, so "
		     "values are about %.1f %% too low (use gantry wls)",
		        name, lean / degree, 100. * (1. - kept));
}

struct scan *scan_create(const struct geom *g, enum scan_short form, const char *name)
{
	struct scan *s = NEW(struct scan);
	double fan;

	s->g = g;
	measure_reach(g, s->side, &fan);

	if (!axis_is_seen(g))
		warn("%s: some views do not see the rotation axis, so the centre of the volume cannot be "
		     "reconstructed",
		        name);

	if (g->parallel)
		choose_parallel(s, name);
	else
		choose_fan(s, form, name, fan);

	check_rows(g, name);

	return s;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;

	free(s->share);
	free(s);
}

void scan_beyond(const struct scan *s, long extra[2])
{
	long cols = s->g->cols;
	double ends[2] = {fabs(scan_place(s->g, 0, 0.)), fabs(scan_place(s->g, 0, (double)(cols - 1)))};
	int shorter = (ends[0] < ends[1]) ? 0 : 1;
	long n = 0;

	if (SCAN_FULL == s->kind && is_displaced(s))
		while (n < 4 * cols &&
		        fabs(scan_place(s->g, 0, (double)(shorter ? cols + n : -n - 1))) < ends[!shorter])
			n++;

	extra[shorter] = n;
	extra[!shorter] = 0;
}

const char *scan_describe(const struct scan *s)
{
	return s->text;
}

bool scan_is_short(const struct scan *s)
{
	return SCAN_SHORT == s->kind;
}

static double square(double x)
{
	return x * x;
}

/** Weight of a ray measured at `beta` after the beginning of a short scan and at angle gamma in its fan. */
static double parker(double beta, double gamma, double fan)
{
	if (beta < 0. || beta > M_PI + 2. * fan)
		return 0.;

	if (beta < 2. * (fan - gamma))
		return square(sin(M_PI / 4. * beta / (fan - gamma)));

	if (beta > M_PI - 2. * gamma)
		return square(sin(M_PI / 4. * (M_PI + 2. * fan - beta) / (fan + gamma)));

	return 1.;
}

/** Weight of a ray at place x in a full scan whose detector reaches side[0] below and side[1] above the axis.
 * The weights of x and -x have the sum 1. */
static double wang(const double side[2], double x)
{
	const double near = fmax(0., fmin(side[0], side[1])), far = fmax(side[0], side[1]);
	const double zone = fmin(near, 4. * (far - near));

	if (side[0] > side[1])
		x = -x;

	if (fabs(x) >= near)
		return (x > 0.) ? 1. : (x < 0.) ? 0. : 0.5;

	const double into = (fabs(x) - (near - zone)) / zone;
	const double more = (into > 0.) ? 0.5 * square(sin(M_PI / 2. * into)) : 0.;

	return (x > 0.) ? 0.5 + more : 0.5 - more;
}

/** The same for columns `step` apart, interpolated linearly between multiples of the step, as back projection
 * interpolates filtered columns. Opposite rays then add up to the filtered whole on the axis too, wherever it
 * is between two columns and however few columns overlap. */
static double displaced(const double side[2], double step, double x)
{
	const double k = floor(x / step), f = x / step - k;

	return (1. - f) * wang(side, k * step) + f * wang(side, (k + 1.) * step);
}

/** Distance of columns at the axis, in the units of scan_place(). */
static double step_at_axis(const struct geom *g, long view)
{
	long a = 0;

	while (a < g->cols - 2 && scan_place(g, view, (double)a) * scan_place(g, view, (double)(a + 1)) > 0.)
		a++;

	return fabs(scan_place(g, view, (double)(a + 1)) - scan_place(g, view, (double)a));
}

/** Column of the axis, limited to the middles of the columns; false: the view does not see the axis. */
static bool axis_column(const struct geom *g, long view, double *axis)
{
	const double end = (double)(g->cols - 1),
	             ends[2] = {scan_place(g, view, 0.), scan_place(g, view, end)};

	if (scan_place(g, view, -0.5) * scan_place(g, view, end + 0.5) > 0.)
		return false;

	if (ends[0] * ends[1] >= 0.) {
		*axis = (fabs(ends[0]) < fabs(ends[1])) ? 0. : end;
		return true;
	}

	double lo = 0., hi = end;

	for (int i = 0; i < 60; i++) {
		const double mid = 0.5 * (lo + hi);

		if (scan_place(g, view, mid) * ends[0] > 0.)
			lo = mid;
		else
			hi = mid;
	}

	*axis = 0.5 * (lo + hi);
	return true;
}

/** Falls from 1 at 0 to 0 at `end` and beyond. */
static double fall(double x, double end)
{
	return (fabs(x) < end) ? square(cos(0.5 * M_PI * x / end)) : 0.;
}

/** Reach of the term of scan_fill(), and the factor of the term. The rays opposite to those of one view of a
 * fan belong to many views, in which P is not the same. A long term would show in the image there, a shorter
 * one leaves more of the rings. An overlap as long as the term needs none. */
static double reach_of_fill(const struct scan *s, double step, double *factor)
{
	const double angle = 0.1, least = 16., most = 32.; // [rad], [columns]
	const double near = fmax(0., fmin(s->side[0], s->side[1])), far = fmax(s->side[0], s->side[1]);

	*factor = 1.;

	if (s->g->parallel)
		return far;

	const double reach = fmin(far, fmin(most * step, fmax(angle, least * step)));

	*factor = fall(near, reach);
	return reach;
}

bool scan_fill(const struct scan *s, long view, long left, long n, double *fill, double *axis)
{
	const struct geom *g = s->g;

	if (SCAN_FULL != s->kind || !is_displaced(s) || !axis_column(g, view, axis))
		return false;

	double factor;
	const double step = step_at_axis(g, view), reach = reach_of_fill(s, step, &factor);

	for (long i = 0; i < n; i++) {
		const double x = scan_place(g, view, (double)(i - left)), w = displaced(s->side, step, x);

		fill[i] = factor * (0.5 - w) * fall(x, reach);

		if (i < left || i >= left + g->cols) // beside the axis: the column nearest to it
			fill[i] += w;

		fill[i] *= s->share[view];
	}

	return true;
}

void scan_weights(const struct scan *s, long view, double *weight)
{
	double beta = wrap(geom_angle(s->g, view) - s->first, 2. * M_PI), step = step_at_axis(s->g, view),
	       axis;
	const bool seen = axis_column(s->g, view, &axis);

	for (long a = 0; a < s->g->cols; a++) {
		const double x = scan_place(s->g, view, (double)a);

		weight[a] = s->share[view];

		if (SCAN_SHORT == s->kind)
			weight[a] *= parker(beta, x, s->fan);
		else if (SCAN_FULL == s->kind && is_displaced(s))
			weight[a] *= seen ? displaced(s->side, step, x) : 1.;
		else if (SCAN_FULL == s->kind)
			weight[a] *= 0.5;
	}
}
