#include "num/stat/resolution.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/stat/region.h"

enum { BINS_PER_PIXEL = 8, ROUNDS = 8 };

/* ---- the plane ---- */

void plane_mean(struct plane *p, struct cfl *f, long first, long step, long n)
{
	const struct hdr *h = &f->hdr;
	const long count = h->dims[0] * h->dims[1];
	const char *data = cfl_map(f);
	double *slice = mem_alloc((size_t)count * sizeof *slice);

	*p = (struct plane){.name = f->name,
	        .nx = h->dims[0],
	        .ny = h->dims[1],
	        .dx = fabs(h->spacing[0]),
	        .dy = fabs(h->spacing[1]),
	        .x0 = region_position(h, 0, 0),
	        .y0 = region_position(h, 1, 0),
	        .v = mem_calloc((size_t)count, sizeof(double))};

	for (long z = 0; z < n; z++) {
		convert(DT_FLOAT64, slice, h->type,
		        data + (first + z * step) * count * (long)dtype_size(h->type), count,
		        NARROW_SATURATE);

		for (long i = 0; i < count; i++)
			p->v[i] += slice[i] / (double)n;
	}

	for (long i = 0; i < count; i++)
		if (!isfinite(p->v[i]))
			error("%s: the value at %ld, %ld is NaN or infinite, expected finite values", f->name,
			        i % p->nx, i / p->nx);

	free(slice);
}

void plane_free(struct plane *p)
{
	free(p->v);
}

static double pixel_of(const struct plane *p)
{
	return fmin(p->dx, p->dy);
}

/* Pixels whose centres lie in [x0, x1] x [y0, y1]. */
struct window {
	long i0, i1, j0, j1; // half open
};

static long clamp(double v, long n)
{
	return v < 0. ? 0 : (v > (double)n ? n : (long)v);
}

static struct window window_of(const struct plane *p, double x0, double x1, double y0, double y1)
{
	return (struct window){clamp(ceil((x0 - p->x0) / p->dx - 1e-9), p->nx),
	        clamp(floor((x1 - p->x0) / p->dx + 1e-9) + 1., p->nx),
	        clamp(ceil((y0 - p->y0) / p->dy - 1e-9), p->ny),
	        clamp(floor((y1 - p->y0) / p->dy + 1e-9) + 1., p->ny)};
}

static void expect_inside(const struct plane *p, double x0, double x1, double y0, double y1)
{
	double x_end = p->x0 + p->dx * (double)(p->nx - 1), y_end = p->y0 + p->dy * (double)(p->ny - 1);

	if (!(x0 >= p->x0 - p->dx && x1 <= x_end + p->dx && y0 >= p->y0 - p->dy && y1 <= y_end + p->dy))
		error("%s: the measured region, %g:%g to %g:%g mm, is not inside the slice, %g:%g to %g:%g",
		        p->name, x0, y0, x1, y1, p->x0, p->y0, x_end, y_end);
}

/* fn(ctx, x, y, value) for every pixel of the window. */
typedef void pixel_fn(void *ctx, double x, double y, double v);

static void each_pixel(const struct plane *p, struct window w, pixel_fn *fn, void *ctx)
{
	for (long j = w.j0; j < w.j1; j++)
		for (long i = w.i0; i < w.i1; i++)
			fn(ctx, p->x0 + p->dx * (double)i, p->y0 + p->dy * (double)j, p->v[j * p->nx + i]);
}

static struct window around(const struct plane *p, double x, double y, double reach)
{
	return window_of(p, x - reach, x + reach, y - reach, y + reach);
}

/* ---- from the edge spread function to the MTF ---- */

static void mtf_allocate(struct mtf *m, double width, double pixel)
{
	double step = 1. / (4. * width);

	m->n = (long)floor(1. / (pixel * step) + 1e-9) + 1;
	m->half_width = width;
	m->frequency = mem_alloc((size_t)m->n * sizeof(double));
	m->value = mem_alloc((size_t)m->n * sizeof(double));

	for (long k = 0; k < m->n; k++)
		m->frequency[k] = (double)k * step;
}

void mtf_free(struct mtf *m)
{
	free(m->frequency);
	free(m->value);
}

struct edge_spread {
	double bin, width;
	long n;
	double *sum, *weight; // [n]
};

static void edge_spread_create(struct edge_spread *e, double width, double pixel)
{
	e->bin = pixel / BINS_PER_PIXEL;
	e->width = width;
	e->n = 2 * (long)floor(width / e->bin) + 1;
	e->sum = mem_calloc((size_t)e->n, sizeof(double));
	e->weight = mem_calloc((size_t)e->n, sizeof(double));
}

static void edge_spread_add(struct edge_spread *e, double distance, double v)
{
	long k = (long)floor(distance / e->bin + 0.5) + e->n / 2;

	if (k < 0 || k >= e->n)
		return;

	e->sum[k] += v;
	e->weight[k] += 1.;
}

/* Means of the bins, in sum[]; empty ones are filled linearly from their neighbours. */
static void edge_spread_finish(struct edge_spread *e, const char *name)
{
	long last = -1, filled = 0;

	for (long k = 0; k < e->n; k++) {
		if (!(e->weight[k] > 0.))
			continue;

		e->sum[k] /= e->weight[k];
		filled++;

		for (long g = last + 1; g < k; g++)
			e->sum[g] = last < 0 ? e->sum[k]
			                     : e->sum[last] + (e->sum[k] - e->sum[last]) *
			                                              (double)(g - last) / (double)(k - last);

		last = k;
	}

	if (filled < e->n / 4)
		error("%s: the pixels cover only %ld of %ld distances from the edge, expected a curved edge, "
		      "or a straight edge slanted by 3 to 10 degrees",
		        name, filled, e->n);

	for (long g = last + 1; g < e->n; g++)
		e->sum[g] = e->sum[last];
}

static double sinc(double t)
{
	return fabs(t) < 1e-9 ? 1. : sin(M_PI * t) / (M_PI * t);
}

/* Tukey window: flat over the inner half. */
static double taper(double t)
{
	return fabs(t) <= 0.5 ? 1. : 0.5 + 0.5 * cos(2. * M_PI * (fabs(t) - 0.5));
}

static void edge_spread_transform(struct edge_spread *e, struct mtf *m, const char *name)
{
	double area = 0., total = 0.;
	double *line = mem_calloc((size_t)e->n, sizeof *line);

	edge_spread_finish(e, name);

	for (long k = 1; k < e->n - 1; k++) {
		line[k] = (e->sum[k + 1] - e->sum[k - 1]) * taper((double)(k - e->n / 2) * e->bin / e->width);
		area += line[k];
		total += fabs(line[k]);
	}

	if (!(fabs(area) > 0.05 * total))
		error("%s: no edge found: the values on both sides differ by only %g", name, fabs(area) / 2.);

	for (long f = 0; f < m->n; f++) {
		complex double sum = 0.;

		for (long k = 0; k < e->n; k++)
			sum += line[k] * cexp(-2i * M_PI * m->frequency[f] * e->bin * (double)(k - e->n / 2));

		double own = sinc(m->frequency[f] * e->bin) * sinc(2. * m->frequency[f] * e->bin);

		m->value[f] = cabs(sum / area) / own;
	}

	free(line);
	free(e->sum);
	free(e->weight);
}

static double checked_width(double width, double pixel)
{
	if (!(width >= 4. * pixel))
		error("the profile of the edge extends %g mm to both sides, expected at least 4 pixels of %g "
		      "mm",
		        width, pixel);

	return width;
}

/* ---- a disc ---- */

struct disc {
	double x, y, radius, width;
	double in, n_in, out, n_out; // sums of values on both sides
	double w, wx, wy;            // of the share of "inside"
	struct edge_spread e;
};

static double disc_distance(const struct disc *d, double x, double y)
{
	return hypot(x - d->x, y - d->y) - d->radius;
}

static void disc_levels(void *ctx, double x, double y, double v)
{
	struct disc *d = ctx;
	double r = disc_distance(d, x, y);

	if (r < -0.5 * d->width) {
		d->in += v;
		d->n_in++;
	} else if (r > 0.5 * d->width && r <= d->width) {
		d->out += v;
		d->n_out++;
	}
}

static void disc_centroid(void *ctx, double x, double y, double v)
{
	struct disc *d = ctx;
	double share = (v - d->out) / (d->in - d->out);

	if (disc_distance(d, x, y) > d->width)
		return;

	share = share < 0.25 ? 0. : (share > 0.75 ? 1. : 2. * share - 0.5);
	d->w += share;
	d->wx += share * x;
	d->wy += share * y;
}

static void disc_edge(void *ctx, double x, double y, double v)
{
	struct disc *d = ctx;

	edge_spread_add(&d->e, disc_distance(d, x, y), v);
}

void mtf_disc(struct mtf *m, const struct plane *p, double x, double y, double radius, double width)
{
	const double pixel = pixel_of(p);
	struct disc d = {.x = x, .y = y, .radius = radius, .width = checked_width(width, pixel)};

	if (!(radius > width))
		error("the disc has a radius of %g mm, expected more than the %g mm measured on both sides "
		      "of its edge",
		        radius, width);

	for (int round = 0; round < ROUNDS; round++) {
		double reach = radius + width;
		struct window w = around(p, d.x, d.y, reach);

		expect_inside(p, d.x - reach, d.x + reach, d.y - reach, d.y + reach);
		d.in = d.n_in = d.out = d.n_out = d.w = d.wx = d.wy = 0.;
		each_pixel(p, w, disc_levels, &d);
		d.in /= d.n_in;
		d.out /= d.n_out;

		if (!(d.in != d.out))
			error("%s: inside and outside of the disc are both %g, expected an edge", p->name,
			        d.in);

		each_pixel(p, w, disc_centroid, &d);

		if (!(d.w > 0.))
			error("%s: no disc is found around %g:%g mm", p->name, x, y);

		d.x = d.wx / d.w;
		d.y = d.wy / d.w;
	}

	edge_spread_create(&d.e, width, pixel);
	each_pixel(p, around(p, d.x, d.y, radius + width), disc_edge, &d);
	mtf_allocate(m, width, pixel);
	m->found[0] = d.x;
	m->found[1] = d.y;
	m->found[2] = 0.;
	edge_spread_transform(&d.e, m, p->name);
}

/* ---- a straight edge ---- */

struct edge {
	double x, y;   // a point on it
	double nx, ny; // normal
	struct edge_spread e;
};

static void edge_add(void *ctx, double x, double y, double v)
{
	struct edge *e = ctx;

	edge_spread_add(&e->e, (x - e->x) * e->nx + (y - e->y) * e->ny, v);
}

/* Along one line of n pixels (step apart in v): the centroid of the differences, tapered about `guess` within
 * `reach` pixels. Returns whether there is one. */
static bool crossing(const double *v, long n, long step, double guess, double reach, double *at)
{
	double w = 0., wk = 0.;

	for (long k = 0; k + 1 < n; k++) {
		double t = ((double)k + 0.5 - guess) / reach;
		double d =
		        fabs(t) < 1. ? (v[(k + 1) * step] - v[k * step]) * (0.5 + 0.5 * cos(M_PI * t)) : 0.;

		w += d;
		wk += d * ((double)k + 0.5);
	}

	*at = wk / w;

	return w != 0. && *at >= 0. && *at <= (double)(n - 1) && fabs(*at - guess) <= reach;
}

/* The line along + slope across through the crossings; several rounds, the taper narrowed. In pixels of the
 * window; `along` is the direction that crosses the edge. */
static void fit_line(const struct plane *p, const double *v, long along, long astep, long across, long cstep,
        double *offset, double *slope)
{
	double reach = (double)along;

	*offset = 0.5 * (double)(along - 1);
	*slope = 0.;

	for (int round = 0; round < ROUNDS; round++) {
		double s = 0., sc = 0., scc = 0., sa = 0., sca = 0., at;

		for (long c = 0; c < across; c++) {
			double place = (double)c - 0.5 * (double)(across - 1);

			if (!crossing(v + c * cstep, along, astep, *offset + *slope * place, reach, &at))
				continue;

			s += 1.;
			sc += place;
			scc += place * place;
			sa += at;
			sca += place * at;
		}

		if (s < 3.)
			error("%s: no straight edge is found in the box", p->name);

		*slope = (s * sca - sc * sa) / (s * scc - sc * sc);
		*offset = (sa - *slope * sc) / s;
		reach = fmax(0.5 * reach, 0.125 * (double)along);
	}
}

void mtf_edge(struct mtf *m, const struct plane *p, const double box[4], double width)
{
	const double pixel = pixel_of(p);
	struct window w = window_of(p, box[0], box[1], box[2], box[3]);
	const long nx = w.i1 - w.i0, ny = w.j1 - w.j0;
	double gx = 0., gy = 0., offset, slope;
	struct edge e;

	checked_width(width, pixel);
	expect_inside(p, box[0], box[1], box[2], box[3]);

	if (nx < 8 || ny < 8)
		error("%s: the box contains %ld x %ld pixels, expected at least 8 x 8", p->name, nx, ny);

	const double *v = p->v + w.j0 * p->nx + w.i0;

	for (long j = 0; j < ny; j++) // the direction of the mean gradient
		for (long i = 0; i < nx; i++) {
			gx += v[j * p->nx + i] * ((double)i - 0.5 * (double)(nx - 1)) / (double)(nx * nx);
			gy += v[j * p->nx + i] * ((double)j - 0.5 * (double)(ny - 1)) / (double)(ny * ny);
		}

	double middle_x = p->x0 + p->dx * ((double)w.i0 + 0.5 * (double)(nx - 1));
	double middle_y = p->y0 + p->dy * ((double)w.j0 + 0.5 * (double)(ny - 1));

	if (fabs(gx) >= fabs(gy)) {
		fit_line(p, v, nx, 1, ny, p->nx, &offset, &slope);
		e.x = p->x0 + p->dx * ((double)w.i0 + offset);
		e.y = middle_y;
		e.nx = 1.;
		e.ny = -slope * p->dx / p->dy;
	} else {
		fit_line(p, v, ny, p->nx, nx, 1, &offset, &slope);
		e.x = middle_x;
		e.y = p->y0 + p->dy * ((double)w.j0 + offset);
		e.nx = -slope * p->dy / p->dx;
		e.ny = 1.;
	}

	double norm = hypot(e.nx, e.ny);

	e.nx /= norm;
	e.ny /= norm;
	edge_spread_create(&e.e, width, pixel);
	each_pixel(p, w, edge_add, &e);
	mtf_allocate(m, width, pixel);
	m->found[0] = e.x;
	m->found[1] = e.y;
	m->found[2] = atan2(e.nx, -e.ny) * 180. / M_PI;
	edge_spread_transform(&e.e, m, p->name);
}

/* ---- a wire ---- */

struct wire {
	double x, y, radius;
	double background, n;
	double sum, wx, wy;
	struct mtf *m;
};

static void wire_background(void *ctx, double x, double y, double v)
{
	struct wire *w = ctx;
	double r = hypot(x - w->x, y - w->y);

	if (r > 0.8 * w->radius && r <= w->radius) {
		w->background += v;
		w->n++;
	}
}

static void wire_centroid(void *ctx, double x, double y, double v)
{
	struct wire *w = ctx;

	if (hypot(x - w->x, y - w->y) > 0.8 * w->radius)
		return;

	w->sum += v - w->background;
	w->wx += (v - w->background) * x;
	w->wy += (v - w->background) * y;
}

static void wire_transform(void *ctx, double x, double y, double v)
{
	struct wire *w = ctx;
	double r = hypot(x - w->x, y - w->y);

	for (long k = 0; k < w->m->n && r <= 0.8 * w->radius; k++)
		w->m->value[k] += (v - w->background) * j0(2. * M_PI * w->m->frequency[k] * r);
}

void mtf_wire(struct mtf *m, const struct plane *p, double x, double y, double radius, double diameter)
{
	const double pixel = pixel_of(p);
	struct wire w = {.x = x, .y = y, .radius = radius, .m = m};

	if (!(radius >= 5. * pixel))
		error("the circle about the wire has a radius of %g mm, expected at least 5 pixels of %g mm",
		        radius, pixel);

	for (int round = 0; round < ROUNDS; round++) {
		struct window at = around(p, w.x, w.y, radius);

		expect_inside(p, w.x - radius, w.x + radius, w.y - radius, w.y + radius);
		w.background = w.n = w.sum = w.wx = w.wy = 0.;
		each_pixel(p, at, wire_background, &w);
		w.background /= w.n;
		each_pixel(p, at, wire_centroid, &w);

		if (w.sum == 0. || hypot(w.wx / w.sum - x, w.wy / w.sum - y) > radius)
			error("%s: no wire is found within %g mm of %g:%g", p->name, radius, x, y);

		w.x = w.wx / w.sum;
		w.y = w.wy / w.sum;
	}

	mtf_allocate(m, radius, pixel);

	for (long k = 0; k < m->n; k++)
		m->value[k] = 0.;

	each_pixel(p, around(p, w.x, w.y, radius), wire_transform, &w);

	double whole = m->value[0];

	for (long k = 0; k < m->n; k++) {
		double t = M_PI * m->frequency[k] * diameter, own = t > 0. ? 2. * j1(t) / t : 1.;

		m->value[k] = fabs(m->value[k] / whole / own);
	}

	m->found[0] = w.x;
	m->found[1] = w.y;
	m->found[2] = 0.;
}

double mtf_frequency(const struct mtf *m, double level)
{
	for (long k = 1; k < m->n; k++)
		if (m->value[k] < level) {
			double t = (m->value[k - 1] - level) / (m->value[k - 1] - m->value[k]);

			return m->frequency[k - 1] + t * (m->frequency[k] - m->frequency[k - 1]);
		}

	return NAN;
}
