#ifndef NUM_KERN_NORMAL_KERN_H
#define NUM_KERN_NORMAL_KERN_H

#include <stdint.h>

/** Writes n normally distributed numbers to y. Number i is computed from philox(seed, first + i, stream). All
 * kernels give bit-identical numbers. The AVX2 and AVX-512 kernels exist on x86-64 only. */
typedef void normal_kern(long n, double *y, uint64_t seed, uint64_t first, uint32_t stream);

extern normal_kern normal_kern_plain, normal_kern_avx2, normal_kern_avx512;

#endif
