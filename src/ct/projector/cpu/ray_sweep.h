#ifndef CT_PROJECTOR_CPU_RAY_SWEEP_H
#define CT_PROJECTOR_CPU_RAY_SWEEP_H

#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/ray_packet.h"

/** Kernels that trace the rays of one view through one brick, by Joseph's or Siddon's method. A brick is a
 * block of voxels. Neighbouring detector columns are traced in groups. */

/** Detector rows [from, to). */
struct row_range {
	long from, to;
};

/** A brick, and columns [column, column + n) of one view. The number n is at most COLUMNS. */
struct ray_group {
	const struct xray *x;
	const struct brick *b;
	const struct brick_bounds *bounds;
	void *box, *proj; // first voxel of the brick's border; first pixel of the view
	long view, column;
	int n;
	struct row_range done[COLUMNS]; // rows of each column that are already computed
	int step;
	bool adjoint;
};

/**
 * Functions that trace the rays of a group through the brick, for float32 or float64 data.
 *
 * - columns(): Traces the rays column by column.
 * - rows(): Traces the rays row by row, for detectors with few rows.
 */
struct ray_groups {
	void (*columns)(const struct ray_group *g);
	void (*rows)(const struct ray_group *g);
};

/** These functions return the fastest kernels for this machine. The packet kernels compute sixteen rays
 * together, in float32. */
extern const struct ray_groups *ray_packet_joseph(void), *ray_packet_siddon(void);
extern const struct ray_groups *ray_general_joseph_float(void), *ray_general_siddon_float(void);
extern const struct ray_groups *ray_general_joseph_double(void), *ray_general_siddon_double(void);

/** Detectors with fewer than RAY_FEW_ROWS rows are processed row by row. */
enum { RAY_FEW_ROWS = 4 };

/** Returns whether the views of a scan are processed column by column. */
extern bool ray_by_columns(const struct xray *x);

/** Ray-driven kernels in the list of CPU projectors. */
extern const struct brick_kernels untilted_joseph, untilted_siddon, packet_joseph, packet_siddon;

#endif
