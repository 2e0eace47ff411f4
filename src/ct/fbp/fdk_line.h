#ifndef CT_FBP_FDK_LINE_H
#define CT_FBP_FDK_LINE_H

#include "misc/dtype.h"

/**
 * A view of an untilted detector, for the back projection into neighbouring lines of voxels along z. Line i
 * is projected between column[i] and the next column; the value is interpolated between these two columns,
 * and then between their rows.
 *
 *     sum[k] += value of (left[i] * column + right[i] * next column) at row[i] + rise[i] (first + k),
 *               0 beyond the rows
 */
struct fdk_view {
	const void *frame; // row 0 of column 0; every column has FDK_GUARD zeros before it and behind the
	                   // last row
	long pitch;        // elements from a column to the next
	const int *column; // -1: not seen
	const void *left, *right; // weights, in the type of the frame
	const double *row, *rise; // where slice 0 is seen, and the next one from there
};

enum { FDK_GUARD = 40, FDK_LANES = 16 };

/** Adds n views to slices [first, first + nz) of line i; first is a multiple of FDK_LANES. Whole groups of
 * FDK_LANES slices are computed, also at the end. */
typedef void fdk_add_fn(
        const struct fdk_view *view, int n, long i, long rows, long first, long nz, void *sum);

/** The fastest function for this machine. The result does not depend on how views are grouped into calls. */
extern fdk_add_fn *fdk_add(enum dtype type);

#endif
