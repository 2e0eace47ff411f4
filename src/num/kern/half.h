#ifndef NUM_KERN_HALF_H
#define NUM_KERN_HALF_H

#include <stdint.h>
#include <string.h>

#include "num/device/cuda/device_fn.h"

/** Conversion of IEEE 754 binary16 numbers (float16). Results are bit-identical on every machine. */

DEVICE_FN float half_widen(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
	uint32_t mag = h & 0x7fffu;
	uint32_t bits;
	float f;

	if (mag >= 0x7c00u) { // infinity, or NaN made quiet as the hardware does
		bits = sign | 0x7f800000u | (mag & 0x3ffu) << 13 | (mag > 0x7c00u ? 0x400000u : 0u);
	} else if (mag >= 0x400u) {
		bits = sign | ((mag << 13) + (112u << 23));
	} else { // subnormal: mag units of 2^-24, exact in float
		f = (float)mag * 0x1p-24f;
		memcpy(&bits, &f, sizeof bits);
		bits |= sign;
	}

	memcpy(&f, &bits, sizeof f);

	return f;
}

/** Rounds to nearest, ties to even. The conversion of a float to double is exact, so floats may be passed. */
DEVICE_FN uint16_t half_narrow(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);

	uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
	uint64_t mag = bits & 0x7fffffffffffffffu;

	if (mag > 0x7ff0000000000000u) // NaN: quiet, payload cut
		return (uint16_t)(sign | 0x7e00u | (mag >> 42 & 0x3ffu));

	if (mag >= 0x40effe0000000000u) // >= 65520 rounds to infinity
		return sign | 0x7c00u;

	if (mag < 0x3f10000000000000u) { // < 2^-14: a multiple of 2^-24; adding 1.5 2^28 leaves that multiple
		                         // in the last bits
		double a;

		memcpy(&a, &mag, sizeof a);
		a += 0x1.8p28;
		memcpy(&bits, &a, sizeof bits);

		return (uint16_t)(sign | (bits & 0x7ffu));
	}

	mag -= (uint64_t)(1023 - 15) << 52;
	mag += 0x1ffffffffffu + (mag >> 42 & 1u); // round the 42 bits that go

	return (uint16_t)(sign | mag >> 42);
}

#endif
