#ifndef VOLUME_DISTANCE_H
#define VOLUME_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/parts.h"
#include "volume/voxels.h"

/**
 * Exact Euclidean distance transform by lower envelopes of parabolas, dimension by dimension:
 *
 *   P. F. Felzenszwalb, D. P. Huttenlocher: Distance transforms of sampled functions. Theory of Computing 8,
 *   415-428 (2012), doi:10.4086/toc.2012.v008a019.
 *
 * Between the dimensions a voxel stores the position of the nearest background of its slice, in voxels (16
 * bits each for x and y), so that nothing is rounded before the last sum: with a spacing of 1 squared
 * distances are exact integers, else a single sum in float64.
 */
struct distance {
	long nx, ny, nz;  // nx and ny at most DISTANCE_MAX
	double h[3];      // distance of neighbours
	bool border[3];   // what lies outside along this dimension is background
	parts_rows *rows; // of the object
	void *ctx;
};

enum { DISTANCE_MAX = 65534 };

/** The position of the nearest background of the slice, or that there is none. */
enum { DISTANCE_NONE = -1 };

/** For slices [z, z + n) into near, whose elements are `step` bytes apart (a uint32_t at the start of each).
 * Returns whether there is any background. */
extern bool distance_slices(const struct distance *d, long z, long n, void *near, long step);

/** Squared distances of `count` neighbours along x from (x, y, z) on. May write to near at their positions.
 */
typedef void distance_store(void *ctx, long x, long y, long z, long count, const double square[]);

/** For slices [from, to) within slices [z, z + n), whose nearest background is in near; INFINITY if there is
 * none. By several threads. */
extern void distance_columns(const struct distance *d, long z, long n, const void *near, long step, long from,
        long to, distance_store *store, void *ctx);

/** Distance of each voxel of in that is not 0 to the next that is 0 (with invert: the other way round),
 * volume by volume, into out (float32 or float64). unit: in voxels, else in mm. border: the outside is
 * background (with invert: object). error() if there is no background. */
struct distance_map {
	struct cfl *in, *out;
	bool invert, border, unit;
};

extern void distance_run(const struct distance_map *m);

#endif
