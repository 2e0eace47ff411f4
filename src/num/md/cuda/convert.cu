/* Conversion between the fifteen element types on the GPU, as in num/kern/convert.c: floats are rounded to
 * the nearest integer, ties to even, values out of range saturate, NaN becomes 0. */

#include <stdint.h>

#include "num/device/cuda/gpu.h"
extern "C" {
#include "num/device/device_load.h"
}
#include "num/kern/half.h"
#include "num/kern/kern_math.h"

enum { THREADS = 256, LONG_GRID = 1 << 16 };

/** A real value as it is held between two types: exact for every type but float64 of large integers. */
struct real_value {
	double d;
	long long i;          // of signed integers
	unsigned long long u; // of unsigned integers
	int kind;             // 0: d, 1: i, 2: u
};

static __device__ __forceinline__ struct real_value of_double(double d)
{
	const struct real_value v = {d, 0, 0, 0};

	return v;
}

static __device__ __forceinline__ struct real_value of_signed(long long i)
{
	const struct real_value v = {(double)i, i, 0, 1};

	return v;
}

static __device__ __forceinline__ struct real_value of_unsigned(unsigned long long u)
{
	const struct real_value v = {(double)u, 0, u, 2};

	return v;
}

static __device__ __forceinline__ struct real_value real_load(int type, const char *p, long i)
{
	switch (type) {
	case DT_BOOL:
		return of_unsigned(0 != ((const uint8_t *)p)[i]);
	case DT_INT8:
		return of_signed(((const int8_t *)p)[i]);
	case DT_INT16:
		return of_signed(((const int16_t *)p)[i]);
	case DT_INT32:
		return of_signed(((const int32_t *)p)[i]);
	case DT_INT64:
		return of_signed(((const int64_t *)p)[i]);
	case DT_UINT8:
		return of_unsigned(((const uint8_t *)p)[i]);
	case DT_UINT16:
		return of_unsigned(((const uint16_t *)p)[i]);
	case DT_UINT32:
		return of_unsigned(((const uint32_t *)p)[i]);
	case DT_UINT64:
		return of_unsigned(((const uint64_t *)p)[i]);
	case DT_FLOAT16:
		return of_double((double)half_widen(((const uint16_t *)p)[i]));
	case DT_FLOAT32:
		return of_double((double)((const float *)p)[i]);
	default:
		return of_double(((const double *)p)[i]);
	}
}

/** As an integer in [low, high] of a signed type; over: the first double beyond it. */
static __device__ __forceinline__ long long to_signed(
        struct real_value v, long long low, long long high, double over, bool *lost)
{
	if (2 == v.kind) {
		*lost = v.u > (unsigned long long)high;

		return *lost ? high : (long long)v.u;
	}

	if (1 == v.kind) {
		*lost = v.i < low || v.i > high;

		return (v.i < low) ? low : (v.i > high) ? high : v.i;
	}

	const double r = rint(v.d);

	*lost = !(r >= (double)low && r < over);

	return !*lost ? (long long)r : (r >= over) ? high : (r < (double)low) ? low : 0;
}

static __device__ __forceinline__ unsigned long long to_unsigned(
        struct real_value v, unsigned long long high, double over, bool *lost)
{
	if (2 == v.kind) {
		*lost = v.u > high;

		return *lost ? high : v.u;
	}

	if (1 == v.kind) {
		*lost = v.i < 0 || (unsigned long long)v.i > high;

		return (v.i < 0) ? 0 : *lost ? high : (unsigned long long)v.i;
	}

	const double r = rint(v.d);

	*lost = !(r >= 0 && r < over);

	return !*lost ? (unsigned long long)r : (r >= over) ? high : 0;
}

/** Stores v; whether it did not fit. */
static __device__ __forceinline__ bool real_store(int type, char *p, long i, struct real_value v)
{
	bool lost = false;

	switch (type) {
	case DT_BOOL:
		((uint8_t *)p)[i] = (0 != v.d);
		return v.d != v.d;
	case DT_INT8:
		((int8_t *)p)[i] = (int8_t)to_signed(v, INT8_MIN, INT8_MAX, 0x1p7, &lost);
		return lost;
	case DT_INT16:
		((int16_t *)p)[i] = (int16_t)to_signed(v, INT16_MIN, INT16_MAX, 0x1p15, &lost);
		return lost;
	case DT_INT32:
		((int32_t *)p)[i] = (int32_t)to_signed(v, INT32_MIN, INT32_MAX, 0x1p31, &lost);
		return lost;
	case DT_INT64:
		((int64_t *)p)[i] = to_signed(v, INT64_MIN, INT64_MAX, 0x1p63, &lost);
		return lost;
	case DT_UINT8:
		((uint8_t *)p)[i] = (uint8_t)to_unsigned(v, UINT8_MAX, 0x1p8, &lost);
		return lost;
	case DT_UINT16:
		((uint16_t *)p)[i] = (uint16_t)to_unsigned(v, UINT16_MAX, 0x1p16, &lost);
		return lost;
	case DT_UINT32:
		((uint32_t *)p)[i] = (uint32_t)to_unsigned(v, UINT32_MAX, 0x1p32, &lost);
		return lost;
	case DT_UINT64:
		((uint64_t *)p)[i] = to_unsigned(v, UINT64_MAX, 0x1p64, &lost);
		return lost;
	case DT_FLOAT16: {
		const uint16_t h = half_narrow(v.d);

		((uint16_t *)p)[i] = h;
		return 0x7c00u == (h & 0x7fffu) && fabs(v.d) < INFINITY;
	}
	case DT_FLOAT32: {
		const float f = (1 == v.kind) ? (float)v.i : (2 == v.kind) ? (float)v.u : (float)v.d;

		((float *)p)[i] = f;
		return fabsf(f) == INFINITY && fabs(v.d) < INFINITY;
	}
	default:
		((double *)p)[i] = v.d;
		return false;
	}
}

/** The real type of a complex one, and whether it is. */
static __host__ __device__ __forceinline__ int parts_of(int type, bool *is_complex)
{
	*is_complex = type >= DT_COMPLEX32;

	return *is_complex ? type - DT_COMPLEX32 + DT_FLOAT16 : type;
}

__global__ void __launch_bounds__(THREADS)
        kern_convert(long n, int to, char *out, int from, const char *in, unsigned long long *lost)
{
	bool zo, zi;
	const int o = parts_of(to, &zo), t = parts_of(from, &zi);
	unsigned mine = 0;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS) {
		const struct real_value re = real_load(t, in, zi ? 2 * i : i);
		const struct real_value im = zi ? real_load(t, in, 2 * i + 1) : of_double(0);

		if (zo) {
			mine += real_store(o, out, 2 * i, re);
			mine += real_store(o, out, 2 * i + 1, im);
		} else if (DT_BOOL == o && zi) {
			((uint8_t *)out)[i] = (0 != re.d) | (0 != im.d);
			mine += (re.d != re.d) | (im.d != im.d);
		} else {
			mine += (unsigned)real_store(o, out, i, re) | (zi && 0 != im.d);
		}
	}

	if (NULL != lost && 0 < mine)
		atomicAdd(lost, (unsigned long long)mine);
}

extern "C" long device_convert(enum dtype to, void *out, enum dtype from, const void *in, long n, bool count)
{
	unsigned long long lost = 0, *c = NULL;
	const long blocks = (n + THREADS - 1) / THREADS;

	if (0 == n)
		return 0;

	if (count) {
		c = (unsigned long long *)device_alloc(sizeof *c);
		GPU_CHECK(cudaMemsetAsync(c, 0, sizeof *c, gpu_stream()));
	}

	GPU_LAUNCH(kern_convert, (int)((blocks < LONG_GRID) ? blocks : (long)LONG_GRID), THREADS, 0,
	        gpu_stream(), n, (int)to, (char *)out, (int)from, (const char *)in, c);

	if (count) {
		device_copy(&lost, c, sizeof lost);
		device_free(c);
	}

	return (long)lost;
}
