/** The OpenCL device as self-tests see it, and the test of copies. */

#include "num/device/opencl/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/device/opencl.h"
#include "num/device/opencl/api.h"
#include "num/device/opencl/kernels.h"

static int only_device(void)
{
	return 0;
}

static char *state(void)
{
	return mem_strdup(opencl.facts);
}

static const struct selftest_device device = {.word = "OpenCL",
        .thing = "device",
        .number = only_device,
        .name = opencl_name,
        .state = state,
        .beside = opencl_beside,
        .has_float64 = opencl_has_float64};

__attribute__((constructor)) static void serve(void)
{
	selftest_serve(SELFTEST_OPENCL, &device);
}

void opencl_selftest(struct selftest *t)
{
	selftest_need(SELFTEST_OPENCL, t);
}

/* ---- copies ---- */

enum { WIDTH = 61, ROWS = 47, N = WIDTH * ROWS, STEP = 100, BEFORE = 3 };

/** Whether the device returns what it has been given: as a whole, by rows of other steps, from within a
 * buffer, and cleared. */
static bool copies_are_exact(char *why, size_t room)
{
	double *x = mem_alloc(N * sizeof *x), *found = mem_calloc(N, sizeof *found);
	char *p = opencl_alloc(N * sizeof *x), *q = opencl_alloc(STEP * ROWS * sizeof *x);
	const size_t width = WIDTH * sizeof *x, step = STEP * sizeof *x, before = BEFORE * sizeof *x;
	bool good;

	for (int i = 0; i < N; i++)
		x[i] = 1. + i * 1.37;

	opencl_upload(p, x, N * sizeof *x);
	opencl_download(found, p, N * sizeof *x);
	good = selftest_same(why, room, "copy to the device and back", found, x, N, 0.);

	memset(found, 0, N * sizeof *x);
	opencl_upload2(width, ROWS, q + before, step, x, width);
	opencl_download2(width, ROWS, found, width, q + before, step);
	good = good && selftest_same(why, room, "copy of rows", found, x, N, 0.);

	opencl_clear(p + before, N * sizeof *x - 2 * before);
	opencl_download(found, p, N * sizeof *x);
	memset(x + BEFORE, 0, (N - 2 * BEFORE) * sizeof *x);
	good = good && selftest_same(why, room, "clear a part of a buffer", found, x, N, 0.);

	opencl_free(p);
	opencl_free(q);
	free(x);
	free(found);
	return good;
}

OPENCL_SELFTEST(copies, copies_are_exact);
