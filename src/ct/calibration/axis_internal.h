#ifndef CT_CALIBRATION_AXIS_INTERNAL_H
#define CT_CALIBRATION_AXIS_INTERNAL_H

#include "ct/calibration/axis.h"

/** Contains the costs of equally spaced candidate columns. The candidate with the smallest cost is the
 * best. */
struct axis_curve {
	long n;
	double first, step; // first column, and distance of successive columns
	double *cost;       // NAN means unknown
};

/** Creates a curve of candidate columns from `lo` to `hi`. All costs are NAN. The caller frees the member
 * `cost`. */
extern struct axis_curve axis_curve_create(double lo, double hi, double step);

/** Finds the candidate with the smallest cost, and refines its column by a parabola. The confidence
 * compares the smallest cost with the smallest local minimum more than `apart` columns away. If the
 * smallest cost is at an end of the curve, the confidence is 0. Returns false if all costs are NAN. Also
 * returns false if the median cost is not above the smallest cost. */
extern bool axis_curve_judge(const struct axis_curve *c, double apart, double *column, double *confidence);

/** Compares the minimum of curve c with the costs of curve `all` outside the range of c. Returns 1 if the
 * minimum of c is the smallest cost. Returns 0 if the median of `all` is not above the minimum of c.
 * Otherwise returns a value between 0 and 1. */
extern double axis_curve_share(const struct axis_curve *c, const struct axis_curve *all);

/** Returns a copy of a scan with fewer columns and views. Groups of b columns are averaged, and every
 * v-th view is kept. Release the copy with axis_scan_free(). */
extern struct axis_scan *axis_scan_bin(const struct axis_scan *s, long b, long v);

/** Returns a copy of a scan with the views in the order of their angles. For a parallel beam, only views
 * of the first half turn are kept. Release the copy with axis_scan_free(). */
extern struct axis_scan *axis_half_turn(const struct axis_scan *s);

/** Blurs each view by a Gaussian with the standard deviation `sigma` [columns]. After the blur,
 * interpolation at whole and at half columns removes the same amount of noise. */
extern void axis_blur(struct axis_scan *s, double sigma);

/** Blurs lines of an array in place by a Gaussian with the standard deviation `sigma` [elements]. The
 * number of lines is `lines`, and each line has n elements. Successive elements of a line are `step`
 * elements apart in memory. Successive lines begin `next` elements apart. */
extern void axis_blur_lines(double *p, long n, long step, long lines, long next, long sigma);

/** Contains the views in the order of their angles. */
struct circle_order {
	long n;
	double *angle; // ascending, from 0 to 2 pi [radians]
	long *view;    // number of each view
	double step;   // median difference of successive angles
};

/** Sorts the views of a geometry by angle. Release the memory with circle_order_free(). */
extern struct circle_order circle_order_create(const struct geom *g);
extern void circle_order_free(struct circle_order *o);

/** Contains two views and their weights for interpolation at an angle. */
struct between {
	long view[2];
	double weight[2];
};

/** Finds two views and their weights for linear interpolation at `angle` [radians]. In a gap of the scan,
 * the weights extrapolate by at most one view step. Scans of 180 degrees need the extrapolation, because
 * the end point is not measured. Returns false if the angle is deeper inside a gap. */
extern bool circle_between(const struct circle_order *o, double angle, struct between *b);

/** Returns the standard deviation of the pixel noise in the middle row of p (cols, rows, views). The
 * estimate uses second differences along columns and views, because they suppress the object. Returns 0
 * if there are fewer than 3 views or columns. */
extern double axis_noise(const double *p, long cols, long rows, long views);

/** Runs AXIS_PHASE on a scan. */
extern void axis_phase(const struct axis_scan *s, struct axis_result *r);
/** Runs AXIS_OVERLAP. `curve` receives the costs of all candidates; the caller frees curve->cost. Returns
 * whether opposite rays were measured over the full circle. */
extern bool axis_overlap(const struct axis_scan *s, struct axis_result *r, struct axis_curve *curve);

/** Runs AXIS_WEDGE on a scan. */
extern void axis_wedge(const struct axis_scan *s, struct axis_result *r);

/** Runs the wanted methods among AXIS_NEGATIVITY, AXIS_ENTROPY and AXIS_SHARPNESS, which reconstruct
 * slices. Both arrays have AXIS_METHODS elements. */
extern void axis_slices(const struct axis_scan *s, const bool wanted[], struct axis_result r[]);

/** Interpolates a line of n samples at x by cubic convolution. Outside the line, x is clamped to the
 * nearest end. */
static inline double axis_cubic(const double *line, long n, double x)
{
	double fl = (x < 0.) ? 0. : (x > (double)(n - 1)) ? (double)(n - 1) : x;
	long i = (long)fl;
	double t = fl - (double)i;
	double p[4];

	for (long k = 0; k < 4; k++) {
		long j = i + k - 1;

		p[k] = line[(j < 0) ? 0 : (j >= n) ? n - 1 : j];
	}

	return p[1] + 0.5 * t *
	                      (p[2] - p[0] +
	                              t * (2. * p[0] - 5. * p[1] + 4. * p[2] - p[3] +
	                                          t * (3. * (p[1] - p[2]) + p[3] - p[0])));
}

#endif
