#include "ct/geometry/view_offsets.h"

#include "ct/geometry/orbit.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "num/md/rand.h"

static void add_along(double p[3], double length, const double direction[3])
{
	for (int i = 0; i < 3; i++)
		p[i] += length * direction[i];
}

void view_offsets_apply(struct geom *g, long view, int n, const double value[])
{
	struct geom_view *w = g->view + view;
	double all[VIEW_OFFSET_NUMBERS] = {0}, axis[3][3];

	for (int i = 0; i < n; i++)
		all[i] = value[i];

	if (g->parallel && (all[6] != 0. || all[7] != 0. || all[8] != 0.))
		error("numbers 7 to 9 of the offsets must be 0 for a parallel beam, which has no source "
		      "position");

	scale3(axis[0], 1. / norm3(w->u), w->u);
	scale3(axis[1], 1. / norm3(w->v), w->v);
	geom_normal(g, view, axis[2]);

	for (int i = 0; i < 3; i++) {
		add_along(w->d, all[i], axis[i]);

		if (!g->parallel)
			add_along(w->s, all[6 + i], axis[i]);
	}

	geom_turn_detector(g, view, all + 3);
}

void view_offsets_random(struct geom *g, int n, const double deviation[], uint64_t seed)
{
	for (long k = 0; k < g->views; k++) {
		double value[VIEW_OFFSET_NUMBERS];

		for (int i = 0; i < n; i++)
			value[i] = deviation[i] *
			           rand_normal(seed, (uint64_t)k * VIEW_OFFSET_NUMBERS + (uint64_t)i);

		view_offsets_apply(g, k, n, value);
	}
}
