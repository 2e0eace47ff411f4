#ifndef LINOPS_XRAY_LEVEL_H
#define LINOPS_XRAY_LEVEL_H

#include "linops/xray/bricks.h"

/**
 * The fast path of parallel beams perpendicular to z before flat detectors whose columns are parallel to z,
 * float32. The transform is one of two dimensions for every slice, with the same weights in all, and an
 * interpolation between slices and rows, which is left to the end. So a ray and a voxel are lines along z: a
 * ray collects from the two lines of voxels that it passes between in every plane, and, in the transpose, a
 * voxel from the few rays that pass it in every view. Views wait as lines meanwhile, columns one after the
 * other.
 */

enum {
	LEVEL_LINE = 64,  // slices of a line: a brick's
	LEVEL_GUARD = 2,  // columns around those of a view, which hold zeros
	LEVEL_VIEWS = 16, // that a brick takes at a time
	LEVEL_REACH = 4,  // columns that a voxel may be away from one to weigh in it
	LEVEL_PAIRS = LEVEL_REACH * LEVEL_VIEWS,
};

/** A view in voxel indices of the whole grid. */
struct level_view {
	double column, across[2]; // voxel (x, y) is seen in column + x across[0] + y across[1]
	double reach;             // a voxel weighs in columns nearer than this [columns]
	double length;            // and so much in the one that it is seen in
	double z, rise;           // slice in which row 0 stands, and the next one from there
	double fine;              // a row weighs in slices nearer than 1 / fine
};

struct level {
	long cols, rows, views;
	bool unit; // rows stand on slices, one by one, in all views
	struct level_view *view;
};

/** NULL where not all views are of this kind, or the model is not Joseph's. */
extern struct level *level_create(const struct xray *x);
extern void level_free(struct level *l);

/** Memory for views that wait as lines [bytes]. */
extern long level_memory(const struct level *l);

/** A part of the data: the same as the general transform does with a piece. */
extern void level_forward(const struct level *l, const struct xray_part *p);
extern void level_adjoint(const struct level *l, const struct xray_part *p);

/** A view as a brick sees it: positions in the brick's coordinates, first voxel 1. */
struct level_pass {
	double column, across[2], reach;
	float steep, length; // voxels from column to column; weight in the middle
	int lo, hi;          // columns of which there are lines
	int later; // columns that a voxel is nearest to are taken from the first on, or so many later
	int line;  // element of column 0
};

/** A brick and lines of views. */
struct level_job {
	int size[3], stride[2];
	float *box; // corner of the ring
	float *lines;
};

struct level_kernels {
	/** Lines of columns [from, to) += rays through the brick. */
	void (*forward)(const struct level_job *j, const struct level_pass *v, int from, int to);
	/** The brick += what its voxels get from n <= LEVEL_PAIRS pairs of neighbouring columns each. */
	void (*adjoint)(const struct level_job *j, const struct level_pass *v, int n);
};

/** The fastest that this machine runs. */
extern const struct level_kernels *level_kernels(void);

#endif
