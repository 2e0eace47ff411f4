/* A line is moved into the frame in which the shape is the unit ball, the cube [-1, 1]^3 or the unit
 * cylinder; in this frame the parameter t of a point on the line is unchanged. */

#include "ct/phantom/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "misc/mem.h"
#include "misc/threads.h"

/** Columns of Rz(phi) Rx(theta) Rz(psi). */
static void set_frame(double f[3][3], const double angle[3])
{
	double cp = cos(angle[0]), sp = sin(angle[0]);
	double ct = cos(angle[1]), st = sin(angle[1]);
	double cs = cos(angle[2]), ss = sin(angle[2]);
	const double r[3][3] = {{cp * cs - sp * ct * ss, sp * cs + cp * ct * ss, st * ss},
	        {-cp * ss - sp * ct * cs, -sp * ss + cp * ct * cs, st * cs}, {sp * st, -cp * st, ct}};

	memcpy(f, r, sizeof r);
}

void shapes_add(struct shapes *o, enum shape_kind kind, double value, const double centre[3],
        const double half[3], const double angle[3])
{
	struct shape s = {.kind = kind, .value = value};

	memcpy(s.centre, centre, sizeof s.centre);
	memcpy(s.half, half, sizeof s.half);
	set_frame(s.frame, angle);

	o->shape = mem_realloc(o->shape, (size_t)(o->n + 1) * sizeof s);
	o->shape[o->n++] = s;
}

void shapes_free(struct shapes *o)
{
	free(o->shape);
	*o = (struct shapes){0};
}

/** Narrows t to where |p + t d| <= 1; false when nothing is left. */
static bool clip_slab(double p, double d, double t[2])
{
	if (0. == d)
		return fabs(p) <= 1.;

	double a = (-1. - p) / d, b = (1. - p) / d;

	t[0] = fmax(t[0], fmin(a, b));
	t[1] = fmin(t[1], fmax(a, b));

	return t[0] <= t[1];
}

/** Narrows t to where the first n components of p + t d are inside the unit ball. From the point closest to
 * the centre, so that a distant source costs no digits of the half chord. */
static bool clip_ball(int n, const double p[], const double d[], double t[2])
{
	double dd = 0., pd = 0., ww = 0.;

	for (int i = 0; i < n; i++) {
		dd += d[i] * d[i];
		pd += p[i] * d[i];
	}

	double mid = (dd > 0.) ? -pd / dd : 0.;

	for (int i = 0; i < n; i++) {
		double w = p[i] + mid * d[i];

		ww += w * w;
	}

	double r = sqrt(ww), disc = (1. - r) * (1. + r);

	if (!(disc >= 0.))
		return false;

	if (dd > 0.) {
		double half = sqrt(disc / dd);

		t[0] = fmax(t[0], mid - half);
		t[1] = fmin(t[1], mid + half);
	}

	return t[0] <= t[1];
}

bool shape_chord(const struct shape *s, const double p[3], const double d[3], double t[2])
{
	const double from[3] = {p[0] - s->centre[0], p[1] - s->centre[1], p[2] - s->centre[2]};
	double a[3], b[3];

	for (int i = 0; i < 3; i++) {
		a[i] = dot3(s->frame[i], from) / s->half[i];
		b[i] = dot3(s->frame[i], d) / s->half[i];
	}

	t[0] = -INFINITY;
	t[1] = INFINITY;

	switch (s->kind) {
	case SHAPE_ELLIPSOID:
		return clip_ball(3, a, b, t);
	case SHAPE_CYLINDER:
		return clip_ball(2, a, b, t) && clip_slab(a[2], b[2], t);
	case SHAPE_BOX:
		break;
	}

	return clip_slab(a[0], b[0], t) && clip_slab(a[1], b[1], t) && clip_slab(a[2], b[2], t);
}

double shapes_integral(const struct shapes *o, const double p[3], const double d[3], bool half_line)
{
	double sum = 0., t[2];

	for (long n = 0; n < o->n; n++) {
		if (!shape_chord(o->shape + n, p, d, t))
			continue;

		if (half_line)
			t[0] = fmax(t[0], 0.);

		if (t[1] > t[0])
			sum += o->shape[n].value * (t[1] - t[0]);
	}

	return sum * norm3(d);
}

/** Position [mm] of sample a of `per` in element i along dim d. */
static double sample_place(const struct grid *g, int d, long i, long a, long per)
{
	return g->origin[d] + ((double)i + ((double)a + 0.5) / (double)per - 0.5) * g->spacing[d];
}

/** Adds 1 to the differences of count[] for every sample along x that lies between t[0] and t[1]; sample m of
 * voxel m / per. count has size + 1 elements and is summed up by the caller. */
static void mark_samples(const struct grid *g, long per, const double t[2], long *count)
{
	double first = sample_place(g, 0, 0, 0, per), step = g->spacing[0] / (double)per;
	double last = (double)(g->size[0] * per - 1);
	double lo = fmax(ceil((t[0] - first) / step), 0.), hi = fmin(floor((t[1] - first) / step), last);

	if (!(lo <= hi))
		return;

	long m = (long)lo, n = (long)hi + 1; // samples [m, n)

	count[m / per] += per - m % per;
	count[m / per + 1] += m % per;

	if (n / per < g->size[0]) {
		count[n / per] -= per - n % per;
		count[n / per + 1] -= n % per;
	}
}

/** Adds one shape to row (j, k). */
static void add_shape(const struct shape *s, const struct grid *g, const long per[3], long j, long k,
        long *count, double *out)
{
	const double along[3] = {1., 0., 0.};
	double part = s->value / (double)(per[0] * per[1] * per[2]), t[2];
	bool any = false;

	for (long c = 0; c < per[2]; c++)
		for (long b = 0; b < per[1]; b++) {
			const double p[3] = {
			        0., sample_place(g, 1, j, b, per[1]), sample_place(g, 2, k, c, per[2])};

			if (!shape_chord(s, p, along, t))
				continue;

			mark_samples(g, per[0], t, count);
			any = true;
		}

	if (!any)
		return;

	for (long i = 0, sum = 0; i < g->size[0]; i++) {
		sum += count[i];
		out[i] += part * (double)sum;
	}

	memset(count, 0, (size_t)(g->size[0] + 1) * sizeof *count);
}

void shapes_row(const struct shapes *o, const struct grid *grid, long oversample, long j, long k, double *out)
{
	long *count = mem_calloc((size_t)grid->size[0] + 1, sizeof *count);
	long per[3];

	for (int d = 0; d < 3; d++)
		per[d] = (1 == grid->size[d]) ? 1 : oversample;

	memset(out, 0, (size_t)grid->size[0] * sizeof *out);

	for (long n = 0; n < o->n; n++)
		add_shape(o->shape + n, grid, per, j, k, count, out);

	free(count);
}

void shapes_view(const struct shapes *o, const struct geom *g, long view, double *out)
{
	enum { BLOCK = 64 };
	long n = g->cols * g->rows;

#pragma omp parallel for schedule(dynamic, 4) num_threads(threads_for((double)(n * (64 + 16 * o->n))))
	for (long first = 0; first < n; first += BLOCK)
		for (long i = first; i < first + BLOCK && i < n; i++) {
			double p[3], d[3];

			geom_ray(g, view, (double)(i % g->cols), (double)(i / g->cols), p, d);
			out[i] = shapes_integral(o, p, d, !g->parallel);
		}
}
