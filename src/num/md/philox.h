#ifndef NUM_MD_PHILOX_H
#define NUM_MD_PHILOX_H

#include <stdint.h>

#include "num/device/cuda/device_fn.h"

/** These constants are the two multipliers of a Philox round and the two increments of the key. */
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

enum { PHILOX_ROUNDS = 10 };

/** Computes the numbers of philox4x32() in num/md/rand.h, on the CPU or GPU. */
DEVICE_FN void philox(uint32_t out[4], uint64_t seed, uint64_t counter, uint64_t stream)
{
	uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
	uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

	for (int round = 0; round < PHILOX_ROUNDS; round++) {
		uint64_t p0 = (uint64_t)PHILOX_M0 * c0;
		uint64_t p1 = (uint64_t)PHILOX_M1 * c2;

		c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)p1;
		c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)p0;
		k0 += PHILOX_W0;
		k1 += PHILOX_W1;
	}

	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/**
 * These functions make random signs, with one bit per element of a vector:
 * - philox_signs(): Computes the bits of block `block` from random stream `stream`. A block has PHILOX_BITS
 *   elements.
 * - philox_sign(): Returns the sign of element i from the bits of the block.
 */
enum { PHILOX_BITS = 128 };

DEVICE_FN void philox_signs(uint32_t bits[4], uint64_t stream, uint64_t block)
{
	philox(bits, 1, block, stream);
}

DEVICE_FN int philox_sign(const uint32_t bits[4], long i)
{
	return (bits[i % PHILOX_BITS / 32] >> (i % 32) & 1u) ? 1 : -1;
}

#endif
