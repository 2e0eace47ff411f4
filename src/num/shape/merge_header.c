/* Headers of results from those of operands. */

#include <math.h>
#include <string.h>

#include "num/shape/merge_header.h"

static bool has_all_dims(const struct hdr *a, int n, const struct hdr *const in[])
{
	for (int k = 0; k < n; k++)
		for (int d = 0; d < DIMS; d++)
			if (1 == a->dims[d] && 1 != in[k]->dims[d])
				return false;

	return true;
}

static const struct hdr *first_whole(int n, const struct hdr *const in[])
{
	for (int k = 0; k < n; k++)
		if (has_all_dims(in[k], n, in))
			return in[k];

	return in[0];
}

static bool same_origin(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/** Dim d of the grid: of those that extend along it and say something. */
static void merge_dim(struct hdr *h, int d, int n, const struct hdr *const in[])
{
	bool spacing = false, origin = false;
	bool agree = true;

	for (int k = 0; k < n; k++) {
		const struct hdr *a = in[k];

		if (1 == a->dims[d])
			continue;

		if (1 == h->dims[d]) { // what is said of a single element does not hold for a grid
			h->spacing[d] = 1.;
			h->origin[d] = NAN;
		}

		h->dims[d] = a->dims[d];

		if (a->has_spacing) {
			agree = agree && (!spacing || a->spacing[d] == h->spacing[d]);
			h->spacing[d] = a->spacing[d];
			spacing = true;
		}

		if (a->has_origin) {
			agree = agree && (!origin || same_origin(a->origin[d], h->origin[d]));
			h->origin[d] = a->origin[d];
			origin = true;
		}
	}

	h->has_spacing = h->has_spacing || spacing;
	h->has_origin = h->has_origin || origin;

	if (!agree) {
		h->spacing[d] = 1.;
		h->origin[d] = NAN;
	}
}

void merge_grid(struct hdr *h, int n, const struct hdr *const in[])
{
	hdr_copy(h, first_whole(n, in));
	h->quantity = Q_UNKNOWN;
	h->unit[0] = '\0';
	h->has_detector = false;

	for (int d = 0; d < DIMS; d++)
		merge_dim(h, d, n, in);
}

bool merge_same_detector(const struct hdr *a, const struct hdr *b)
{
	return a->detector[0] == b->detector[0] && a->detector[1] == b->detector[1] && a->radius == b->radius;
}

void merge_detector(struct hdr *h, int n, const struct hdr *const in[])
{
	const struct hdr *first = NULL;
	bool agree = true;

	for (int k = 0; k < n; k++) {
		if (!in[k]->has_detector)
			continue;

		if (NULL == first)
			first = in[k];

		agree = agree && merge_same_detector(first, in[k]);
	}

	h->has_detector = NULL != first && agree;

	if (NULL != first) {
		memcpy(h->detector, first->detector, sizeof h->detector);
		h->radius = first->radius;
	}
}

void merge_quantity(struct hdr *h, int n, const struct hdr *const in[])
{
	bool agree = true, same_unit = true;

	h->quantity = Q_UNKNOWN;
	h->unit[0] = '\0';

	merge_detector(h, n, in);

	for (int k = 0; k < n; k++) {
		const struct hdr *a = in[k];

		agree = agree &&
		        (Q_UNKNOWN == h->quantity || Q_UNKNOWN == a->quantity || a->quantity == h->quantity);
		same_unit = same_unit &&
		            ('\0' == h->unit[0] || '\0' == a->unit[0] || 0 == strcmp(a->unit, h->unit));

		if (Q_UNKNOWN != a->quantity)
			h->quantity = a->quantity;

		if ('\0' != a->unit[0])
			memcpy(h->unit, a->unit, sizeof h->unit);
	}

	if (!agree)
		h->quantity = Q_UNKNOWN;

	if (!same_unit)
		h->unit[0] = '\0';
}
