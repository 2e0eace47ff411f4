#ifndef CT_PROJECTOR_CPU_UNTILTED_H
#define CT_PROJECTOR_CPU_UNTILTED_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/**
 * Fast CPU kernels for separable footprints, float32. The detector columns must be parallel to z. All voxels
 * of a line along z have the same weights in the same detector columns. The footprints of a line are equally
 * spaced along the detector rows. A resamples each line from voxels to rows, and adds the result to a few
 * detector columns. A' sums a few detector columns, and resamples the sum from rows to voxels.
 */

enum {
	UNTILTED_EDGE = 64,   // largest size of a brick along x and y [voxels]
	UNTILTED_DEPTH = 128, // largest size of a brick along z [voxels]
	UNTILTED_TAPS = 8,    // columns that are processed together
	UNTILTED_LINES = 8,   // lines of voxels that are processed together
	UNTILTED_ROWS = 2048, // largest number of rows of a window
	UNTILTED_GUARD = 64,  // rows with value 0 around a window
	UNTILTED_PAD = 64,    // zeros around the voxels of a line
	UNTILTED_LINE_ROOM = UNTILTED_PAD + UNTILTED_DEPTH + UNTILTED_PAD,
};

/** Lines of voxels along z, side by side along y. Each array has one element per line. */
struct untilted_row {
	_Alignas(64) double at[UNTILTED_EDGE];                        // row of the first voxel's centre
	_Alignas(64) double rise[UNTILTED_EDGE], step[UNTILTED_EDGE]; // rows per voxel, and voxels per row
	_Alignas(64) float start[UNTILTED_EDGE], flat[UNTILTED_EDGE], soft[UNTILTED_EDGE],
	        bend[UNTILTED_EDGE],
	        inv[UNTILTED_EDGE]; // arguments of sf_part(); `start` is e at the first column
	_Alignas(64) float amount[UNTILTED_EDGE],
	        away2[UNTILTED_EDGE]; // amount per mm from the source; squared distance in x and y
	_Alignas(64) int first[UNTILTED_EDGE], end[UNTILTED_EDGE]; // range of columns
};

/** A window is a part of one view. Columns [column, column + columns) of the view are stored as lines. A
 * line begins with the row that is lowest in z. */
struct untilted_window {
	float *lines; // row 0 of the first column
	long column, columns;
	double first; // row of the view that is row 0 of the window, counted upwards in z
	int rows, pitch;
	int guard; // additional columns on both sides, which are not copied to the view
};

/** The ranges of rows and columns that the footprints of a brick touch. Rows count upwards in z. A brick is a
 * block of voxels. */
struct untilted_range {
	double least, most; // range of rows; fractions are possible
	double off;         // largest deviation of voxels from the heights of successive rows [rows]
	int first, end;     // range of columns
	int taps;           // largest number of columns that one line touches
};

/** Arguments for processing a struct untilted_row. A adds the lines to the window. A' reads the window. */
struct untilted_job {
	const struct untilted_window *w;
	int depth;           // voxels of a line
	int from;            // first column that is processed, counted from the first column of a line
	int taps;            // number of columns that are processed
	bool unit;           // successive voxels are at the heights of successive rows
	bool parallel;       // the beam is parallel
	const float *along2; // squared distances of the voxels from the source along z [mm^2]
	float (*room)[UNTILTED_LINE_ROOM]; // buffers for UNTILTED_LINES lines, 0 outside the voxels
	float (*part)[UNTILTED_EDGE];      // weights of the lines in the columns
	float *voxel;                      // first voxel of the first line
	long stride;                       // elements from line to line
};

/**
 * Functions that process lines of voxels. The functions process lines [first, first + count) of r. `count` is
 * at most UNTILTED_LINES. `first` is a multiple of UNTILTED_LINES.
 *
 * - forward(): Adds the lines to columns of the window.
 * - adjoint(): Adds columns of the window to the lines.
 */
struct untilted_kernels {
	void (*forward)(const struct untilted_job *j, const struct untilted_row *r, int first, int count);
	void (*adjoint)(const struct untilted_job *j, const struct untilted_row *r, int first, int count);
	/** For k < taps, sets part[k][i] to the weight of line i in column `r->first[i] + from + k`. The
	 * weight includes the factor r->amount[i]. */
	void (*parts)(float part[UNTILTED_TAPS][UNTILTED_EDGE], const struct untilted_row *r, int n, int from,
	        int taps);
	/** Sets *r to the data of n lines of voxels at index x. Each line has `depth` voxels. The range
	 * *range is widened to include the lines. */
	void (*look)(struct untilted_row *r, struct untilted_range *range, const struct sf_view *w,
	        const struct geom *g, int x, int n, int depth);
};

/** Returns the fastest kernels for this machine. All kernels give bit-identical results. */
extern const struct untilted_kernels *untilted_kernels(void);

/** Does the same as footprints_float(), with the same arguments. Returns false if these kernels do not
 * support the view or the brick. If the result is false, the data are unchanged. */
extern bool untilted_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);

#endif
