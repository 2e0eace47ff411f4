/* Tracking of balls from view to view. */

#include "ct/calibration/ball_tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "misc/mem.h"
#include "num/stat/least_squares.h"

enum { LEAST_SEEN = 5, MEMORY = 24 }; // views of a track; those it is predicted from, at most
static const double memory_angle = 40. * M_PI / 180., patience_angle = 25. * M_PI / 180.;

struct ball_track ball_track_create(long views)
{
	struct ball_track t = {
	        .u = mem_alloc((size_t)views * sizeof *t.u), .v = mem_alloc((size_t)views * sizeof *t.v)};

	for (long k = 0; k < views; k++)
		t.u[k] = t.v[k] = NAN;

	return t;
}

static void track_free(struct ball_track *t)
{
	free(t->u);
	free(t->v);
}

void ball_tracks_free(long n, struct ball_track *tracks)
{
	for (long t = 0; t < n; t++)
		track_free(tracks + t);

	free(tracks);
}

bool ball_track_locate(const struct geom *g, const struct ball_track *t, double at[3])
{
	double A[9] = {0.}, trace = 0.;

	memset(at, 0, 3 * sizeof *at);

	for (long k = 0; k < g->views; k++) {
		double s[3], d[3];

		if (isnan(t->u[k]))
			continue;

		geom_ray(g, k, t->u[k], t->v[k], s, d);
		scale3(d, 1. / norm3(d), d);
		trace += 1.;

		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++) {
				const double e = (i == j) - d[i] * d[j];

				A[3 * i + j] += e;
				at[i] += e * s[j];
			}
	}

	for (int i = 0; i < 3; i++) // parallel rays determine no depth: the one next to the axis
		A[4 * i] += 1e-9 * trace;

	return cholesky_solve(3, A, at, NULL);
}

/* ---- prediction ---- */

/** What is followed: the last places of a track. */
struct recent {
	long n, view[MEMORY];
	double u[MEMORY], v[MEMORY];
};

/** A ball in the geometry as given, and where its track is off that. */
struct model {
	double x[5]; // its place [mm]; [columns, rows]
};

static double angle_between(const struct geom *g, long a, long b)
{
	return fabs(remainder(geom_angle(g, b) - geom_angle(g, a), 2. * M_PI));
}

/** Places of a track before view k, not further back than memory_angle unless they are the last two. */
static struct recent recall(const struct geom *g, const struct ball_track *t, long k)
{
	struct recent r = {0};
	long found = 0, step = 1;

	for (long i = k - 1; i >= 0 && r.n < MEMORY; i--) {
		if (isnan(t->u[i]))
			continue;

		if (found >= 2 && angle_between(g, i, k) > memory_angle)
			break;

		if (0 != found++ % step)
			continue;

		r.view[r.n] = i;
		r.u[r.n] = t->u[i];
		r.v[r.n++] = t->v[i];
		step = (r.n >= MEMORY / 2) ? 4 : 1; // the newer half one by one
	}

	return r;
}

static bool place(const struct geom *g, const struct model *m, long k, double *u, double *v)
{
	if (!geom_project(g, k, m->x, u, v))
		return false;

	*u += m->x[3];
	*v += m->x[4];

	return true;
}

/** J'J and J'r of the residuals of one place; J by differences over a step in the unknowns. */
static bool add_place(const struct geom *g, const struct recent *r, long i, const struct model *m,
        const double step, double JJ[25], double Jr[5])
{
	double u, v, J[2][5];

	if (!place(g, m, r->view[i], &u, &v))
		return false;

	for (int c = 0; c < 5; c++) {
		struct model n = *m;
		double a, b;

		J[0][c] = 3 == c;
		J[1][c] = 4 == c;

		if (c >= 3)
			continue;

		n.x[c] += step;

		if (!place(g, &n, r->view[i], &a, &b))
			return false;

		J[0][c] = (a - u) / step;
		J[1][c] = (b - v) / step;
	}

	for (int c = 0; c < 5; c++) {
		Jr[c] += J[0][c] * (r->u[i] - u) + J[1][c] * (r->v[i] - v);

		for (int d = 0; d < 5; d++)
			JJ[5 * c + d] += J[0][c] * J[0][d] + J[1][c] * J[1][d];
	}

	return true;
}

/** Gauss-Newton from m on; offsets are held near 0 as if known to a tenth of the detector beside places known
 * to 0.3 pixels, and the place near the axis as if known to `reach` [mm]. */
static bool fit_model(const struct geom *g, const struct recent *r, double reach, struct model *m)
{
	const double off = 0.3 / (0.1 * (double)g->cols);

	for (int i = 0; i < 4; i++) {
		double JJ[25] = {0.}, Jr[5] = {0.};

		for (long k = 0; k < r->n; k++)
			if (!add_place(g, r, k, m, 1e-4 * reach, JJ, Jr))
				return false;

		for (int c = 0; c < 5; c++) {
			const double w = (c < 3) ? 0.3 / reach : off;

			JJ[6 * c] += w * w;
			Jr[c] -= w * w * m->x[c];
		}

		if (!cholesky_solve(5, JJ, Jr, NULL))
			return false;

		for (int c = 0; c < 5; c++)
			m->x[c] += Jr[c];
	}

	return hypot(m->x[0], m->x[1]) < 1.5 * reach;
}

/* ---- growth ---- */

struct hunt {
	const struct geom *g;
	const struct ball_blobs *blobs;
	double reach; // of the field of view about the axis [mm]
	char *taken;  // blobs of tracks
};

/** The blob closest to (u, v) in view k; none where a second one is nearly as close. */
static long nearest(const struct hunt *h, long k, double u, double v, double gate)
{
	const struct ball_blobs *b = h->blobs;
	double least = INFINITY, second = INFINITY;
	long best = -1;

	for (long i = b->first[k]; i < b->first[k + 1]; i++) {
		const double d = hypot(b->at[i].u - u, b->at[i].v - v);

		if (h->taken[i])
			continue;

		if (d < least) {
			second = least;
			least = d;
			best = i;
		} else {
			second = fmin(second, d);
		}
	}

	return (best >= 0 && b->at[best].round && least < gate && least < 0.5 * second) ? best : -1;
}

static void take(struct ball_track *t, long k, const struct ball_blob *b)
{
	t->u[k] = b->u;
	t->v[k] = b->v;
	t->seen++;
}

/** Follows a track that has its first two places from view k on; used[]: its blobs. */
static void grow(const struct hunt *h, struct ball_track *t, long k, long *used)
{
	const struct geom *g = h->g;
	struct model m = {{0.}};
	long last = k - 1;

	for (; k < g->views; k++) {
		const struct recent r = recall(g, t, k);
		const long missed = k - 1 - last;
		double u, v, before[2];

		if (missed >= 4 && angle_between(g, last, k) > patience_angle)
			return;

		if (t->seen < LEAST_SEEN && missed > 0)
			return;

		if (2 == r.n) {
			memset(&m, 0, sizeof m);

			if (!ball_track_locate(g, t, m.x))
				return;
		}

		if (!fit_model(g, &r, h->reach, &m) || !place(g, &m, k, &u, &v) ||
		        !place(g, &m, last, before, before + 1))
			return;

		const double moved = hypot(u - before[0], v - before[1]) / (double)(missed + 1),
		             gate = 1. + 0.15 * moved * (double)(missed + 1);
		const long i = nearest(h, k, u, v, fmin(gate, 0.05 * (double)g->cols));

		if (i < 0)
			continue;

		take(t, k, h->blobs->at + i);
		used[t->seen - 1] = i;
		last = k;
	}
}

/** How far a ball within reach of the axis can move between two views [columns]. */
static double fastest(const struct hunt *h, long k, long next)
{
	const struct geom *g = h->g;
	const double turn = angle_between(g, k, next), m = geom_magnification(g, k);

	return 2. + turn * h->reach * fmax(m, 1.) * 1.5 / norm3(g->view[k].u);
}

/** The longest track that begins at a blob of view k. */
static struct ball_track ball_track_begin(const struct hunt *h, long k, long i, long *used, long *other)
{
	const struct ball_blobs *b = h->blobs;
	const double reach = fastest(h, k, k + 1);
	struct ball_track best = ball_track_create(h->g->views);

	for (long j = b->first[k + 1]; j < b->first[k + 2]; j++) {
		if (h->taken[j] || !b->at[j].round || fabs(b->at[j].u - b->at[i].u) > reach ||
		        fabs(b->at[j].v - b->at[i].v) > 1.5 + 0.1 * reach)
			continue;

		struct ball_track t = ball_track_create(h->g->views);

		take(&t, k, b->at + i);
		take(&t, k + 1, b->at + j);
		other[0] = i;
		other[1] = j;
		grow(h, &t, k + 2, other);

		if (t.seen > best.seen) {
			const struct ball_track swap = best;

			best = t;
			t = swap;
			memcpy(used, other, (size_t)best.seen * sizeof *used);
		}

		track_free(&t);
	}

	return best;
}

static int longer(const void *a, const void *b)
{
	const struct ball_track *x = a, *y = b;

	return (x->seen < y->seen) - (x->seen > y->seen);
}

long ball_tracks_find(const struct geom *g, const struct ball_blobs *b, struct ball_track **tracks)
{
	struct hunt h = {.g = g, .blobs = b};
	long *used = mem_alloc((size_t)g->views * sizeof *used),
	     *other = mem_alloc((size_t)g->views * sizeof *other);
	double z[2];
	long n = 0;

	geom_field_of_view(g, &h.reach, z);
	h.taken = mem_calloc((size_t)b->first[g->views] + 1, 1);
	*tracks = NULL;

	for (long k = 0; k + 1 < g->views; k++)
		for (long i = b->first[k]; i < b->first[k + 1]; i++) {
			if (h.taken[i] || !b->at[i].round)
				continue;

			struct ball_track t = ball_track_begin(&h, k, i, used, other);

			if (t.seen < LEAST_SEEN) {
				track_free(&t);
				continue;
			}

			for (long j = 0; j < t.seen; j++)
				h.taken[used[j]] = 1;

			*tracks = mem_realloc(*tracks, (size_t)(n + 1) * sizeof **tracks);
			(*tracks)[n++] = t;
		}

	if (n > 0)
		qsort(*tracks, (size_t)n, sizeof **tracks, longer);

	free(h.taken);
	free(other);
	free(used);

	return n;
}
