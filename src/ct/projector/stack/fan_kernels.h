#ifndef CT_PROJECTOR_STACK_FAN_KERNELS_H
#define CT_PROJECTOR_STACK_FAN_KERNELS_H

#include "ct/projector/model/column.h"
#include "ct/projector/model/sf.h"
#include "ct/projector/stack/stack.h"

/**
 * Computes the weights of one slice as a sparse matrix, for a brick of a stack of fans and some columns of
 * some views. Multiplies this matrix with lines along z. Lines of the brick are numbered along y, then x,
 * including the border.
 */
enum { FAN_RING = STACK_EDGE + 2, FAN_LINES = FAN_RING * FAN_RING };

/** A sparse matrix by rows: elements start[r] .. start[r + 1] - 1 of index and weight belong to row r. */
struct fan_matrix {
	int *start, *index;
	float *weight;
	long rows, count;    // that are there
	long row_room, room; // that there is room for
};

/** Lines of floats; successive lines begin `pitch` floats apart. */
struct fan_lines {
	float *line;
	long pitch;
};

/** Footprints of the voxels of a line along y in one view. For each voxel: the first column, the number of
 * columns, and the parameters of the weights (sf.h). */
struct fan_hits {
	double at[STACK_EDGE], wide[STACK_EDGE], soft[STACK_EDGE], amount[STACK_EDGE];
	int first[STACK_EDGE], count[STACK_EDGE];
	int most; // of the counts
};

enum { FAN_TAPS = 66 }; // of a footprint, at most

struct fan_kernels {
	/** Multiplies the matrix with lines. An element of row r adds its weight times line `index` of `from`
	 * to line r of `to`, in the order of the matrix. Computes elements [0, depth) of the lines; depth is
	 * a multiple of 16. */
	void (*multiply)(const struct fan_matrix *m, struct fan_lines to, struct fan_lines from, int depth);

	/** Find the voxels with a weight in a column, by Joseph's and by Siddon's method; index and weight
	 * have room for 2 FAN_RING voxels and one vector. Returns the number of voxels. */
	int (*joseph)(int *index, float *weight, const struct column *c, const int size[2], double length);
	int (*siddon)(int *index, float *weight, const struct column *c, const int size[2], double length);

	/** Computes the footprints of voxels (x, 1 .. n) of the brick, without the columns outside [lo, hi).
	 */
	void (*look)(struct fan_hits *s, const struct sf_view *w, int x, int n, long lo, long hi);
	/** weight[i] = the weight of voxel i in column first[i] + tap. */
	void (*weigh)(float *weight, const struct fan_hits *s, int n, int tap);
};

/** The fastest kernels for this machine. AVX2 and AVX-512 give bit-identical results. In plain C, products
 * are rounded before they are added, so results may differ. */
extern const struct fan_kernels *fan_kernels(void);

#endif
