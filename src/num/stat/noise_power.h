#ifndef NUM_STAT_NOISE_POWER_H
#define NUM_STAT_NOISE_POWER_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/** The trend that is subtracted from every tile before its transform: the mean of the tile, or a plane fitted
 * to it. */
#define DETREND_CHOICES "mean|plane|none"
enum detrend { DETREND_MEAN, DETREND_PLANE, DETREND_NONE };

/**
 * Noise power spectrum of slices (ICRU Report 87, 2012; J. H. Siewerdsen, I. A. Cunningham, D. A. Jaffray,
 * Medical Physics 29(11), 2002):
 *
 *   NPS(f) = dx dy / N^2 < |DFT of (tile - trend)|^2 >   [unit^2 mm^2]
 *
 * Here < > is the mean over square tiles of N x N pixels that overlap by half in both directions, in slices
 * first + i step, 0 <= i < n. The sum of NPS over all frequencies, times 1 / (N dx N dy), is the variance.
 */
struct noise_power {
	long size;             // N
	long tiles;            // how many went in
	double *plane;         // [N N], frequency 0 at (N/2, N/2); owned
	double df[2];          // step of frequencies along x and y [1/mm]
	double mean, variance; // of the values, of the noise

	long radial; // mean over rings about 0, as wide as the larger of df, below the smaller Nyquist
	             // frequency
	double *frequency, *value; // [radial]; the mean frequency of a ring; owned
};

/** Computes the spectrum from tiles inside the region (NULL: the slice). error() if no tile is inside, or if
 * one contains a NaN or infinite value. Private memory: one slice's tiles in complex128. */
extern void noise_power(struct noise_power *out, struct cfl *f, const struct region *region, long first,
        long step, long n, long size, enum detrend detrend);
extern void noise_power_free(struct noise_power *s);

#endif
