#ifndef NUM_STAT_PICTURE_H
#define NUM_STAT_PICTURE_H

#include "misc/file/hdr.h"

/** Shows planes of an array as pictures: lines of a picture, and the range of values. */

/** The part of a complex element that is shown. PICTURE_PARTS lists the choices in the order of enum
 * picture_part, for option tables. */
#define PICTURE_PARTS "magnitude|phase|real|imaginary"
enum picture_part { PART_MAGNITUDE, PART_PHASE, PART_REAL, PART_IMAGINARY };

struct picture {
	int across, down, cut;     // dims of the array; cut = -1: there is nothing to choose
	int rest;                  // larger dims that are none of these, taken at index 0
	long width, height, count; // elements across and down, pictures along cut
	long xstr, ystr, fstr;     // bytes between elements, lines and pictures
	enum dtype type;
	enum picture_part part;
	const char *data;
};

/**
 * Chooses the plane: the first two dims larger than 1. The third such dim is the cut, along which pictures
 * are counted. With cut >= 0, the plane is the first two dims other than `cut`. data: the elements of the
 * whole array.
 */
extern void picture_init(
        struct picture *p, const struct hdr *h, int cut, enum picture_part part, const void *data);

/** values[width] = line y of picture f. tmp: room for `width` elements of 16 bytes. */
extern void picture_line(const struct picture *p, long f, long y, double *values, void *tmp);

/** Smallest and largest finite value of pictures first + i step, 0 <= i < n; 0 and 1 if there is
 * none. Returns how many values are not finite. */
extern long picture_extent(const struct picture *p, long first, long step, long n, double *lo, double *hi);

/** A percentile of the finite values; 0 if there are none. It is exact in float32 precision, from two
 * histograms of the bits. */
extern double picture_percentile(const struct picture *p, long first, long step, long n, double percent);

/** The kind of projection along the cut. */
#define PICTURE_PROJECTIONS "max|min|mean"
enum picture_projection { PROJECTION_MAX, PROJECTION_MIN, PROJECTION_MEAN };

/** Projects pictures first + i step, 0 <= i < n: the maximum (maximum intensity projection),
 * minimum or mean of the finite values; NaN if no value is finite. values: [height][width]. */
extern void picture_project(
        const struct picture *p, long first, long step, long n, enum picture_projection how, double *values);

/** A single picture of [height][width] values in the plane of picture `like`. The values must outlive the
 * picture. */
extern void picture_of_values(struct picture *p, const struct picture *like, const double *values);

#endif
