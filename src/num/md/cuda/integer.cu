/* 64-bit integers on the GPU: operators on contiguous arrays, and reductions, as in generated kernels
 * (num/expr/cuda/expr_fn.h), with the CPU's results. Sums run in 128 bits, so that their bits do not depend
 * on the partition.
 */

#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/expr_fn.h"
#include "num/expr/cuda/loop_place.h"
extern "C" {
#include "num/device/device_integer.h"
}

enum {
	THREADS = 256,
	LONG_GRID = 1 << 16,
	PART = 1 << 14, // terms of a part
	ROW_PART = 32,  // fewest terms of a part where every thread has an output
	ROW_THREADS = 1 << 17,
};

static long blocks_for(long threads)
{
	const long n = gpu_divide_up(threads, THREADS);

	return (n < LONG_GRID) ? n : (long)LONG_GRID;
}

/* ---- operators ---- */

template <class T> struct operands {
	const T *p[3]; // NULL: a constant
	T constant[3];
};

#define OPERATOR(id, value)                                                                                  \
	struct op_##id {                                                                                     \
		template <class T> static __device__ T run(T x, T y, T z)                                    \
		{                                                                                            \
			(void)y, (void)z;                                                                    \
			return value;                                                                        \
		}                                                                                            \
	};
OPERATOR(neg, el_neg(x))
OPERATOR(abs, el_abs(x))
OPERATOR(square, el_mul(x, x))
OPERATOR(add, el_add(x, y))
OPERATOR(sub, el_sub(x, y))
OPERATOR(mul, el_mul(x, y))
OPERATOR(min, el_min(x, y))
OPERATOR(max, el_max(x, y))
OPERATOR(muladd, el_muladd(x, y, z))
OPERATOR(clamp, el_clamp(x, y, z))

template <class F, class T>
__global__ void __launch_bounds__(THREADS) kern_integers(long n, T *out, struct operands<T> in)
{
	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS) {
		T v[3];

#pragma unroll
		for (int k = 0; k < 3; k++)
			v[k] = (NULL != in.p[k]) ? in.p[k][i] : in.constant[k];

		out[i] = F::run(v[0], v[1], v[2]);
	}
}

template <class F, class T> static bool run(long n, void *out, int args, const struct gpu_operand in[])
{
	struct operands<T> x;

	for (int k = 0; k < 3; k++) {
		x.p[k] = (k < args && !in[k].is_constant) ? (const T *)in[k].p : NULL;
		memcpy(&x.constant[k], in[(k < args) ? k : 0].constant, sizeof(T));
	}

	GPU_LAUNCH((kern_integers<F, T>), blocks_for(n), THREADS, 0, gpu_stream(), n, (T *)out, x);

	return true;
}

template <class T> static bool line(enum op op, long n, void *out, int args, const struct gpu_operand in[])
{
	switch (op) {
#define CASE(ID, id)                                                                                         \
	case OP_##ID:                                                                                        \
		return run<op_##id, T>(n, out, args, in);
		CASE(NEG, neg)
		CASE(ABS, abs)
		CASE(SQUARE, square)
		CASE(ABS2, square)
		CASE(ADD, add)
		CASE(SUB, sub)
		CASE(MUL, mul)
		CASE(MULC, mul)
		CASE(MIN, min)
		CASE(MAX, max)
		CASE(MULADD, muladd)
		CASE(CLAMP, clamp)
#undef CASE
	default:
		return false;
	}
}

extern "C" bool gpu_integer_line(
        enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[])
{
	return (DT_UINT64 == t) ? line<u64>(op, n, out, args, in) : line<i64>(op, n, out, args, in);
}

/* ---- out = s x + y, and x y, which count what they clip ---- */

static __device__ __forceinline__ i64 saturated(i128 w, i64)
{
	return saturated_i64(w);
}

static __device__ __forceinline__ u64 saturated(i128 w, u64)
{
	return (w < 0) ? 0 : (w > (i128)U64_HIGH) ? U64_HIGH : (u64)w;
}

/** What is counted: of those clipped at the low and at the high end. */
struct clipped {
	u64 *count;
	bool low, high;
};

static __device__ __forceinline__ void add_clipped(const struct clipped &c, u64 low, u64 high)
{
	const u64 n = (c.low ? low : 0) + (c.high ? high : 0);

	if (0 < n)
		atomicAdd((unsigned long long *)c.count, (unsigned long long)n);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
        kern_axpy(long n, T *out, i64 s, const T *x, const T *y, const struct clipped c)
{
	u64 low = 0, high = 0;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS) {
		const i128 w = (i128)s * x[i] + ((NULL != y) ? y[i] : 0);

		out[i] = saturated(w, (T)0);
		low += w < (i128)out[i];
		high += w > (i128)out[i];
	}

	add_clipped(c, low, high);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
        kern_multiply(long n, T *out, const T *x, const T *y, const struct clipped c)
{
	u64 low = 0, high = 0;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS) {
		const bool over = over_mul(x[i], y[i]), negative = (x[i] < 0) != (y[i] < 0);

		out[i] = el_mul(x[i], y[i]);
		low += over && negative;
		high += over && !negative;
	}

	add_clipped(c, low, high);
}

static struct clipped clipped_start(const bool counts[2])
{
	struct clipped c = {NULL, counts[0], counts[1]};

	c.count = (u64 *)device_alloc(sizeof *c.count);
	GPU_CHECK(cudaMemsetAsync(c.count, 0, sizeof *c.count, gpu_stream()));

	return c;
}

static long clipped_end(const struct clipped &c)
{
	u64 n = 0;

	device_copy(&n, c.count, sizeof n);
	device_free(c.count);

	return (long)n;
}

extern "C" long device_axpy_integer(
        enum dtype t, long n, void *out, long s, const void *x, const void *y, const bool counts[2])
{
	if (0 == n)
		return 0;

	const struct clipped c = clipped_start(counts);

	if (DT_UINT64 == t)
		GPU_LAUNCH((kern_axpy<u64>), blocks_for(n), THREADS, 0, gpu_stream(), n, (u64 *)out, (i64)s,
		        (const u64 *)x, (const u64 *)y, c);
	else
		GPU_LAUNCH((kern_axpy<i64>), blocks_for(n), THREADS, 0, gpu_stream(), n, (i64 *)out, (i64)s,
		        (const i64 *)x, (const i64 *)y, c);

	return clipped_end(c);
}

extern "C" long device_multiply_integer(
        enum dtype t, long n, void *out, const void *x, const void *y, const bool counts[2])
{
	if (0 == n)
		return 0;

	const struct clipped c = clipped_start(counts);

	if (DT_UINT64 == t)
		GPU_LAUNCH((kern_multiply<u64>), blocks_for(n), THREADS, 0, gpu_stream(), n, (u64 *)out,
		        (const u64 *)x, (const u64 *)y, c);
	else
		GPU_LAUNCH((kern_multiply<i64>), blocks_for(n), THREADS, 0, gpu_stream(), n, (i64 *)out,
		        (const i64 *)x, (const i64 *)y, c);

	return clipped_end(c);
}

/* ---- reductions ---- */

template <class T> static __device__ void add_term(accumulator &a, int red, T x, T y, i64 at)
{
	switch (red) {
	case RED_SUM:
	case RED_MEAN:
		red_sum(a, x, at);
		break;
	case RED_PROD:
		red_prod(a, x, at);
		break;
	case RED_MIN:
	case RED_ARGMIN:
		red_argmin(a, x, at);
		break;
	case RED_MAX:
	case RED_ARGMAX:
		red_argmax(a, x, at);
		break;
	case RED_ANY:
		red_any(a, x, at);
		break;
	case RED_ALL:
		red_all(a, x, at);
		break;
	case RED_COUNT:
		red_count(a, x, at);
		break;
	case RED_NORM:
		red_norm(a, x, at);
		break;
	case RED_NORM1:
		red_norm1(a, x, at);
		break;
	default:
		red_dot(a, x, y, at);
	}
}

/** A value of its own type, as num/kern/kern_reduce.c, to the type of the output. */
template <class T>
static __device__ void put_result(const struct reduce_job &j, char *out, const accumulator &a, T zero)
{
	i64 v = a.v.i;
	bool is_unsigned = sizeof(T) == sizeof(u64) && (T)-1 > zero;
	f64 real = 0;

	switch (j.red) {
	case RED_ARGMIN:
	case RED_ARGMAX:
		v = a.at;
		is_unsigned = false;
		break;
	case RED_MIN:
	case RED_MAX:
		break;
	case RED_ANY:
	case RED_ALL:
	case RED_COUNT:
		is_unsigned = false;
		break;
	case RED_NORM:
		real = sqrt(a.v.f[0]);
		break;
	case RED_NORM1:
		real = a.v.f[0];
		break;
	default: {
		const i128 most = (i128)(~(u128)0 >> 1);
		const i64 beyond = (RED_DOT == j.red) ? a.at : 0;

		v = (i64)saturated((beyond > 0) ? most : (beyond < 0) ? -most : a.v.wide, zero);
	}
	}

	const f64 number = is_unsigned ? (f64)(u64)v : (f64)v;

	if (RED_MEAN == j.red)
		real = number / (f64)a.count;

	if (DT_BOOL == j.type)
		*(unsigned char *)out = 0 != v;
	else if (DT_INT64 == j.type || DT_UINT64 == j.type)
		*(i64 *)out = v;
	else
		*(f64 *)out = (DT_FLOAT64 == j.value) ? real : number;
}

/** How the terms of an output are cut: parts of so many, each by `group` neighbouring threads. turned: parts
 * of neighbouring outputs are neighbours, not those of an output. */
struct integer_cut {
	long part, parts;
	int group, how;
	bool turned;
};

/** Terms, or the parts of an output in `from`, to parts or, where `to` is NULL, to results. */
template <class T>
__global__ void __launch_bounds__(THREADS) kern_reduce_integers(const __grid_constant__ struct reduce_job j,
        const __grid_constant__ struct loop_pointers p, const struct integer_cut c, const accumulator *from,
        accumulator *to)
{
	__shared__ accumulator all[THREADS];
	const int groups = THREADS / c.group, lane = threadIdx.x % c.group;
	const long outputs = j.keep.count, parts = (NULL == from) ? c.parts : 1, most = outputs * parts;

	for (long b0 = (long)blockIdx.x * groups; b0 < most; b0 += (long)gridDim.x * groups) {
		const long b = b0 + threadIdx.x / c.group;
		const long o = c.turned ? b % outputs : b / parts, k = c.turned ? b / outputs : b % parts;
		accumulator a = nothing_yet(c.how);

		if (NULL != from) {
			for (long i = lane; i < c.parts && b < most; i += c.group)
				fold_into(a, from[b * c.parts + i], c.how);
		} else if (b < most) {
			const long first = k * c.part;
			const long end = (first + c.part < j.fold.count) ? first + c.part : j.fold.count;
			long base[LOOP_OPERANDS], at[LOOP_OPERANDS];

			loop_place(j.keep, o, 1, base);

			for (long i = first + lane; i < end; i += c.group) {
				loop_place(j.fold, i, 1, at);

				const T x = *(const T *)(p.p[1] + base[1] + at[1]);
				const T y = (RED_DOT == j.red) ? *(const T *)(p.p[2] + base[2] + at[2]) : x;

				add_term(a, (int)j.red, x, y, i);
			}
		}

		all[threadIdx.x] = a;
		__syncthreads();

		for (int w = c.group / 2; w > 0; w /= 2) {
			if (lane < w)
				fold_into(all[threadIdx.x], all[threadIdx.x + w], c.how);

			__syncthreads();
		}

		if (0 == lane && b < most) {
			if (NULL == to) {
				long at[LOOP_OPERANDS];

				loop_place(j.keep, o, 0, at);
				put_result(j, p.p[0] + at[0], all[threadIdx.x], (T)0);
			} else {
				to[o * parts + k] = all[threadIdx.x];
			}
		}

		__syncthreads();
	}
}

/** Threads that share so many terms: a power of two. */
static int group_for(long terms)
{
	int g = 1;

	while (g < THREADS && 2 * g <= terms)
		g *= 2;

	return g;
}

template <class T> static void reduce(const struct reduce_job *j, int how, const struct loop_pointers *p)
{
	const long outputs = j->keep.count, terms = j->fold.count;
	// few terms, or neighbours that are outputs: a thread for each
	const bool rows = ROW_PART > terms ||
	                  (0 < j->keep.D && (long)sizeof(T) == j->keep.strs[1][0] && outputs >= THREADS);
	const long want = rows ? ROW_THREADS / outputs : gpu_divide_up(terms, PART),
	           most = rows ? terms / ROW_PART : want, parts = (want < most) ? want : most;
	struct integer_cut c = {terms, 1, rows ? 1 : group_for(terms), how, rows};
	accumulator *partial = NULL;

	if (1 < parts) {
		c.part = gpu_divide_up(terms, parts);
		c.parts = gpu_divide_up(terms, c.part);
		partial = (accumulator *)device_alloc((size_t)(outputs * c.parts) * sizeof *partial);
	}

	GPU_LAUNCH((kern_reduce_integers<T>), blocks_for(outputs * c.parts * c.group), THREADS, 0,
	        gpu_stream(), *j, *p, c, (const accumulator *)NULL, partial);

	if (NULL == partial)
		return;

	c.group = group_for(c.parts);
	c.turned = false;
	GPU_LAUNCH((kern_reduce_integers<T>), blocks_for(outputs * c.group), THREADS, 0, gpu_stream(), *j, *p,
	        c, (const accumulator *)partial, (accumulator *)NULL);
	device_free(partial);
}

extern "C" void gpu_integer_reduce(const struct reduce_job *j, int how, const struct loop_pointers *p)
{
	if (DT_UINT64 == j->work)
		reduce<u64>(j, how, p);
	else
		reduce<i64>(j, how, p);
}
