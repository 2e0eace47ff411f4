#ifndef NUM_MD_RAND_H
#define NUM_MD_RAND_H

#include <stdint.h>

/**
 * Computes 128 random bits with the counter-based generator Philox-4x32-10 [1]. The counter is the number of
 * an array element. Therefore random numbers do not depend on threads, slabs or pipes. Streams 0, 1 and 2 are
 * used for uniform, normal and Poisson numbers.
 *
 * [1] Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11 (2011).
 * [2] Hoermann, The transformed rejection method for generating Poisson random variables, Insurance: Math.
 * Econ. 12 (1993).
 */
extern void philox4x32(uint32_t out[4], uint64_t seed, uint64_t counter, uint64_t stream);

extern double rand_uniform(uint64_t seed, uint64_t element); // between 0 and 1
extern double rand_normal(uint64_t seed, uint64_t element);  // mean 0, variance 1
/** Writes y[i] = rand_normal(seed, first + i) for n elements. The results are bit-identical to those of
 * rand_normal(). */
extern void rand_normals(long n, double *y, uint64_t seed, uint64_t first);
/** Returns a Poisson-distributed number with the given mean >= 0. The method is inversion for means below 10,
 * else transformed rejection (PTRS) [2]. The distribution is exact. */
extern double rand_poisson(uint64_t seed, uint64_t element, double mean);

#endif
