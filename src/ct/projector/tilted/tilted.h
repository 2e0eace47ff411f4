#ifndef CT_PROJECTOR_TILTED_TILTED_H
#define CT_PROJECTOR_TILTED_TILTED_H

#include "ct/projector/bricks.h"
#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/ray_packet.h"

/**
 * Kernels for Joseph's method in float32 that trace detector columns of any orientation through a brick. A
 * brick is a block of voxels. The rays of a column are set up together, in float64, and sampled sixteen at a
 * time.
 *
 * Only rays with the dominant axis x or y are traced. In each plane of the dominant axis, the rays of a
 * column meet the plane on a straight line, in the order of their rows. A ray is at position c along the
 * lines of voxels, which are parallel to z, and at position o across. The weight of voxel k of line j is
 * `tent(o - j) * tent(c - k)`. The function tent(x) is max(0, 1 - |x|).
 *
 * Results are bit-identical with every instruction set.
 */

enum {
	TILTED_LINES = 12, // largest number of lines of voxels that sixteen rays touch in a plane
	TILTED_TAPS = 6,   // largest number of rays that reach a voxel
	TILTED_RUN = RAYS, // planes whose positions are float32 relative to the first: errors grow with it
	TILTED_LANES = COLUMN_ROWS + 160, // rows of a column, some of them twice, and rays beyond its ends
};

/** Columns [column, column + columns) of one view, and the rows that are traced. */
struct tilted_job {
	const struct xray *x;
	const struct brick *b;
	long view, column;
	int columns, rows;
	long lowest;                    // detector row of row 0, which is the lowest in z
	int up;                         // detector rows from row to row: 1 or -1
	float *first;                   // address of the pixel in row 0 of the first column
	long next;                      // elements from row to row
	int step;                       // elements from column to column
	int from[COLUMNS], to[COLUMNS]; // set by the kernels: rows [from, to) of each column are traced
};

struct tilted_kernels {
	/** Adds line integrals to the pixels. `box` points to the first voxel of the brick's border. */
	void (*forward)(struct tilted_job *j, const float *box);
	/** Adds weighted pixels to the voxels. */
	void (*adjoint)(struct tilted_job *j, float *box);
};

/** Returns the fastest kernels for this machine. */
extern const struct tilted_kernels *tilted_kernels(void);

#endif
