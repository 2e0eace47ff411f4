/** Differences along dims on the GPU: one thread per number of the volume, all dims in one pass; the adjoint
 * gathers. */

#include "num/md/cuda/divide.h"
#include "linops/cuda/selftest_linops.h"
#include "num/device/cuda/gpu.h"

extern "C" {
#include "linops/grad_parts.h"
}

enum { THREADS = 256 };

/** The parts, and what divides 32-bit numbers by their extents. */
struct divided_parts {
	struct grad_parts g;
	struct loop_div inner[DIMS], n[DIMS];
};

static struct divided_parts divided(const struct grad_parts *g, bool is_small)
{
	struct divided_parts d = {};

	d.g = *g;

	for (int k = 0; is_small && k < g->n; k++) {
		d.inner[k] = loop_div_by(g->part[k].inner);
		d.n[k] = loop_div_by(g->part[k].n);
	}

	return d;
}

/** Row of number i along the dim of part k; 32 bits where they suffice since these are divided faster. */
static __device__ __forceinline__ long row_of(const struct divided_parts &d, int k, unsigned i)
{
	const unsigned q = loop_quotient(d.inner[k], i);

	return (1 == d.g.part[k].outer) ? (long)q : (long)(q - loop_quotient(d.n[k], q) * d.n[k].divisor);
}

static __device__ __forceinline__ long row_of(const struct divided_parts &d, int k, long i)
{
	const struct part *p = &d.g.part[k];
	const long q = (1 == p->inner) ? i : i / p->inner;

	return (1 == p->outer) ? q : q % p->n;
}

/** The edge that row r is, or NULL. */
__device__ static const struct edge *edge_at(const struct part *p, long r)
{
	if (r >= p->low && r < p->n - p->high)
		return NULL;

	return &p->edge[(p->edges > 1 && r == p->edge[1].row) ? 1 : 0];
}

template <typename T> __device__ static T difference(const struct part *p, long i, long r, const T *s)
{
	const struct edge *e = edge_at(p, r);

	if (NULL == e)
		return (s[i + p->up * p->inner] - s[i - p->down * p->inner]) * (T)p->factor;

	const T plus = (e->plus < 0) ? (T)0 : s[i + (e->plus - r) * p->inner];
	const T minus = (e->minus < 0) ? (T)0 : s[i + (e->minus - r) * p->inner];

	return (plus - minus) * (T)e->factor;
}

template <typename T, typename I>
__global__ static void forward_kernel(
        const __grid_constant__ struct divided_parts d, long size, T *dst, const T *src)
{
	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < size;
	        i += (long)gridDim.x * THREADS)
		for (int k = 0; k < d.g.n; k++)
			dst[k * size + i] = difference(&d.g.part[k], i, row_of(d, k, (I)i), src);
}

/** Whether row r is an inside row, whose difference is (s[r + up] - s[r - down]) factor. */
__device__ static bool is_inside(const struct part *p, long r)
{
	return r >= p->low && r < p->n - p->high;
}

/** What row r gets back from all differences in which it stands. */
template <typename T> __device__ static T divergence(const struct part *p, long i, long r, const T *s)
{
	const long above = r - p->up,
	           below = r + p->down; // rows of differences with r on their upper, lower side
	const bool plus = is_inside(p, above), minus = is_inside(p, below);
	const T a = plus ? s[i - p->up * p->inner] : (T)0, b = minus ? s[i + p->down * p->inner] : (T)0;
	T sum = (plus || minus) ? (a - b) * (T)p->factor : (T)0;

	for (int k = 0; k < p->edges; k++) {
		const struct edge *e = &p->edge[k];

		if (r != e->plus && r != e->minus)
			continue;

		const T v = s[i + (e->row - r) * p->inner] * (T)e->factor;

		sum += (r == e->plus) ? v : (T)0;
		sum -= (r == e->minus) ? v : (T)0;
	}

	return sum;
}

template <typename T, typename I>
__global__ static void adjoint_kernel(
        const __grid_constant__ struct divided_parts d, long size, T *dst, const T *src)
{
	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < size;
	        i += (long)gridDim.x * THREADS) {
		T sum = 0;

		for (int k = 0; k < d.g.n; k++)
			sum += divergence(&d.g.part[k], i, row_of(d, k, (I)i), src + k * size);

		dst[i] = sum;
	}
}

/** Enough blocks for a few numbers in each thread. */
static long blocks_of(long size)
{
	const long b = gpu_divide_up(size, 4L * THREADS);

	return b < 1L << 20 ? b : 1L << 20;
}

template <typename T>
static void forward_of(const struct grad_parts *g, long size, void *dst, const void *src)
{
	if (size < 1L << 31)
		GPU_LAUNCH((forward_kernel<T, unsigned>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, size < 1L << 31), size, (T *)dst, (const T *)src);
	else
		GPU_LAUNCH((forward_kernel<T, long>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, size < 1L << 31), size, (T *)dst, (const T *)src);
}

template <typename T>
static void adjoint_of(const struct grad_parts *g, long size, void *dst, const void *src)
{
	if (size < 1L << 31)
		GPU_LAUNCH((adjoint_kernel<T, unsigned>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, size < 1L << 31), size, (T *)dst, (const T *)src);
	else
		GPU_LAUNCH((adjoint_kernel<T, long>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, size < 1L << 31), size, (T *)dst, (const T *)src);
}

static void forward(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src)
{
	gpu_selftest(&gpu_selftest_differences);

	if (DT_FLOAT32 == real)
		forward_of<float>(g, size, dst, src);
	else
		forward_of<double>(g, size, dst, src);
}

static void adjoint(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src)
{
	gpu_selftest(&gpu_selftest_differences);

	if (DT_FLOAT32 == real)
		adjoint_of<float>(g, size, dst, src);
	else
		adjoint_of<double>(g, size, dst, src);
}

/* ---- second differences ---- */

/** The element `by` rows from number i in row r. */
template <typename T>
__device__ static T neighbour(const struct part *p, enum beyond beyond, long i, long r, int by, const T *s)
{
	const long to = r + by;

	if (to >= 0 && to < p->n)
		return s[i + by * p->inner];

	return (BEYOND_ZERO == beyond)        ? (T)0
	       : (BEYOND_OTHER_END == beyond) ? s[i - by * (p->n - 1) * p->inner]
	                                      : s[i];
}

template <typename T, typename I>
__global__ static void laplacian_kernel(
        const __grid_constant__ struct divided_parts d, enum beyond beyond, long size, T *dst, const T *src)
{
	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < size;
	        i += (long)gridDim.x * THREADS) {
		const T here = src[i];
		T sum = 0;

		for (int k = 0; k < d.g.n; k++) {
			const struct part *p = &d.g.part[k];
			const long r = row_of(d, k, (I)i);
			const T up = neighbour(p, beyond, i, r, 1, src),
			        down = neighbour(p, beyond, i, r, -1, src);
			const T more = (T)p->factor * ((up - here) + (down - here));

			sum = (0 == k) ? more : sum + more;
		}

		dst[i] = sum;
	}
}

template <typename T>
static void laplacian_of(
        const struct grad_parts *g, enum beyond beyond, long size, void *dst, const void *src)
{
	if (size < 1L << 31)
		GPU_LAUNCH((laplacian_kernel<T, unsigned>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, true), beyond, size, (T *)dst, (const T *)src);
	else
		GPU_LAUNCH((laplacian_kernel<T, long>), blocks_of(size), THREADS, 0, gpu_stream(),
		        divided(g, false), beyond, size, (T *)dst, (const T *)src);
}

static void laplacian(const struct grad_parts *g, enum beyond beyond, enum dtype real, long size, void *dst,
        const void *src)
{
	gpu_selftest(&gpu_selftest_differences);

	if (DT_FLOAT32 == real)
		laplacian_of<float>(g, beyond, size, dst, src);
	else
		laplacian_of<double>(g, beyond, size, dst, src);
}

extern "C" {
extern const struct grad_kernels grad_kernels_gpu;
const struct grad_kernels grad_kernels_gpu = {forward, adjoint, laplacian};
}
