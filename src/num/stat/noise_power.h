#ifndef NUM_STAT_NOISE_POWER_H
#define NUM_STAT_NOISE_POWER_H

#include "misc/file/cfl.h"
#include "num/stat/region.h"

/** The trend is subtracted from every tile before the Fourier transform. The trend is the mean of the tile,
 * or a plane fitted to the tile. */
#define DETREND_CHOICES "mean|plane|none"
enum detrend { DETREND_MEAN, DETREND_PLANE, DETREND_NONE };

/**
 * Noise power spectrum (NPS) of slices [1, 2]:
 *
 *   NPS(f) = dx dy / N^2 < |DFT of (tile - trend)|^2 >   [unit^2 mm^2]
 *
 * The brackets < > denote the mean over square tiles of N x N pixels. Tiles overlap by half in both
 * directions. The spectrum uses n slices: `first`, `first + step`, and so on. The variance is the sum of NPS
 * over all frequencies, divided by `N dx N dy`.
 *
 * [1] ICRU Report 87, Radiation dose and image-quality assessment in computed tomography, 2012.
 * [2] J. H. Siewerdsen, I. A. Cunningham, D. A. Jaffray, A framework for noise-power spectrum analysis of
 * multidimensional images, Medical Physics 29(11), 2002.
 */
struct noise_power {
	long size;             // N
	long tiles;            // number of tiles
	double *plane;         // [N N], frequency 0 at (N/2, N/2); owned
	double df[2];          // frequency steps along x and y [1/mm]
	double mean, variance; // mean of the values, variance of the noise

	long radial; // number of rings below the smaller Nyquist frequency, as wide as the larger df
	double *frequency, *value; // [radial] mean frequency and mean NPS of every ring; owned
};

/** Computes the spectrum from tiles inside the region. If `region` is NULL, the region is the whole slice. A
 * region without a tile is an error(), and so are NaN and infinite values. Private memory holds all tiles of
 * one slice in complex128. */
extern void noise_power(struct noise_power *out, struct cfl *f, const struct region *region, long first,
        long step, long n, long size, enum detrend detrend);
extern void noise_power_free(struct noise_power *s);

#endif
