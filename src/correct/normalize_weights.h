#ifndef CORRECT_NORMALIZE_WEIGHTS_H
#define CORRECT_NORMALIZE_WEIGHTS_H

#include "correct/normalize.h"

/**
 * Inverse variances of line integrals. A count c above the dark has the variance gain c + read:
 *     var log t = (gain c + read) / c^2 + (gain f + read) / (frames f^2)
 * Here the flat f above the dark is the mean of `frames` frames. Photon transfer: J. R. Janesick, Photon
 * Transfer, SPIE Press, 2007.
 */
struct normalize_noise {
	double gain;       // counts per photon
	double read;       // variance of a count without light
	long frames;       // of the flat; 0: there is none
	double saturation; // counts of saturated values, at least
	long saturated;    // number of saturated values
};

/** Estimates gain and read from differences of successive frames of flat and dark (NULL: none), as medians
 * over the pixels. Frames of the flat are first scaled to the same brightness. gain is 1, as for photons, if
 * the frames do not determine a positive gain. read is 0 with fewer than two darks. */
extern void normalize_noise_measure(
        struct normalize_noise *v, const struct normalizer *z, struct cfl *dark, struct cfl *flat);

/** Computes the weights w of n views from their counts x; call before normalize_views() overwrites the
 * counts. A weight is 0 if the pixel is dead or saturated, or its count is not above the dark. */
extern void normalize_weights(const struct normalizer *z, struct normalize_noise *v, double *w,
        const double *x, long first, long n);

#endif
