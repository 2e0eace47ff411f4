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
 * After the passes along x and y, each voxel stores |dx| and |dy| to the nearest background voxel in its
 * slice, 16 bits each, in voxels. With spacing 1, squared distances are exact integers. With other spacings,
 * each is a sum of three squares in float64.
 */
struct distance {
	long nx, ny, nz;  // nx and ny at most DISTANCE_MAX
	double h[3];      // distance of neighbours
	bool border[3];   // the outside along this dimension is background
	parts_rows *rows; // of the object
	void *ctx;
};

enum { DISTANCE_MAX = 65534 };

/** The value stored instead of |dx| and |dy| if the slice has no background. */
enum { DISTANCE_NONE = -1 };

/** Computes, for each voxel of slices [z, z + n), |dx| and |dy| to the nearest background voxel of its slice.
 * near: elements are `step` bytes apart, each with a uint32_t at its start. Returns whether there is any
 * background. */
extern bool distance_slices(const struct distance *d, long z, long n, void *near, long step);

/** Receives the squared distances of `count` voxels along x, the first at (x, y, z). May overwrite `near` at
 * these voxels. */
typedef void distance_store(void *ctx, long x, long y, long z, long count, const double square[]);

/** Computes the squared distances of slices [from, to) to the nearest background of slices [z, z + n), which
 * `near` describes; INFINITY without background. store() is called by several threads. */
extern void distance_columns(const struct distance *d, long z, long n, const void *near, long step, long from,
        long to, distance_store *store, void *ctx);

/** Writes to `out` (float32 or float64), volume by volume, the distance of each nonzero voxel of `in` to the
 * nearest voxel that is 0. With `invert`, each voxel that is 0 gets the distance to the nearest nonzero
 * voxel. unit: distances in voxels, else in mm. border: the outside is background (with invert: object).
 * error() if there is no background. */
struct distance_map {
	struct cfl *in, *out;
	bool invert, border, unit;
};

extern void distance_run(const struct distance_map *m);

#endif
