/** Ray casting on the GPU, one ray per thread. Samples and their order are those of the CPU: both include the
 * same files. */

#include "num/device/cuda/gpu.h"
#include "volume/render/cuda/lane.h"
#include "volume/render/cuda/selftest_render.h"

extern "C" {
#include "volume/render/ray.h"
#include "volume/render/render_device.h"
#include "volume/render/render_kern.h"
}

enum { WIDE = 8, HIGH = 16 }; // pixels of a block, whose warps have 8 x 4
enum { TOGETHER = 1 };        // other warps run while a sample waits

/* ---- elements ---- */

INLINE float load(const enum render_kind kind, const char *p, long at)
{
	switch (kind) {
	case RENDER_U8:
		return (float)((const uint8_t *)p)[at];
	case RENDER_U16:
		return (float)((const uint16_t *)p)[at];
	case RENDER_I16:
		return (float)((const int16_t *)p)[at];
	default:
		return ((const float *)p)[at];
	}
}

/* Elements x and x + 1, and x - 1 .. x + 2, of a row. */

INLINE void pair(const enum render_kind kind, const char *p, const struct places *at, vf v[2])
{
	for (int i = 0; i < 2; i++)
		v[i] = load(kind, p, (long)at->i + i);
}

INLINE void quad(const enum render_kind kind, const char *p, const struct places *at, vf v[4])
{
	for (int i = 0; i < 4; i++)
		v[i] = load(kind, p, (long)at->i + i - 1);
}

#include "volume/render/render_sample.inc"

/* Programs run on the CPU: see render_device_create(). */
APART void run_program(const struct render_pass *, const struct render_field *, const struct packet *, vf,
        const vf *, float, vm, struct shine *)
{
}

/* ---- rays ---- */

/** How a kernel takes samples. */
struct runs {
	enum render_take take;
	enum render_kind kind;
};

INLINE void run_inner(
        const struct runs *runs, const struct render_pass *p, struct packet *q, long k, int steps, vm m)
{
	run(p, q, k, steps, m, runs->take, runs->kind, false);
}

/* Of all kinds alike, as on the CPU. */
INLINE void run_border(
        const struct runs *runs, const struct render_pass *p, struct packet *q, long k, int steps, vm m)
{
	const bool composited = RENDER_TAKE_FLAT == runs->take || RENDER_TAKE_LIT == runs->take;

	run(p, q, k, steps, m, composited ? RENDER_TAKE_ANY : runs->take, RENDER_F32, true);
}

#include "volume/render/render_march.inc"

template <enum render_take TAKE, enum render_kind KIND>
__global__ static void cast_kernel(const __grid_constant__ struct render_pass p, long top, long rows)
{
	const struct runs runs = {TAKE, KIND};
	const long x = (long)blockIdx.x * WIDE + threadIdx.x, y = (long)blockIdx.y * HIGH + threadIdx.y;
	struct packet q;

	if (x >= p.view.width || y >= rows || !start(&p, &q, x, top + y, 1, 1))
		return;

	march(&p, &q, q.last + 1, &runs);
	finish(&p, &q);
}

template <enum render_take TAKE, enum render_kind KIND>
static void launch(const struct render_pass *p, long top, long rows)
{
	const dim3 grid((unsigned)gpu_divide_up(p->view.width, WIDE), (unsigned)gpu_divide_up(rows, HIGH));

	GPU_LAUNCH((cast_kernel<TAKE, KIND>), grid, dim3(WIDE, HIGH), 0, gpu_stream(), *p, top, rows);
}

template <enum render_take TAKE> static void launch_of(const struct render_pass *p, long top, long rows)
{
	switch (p->field[0].kind) {
	case RENDER_U8:
		return launch<TAKE, RENDER_U8>(p, top, rows);
	case RENDER_U16:
		return launch<TAKE, RENDER_U16>(p, top, rows);
	case RENDER_I16:
		return launch<TAKE, RENDER_I16>(p, top, rows);
	default:
		return launch<TAKE, RENDER_F32>(p, top, rows);
	}
}

static void cast(const struct render_pass *p, long top, long rows)
{
	gpu_selftest(&gpu_selftest_render);

	switch (p->take) {
	case RENDER_TAKE_FLAT:
		return launch_of<RENDER_TAKE_FLAT>(p, top, rows);
	case RENDER_TAKE_LIT:
		return launch_of<RENDER_TAKE_LIT>(p, top, rows);
	case RENDER_TAKE_MOST:
		return launch_of<RENDER_TAKE_MOST>(p, top, rows);
	case RENDER_TAKE_LEAST:
		return launch_of<RENDER_TAKE_LEAST>(p, top, rows);
	case RENDER_TAKE_SUM:
		return launch_of<RENDER_TAKE_SUM>(p, top, rows);
	case RENDER_TAKE_ISO:
		return launch_of<RENDER_TAKE_ISO>(p, top, rows);
	default:
		return launch<RENDER_TAKE_ANY, RENDER_F32>(p, top, rows); // looks at the kind of each volume
	}
}

extern "C" {
extern const struct render_kernels render_kernels_gpu;
const struct render_kernels render_kernels_gpu = {cast};
}
