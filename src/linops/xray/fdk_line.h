#ifndef LINOPS_XRAY_FDK_LINE_H
#define LINOPS_XRAY_FDK_LINE_H

#include "misc/dtype.h"

/**
 * A view added to lines of voxels along z, on a detector whose columns are upright: a line falls between two
 * columns, which are mixed and interpolated along their rows.
 *
 *     sum[k] += value of (left * p + right * next p) at row + rise (first + k),  0 beyond the rows
 */
struct fdk_line {
	const void *p, *next; // row 0 of both columns; FDK_GUARD zeros before it and behind the last row
	double left, right;   // weights
	double row, rise;     // where slice 0 is seen, and the next one from there
	void *sum;            // slices, in whole groups of FDK_LANES
};

enum { FDK_GUARD = 40, FDK_LANES = 16 };

/** n lines, slices [first, first + nz); first a multiple of FDK_LANES. */
typedef void fdk_add_fn(const struct fdk_line *line, int n, long rows, long first, long nz);

/** For this machine; the same bits whatever the lines come together with. */
extern fdk_add_fn *fdk_add(enum dtype type);

#endif
