#ifndef LINOPS_XRAY_NORMALIZE_H
#define LINOPS_XRAY_NORMALIZE_H

#include <stdbool.h>

#include "misc/cfl.h"

/**
 * From detector counts to transmission and line integrals:
 *     t = (counts - dark) / (flat - dark) / air,    p = -log t
 * where air is the mean of t over some columns and all rows of each view, where nothing stands in the beam.
 */
struct normalizer {
	long cols, rows;
	double *dark;              // cols * rows, NULL = 0
	double *gain;              // 1 / (flat - dark), 0 where the flat is not above the dark; NULL = 1
	long air_first, air_count; // columns; none when air_count is 0
	bool log;
	long dead;    // values found without a transmission: no flat, or not finite; they become 1
	long clamped; // transmissions raised to NORMALIZE_FLOOR before the logarithm
};

/** The least transmission whose logarithm is taken. */
#define NORMALIZE_FLOOR 1e-6

/** dark, flat: (cols, rows, frames), frames are averaged, cols and rows may be 1; NULL = none. error() when
 * they do not fit. */
extern void normalizer_init(struct normalizer *z, long cols, long rows, struct cfl *dark, struct cfl *flat);
extern void normalizer_free(struct normalizer *z);

/** n views in place; first is their number, name that of the file, for messages. error() when a view's air is
 * not above 0. */
extern void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name);

#endif
