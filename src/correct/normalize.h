#ifndef CORRECT_NORMALIZE_H
#define CORRECT_NORMALIZE_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/**
 * Converts detector counts to transmission t and line integrals p:
 *
 *     t = (counts - dark) / (flat - dark) / air,    p = -log t
 *
 * The factor `air` is computed for each view. `air` is the mean of (counts - dark) / (flat - dark) over
 * rays through air. Flat fields can be of three kinds:
 * - A constant flat is one image.
 * - Flats taken at several views are interpolated linearly between these views.
 * - An eigen flat is a mean image plus principal components, weighted for each view
 *   (correct/eigen_flats.h).
 */
enum { NORMALIZE_RANGES = 16 }; // largest number of column ranges in air

struct normalizer {
	long cols, rows;
	long views;    // number of views of a scan; set by the caller if the flat changes
	double *dark;  // cols * rows; NULL means 0
	double *gain;  // 1 / (flat - dark), or 0 where the flat is not above the dark; NULL means 1
	long images;   // number of images of a changing flat; 0 means a constant flat
	double *image; // cols * rows * images
	double *at;    // view number of each image, ascending; NULL for an eigen flat
	struct normalize_range {
		long first, count;
	} air[NORMALIZE_RANGES];    // ranges of columns in air; they do not overlap
	int airs;                   // number of ranges in air; 0 means that the factor `air` is 1
	long air_row, air_rows;     // first row and number of rows in air
	bool log;                   // whether to take the logarithm
	double *there, *gain_there; // copies of dark and gain on a device; NULL until needed
	long dead;                  // number of values without a finite transmission; they are set to 1
	long clamped;               // number of transmissions raised to NORMALIZE_FLOOR before the logarithm
};

/** Transmissions below this limit are raised before the logarithm. */
#define NORMALIZE_FLOOR 1e-6

/** Initialises a normalizer with a constant flat. `dark` and `flat` have the shape (cols, rows, frames).
 * An array with 1 column or 1 row is repeated along that dimension. The frames of each array are
 * averaged. A missing `dark` or `flat` is NULL. Arrays of another size are an error(). Release the memory
 * with normalizer_free(). */
extern void normalizer_init(struct normalizer *z, long cols, long rows, struct cfl *dark, struct cfl *flat);

/** Uses flats that were taken at several views of the scan. Frame k of `flat` belongs to view at[k]. The
 * view numbers at[] are in ascending order. Frames of the same view are averaged. Between the views of
 * two successive frames, the flat is interpolated linearly. Before the first frame and after the last
 * frame, the flat is constant. `flat` must have n frames; another number is an error(). */
extern void normalizer_flats_at(struct normalizer *z, struct cfl *flat, long n, const long at[]);

/** Uses the mean of all frames and their first n principal components as the flat. Fewer than n + 1
 * frames are an error(). */
extern void normalizer_eigen_flats(struct normalizer *z, struct cfl *flat, long n);

/** Returns the number of pixels whose flat is not above the dark. For a changing flat, the mean flat is
 * used. */
extern long normalizer_unlit(const struct normalizer *z);

/** Returns `flat - dark` of a pixel, or 0 if there is no flat. For a changing flat, the mean flat is
 * used. */
extern double normalizer_level(const struct normalizer *z, long pixel);

/** Computes the weights of the flat images for n views. The flat of a view is the weighted sum of all
 * images. `x` contains the counts of the views, and `first` is the number of the first view. The weight
 * of image m in view k is c[m + images * k]. Returns the array c, which the caller frees. */
extern double *normalizer_shares(const struct normalizer *z, const double *x, long first, long n);

/** Returns 1 / (flat - dark) of a pixel in one view. `c` contains the weights of this view from
 * normalizer_shares(). Returns 0 if the flat is not above the dark. */
extern double normalizer_gain(const struct normalizer *z, long pixel, const double c[]);

/** Releases the memory of a normalizer. */
extern void normalizer_free(struct normalizer *z);

/** Normalises n views in place. The views may reside on a device only if the flat is constant. `first` is
 * the number of the first view. `name` is the name of the file in messages. A view whose mean in air is
 * not positive is an error(). */
extern void normalize_views(struct normalizer *z, double *x, long first, long n, const char *name);

#endif
