#ifndef CT_PROJECTOR_CPU_COLUMNS_H
#define CT_PROJECTOR_CPU_COLUMNS_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/column.h"
#include "ct/projector/model/siddon.h"

/**
 * Fast float32 CPU kernels for detector columns parallel to z. Up to 16 columns of a view are traced
 * together through a brick. A brick is a block of voxels.
 */

enum {
	COLUMNS = 16,      // columns that are traced together
	COLUMN_ROWS = 640, // largest number of rows of a column
	COLUMN_GUARD = 96, // zeros before and after the rows of a column
	COLUMN_PITCH = COLUMN_GUARD + COLUMN_ROWS + COLUMN_GUARD + 16,
	COLUMN_EDGE = 128,  // largest size of a brick along z [voxels]
	COLUMN_PLANES = 64, // largest size of a brick along x and y [voxels]
	LEVEL_EDGE = 64,    // largest size of a brick along z for a parallel beam [voxels]
};

/** Detector columns whose rays pass through one brick. Holds the parts of the rays inside the brick, and the
 * addresses of the pixels. */
struct column_job {
	const struct xray *x;
	const struct brick *b;
	struct column column[COLUMNS];
	int columns, rows; // number of columns and rows; row 0 is the lowest in z
	float *first;      // address of the pixel in row 0 of column 0
	long next;         // elements from row to row
	int step;          // elements from column to column
	unsigned done;     // bit i is set if column i is traced
};

/**
 * Functions that trace the columns of a job through the brick. `box` points to the first voxel of the
 * brick's border.
 *
 * - forward(): Adds line integrals to the pixels.
 * - adjoint(): Adds weighted pixels to the voxels.
 */
struct column_kernels {
	void (*forward)(const struct column_job *j, const float *box);
	void (*adjoint)(const struct column_job *j, float *box);
};

/**
 * These functions return the fastest kernels for this machine.
 *
 * - column_kernels(): Returns kernels for Joseph's method.
 * - siddon_column_kernels(): Returns kernels for Siddon's method, with bit-identical results on all
 *   machines.
 */
extern const struct column_kernels *column_kernels(void);
extern const struct column_kernels *siddon_column_kernels(void);

/**
 * Functions that trace a group of columns (ray_sweep.h) through a brick. The volume must have more than one
 * slice. They set `done` of the group to the rows that were traced. The caller must trace the other rows by
 * slower kernels.
 *
 * - column_sweep_joseph(), column_sweep_siddon(): Trace columns parallel to z. A column is not traced if z is
 *   the dominant axis of its rays. A column is not traced if the column has too many rows, or rows too close
 *   to each other.
 * - tilted_sweep_joseph(): Traces columns of any orientation (tilted.h).
 */
struct ray_group;
typedef void column_sweep_fn(struct ray_group *g);
extern column_sweep_fn column_sweep_joseph, column_sweep_siddon, tilted_sweep_joseph;

#endif
