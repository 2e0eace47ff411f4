/* The inner loops of values, for each type: plain comparisons, which compilers turn into vector instructions.
 */

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "volume/morph_passes.h"

#define KERNEL(name, type, low, high)                                                                        \
	static void name##_best(bool max, long n, void *to, const void *from)                                \
	{                                                                                                    \
		type *restrict y = to;                                                                       \
		const type *restrict x = from;                                                               \
                                                                                                             \
		if (max)                                                                                     \
			for (long i = 0; i < n; i++)                                                         \
				y[i] = x[i] > y[i] ? x[i] : y[i];                                            \
		else                                                                                         \
			for (long i = 0; i < n; i++)                                                         \
				y[i] = x[i] < y[i] ? x[i] : y[i];                                            \
	}                                                                                                    \
                                                                                                             \
	static void name##_ahead(bool max, long n, void *to, const void *from, long d)                       \
	{                                                                                                    \
		type *restrict y = to;                                                                       \
		const type *x = from;                                                                        \
                                                                                                             \
		if (max)                                                                                     \
			for (long i = 0; i < n; i++)                                                         \
				y[i] = x[i] > x[i + d] ? x[i] : x[i + d];                                    \
		else                                                                                         \
			for (long i = 0; i < n; i++)                                                         \
				y[i] = x[i] < x[i + d] ? x[i] : x[i + d];                                    \
	}                                                                                                    \
                                                                                                             \
	static void name##_fill(bool max, long n, void *to, bool none, double v)                             \
	{                                                                                                    \
		type *y = to;                                                                                \
		const type value = none ? (max ? (type)(low) : (type)(high)) : (type)v;                      \
                                                                                                             \
		for (long i = 0; i < n; i++)                                                                 \
			y[i] = value;                                                                        \
	}                                                                                                    \
                                                                                                             \
	static const struct morph_kernel name = {name##_best, name##_ahead, name##_fill}

KERNEL(uint8, uint8_t, 0, UINT8_MAX);
KERNEL(uint16, uint16_t, 0, UINT16_MAX);
KERNEL(uint32, uint32_t, 0, UINT32_MAX);
KERNEL(uint64, uint64_t, 0, UINT64_MAX);
KERNEL(int8, int8_t, INT8_MIN, INT8_MAX);
KERNEL(int16, int16_t, INT16_MIN, INT16_MAX);
KERNEL(int32, int32_t, INT32_MIN, INT32_MAX);
KERNEL(int64, int64_t, INT64_MIN, INT64_MAX);
KERNEL(float32, float, -INFINITY, INFINITY);
KERNEL(float64, double, -INFINITY, INFINITY);

const struct morph_kernel *morph_kernel(enum dtype work)
{
	static const struct morph_kernel *const all[DT_COUNT] = {
	        [DT_UINT8] = &uint8,
	        [DT_UINT16] = &uint16,
	        [DT_UINT32] = &uint32,
	        [DT_UINT64] = &uint64,
	        [DT_INT8] = &int8,
	        [DT_INT16] = &int16,
	        [DT_INT32] = &int32,
	        [DT_INT64] = &int64,
	        [DT_FLOAT32] = &float32,
	        [DT_FLOAT64] = &float64,
	};

	return all[work];
}
