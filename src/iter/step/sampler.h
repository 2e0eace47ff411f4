#ifndef ITER_STEP_SAMPLER_H
#define ITER_STEP_SAMPLER_H

#include <stdint.h>

/**
 * The order in which an algorithm uses the subsets of the views. The views of one subset are spread over
 * the scan. Consecutive subsets should contain views at very different angles.
 *
 * [1] G. T. Herman, L. B. Meyer, Algebraic reconstruction techniques can be made computationally efficient,
 * IEEE Transactions on Medical Imaging 12(3), 1993.
 */
enum sampler {
	SAMPLER_DEFAULT,      // the default of the algorithm
	SAMPLER_GOLDEN,       // order[i] = i h mod n, where h is near 0.618 n and coprime to n
	SAMPLER_SEQUENTIAL,   // 0, 1, 2, ...
	SAMPLER_BIT_REVERSED, // i with its binary digits in reverse order: 0, n/2, n/4, 3n/4, n/8, ...
	SAMPLER_HERMAN_MEYER, // i with its digits in reverse order; the bases are the prime factors of n [1]
	SAMPLER_SHUFFLE,      // random without replacement: every pass uses each subset once
	SAMPLER_RANDOM        // random with replacement: all draws are independent
};

/** Names of the samplers for OPT_CHOICE, in the order of the enum. SAMPLER_DEFAULT has no name. */
#define SAMPLER_NAMES "golden|sequential|bit-reversed|herman-meyer|shuffle|random"

/** Sets order[] to the order of the n subsets in one pass. Random orders depend only on `seed`, `pass` and n.
 * SAMPLER_DEFAULT gives the same order as SAMPLER_GOLDEN. */
extern void sampler_order(enum sampler how, uint64_t seed, int n, long pass, int *order);

/** Returns random number i of a pass, uniform in (0, 1). The number is independent of the random orders of
 * sampler_order(). */
extern double sampler_coin(uint64_t seed, long pass, long i);

#endif
