#ifndef VOLUME_DISTANCE_H
#define VOLUME_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/parts.h"
#include "volume/voxels.h"

/**
 * Exact Euclidean distance transform by lower envelopes of parabolas [1]. For every voxel, the passes along x
 * and y find the nearest background voxel in the slice. The distances |dx| and |dy| to the background voxel
 * are 16-bit integers [voxels]. With spacing 1, squared distances are exact integers. With other spacings,
 * squared distances are rounded to float64.
 *
 * [1] P. F. Felzenszwalb, D. P. Huttenlocher, Distance transforms of sampled functions, Theory of Computing
 * 8, 415-428 (2012), doi:10.4086/toc.2012.v008a019.
 */
struct distance {
	long nx, ny, nz;  // nx and ny at most DISTANCE_MAX
	double h[3];      // voxel spacing
	bool border[3];   // the outside along this dim is background
	parts_rows *rows; // reads rows of the object
	void *ctx;
};

enum { DISTANCE_MAX = 65534 };

/** The value of |dx| and |dy| in slices without background. */
enum { DISTANCE_NONE = -1 };

/** Computes |dx| and |dy| for the voxels of slices [z, z + n). Elements of `near` begin with a uint32_t and
 * are `step` bytes apart. Returns whether any background, or border, exists. */
extern bool distance_slices(const struct distance *d, long z, long n, void *near, long step);

/** Receives the squared distances of `count` voxels along x, beginning at (x, y, z). The function may
 * overwrite `near` at these voxels. */
typedef void distance_store(void *ctx, long x, long y, long z, long count, const double square[]);

/** For voxels in slices [from, to), computes squared distances to the nearest background in slices [z, z +
 * n). `near` comes from distance_slices(). Without background, distances are INFINITY. Several threads call
 * store() at once. */
extern void distance_columns(const struct distance *d, long z, long n, const void *near, long step, long from,
        long to, distance_store *store, void *ctx);

/** Options of distance_run(). The output gets the distance of every nonzero voxel of `in` to the nearest zero
 * voxel. With `invert`, zero voxels get the distance to the nearest nonzero voxel. The output is float32 or
 * float64. With `unit`, distances are in voxels, otherwise in mm. With `border`, the nearest voxel may be
 * outside the volume. Calls error() if no nearest voxel exists. */
struct distance_map {
	struct cfl *in, *out;
	bool invert, border, unit;
};

extern void distance_run(const struct distance_map *m);

#endif
