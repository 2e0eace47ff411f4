#ifndef CT_CALIBRATION_AXIS_INTERNAL_H
#define CT_CALIBRATION_AXIS_INTERNAL_H

#include "ct/calibration/axis.h"

/** Costs of equally spaced candidates; the candidate with the smallest cost is the best. */
struct axis_curve {
	long n;
	double first, step;
	double *cost; // NAN: not to be had there
};

extern struct axis_curve axis_curve_create(double lo, double hi, double step);

/** Finds the candidate with the smallest cost, and refines its column by a parabola. The confidence compares
 * this candidate with the best one more than `apart` columns away. The confidence is 0 if the minimum is at
 * an end of the curve. Returns false if all costs are NAN, or if their median is not above the smallest. */
extern bool axis_curve_judge(const struct axis_curve *c, double apart, double *column, double *confidence);

/** Compares the minimum of c with the costs of the curve `all` outside the range of c. Returns 1 if none of
 * these costs is smaller, 0 if the minimum is not below the median of `all`, else a value between 0 and 1. */
extern double axis_curve_share(const struct axis_curve *c, const struct axis_curve *all);

/** Bins every `b` columns and keeps every v-th view. */
extern struct axis_scan *axis_scan_bin(const struct axis_scan *s, long b, long v);

/** The views in the order of their angles; for a parallel beam only the views of the first half turn. */
extern struct axis_scan *axis_half_turn(const struct axis_scan *s);

/** Blurs each line by a Gaussian, so that interpolation removes the same amount of noise at half columns as
 * at whole ones. */
extern void axis_blur(struct axis_scan *s, double sigma);

/** Blurs `lines` lines of n elements that are `step` apart; successive lines begin `next` apart. */
extern void axis_blur_lines(double *p, long n, long step, long lines, long next, long sigma);

/** Views in the order of their angles. */
struct circle_order {
	long n;
	double *angle; // ascending, 0 .. 2 pi
	long *view;
	double step; // median gap
};
extern struct circle_order circle_order_create(const struct geom *g);
extern void circle_order_free(struct circle_order *o);

/** Two views and their weights for interpolation at an angle. In a gap between views, the weights extrapolate
 * from the nearer end of the gap by at most one step, since a scan of 180 degrees excludes its end point.
 * Returns false if the angle is further inside a gap. */
struct between {
	long view[2];
	double weight[2];
};
extern bool circle_between(const struct circle_order *o, double angle, struct between *b);

/** Standard deviation of the pixel noise in the middle row of p (cols, rows, views). It is estimated from
 * second differences along columns and views, which suppress the object, as the median of their magnitudes in
 * blocks of columns. Returns 0 with fewer than 3 views or columns. */
extern double axis_noise(const double *p, long cols, long rows, long views);

extern void axis_phase(const struct axis_scan *s, struct axis_result *r);
/** curve: costs of candidates over the range; free(curve->cost) releases the costs. Returns whether opposite
 * rays were measured all around the circle. */
extern bool axis_overlap(const struct axis_scan *s, struct axis_result *r, struct axis_curve *curve);
extern void axis_wedge(const struct axis_scan *s, struct axis_result *r);
extern void axis_slices(const struct axis_scan *s, const bool wanted[], struct axis_result r[]);

/** Value of a line of n samples at x by cubic convolution; clamped outside. */
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
