/* Builds without CUDA have no GPU. */

#include <assert.h>
#include <string.h>

#include "misc/error.h"
#include "num/backend/backend.h"
#include "num/bench/bench_gpu.h"
#include "num/bench/bench_gpu_expr.h"
#include "num/device/device.h"
#include "num/device/device_integer.h"
#include "num/kern/convert.h"
#include "num/device/device_load.h"
#include "num/device/device_set.h"
#include "num/expr/expr_gpu.h"
#include "num/fft/fft_backend.h"

struct backend backend_gpu = {.name = "gpu"}; // serve no address
const struct fft_backend fft_backend_gpu;
const struct bench_gpu_hand bench_gpu_hand;

const char *device_toolkit(void)
{
	return "no";
}

long device_convert(enum dtype to, void *out, enum dtype from, const void *in, long n, bool count)
{
	(void)count;

	return convert(to, out, from, in, n, NARROW_SATURATE);
}

long device_axpy_integer(
        enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2])
{
	(void)n;
	(void)out;
	(void)s;
	(void)x;
	(void)y;
	(void)counts;
	error("%s for a GPU: %s", dtype_name(t), device_none_reason());
}

long device_multiply_integer(
        enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2])
{
	return device_axpy_integer(t, n, out, 1, x, y, counts);
}

int device_count(void)
{
	return 0;
}

const char *device_name(int id)
{
	(void)id;

	return "";
}

long device_memory(int id)
{
	(void)id;

	return 0;
}

int device_capability(int id)
{
	(void)id;

	return 0;
}

int device_processors(int id)
{
	(void)id;

	return 0;
}

long device_cache(int id)
{
	(void)id;

	return 0;
}

const char *device_none_reason(void)
{
	return "built without CUDA";
}

void device_set(int id)
{
	assert(-1 == id);
}

bool device_asked(void)
{
	return false;
}

void *device_alloc(size_t bytes)
{
	error("%zu bytes of GPU memory: %s", bytes, device_none_reason());
}

void device_free(void *p)
{
	assert(NULL == p);
}

bool device_holds(const void *p)
{
	(void)p;

	return false;
}

size_t device_left(void)
{
	return 0;
}

size_t device_taken(void)
{
	return 0;
}

void device_copy(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
}

void device_copy2(size_t width, long rows, void *dst, long dst_step, const void *src, long src_step)
{
	for (long i = 0; i < rows; i++)
		memcpy((char *)dst + i * dst_step, (const char *)src + i * src_step, width);
}

struct device_crossings device_crossed(void)
{
	return (struct device_crossings){0};
}

void device_fill(void *dst, int value, size_t bytes)
{
	memset(dst, value, bytes);
}

void device_sync(void)
{
}

size_t device_pipeline_bytes(const struct device_pipeline *p)
{
	(void)p;

	return 0;
}

void device_run_pipeline(const struct device_pipeline *p)
{
	error("a pipeline of %ld slabs for a GPU: %s", p->slabs, device_none_reason());
}

int device_workers(void)
{
	return 1;
}

void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx)
{
	fn(ctx, 0);
}

int device_selftests(void)
{
	return 0;
}

const char *device_selftest_name(int i)
{
	(void)i;

	return "";
}

bool device_selftest(int i, char *why, size_t room)
{
	(void)i;
	(void)why;
	(void)room;

	return true;
}

struct expr_gpu *expr_gpu_begin(struct expr_run *r, const struct loop *l, char *const base[])
{
	(void)r;
	(void)l;
	(void)base;
	error("expression: on a GPU, and %s", device_none_reason());
}

void expr_gpu_range(struct expr_gpu *g, char *const base[], long first, long end)
{
	(void)g;
	(void)base;
	(void)first;
	(void)end;
}

long expr_gpu_part(const struct expr_gpu *g)
{
	(void)g;

	return 1;
}

void expr_gpu_end(struct expr_gpu *g)
{
	(void)g;
}

void expr_gpu_choose(enum expr_gpu_way way)
{
	(void)way;
}

enum expr_gpu_way expr_gpu_chosen(void)
{
	return EXPR_GPU_BEST;
}

bool bench_gpu_expr_hand(int form, long n, float *out, const float *x, const float *y, const float *z)
{
	(void)form;
	(void)n;
	(void)out;
	(void)x;
	(void)y;
	(void)z;

	return false;
}
