#ifndef CT_PROJECTOR_CPU_UNTILTED_H
#define CT_PROJECTOR_CPU_UNTILTED_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/**
 * The fast path for separable footprints of views whose columns are parallel to z, float32. All voxels of a
 * line along z have the same weights in the same columns, and their footprints are equally spaced along the
 * rows. So A resamples each line from voxels to rows and adds the result to a few columns. A' sums these
 * columns and resamples the sum from rows to voxels.
 */

enum {
	UNTILTED_EDGE = 64,   // voxels of a brick along x and y, at most
	UNTILTED_DEPTH = 128, // and along z
	UNTILTED_TAPS = 8,    // columns at a time
	UNTILTED_LINES = 8,   // lines at a time
	UNTILTED_ROWS = 2048, // of a window, at most
	UNTILTED_GUARD = 64,  // rows around a window, with nothing in them
	UNTILTED_PAD = 64,    // numbers around the voxels of a line, which are 0
	UNTILTED_LINE_ROOM = UNTILTED_PAD + UNTILTED_DEPTH + UNTILTED_PAD,
};

/** Lines of voxels that are neighbours along y. */
struct untilted_row {
	_Alignas(64) double at[UNTILTED_EDGE];                        // row of the first voxel's centre
	_Alignas(64) double rise[UNTILTED_EDGE], step[UNTILTED_EDGE]; // rows per voxel, voxels per row
	_Alignas(64) float start[UNTILTED_EDGE], flat[UNTILTED_EDGE], soft[UNTILTED_EDGE],
	        bend[UNTILTED_EDGE],
	        inv[UNTILTED_EDGE]; // of sf_part()
	_Alignas(64) float amount[UNTILTED_EDGE],
	        away2[UNTILTED_EDGE];                              // per mm of distance; its square across
	_Alignas(64) int first[UNTILTED_EDGE], end[UNTILTED_EDGE]; // columns
};

/** A window of the view. Each of the columns [column, column + columns) is stored as a line, beginning with
 * the row that is lowest in z. */
struct untilted_window {
	float *lines; // of its first column, row 0 of the window
	long column, columns;
	double first; // row 0, upwards in z
	int rows, pitch;
	int guard; // columns on both sides, which nothing comes from
};

/** The range of rows and columns that all lines of a brick together touch; rows count upwards in z. */
struct untilted_range {
	double least, most; // rows, fractions
	double off;         // how far voxels are from standing on rows, one by one
	int first, end;     // columns
	int taps;           // columns of one line, at most
};

/** The lines of a struct untilted_row, and the window that forward adds to and adjoint reads from. */
struct untilted_job {
	const struct untilted_window *w;
	int depth;                         // voxels of a line
	int from;                          // column of a line that is the first one
	int taps;                          // columns
	bool unit;                         // voxels stand on rows, one by one
	bool parallel;                     // beam
	const float *along2;               // squares of the voxels' distances from the source along z [mm^2]
	float (*room)[UNTILTED_LINE_ROOM]; // of UNTILTED_LINES lines: 0 but for the voxels
	float (*part)[UNTILTED_EDGE];      // of columns in lines
	float *voxel;                      // the first one of the row
	long stride;                       // to the next line
};

/** forward: adds lines first .. first + count - 1 of r to columns of the window. adjoint: adds columns of the
 * window to these lines. count is at most UNTILTED_LINES; `first` is a multiple of UNTILTED_LINES. */
struct untilted_kernels {
	void (*forward)(const struct untilted_job *j, const struct untilted_row *r, int first, int count);
	void (*adjoint)(const struct untilted_job *j, const struct untilted_row *r, int first, int count);
	/** part[k][i], k < taps: the weight of line i in column r->first[i] + from + k, including the factor
	 * r->amount[i]. */
	void (*parts)(float part[UNTILTED_TAPS][UNTILTED_EDGE], const struct untilted_row *r, int n, int from,
	        int taps);
	/** Sets the data of the n lines of voxels at x, each `depth` voxels high, and widens the range to
	 * include these lines. */
	void (*look)(struct untilted_row *r, struct untilted_range *range, const struct sf_view *w,
	        const struct geom *g, int x, int n, int depth);
};

/** The fastest kernels for this machine; all give the same bits. */
extern const struct untilted_kernels *untilted_kernels(void);

/** Arguments as footprints_float(). Returns false if this path does not support the view or the brick. */
extern bool untilted_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);

#endif
