/** Headers in a loop: converts headers between whole arrays and slices. */

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/looping/looping_internal.h"

struct looping looping;

long looping_position(long slice, int k)
{
	for (int i = 0; i < k; i++)
		slice /= looping.dim[i].count;

	return slice % looping.dim[k].count;
}

/* Number of the element along looped dim k. */
static long element(long slice, int k)
{
	return looping.dim[k].start + looping_position(slice, k) * looping.dim[k].step;
}

char *looping_place(long slice)
{
	struct str s = {0};

	for (int k = 0; k < looping.n; k++)
		str_printf(&s, "%s%s=%ld", k ? "," : "", looping.dim[k].name, element(slice, k));

	return s.data;
}

bool looping_cuts(const struct hdr *h, int k)
{
	int d = looping.dim[k].d;

	return h->dims[d] > 1 && !(Q_GEOMETRY == h->quantity && d < 2);
}

void looping_cut_header(struct hdr *h, long slice)
{
	for (int k = 0; k < looping.n; k++) {
		if (!looping_cuts(h, k))
			continue;

		if (Q_GEOMETRY == h->quantity)
			h->dims[looping.dim[k].d] = 1;
		else
			hdr_subrange(h, looping.dim[k].d, element(slice, k), 1, 1);
	}
}

/* Has a slice kept the place of its input along d? An output without a place is not at 0 by that. */
static bool keeps_place(const struct hdr *out, const struct hdr *in, int d)
{
	return out->spacing[d] == in->spacing[d] && hdr_origin(out, d) == hdr_origin(in, d) &&
	       (isnan(in->origin[d]) || !isnan(out->origin[d]));
}

/* Has section "# Direction" of an output turned this dim? */
static bool turns(const struct hdr *h, int d)
{
	double c[3][3], origin[3];

	return d < 3 && hdr_turned(h, c, origin);
}

/* The grid of the input, along looped dim k, of which the slice has kept the place. */
static void take_grid(struct hdr *h, long slice, int k)
{
	const struct looping_dim *l = &looping.dim[k];

	if (turns(h, l->d))
		return;

	for (int i = 0; i < looping.inputs; i++) {
		const struct hdr *in = &looping.input[i]->hdr;
		struct hdr cut = *in, range = *in;

		if (Q_GEOMETRY == in->quantity || !looping_cuts(in, k))
			continue;

		looping_cut_header(&cut, slice);

		if (!keeps_place(h, &cut, l->d))
			continue;

		hdr_subrange(&range, l->d, l->start, l->step, l->count);
		h->spacing[l->d] = range.spacing[l->d];
		h->origin[l->d] = range.origin[l->d];
		return;
	}
}

/* Product of a with the normal of b and c. */
static double triple(const double a[3], const double b[3], const double c[3])
{
	double sum = 0.;

	for (int i = 0; i < 3; i++)
		sum += a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]);

	return sum;
}

/* Steps along axis d between the first elements of two turned grids, whose axes may be oblique; sixty-fourths
 * are exact, so that all slices give the same number. */
static double steps_along(const struct hdr *in, const double c[3][3], int d, const double by[3])
{
	const double *p = c[(d + 1) % 3], *q = c[(d + 2) % 3], along = triple(by, p, q),
	             t = 0. == along ? 0. : along / (triple(c[d], p, q) * in->spacing[d]),
	             fine = round(64. * t) / 64.;

	return fabs(t - fine) < 1e-6 ? fine : t;
}

/* The same for all looped dims of a turned grid: the origin is a place in the world, of which every axis may
 * move each number. */
static bool take_turned(struct hdr *h, const struct hdr *in, long slice)
{
	struct hdr cut = *in, range = *in;
	double c[3][3], there[3], here[3], by[3], start[3];
	bool looped[3] = {false}, moved = false;

	for (int k = 0; k < looping.n; k++) {
		const struct looping_dim *l = &looping.dim[k];

		if (l->d >= 3 || !looping_cuts(in, k))
			continue;

		looped[l->d] = true;
		hdr_subrange(&range, l->d, l->start, l->step, l->count);
	}

	looping_cut_header(&cut, slice);

	if (!(looped[0] || looped[1] || looped[2]) || !hdr_turned(h, c, here) ||
	        !hdr_turned(&cut, c, there) || !hdr_turned(&range, c, start))
		return false;

	for (int i = 0; i < 3; i++)
		by[i] = here[i] - there[i];

	double steps[3];

	for (int d = 0; d < 3; d++) {
		steps[d] = steps_along(in, c, d, by);
		moved = moved || 0. != steps[d];

		if (looped[d] && (0. != steps[d] || h->spacing[d] != cut.spacing[d]))
			return false;
	}

	for (int d = 0; d < 3; d++) {
		h->origin[d] = moved ? start[d] : range.origin[d];

		for (int e = 0; e < 3; e++)
			h->origin[d] += steps[e] * in->spacing[e] * c[e][d];

		if (looped[d])
			h->spacing[d] = range.spacing[d];
	}

	return true;
}

/* A grid has one way to say that it is centred, or else slices in the middle would seem to differ. */
static void settle_grid(struct hdr *h)
{
	h->has_origin = false;

	for (int d = 0; d < DIMS; d++) {
		double origin = h->origin[d];

		h->origin[d] = NAN;

		if (!isnan(origin) && (turns(h, d) || origin != hdr_origin(h, d))) {
			h->origin[d] = origin;
			h->has_origin = true;
		}

		h->has_spacing |= 1 != h->spacing[d];
	}
}

void looping_whole_header(struct hdr *h, long slice, const char *name)
{
	for (int k = 0; k < looping.n; k++) {
		int d = looping.dim[k].d;

		if (1 == h->dims[d])
			continue;

		char *where = looping_place(slice);

		error("%s: at %s the command writes %ld elements along the loop dimension %s, expected 1",
		        name, where, h->dims[d], looping.dim[k].name);
	}

	for (int k = 0; k < looping.n; k++)
		take_grid(h, slice, k);

	for (int i = 0; i < looping.inputs && turns(h, 0); i++)
		if (take_turned(h, &looping.input[i]->hdr, slice))
			break;

	for (int k = 0; k < looping.n; k++)
		h->dims[looping.dim[k].d] = looping.dim[k].count;

	settle_grid(h);
}
