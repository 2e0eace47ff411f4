#ifndef ITER_DENOISE_DENOISE_PASSES_H
#define ITER_DENOISE_DENOISE_PASSES_H

#include <stdbool.h>

#include "misc/dtype.h"

/** Denoisers for arrays on a GPU. */

/** A median filter with a window of (2 radius + 1)^axes elements. The window has at most MEDIAN_WINDOW
 * elements.
 */
enum { MEDIAN_AXES = 7 };

struct median_window {
	long n; // elements of the array
	int axes;
	long dims[MEDIAN_AXES], steps[MEDIAN_AXES]; // sizes and strides along the axes [elements]
	long radius, count;                         // radius; number of elements in the window
};

/** Non-local means with patches and search windows along at most NLM_AXES axes. Along all other dims, patches
 * and search windows have one element. */
enum { NLM_AXES = 3, NLM_PATCH = 3 };

struct nlm_window {
	int axes;
	long dims[NLM_AXES], steps[NLM_AXES]; // sizes and strides along the axes [elements]
	int others;                           // number of other dims
	long odims[DIMS], osteps[DIMS];       // sizes and strides along the other dims [elements]
	long search;                          // radius of the search window
	int patch;                            // radius of a patch, at most NLM_PATCH
	double noise2, h2;                    // s^2 and h^2 of iter/denoise/denoisers.h
};

struct denoise_passes {
	/** Applies the median filter to an array of type float32 or float64. The arrays dst and src must
	 * differ. The result is bit-identical to that of the CPU. */
	void (*median)(const struct median_window *m, enum dtype type, void *dst, const void *src);
	/** Applies non-local means. The arrays dst and src must differ. */
	void (*nlm)(const struct nlm_window *m, float *dst, const float *src);
};

extern const struct denoise_passes denoise_passes_gpu;

#endif
