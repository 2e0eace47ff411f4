#include "linops/xray/ballfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/geom_edit.h"
#include "linops/xray/orbit.h"
#include "linops/xray/vec3.h"
#include "misc/mem.h"
#include "num/least_squares.h"

const char *const ballfit_name[BALLFIT_PARAMETERS] = {"shift-u", "shift-v", "roll", "tilt", "yaw", "SDD"},
                  *const ballfit_unit[BALLFIT_PARAMETERS] = {
                          "columns", "rows", "degrees", "degrees", "degrees", "relative"};

/* ---- tracks ---- */

enum { MOST_BALLS = 64 };

struct blob {
	double u, v, mass;
	long area;
};

/** Connected pixels over half of the largest value of a view that holds little else than balls. */
static int find_blobs(const struct geom *g, const double *p, struct blob out[MOST_BALLS])
{
	const long size = g->cols * g->rows;
	char *seen = mem_calloc((size_t)size, 1);
	long *stack = mem_alloc((size_t)size * sizeof *stack);
	double most = 0.;
	int n = 0;

	for (long i = 0; i < size; i++)
		most = fmax(most, p[i]);

	for (long start = 0; start < size && n < MOST_BALLS && most > 0.; start++) {
		struct blob b = {0};
		long depth = 0;

		if (seen[start] || !(p[start] > 0.25 * most))
			continue;

		seen[start] = 1;
		stack[depth++] = start;

		bool cut = false;

		while (depth > 0) {
			const long i = stack[--depth], a = i % g->cols, r = i / g->cols;

			b.u += p[i] * (double)a;
			b.v += p[i] * (double)r;
			b.mass += p[i];
			b.area++;
			cut = cut || 0 == a || 0 == r || g->cols - 1 == a || g->rows - 1 == r;

			for (int d = 0; d < 4; d++) {
				const long x = a + (0 == d) - (1 == d), y = r + (2 == d) - (3 == d),
				           j = y * g->cols + x;

				if (x < 0 || y < 0 || x >= g->cols || y >= g->rows || seen[j] ||
				        !(p[j] > 0.25 * most))
					continue;

				seen[j] = 1;
				stack[depth++] = j;
			}
		}

		b.u /= b.mass;
		b.v /= b.mass;

		if (!cut && b.area >= 3)
			out[n++] = b;
	}

	free(stack);
	free(seen);

	return n;
}

/** Where a track is expected in view k: on a straight line from its last two places. */
static bool expected(const struct ball_track *t, long k, double *u, double *v)
{
	long last = -1, before = -1;

	for (long i = k - 1; i >= 0 && i >= k - 6 && before < 0; i--)
		if (!isnan(t->u[i])) {
			if (last < 0)
				last = i;
			else
				before = i;
		}

	if (last < 0)
		return false;

	const double f = (before >= 0) ? (double)(k - last) / (double)(last - before) : 0.;

	*u = t->u[last] + f * (before >= 0 ? t->u[last] - t->u[before] : 0.);
	*v = t->v[last] + f * (before >= 0 ? t->v[last] - t->v[before] : 0.);

	return true;
}

static struct ball_track *track_new(long views)
{
	struct ball_track *t = NEW(struct ball_track);

	t->u = mem_alloc((size_t)views * sizeof *t->u);
	t->v = mem_alloc((size_t)views * sizeof *t->v);

	for (long k = 0; k < views; k++)
		t->u[k] = t->v[k] = NAN;

	return t;
}

long ball_tracks(const struct geom *g, ballfit_view_fn *view, void *ctx, struct ball_track **tracks)
{
	double *p = mem_alloc((size_t)(g->cols * g->rows) * sizeof *p);
	struct ball_track *all = mem_calloc(MOST_BALLS, sizeof *all);
	struct blob blob[MOST_BALLS];
	long n = 0, kept = 0;

	for (long k = 0; k < g->views; k++) {
		view(ctx, k, p);

		const int found = find_blobs(g, p, blob);
		bool taken[MOST_BALLS] = {false};

		for (long t = 0; t < n; t++) {
			double u, v, nearest = INFINITY;
			int best = -1;

			if (!expected(all + t, k, &u, &v))
				continue;

			for (int b = 0; b < found; b++) {
				const double d = hypot(blob[b].u - u, blob[b].v - v);

				if (!taken[b] && d < nearest) {
					nearest = d;
					best = b;
				}
			}

			if (best < 0 || nearest > 0.05 * (double)g->cols + sqrt((double)blob[best].area))
				continue;

			taken[best] = true;
			all[t].u[k] = blob[best].u;
			all[t].v[k] = blob[best].v;
		}

		for (int b = 0; b < found && 0 == k && n < MOST_BALLS; b++) {
			struct ball_track *t = track_new(g->views);

			t->u[0] = blob[b].u;
			t->v[0] = blob[b].v;
			all[n++] = *t;
			free(t);
		}
	}

	free(p);

	for (long t = 0; t < n; t++) {
		long seen = 0;

		for (long k = 0; k < g->views; k++)
			seen += !isnan(all[t].u[k]);

		if (2 * seen >= g->views) {
			all[kept++] = all[t];
		} else {
			free(all[t].u);
			free(all[t].v);
		}
	}

	*tracks = all;
	return kept;
}

void ball_tracks_free(long n, struct ball_track *tracks)
{
	for (long t = 0; t < n; t++) {
		free(tracks[t].u);
		free(tracks[t].v);
	}

	free(tracks);
}

/* ---- fit ---- */

void ballfit_apply(struct geom *g, const double value[BALLFIT_PARAMETERS])
{
	const double turn[3] = {value[BALLFIT_ROLL], value[BALLFIT_TILT], value[BALLFIT_YAW]};

	for (long k = 0; k < g->views; k++) {
		struct geom_view *w = g->view + k;

		for (int i = 0; i < 3 && !g->parallel; i++)
			w->d[i] += value[BALLFIT_SDD] * (w->d[i] - w->s[i]);

		geom_turn_detector(g, k, turn);
	}

	geom_shift(g, value[BALLFIT_U], value[BALLFIT_V]);
}

struct problem {
	const struct geom *g;
	long balls;
	const struct ball_track *track;
	int which[BALLFIT_PARAMETERS], count; // parameters among the unknowns
};

static void residuals(void *ctx, const double *x, double *r)
{
	const struct problem *p = ctx;
	double value[BALLFIT_PARAMETERS] = {0.};
	struct geom *g = geom_copy(p->g);
	long n = 0;

	for (int i = 0; i < p->count; i++)
		value[p->which[i]] = x[i];

	ballfit_apply(g, value);

	for (long t = 0; t < p->balls; t++)
		for (long k = 0; k < g->views; k++) {
			double a = 0., b = 0.;

			if (isnan(p->track[t].u[k]))
				continue;

			if (!geom_project(g, k, x + p->count + 3 * t, &a, &b))
				a = b = 1e6;

			r[n++] = a - p->track[t].u[k];
			r[n++] = b - p->track[t].v[k];
		}

	geom_free(g);
}

/** Where a ball is, from the nominal geometry: the point closest to all of its rays. */
static void locate(const struct geom *g, const struct ball_track *t, double at[3])
{
	double A[9] = {0.};

	memset(at, 0, 3 * sizeof *at);

	for (long k = 0; k < g->views; k++) {
		double s[3], d[3];

		if (isnan(t->u[k]))
			continue;

		geom_ray(g, k, t->u[k], t->v[k], s, d);
		scale3(d, 1. / norm3(d), d);

		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++) {
				const double e = (i == j) - d[i] * d[j];

				A[3 * i + j] += e;
				at[i] += e * s[j];
			}
	}

	if (!cholesky_solve(3, A, at, NULL))
		memset(at, 0, 3 * sizeof *at);
}

bool ballfit(const struct geom *g, long balls, const struct ball_track *tracks,
        const bool wanted[BALLFIT_PARAMETERS], double value[BALLFIT_PARAMETERS],
        double error[BALLFIT_PARAMETERS], double *rms)
{
	struct problem p = {.g = g, .balls = balls, .track = tracks};
	long n = 0;

	for (int i = 0; i < BALLFIT_PARAMETERS; i++) {
		value[i] = error[i] = 0.;

		if (wanted[i])
			p.which[p.count++] = i;
	}

	for (long t = 0; t < balls; t++)
		for (long k = 0; k < g->views; k++)
			n += isnan(tracks[t].u[k]) ? 0 : 2;

	const long m = p.count + 3 * balls;
	double *x = mem_calloc((size_t)m, sizeof *x), *step = mem_alloc((size_t)m * sizeof *step),
	       *deviation = mem_alloc((size_t)m * sizeof *deviation);

	for (long t = 0; t < balls; t++)
		locate(g, tracks + t, x + p.count + 3 * t);

	for (long c = 0; c < m; c++)
		step[c] = (c < p.count && BALLFIT_SDD == p.which[c]) ? 1e-5 : 1e-4;

	const bool good = least_squares_fit(
	        &(struct least_squares){.n = n, .m = m, .residuals = residuals, .ctx = &p, .step = step}, x,
	        deviation, rms);

	for (int i = 0; i < p.count && good; i++) {
		value[p.which[i]] = x[i];
		error[p.which[i]] = deviation[i];
	}

	free(deviation);
	free(step);
	free(x);

	return good;
}
