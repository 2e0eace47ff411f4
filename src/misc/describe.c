#include <string.h>

#include "misc/describe.h"
#include "misc/error.h"

void describe(struct hdr *h, const struct describe_opts *o)
{
	const int one_for = 3; // dims that a single number is for, as in other commands

	for (int d = 0; d < (1 == o->spacing.n ? one_for : o->spacing.n); d++) {
		const double mm = o->spacing.v[1 == o->spacing.n ? 0 : d];

		if (!(mm > 0.))
			usage_error("--spacing is %g mm, expected more than 0", mm);

		h->spacing[d] = mm;
		h->has_spacing = true;
	}

	for (int d = 0; d < o->origin.n; d++) {
		h->origin[d] = o->origin.v[d];
		h->has_origin = true;
	}

	if (o->quantity_given)
		h->quantity = (enum quantity)o->quantity;

	if (!o->unit)
		return;

	if (strlen(o->unit) >= sizeof h->unit || strpbrk(o->unit, "\r\n"))
		usage_error("--unit: expected one line of at most %zu characters", sizeof h->unit - 1);

	strcpy(h->unit, o->unit);
}
