#include "misc/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/plot/canvas.h"
#include "misc/plot/ticks.h"

enum { LEFT = 84, RIGHT = 24, TOP = 34, TITLE = 24, BOTTOM = 56, TICK = 5 };

static const double letters = 14., line_width = 1.8;

/* The colours of Okabe and Ito, which colour-blind people can distinguish. */
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x444444};

enum { COLOURS = sizeof colours / sizeof *colours };

/* One direction: values lo .. hi from pixel `from` to pixel `to`. */
struct axis {
	bool log;
	double lo, hi; // logarithms where log
	double from, to;
};

struct drawing {
	const struct plot *p;
	struct canvas *c;
	struct axis x, y;
};

struct plot plot_default(void)
{
	return (struct plot){.width = PLOT_WIDTH,
	        .height = PLOT_HEIGHT,
	        .xlim = {NAN, NAN},
	        .ylim = {NAN, NAN},
	        .mark = {NAN, NAN}};
}

/* A value as it lies on the axis; NaN where it does not. */
static double placed(bool log, double v)
{
	if (!log)
		return isfinite(v) ? v : NAN;

	return (v > 0. && isfinite(v)) ? log10(v) : NAN;
}

static double pixel(const struct axis *a, double v)
{
	return a->from + (placed(a->log, v) - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

/* ---- ranges -------------------------------------------------------------- */

static void stretch(struct axis *a, double v)
{
	a->lo = fmin(a->lo, v);
	a->hi = fmax(a->hi, v);
}

/* From the points that can be drawn. */
static void find_ranges(struct drawing *d)
{
	d->x.lo = d->y.lo = INFINITY;
	d->x.hi = d->y.hi = -INFINITY;

	for (int k = 0; k < d->p->n; k++) {
		const struct plot_curve *c = &d->p->curve[k];

		for (long i = 0; i < c->n; i++) {
			const double x = placed(d->x.log, c->x[i]), y = placed(d->y.log, c->y[i]);

			if (isnan(x) || (isnan(y) && !c->steps))
				continue;

			stretch(&d->x, x);

			if (!isnan(y) && !(c->steps && i == c->n - 1))
				stretch(&d->y, y);
		}

		if (c->steps && !d->y.log)
			stretch(&d->y, 0.);
	}

	if (!(d->x.lo <= d->x.hi) || !(d->y.lo <= d->y.hi))
		error("nothing to draw: no finite value%s",
		        d->x.log || d->y.log ? " above 0 for a logarithmic axis" : "");
}

/* Some room around, and what was asked for. */
static void set_range(struct axis *a, const double lim[2], double room)
{
	double width = a->hi - a->lo;

	if (!(width > 1e-12 * fmax(fabs(a->lo), fabs(a->hi)))) {
		width = a->log ? 1. : (a->lo != 0.) ? fabs(a->lo) : 1.;
		a->lo -= 0.5 * width;
		a->hi += 0.5 * width;
	}

	a->lo -= room * width;
	a->hi += room * width;

	if (!isnan(lim[0])) {
		a->lo = placed(a->log, lim[0]);
		a->hi = placed(a->log, lim[1]);
	}
}

/* ---- axes ---------------------------------------------------------------- */

static const unsigned grey = 0xdddddd, black = 0x222222;

static void tick_label(char text[32], double v, double step)
{
	const double most = fmax(fabs(v), step);

	if (0. == v) {
		strcpy(text, "0");
	} else if (most >= 1e5 || most < 1e-3) {
		const int digits = (int)fmax(0., floor(log10(fabs(v)) + 1e-9) - floor(log10(step) + 1e-9));

		snprintf(text, 32, "%.*e", digits, v);
	} else {
		snprintf(text, 32, "%.*f", (int)fmax(0., -floor(log10(step) + 1e-9)), v);
	}
}

static void draw_tick(struct drawing *d, const struct axis *a, double at, const char *text)
{
	const bool across = a == &d->x;
	const double low = d->y.from, high = d->y.to, left = d->x.from, right = d->x.to;
	const double place = a->from + (at - a->lo) / (a->hi - a->lo) * (a->to - a->from);

	if (across) {
		canvas_line(d->c, (double[2]){place, low}, (double[2]){place, high}, 1., grey);
		canvas_line(d->c, (double[2]){place, low}, (double[2]){place, low + TICK}, 1., black);
		canvas_text(d->c, (double[2]){place, low + TICK + letters + 2.}, letters, 0, black, text);
	} else {
		canvas_line(d->c, (double[2]){left, place}, (double[2]){right, place}, 1., grey);
		canvas_line(d->c, (double[2]){left - TICK, place}, (double[2]){left, place}, 1., black);
		canvas_text(
		        d->c, (double[2]){left - TICK - 4., place + 0.35 * letters}, letters, 1, black, text);
	}
}

static void log_ticks(struct drawing *d, const struct axis *a, int most)
{
	static const double parts[] = {1., 2., 5.};
	const int first = (int)floor(a->lo), last = (int)ceil(a->hi);
	const int every = 1 + (last - first) / most, per = (a->hi - a->lo < 2.5) ? 3 : 1;

	for (int k = first; k <= last; k++)
		for (int i = 0; i < per; i++) {
			const double at = k + log10(parts[i]);
			char text[32];

			if (at < a->lo - 1e-9 || at > a->hi + 1e-9 || 0 != (k - first) % every)
				continue;

			snprintf(
			        text, sizeof text, (k < -3 || k > 4) ? "%.0e" : "%g", parts[i] * pow(10., k));
			draw_tick(d, a, at, text);
		}
}

static void draw_ticks(struct drawing *d, const struct axis *a, int most)
{
	double first, step;

	// less than two ticks a decade say nothing: those of numbers then
	if (a->log && a->hi - a->lo > 0.4) {
		log_ticks(d, a, most);
		return;
	}

	const double lo = a->log ? pow(10., a->lo) : a->lo, hi = a->log ? pow(10., a->hi) : a->hi;
	const int n = ticks(lo, hi, most, &first, &step);

	for (int k = 0; k < n; k++) {
		const double v = (fabs(first + k * step) < 1e-9 * step) ? 0. : first + k * step;
		char text[32];

		tick_label(text, v, step);
		draw_tick(d, a, placed(a->log, v), text);
	}
}

static void draw_axes(struct drawing *d)
{
	const struct plot *p = d->p;
	const double x0 = d->x.from, x1 = d->x.to, y0 = d->y.from, y1 = d->y.to;
	const double corner[][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}};

	draw_ticks(d, &d->x, (int)fmax(2., (x1 - x0) / 80.));
	draw_ticks(d, &d->y, (int)fmax(2., (y0 - y1) / 40.));

	for (int k = 0; k < 4; k++)
		canvas_line(d->c, corner[k], corner[k + 1], 1., black);

	if (p->xname)
		canvas_text(d->c, (double[2]){0.5 * (x0 + x1), p->height - 10.}, letters, 0, black, p->xname);

	if (p->yname) // above the axis: it would have to be turned beside it
		canvas_text(d->c, (double[2]){x0 - LEFT + 12., y1 - 12.}, letters, -1, black, p->yname);

	if (p->title)
		canvas_text(d->c, (double[2]){0.5 * (x0 + x1), 22.}, 1.15 * letters, 0, black, p->title);
}

/* ---- curves -------------------------------------------------------------- */

/* Cuts the segment to the axes' box by Liang and Barsky; false: nothing of it is inside. */
static bool clip(const struct drawing *d, double p[2], double q[2])
{
	const double lo[2] = {d->x.from, d->y.to}, hi[2] = {d->x.to, d->y.from};
	double enter = 0., leave_at = 1.;
	const double a[2] = {p[0], p[1]}, step[2] = {q[0] - p[0], q[1] - p[1]};

	for (int i = 0; i < 2; i++)
		for (int side = 0; side < 2; side++) {
			const double go = side ? step[i] : -step[i],
			             room = side ? hi[i] - a[i] : a[i] - lo[i];

			if (0. == go && room < 0.)
				return false;

			if (go < 0.)
				enter = fmax(enter, room / go);
			else if (go > 0.)
				leave_at = fmin(leave_at, room / go);
		}

	if (enter > leave_at)
		return false;

	for (int i = 0; i < 2; i++) {
		q[i] = (leave_at < 1.) ? a[i] + leave_at * step[i] : q[i];
		p[i] = (enter > 0.) ? a[i] + enter * step[i] : p[i];
	}

	return true;
}

static void draw_segment(struct drawing *d, const double from[2], const double to[2], unsigned colour)
{
	double p[2] = {from[0], from[1]}, q[2] = {to[0], to[1]};

	if (!isnan(p[0] + p[1] + q[0] + q[1]) && clip(d, p, q))
		canvas_line(d->c, p, q, line_width, colour);
}

/* Of many points in a column of pixels the lowest and the highest say all: the line through every one of them
 * would be thousands of times as long as the picture is wide. */
static long thin(const struct drawing *d, const struct plot_curve *c, double (*point)[2])
{
	const long most = 4L * d->p->width, bucket = (c->n > most) ? 2 * (c->n / most) : 1;
	long n = 0;

	for (long first = 0; first < c->n; first += bucket) {
		const long end = (first + bucket < c->n) ? first + bucket : c->n;
		long low = first, high = first;

		for (long i = first; i < end; i++) {
			low = (isnan(c->y[low]) || c->y[i] < c->y[low]) ? i : low;
			high = (isnan(c->y[high]) || c->y[i] > c->y[high]) ? i : high;
		}

		const long order[2] = {low < high ? low : high, low < high ? high : low};

		for (int k = 0; k < (low == high ? 1 : 2); k++, n++) {
			point[n][0] = pixel(&d->x, c->x[order[k]]);
			point[n][1] = pixel(&d->y, c->y[order[k]]);
		}
	}

	return n;
}

static void draw_steps(struct drawing *d, const struct plot_curve *c, unsigned colour)
{
	double last[2] = {pixel(&d->x, c->x[0]), d->y.log ? d->y.from : pixel(&d->y, 0.)};

	for (long i = 0; i + 1 < c->n; i++) {
		const double x0 = pixel(&d->x, c->x[i]), x1 = pixel(&d->x, c->x[i + 1]);
		double y = pixel(&d->y, c->y[i]);

		y = (isnan(y) && d->y.log) ? d->y.from + 1. : y; // none: below the axis
		draw_segment(d, last, (double[2]){x0, y}, colour);
		draw_segment(d, (double[2]){x0, y}, (double[2]){x1, y}, colour);
		last[0] = x1;
		last[1] = y;
	}

	draw_segment(d, last, (double[2]){last[0], d->y.log ? d->y.from : pixel(&d->y, 0.)}, colour);
}

static void draw_curve(struct drawing *d, const struct plot_curve *c, unsigned colour)
{
	if (c->steps) {
		draw_steps(d, c, colour);
		return;
	}

	double(*point)[2] = mem_alloc((size_t)(c->n + 2) * sizeof *point);
	const long n = thin(d, c, point);

	for (long i = 0; i + 1 < n; i++)
		draw_segment(d, point[i], point[i + 1], colour);

	for (long i = 0; (c->dots || 1 == n) && i < n; i++)
		if (point[i][0] >= d->x.from && point[i][0] <= d->x.to && point[i][1] <= d->y.from &&
		        point[i][1] >= d->y.to)
			canvas_disc(d->c, point[i], 3., colour);

	free(point);
}

static void draw_mark(struct drawing *d)
{
	const double x = pixel(&d->x, d->p->mark[0]), y = pixel(&d->y, d->p->mark[1]);

	if (isnan(x + y))
		return;

	canvas_disc(d->c, (double[2]){x, y}, 8., black);
	canvas_disc(d->c, (double[2]){x, y}, 6., 0xffffff);
	canvas_disc(d->c, (double[2]){x, y}, 3., colours[1]);
}

/* ---- legend -------------------------------------------------------------- */

static long points_inside(const struct drawing *d, const double at[2], double width, double height)
{
	long inside = 0;

	for (int k = 0; k < d->p->n; k++) {
		const struct plot_curve *c = &d->p->curve[k];

		for (long i = 0; i < c->n; i++) {
			const double x = pixel(&d->x, c->x[i]), y = pixel(&d->y, c->y[i]);

			inside += x > at[0] && x < at[0] + width && y > at[1] && y < at[1] + height;
		}
	}

	return inside;
}

static void draw_legend(struct drawing *d)
{
	enum { LINE = 20, DASH = 28, GAP = 8 };
	size_t longest = 0;
	int lines = 0;

	for (int k = 0; k < d->p->n; k++)
		if (d->p->curve[k].label) {
			longest = (strlen(d->p->curve[k].label) > longest) ? strlen(d->p->curve[k].label)
			                                                   : longest;
			lines++;
		}

	if (0 == lines)
		return;

	// letters of the widest kind, those of the PNG picture
	const double width = DASH + 3. * GAP + 0.715 * letters * (double)longest, height = LINE * lines + GAP;
	const double right = d->x.to - width - GAP, left = d->x.from + GAP, top = d->y.to + GAP,
	             bottom = d->y.from - height - GAP;
	const double places[][2] = {{right, top}, {left, bottom}, {right, bottom}, {left, top}};
	int best = 0;

	for (int k = 1; k < 4; k++)
		if (points_inside(d, places[k], width, height) <
		        points_inside(d, places[best], width, height))
			best = k;

	const double x = places[best][0], y = places[best][1];
	const double corner[][2] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};

	canvas_polygon(d->c, 4, corner, 0xffffff, 0.85);

	for (int k = 0, line = 0; k < d->p->n; k++) {
		const double middle = y + GAP / 2. + LINE * (line + 0.5);

		if (!d->p->curve[k].label)
			continue;

		canvas_line(d->c, (double[2]){x + GAP, middle}, (double[2]){x + GAP + DASH, middle},
		        line_width + 0.7, colours[k % COLOURS]);
		canvas_text(d->c, (double[2]){x + 2. * GAP + DASH, middle + 0.35 * letters}, letters, -1,
		        black, d->p->curve[k].label);
		line++;
	}
}

void plot_write(const struct plot *p, const char *path)
{
	if (!canvas_knows(path))
		usage_error("%s: expected a name that ends in .svg or .png", path);

	struct drawing d = {.p = p,
	        .x = {.log = p->xlog, .from = LEFT, .to = p->width - RIGHT},
	        .y = {.log = p->ylog, .from = p->height - BOTTOM, .to = TOP + (p->title ? TITLE : 0)}};

	find_ranges(&d);
	set_range(&d.x, p->xlim, 0.);
	set_range(&d.y, p->ylim, 0.04);
	d.c = canvas_create(p->width, p->height);
	draw_axes(&d);

	for (int k = 0; k < p->n; k++)
		if (0 < p->curve[k].n)
			draw_curve(&d, &p->curve[k], colours[k % COLOURS]);

	draw_mark(&d);
	draw_legend(&d);
	canvas_write(d.c, path);
	canvas_free(d.c);
}
