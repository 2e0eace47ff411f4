#ifndef CT_BENCH_BENCH_PROJECTOR_H
#define CT_BENCH_BENCH_PROJECTOR_H

#include "ct/geometry/geom.h"

/** The scans that the command `gantry bench projector` measures. The volume has n voxels of 1 mm along each
 * axis; the detector has n columns and rows. Scans of a single slice have one voxel along z and one row. The
 * source-to-axis distance is 2n mm, the source-to-detector distance 3n mm. The views cover 180 degrees
 * (parallel beam), 50 degrees (tomosynthesis) or 360 degrees. */
enum bench_kind {
	BENCH_PARALLEL,
	BENCH_CONE,
	BENCH_CONE_NEAR, // pitch 1.5: a voxel in the middle is as large as a pixel; rays miss its edges
	BENCH_HELIX,
	BENCH_CURVED,
	BENCH_VECTORS, // every view has its own source and detector axes
	BENCH_VECTORS_NEAR,
	BENCH_LAMINOGRAPHY,
	BENCH_TOMOSYNTHESIS, // the source moves along an arc of 50 degrees, the detector stays
	BENCH_FLAT_PARALLEL, // single slices
	BENCH_FLAT_FAN,
	BENCH_FAN_STACK, // a fan of its own for each slice
	BENCH_KINDS
};
extern const char *const bench_kind_name[BENCH_KINDS];

extern struct geom *bench_geom(enum bench_kind kind, long n, long views);
extern struct grid bench_grid(enum bench_kind kind, long n);

/**
 * Joseph's method as a plain loop over rays and planes in float32, for comparison: four voxels per plane,
 * each with a bounds test. Pixels are distributed over OpenMP threads; the adjoint uses atomic additions.
 * Computes the first `views` views.
 */
extern void bench_naive_forward(
        const struct geom *g, const struct grid *grid, float *proj, const float *vol, long views);
extern void bench_naive_adjoint(
        const struct geom *g, const struct grid *grid, float *vol, const float *proj, long views);

/** Measures the projector for the scans of enum bench_kind, and the back projection of filtered views, on the
 * GPU in use. The number of views equals the number of voxels along an axis, or is smaller if the measurement
 * would take too long. Arrays reside on the GPU. */
struct bench;
extern void bench_gpu_projector(struct bench *b, long size);

#endif
