#ifndef CORRECT_MIRRORED_H
#define CORRECT_MIRRORED_H

#include "num/device/cuda/device_fn.h"

/** The element that replaces index i beyond the ends of n elements: mirrored, with the end element repeated.
 */
DEVICE_FN long mirrored(long i, long n)
{
	const long period = 2 * n;

	i %= period;
	i = (i < 0) ? i + period : i;

	return (i < n) ? i : period - 1 - i;
}

#endif
