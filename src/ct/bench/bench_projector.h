#ifndef CT_BENCH_BENCH_PROJECTOR_H
#define CT_BENCH_BENCH_PROJECTOR_H

#include "ct/geometry/geom.h"

/** The scans that gantry bench projector measures: n voxels of 1 mm along each axis (a single slice has
 * 1 along z), n columns and rows, source 2n and detector 3n mm apart, over 180 degrees (parallel) or 360. */
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
 * Joseph's method as a plain loop: ray by ray, plane by plane, four voxels with bounds tests, float32; OpenMP
 * over pixels, atomic additions in the adjoint. The views given.
 */
extern void bench_naive_forward(
        const struct geom *g, const struct grid *grid, float *proj, const float *vol, long views);
extern void bench_naive_adjoint(
        const struct geom *g, const struct grid *grid, float *vol, const float *proj, long views);

/** The same scans on the GPU in use, and the back projection of filtered views: as many views as voxels along
 * an axis, fewer if that takes too long; arrays reside on the GPU. */
struct bench;
extern void bench_gpu_projector(struct bench *b, long size);

#endif
