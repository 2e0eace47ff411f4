#ifndef NUM_MD_NORMAL_H
#define NUM_MD_NORMAL_H

#include <math.h>
#include <stdint.h>

#include "num/kern/kern_math.h"

/** Converts 52 of 64 random bits to an odd multiple of 2^-53 between 0 and 1. */
static inline double unit_from_bits(uint32_t low, uint32_t high)
{
	return kern_double(((uint64_t)high << 32 | low) >> 12 | 0x3ff0000000000000u) - 1 + 0x1p-53;
}

/** Returns cos(2 pi u) for 0 <= u <= 1. The polynomials interpolate at Chebyshev nodes, with errors below
 * 3e-16. */
static inline double cosine_of_turns(double u)
{
	const double t = 4 * u + 0x1.8p52, quarters = t - 0x1.8p52;
	const double r = (u - 0.25 * quarters) * (2 * KERN_PI), z = r * r, h = 0.5 * z, w = 1 - h;
	const uint64_t n = kern_bits(t);
	double s = 0x1.5e0b19f8b1451p-33, c = -0x1.907da367a37cbp-37;

	s = s * z - 0x1.ae600b02b6262p-26;
	s = s * z + 0x1.71de37968a100p-19;
	s = s * z - 0x1.a01a019e83aaep-13;
	s = s * z + 0x1.1111111110bb2p-7;
	s = s * z - 0x1.5555555555555p-3;
	s = r + r * z * s;

	c = c * z + 0x1.1eeb68e93b64cp-29;
	c = c * z - 0x1.27e4fa17da09ep-22;
	c = c * z + 0x1.a01a019f4eb01p-16;
	c = c * z - 0x1.6c16c16c16967p-10;
	c = c * z + 0x1.5555555555555p-5;
	c = w + (((1 - w) - h) + z * z * c);

	return kern_double(kern_bits((n & 1) ? s : c) ^ ((n + 1) & 2) << 62);
}

/** Converts 128 random bits to a standard normal number by the Box-Muller method. */
static inline double normal_from_bits(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return sqrt(-2. * kern_log(unit_from_bits(a, b))) * cosine_of_turns(unit_from_bits(c, d));
}

#endif
