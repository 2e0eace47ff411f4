/** Copies between ordinary memory and the GPU. */

#include <stdio.h>
#include <stdlib.h>

#include "num/bench/bench.h"
#include "num/bench/bench_gpu.h"
#include "num/device/device.h"

struct work {
	float *host, *there;
	size_t bytes;
};

static void run_up(void *ctx)
{
	struct work *w = ctx;

	device_copy(w->there, w->host, w->bytes);
	device_sync();
}

static void run_down(void *ctx)
{
	struct work *w = ctx;

	device_copy(w->host, w->there, w->bytes);
}

void bench_gpu_transfer(struct bench *b, long size)
{
	const long n = size * size * size;
	struct work w = {.bytes = (size_t)n * sizeof(float)};
	const struct bench_contender up = {.name = "device_copy", .run = run_up, .ctx = &w};
	const struct bench_contender down = {.name = "device_copy", .run = run_down, .ctx = &w};
	struct bench_case c = {.name = "from memory to the GPU", .bytes = (double)w.bytes, .hand = -1};

	if (w.bytes > device_left()) {
		bench_note(
		        "copies of %ld^3 left out: the array does not fit into the memory of the GPU", size);
		return;
	}

	w.host = bench_random(n, 0);
	w.there = device_alloc(w.bytes);
	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", size, size, size);
	bench_case(b, &c, 1, &up);
	c.name = "from the GPU to memory";
	bench_case(b, &c, 1, &down);
	device_free(w.there);
	free(w.host);
}
