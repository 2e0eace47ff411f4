/** Self-test of medians and non-local means. */

#include "iter/cuda/selftest_denoise.h"

#include "iter/denoise/denoisers.h"

enum { SIDE = 16 };

static void apply(struct functional *g, float *out, const float *x)
{
	functional_prox(g, .1, out, x);
	functional_free(g);
}

static void denoise(float *out, const float *x, const float *y)
{
	const long dims[] = {SIDE, SIDE, SELFTEST_NUMBERS / SIDE / SIDE};
	const struct nlm_conf c = {.flags = 7, .patch = 1, .search = 1, .sigma = .3, .strength = 1.};

	apply(functional_median_create(DT_FLOAT32, 3, dims, 7, 1), out, x);
	apply(functional_median_create(DT_FLOAT32, 3, dims, 7, 2), out + SELFTEST_NUMBERS, y);
	apply(functional_median_create(DT_FLOAT32, 3, dims, 2, 5), out + 2 * SELFTEST_NUMBERS, x);
	apply(functional_nlm_create(DT_FLOAT32, 3, dims, &c), out + 3 * SELFTEST_NUMBERS, y);
}

static bool denoisers_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "medians and non-local means", denoise, 1e-5);
}

GPU_SELFTEST(denoisers, denoisers_work);
