/* [1] F. Noo, R. Clackdoyle, J. D. Pack, A two-step Hilbert transform method for 2D image reconstruction,
 * Phys. Med. Biol. 49(17), 2004. [2] G. Wang, X-ray micro-CT with a displaced detector array, Med. Phys.
 * 29(7), 2002.
 *
 * A ray is (n, s): the points x with x.n = s, n at angle phi, its direction 90 degrees on. Fans are
 * interpolated to parallel rays, which needs no derivative along the source's path and takes any detector.
 * Derivatives are half-way between samples of s; h is half-way between samples of f, and the kernel 1 / (pi
 * (i - 1/2)) is exact up to Nyquist's frequency. */

#include "ct/fbp/hilbert_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/scan.h"
#include "ct/geometry/orbit.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

/** phi and s of a column. */
static void ray_of(const struct geom *g, long k, double a, double *phi, double *s)
{
	double p[3], d[3];

	geom_ray(g, k, a, 0.5 * (double)(g->rows - 1), p, d);

	const double r = hypot(d[0], d[1]);

	*phi = atan2(-d[0], d[1]);
	*s = (p[0] * d[1] - p[1] * d[0]) / r;
}

static void check_untilted(const struct geom *g, const char *name)
{
	const struct geom_view *a = g->view;

	if (!g->parallel && g->rows > 1)
		error("%s is a cone beam with %ld detector rows, but --method hilbert is for parallel and "
		      "fan beams",
		        name, g->rows);

	for (long k = 0; k < g->views; k++) {
		const struct geom_view *w = g->view + k;
		const double size = norm3(w->v), far = norm3(w->d) + norm3(w->s);
		const bool fits = fabs(w->u[2]) <= 1e-6 * norm3(w->u) &&
		                  hypot(w->v[0], w->v[1]) <= 1e-6 * size &&
		                  fabs(w->v[2] - a->v[2]) <= 1e-6 * size &&
		                  fabs(w->s[2]) <= 1e-6 * (g->parallel ? norm3(w->s) : far) &&
		                  fabs(w->d[2] - (g->parallel ? a->d[2] : 0.)) <= 1e-6 * far + 1e-3 * size;

		if (!fits)
			error("%s: view %ld is tilted or shifted along z, which --method hilbert does not "
			      "support",
			        name, k);
	}
}

/** The columns of view 0, and that all others are the same turned about z: by turn[views] [rad]. */
static void measure(struct hilbert *h, double *turn, const char *name)
{
	const struct geom *g = h->g;
	const long n = g->cols;
	double middle, s;

	if (n < 3)
		error("%s has %ld columns, expected at least 3", name, n);

	h->place = mem_alloc((size_t)n * sizeof *h->place);
	h->fan = mem_alloc((size_t)n * sizeof *h->fan);
	ray_of(g, 0, (double)(n / 2), &middle, &s);

	for (long a = 0; a < n; a++) {
		double phi;

		ray_of(g, 0, (double)a, &phi, h->place + a);
		h->fan[a] = remainder(phi - middle, 2. * M_PI);
	}

	const double width = h->place[n - 1] - h->place[0], pitch = width / (double)(n - 1);

	h->flip = width < 0.;
	h->even = g->parallel;

	for (long a = 1; a < n; a++) {
		const double step = h->place[a] - h->place[a - 1];

		if (!(step * width > 0.))
			error("%s: the rays of view 0 are out of order between columns %ld and %ld", name,
			        a - 1, a);

		h->even = h->even && fabs(step - pitch) < 1e-9 * fabs(pitch);
	}

	for (long k = 0; k < g->views; k++) {
		const long probe[3] = {n / 2, 0, n - 1};

		for (int i = 0; i < 3; i++) {
			double phi, at;

			ray_of(g, k, (double)probe[i], &phi, &at);

			if (0 == i)
				turn[k] = wrap(phi, 2. * M_PI);

			const double off = remainder(phi - turn[k] - h->fan[probe[i]], 2. * M_PI);

			if (!(fabs(at - h->place[probe[i]]) <= 1e-3 * fabs(pitch) &&
			            fabs(off * width) <= 1e-2 * fabs(pitch)))
				error("%s: view %ld differs from view 0 by more than a rotation about z, "
				      "which --method hilbert does not support",
				        name, k);
		}
	}

	if (!h->flip)
		return;

	for (long a = 0; a < n / 2; a++) {
		const double x = h->place[a], y = h->fan[a];

		h->place[a] = h->place[n - 1 - a];
		h->place[n - 1 - a] = x;
		h->fan[a] = h->fan[n - 1 - a];
		h->fan[n - 1 - a] = y;
	}
}

/** Views by their angles, from behind the largest gap on. Views at the same angle become one. */
static void order_views(struct hilbert *h, const double *turn, const char *name)
{
	const long n = h->g->views;
	const size_t bytes = (size_t)n * sizeof *turn;
	double *weight = mem_alloc(bytes), *gap = mem_alloc(bytes);
	long *order = mem_alloc((size_t)n * sizeof *order), wide = 0;

	scan_half_gaps(n, turn, 2. * M_PI, weight, gap, order);

	for (long i = 1; i < n; i++)
		wide = (gap[i] > gap[wide]) ? i : wide;

	double second = 0.;

	for (long i = 0; i < n; i++)
		second = (i != wide && gap[i] > second) ? gap[i] : second;

	h->whole = gap[wide] <= 3. * second;
	h->turn = mem_calloc(n, sizeof *h->turn);
	h->order = mem_alloc((size_t)n * sizeof *h->order);
	h->start = mem_calloc(n + 1, sizeof *h->start);

	for (long i = 0, end; i < n; i = end) {
		end = scan_same_angle(n, 2. * M_PI, gap, (wide + 1) % n, i);

		for (long k = i; k < end; k++) {
			const long at = wide + 1 + k;

			h->order[k] = order[at % n];
			h->turn[h->angles] +=
			        (turn[h->order[k]] + (wide + 1 < n && at >= n ? 2. * M_PI : 0.)) /
			        (double)(end - i);
		}

		h->start[++h->angles] = end;
	}

	if (h->angles < 3)
		error("%s has views at %ld angles, expected at least 3", name, h->angles);

	free(weight);
	free(gap);
	free(order);
}

/** Directions of the parallel rays: those of the views, or evenly spaced where all columns have them. */
static void choose_directions(struct hilbert *h, const char *name)
{
	const struct geom *g = h->g;
	const long n = h->angles;
	double first = h->turn[0], arc = h->turn[n - 1] - first;

	h->dirs = n;

	if (h->even) {
		h->phi = mem_alloc((size_t)n * sizeof *h->phi);
		memcpy(h->phi, h->turn, (size_t)n * sizeof *h->phi);
		return;
	}

	double low = 0., high = 0., step = 2. * M_PI / (double)n;

	for (long a = 0; a < g->cols; a++) {
		low = fmin(low, h->fan[a]);
		high = fmax(high, h->fan[a]);
	}

	if (!h->whole) {
		const double left = arc - (high - low);

		step = arc / (double)(n - 1);

		if (!(left >= M_PI - 2. * step))
			error("%s: the views cover %.1f degrees, but --method hilbert needs 180 degrees + "
			      "the fan angle of %.1f degrees",
			        name, arc * 180. / M_PI, (high - low) * 180. / M_PI);

		first += high;
		h->dirs = (long)ceil(left / step) + 1;
		step = left / (double)(h->dirs - 1);
	}

	h->phi = mem_alloc((size_t)h->dirs * sizeof *h->phi);

	for (long k = 0; k < h->dirs; k++)
		h->phi[k] = first + (double)k * step;
}

/** Share of a ray at s in a whole turn, where the opposite one has the rest: 1, or on a detector that reaches
 * further to one side 2 and 0 with a transition [2]. */
static double redundancy(const double end[2], double s)
{
	const double near = fmin(-end[0], end[1]), far = fmax(-end[0], end[1]);
	const double zone = fmin(near, 4. * (far - near));

	if (-end[0] > end[1])
		s = -s;

	if (fabs(s) >= near)
		return (s > 0.) ? 2. : 0.;

	const double into = (fabs(s) - (near - zone)) / zone, half = sin(0.5 * M_PI * fmax(into, 0.));

	return (s > 0.) ? 1. + half * half : 1. - half * half;
}

/** Weights of the directions [rad] by the trapezoidal rule, negative on one side of the lines' direction; the
 * interval that holds it is cut there. */
static void set_weights(struct hilbert *h)
{
	const long n = h->dirs;
	const double period = h->whole ? 2. * M_PI : M_PI, along = atan2(h->e[1], h->e[0]) + 0.5 * M_PI;
	double *psi = mem_alloc((size_t)n * sizeof *psi), *weight = mem_alloc((size_t)n * sizeof *weight),
	       *gap = mem_alloc((size_t)n * sizeof *gap), *sum = mem_calloc((size_t)n, sizeof *sum);

	h->next = mem_alloc((size_t)n * sizeof *h->next);
	h->psi = mem_alloc((size_t)n * sizeof *h->psi);
	h->signed_weight = mem_alloc((size_t)n * sizeof *h->signed_weight);

	for (long k = 0; k < n; k++) {
		psi[k] = wrap(h->phi[k] - along, 2. * M_PI);
		h->signed_weight[k] = (psi[k] < M_PI) ? -1. : 1.;
		psi[k] = (psi[k] >= period) ? psi[k] - period : psi[k];
	}

	scan_half_gaps(n, psi, period, weight, gap, h->next);

	for (long i = 0; i < n; i++) {
		const long k = h->next[i], m = h->next[(i + 1) % n];
		const bool last = i + 1 == n;
		const double a = psi[k], b = psi[m] + (last ? period : 0.), g = b - a;
		const double z = last ? period : M_PI;

		h->psi[i] = a;

		if (!(g > 0.))
			continue;

		const bool cut = last || (h->whole && a < M_PI && b >= M_PI);

		sum[k] += 0.5 * g - (cut ? (b - z) * (b - z) / g : 0.);
		sum[m] += 0.5 * g - (cut ? (z - a) * (z - a) / g : 0.);
	}

	for (long k = 0; k < n; k++)
		h->signed_weight[k] *= sum[k] * (h->whole ? 0.5 : 1.);

	h->redundancy = mem_alloc((size_t)h->n * sizeof *h->redundancy);

	const double end[2] = {h->s0, h->s0 + (double)(h->n - 1) * h->ds};

	for (long j = 0; j < h->n; j++)
		h->redundancy[j] = h->whole ? redundancy(end, h->s0 + ((double)j + 0.5) * h->ds) : 1.;

	free(psi);
	free(weight);
	free(gap);
	free(sum);
}

/** Where the line meets the support [mm along it]. */
static void cross_support(const struct hilbert *h, double y, double out[2])
{
	const double *p = h->set.place, *e = h->e;

	out[0] = -INFINITY;
	out[1] = INFINITY;

	if (HILBERT_CIRCLE == h->set.support) {
		const double t = p[1] * e[0] + p[2] * e[1], off = y - (p[2] * e[0] - p[1] * e[1]),
		             square = p[0] * p[0] - off * off, half = sqrt(fmax(square, 0.));

		out[0] = t - half;
		out[1] = (square > 0.) ? t + half : -INFINITY;
		return;
	}

	for (int d = 0; d < 2; d++) { // x = t e + y (-e[1], e[0])
		const double from = d ? y * e[0] : -y * e[1], lo = p[2 * d], hi = p[2 * d + 1];

		if (fabs(e[d]) < 1e-12) {
			if (from <= lo || from >= hi)
				out[1] = -INFINITY;
			continue;
		}

		const double a = (lo - from) / e[d], b = (hi - from) / e[d];

		out[0] = fmax(out[0], fmin(a, b));
		out[1] = fmin(out[1], fmax(a, b));
	}
}

/** Samples of a line that all directions see, derivatives on both sides included. */
static struct chord cut_chord(const struct hilbert *h, long line)
{
	const double y = h->y0 + (double)line * h->dy;
	double lo = -INFINITY, hi = INFINITY,
	       end[2] = {h->s0 + 0.5 * h->ds, h->s0 + ((double)h->n - 1.5) * h->ds};

	if (h->whole) { // seen from one side at least
		end[1] = fmax(-end[0], end[1]);
		end[0] = -end[1];
	}

	for (long k = 0; k < h->dirs; k++) {
		const double c = cos(h->phi[k]), s = sin(h->phi[k]);
		const double along = c * h->e[0] + s * h->e[1], from = y * (s * h->e[0] - c * h->e[1]);

		if (fabs(along) < 1e-12) {
			if (!(from >= end[0] && from <= end[1]))
				hi = -INFINITY;
			continue;
		}

		const double a = (end[0] - from) / along, b = (end[1] - from) / along;

		lo = fmax(lo, fmin(a, b));
		hi = fmin(hi, fmax(a, b));
	}

	struct chord chord = {.support = {1., 0.}};

	if (!(hi > lo))
		return chord;

	chord.from = (long)fmax(0., ceil((lo - h->t0) / h->dt - 0.5));
	chord.to = (long)fmin((double)h->samples, floor((hi - h->t0) / h->dt - 0.5) + 1.);

	if (chord.to < chord.from + 2 * ROOM + 4)
		chord.to = chord.from;

	return chord;
}

/** Lines through the voxels where they are parallel to x or y, else on a grid of the smaller spacing. */
static void set_lines(struct hilbert *h)
{
	const struct grid *g = &h->grid;
	const double far = fmax(fabs(h->s0), fabs(h->s0 + (double)(h->n - 1) * h->ds));
	const bool along[2] = {1. == fabs(h->e[0]), 1. == fabs(h->e[1])};
	double corner[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}}; // of t, y: the grid's range

	for (int i = 0; i < 4; i++) {
		const double x = g->origin[0] + ((i & 1) ? (double)(g->size[0] - 1) * g->spacing[0] : 0.),
		             y = g->origin[1] + ((i & 2) ? (double)(g->size[1] - 1) * g->spacing[1] : 0.);
		const double at[2] = {x * h->e[0] + y * h->e[1], y * h->e[0] - x * h->e[1]};

		for (int d = 0; d < 2; d++) {
			corner[d][0] = fmin(corner[d][0], at[d]);
			corner[d][1] = fmax(corner[d][1], at[d]);
		}
	}

	const double sx = fabs(g->spacing[0]), sy = fabs(g->spacing[1]), fine = fmin(sx, sy);
	const double step = along[0] ? sx : along[1] ? sy : fine;

	h->dy = along[0] ? sy : along[1] ? sx : fine;
	h->dt = step / ceil(step / h->ds * (1. - 1e-6));
	h->y0 = corner[1][0];
	h->lines = lround(ceil((corner[1][1] - corner[1][0]) / h->dy - 1e-6)) + 1;

	/* a sample of f on the voxels, and all of the region seen */
	h->t0 = corner[0][0] - ceil((corner[0][0] + far) / h->dt) * h->dt;
	h->samples = (long)ceil((far - h->t0) / h->dt) + 1;
	h->chord = mem_alloc((size_t)h->lines * sizeof *h->chord);

#pragma omp parallel for schedule(static)
	for (long l = 0; l < h->lines; l++) {
		h->chord[l] = cut_chord(h, l);

		if (HILBERT_ANYWHERE == h->set.support)
			continue;

		double cross[2];

		cross_support(h, h->y0 + (double)l * h->dy, cross);

		for (int i = 0; i < 2; i++)
			h->chord[l].support[i] = (cross[i] - h->t0) / h->dt;
	}
}

static void set_kernel(struct hilbert *h)
{
	h->padded = fft_good_size(2 * h->samples);
	h->spectrum = mem_alloc((size_t)(h->padded / 2 + 1) * 2 * sizeof *h->spectrum);

	double *x = mem_calloc((size_t)h->padded, sizeof *x);

	for (long n = -(h->samples - 1); n < h->samples; n++)
		x[(n + h->padded) % h->padded] = 1. / (M_PI * ((double)n - 0.5)) / (double)h->padded;

	fft_r2c(h->padded, 1, DT_FLOAT64, h->spectrum, x);
	free(x);
}

struct hilbert *hilbert_create(
        const struct geom *g, const struct grid *grid, const struct hilbert_settings *set, const char *name)
{
	struct hilbert *h = NEW(struct hilbert);

	h->g = g;
	h->grid = *grid;
	h->set = *set;
	sincos_degrees(set->lines, h->e + 1, h->e);
	check_untilted(g, name);

	if (!g->parallel && grid->size[2] > 1)
		error("--size %ld:%ld:%ld: a fan beam has one slice, expected NZ = 1", grid->size[0],
		        grid->size[1], grid->size[2]);

	scan_free(scan_create(g, SCAN_SILVER, name));

	double *turn = mem_alloc((size_t)g->views * sizeof *turn);

	measure(h, turn, name);
	order_views(h, turn, name);
	free(turn);
	h->n = g->cols;
	h->s0 = h->place[0];
	h->ds = (h->place[h->n - 1] - h->place[0]) / (double)(h->n - 1);
	choose_directions(h, name);

	if (h->whole && !(h->s0 < 0. && h->s0 + (double)(h->n - 1) * h->ds > 0.))
		error("%s: the detector covers %.4g to %.4g mm from the axis, expected columns on both sides "
		      "of the axis",
		        name, h->s0, h->s0 + (double)(h->n - 1) * h->ds);

	set_weights(h);
	set_lines(h);
	set_kernel(h);
	snprintf(h->text, sizeof h->text,
	        "two-step Hilbert, %s over %ld directions, %ld lines at %g degrees of %ld samples",
	        h->whole ? "full scan" : "half a turn", h->dirs, h->lines, set->lines, h->samples);

	return h;
}

void hilbert_free(struct hilbert *h)
{
	if (!h)
		return;

	free(h->place);
	free(h->ends);
	free(h->fan);
	free(h->turn);
	free(h->order);
	free(h->start);
	free(h->phi);
	free(h->signed_weight);
	free(h->redundancy);
	free(h->next);
	free(h->psi);
	free(h->chord);
	free(h->spectrum);
	free(h);
}

long hilbert_memory(const struct hilbert *h)
{
	return (2 * h->n * h->dirs + h->g->cols * (h->g->views + h->angles) + h->lines * h->samples) *
	       (long)sizeof(double);
}

const char *hilbert_describe(const struct hilbert *h)
{
	return h->text;
}

double hilbert_top(const struct hilbert *h)
{
	return h->top;
}

struct hilbert_count hilbert_counted(const struct hilbert *h, double top)
{
	struct hilbert_count n = h->count;

	for (long i = 0; i < h->open; i++)
		n.open += hilbert_is_open(h->ends[i], top);

	return n;
}

double hilbert_row(const struct hilbert *h, long k)
{
	const struct geom_view *w = h->g->view;

	return (h->grid.origin[2] + (double)k * h->grid.spacing[2] - w->d[2]) / w->v[2] +
	       0.5 * (double)(h->g->rows - 1);
}
