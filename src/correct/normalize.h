#ifndef CORRECT_NORMALIZE_H
#define CORRECT_NORMALIZE_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/**
 * Converts detector counts to transmission t and line integrals p:
 *
 *     t = (counts - dark) / (flat - dark) / air,    p = -log t
 *
 * air is the mean of (counts - dark) / (flat - dark) over columns and rows of each view whose rays pass
 * through air only. The flat is one of these: one image; images taken at several views, interpolated; or the
 * mean of many images plus a few of their principal components, weighted for each view
 * (correct/eigen_flats.h).
 */
enum { NORMALIZE_RANGES = 16 };

struct normalizer {
	long cols, rows;
	long views;    // of the scan: at[] counts within it; set by the caller where flats change
	double *dark;  // cols * rows, NULL = 0
	double *gain;  // 1 / (flat - dark), 0 where the flat is not above the dark; NULL = 1
	long images;   // number of images of a changing flat; 0: constant flat
	double *image; // cols * rows * images
	double *at;    // the view of each image, ascending; NULL: a mean and components
	struct normalize_range {
		long first, count;
	} air[NORMALIZE_RANGES]; // columns, apart from each other
	int airs;                // how many; 0: none
	long air_row, air_rows;  // rows
	bool log;
	double *there, *gain_there; // dark and gain on a device; NULL until needed
	long dead;    // number of values without a transmission (no flat, or not finite), set to 1
	long clamped; // number of transmissions raised to NORMALIZE_FLOOR before the logarithm
};

/** Lower limit of transmissions before the logarithm. */
#define NORMALIZE_FLOOR 1e-6

/** dark, flat: (cols, rows, frames), frames are averaged, cols and rows may be 1; NULL = none. error() if
 * dims do not fit. */
extern void normalizer_init(struct normalizer *z, long cols, long rows, struct cfl *dark, struct cfl *flat);

/** Changing flats: frame k of flat belongs to view at[k] (ascending; frames of the same view are averaged).
 * Flats are interpolated linearly between these views, and constant before the first and after the last.
 * error() unless there are n frames. */
extern void normalizer_flats_at(struct normalizer *z, struct cfl *flat, long n, const long at[]);

/** Changing flats: the mean of all frames and their first n principal components. error() unless there are
 * more than n frames. */
extern void normalizer_eigen_flats(struct normalizer *z, struct cfl *flat, long n);

/** The number of pixels whose flat (for changing flats: the mean flat) is not above the dark. */
extern long normalizer_unlit(const struct normalizer *z);

/** The flat (for changing flats: the mean flat) minus the dark at a pixel; 0 without a flat. */
extern double normalizer_level(const struct normalizer *z, long pixel);

/** normalizer_shares() returns the malloc'd weights c[images * n] of the images for n views x; the number of
 * the first view is `first`. The flat of a view is the sum of the images, multiplied by the `images` weights
 * of this view. normalizer_gain() returns 1 / (flat - dark) of a pixel for the weights c of one view, or 0 if
 * the flat is not above the dark. */
extern double *normalizer_shares(const struct normalizer *z, const double *x, long first, long n);
extern double normalizer_gain(const struct normalizer *z, long pixel, const double c[]);

extern void normalizer_free(struct normalizer *z);

/** Normalises n views in place. The views may reside on a device only if the flat is constant. first: number
 * of the first view. name: name of the file, for messages. error() if a view's air is not above 0. */
extern void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name);

#endif
