#ifndef ITER_DENOISE_DENOISE_PASSES_H
#define ITER_DENOISE_DENOISE_PASSES_H

#include <stdbool.h>

#include "misc/dtype.h"

/** Operations of denoisers on arrays on a device; one table per device, chosen by the address of the array.
 */

/** A window of (2 radius + 1)^axes elements, at most MEDIAN_WINDOW. */
enum { MEDIAN_AXES = 7 };

struct median_window {
	long n; // elements of the array
	int axes;
	long dims[MEDIAN_AXES], steps[MEDIAN_AXES]; // of the axes [elements]
	long radius, count;                         // elements of a window
};

/** Patches and searches along at most NLM_AXES axes; other dims count as one element. */
enum { NLM_AXES = 3, NLM_PATCH = 3 };

struct nlm_window {
	int axes;
	long dims[NLM_AXES], steps[NLM_AXES]; // of the axes [elements]
	int others;
	long odims[DIMS], osteps[DIMS]; // of the other dims
	long search;
	int patch; // at most NLM_PATCH
	double noise2, h2;
};

struct denoise_passes {
	/** dst is not src; float32 or float64; bit-identical to the CPU. */
	void (*median)(const struct median_window *m, enum dtype type, void *dst, const void *src);
	/** dst is not src. */
	void (*nlm)(const struct nlm_window *m, float *dst, const float *src);
};

extern const struct denoise_passes denoise_passes_gpu;

#endif
