/* Orders of subsets. */

#include <math.h>
#include <stdbool.h>

#include "iter/step/sampler.h"

#include "num/md/rand.h"

/* Random numbers for orders and for coins come from streams of their own. */
enum { STREAM_ORDER = 16, STREAM_COIN };

static double uniform(uint64_t seed, long pass, long i, uint64_t stream)
{
	uint32_t bits[4];

	philox4x32(bits, seed, (uint64_t)i, stream + ((uint64_t)pass << 8));

	return ((double)bits[0] + .5) / 4294967296.;
}

double sampler_coin(uint64_t seed, long pass, long i)
{
	return uniform(seed, pass, i, STREAM_COIN);
}

static int common_factor(int a, int b)
{
	while (0 != b) {
		const int rest = a % b;

		a = b;
		b = rest;
	}

	return a;
}

static void golden(int n, int *order)
{
	int hop = (int)lround(0.6180339887 * n);

	while (hop < 1 || 1 != common_factor(hop, n))
		hop++;

	for (int i = 0; i < n; i++)
		order[i] = (int)((long)i * hop % n);
}

static int least_factor(int n)
{
	for (int p = 2; (long)p * p <= n; p++)
		if (0 == n % p)
			return p;

	return n;
}

/** The digits of i backwards; their bases: 2, or the prime factors of n. */
static long backwards(long i, int n, long range, bool binary)
{
	long value = 0, step = range;

	for (int rest = n; 1 < step; rest /= binary ? 1 : least_factor(rest)) {
		const int base = binary ? 2 : least_factor(rest);

		step /= base;
		value += i % base * step;
		i /= base;
	}

	return value;
}

static void reversed(int n, bool binary, int *order)
{
	long range = binary ? 1 : n;
	int k = 0;

	while (range < n)
		range *= 2;

	for (long i = 0; i < range; i++) {
		const long at = backwards(i, n, range, binary);

		if (at < n)
			order[k++] = (int)at;
	}
}

static void shuffle(uint64_t seed, int n, long pass, int *order)
{
	for (int i = 0; i < n; i++) {
		const int j = (int)(uniform(seed, pass, i, STREAM_ORDER) * (i + 1));

		order[i] = order[j];
		order[j] = i;
	}
}

void sampler_order(enum sampler how, uint64_t seed, int n, long pass, int *order)
{
	switch (how) {
	case SAMPLER_DEFAULT:
	case SAMPLER_GOLDEN:
		golden(n, order);
		return;
	case SAMPLER_BIT_REVERSED:
	case SAMPLER_HERMAN_MEYER:
		reversed(n, SAMPLER_BIT_REVERSED == how, order);
		return;
	case SAMPLER_SHUFFLE:
		shuffle(seed, n, pass, order);
		return;
	default:
		break;
	}

	for (int i = 0; i < n; i++)
		order[i] = (SAMPLER_SEQUENTIAL == how) ? i : (int)(uniform(seed, pass, i, STREAM_ORDER) * n);
}
