/** Weights of rays on the GPU: a thread computes one column of neighbouring lines. Also copies lines with
 * zero padding for Fourier transforms. */

#include "ct/fbp/cuda/weigh.h"

#include "num/device/cuda/gpu.h"

namespace
{

enum { COLUMNS = 128, LINES = 16 };

__device__ double at_axis(const float *p, const struct fbp_rays *r)
{
	return fbp_at_axis_float(p, r);
}

__device__ double at_axis(const double *p, const struct fbp_rays *r)
{
	return fbp_at_axis_double(p, r);
}

template <typename T>
__global__ void __launch_bounds__(COLUMNS)
        weigh_lines(const __grid_constant__ struct weigh w, T *q, const T *p)
{
	const long i = (long)blockIdx.x * COLUMNS + threadIdx.x, a = i - w.left, lines = w.rows * w.views;
	const bool seen = a >= 0 && a < w.cols;

	if (i >= w.wide)
		return;

	for (long first = (long)blockIdx.y * LINES; first < lines; first += (long)gridDim.y * LINES) {
		const long end = (first + LINES < lines) ? first + LINES : lines;
		long k = first / w.rows, b = first % w.rows;

		for (long l = first; l < end; l++) {
			const struct fbp_column *c = &w.column[k * w.wide + i];
			const struct fbp_rays *r = &w.rays[k];
			const double cosine = w.parallel ? 1. : fbp_cosine(c, r, b);
			T value = seen ? (T)(c->weight * cosine * (double)p[l * w.cols + a]) : (T)0;

			if (r->axis[0] >= 0)
				value = (T)((double)value + c->fill * cosine * at_axis(p + l * w.cols, r));

			q[l * w.wide + i] = value;

			if (++b == w.rows) {
				b = 0;
				k++;
			}
		}
	}
}

template <typename T> void weigh_of(const struct weigh *w, T *q, const T *p)
{
	const long groups = gpu_divide_up(w->rows * w->views, LINES), most = 32768;
	const dim3 grid((unsigned)gpu_divide_up(w->wide, COLUMNS), (unsigned)(groups < most ? groups : most));

	GPU_LAUNCH(weigh_lines<T>, grid, dim3(COLUMNS), 0, gpu_stream(), *w, q, p);
}

template <typename T>
__global__ void __launch_bounds__(COLUMNS) pad_lines(T *out, long wide, const T *in, long n, long lines)
{
	const long i = (long)blockIdx.x * COLUMNS + threadIdx.x;

	for (long l = blockIdx.y; l < lines && i < wide; l += gridDim.y)
		out[l * wide + i] = (i < n) ? in[l * n + i] : (T)0;
}

template <typename T> void pad_of(T *out, long wide, const T *in, long n, long lines)
{
	const long most = 4096;
	const dim3 grid((unsigned)gpu_divide_up(wide, COLUMNS), (unsigned)(lines < most ? lines : most));

	GPU_LAUNCH(pad_lines<T>, grid, dim3(COLUMNS), 0, gpu_stream(), out, wide, in, n, lines);
}

} // namespace

extern "C" void weigh_views(const struct weigh *w, bool is_double, void *q, const void *p)
{
	if (is_double)
		weigh_of(w, (double *)q, (const double *)p);
	else
		weigh_of(w, (float *)q, (const float *)p);
}

extern "C" void weigh_pad(bool is_double, void *out, long wide, const void *in, long n, long lines)
{
	if (is_double)
		pad_of((double *)out, wide, (const double *)in, n, lines);
	else
		pad_of((float *)out, wide, (const float *)in, n, lines);
}
