#ifndef CT_PROJECTOR_STACK_FAN_KERNELS_H
#define CT_PROJECTOR_STACK_FAN_KERNELS_H

#include "ct/projector/model/column.h"
#include "ct/projector/model/sf.h"
#include "ct/projector/stack/stack.h"

/**
 * Kernels for stacks of fans (stack.h). One kernel computes the weights of one slice as a sparse matrix,
 * for a brick and some detector columns. Another kernel multiplies this matrix with lines of voxels along
 * z. The lines of a brick, including a border of one voxel, are numbered along y, then along x.
 */
enum { FAN_RING = STACK_EDGE + 2, FAN_LINES = FAN_RING * FAN_RING };

/** A sparse matrix. Row r consists of elements start[r] .. start[r + 1] - 1 of `index` and `weight`. */
struct fan_matrix {
	int *start, *index;
	float *weight;
	long rows, count;    // rows and elements of the matrix
	long row_room, room; // allocated rows and elements
};

/** Lines of floats. Successive lines begin `pitch` floats apart. */
struct fan_lines {
	float *line;
	long pitch;
};

/** The footprints of a line of voxels along y, in one view. The footprint of voxel i covers detector columns
 * [first[i], first[i] + count[i]). The other arrays hold the parameters of the footprint (struct sf_hit in
 * sf.h). */
struct fan_hits {
	double at[STACK_EDGE], wide[STACK_EDGE], soft[STACK_EDGE], amount[STACK_EDGE];
	int first[STACK_EDGE], count[STACK_EDGE];
	int most; // largest element of `count`
};

enum { FAN_TAPS = 66 }; // largest number of columns of a footprint

struct fan_kernels {
	/** Multiplies a sparse matrix with lines. For each element of row r, adds the element's weight times
	 * a line of `from` to line r of `to`. The element's index is the number of the line in `from`.
	 * Additions follow the order of the elements. Only elements [0, depth) of the lines are computed.
	 * The argument `depth` must be a multiple of 16. */
	void (*multiply)(const struct fan_matrix *m, struct fan_lines to, struct fan_lines from, int depth);

	/** These functions find the voxels that one detector column sees, and the weights of these voxels.
	 * Each function returns the number of voxels. `index` and `weight` need room for `2 FAN_RING + 16`
	 * elements. */
	int (*joseph)(int *index, float *weight, const struct column *c, const int size[2], double length);
	int (*siddon)(int *index, float *weight, const struct column *c, const int size[2], double length);

	/** Computes the footprints of voxels (x, 1 .. n) of the brick, for detector columns [lo, hi). */
	void (*look)(struct fan_hits *s, const struct sf_view *w, int x, int n, long lo, long hi);
	/** Sets weight[i] to the weight of voxel i in detector column first[i] + tap. */
	void (*weigh)(float *weight, const struct fan_hits *s, int n, int tap);
};

/** Returns the fastest kernels for this processor. AVX2 and AVX-512 give bit-identical results. The results
 * of plain C may differ by rounding. */
extern const struct fan_kernels *fan_kernels(void);

#endif
