#ifndef CORRECT_NORMALIZE_WEIGHTS_H
#define CORRECT_NORMALIZE_WEIGHTS_H

#include "correct/normalize.h"

/**
 * Computes the weights of line integrals. A weight is the inverse of the variance. After dark subtraction,
 * a count c has the variance `gain * c + read` [1]. A line integral has the following variance:
 *
 *     (gain c + read) / c^2 + (gain f + read) / (frames f^2)
 *
 * Here f is `flat - dark`, averaged over `frames` frames.
 *
 * [1] J. R. Janesick, Photon Transfer, SPIE Press, 2007.
 */
struct normalize_noise {
	double gain;       // counts per photon
	double read;       // variance of a count without light [counts^2]
	long frames;       // number of frames of the flat; 0 means no flat
	double saturation; // counts from which a value is saturated
	long saturated;    // number of saturated values
};

/** Estimates `gain` and `read` from differences of successive frames of flat and dark. `dark` and `flat`
 * may be NULL, which means that there are no frames. Frames of the flat are first scaled to the same
 * brightness. `gain` is 1 if the frames do not determine a positive gain. `read` is 0 if there are fewer
 * than two dark frames. `frames` becomes the number of frames of the flat. */
extern void normalize_noise_measure(
        struct normalize_noise *v, const struct normalizer *z, struct cfl *dark, struct cfl *flat);

/** Computes the weights w of n views from their counts x. `first` is the number of the first view. Call
 * this function before normalize_views() overwrites the counts. The weight of dead and saturated pixels
 * is 0. The weight is also 0 where the count is not above the dark. The number of saturated values is
 * added to v->saturated. */
extern void normalize_weights(const struct normalizer *z, struct normalize_noise *v, double *w,
        const double *x, long first, long n);

#endif
