#ifndef CT_PROJECTOR_CPU_RAY_SWEEP_H
#define CT_PROJECTOR_CPU_RAY_SWEEP_H

#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/ray_packet.h"

/** The rays of a view through a brick, by Joseph's and by Siddon's method: groups of neighbouring columns,
 * one after the other. */

/** A group of neighbouring columns [column, column + n) of a view, and the brick that their rays pass
 * through; n <= COLUMNS. */
struct ray_group {
	const struct xray *x;
	const struct brick *b;
	const struct brick_bounds *bounds;
	void *box, *proj; // voxel (0, 0, 0) of the ring; the view
	long view, column;
	int n;
	unsigned done; // a bit for each column that is to be left out
	int step;
	bool adjoint;
};

/** Computes all rays of a group that may meet the brick, for one element type. columns() takes the rays
 * column by column. rows() takes them row by row, for detectors with few rows. */
struct ray_groups {
	void (*columns)(const struct ray_group *g);
	void (*rows)(const struct ray_group *g);
};

/** The fastest kernels for this machine. */
extern const struct ray_groups *ray_packet_joseph(void), *ray_packet_siddon(void);
extern const struct ray_groups *ray_general_joseph_float(void), *ray_general_siddon_float(void);
extern const struct ray_groups *ray_general_joseph_double(void), *ray_general_siddon_double(void);

/** Detectors with fewer rows than this number are processed row by row. */
enum { RAY_FEW_ROWS = 4 };

/** Are views of this scan processed column by column? */
extern bool ray_by_columns(const struct xray *x);

/** Ray-driven paths in the list of CPU paths. */
extern const struct brick_kernels untilted_joseph, untilted_siddon, packet_joseph, packet_siddon;

#endif
