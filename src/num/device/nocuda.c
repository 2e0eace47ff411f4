/* Builds without CUDA have no GPU. */

#include <assert.h>
#include <string.h>

#include "num/backend/backend.h"
#include "num/bench/bench_gpu.h"
#include "num/bench/bench_gpu_expr.h"
#include "num/device/absent.h"
#include "num/device/device_integer.h"
#include "num/device/device_load.h"
#include "num/device/device_set.h"
#include "num/expr/expr_gpu.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/fft/fft_backend.h"
#include "num/kern/convert.h"

struct backend backend_gpu = {.name = "gpu"}; // serve no address
const struct fft_backend fft_backend_gpu;
const struct bench_gpu_hand bench_gpu_hand;

ABSENT(const char *, device_platform, (void), "CUDA");
ABSENT(const char *, device_toolkit, (void), "no");
ABSENT(long, device_convert, (enum dtype to, void *out, enum dtype from, const void *in, long n, bool count),
        convert(to, out, from, in, n, NARROW_SATURATE));
REFUSED(long, device_axpy_integer,
        (enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2]));
ABSENT(long, device_multiply_integer,
        (enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2]),
        device_axpy_integer(t, n, out, 1, x, y, counts));
ABSENT(int, device_count, (void), 0);
ABSENT(const char *, device_name, (int id), "");
ABSENT(long, device_memory, (int id), 0);
ABSENT(int, device_capability, (int id), 0);
ABSENT(int, device_processors, (int id), 0);
ABSENT(long, device_cache, (int id), 0);
ABSENT(const char *, device_none_reason, (void), "built without CUDA");

void device_set(int id)
{
	assert(-1 == id);
}

ABSENT(bool, device_asked, (void), false);
REFUSED(void *, device_alloc, (size_t bytes));

void device_free(void *p)
{
	assert(NULL == p);
}

ABSENT(bool, device_holds, (const void *p), false);
ABSENT(size_t, device_left, (void), 0);
ABSENT(size_t, device_taken, (void), 0);

void device_copy(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
}

void device_copy2(size_t width, long rows, void *dst, long dst_step, const void *src, long src_step)
{
	for (long i = 0; i < rows; i++)
		memcpy((char *)dst + i * dst_step, (const char *)src + i * src_step, width);
}

ABSENT(struct device_crossings, device_crossed, (void), (struct device_crossings){0});

void device_fill(void *dst, int value, size_t bytes)
{
	memset(dst, value, bytes);
}

ABSENT_VOID(device_sync, (void));
ABSENT(size_t, device_pipeline_bytes, (const struct device_pipeline *p), 0);
REFUSED(void, device_run_pipeline, (const struct device_pipeline *p));
ABSENT(int, device_workers, (void), 1);

void device_for_workers(void (*fn)(void *ctx, int worker), void *ctx)
{
	fn(ctx, 0);
}

ABSENT(struct stencil_gpu *, stencil_gpu_begin,
        (struct expr_run * r, const struct expr_pass *q, const struct stencil_work *w), NULL);
ABSENT(bool, stencil_gpu_compiles, (void), false);
ABSENT_VOID(stencil_gpu_slices, (struct stencil_gpu * g, struct stencil_places *p));
ABSENT(long, stencil_gpu_step, (const struct stencil_gpu *g), 1);
ABSENT(long, stencil_gpu_halo, (const struct stencil_gpu *g, int input), 0);
ABSENT(double, stencil_gpu_bytes, (const struct stencil_gpu *g, long slices), 0);
ABSENT_VOID(stencil_gpu_end, (struct stencil_gpu * g));
REFUSED(struct expr_gpu *, expr_gpu_begin, (struct expr_run * r, const struct loop *l, char *const base[]));
ABSENT_VOID(expr_gpu_range, (struct expr_gpu * g, char *const base[], long first, long end));
ABSENT(long, expr_gpu_part, (const struct expr_gpu *g), 1);
ABSENT_VOID(expr_gpu_end, (struct expr_gpu * g));
ABSENT_VOID(expr_gpu_choose, (enum expr_gpu_way way));
ABSENT(enum expr_gpu_way, expr_gpu_chosen, (void), EXPR_GPU_BEST);
ABSENT(bool, bench_gpu_expr_hand,
        (int form, long n, float *out, const float *x, const float *y, const float *z), false);
