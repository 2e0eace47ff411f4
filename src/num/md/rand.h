#ifndef NUM_MD_RAND_H
#define NUM_MD_RAND_H

#include <stdint.h>

/**
 * Philox-4x32-10 [1], a counter-based generator. Each array element has its own counter, so the numbers do
 * not depend on threads, slabs or pipes.
 *
 * [1] Salmon et al., Parallel random numbers: as easy as 1, 2, 3. SC11.
 *
 * `stream` separates uses with one seed (0 uniform, 1 normal, 2 Poisson, ...).
 */
extern void philox4x32(uint32_t out[4], uint64_t seed, uint64_t counter, uint64_t stream);

extern double rand_uniform(uint64_t seed, uint64_t element); // (0, 1)
extern double rand_normal(uint64_t seed, uint64_t element);  // mean 0, variance 1
/** y[i] = rand_normal(seed, first + i), bit-identical, but computed several times as fast by vector
 * instructions. */
extern void rand_normals(long n, double *y, uint64_t seed, uint64_t first);
/** A Poisson-distributed number of mean >= 0: inversion below 10, transformed rejection (PTRS, Hoermann 1993)
 * above; the distribution is exact. */
extern double rand_poisson(uint64_t seed, uint64_t element, double mean);

#endif
