/** The kernels of gridrec_kernels.h from one source: plain C, AVX2 and AVX-512. */

#include "ct/fbp/gridrec/gridrec_kernels.h"

#include <string.h>

#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define SIMD _Pragma("omp simd")

typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));

#define NAME(x) x##_plain
#define ATTRIBUTES
#include "ct/fbp/gridrec/gridrec_kernels_impl.inc"

#ifdef __x86_64__
#define NAME(x)    x##_avx2
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#include "ct/fbp/gridrec/gridrec_kernels_impl.inc"

#define NAME(x)    x##_avx512
#define ATTRIBUTES __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "ct/fbp/gridrec/gridrec_kernels_impl.inc"
#endif

const struct gridrec_kernels *gridrec_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
