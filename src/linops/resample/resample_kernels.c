/** The kernels of kernels.h from one source: float32 and float64; plain C, AVX2 and AVX-512. */

#include "linops/resample/kernels.h"

#include <math.h>
#include <string.h>

#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define SIMD _Pragma("omp simd")

#define REAL    float
#define TABLE   struct resample_kernels_float
#define NAME(x) x##_float_plain
#define ATTRIBUTES
#define VECTOR 16
#include "linops/resample/kernels_impl.inc"

#ifdef __x86_64__
#define NAME(x)    x##_float_avx2
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#define VECTOR     32
#include "linops/resample/kernels_impl.inc"

#define NAME(x)    x##_float_avx512
#define ATTRIBUTES __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTOR     64
#include "linops/resample/kernels_impl.inc"
#endif

#undef REAL
#undef TABLE
#define REAL    double
#define TABLE   struct resample_kernels_double
#define NAME(x) x##_double_plain
#define ATTRIBUTES
#define VECTOR 16
#include "linops/resample/kernels_impl.inc"

#ifdef __x86_64__
#define NAME(x)    x##_double_avx2
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#define VECTOR     32
#include "linops/resample/kernels_impl.inc"

#define NAME(x)    x##_double_avx512
#define ATTRIBUTES __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTOR     64
#include "linops/resample/kernels_impl.inc"
#endif

const struct resample_kernels_float *resample_kernels_float(void)
{
	return KERN_CHOOSE(kernels_float);
}

const struct resample_kernels_double *resample_kernels_double(void)
{
	return KERN_CHOOSE(kernels_double);
}
