/* The GPU as self-tests see it, and tests that do the same work on both sides. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/device/cuda/selftest.h"
#include "num/device/cuda/settings.h"
#include "num/device/device.h"

static const char *name_in_use(void)
{
	return device_name(gpu_current());
}

static char *state_in_use(void)
{
	if (0 == strcmp(device_toolkit(), "emulated"))
		return NULL;

	return mem_printf("capability %d driver %d", device_capability(gpu_current()), gpu_driver_version());
}

static const struct selftest_device gpu = {.word = "GPU",
        .thing = "GPU",
        .number = gpu_current,
        .name = name_in_use,
        .state = state_in_use,
        .beside = gpu_beside};

__attribute__((constructor)) static void serve(void)
{
	selftest_serve(SELFTEST_GPU, &gpu);
}

void gpu_selftest(struct selftest *t)
{
	selftest_need(SELFTEST_GPU, t);
}

/** The results as float64; frees them as float32. */
static double *widen(float *x)
{
	double *wide = mem_alloc(4 * SELFTEST_NUMBERS * sizeof *wide);

	for (long i = 0; i < 4 * SELFTEST_NUMBERS; i++)
		wide[i] = x[i];

	free(x);

	return wide;
}

bool gpu_selftest_same(char *why, size_t room, const char *what,
        void (*work)(float *out, const float *x, const float *y), double tolerance)
{
	const size_t in = SELFTEST_NUMBERS * sizeof(float), out = 4 * in;
	float *x = mem_alloc(in), *y = mem_alloc(in), *cpu = mem_calloc(1, out), *found = mem_alloc(out);
	float *x_there = device_alloc(in), *y_there = device_alloc(in), *there = device_alloc(out);

	selftest_fill(x, SELFTEST_NUMBERS, 1);
	selftest_fill(y, SELFTEST_NUMBERS, 2);
	device_copy(x_there, x, in);
	device_copy(y_there, y, in);
	device_fill(there, 0, out);
	work(cpu, x, y);
	work(there, x_there, y_there);
	device_copy(found, there, out);

	double *results = widen(found), *expected = widen(cpu);
	const bool same = selftest_same(why, room, what, results, expected, 4 * SELFTEST_NUMBERS, tolerance);

	device_free(x_there);
	device_free(y_there);
	device_free(there);
	free(x);
	free(y);
	free(results);
	free(expected);

	return same;
}
