#ifndef CT_PROJECTOR_CPU_SLICE_PARALLEL_H
#define CT_PROJECTOR_CPU_SLICE_PARALLEL_H

#include "ct/projector/bricks.h"

/**
 * The fast path for parallel beams perpendicular to z and flat detectors whose columns are parallel to z,
 * float32. The transform is two-dimensional in every slice, with the same weights in all slices, followed by
 * an interpolation between slices and rows. Therefore all rays of a column are processed together, and so are
 * all voxels of a line along z. In every plane, a column reads a few lines of voxels; in the transpose, a
 * line of voxels reads in every view the few columns that pass it. During the computation, views are stored
 * as lines along z, column after column.
 *
 * The weight of a voxel in a column depends, within a view, on the distance between the column and the
 * voxel's projection. For Joseph's method, the weight is a triangle function of this distance. For Siddon's
 * method the weight is a trapezoid: the length of a ray in a rectangle. For separable footprints the weight
 * is the integral of this trapezoid over the pixel (sf.h).
 */

enum {
	SLICE_PARALLEL_LINE = 64,  // slices of a line: a brick's
	SLICE_PARALLEL_TAPS = 3,   // neighbouring lines that one collects from in a pass, at most
	SLICE_PARALLEL_GUARD = 3,  // columns around those of a view, which hold zeros
	SLICE_PARALLEL_BATCH = 16, // that a brick takes at a time
	SLICE_PARALLEL_REACH = 4,  // columns that a voxel may be away from one to weigh in it
	SLICE_PARALLEL_PASSES = SLICE_PARALLEL_REACH * SLICE_PARALLEL_BATCH,
};

/** A view in voxel indices of the whole grid. */
struct slice_parallel_view {
	double column, across[2]; // voxel (x, y) is seen in column + x across[0] + y across[1]
	double reach;             // a voxel weighs in columns nearer than this [columns]
	double length;            // and so much in the one that it is seen in; else its bounds's integral
	double wide, soft;        // its bounds: a box of width wide blurred by one of width soft [columns]
	double z, rise;           // slice in which row 0 stands, and the next one from there
	double fine;              // a row weighs in slices nearer than 1 / fine
};

struct slice_parallel {
	enum xray_model model;
	long cols, rows, views;
	bool unit; // rows stand on slices, one by one, in all views
	struct slice_parallel_view *view;
};

/** Returns NULL if the path does not support all views. For Siddon's method and footprints, successive rows
 * must be at the heights of successive slices. For Siddon's method, rays must not run in faces of voxels. */
extern struct slice_parallel *slice_parallel_create(const struct xray *x);
extern void slice_parallel_free(struct slice_parallel *l);

/** Memory for views stored as lines [bytes]. */
extern long slice_parallel_memory(const struct slice_parallel *l);

/** proj += A vol, and vol += A' proj, for a call (struct projector). */
extern void slice_parallel_forward(void *level, const struct xray_call *p);
extern void slice_parallel_adjoint(void *level, const struct xray_call *p);

/** A view, or one pass of the adjoint over a view, in coordinates of a brick. The first voxel of the brick is
 * at 1. */
struct slice_parallel_pass {
	enum xray_model model;
	double column, across[2], reach, wide, soft;
	float length;
	int lo, hi; // columns of which there are lines
	int later;  // columns that a voxel is nearest to are taken from the first on, or so many later
	int line;   // element of column 0
};

/** A brick and lines of views. */
struct slice_parallel_job {
	int size[3], stride[2];
	float *box; // corner of the ring
	float *lines;
};

struct slice_parallel_kernels {
	/** Adds the line integrals through the brick to columns [from, to). */
	void (*forward)(
	        const struct slice_parallel_job *j, const struct slice_parallel_pass *v, int from, int to);
	/** Computes passes v[0] to v[n - 1] and adds their results to the brick, n <= SLICE_PARALLEL_PASSES.
	 * In a pass, a voxel reads `taps` neighbouring columns of a view. taps is 2, or for footprints 2 or
	 * SLICE_PARALLEL_TAPS. */
	void (*adjoint)(
	        const struct slice_parallel_job *j, const struct slice_parallel_pass *v, int n, int taps);
};

/** The fastest kernels for this machine. */
extern const struct slice_parallel_kernels *slice_parallel_kernels(void);

#endif
