#ifndef ITER_STEP_SAMPLER_H
#define ITER_STEP_SAMPLER_H

#include <stdint.h>

/**
 * The order in which the subsets of the views are used. A subset contains views spread over the scan;
 * consecutive subsets should also be far apart.
 *
 * [1] G. T. Herman, L. B. Meyer, Algebraic reconstruction techniques can be made computationally efficient,
 * IEEE Transactions on Medical Imaging 12(3), 1993.
 */
enum sampler {
	SAMPLER_DEFAULT, // the algorithm's default
	SAMPLER_GOLDEN,  // multiples of a number near the golden section of n, without a common factor
	SAMPLER_SEQUENTIAL,
	SAMPLER_BIT_REVERSED, // 0 1/2 1/4 3/4 1/8 ...: binary digits in reverse order
	SAMPLER_HERMAN_MEYER, // the same with the prime factors of n as digits [1]
	SAMPLER_SHUFFLE,      // random, each subset once per pass (without replacement)
	SAMPLER_RANDOM        // random and independent (with replacement)
};

/** Names for OPT_CHOICE, without SAMPLER_DEFAULT: name number i is the sampler i + 1. */
#define SAMPLER_NAMES "golden|sequential|bit-reversed|herman-meyer|shuffle|random"

/** order[0..n): the subsets of a pass, 0 <= order[i] < n. Random orders depend only on the seed and on the
 * number of the pass. SAMPLER_DEFAULT is golden. */
extern void sampler_order(enum sampler how, uint64_t seed, int n, long pass, int *order);

/** Random number in (0, 1) for draw i of a pass, independent of the numbers that determine the order. */
extern double sampler_coin(uint64_t seed, long pass, long i);

#endif
