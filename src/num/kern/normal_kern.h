#ifndef NUM_KERN_NORMAL_KERN_H
#define NUM_KERN_NORMAL_KERN_H

#include <stdint.h>

/** y[i] = the normally distributed number computed from the bits philox(seed, first + i, stream),
 * bit-identical for every instruction set. The kernels for AVX2 and AVX-512 exist on x86-64 only. */
typedef void normal_kern(long n, double *y, uint64_t seed, uint64_t first, uint32_t stream);

extern normal_kern normal_kern_plain, normal_kern_avx2, normal_kern_avx512;

#endif
