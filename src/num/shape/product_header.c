#include <string.h>

#include "num/shape/product_header.h"

/** Whether a factor with this header leaves the quantity of the other factor unchanged. */
static bool is_neutral(const struct hdr *h)
{
	return Q_MASK == h->quantity && '\0' == h->unit[0];
}

void product_header(struct hdr *h, const struct cfl *x, const struct cfl *y)
{
	const struct hdr *a = &x->hdr, *b = &y->hdr;

	hdr_copy(h, a);
	h->has_detector = false;

	for (int i = 0; i < DIMS; i++) {
		if (1 < a->dims[i] || 1 == b->dims[i])
			continue;

		h->dims[i] = b->dims[i];
		h->spacing[i] = b->spacing[i];
		h->origin[i] = b->origin[i];
		h->has_spacing = h->has_spacing || b->has_spacing;
		h->has_origin = h->has_origin || b->has_origin;
	}

	if (is_neutral(a))
		h->quantity = b->quantity;
	else if (!is_neutral(b))
		h->quantity = Q_UNKNOWN;

	if ('\0' == a->unit[0])
		memcpy(h->unit, b->unit, sizeof h->unit);
	else if ('\0' != b->unit[0])
		h->unit[0] = '\0';
}
