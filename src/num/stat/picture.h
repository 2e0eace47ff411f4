#ifndef NUM_STAT_PICTURE_H
#define NUM_STAT_PICTURE_H

#include "misc/file/hdr.h"

/** These functions show planes of an array as pictures. */

/** The part of complex elements that pictures show. PICTURE_PARTS lists the names in the order of the enum.
 */
#define PICTURE_PARTS "magnitude|phase|real|imaginary"
enum picture_part { PART_MAGNITUDE, PART_PHASE, PART_REAL, PART_IMAGINARY };

struct picture {
	int across, down, cut;     // dims of the array; cut is -1 for a single picture
	int rest;                  // number of other dims longer than 1, taken at index 0
	long width, height, count; // elements across and down, pictures along cut
	long xstr, ystr, fstr;     // bytes between elements, lines and pictures
	enum dtype type;
	enum picture_part part;
	const char *data;
};

/** Chooses the plane of the pictures. Pictures are counted along the dim `cut`. If `cut` is negative, the
 * plane is the first two dims longer than 1. The third dim longer than 1 is the cut. Otherwise the plane is
 * the first two dims other than `cut`. `data` contains all elements. */
extern void picture_init(
        struct picture *p, const struct hdr *h, int cut, enum picture_part part, const void *data);

/** Reads line y of picture f into values[width]. `tmp` has room for `width` elements of 16 bytes. */
extern void picture_line(const struct picture *p, long f, long y, double *values, void *tmp);

/** Finds the smallest and largest finite value in n pictures, `step` apart from `first` on. Without finite
 * values, *lo is 0 and *hi is 1. Returns the number of values that are not finite. */
extern long picture_extent(const struct picture *p, long first, long step, long n, double *lo, double *hi);

/** Returns a percentile of the finite values, exact in float32 precision. Without finite values, the result
 * is 0. */
extern double picture_percentile(const struct picture *p, long first, long step, long n, double percent);

/** Kinds of projection along the dim `cut` of a picture. */
#define PICTURE_PROJECTIONS "max|min|mean"
enum picture_projection { PROJECTION_MAX, PROJECTION_MIN, PROJECTION_MEAN };

/** Projects n pictures, `step` apart from `first` on, into values[height][width]. The result is the maximum,
 * minimum or mean of the finite values. Without finite values, the result is NaN. */
extern void picture_project(
        const struct picture *p, long first, long step, long n, enum picture_projection how, double *values);

/** Makes p a single picture of [height][width] values in the plane of picture `like`. The values must outlive
 * p. */
extern void picture_of_values(struct picture *p, const struct picture *like, const double *values);

#endif
