/** Passes over vectors on the GPU, one thread per element: see iter/step/updates.h. Elements are computed as
 * on the CPU. */

#include "iter/cuda/sums.h"

extern "C" {
#include "iter/step/updates.h"
#include "num/md/philox.h"
}

/** Calls fn<float>(..) or fn<double>(..). */
#define BY_TYPE(real, fn, ...)                                                                               \
	do {                                                                                                 \
		if (DT_FLOAT32 == (real))                                                                    \
			fn<float>(__VA_ARGS__);                                                              \
		else                                                                                         \
			fn<double>(__VA_ARGS__);                                                             \
	} while (0)

/* ---- y = a x + b y ---- */

/** AHEAD elements at a time, whose loads are under way together; in the order of FOR_MINE. */
template <typename T>
__global__ static void mix_kernel(
        long n, T *y, struct update_factor fa, const T *x, struct update_factor fb, double *out)
{
	const T a = (NULL == x) ? (T)0 : (T)update_factor(&fa), b = (T)update_factor(&fb);
	const long all = (long)gridDim.x * THREADS;
	double sum = 0.;

	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < n; i += AHEAD * all) {
		T u[AHEAD], v[AHEAD];

#pragma unroll
		for (int k = 0; k < AHEAD; k++) {
			const bool inside = i + k * all < n;

			u[k] = (inside && NULL != x) ? x[i + k * all] : (T)0;
			v[k] = inside ? y[i + k * all] : (T)0;
		}

#pragma unroll
		for (int k = 0; k < AHEAD; k++) {
			if (i + k * all >= n)
				break;

			v[k] = (NULL == x) ? b * v[k] : a * u[k] + b * v[k];
			y[i + k * all] = v[k];
			sum += (double)v[k] * (double)v[k];
		}
	}

	add_up(sum, 0., out);
}

template <typename T>
static void mix_of(long n, void *y, const struct update_factor *a, const void *x,
        const struct update_factor *b, double *sum)
{
	static const struct update_factor none = {0., NULL, NULL, false};
	totals t(n);

	GPU_LAUNCH(mix_kernel<T>, t.blocks, THREADS, 0, pass_stream(), n, (T *)y, (NULL == x) ? none : *a,
	        (const T *)x, *b, t.there);
	t.give(sum, NULL, NULL);
}

static void mix(enum dtype real, long n, void *y, const struct update_factor *a, const void *x,
        const struct update_factor *b, double *sum)
{
	BY_TYPE(real, mix_of, n, y, a, x, b, sum);
}

/* ---- steps of each voxel's own ---- */

template <typename T>
__global__ static void divide_kernel(
        long n, T *x, T *last, const T *at, const T *s, const T *d, T f, double *out)
{
	double s2 = 0., q2 = 0.;

	FOR_MINE(i, n)
	{
		const T si = s[i], di = d[i], from = at[i], q = (di > 0) ? si / di : (T)0;

		if (NULL != last)
			last[i] = x[i];

		x[i] = from + f * q;
		s2 += (double)si * (double)si;
		q2 += (double)q * (double)q;
	}

	add_up(s2, q2, out);
}

template <typename T>
static void divide_of(long n, void *x, void *last, const void *at, const void *s, const void *d,
        double relaxation, double sum[2])
{
	totals t(n);

	GPU_LAUNCH(divide_kernel<T>, t.blocks, THREADS, 0, pass_stream(), n, (T *)x, (T *)last, (const T *)at,
	        (const T *)s, (const T *)d, (T)-relaxation, t.there);
	t.give(&sum[0], &sum[1], NULL);
}

static void divide(enum dtype real, long n, void *x, void *last, const void *at, const void *s, const void *d,
        double relaxation, double sum[2])
{
	BY_TYPE(real, divide_of, n, x, last, at, s, d, relaxation, sum);
}

template <typename T>
__global__ static void project_kernel(
        long n, const T *x, T *xp, const T *g, const T *d, double momentum, double lambda, double *out)
{
	double step2 = 0., turn = 0.;

	FOR_MINE(i, n)
	{
		const double from = (double)x[i], di = (double)d[i];
		double z;
		const double to =
		        update_projected(from, (double)xp[i], (double)g[i], di, momentum, lambda, &z);
		const double step = di * (z - to);

		step2 += step * step;
		turn += step * (to - from);
		xp[i] = (T)to;
	}

	add_up(step2, turn, out);
}

template <typename T>
static void project_of(long n, const void *x, void *xp, const void *g, const void *d, double momentum,
        double lambda, double sum[2])
{
	totals t(n);

	GPU_LAUNCH(project_kernel<T>, t.blocks, THREADS, 0, pass_stream(), n, (const T *)x, (T *)xp,
	        (const T *)g, (const T *)d, momentum, lambda, t.there);
	t.give(&sum[0], &sum[1], NULL);
}

static void project(enum dtype real, long n, const void *x, void *xp, const void *g, const void *d,
        double momentum, double lambda, double sum[2])
{
	BY_TYPE(real, project_of, n, x, xp, g, d, momentum, lambda, sum);
}

/** x += a, or with `clips` max(x, 0). */
template <typename T> __global__ static void lift_kernel(long n, T *x, double a, bool clips, double *out)
{
	double below = 0.;

	FOR_MINE(i, n)
	{
		const T v = x[i];

		below += (v < 0) ? 1. : 0.;
		x[i] = !clips ? (T)((double)v + a) : (v > 0) ? v : (T)0;
	}

	add_up(below, 0., out);
}

template <typename T> static void lift_of(long n, void *x, double a, bool clips, double *below)
{
	totals t(n);

	GPU_LAUNCH(lift_kernel<T>, t.blocks, THREADS, 0, pass_stream(), n, (T *)x, a, clips, t.there);
	t.give(below, NULL, NULL);
}

static void add(enum dtype real, long n, void *x, double a, double *below)
{
	BY_TYPE(real, lift_of, n, x, a, false, below);
}

static void clip(enum dtype real, long n, void *x, double *below)
{
	BY_TYPE(real, lift_of, n, x, 0., true, below);
}

template <typename T> __global__ static void exchange_kernel(long n, T *x, T *y)
{
	FOR_MINE(i, n)
	{
		const T old = x[i];

		x[i] = y[i];
		y[i] = old;
	}
}

template <typename T> static void exchange_of(long n, void *x, void *y)
{
	GPU_LAUNCH(exchange_kernel<T>, blocks_of(n), THREADS, 0, pass_stream(), n, (T *)x, (T *)y);
}

static void exchange(enum dtype real, long n, void *x, void *y)
{
	BY_TYPE(real, exchange_of, n, x, y);
}

template <typename T> __global__ static void weigh_kernel(long n, T *w, const T *z, bool prox, double t)
{
	FOR_MINE(i, n)
	{
		w[i] = (T)update_weight(prox, t, (double)z[i], (double)w[i]);
	}
}

template <typename T> static void weigh_of(long n, void *w, const void *z, bool prox, double t)
{
	GPU_LAUNCH(weigh_kernel<T>, blocks_of(n), THREADS, 0, gpu_stream(), n, (T *)w, (const T *)z, prox, t);
}

static void weigh(enum dtype real, long n, void *w, const void *z, bool prox, double t)
{
	BY_TYPE(real, weigh_of, n, w, z, prox, t);
}

template <typename T> __global__ static void signs_kernel(long n, T *x, uint64_t stream)
{
	FOR_MINE(i, n)
	{
		uint32_t bits[4];

		philox_signs(bits, stream, (uint64_t)(i / PHILOX_BITS));
		x[i] = (T)philox_sign(bits, i);
	}
}

template <typename T> static void signs_of(long n, void *x, uint64_t stream)
{
	GPU_LAUNCH(signs_kernel<T>, blocks_of(n), THREADS, 0, gpu_stream(), n, (T *)x, stream);
}

static void signs(enum dtype real, long n, void *x, uint64_t stream)
{
	BY_TYPE(real, signs_of, n, x, stream);
}

/* ---- bases ---- */

enum { INNER = 8 }; // products of a pass

/** A part of a basis; c if its numbers are on the device, else `here` holds them. */
struct basis_part {
	int k;
	const void *v[UPDATE_VECTORS];
	double here[UPDATE_VECTORS];
	const double *c;
};

/** out[INNER block + i]: what the block's elements add to product i. */
template <typename T>
__global__ static void inner_kernel(long n, struct basis_part p, const T *w, double *out)
{
	double sum[INNER] = {0.}, both[SUMS];

	FOR_MINE(e, n)
	{
		const double we = (double)w[e];

#pragma unroll
		for (int i = 0; i < INNER; i++)
			if (i < p.k)
				sum[i] += (double)((const T *)p.v[i])[e] * we;
	}

#pragma unroll
	for (int i = 0; i < INNER; i += SUMS) {
		add_block(sum[i], sum[i + 1], both);

		if (0 == threadIdx.x) {
			out[INNER * (long)blockIdx.x + i] = both[0];
			out[INNER * (long)blockIdx.x + i + 1] = both[1];
		}
	}
}

/** Block i: product i of all blocks before. */
__global__ static void inner_finish(long blocks, const double *part, double *out)
{
	double sum = 0., total[SUMS];

	for (long b = (long)threadIdx.x; b < blocks; b += THREADS)
		sum += part[INNER * b + (long)blockIdx.x];

	add_block(sum, 0., total);

	if (0 == threadIdx.x)
		out[blockIdx.x] = total[0];
}

/** Vectors at, at + 1, .. of k, `most` at most. */
static struct basis_part part_of(long at, long k, int most, const void *const v[])
{
	struct basis_part p = {};

	p.k = (int)(k - at < (long)most ? k - at : (long)most);

	for (int i = 0; i < p.k; i++)
		p.v[i] = v[at + i];

	return p;
}

template <typename T> static void inner_of(long n, long k, const void *const v[], const void *w, double *out)
{
	const long blocks = blocks_of(n);
	double *part = (double *)device_alloc((size_t)blocks * INNER * sizeof *part);

	for (long at = 0; at < k; at += INNER) {
		const struct basis_part p = part_of(at, k, INNER, v);

		GPU_LAUNCH(inner_kernel<T>, blocks, THREADS, 0, pass_stream(), n, p, (const T *)w, part);
		GPU_LAUNCH(
		        inner_finish, p.k, THREADS, 0, pass_stream(), blocks, (const double *)part, out + at);
	}

	device_free(part);
}

static void inner(enum dtype real, long n, long k, const void *const v[], const void *w, double *out)
{
	BY_TYPE(real, inner_of, n, k, v, w, out);
}

template <typename T>
__global__ static void combine_kernel(long n, T *y, const T *x, double sign, struct basis_part p, double *out)
{
	__shared__ T c[UPDATE_VECTORS];
	double sum = 0.;

	if ((int)threadIdx.x < p.k)
		c[threadIdx.x] = (T)(sign * ((NULL == p.c) ? p.here[threadIdx.x] : p.c[threadIdx.x]));

	__syncthreads();

	FOR_MINE(e, n)
	{
		T v[UPDATE_VECTORS], to = x[e];

#pragma unroll
		for (int i = 0; i < UPDATE_VECTORS; i++)
			v[i] = (i < p.k) ? ((const T *)p.v[i])[e] : (T)0;

#pragma unroll
		for (int i = 0; i < UPDATE_VECTORS; i++)
			if (i < p.k)
				to += c[i] * v[i];

		y[e] = to;
		sum += (double)to * (double)to;
	}

	add_up(sum, 0., out);
}

template <typename T>
static void combine_of(long n, void *y, const void *x, double sign, long k, const void *const v[],
        const double *c, bool there, double *sum)
{
	totals t(n);
	long at = 0;

	do { // also where there is no vector: y = x, and its squares
		struct basis_part p = part_of(at, k, UPDATE_VECTORS, v);

		if (there)
			p.c = c + at;

		for (int i = 0; i < p.k && !there; i++)
			p.here[i] = c[at + i];

		GPU_LAUNCH(combine_kernel<T>, t.blocks, THREADS, 0, pass_stream(), n, (T *)y,
		        (0 == at) ? (const T *)x : (const T *)y, sign, p, t.there);
		at += UPDATE_VECTORS;
	} while (at < k);

	t.give(sum, NULL, NULL);
}

static void combine(enum dtype real, long n, void *y, const void *x, double sign, long k,
        const void *const v[], const double *c, bool there, double *sum)
{
	BY_TYPE(real, combine_of, n, y, x, sign, k, v, c, there, sum);
}

__global__ static void numbers_kernel(enum numbers_rule rule, struct numbers_given given, double *n)
{
	numbers_apply(rule, &given, n);
}

static void numbers(enum numbers_rule rule, const struct numbers_given *given, double *n)
{
	GPU_LAUNCH(numbers_kernel, 1, 1, 0, pass_stream(), rule, *given, n);
}

extern "C" {
extern const struct iter_updates iter_updates_gpu;
const struct iter_updates iter_updates_gpu = {
        mix, divide, project, add, clip, exchange, weigh, signs, inner, combine, numbers};
}
