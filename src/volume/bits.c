#include "volume/bits.h"

#include <string.h>

/** Bit i is set if byte i is not 0. */
static uint64_t pack8(const unsigned char *x)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fU;
	uint64_t v;

	memcpy(&v, x, sizeof v);
	v = (((v & low) + low) | v) & ~low;

	return ((v >> 7) * 0x0102040810204080U) >> 56;
}

void bits_pack(uint64_t *bits, long n, const unsigned char *x)
{
	long i = 0;

	for (; i + 64 <= n; i += 64) {
		uint64_t w = 0;

		for (int k = 0; k < 8; k++)
			w |= pack8(x + i + 8 * k) << (8 * k);

		bits[i / 64] = w;
	}

	if (i < n)
		bits[i / 64] = 0;

	for (; i < n; i++)
		bits[i / 64] |= (uint64_t)(x[i] != 0) << (i % 64);
}

#define NONZERO(type)                                                                                        \
	do {                                                                                                 \
		const type *v = x;                                                                           \
		for (long i = 0; i < n; i++)                                                                 \
			bytes[i] = (unsigned char)(v[i] != 0);                                               \
	} while (0)

void bits_nonzero(uint64_t *bits, enum dtype t, long n, const void *x, unsigned char *bytes)
{
	switch (t) {
	case DT_FLOAT32:
		NONZERO(float);
		break;
	case DT_FLOAT64:
		NONZERO(double);
		break;
	case DT_FLOAT16: // -0 is 0
		for (long i = 0; i < n; i++)
			bytes[i] = 0 != (((const uint16_t *)x)[i] & 0x7fff);
		break;
	default:
		switch (dtype_size(t)) {
		case 1:
			bits_pack(bits, n, x);
			return;
		case 2:
			NONZERO(uint16_t);
			break;
		case 4:
			NONZERO(uint32_t);
			break;
		default:
			NONZERO(uint64_t);
		}
	}

	bits_pack(bits, n, bytes);
}

void bits_above(uint64_t *bits, long n, const double *x, double level, unsigned char *bytes)
{
	for (long i = 0; i < n; i++)
		bytes[i] = x[i] > level;

	bits_pack(bits, n, bytes);
}

void bits_invert(uint64_t *bits, long n)
{
	const long words = bits_words(n);

	for (long k = 0; k < words; k++)
		bits[k] = ~bits[k];

	if (n % 64)
		bits[words - 1] &= (1UL << (n % 64)) - 1;
}

long bits_runs(struct run *runs, long n, const uint64_t *bits)
{
	const long words = bits_words(n);
	uint64_t carry = 0;
	uint32_t *const edges = (uint32_t *)runs, *edge = edges; // starts and ends in turns

	for (long k = 0; k < words; k++) {
		const uint64_t w = bits[k];

		for (uint64_t change = w ^ (w << 1 | carry); change; change &= change - 1)
			*edge++ = (uint32_t)(64 * k + __builtin_ctzl(change));

		carry = w >> 63;
	}

	if (carry)
		*edge++ = (uint32_t)n;

	return (edge - edges) / 2;
}
