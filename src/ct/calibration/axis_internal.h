#ifndef CT_CALIBRATION_AXIS_INTERNAL_H
#define CT_CALIBRATION_AXIS_INTERNAL_H

#include "ct/calibration/axis.h"

/** Costs of evenly spaced candidates; the least is best. */
struct axis_curve {
	long n;
	double first, step;
	double *cost; // NAN: not to be had there
};

extern struct axis_curve axis_curve_create(double lo, double hi, double step);

/** The least, refined by a parabola through its neighbours; the confidence against rivals more than `apart`
 * columns away: 0 where it lies at an end of the curve. False when all are NAN or alike. */
extern bool axis_curve_judge(const struct axis_curve *c, double apart, double *column, double *confidence);

/** How good the least of c is beside that of a curve over all columns, outside the range of c: 1 where it is
 * the least, 0 where it is no better than the median there. */
extern double axis_curve_share(const struct axis_curve *c, const struct axis_curve *all);

/** Every `b` columns joined to one and every v-th view kept. */
extern struct axis_scan *axis_scan_bin(const struct axis_scan *s, long b, long v);

/** The views in the order of their angles; of a parallel beam those of the first half turn. */
extern struct axis_scan *axis_half_turn(const struct axis_scan *s);

/** Each line blurred by a Gaussian, so that interpolation between columns takes no more from the noise at
 * half columns than at whole ones. */
extern void axis_blur(struct axis_scan *s, double sigma);

/** The same of `lines` lines of n elements that stand `step` apart, a line beginning `next` behind the last.
 */
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

/** Two views and their weights that give the one at an angle: between them, or beyond the last by at most a
 * step (a scan of 180 degrees leaves its end point out). False in gaps. */
struct between {
	long view[2];
	double weight[2];
};
extern bool circle_between(const struct circle_order *o, double angle, struct between *b);

/** Standard deviation of the noise of a pixel, from second differences along columns and views, which leave
 * little of an object: the median of their sizes in blocks of columns. 0 with fewer than 3 views or columns.
 * p: (cols, rows, views), of which the middle row is looked at. */
extern double axis_noise(const double *p, long cols, long rows, long views);

extern void axis_phase(const struct axis_scan *s, struct axis_result *r);
/** *curve: costs of candidates over the range; free(curve->cost). Whether rays all around the circle were
 * measured from both ends. */
extern bool axis_overlap(const struct axis_scan *s, struct axis_result *r, struct axis_curve *curve);
extern void axis_wedge(const struct axis_scan *s, struct axis_result *r);
extern void axis_slices(const struct axis_scan *s, const bool wanted[], struct axis_result r[]);

/** Value of a line of n samples at x by cubic convolution; outside that of its ends. */
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
