/** Outliers of views on the GPU; see correct/outliers_kernels.h. Medians have the bits of the CPU: the
 * interval that contains them is halved until one value is left. */

#include "correct/cuda/selftest_views.h"
#include "num/device/cuda/gpu.h"

#include <math.h>

extern "C" {
#include "correct/outliers.h"
#include "correct/outliers_kernels.h"
#include "misc/mem.h"
}

typedef unsigned long long key;

enum { THREADS = 128, BINS = 256, DIGIT = 8, BLOCKS = 64, BLOCKS_ALL = 1024, SMALL = 9 };

static const key none = ~0ull; // of a value that does not count

/** Whole numbers in the order of the values; -0 does not occur. */
__device__ static key key_of(double x)
{
	const key u = (key)__double_as_longlong(x);

	return (u >> 63) ? ~u : u | 1ull << 63;
}

__device__ static double value_of(key k)
{
	return __longlong_as_double((long long)((k >> 63) ? k & ~(1ull << 63) : ~k));
}

/** A box about an element, within what there is. */
struct box {
	long first; // of the view in the middle
	long a0, a1, b0, b1;
	int before, after;
};

__device__ static struct box box_at(
        const struct outliers_batch &b, long v, long i, unsigned long dims, long radius)
{
	const long view = (b.first + v) % b.views, left = b.views - 1 - view;
	const long a = i % b.cols, r = i / b.cols;
	const long ru = (dims & 1ul) ? radius : 0, rv = (dims & 2ul) ? radius : 0;
	struct box x;

	x.first = (b.first - b.base + v) * b.cols * b.rows;
	x.a0 = (a < ru) ? 0 : a - ru;
	x.a1 = (a + ru < b.cols) ? a + ru : b.cols - 1;
	x.b0 = (r < rv) ? 0 : r - rv;
	x.b1 = (r + rv < b.rows) ? r + rv : b.rows - 1;
	x.before = (dims & 4ul) ? (int)(view < b.reach ? view : b.reach) : 0;
	x.after = (dims & 4ul) ? (int)(left < b.reach ? left : b.reach) : 0;

	return x;
}

/** Calls each(key) for the good values of a box. */
template <typename F>
__device__ static void for_box(const struct outliers_batch &b, const struct box &x, F each)
{
	for (int k = -x.before; k <= x.after; k++)
		for (long j = x.b0; j <= x.b1; j++)
			for (long i = x.a0; i <= x.a1; i++) {
				const double v = b.in[x.first + k * b.cols * b.rows + j * b.cols + i];

				if (isfinite(v) && (NULL == b.bad || 0 == b.bad[j * b.cols + i]))
					each(key_of(v + 0.));
			}
}

/** The median of the values that all(each) calls each(key) for, the mean of the two in the middle where their
 * number is even; NAN where there are none. */
template <typename A> __device__ static double median_of(A all)
{
	key lo = none, hi = 0;
	int n = 0, below = 0;

	all([&](key k) {
		lo = (k < lo) ? k : lo;
		hi = (k > hi) ? k : hi;
		n++;
	});

	if (0 == n)
		return (double)NAN;

	int within = n; // how many are up to hi; `below` are below lo

	while (lo < hi && 1 < within - below) {
		const key mid = lo + (hi - lo) / 2;
		int m = 0;

		all([&](key k) { m += k <= mid; });

		if (m > n / 2) {
			hi = mid;
			within = m;
		} else {
			lo = mid + 1;
			below = m;
		}
	}

	key upper = lo, lower = 0;

	all([&](key k) { upper = (k <= hi && k > upper) ? k : upper; });

	if (n % 2)
		return value_of(upper);

	int under = 0;

	all([&](key k) {
		under += k < upper;
		lower = (k < upper && k > lower) ? k : lower;
	});

	return 0.5 * (value_of((under == n / 2) ? lower : upper) + value_of(upper));
}

/** Where the window itself has nothing good, a larger square of the view; as on the CPU. */
__device__ static double around_box(const struct outliers_batch &b, long v, long i)
{
	const struct box x = box_at(b, v, i, b.dims, b.radius);
	double m = median_of([&](auto each) { for_box(b, x, each); });

	for (long r = 1; isnan(m) && (2 * r + 1) * (2 * r + 1) <= OUTLIERS_WINDOW; r++) {
		const struct box y = box_at(b, v, i, 3ul, r);

		m = median_of([&](auto each) { for_box(b, y, each); });
	}

	return m;
}

__global__ static void __launch_bounds__(THREADS)
        around_kernel(const __grid_constant__ struct outliers_batch b, double *median)
{
	const long size = b.cols * b.rows, i = (long)blockIdx.x * THREADS + (long)threadIdx.x;

	if (i < b.n * size)
		median[i] = around_box(b, i / size, i % size);
}

/** Windows of 3 x 3 in registers. */
__global__ static void __launch_bounds__(THREADS)
        around_square(const __grid_constant__ struct outliers_batch b, double *median)
{
	const long size = b.cols * b.rows, i = (long)blockIdx.x * THREADS + (long)threadIdx.x;

	if (i >= b.n * size)
		return;

	const long v = i / size, at = i - v * size, r = at / b.cols, a = at - r * b.cols;
	const double *in = b.in + (b.first - b.base + v) * size;
	key k[SMALL];

#pragma unroll
	for (int j = 0; j < SMALL; j++) {
		const long y = r + j / 3 - 1, x = a + j % 3 - 1;
		const bool is = x >= 0 && x < b.cols && y >= 0 && y < b.rows;
		const double value = is ? in[y * b.cols + x] : (double)NAN;

		k[j] = (isfinite(value) && (NULL == b.bad || 0 == b.bad[y * b.cols + x])) ? key_of(value + 0.)
		                                                                          : none;
	}

	const double m = median_of([&](auto each) {
#pragma unroll
		for (int j = 0; j < SMALL; j++)
			if (none != k[j])
				each(k[j]);
	});

	median[i] = isnan(m) ? around_box(b, v, at) : m;
}

__device__ static double noise_unit(const struct outliers_batch &b, double median)
{
	return b.counts ? sqrt(median > 1. ? median : 1.) : 1.;
}

__device__ static bool is_good(const struct outliers_batch &b, double x, long at)
{
	return isfinite(x) && (NULL == b.bad || 0 == b.bad[at]);
}

__global__ static void distances_kernel(
        const __grid_constant__ struct outliers_batch b, const double *median, double *distance)
{
	const long size = b.cols * b.rows, i = (long)blockIdx.x * THREADS + (long)threadIdx.x;

	if (i >= b.n * size)
		return;

	const double x = b.in[(b.first - b.base) * size + i];

	distance[i] = is_good(b, x, i % size) ? fabs(x - median[i]) / noise_unit(b, median[i]) : -1.;
}

/* ---- the middle of a view's distances: digit by digit, from the highest ---- */

/** Of one view: the digits found, which of the values with these it is, how many values there are; and the
 * largest one below. */
struct choice {
	key prefix, lower;
	long rank, n;
};

/** How many of a view's values with these digits have each next one: BINS of each view. Distances are not
 * negative: their bits are in their order. */
__global__ static void count_kernel(
        long size, int shift, const struct choice *all, unsigned *bins, const double *distance)
{
	__shared__ unsigned bin[BINS];
	const key prefix = all[blockIdx.y].prefix;
	const double *d = distance + (long)blockIdx.y * size;

	for (int i = (int)threadIdx.x; i < BINS; i += THREADS)
		bin[i] = 0;

	__syncthreads();

	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < size;
	        i += (long)gridDim.x * THREADS) {
		const double v = d[i];
		const key k = (key)__double_as_longlong(v);

		if (v >= 0. && (64 == shift + DIGIT || k >> (shift + DIGIT) == prefix >> (shift + DIGIT)))
			atomicAdd(&bin[(k >> shift) & (BINS - 1)], 1u);
	}

	__syncthreads();

	for (int i = (int)threadIdx.x; i < BINS; i += THREADS)
		if (0 < bin[i])
			atomicAdd(&bins[(long)blockIdx.y * BINS + i], bin[i]);
}

/** The next digit of each view; bins are empty again. */
__global__ static void pick_kernel(int shift, struct choice *all, unsigned *bins)
{
	__shared__ unsigned bin[BINS];
	unsigned *mine = bins + (long)blockIdx.x * BINS;

	for (int i = (int)threadIdx.x; i < BINS; i += THREADS) {
		bin[i] = mine[i];
		mine[i] = 0;
	}

	__syncthreads();

	if (0 != threadIdx.x)
		return;

	struct choice c = all[blockIdx.x];
	int digit = 0;

	if (64 == shift + DIGIT) {
		for (int i = 0; i < BINS; i++)
			c.n += bin[i];

		c.rank = c.n / 2;
	}

	while (digit < BINS - 1 && c.rank >= (long)bin[digit])
		c.rank -= bin[digit++];

	c.prefix |= (key)digit << shift;
	all[blockIdx.x] = c;
}

__global__ static void below_kernel(long size, struct choice *all, const double *distance)
{
	struct choice *c = all + blockIdx.y;
	const double *d = distance + (long)blockIdx.y * size;
	const key prefix = c->prefix;
	key most = 0;

	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < size;
	        i += (long)gridDim.x * THREADS) {
		const double v = d[i];
		const key k = (key)__double_as_longlong(v);

		most = (v >= 0. && k < prefix && k > most) ? k : most;
	}

	if (0 < most)
		atomicMax(&c->lower, most);
}

__global__ static void replace_kernel(const __grid_constant__ struct outliers_batch b,
        const __grid_constant__ struct outliers_choice c, const double *limit, double *median,
        struct outliers_found *found)
{
	__shared__ unsigned seen[3];
	const long size = b.cols * b.rows, i = (long)blockIdx.x * THREADS + (long)threadIdx.x;

	if (3 > threadIdx.x)
		seen[threadIdx.x] = 0;

	__syncthreads();

	if (i < b.n * size) {
		const double x = b.in[(b.first - b.base) * size + i], m = median[i], most = limit[i / size];
		const double d = c.relative ? (x - m) / noise_unit(b, m) : x - m;
		const bool gone = !is_good(b, x, i % size);
		const bool far = !gone && ((c.bright && d > most) || (c.dark && -d > most));

		if (far)
			atomicAdd(&seen[0], 1u);

		if (gone)
			atomicAdd(&seen[1], 1u);

		if (isnan(m))
			atomicAdd(&seen[2], 1u);

		median[i] = (gone || far) ? m : x;
	}

	__syncthreads();

	if (0 == threadIdx.x) {
		long long *to[] = {&found->found, &found->lost, &found->empty};

		for (int k = 0; k < 3; k++)
			if (0 < seen[k])
				atomicAdd((key *)to[k], (key)seen[k]);
	}
}

/** All of them begin here. */
static long blocks_of(const struct outliers_batch *b)
{
	gpu_selftest(&gpu_selftest_views);

	return gpu_divide_up(b->n * b->cols * b->rows, THREADS);
}

static void around(const struct outliers_batch *b, double *median)
{
	if (1 == b->radius && 3ul == b->dims)
		GPU_LAUNCH(around_square, blocks_of(b), THREADS, 0, gpu_stream(), *b, median);
	else
		GPU_LAUNCH(around_kernel, blocks_of(b), THREADS, 0, gpu_stream(), *b, median);
}

static void distances(const struct outliers_batch *b, const double *median, double *distance)
{
	GPU_LAUNCH(distances_kernel, blocks_of(b), THREADS, 0, gpu_stream(), *b, median, distance);
}

static void middle(
        const struct outliers_batch *b, const double *distance, long count[], double lower[], double upper[])
{
	enum { MOST = 65535 }; // blocks along y
	const long size = b->cols * b->rows, each = gpu_divide_up(size, THREADS);
	// of a view; few views have many, so that the device is full
	const long most = (b->n < BLOCKS_ALL / BLOCKS) ? BLOCKS_ALL / b->n : (long)BLOCKS;
	const unsigned wide = (unsigned)(each < most ? each : most);
	const size_t bytes = (size_t)b->n * sizeof(struct choice),
	             bin_bytes = (size_t)b->n * BINS * sizeof(unsigned);
	struct choice *there = (struct choice *)device_alloc(bytes),
	              *here = (struct choice *)mem_alloc(bytes);
	unsigned *bins = (unsigned *)device_alloc(bin_bytes);

	device_fill(there, 0, bytes);
	device_fill(bins, 0, bin_bytes);

	for (int shift = 64 - DIGIT; shift >= 0; shift -= DIGIT) {
		for (long v = 0; v < b->n; v += MOST) {
			const long n = (b->n - v < MOST) ? b->n - v : (long)MOST;

			GPU_LAUNCH(count_kernel, dim3(wide, (unsigned)n), THREADS, 0, gpu_stream(), size,
			        shift, (const struct choice *)there + v, bins + v * BINS,
			        distance + v * size);
		}

		GPU_LAUNCH(pick_kernel, b->n, THREADS, 0, gpu_stream(), shift, there, bins);
	}

	for (long v = 0; v < b->n; v += MOST) {
		const long n = (b->n - v < MOST) ? b->n - v : (long)MOST;

		GPU_LAUNCH(below_kernel, dim3(wide, (unsigned)n), THREADS, 0, gpu_stream(), size, there + v,
		        distance + v * size);
	}

	device_copy(here, there, bytes);
	device_free(there);
	device_free(bins);

	for (long v = 0; v < b->n; v++) {
		const struct choice *c = here + v;
		const key k = (0 == c->n % 2 && 0 == c->rank) ? c->lower : c->prefix;

		count[v] = c->n;
		memcpy(&lower[v], &k, sizeof k);
		memcpy(&upper[v], &c->prefix, sizeof c->prefix);
	}

	free(here);
}

static void replace(const struct outliers_batch *b, const struct outliers_choice *c, const double limit[],
        double *median, struct outliers_found *found)
{
	const size_t bytes = (size_t)b->n * sizeof *limit;
	double *limits = (double *)device_alloc(bytes);
	struct outliers_found *there = (struct outliers_found *)device_alloc(sizeof *there), here;

	device_copy(limits, limit, bytes);
	device_fill(there, 0, sizeof *there);
	GPU_LAUNCH(replace_kernel, blocks_of(b), THREADS, 0, gpu_stream(), *b, *c, (const double *)limits,
	        median, there);
	device_copy(&here, there, sizeof here);
	found->found += here.found;
	found->lost += here.lost;
	found->empty += here.empty;
	device_free(limits);
	device_free(there);
}

extern "C" {
extern const struct outliers_kernels outliers_kernels_gpu;
const struct outliers_kernels outliers_kernels_gpu = {around, distances, middle, replace};
}
