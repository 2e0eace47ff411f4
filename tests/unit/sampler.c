/* Orders of subsets. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "iter/step/sampler.h"

enum { MOST = 400 };

static bool is_permutation(int n, const int *order)
{
	bool seen[MOST] = {false};

	for (int i = 0; i < n; i++) {
		if (order[i] < 0 || order[i] >= n || seen[order[i]])
			return false;

		seen[order[i]] = true;
	}

	return true;
}

static void test_permutations(void)
{
	static const int sizes[] = {1, 2, 3, 7, 8, 10, 12, 97, 360, 400};
	bool good = true;
	int order[MOST];

	for (int how = SAMPLER_DEFAULT; how < SAMPLER_RANDOM; how++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
			for (long pass = 0; pass < 3; pass++) {
				sampler_order((enum sampler)how, 5, sizes[k], pass, order);
				good = good && is_permutation(sizes[k], order);
			}

	check(good, "every order but the random one with replacement uses each subset once");
}

static void test_reversed(void)
{
	static const int bits[] = {0, 4, 2, 6, 1, 5, 3, 7}, some[] = {0, 4, 2, 1, 5, 3},
	                 primes[] = {0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11};
	int order[12];

	sampler_order(SAMPLER_BIT_REVERSED, 0, 8, 0, order);
	check(0 == memcmp(order, bits, sizeof bits), "bit-reversed order of 8");
	sampler_order(SAMPLER_HERMAN_MEYER, 0, 8, 0, order);
	check(0 == memcmp(order, bits, sizeof bits), "Herman and Meyer's order of a power of 2 is the same");
	sampler_order(SAMPLER_BIT_REVERSED, 0, 6, 0, order);
	check(0 == memcmp(order, some, sizeof some), "bit-reversed order of 6 leaves out what is not there");
	sampler_order(SAMPLER_HERMAN_MEYER, 0, 12, 0, order);
	check(0 == memcmp(order, primes, sizeof primes), "Herman and Meyer's order of 12 = 2 * 2 * 3");
}

static void test_random(void)
{
	enum { N = 10, PASSES = 4000 };
	int first[N] = {0}, drawn[N] = {0}, a[N], b[N];
	bool once = true;

	for (long pass = 0; pass < PASSES; pass++) {
		sampler_order(SAMPLER_SHUFFLE, 7, N, pass, a);
		first[a[0]]++;
		sampler_order(SAMPLER_RANDOM, 7, N, pass, b);
		once = once && is_permutation(N, b);

		for (int i = 0; i < N; i++)
			drawn[b[i]]++;
	}

	bool even = true;

	// 5 standard deviations
	for (int i = 0; i < N; i++)
		even = even && abs(first[i] - PASSES / N) < 95 && abs(drawn[i] - PASSES) < 300;

	check(even && !once, "random orders use all subsets alike, with replacement some twice");
	sampler_order(SAMPLER_SHUFFLE, 7, N, 3, a);
	sampler_order(SAMPLER_SHUFFLE, 7, N, 3, b);
	check(0 == memcmp(a, b, sizeof a), "the same seed and pass, the same order");
	sampler_order(SAMPLER_SHUFFLE, 8, N, 3, b);
	check(0 != memcmp(a, b, sizeof a), "another seed, another order");
}

int main(void)
{
	test_permutations();
	test_reversed();
	test_random();

	return checks_failed > 0;
}
