#ifndef CT_CALIBRATION_AXIS_H
#define CT_CALIBRATION_AXIS_H

#include "ct/geometry/geom.h"

/**
 * Finds the detector column of the rotation axis from projections. A single detector row is used. Columns
 * are counted from 0 and may be fractions.
 *
 * [1] C. D. Kuglin, D. C. Hines, The phase correlation image alignment method, IEEE International
 * Conference on Cybernetics and Society, 1975.
 * [2] N. T. Vo et al., Data processing methods and data acquisition for samples larger than the field of
 * view in parallel-beam tomography, Opt. Express 29(12), 2021.
 * [3] N. T. Vo et al., Reliable method for calculating the center of rotation in parallel-beam tomography,
 * Opt. Express 22(16), 2014.
 * [4] T. Donath, F. Beckmann, A. Schreyer, Automated determination of the center of rotation in tomography
 * data, J. Opt. Soc. Am. A 23(5), 2006.
 */
struct axis_scan {
	struct geom *g;   // geometry of the row
	const char *name; // name of the geometry file, for messages
	long cols, views;
	double *p;      // line integrals (cols, views)
	double nominal; // axis column of the geometry
	double lo, hi;  // range of columns to search
	bool asked;     // whether the user gave the range; if not, AXIS_OVERLAP may search a wider range
};

/** Lists the methods that find the rotation axis. The string axis_names has the same order. */
enum axis_method {
	AXIS_PHASE,      // phase correlation of opposite views [1], for parallel beams
	AXIS_OVERLAP,    // correlation of opposite rays [2], also for an axis near a detector edge
	AXIS_WEDGE,      // energy outside the double wedge of the sinogram's spectrum [3], for parallel beams
	AXIS_NEGATIVITY, // sum of the negative values of a slice [4]
	AXIS_ENTROPY,    // entropy of the histogram of a slice [4]
	AXIS_SHARPNESS,  // energy of the gradient of a slice
	AXIS_METHODS
};
extern const char axis_names[]; // "phase|overlap|..."

/**
 * The result of one method. The confidence compares the best column with its rival, which is the best
 * distant column. A confidence of 1 means that no good rival exists. A confidence of 0 means that the
 * rival is equally good.
 *
 * If opposite rays were measured over the full circle, AXIS_OVERLAP also rates the other methods' columns.
 * The rating is between 0 and 1. The confidence of a method is multiplied by the rating of its column.
 */
struct axis_result {
	bool found; // whether the method has a result
	double column, confidence;
	const char *why; // reason if there is no result
};

/** Reads the detector row `row` of all views of `proj`, which has the shape (cols, rows, views). Only the
 * first channel and the first time are read. `name` is the name of the geometry file. A value that is
 * not finite is an error() naming the projection file. Release the scan with axis_scan_free(). */
extern struct axis_scan *axis_scan_create(const struct geom *g, struct cfl *proj, long row, const char *name);
extern void axis_scan_free(struct axis_scan *s);

/** Returns the row closest to the plane of the source's circle. For a parallel beam, returns the middle
 * row. */
extern long axis_middle_row(const struct geom *g);

/** Runs each method m whose `wanted[m]` is true, and writes its result to `out[m]`. Both arrays have
 * AXIS_METHODS elements. The results do not depend on the number of threads. Methods that reconstruct
 * slices call error() if the views do not suffice for filtered back projection. */
extern void axis_find(const struct axis_scan *s, const bool wanted[], struct axis_result out[]);

/** Computes the confidence-weighted median of the columns of all methods. The weights of AXIS_NEGATIVITY
 * and AXIS_ENTROPY are halved. The weight of AXIS_SHARPNESS is divided by 5. The result *spread is half
 * the range of the columns with large weights. A weight is large if it is at least half the largest
 * weight. If a single column has a large weight, *spread is NAN. Returns false if no method has a
 * result. */
extern bool axis_median(const struct axis_result r[], double *column, double *spread);

/** Describes the rotation axis as a straight line on the detector. */
struct axis_line {
	double column, column_error; // at the middle row, and its standard deviation [columns]
	double roll, roll_error; // detector roll (geom_turn_detector()), and its standard deviation [degrees]
	double rms;              // root mean square difference between views and mirrored opposite views
	long pairs;              // number of pairs of opposite views
};

/** Fits the rotation axis as a line on the detector, for a parallel beam. Views 180 degrees apart should
 * agree after one of them is mirrored about the line. The fit starts at the column `start`. Up to 12
 * pairs of views are used. Returns false if no views are opposite. Also returns false if the views do
 * not determine column and roll. */
extern bool axis_mirror(const struct geom *g, struct cfl *proj, double start, struct axis_line *out);

/** Describes a square of n x n voxels in a slice. The voxels have the size of the default grid. */
struct axis_crop {
	long n;
	double at[2]; // centre [mm]
};

/** Chooses the square with the strongest edges in a slice. The edges are found in a coarse slice with the
 * axis at `column`. The square has `most` voxels along a side. If the default grid has at most `most`
 * voxels along x, the whole slice is chosen. */
extern struct axis_crop axis_crop_choose(const struct axis_scan *s, double column, long most);

/** Reconstructs the square `crop` of a slice for display, with the axis at `column`. Returns n x n
 * values, which the caller frees. */
extern float *axis_slice(const struct axis_scan *s, double column, const struct axis_crop *crop);

#endif
