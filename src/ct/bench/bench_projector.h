#ifndef CT_BENCH_BENCH_PROJECTOR_H
#define CT_BENCH_BENCH_PROJECTOR_H

#include "ct/geometry/geom.h"

/** These are the scans that `gantry bench projector` measures. The volume has n voxels of 1 mm along each
 * axis. The detector has n columns and n rows. Scans of a single slice have one voxel along z and one
 * detector row. The source-to-axis distance is 2n mm, and the source-to-detector distance is 3n mm. The
 * views cover 180 degrees for a parallel beam, and 50 degrees for tomosynthesis. The views of all other
 * scans cover 360 degrees. */
enum bench_kind {
	BENCH_PARALLEL,
	BENCH_CONE,
	BENCH_CONE_NEAR, // pitch 1.5 mm: at the axis, a pixel is as large as a voxel
	BENCH_HELIX,
	BENCH_CURVED,
	BENCH_VECTORS,       // the detector is shifted and turned a little in every view
	BENCH_VECTORS_NEAR,  // the same with pitch 1.5 mm
	BENCH_LAMINOGRAPHY,  // the axis is tilted by 30 degrees
	BENCH_TOMOSYNTHESIS, // the source moves along an arc, the detector is fixed
	BENCH_FLAT_PARALLEL, // single slice
	BENCH_FLAT_FAN,      // single slice
	BENCH_FAN_STACK,     // each slice has its own fan beam
	BENCH_KINDS
};
extern const char *const bench_kind_name[BENCH_KINDS];

/** Creates the geometry of a scan. Release the geometry with geom_free(). */
extern struct geom *bench_geom(enum bench_kind kind, long n, long views);

/** Returns the grid of the volume of a scan. */
extern struct grid bench_grid(enum bench_kind kind, long n);

/**
 * These functions apply Joseph's method in a plain loop in float32, for comparison. The first `views` views
 * are computed.
 * - bench_naive_forward(): Writes the projections of `vol` to `proj`.
 * - bench_naive_adjoint(): Adds the back projection of `proj` to `vol`.
 */
extern void bench_naive_forward(
        const struct geom *g, const struct grid *grid, float *proj, const float *vol, long views);
extern void bench_naive_adjoint(
        const struct geom *g, const struct grid *grid, float *vol, const float *proj, long views);

/** Measures the projector and the back projection of filtered views on the GPU in use. All scans of enum
 * bench_kind except BENCH_FAN_STACK are measured. `size` is the number of voxels along an axis; single
 * slices are 4 times as wide. Slow measurements use fewer than `size` views. Arrays reside on the GPU. Some
 * scans are also measured with arrays on the host. Volumes that do not fit into the GPU memory are left
 * out. */
struct bench;
extern void bench_gpu_projector(struct bench *b, long size);

#endif
