#ifndef CT_PROJECTOR_CPU_COLUMNS_H
#define CT_PROJECTOR_CPU_COLUMNS_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/column.h"
#include "ct/projector/model/siddon.h"

/**
 * The fast path for detector columns parallel to z, float32. It traces up to 16 columns of a view at a time
 * through a brick.
 */

enum {
	COLUMNS = 16,      // at a time
	COLUMN_ROWS = 640, // of one column, at most
	COLUMN_GUARD = 96, // zeros around them
	COLUMN_PITCH = COLUMN_GUARD + COLUMN_ROWS + COLUMN_GUARD + 16,
	COLUMN_EDGE = 128,  // voxels of a brick along z, at most
	COLUMN_PLANES = 64, // and across
	LEVEL_EDGE = 64,    // voxels along z where all rows of a column are perpendicular to z
};

/** Detector columns whose rays pass through a brick: the part of their rays inside the brick, and the
 * addresses of the pixels. */
struct column_job {
	const struct xray *x;
	const struct brick *b;
	struct column column[COLUMNS];
	int columns, rows; // row 0 is the lowest in z
	float *first;      // pixel of row 0 in column 0
	long next;         // elements to the next row
	int step;          // and to the next column
	unsigned done;     // bit per column: takes part
};

struct column_kernels {
	void (*forward)(const struct column_job *j, const float *box);
	void (*adjoint)(const struct column_job *j, float *box);
};

/** The fastest kernels for this machine, by Joseph's and by Siddon's method. The kernels of Siddon's method
 * give bit-identical results on all machines. */
extern const struct column_kernels *column_kernels(void);
extern const struct column_kernels *siddon_column_kernels(void);

/** Computes the columns of a group (ray_sweep.h) through a brick, for columns parallel to z and a volume of
 * more than one slice. Returns a bit mask of the columns that need no further computation. The other columns
 * need the general path: z is the dominant axis of their rays, or their rows are too many or too close to
 * each other. */
struct ray_group;
typedef unsigned column_sweep_fn(const struct ray_group *g);
extern column_sweep_fn column_sweep_joseph, column_sweep_siddon;

#endif
