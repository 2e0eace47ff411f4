/* [1] F. Noo, J. Pack, D. Heuscher, Exact helical reconstruction using native cone-beam geometries, Phys.
 * Med. Biol. 48(23), 2003. Window: P.-E. Danielsson et al., 3D reconstruction by the PI-method, 1997; K. C.
 * Tam, S. Samarasekera, F. Sauer, Phys. Med. Biol. 43(4), 1998.
 *
 * A helix that climbs in the other direction is the mirror image along z of this one: s = -1 reverses z, w
 * and rows. Views are evenly spaced, and a derivative between two of them is half-way; so are its columns and
 * rows, and the Hilbert kernel 1 / (pi (n + 1/2)) shifts the columns back. */

#include "ct/fbp/helical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

enum { MOST = 32 }; // views at a time

struct helical {
	const struct geom *g;
	enum helical_method method;
	double R, D, h, dl; // h [mm/rad], dl > 0: angle between views [rad]
	double first, z0;   // angle and height of view 0 in the order of use
	double s;           // +1, -1: mirrored along z
	bool reversed;      // views come with falling angles: l = first - k dl
	double pu, pw;      // pitch [mm]
	double cu, cw;      // column and row of u = w = 0
	long cols, rows, lines;
	long seen;        // views
	double *psi;      // lines
	double *spectrum; // of Hilbert's kernel, padded / 2 + 1 complex
	long padded;
	struct ramp *ramp;
	long batch, waiting; // views in `in` behind its first, which is the last of the batch before
	double *in;          // flat: (cols, rows, batch + 1)
	double at[MOST]; // angles of filtered views, counted from the first in the direction of travel [rad]
	double *q;       // (cols, rows, batch)
	char text[128];
};

/** Angle of the source in the frame of [1]. */
static double source_angle(const struct geom *g, long k)
{
	return atan2(g->view[k].s[1], g->view[k].s[0]);
}

static void check_helix(struct helical *h, const char *name)
{
	const struct geom *g = h->g;
	const struct geom_view *a = g->view, *b = g->view + (g->views > 1 ? 1 : 0);
	const double tolerance = 1e-5;

	if (g->parallel || g->views < 3)
		error("%s: not a helical cone-beam scan", name);

	h->R = hypot(a->s[0], a->s[1]);

	const double turn = remainder(source_angle(g, 1) - source_angle(g, 0), 2. * M_PI),
	             climb = b->s[2] - a->s[2];

	h->reversed = turn < 0.;
	h->dl = fabs(turn);
	h->first = source_angle(g, 0);
	h->z0 = a->s[2];

	if (!(h->dl > 1e-6) || !(fabs(climb) > 1e-9 * h->R))
		error("%s: the source does not move along a helix from view 0 to view 1", name);

	h->s = (climb * turn > 0.) ? 1. : -1.;
	h->h = fabs(climb / turn);

	for (long k = 0; k < g->views; k++) {
		const struct geom_view *w = g->view + k;
		const double l = h->first + turn * (double)k, c = cos(l), s = sin(l), to = dot3(w->u, w->u);
		const double want[3] = {h->R * c, h->R * s, h->z0 + climb * (double)k};
		double off[3], ray[3];

		sub3(off, w->s, want);
		sub3(ray, w->d, w->s);

		const double depth = -(ray[0] * c + ray[1] * s), along = -w->u[0] * s + w->u[1] * c;

		if (0 == k) {
			h->D = depth;
			h->pu = along;
			h->pw = w->v[2];
			h->cu = 0.5 * (double)(g->cols - 1) - (-ray[0] * s + ray[1] * c) / along;
			h->cw = 0.5 * (double)(g->rows - 1) - ray[2] / w->v[2];
		}

		const bool untilted = hypot(w->v[0], w->v[1]) <= tolerance * fabs(w->v[2]) &&
		                      fabs(along * along - to) <= tolerance * to;

		if (norm3(off) > tolerance * h->R || !untilted || fabs(depth - h->D) > tolerance * h->D ||
		        fabs(along - h->pu) > tolerance * fabs(h->pu))
			error("%s: view %ld does not continue the helix of views 0 and 1, or the detector is "
			      "tilted (expected an untilted detector)",
			        name, k);
	}

	if (g->radius > 0. && fabs(g->radius - h->D) > 1e-3 * h->D)
		error("%s: the detector radius is %g mm, expected %g mm (the source-detector distance) or "
		      "a flat detector",
		        name, g->radius, h->D);
}

/** Upper edge of the window at u; the lower one is -top(-u). */
static double window_top(const struct helical *h, double u)
{
	return (u * u + h->D * h->D) / (h->R * h->D) * h->h * (0.5 * M_PI - atan(u / h->D));
}

/** u of a column and w of a row; curved: of the flat one that takes its place. */
static double u_of(const struct helical *h, double a)
{
	return (a - h->cu) * h->pu;
}

static double w_of(const struct helical *h, double b)
{
	return h->s * (b - h->cw) * h->pw;
}

static void check_window(const struct helical *h, const char *name)
{
	const double ends[2] = {u_of(h, 0.), u_of(h, (double)(h->cols - 1))},
	             rows[2] = {w_of(h, 0.), w_of(h, (double)(h->rows - 1))};
	const double lo = fmin(ends[0], ends[1]), low = fmin(rows[0], rows[1]), high = fmax(rows[0], rows[1]);
	double top = 0., bottom = 0.;

	for (int i = 0; i <= 64; i++) {
		const double u = lo + fabs(ends[1] - ends[0]) * i / 64.;

		top = fmax(top, window_top(h, u));
		bottom = fmax(bottom, window_top(h, -u));
	}

	if (!(high >= top && -low >= bottom))
		error("%s: the detector rows cover %.4g to %.4g mm, but a helix with %.4g mm per rotation "
		      "needs rows from -%.4g to %.4g mm",
		        name, low, high, 2. * M_PI * h->h, bottom, top);
}

static double line_height(const struct helical *h, double u, double psi)
{
	const double ratio = (fabs(psi) < 1e-8) ? 1. : psi / tan(psi);

	return h->D * h->h / h->R * (psi + ratio * u / h->D);
}

static void set_hilbert(struct helical *h)
{
	h->padded = fft_good_size(2 * h->cols);
	h->spectrum = mem_alloc((size_t)(h->padded / 2 + 1) * 2 * sizeof *h->spectrum);

	double *x = mem_calloc((size_t)h->padded, sizeof *x);

	/* out[i] = sum over j of in[j] / (pi (i - j - 1/2)), in[j] standing at j + 1/2 */
	for (long n = -(h->cols - 1); n < h->cols; n++)
		x[(n + h->padded) % h->padded] = 1. / (M_PI * ((double)n - 0.5)) / (double)h->padded;

	fft_r2c(h->padded, 1, DT_FLOAT64, h->spectrum, x);
	free(x);
}

static long helical_batch(const struct geom *g)
{
	const long n = (64L << 20) / (g->cols * g->rows * (long)sizeof(double));

	return (n < 1) ? 1 : (n > MOST) ? MOST : n;
}

long helical_memory(const struct geom *g)
{
	return (2 * helical_batch(g) + 1) * g->cols * g->rows * (long)sizeof(double);
}

struct helical *helical_create(
        const struct geom *g, enum helical_method method, const struct ramp_filter *filter, const char *name)
{
	struct helical *h = NEW(struct helical);

	h->g = g;
	h->method = method;
	h->cols = g->cols;
	h->rows = g->rows;
	check_helix(h, name);
	check_window(h, name);

	const double far = fmax(fabs(u_of(h, 0.)), fabs(u_of(h, (double)(h->cols - 1))));
	const double most = 0.5 * M_PI + atan(far / h->D);

	h->lines = 2 * h->rows + 1;
	h->psi = mem_alloc((size_t)h->lines * sizeof *h->psi);

	for (long l = 0; l < h->lines; l++)
		h->psi[l] = most * (2. * (double)l / (double)(h->lines - 1) - 1.);

	set_hilbert(h);

	if (HELICAL_FDK == method)
		h->ramp = ramp_create(filter, h->cols, 0.);

	h->batch = helical_batch(g);
	h->in = mem_alloc((size_t)((h->batch + 1) * h->cols * h->rows) * sizeof *h->in);
	h->q = mem_alloc((size_t)(h->batch * h->cols * h->rows) * sizeof *h->q);
	snprintf(h->text, sizeof h->text, "helix of %.4g mm per turn, %s", 2. * M_PI * h->h,
	        (HELICAL_FDK == method) ? "Feldkamp's method within the Tam-Danielsson window"
	                                : "Katsevich's method");

	return h;
}

void helical_free(struct helical *h)
{
	if (!h)
		return;

	ramp_free(h->ramp);
	free(h->in);
	free(h->psi);
	free(h->spectrum);
	free(h->q);
	free(h);
}

const char *helical_describe(const struct helical *h)
{
	return h->text;
}

void helical_range(const struct helical *h, double z[2])
{
	const double last = h->g->view[h->g->views - 1].s[2], lo = fmin(h->z0, last), hi = fmax(h->z0, last);

	z[0] = lo + M_PI * h->h;
	z[1] = hi - M_PI * h->h;
}

/** Linear between elements of a line, `step` apart; beyond its ends those. */
static double between(const double *x, long n, long step, double at)
{
	at = (at > 0.) ? (at < (double)(n - 1)) ? at : (double)(n - 1) : 0.;

	long i = (long)at;

	i = (i > n - 2) ? ((n > 1) ? n - 2 : 0) : i;

	const double f = at - (double)i;

	return (n > 1) ? x[i * step] + f * (x[(i + 1) * step] - x[i * step]) : x[0];
}

/** The view on a flat detector with the same pitch in its middle. */
static void flatten(const struct helical *h, const double *p, double *out)
{
	if (!(h->g->radius > 0.)) {
		memcpy(out, p, (size_t)(h->cols * h->rows) * sizeof *out);
		return;
	}

	for (long a = 0; a < h->cols; a++) {
		const double u = u_of(h, (double)a), at = h->D * atan(u / h->D) / h->pu + h->cu,
		             shrink = h->D / sqrt(h->D * h->D + u * u);
		long i = (at > 0.) ? (long)at : 0;

		i = (i > h->cols - 2) ? h->cols - 2 : i;

		const double f = fmin(1., fmax(0., at - (double)i));

		for (long b = 0; b < h->rows; b++) {
			const double row = ((double)b - h->cw) * shrink + h->cw;

			out[b * h->cols + a] = (1. - f) * between(p + i, h->rows, h->cols, row) +
			                       f * between(p + i + 1, h->rows, h->cols, row);
		}
	}
}

/** g2 of [1] half-way between two views, columns and rows: (cols - 1, rows - 1) of pitch cols. */
static void derive(const struct helical *h, const double *p, const double *next, double *out)
{
	const long n = h->cols;
	const double D = h->D, sense = h->reversed ? -1. : 1.;

	for (long b = 0; b < h->rows - 1; b++)
		for (long a = 0; a < n - 1; a++) {
			const double *x = p + b * n + a, *y = next + b * n + a;
			const double sum0 = x[0] + y[0], sum1 = x[1] + y[1], sum2 = x[n] + y[n],
			             sum3 = x[n + 1] + y[n + 1];
			const double l = (y[0] + y[1] + y[n] + y[n + 1] - x[0] - x[1] - x[n] - x[n + 1]) /
			                 (4. * h->dl) * sense;
			const double du = (sum1 + sum3 - sum0 - sum2) / (4. * h->pu),
			             dw = (sum2 + sum3 - sum0 - sum1) / (4. * h->pw * h->s);
			const double u = u_of(h, (double)a + 0.5), w = w_of(h, (double)b + 0.5);

			out[b * n + a] = D / sqrt(u * u + w * w + D * D) *
			                 (l + (u * u + D * D) / D * du + u * w / D * dw);
		}
}

/** Hilbert transform of a line of columns at half places. */
static void hilbert(const struct helical *h, double *line, double *freq)
{
	fft_r2c(h->padded, 1, DT_FLOAT64, freq, line);

	for (long k = 0; k <= h->padded / 2; k++) {
		const double re = freq[2 * k], im = freq[2 * k + 1], *s = h->spectrum + 2 * k;

		freq[2 * k] = re * s[0] - im * s[1];
		freq[2 * k + 1] = re * s[1] + im * s[0];
	}

	fft_c2r(h->padded, 1, DT_FLOAT64, line, freq);
}

/** g3 and g4 of [1]: out (cols, lines). */
static void filter_lines(const struct helical *h, const double *g2, double *out)
{
	const double sense = (h->pu < 0.) ? -1. : 1.;
	double *line = mem_alloc((size_t)h->padded * sizeof *line),
	       *freq = mem_alloc((size_t)(h->padded / 2 + 1) * 2 * sizeof *freq);

	for (long l = 0; l < h->lines; l++) {
		memset(line, 0, (size_t)h->padded * sizeof *line);

		for (long a = 0; a < h->cols - 1; a++) {
			const double w = line_height(h, u_of(h, (double)a + 0.5), h->psi[l]),
			             row = h->s * w / h->pw + h->cw - 0.5;

			line[a] = between(g2 + a, h->rows - 1, h->cols, row);
		}

		hilbert(h, line, freq);

		for (long a = 0; a < h->cols; a++)
			out[l * h->cols + a] = sense * line[a];
	}

	free(freq);
	free(line);
}

/** g5 of [1]: from lines back to rows, each from the line of the smallest |psi| through it. */
static void back_to_rows(const struct helical *h, const double *g4, double *out)
{
	for (long a = 0; a < h->cols; a++) {
		const double u = u_of(h, (double)a);
		const long middle = h->lines / 2;

		for (long b = 0; b < h->rows; b++) {
			const double w = w_of(h, (double)b);
			const long way = (w >= line_height(h, u, 0.)) ? 1 : -1;
			double here = line_height(h, u, h->psi[middle]), value = 0.;

			for (long l = middle; l + way >= 0 && l + way < h->lines; l += way) {
				const double next = line_height(h, u, h->psi[l + way]);

				if ((way > 0) ? (w >= here && w <= next) : (w <= here && w >= next)) {
					const double f = (next != here) ? (w - here) / (next - here) : 0.;

					value = g4[l * h->cols + a] +
					        f * (g4[(l + way) * h->cols + a] - g4[l * h->cols + a]);
					break;
				}

				here = next;
			}

			out[b * h->cols + a] = value;
		}
	}
}

/** Feldkamp's filter on a flat view. */
static void filter_fdk(const struct helical *h, const double *p, double *out)
{
	const double scale = h->D / (h->R * fabs(h->pu));

	for (long b = 0; b < h->rows; b++)
		for (long a = 0; a < h->cols; a++) {
			const double u = u_of(h, (double)a), w = w_of(h, (double)b);

			out[b * h->cols + a] =
			        p[b * h->cols + a] * scale * h->D / sqrt(u * u + w * w + h->D * h->D);
		}

	ramp_lines(h->ramp, DT_FLOAT64, h->rows, out);
}

/** Where the window of a source at angle l (along the travel) ends on a line x, y: heights in the mirrored
 * frame. */
static void window_ends(const struct helical *h, double l, double x, double y, double z[2])
{
	const double t = h->first + (h->reversed ? -l : l), c = cos(t), s = sin(t);
	const double v = h->R - x * c - y * s, u = h->D * (-x * s + y * c) / v;
	const double zs = h->s * h->z0 + h->h * (h->reversed ? -l : l);

	z[0] = zs - window_top(h, -u) * v / h->D;
	z[1] = zs + window_top(h, u) * v / h->D;
}

/** The part of a view's step that a height is within the window, its ends moving from `from` to `to`. */
static double part_inside(double z, const double from[2], const double to[2])
{
	double part = 1.;

	for (int e = 0; e < 2; e++) {
		const double a = e ? from[1] - z : z - from[0], b = e ? to[1] - z : z - to[0];

		if (a <= 0. && b <= 0.)
			return 0.;

		if (a < 0. || b < 0.)
			part -= (a < 0. ? -a : -b) / fabs(b - a);
	}

	return fmax(0., part);
}

/** One filtered view to a line of voxels. */
static void add_line(
        const struct helical *h, const struct grid *grid, long i, double x, double y, double *sum)
{
	const double l = h->at[i], half = 0.5 * h->dl;
	const double t = h->first + (h->reversed ? -l : l), c = cos(t), s = sin(t), v = h->R - x * c - y * s,
	             u = h->D * (-x * s + y * c) / v, zs = h->s * h->z0 + h->h * (h->reversed ? -l : l);
	const double *q = h->q + i * h->cols * h->rows;
	const double a = u / h->pu + h->cu;
	double from[2], to[2];

	if (!(v > 0.) || !(a >= 0. && a <= (double)(h->cols - 1)))
		return;

	window_ends(h, l - half, x, y, from);
	window_ends(h, l + half, x, y, to);

	const double lo = fmin(from[0], to[0]), hi = fmax(from[1], to[1]);
	const double weight = h->dl * ((HELICAL_FDK == h->method) ? h->R * h->R / (v * v) : 0.5 / (M_PI * v));
	const long column = (a < (double)(h->cols - 1)) ? (long)a : h->cols - 2;
	const double f = a - (double)column, step = h->s * grid->spacing[2],
	             z0 = h->s * grid->origin[2]; // in the mirrored frame

	long k0 = (long)ceil(fmin((lo - z0) / step, (hi - z0) / step)),
	     k1 = (long)floor(fmax((lo - z0) / step, (hi - z0) / step));

	k0 = (k0 < 0) ? 0 : k0;
	k1 = (k1 >= grid->size[2]) ? grid->size[2] - 1 : k1;

	for (long k = k0; k <= k1; k++) {
		const double z = z0 + step * (double)k, row = h->s * h->D * (z - zs) / (v * h->pw) + h->cw;
		const double left = between(q + column, h->rows, h->cols, row),
		             right = between(q + column + 1, h->rows, h->cols, row);

		sum[k] += weight * part_inside(z, from, to) * (left + f * (right - left));
	}
}

/** View i of a batch, the one before it being in slot i. */
static void filter_view(struct helical *h, long i)
{
	const long size = h->cols * h->rows;
	double *q = h->q + i * size;
	const double *before = h->in + i * size;

	if (HELICAL_FDK == h->method) {
		filter_fdk(h, before + size, q);
		return;
	}

	double *g2 = mem_alloc((size_t)size * sizeof *g2),
	       *lines = mem_alloc((size_t)(h->cols * h->lines) * sizeof *lines);

	derive(h, before, before + size, g2);
	filter_lines(h, g2, lines);
	back_to_rows(h, lines, q);
	free(lines);
	free(g2);
}

static void flush(struct helical *h, const struct grid *grid, enum dtype type, void *vol)
{
	const long nx = grid->size[0], ny = grid->size[1], nz = grid->size[2], size = h->cols * h->rows;
	const long begin =
	        (HELICAL_KATSEVICH == h->method && h->seen == h->waiting) ? 1 : 0; // no view before

	for (long i = 0; i < h->waiting; i++)
		h->at[i] = h->dl * ((double)(h->seen - h->waiting + i) -
		                           ((HELICAL_KATSEVICH == h->method) ? 0.5 : 0.));

#pragma omp parallel for schedule(dynamic)
	for (long i = begin; i < h->waiting; i++)
		filter_view(h, i);

#pragma omp parallel
	{
		double *sum = mem_alloc((size_t)nz * sizeof *sum);

#pragma omp for schedule(dynamic, 16)
		for (long c = 0; c < nx * ny; c++) {
			const double x = grid->origin[0] + grid->spacing[0] * (double)(c % nx),
			             y = grid->origin[1] + grid->spacing[1] * (double)(c / nx);

			memset(sum, 0, (size_t)nz * sizeof *sum);

			for (long i = begin; i < h->waiting; i++)
				add_line(h, grid, i, x, y, sum);

			for (long k = 0; k < nz; k++)
				if (DT_FLOAT32 == type)
					((float *)vol)[k * nx * ny + c] += (float)sum[k];
				else
					((double *)vol)[k * nx * ny + c] += sum[k];
		}

		free(sum);
	}

	memcpy(h->in, h->in + h->waiting * size, (size_t)size * sizeof *h->in);
	h->waiting = 0;
}

void helical_view(struct helical *h, const double *p, const struct grid *grid, enum dtype type, void *vol)
{
	flatten(h, p, h->in + ++h->waiting * h->cols * h->rows);
	h->seen++;

	if (h->batch == h->waiting)
		flush(h, grid, type, vol);
}

void helical_end(struct helical *h, const struct grid *grid, enum dtype type, void *vol)
{
	if (h->waiting)
		flush(h, grid, type, vol);

	h->seen = 0;
}
