#ifndef NUM_STAT_REGION_H
#define NUM_STAT_REGION_H

#include <stdbool.h>

#include "misc/file/hdr.h"

/**
 * Regions of an array, given by shapes in millimetres. Along dims 0, 1 and 2, an element is at `origin +
 * spacing * index`. An element belongs to a region if its centre is inside or on the border. A region
 * contains all positions along higher dims.
 *
 *   cyl:X:Y:R[:Z0:Z1]          a cylinder along z (a disc in a slice)
 *   ring:X:Y:R0:R1[:Z0:Z1]     between two of them
 *   sphere:X:Y:Z:R
 *   box:X0:X1:Y0:Y1[:Z0:Z1]
 */
struct region {
	enum { REGION_CYL, REGION_RING, REGION_SPHERE, REGION_BOX } shape;
	double v[6];  // numbers in the order above
	bool limited; // Z0 and Z1 are given
	const char *text;
};

#define REGION_FORMS "cyl:X:Y:R[:Z0:Z1], ring:X:Y:R0:R1[:Z0:Z1], sphere:X:Y:Z:R or box:X0:X1:Y0:Y1[:Z0:Z1]"

/** Reads a region from `text`, which must outlive the region. A malformed text, a negative radius or a wrong
 * order of borders is a usage_error() that names `what`. */
extern void region_parse(struct region *r, const char *text, const char *what);

/** For `i < n`, sets held[i] to 1 if element `first + i` is in the region, else 0. Elements are counted in
 * column-major order. */
extern void region_fill(const struct region *r, const struct hdr *h, long first, long n, unsigned char *held);

/** Returns the position of element `index` along dim d [mm]. */
static inline double region_position(const struct hdr *h, int d, long index)
{
	return hdr_origin(h, d) + h->spacing[d] * (double)index;
}

#endif
