#ifndef CORRECT_NORMALIZE_H
#define CORRECT_NORMALIZE_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/**
 * From detector counts to transmission and line integrals: t = (counts - dark) / (flat - dark) /
 * air, p = -log t where air is the mean of t over some columns and rows of each view that see only
 * air. The flat is one image; or interpolated between images taken at several views; or the mean
 * of many plus a few of their principal components, weighted for each view
 * (correct/eigen_flats.h).
 */
enum { NORMALIZE_RANGES = 16 };

struct normalizer {
	long cols, rows;
	long views;    // of the scan: at[] counts within it; set by the caller where flats change
	double *dark;  // cols * rows, NULL = 0
	double *gain;  // 1 / (flat - dark), 0 where the flat is not above the dark; NULL = 1
	long images;   // of a flat that changes; 0: it does not
	double *image; // cols * rows * images
	double *at;    // the view each belongs to, ascending; NULL: a mean and components
	struct normalize_range {
		long first, count;
	} air[NORMALIZE_RANGES]; // columns, apart from each other
	int airs;                // how many; 0: none
	long air_row, air_rows;  // rows
	bool log;
	double *there, *gain_there; // dark and gain on a device, once views came from there
	long dead;    // values found without a transmission: no flat, or not finite; they become 1
	long clamped; // transmissions raised to NORMALIZE_FLOOR before the logarithm
};

/** Lower limit of transmissions before the logarithm. */
#define NORMALIZE_FLOOR 1e-6

/** dark, flat: (cols, rows, frames), frames are averaged, cols and rows may be 1; NULL = none. error() if
 * they do not fit. */
extern void normalizer_init(struct normalizer *z, long cols, long rows, struct cfl *dark, struct cfl *flat);

/** Changing flats: frame k of flat belongs to view at[k] (ascending; those of one view are averaged), with
 * linear interpolation in between, constant before the first and after the last. error() unless there are n
 * frames. */
extern void normalizer_flats_at(struct normalizer *z, struct cfl *flat, long n, const long at[]);

/** Changing flats: the mean of all frames and their first n principal components. error() unless there are
 * more than n frames. */
extern void normalizer_eigen_flats(struct normalizer *z, struct cfl *flat, long n);

/** Pixels whose flat (its mean if it changes) is not above the dark. */
extern long normalizer_unlit(const struct normalizer *z);

/** Mean over the pixels of flat minus dark; 0 without a flat. */
extern double normalizer_level(const struct normalizer *z, long pixel);

/** Weights c of the images in the flats of n views x, images * n, malloc'd; and 1 / (flat - dark) of a pixel
 * with those of a view, 0 if the flat is not above the dark. */
extern double *normalizer_shares(const struct normalizer *z, const double *x, long first, long n);
extern double normalizer_gain(const struct normalizer *z, long pixel, const double c[]);

extern void normalizer_free(struct normalizer *z);

/** n views in place, on the host, or on a device if the flat does not change; first is their number, name
 * that of the file, for messages. error() if a view's air is not above 0. */
extern void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name);

#endif
