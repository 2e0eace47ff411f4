/** Corrections of views on the GPU, an element in each thread; see correct/view_kernels.h. */

#include "correct/cuda/selftest_views.h"
#include "num/device/cuda/gpu.h"

extern "C" {
#include "correct/cubic.h"
#include "correct/mirrored.h"
#include "correct/view_kernels.h"
}

enum { THREADS = 256 };

#define ELEMENT() ((long)blockIdx.x * THREADS + (long)threadIdx.x)

/** All of them begin here. */
static long blocks_of(long n)
{
	gpu_selftest(&gpu_selftest_views);

	return gpu_divide_up(n, THREADS);
}

__global__ static void extend_kernel(
        const __grid_constant__ struct plane p, long n, double2 *z, const double *in)
{
	const long i = ELEMENT(), a = i % p.wide, b = i / p.wide % p.high, v = i / p.wide / p.high;

	if (i >= n)
		return;

	z[i] = make_double2(
	        in[(v * p.rows + mirrored(b - p.top, p.rows)) * p.cols + mirrored(a - p.left, p.cols)], 0.);
}

__global__ static void weigh_kernel(long size, long n, double2 *z, const double *w)
{
	const long i = ELEMENT();

	if (i >= n)
		return;

	const double f = w[i % size];
	const double2 v = z[i];

	z[i] = make_double2(v.x * f, v.y * f);
}

__global__ static void crop_kernel(
        const __grid_constant__ struct plane p, long n, double *out, const double2 *z)
{
	const long i = ELEMENT(), a = i % p.cols, b = i / p.cols % p.rows, v = i / p.cols / p.rows;

	if (i < n)
		out[i] = z[(v * p.high + b + p.top) * p.wide + a + p.left].x / (double)(p.wide * p.high);
}

static void extend(const struct plane *p, long n, double *z, const double *in)
{
	const long all = n * p->wide * p->high;

	GPU_LAUNCH(extend_kernel, blocks_of(all), THREADS, 0, gpu_stream(), *p, all, (double2 *)z, in);
}

static void weigh(const struct plane *p, long n, double *z, const double *w)
{
	const long size = p->wide * p->high;

	GPU_LAUNCH(
	        weigh_kernel, blocks_of(n * size), THREADS, 0, gpu_stream(), size, n * size, (double2 *)z, w);
}

static void crop(const struct plane *p, long n, double *out, const double *z)
{
	const long all = n * p->cols * p->rows;

	GPU_LAUNCH(crop_kernel, blocks_of(all), THREADS, 0, gpu_stream(), *p, all, out, (const double2 *)z);
}

__global__ static void sources_kernel(
        const __grid_constant__ struct scatter s, long n, double *sent, const double *p)
{
	const long i = ELEMENT();

	if (i < n)
		sent[i] = scatter_source(s.alpha, s.beta, p[i]);
}

static void sources(const struct scatter *s, long n, double *sent, const double *p)
{
	GPU_LAUNCH(sources_kernel, blocks_of(n), THREADS, 0, gpu_stream(), *s, n, sent, p);
}

__global__ static void subtract_kernel(
        long n, double *out, const double *in, const double *sent, unsigned long long *low)
{
	__shared__ unsigned below;
	const long i = ELEMENT();

	if (0 == threadIdx.x)
		below = 0;

	__syncthreads();

	if (i < n) {
		const double least = 0.01 * in[i], p = in[i] - sent[i];

		if (!(p >= least))
			atomicAdd(&below, 1u);

		out[i] = (p >= least) ? p : least;
	}

	__syncthreads();

	if (0 == threadIdx.x && 0 < below && NULL != low)
		atomicAdd(low, (unsigned long long)below);
}

static long subtract(long n, double *out, const double *in, const double *sent, bool count)
{
	unsigned long long *there = NULL, low = 0;

	if (count) {
		there = (unsigned long long *)device_alloc(sizeof *there);
		device_fill(there, 0, sizeof *there);
	}

	GPU_LAUNCH(subtract_kernel, blocks_of(n), THREADS, 0, gpu_stream(), n, out, in, sent, there);

	if (count) {
		device_copy(&low, there, sizeof low);
		device_free(there);
	}

	return (long)low;
}

__global__ static void distort_kernel(long cols, long rows, double2 centre, int terms, const double *k,
        long n, double *out, const double *in)
{
	const long i = ELEMENT(), v = i / cols / rows;
	const double at[2] = {centre.x, centre.y};

	if (i < n)
		out[i] =
		        distort_at(cols, rows, at, terms, k, in + v * cols * rows, i % cols, i / cols % rows);
}

static void distort(long cols, long rows, const double centre[2], int terms, const double *k, long n,
        double *out, const double *in)
{
	const long all = n * cols * rows;

	GPU_LAUNCH(distort_kernel, blocks_of(all), THREADS, 0, gpu_stream(), cols, rows,
	        make_double2(centre[0], centre[1]), terms, k, all, out, in);
}

__global__ static void bin_kernel(
        long cols, long rows, long u, long v, bool sum, long n, double *out, const double *in)
{
	const long wide = cols / u, high = rows / v, i = ELEMENT();
	const long a = i % wide, b = i / wide % high, view = i / wide / high;
	double x = 0.;

	if (i >= n)
		return;

	for (long j = 0; j < v; j++)
		for (long k = 0; k < u; k++)
			x += in[(view * rows + b * v + j) * cols + a * u + k];

	out[i] = sum ? x : x / (double)(u * v);
}

static void bin(long cols, long rows, long u, long v, bool sum, long n, double *out, const double *in)
{
	const long all = n * (cols / u) * (rows / v);

	GPU_LAUNCH(bin_kernel, blocks_of(all), THREADS, 0, gpu_stream(), cols, rows, u, v, sum, all, out, in);
}

__global__ static void columns_kernel(
        long wide, const long *at, const double *factor, long cols, long n, double *out, const double *in)
{
	const long i = ELEMENT(), row = i / wide, a = i - row * wide;

	if (i < n)
		out[i] = factor[a] * in[row * cols + at[a]];
}

static void columns(
        long wide, const long *at, const double *factor, long cols, long rows, double *out, const double *in)
{
	GPU_LAUNCH(columns_kernel, blocks_of(rows * wide), THREADS, 0, gpu_stream(), wide, at, factor, cols,
	        rows * wide, out, in);
}

extern "C" {
extern const struct view_kernels view_kernels_gpu;
const struct view_kernels view_kernels_gpu = {extend, weigh, crop, sources, subtract, distort, bin, columns};
}
