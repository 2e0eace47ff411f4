#ifndef CT_CALIBRATION_AXIS_H
#define CT_CALIBRATION_AXIS_H

#include "ct/geometry/geom.h"

/**
 * Determines the column of the rotation axis from the projections. One detector row is used. Columns are
 * counted from 0 and may be fractions.
 */
struct axis_scan {
	struct geom *g;   // of the one row
	const char *name; // of its file, for messages
	long cols, views;
	double *p;      // line integrals (cols, views)
	double nominal; // column that the geometry says
	double lo, hi;  // columns to search
	bool asked;     // for these; else those measured from both ends are looked for further out too
};

/** The methods, in the order of axis_names. */
enum axis_method {
	AXIS_PHASE,      // phase correlation of opposite views [1]; parallel beam
	AXIS_OVERLAP,    // correlation of rays measured from both ends; axes near an edge too [2]
	AXIS_WEDGE,      // energy outside the double wedge of the sinogram's spectrum [3]; parallel beam
	AXIS_NEGATIVITY, // of a slice: mass of its negative part [4]
	AXIS_ENTROPY,    // of a slice: entropy of its histogram [4]
	AXIS_SHARPNESS,  // of a slice: energy of its gradient
	AXIS_METHODS
};
extern const char axis_names[]; // "phase|overlap|..."

/** The result of a method. The confidence compares the best candidate with the best candidate that is far
 * away: 1 = no rival, 0 = an equally good rival. If AXIS_OVERLAP has a result and opposite rays were measured
 * all around, the curve of AXIS_OVERLAP gives the quality of every column. The confidence of each other
 * method is then multiplied by the quality of its column. */
struct axis_result {
	bool found;
	double column, confidence;
	const char *why; // it found nothing
};

/** Reads row `row` of all views of the first channel and time of proj (cols, rows, views). `name`: name of
 * the geometry file. error() naming the file if a value is not finite. */
extern struct axis_scan *axis_scan_create(const struct geom *g, struct cfl *proj, long row, const char *name);
extern void axis_scan_free(struct axis_scan *s);

/** The row closest to the plane of the source's circle; for a parallel beam the middle one. */
extern long axis_middle_row(const struct geom *g);

/** Runs the methods in wanted[AXIS_METHODS], multi-threaded. The result does not depend on the number of
 * threads. error() if a slice is needed and the views do not suffice for filtered back projection. */
extern void axis_find(const struct axis_scan *s, const bool wanted[], struct axis_result out[]);

/** The median of the columns found, weighted by confidence. Weights of methods on slices are halved, that of
 * sharpness is divided by 5. *spread: half the range of the columns with at least half the largest weight,
 * NAN if there is only one such column. Returns false if no method has a result. */
extern bool axis_median(const struct axis_result r[], double *column, double *spread);

/** The axis as a line on the detector. */
struct axis_line {
	double column, column_error; // in the middle row [columns]
	double roll, roll_error;     // the detector's, as geom_turn_detector() [degrees]
	double rms;                  // difference of views and mirrored opposite ones
	long pairs;                  // of them
};

/** Fits the line for a parallel beam, starting from the column `start`. Views 180 degrees apart should agree
 * after one of them is mirrored about the line. Up to 12 pairs of views are used. Errors are standard
 * deviations computed from the residual; since the views are blurred first, fewer pixels count as
 * independent. Returns false if no views are opposite, or if the residual does not depend on a parameter. */
extern bool axis_mirror(const struct geom *g, struct cfl *proj, double start, struct axis_line *out);

/** A square of n x n voxels around a position [mm]; the voxels have the size of the default grid. */
struct axis_crop {
	long n;
	double at[2];
};

/** Reconstructs a coarse slice with the axis at `column`, and chooses the square with the strongest edges
 * (squared gradient). The square has at most `most` voxels along a side. If the default grid has at most
 * `most` voxels along x, the whole slice is chosen. */
extern struct axis_crop axis_crop_choose(const struct axis_scan *s, double column, long most);

/** Reconstructs the square `crop` (n x n) of a slice with the axis at `column`, for display. */
extern float *axis_slice(const struct axis_scan *s, double column, const struct axis_crop *crop);

#endif
