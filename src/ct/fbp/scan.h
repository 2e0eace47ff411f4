#ifndef CT_FBP_SCAN_H
#define CT_FBP_SCAN_H

#include "ct/geometry/geom.h"

/**
 * Angular weights of a circular scan. Each view is weighted by half the sum of the angular gaps to its two
 * neighbours [rad]. Angles may be repeated, unevenly spaced or in any order. Views at the same angle have
 * equal weights. A second weight depends on how often the scan measures a ray:
 * - For a parallel beam, the weight is 1. View angles are taken modulo 180 degrees.
 * - For an inclined parallel beam over 360 degrees, the weight is 1/2.
 * - For a fan or cone beam over 360 degrees, the weight is 1/2.
 * - For a fan or cone beam over a shorter arc, the weights are those of Parker [1] or Silver [2]. The arc
 *   must be at least 180 degrees + fan angle.
 * - For an offset detector over 360 degrees, rays measured once have the weight 1. The weights of two
 *   opposite rays vary smoothly and sum to 1 [3].
 *
 * [1] D. L. Parker, Optimal short scan convolution reconstruction for fan beam CT, Med. Phys. 9(2), 1982.
 * [2] M. D. Silver, A method for including redundant data in computed tomography, Med. Phys. 27(4), 2000.
 * [3] G. Wang, X-ray micro-CT with a displaced detector array, Med. Phys. 29(7), 2002.
 */
struct scan;

/** Weights of a short scan over more than 180 degrees + fan angle. SCAN_SILVER uses all views, as if the fan
 * were wider [2]. SCAN_PARKER uses only the first 180 degrees + fan angle [1]. */
enum scan_short { SCAN_SILVER, SCAN_PARKER };
#define SCAN_SHORT_NAMES "silver|parker"

/** Computes the weights of a scan. `g` must exist until scan_free(). Views that cover too small an angle are
 * an error(). The message names the geometry file `name`, the covered angle and the needed angle. */
extern struct scan *scan_create(const struct geom *g, enum scan_short form, const char *name);
extern void scan_free(struct scan *s);

/** Writes the ray weights of one view [rad] to `weight[cols]`. Over all views, the weights of the rays
 * through a point sum to pi. */
extern void scan_weights(const struct scan *s, long view, double *weight);

/** Computes the term that is added to the weighted rays of an offset detector before the ramp filter. The
 * weights of scan_weights() fall steeply at the axis if the detector ends near it. After the sampled ramp
 * filter, opposite rays of such an edge do not sum to the exact value, and rings remain. The term makes the
 * edge smooth:
 *
 *     (1/2 - w) cos^2(pi x / (2 r)) P
 *
 * w is the weight of a ray at position x, r is the reach of the term, and P is the line integral through the
 * axis. For a parallel beam, the terms of two opposite rays sum to 0, because P is the same in opposite
 * views. For fan and cone beams, the sum is 0 only at the axis. So there r is at most 32 columns, and the
 * term is smaller the more columns are beyond the axis. `fill[n]` becomes the factor of P [rad]. Element i of
 * `fill` is for column i - left. `*axis` becomes the column of the axis. For other scans, or if the view does
 * not see the axis, the function returns false. */
extern bool scan_fill(const struct scan *s, long view, long left, long n, double *fill, double *axis);

/** Computes how many columns to add to the views of an offset detector. `extra[0]` columns are added before
 * the first column. `extra[1]` columns are added after the last column. With the added columns, filtered
 * views extend equally far on both sides of the axis. For other detectors, or for less than 360 degrees, no
 * columns are added. The added columns are 0 before filtering, but not after filtering. */
extern void scan_beyond(const struct scan *s, long extra[2]);

/** Returns a description of the scan, such as "short scan over 220.0 degrees, Parker weights". The string
 * belongs to s. */
extern const char *scan_describe(const struct scan *s);

/** Returns whether the rays are weighted as in a short scan. */
extern bool scan_is_short(const struct scan *s);

/** Computes the point c of the z axis on which the view is centred [mm]. If the detector sees the axis at the
 * height of the source, c is at that height. Otherwise, c is where the ray through the detector's centre
 * passes the axis. For a parallel beam, c is the origin. */
extern void scan_centre(const struct geom *g, long view, double c[3]);

/** Returns the position of the ray of column a relative to the axis. For a fan or cone beam, the position is
 * the angle between the ray and the ray through the axis [rad]. For a parallel beam, the position is the
 * distance from the axis [mm]. Positive positions are to the left of the axis, seen from the source with z
 * up. */
extern double scan_place(const struct geom *g, long view, double a);

/** Computes the gaps between n angles modulo `period`:
 * - weight[i] becomes half the sum of the gaps on both sides of angle[i].
 * - gap[i] becomes the gap after the i-th angle in ascending order.
 * - order[i] becomes the index of the i-th angle in ascending order. */
extern void scan_half_gaps(
        long n, const double angle[], double period, double weight[], double gap[], long order[]);

/** Finds angles that are equal but for a tenth of the mean gap, as in several turns. `gap` is the result of
 * scan_half_gaps(). Returns the end of the group of equal angles that begins with the i-th angle after
 * `first`, at most n. In ascending order, `first` is an angle after a gap of at least the mean. */
extern long scan_same_angle(long n, double period, const double gap[], long first, long i);

#endif
