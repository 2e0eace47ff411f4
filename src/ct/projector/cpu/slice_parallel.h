#ifndef CT_PROJECTOR_CPU_SLICE_PARALLEL_H
#define CT_PROJECTOR_CPU_SLICE_PARALLEL_H

#include "ct/projector/bricks.h"

/**
 * Fast CPU kernels for parallel beams perpendicular to z, float32. The detector must be flat, with columns
 * parallel to z. The transform is two-dimensional in each slice, and all slices have the same weights. Along
 * z, A interpolates from slices to detector rows. During the computation, views are stored as lines along z,
 * column after column.
 *
 * The weight of a voxel depends on the distance between the detector column and the voxel's projection. For
 * Joseph's method, the weight is a triangle function of the distance. For Siddon's method, the weight is a
 * trapezoid function of the distance. For separable footprints, the weight is the integral of the trapezoid
 * over the pixel (sf.h).
 */

enum {
	SLICE_PARALLEL_LINE = 64,  // slices of a line, as many as in a brick (block of voxels)
	SLICE_PARALLEL_TAPS = 3,   // largest number of neighbouring lines that are read in one pass
	SLICE_PARALLEL_GUARD = 3,  // columns of zeros on both sides of a view
	SLICE_PARALLEL_BATCH = 16, // views that a brick processes together
	SLICE_PARALLEL_REACH = 4,  // largest slice_parallel_view.reach [columns]
	SLICE_PARALLEL_PASSES = SLICE_PARALLEL_REACH * SLICE_PARALLEL_BATCH,
};

/** One view. Coordinates are voxel indices of the whole grid. */
struct slice_parallel_view {
	double column, across[2]; // voxel (x, y) is projected to column + x across[0] + y across[1]
	double reach;             // largest distance of a column with a weight [columns]
	double length;            // Joseph's method: weight at distance 0; else integral of the weight [mm]
	double wide, soft; // trapezoid: box of width `wide` convolved with a box of width `soft` [columns]
	double z, rise;    // slice at which row 0 is, and slices from row to row
	double fine;       // a row has weights in slices nearer than 1 / fine
};

struct slice_parallel {
	enum xray_model model;
	long cols, rows, views;
	bool unit; // in all views, each row is at the height of a slice
	struct slice_parallel_view *view;
};

/** Prepares the kernels for all views of x. Returns NULL if the kernels do not support all views. For
 * Siddon's method and footprints, successive rows must be at the heights of successive slices. For
 * Siddon's method, rays must not run along faces of voxels. Release the result by slice_parallel_free(). */
extern struct slice_parallel *slice_parallel_create(const struct xray *x);
extern void slice_parallel_free(struct slice_parallel *l);

/** Returns the memory for views stored as lines [bytes]. */
extern long slice_parallel_memory(const struct slice_parallel *l);

/**
 * These functions compute the tile of a call (struct xray_call). `level` is the result of
 * slice_parallel_create().
 *
 * - slice_parallel_forward(): Computes proj += A vol.
 * - slice_parallel_adjoint(): Computes vol += A' proj.
 */
extern void slice_parallel_forward(void *level, const struct xray_call *p);
extern void slice_parallel_adjoint(void *level, const struct xray_call *p);

/** One view, or one pass of A' over a view. Coordinates are voxel indices of a brick. A brick is a block of
 * voxels. The first voxel of the brick has index 1. */
struct slice_parallel_pass {
	enum xray_model model;
	double column, across[2], reach, wide, soft;
	float length;
	int lo, hi; // range of columns [lo, hi) that are stored as lines
	int later;  // first column that a voxel reads in the pass, counted from the first column within reach
	int line;   // element of column 0
};

/** A brick, and views that are stored as lines. */
struct slice_parallel_job {
	int size[3], stride[2];
	float *box; // first voxel of the brick's border
	float *lines;
};

struct slice_parallel_kernels {
	/** Adds the line integrals through the brick to columns [from, to) of a view. */
	void (*forward)(
	        const struct slice_parallel_job *j, const struct slice_parallel_pass *v, int from, int to);
	/** Adds the results of passes v[0] to v[n - 1] to the brick. The number n is at most
	 * SLICE_PARALLEL_PASSES. In a pass, a voxel reads `taps` neighbouring columns of a view. `taps`
	 * is 2, or SLICE_PARALLEL_TAPS for wide footprints. */
	void (*adjoint)(
	        const struct slice_parallel_job *j, const struct slice_parallel_pass *v, int n, int taps);
};

/** Returns the fastest kernels for this machine. */
extern const struct slice_parallel_kernels *slice_parallel_kernels(void);

#endif
