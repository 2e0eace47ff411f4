#ifndef CT_FBP_FDK_LINE_H
#define CT_FBP_FDK_LINE_H

#include "misc/dtype.h"

/**
 * One view of an untilted detector, for back projection into lines of voxels along z. Line i is projected
 * between column[i] and the next column. Values are interpolated between the two columns, then between two
 * rows.
 *
 *     sum[k] += value of (left[i] * column + right[i] * next column) at row[i] + rise[i] (first + k),
 *               0 beyond the rows
 */
struct fdk_view {
	const void *frame; // row 0 of column 0, rows fastest; every column has FDK_GUARD zeros at both ends
	long pitch;        // elements from one column to the next
	const int *column; // -1 if the line is not seen
	const void *left, *right; // weights of the two columns, in the type of the frame
	const double *row, *rise; // row of slice 0, rows per slice
};

enum { FDK_GUARD = 40, FDK_LANES = 16 };

/** Back-projects n views into the slices [first, first + nz) of line i. `first` must be a multiple of
 * FDK_LANES. `rows` is the number of detector rows. `sum` has nz elements, rounded up to a multiple of
 * FDK_LANES. */
typedef void fdk_add_fn(
        const struct fdk_view *view, int n, long i, long rows, long first, long nz, void *sum);

/** Returns the fastest function for this machine. The result does not depend on the number of views per call.
 */
extern fdk_add_fn *fdk_add(enum dtype type);

#endif
