#ifndef CORRECT_MIRRORED_H
#define CORRECT_MIRRORED_H

#include "num/device/cuda/device_fn.h"

/** Returns the index that replaces i if n elements are extended by mirror images. The end elements are
 * repeated: -1 becomes 0, and n becomes n - 1. */
DEVICE_FN long mirrored(long i, long n)
{
	const long period = 2 * n;

	i %= period;
	i = (i < 0) ? i + period : i;

	return (i < n) ? i : period - 1 - i;
}

#endif
