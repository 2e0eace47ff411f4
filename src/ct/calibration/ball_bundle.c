/* Bundle adjustment of balls and of the parameters common to all views. */

#include "ct/calibration/ball_bundle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/geom_edit.h"
#include "misc/mem.h"
#include "num/stat/least_squares.h"

enum { P = BALLFIT_PARAMETERS, STEPS = 50, REJECTIONS = 4 };

void ball_bundle_add(struct ball_bundle *b, const struct geom *g, const struct ball_track *t)
{
	const size_t n = (size_t)b->balls + 1;
	double x[3];

	if (!ball_track_locate(g, t, x))
		return;

	b->x = mem_realloc(b->x, n * sizeof *b->x);
	b->track = mem_realloc(b->track, n * sizeof *b->track);
	memcpy(b->x[b->balls], x, sizeof x);

	struct ball_track *copy = b->track + b->balls++;

	*copy = ball_track_create(g->views);
	copy->seen = t->seen;
	memcpy(copy->u, t->u, (size_t)g->views * sizeof *t->u);
	memcpy(copy->v, t->v, (size_t)g->views * sizeof *t->v);
}

void ball_bundle_remove(struct ball_bundle *b, long which)
{
	const size_t behind = (size_t)(b->balls - 1 - which);

	free(b->track[which].u);
	free(b->track[which].v);
	memmove(b->track + which, b->track + which + 1, behind * sizeof *b->track);
	memmove(b->x + which, b->x + which + 1, behind * sizeof *b->x);
	b->balls--;
}

void ball_bundle_free(struct ball_bundle *b)
{
	ball_tracks_free(b->balls, b->track);
	free(b->x);
}

/** The geometries with each parameter a step up and down. */
struct nearby {
	int count, which[P];
	double step[P];
	struct geom *now, *up[P], *down[P];
};

static struct geom *applied(const struct geom *g, const double value[P])
{
	struct geom *out = geom_copy(g);

	ballfit_apply(out, value);
	return out;
}

static struct nearby nearby_create(const struct geom *g, const double value[P], const bool wanted[P])
{
	struct nearby n = {.now = applied(g, value)};

	for (int i = 0; i < P; i++) {
		double y[P];

		if (!wanted[i])
			continue;

		const double step = (BALLFIT_SDD == i) ? 1e-5 : 1e-4;

		memcpy(y, value, sizeof y);
		y[i] = value[i] + step;
		n.up[n.count] = applied(g, y);
		y[i] = value[i] - step;
		n.down[n.count] = applied(g, y);
		n.step[n.count] = step;
		n.which[n.count++] = i;
	}

	return n;
}

static void nearby_free(struct nearby *n)
{
	for (int i = 0; i < n->count; i++) {
		geom_free(n->up[i]);
		geom_free(n->down[i]);
	}

	geom_free(n->now);
}

/** Distance between where a ball at x is seen and expected in view k [pixels]; NAN where it is not seen. */
static double distance(const struct geom *g, const struct ball_track *t, const double x[3], long k)
{
	double u, v;

	if (isnan(t->u[k]))
		return NAN;

	return geom_project(g, k, x, &u, &v) ? hypot(u - t->u[k], v - t->v[k]) : 1e6;
}

/** Sum of the squares of distances, each up to a limit. */
static double misfit(const struct geom *g, const struct ball_bundle *b, const double (*x)[3], double limit)
{
	double sum = 0.;

	for (long t = 0; t < b->balls; t++)
		for (long k = 0; k < g->views; k++) {
			const double off = distance(g, b->track + t, x[t], k);

			sum += isnan(off) ? 0. : fmin(off * off, limit * limit);
		}

	return sum;
}

/** The normal equations of each ball: of the parameters, of its place, and between them. */
struct equations {
	double pp[P * P], p[P], xx[9], x[3], px[P * 3];
};

/** Residual and derivatives of one place; false where it is left out. */
static bool derive(const struct nearby *n, const struct ball_bundle *b, long t, long k, double limit,
        double r[2], double J[2][P + 3])
{
	double h = 1e-4, v[2][2];

	if (!geom_project(n->now, k, b->x[t], v[0], v[0] + 1))
		return false;

	r[0] = b->track[t].u[k] - v[0][0];
	r[1] = b->track[t].v[k] - v[0][1];

	if (!(hypot(r[0], r[1]) < limit))
		return false;

	for (int c = 0; c < n->count + 3; c++) {
		double up[3], down[3], step = (c < n->count) ? n->step[c] : h;

		memcpy(up, b->x[t], sizeof up);
		memcpy(down, b->x[t], sizeof down);

		if (c >= n->count) {
			up[c - n->count] += h;
			down[c - n->count] -= h;
		}

		const struct geom *high = (c < n->count) ? n->up[c] : n->now,
		                  *low = (c < n->count) ? n->down[c] : n->now;

		if (!geom_project(high, k, up, v[0], v[0] + 1) || !geom_project(low, k, down, v[1], v[1] + 1))
			return false;

		for (int i = 0; i < 2; i++)
			J[i][c] = (v[0][i] - v[1][i]) / (2. * step);
	}

	return true;
}

static void add_place(struct equations *e, int count, const double r[2], const double J[2][P + 3])
{
	for (int i = 0; i < 2; i++) {
		const double *p = J[i], *x = J[i] + count;

		for (int c = 0; c < count; c++) {
			e->p[c] += p[c] * r[i];

			for (int d = 0; d < count; d++)
				e->pp[c * count + d] += p[c] * p[d];

			for (int d = 0; d < 3; d++)
				e->px[c * 3 + d] += p[c] * x[d];
		}

		for (int c = 0; c < 3; c++) {
			e->x[c] += x[c] * r[i];

			for (int d = 0; d < 3; d++)
				e->xx[c * 3 + d] += x[c] * x[d];
		}
	}
}

static struct equations *equations_create(const struct nearby *n, const struct ball_bundle *b, double limit)
{
	struct equations *e = mem_calloc((size_t)b->balls, sizeof *e);

#pragma omp parallel for schedule(dynamic)
	for (long t = 0; t < b->balls; t++)
		for (long k = 0; k < n->now->views; k++) {
			double r[2], J[2][P + 3];

			if (!isnan(b->track[t].u[k]) && derive(n, b, t, k, limit, r, J))
				add_place(e + t, n->count, r, J);
		}

	return e;
}

/** Solves the equations of a ball's place, their diagonal raised by damping, and a little for those of few
 * views. */
static bool solve_ball(const struct equations *e, double damping, double x[3])
{
	double A[9];

	memcpy(A, e->xx, sizeof A);

	for (int i = 0; i < 3; i++)
		A[4 * i] += A[4 * i] * damping + 1e-6;

	return cholesky_solve(3, A, x, NULL);
}

/** Adds the equations of the parameters that are left when a ball's place is eliminated. */
static bool eliminate(const struct equations *e, int count, double damping, double S[P * P], double p[P])
{
	const double *px = e->px;

	for (int c = 0; c < count; c++) {
		double z[3] = {px[3 * c], px[3 * c + 1], px[3 * c + 2]};

		if (!solve_ball(e, damping, z))
			return false;

		p[c] += e->p[c] - (z[0] * e->x[0] + z[1] * e->x[1] + z[2] * e->x[2]);

		for (int d = 0; d < count; d++)
			S[d * count + c] += e->pp[d * count + c] * (1. + (c == d) * damping) -
			                    (px[3 * d] * z[0] + px[3 * d + 1] * z[1] + px[3 * d + 2] * z[2]);
	}

	return true;
}

/** Steps of parameters p and of balls x; inverse: the diagonal of the parameters' covariance, where given. */
static bool solve(const struct equations *e, int count, long balls, double damping, double p[P],
        double (*x)[3], double *inverse)
{
	double S[P * P] = {0.};

	memset(p, 0, P * sizeof *p);

	for (long t = 0; t < balls; t++)
		if (!eliminate(e + t, count, damping, S, p))
			return false;

	if (count > 0 && !cholesky_solve(count, S, p, inverse))
		return false;

	for (long t = 0; t < balls; t++) {
		for (int d = 0; d < 3; d++) {
			x[t][d] = e[t].x[d];

			for (int c = 0; c < count; c++)
				x[t][d] -= e[t].px[3 * c + d] * p[c];
		}

		if (!solve_ball(e + t, damping, x[t]))
			return false;
	}

	return true;
}

/** Levenberg-Marquardt with the places within a limit. */
static void descend(struct ball_bundle *b, const struct geom *g, const bool wanted[P], double limit)
{
	double damping = 1e-3, (*x)[3] = mem_alloc((size_t)b->balls * sizeof *x), p[P], value[P];
	struct geom *now = applied(g, b->value);
	double before = misfit(now, b, b->x, limit);
	bool done = false;

	geom_free(now);

	for (int i = 0; i < STEPS && !done; i++) {
		struct nearby near = nearby_create(g, b->value, wanted);
		struct equations *e = equations_create(&near, b, limit);
		bool better = false;

		for (; !better && !done; damping *= better ? 0.2 : 8.) {
			const bool solved = solve(e, near.count, b->balls, damping, p, x, NULL);

			memcpy(value, b->value, sizeof value);

			for (int c = 0; c < near.count && solved; c++)
				value[near.which[c]] += p[c];

			for (long t = 0; t < b->balls && solved; t++)
				for (int c = 0; c < 3; c++)
					x[t][c] += b->x[t][c];

			now = applied(g, value);

			const double after = solved ? misfit(now, b, x, limit) : INFINITY;

			geom_free(now);
			better = after <= before;
			done = better ? before - after <= 1e-10 * before : damping > 1e8;

			if (better) {
				memcpy(b->value, value, sizeof value);
				memcpy(b->x, x, (size_t)b->balls * sizeof *x);
				before = after;
			}
		}

		damping = fmax(damping, 1e-12);
		free(e);
		nearby_free(&near);
	}

	free(x);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** The standard deviation of a coordinate that the median of the distances implies (Rayleigh). */
static double robust_scale(const struct ball_bundle *b, const struct geom *g)
{
	struct geom *now = applied(g, b->value);
	double *off = mem_alloc((size_t)(b->balls * g->views) * sizeof *off);
	long n = 0;

	for (long t = 0; t < b->balls; t++)
		for (long k = 0; k < g->views; k++) {
			off[n] = distance(now, b->track + t, b->x[t], k);
			n += !isnan(off[n]);
		}

	qsort(off, (size_t)n, sizeof *off, ascending);

	const double scale = (n > 0) ? off[n / 2] / sqrt(2. * log(2.)) : 0.;

	free(off);
	geom_free(now);

	return scale;
}

/** Standard deviations of the parameters from the residual of the places within the limit. */
static bool find_errors(struct ball_bundle *b, const struct geom *g, const bool wanted[P], double limit)
{
	struct nearby near = nearby_create(g, b->value, wanted);
	struct equations *e = equations_create(&near, b, limit);
	double p[P], inverse[P] = {0.}, (*x)[3] = mem_alloc((size_t)b->balls * sizeof *x);
	const bool good = solve(e, near.count, b->balls, 0., p, x, inverse);
	double sum = 0.;

	b->places = 0;

	for (long t = 0; t < b->balls; t++)
		for (long k = 0; k < g->views; k++) {
			const double off = distance(near.now, b->track + t, b->x[t], k);

			if (!(off < limit)) // not where it is not seen either
				continue;

			sum += off * off;
			b->places++;
		}

	const long free_places = 2 * b->places - 3 * b->balls - near.count;

	memset(b->error, 0, sizeof b->error);
	b->rms = sqrt(sum / (double)(b->places > 0 ? 2 * b->places : 1));

	for (int c = 0; c < near.count && good && free_places > 0; c++)
		b->error[near.which[c]] = sqrt(inverse[c] * sum / (double)free_places);

	free(x);
	free(e);
	nearby_free(&near);

	return good && free_places > 0;
}

bool ball_bundle_fit(struct ball_bundle *b, const struct geom *g, const bool wanted[P])
{
	double limit = INFINITY;

	if (0 == b->balls)
		return false;

	for (int i = 0; i < REJECTIONS; i++) {
		descend(b, g, wanted, limit);
		b->scale = robust_scale(b, g);
		limit = fmax(4. * b->scale, 0.2);
	}

	return find_errors(b, g, wanted, limit);
}
