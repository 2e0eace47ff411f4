/* The geometry from balls. */

#include "ct/calibration/ballfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/calibration/ball_bundle.h"
#include "ct/calibration/ball_tracks.h"
#include "ct/geometry/geom_edit.h"
#include "ct/geometry/orbit.h"
#include "ct/geometry/vec3.h"
#include "misc/mem.h"

const char *const ballfit_name[BALLFIT_PARAMETERS] = {"shift-u", "shift-v", "roll", "tilt", "yaw", "SDD"},
                  *const ballfit_unit[BALLFIT_PARAMETERS] = {
                          "columns", "rows", "degrees", "degrees", "degrees", "relative"};

enum { ROUNDS = 9, LEAST_PLACES = 6 };

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

double ballfit_effect(const struct geom *g, int parameter, double change)
{
	const struct geom_view *w = g->view;
	const double a = 0.5 * (double)g->cols, b = 0.5 * (double)g->rows, pu = norm3(w->u), pv = norm3(w->v);
	double ray[3];

	sub3(ray, w->d, w->s);

	const double far = hypot(a, b), sdd = g->parallel ? INFINITY : norm3(ray),
	             turn = change * M_PI / 180.;

	switch (parameter) {
	case BALLFIT_ROLL:
		return fabs(turn) * far;
	case BALLFIT_TILT:
		return fabs(turn) * b * pv / sdd * far;
	case BALLFIT_YAW:
		return fabs(turn) * a * pu / sdd * far;
	case BALLFIT_SDD:
		return fabs(change) * far;
	default:
		return fabs(change);
	}
}

int ballfit_undetermined(const struct geom *g, const bool wanted[BALLFIT_PARAMETERS],
        const double value[BALLFIT_PARAMETERS], const double error[BALLFIT_PARAMETERS])
{
	for (int i = 0; i < BALLFIT_PARAMETERS; i++) {
		const double effect = ballfit_effect(g, i, error[i]);

		if (wanted[i] && !(effect < 0.5 || (effect < 3. && error[i] < fabs(value[i]))))
			return i;
	}

	return -1;
}

/* ---- which blob is which ball ---- */

/** Where every ball is seen in view k of a geometry. */
static void predict(const struct geom *g, const struct ball_bundle *b, long k, double (*at)[2])
{
	for (long t = 0; t < b->balls; t++)
		if (!geom_project(g, k, b->x[t], at[t], at[t] + 1))
			at[t][0] = at[t][1] = INFINITY;
}

/** The blob of view k that is nearest to a place and no further than gate; -1: none. */
static long nearest(const struct ball_blobs *blobs, long k, const double at[2], double gate)
{
	long best = -1;

	for (long i = blobs->first[k]; i < blobs->first[k + 1]; i++) {
		const double d = hypot(blobs->at[i].u - at[0], blobs->at[i].v - at[1]);

		if (d < gate) {
			gate = d;
			best = i;
		}
	}

	return (best >= 0 && blobs->at[best].round) ? best : -1;
}

/** The ball is expected within the detector and no other one is near. */
static bool alone(const struct geom *g, const struct ball_bundle *b, long t, double (*at)[2], double apart)
{
	const double *x = at[t];

	if (!(x[0] > apart && x[1] > apart && x[0] < (double)g->cols - apart &&
	            x[1] < (double)g->rows - apart))
		return false;

	for (long s = 0; s < b->balls; s++)
		if (s != t && hypot(at[s][0] - x[0], at[s][1] - x[1]) < 2. * apart)
			return false;

	return true;
}

static void give(struct ball_track *t, long k, const struct ball_blob *b)
{
	t->u[k] = b ? b->u : NAN;
	t->v[k] = b ? b->v : NAN;
	t->seen += NULL != b;
}

/** Each ball takes the blob next to where it is expected, unless another one is expected there too. The
 * number of places at which balls are expected alone. */
static long assign(const struct geom *g, const struct ball_blobs *blobs, struct ball_bundle *b, double gate)
{
	const double apart = ball_blobs_radius(blobs) + 0.5;
	double(*at)[2] = mem_alloc((size_t)b->balls * sizeof *at);
	long count = 0;

	for (long t = 0; t < b->balls; t++)
		b->track[t].seen = 0;

	for (long k = 0; k < g->views; k++) {
		predict(g, b, k, at);

		for (long t = 0; t < b->balls; t++) {
			const bool lone = alone(g, b, t, at, apart);
			const long i = lone ? nearest(blobs, k, at[t], gate) : -1;

			give(b->track + t, k, (i >= 0) ? blobs->at + i : NULL);
			count += lone;
		}
	}

	free(at);
	return count;
}

/** Removes balls that are seen where a longer one is. */
static void join(const struct geom *g, struct ball_bundle *b, double gate)
{
	double(*at)[2] = mem_alloc((size_t)b->balls * sizeof *at);
	long *same = mem_calloc((size_t)(b->balls * b->balls), sizeof *same);

	for (long k = 0; k < g->views; k++) {
		predict(g, b, k, at);

		for (long t = 0; t < b->balls; t++)
			for (long s = 0; s < t; s++)
				same[t * b->balls + s] +=
				        hypot(at[s][0] - at[t][0], at[s][1] - at[t][1]) < 2. * gate;
	}

	for (long t = b->balls - 1; t > 0; t--)
		for (long s = 0; s < t; s++)
			if (2 * same[t * b->balls + s] > g->views) {
				ball_bundle_remove(b, t);
				break;
			}

	free(same);
	free(at);
}

/** Whether no ball is expected near most places of a track. */
static bool unexplained(
        const struct geom *g, const struct ball_bundle *b, const struct ball_track *track, double gate)
{
	long open = 0;

	for (long k = 0; k < g->views; k++) {
		double u, v, least = INFINITY;

		for (long t = 0; t < b->balls && !isnan(track->u[k]); t++)
			if (geom_project(g, k, b->x[t], &u, &v))
				least = fmin(least, hypot(u - track->u[k], v - track->v[k]));

		open += !isnan(track->u[k]) && least > gate;
	}

	return 4 * open > 3 * track->seen;
}

/** Adds the tracks that no ball explains and that are seen in one and the same view, so that they are
 * different balls: where those of most places are. */
static void add_unexplained(
        const struct geom *g, long n, const struct ball_track *tracks, double gate, struct ball_bundle *b)
{
	char *candidate = mem_calloc((size_t)n + 1, 1);
	long most = 0, view = 0;

	for (long t = 0; t < n; t++)
		candidate[t] = unexplained(g, b, tracks + t, gate);

	for (long k = 0; k < g->views; k++) {
		long places = 0;

		for (long t = 0; t < n; t++)
			places += (candidate[t] && !isnan(tracks[t].u[k])) ? tracks[t].seen : 0;

		if (places > most) {
			most = places;
			view = k;
		}
	}

	for (long t = 0; t < n; t++)
		if (candidate[t] && !isnan(tracks[t].u[view]) && 3 * tracks[t].seen >= tracks[0].seen)
			ball_bundle_add(b, g, tracks + t);

	free(candidate);
}

/** Removes balls seen in less than a sixteenth of the views: mostly not a ball. */
static void drop_rare(const struct geom *g, struct ball_bundle *b)
{
	for (long t = b->balls - 1; t >= 0; t--)
		if (16 * b->track[t].seen < g->views || b->track[t].seen < LEAST_PLACES)
			ball_bundle_remove(b, t);
}

/** Rounds of new balls, of blobs that belong to them, and of the fit. Tracks of less than half of the views
 * determine shifts and roll alone at first. */
static bool settle(const struct geom *g, const struct ball_blobs *blobs, long n,
        const struct ball_track *tracks, const bool wanted[BALLFIT_PARAMETERS], struct ball_bundle *b)
{
	const bool first[BALLFIT_PARAMETERS] = {[BALLFIT_U] = wanted[BALLFIT_U],
	        [BALLFIT_V] = wanted[BALLFIT_V],
	        [BALLFIT_ROLL] = wanted[BALLFIT_ROLL]};
	const bool long_enough = n > 0 && 2 * tracks[0].seen >= g->views;
	bool good = n > 0;

	for (int round = 0; round < ROUNDS && good; round++) {
		const double gate = fmin(fmax(4. * b->scale, 1.), 3.);
		struct geom *now = geom_copy(g);

		ballfit_apply(now, b->value);

		if (round > 0) {
			join(now, b, gate);
			b->expected = assign(now, blobs, b, gate);
		}

		if (round < ROUNDS - 2)
			add_unexplained(now, n, tracks, 3., b);
		else
			drop_rare(g, b);

		geom_free(now);
		good = ball_bundle_fit(b, g, first) &&
		       ((round < 2 && !long_enough) || ball_bundle_fit(b, g, wanted));
	}

	return good;
}

bool ballfit(const struct geom *g, const struct ball_blobs *blobs, const bool wanted[BALLFIT_PARAMETERS],
        struct ballfit *out)
{
	struct ball_track *tracks;
	struct ball_bundle b = {0};
	const long n = ball_tracks_find(g, blobs, &tracks);
	const bool good = settle(g, blobs, n, tracks, wanted, &b);

	*out = (struct ballfit){.rms = b.rms, .balls = b.balls, .places = b.places, .expected = b.expected};
	memcpy(out->value, b.value, sizeof out->value);
	memcpy(out->error, b.error, sizeof out->error);
	ball_bundle_free(&b);
	ball_tracks_free(n, tracks);

	return good;
}
