#include "num/array/overflow.h"

#include <stdint.h>

#include "misc/error.h"
#include "num/kern/convert.h"

/** Whether an output of this type can hold the limits of a work type. */
static bool holds(enum dtype out, enum dtype work, const void *end)
{
	char value[16];

	return 0 == convert(out, value, work, end, 1, NARROW_SATURATE);
}

void overflow_start(struct overflow *o, enum dtype work, enum dtype out)
{
	static const int64_t ends[2] = {INT64_MIN, INT64_MAX};
	static const uint64_t unsigned_ends[2] = {0, UINT64_MAX};

	*o = (struct overflow){work, {false, false}, 0};

	for (int k = 0; k < 2; k++)
		if (DT_INT64 == work)
			o->counts[k] = holds(out, work, &ends[k]);
		else if (DT_UINT64 == work)
			o->counts[k] = holds(out, work, &unsigned_ends[k]);
}

void overflow_add(struct overflow *o, long lost)
{
	if (0 < lost) {
#pragma omp atomic
		o->lost += lost;
	}
}

void overflow_report(const struct overflow *o, const struct cfl *out)
{
	if (0 < o->lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", o->lost, out->count,
		        dtype_name(o->work), out->name);
}
