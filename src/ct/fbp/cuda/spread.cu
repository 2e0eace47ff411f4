/** Back projection of filtered views, any geometry: bilinear between pixels, 0 beyond them. The projection of
 * a voxel is computed in float64. */

#include "ct/fbp/cuda/spread.h"

#include <stdlib.h>
#include <string.h>

#include "num/device/cuda/gpu.h"

namespace
{

enum { LANES = 32, LINES = 8, THREADS = LANES * LINES };

struct args {
	struct spread_setup s; // view: on the device
	struct gpu_tile tile;
	long step;
};

/** Pixel (a, b), or 0. */
template <typename T> __device__ inline T pixel(const struct args *w, const T *q, long a, long b)
{
	const bool there = a >= 0 && a < w->s.cols && b >= 0 && b < w->tile.rows;

	return there ? __ldg(q + b * w->s.cols + a) : (T)0;
}

template <typename T>
__device__ T seen(const struct args *w, const struct fbp_view *v, const double x[3], const T *q)
{
	struct fbp_hit s;
	double at[3];

	for (int r = 0; r < 3; r++)
		at[r] = v->to[r][0] * x[0] + v->to[r][1] * x[1] + v->to[r][2] * x[2] + v->to[r][3];

	if (v->curved)
		fbp_hit_curved(&s, v, at, 0.);
	else
		fbp_hit_flat(&s, at, 0.);

	const double a = fbp_clamp(s.col, -1., (double)w->s.cols) + 1.,
	             b = fbp_clamp(s.row, -1., (double)w->s.rows) + 1.;
	const long i = (long)a, j = (long)b, row = j - 1 - w->tile.row;
	const T left = (T)(s.weight * (1. - (a - (double)i))), right = (T)(s.weight * (a - (double)i)),
	        up = (T)(b - (double)j);
	const T below = left * pixel(w, q, i - 1, row) + right * pixel(w, q, i, row),
	        above = left * pixel(w, q, i - 1, row + 1) + right * pixel(w, q, i, row + 1);

	return below + up * (above - below);
}

template <typename T> __global__ void __launch_bounds__(THREADS) add_views(struct args w, T *vol, const T *q)
{
	const long x = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           y = (long)blockIdx.y * LINES + threadIdx.x / LANES;

	if (x >= w.s.size[0] || y >= w.s.size[1])
		return;

	for (long z = blockIdx.z; z < w.tile.slices; z += gridDim.z) {
		const double at[3] = {w.s.origin[0] + (double)x * w.s.spacing[0],
		        w.s.origin[1] + (double)y * w.s.spacing[1],
		        w.s.origin[2] + (double)(w.tile.slice + z) * w.s.spacing[2]};
		T sum = 0;

		for (long k = 0; k < w.tile.views; k++)
			sum += seen(&w, w.s.view + w.tile.view + k, at, q + k * w.tile.rows * w.s.cols);

		vol[((z * w.s.size[1] + y) * w.s.size[0] + x) * w.step] += sum;
	}
}

} // namespace

struct spread {
	struct spread_setup s;
	void *view;
};

extern "C" struct spread *spread_create(const struct spread_setup *s)
{
	struct spread *p = (struct spread *)calloc(1, sizeof *p);
	const size_t bytes = (size_t)s->views * sizeof *s->view;

	if (!p)
		error("out of memory for the tables of the back projection");

	p->view = device_alloc(bytes);
	device_copy(p->view, s->view, bytes);
	p->s = *s;
	p->s.view = (const struct fbp_view *)p->view;
	return p;
}

extern "C" void spread_free(struct spread *p)
{
	if (!p)
		return;

	device_free(p->view);
	free(p);
}

extern "C" void spread_add(
        const struct spread *p, bool wide, long step, void *vol, const void *q, const struct gpu_tile *tile)
{
	const struct args w = {p->s, *tile, step};
	const long most = 32768, depth = (tile->slices < most) ? tile->slices : most;
	const dim3 grid((unsigned)gpu_divide_up(p->s.size[0], LANES),
	        (unsigned)gpu_divide_up(p->s.size[1], LINES), (unsigned)depth);

	if (wide)
		GPU_LAUNCH((add_views<double>), grid, dim3(THREADS), 0, gpu_stream(), w, (double *)vol,
		        (const double *)q);
	else
		GPU_LAUNCH((add_views<float>), grid, dim3(THREADS), 0, gpu_stream(), w, (float *)vol,
		        (const float *)q);
}
