/* Element-wise work on the GPU. Operators that solvers use most have their own kernels for contiguous arrays:
 * 16 bytes an access, two accesses of each operand in flight, bypassing the caches if the arrays are larger
 * than these. Everything else goes through one kernel that interprets a chain of operators on strided
 * operands, four elements at a time where they are neighbours. */

#include <stdint.h>
#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/loop_fn.h"

enum { THREADS = 256, LONG_GRID = 16384, DEPTH = 2, TILE = THREADS * DEPTH, TILES_MOST = 1 << 24 };

/** Bytes of an array from which on it is not kept in the second-level cache. */
static const long stream_bytes = 16L << 20;

static int blocks_for(long threads)
{
	const long n = (threads + THREADS - 1) / THREADS;

	return (int)((n < LONG_GRID) ? n : (long)LONG_GRID);
}

/** For n elements of contiguous arrays, tiles of TILE packs of 16 bytes: neighbours in memory are computed at
 * about the same time. */
static int tiles_for(long n, size_t size)
{
	const long tiles = gpu_divide_up(n, TILE * (16 / (long)size));

	return (int)((tiles < 1) ? 1 : (tiles < TILES_MOST) ? tiles : (long)TILES_MOST);
}

/* ---- the interpreter ---- */

template <int E>
__global__ void kern_chain(const __grid_constant__ struct program f, int type,
        const __grid_constant__ struct loop l, const __grid_constant__ struct loop_pointers p)
{
	for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < l.count;
	        i += (long)gridDim.x * blockDim.x) {
		long at[LOOP_OPERANDS];
		const char *in[LOOP_OPERANDS];
		cell v[PROGRAM_VALUES][E];

		loop_place(l, i, 0, at);

		for (int k = 1; k < l.N; k++)
			in[k - 1] = p.p[k] + at[k];

		const cell *r = program_run<E>(f, in, l.inner + 1, v);
		const int t = f.value[f.values - 1].type;

		for (int e = 0; e < E; e++) {
			cell c = r[e];

			if (t != type)
				cell_narrow(&c, type, cell_wide(r[e], t));

			cell_store(p.p[0] + at[0] + e * l.inner[0], type, c);
		}
	}
}

extern "C" void gpu_md_chain(
        const struct program *f, enum dtype t, const struct loop *l, const struct loop_pointers *p)
{
	if (0 == l->count)
		return;

	if (1 == l->pack)
		GPU_LAUNCH(
		        (kern_chain<1>), blocks_for(l->count), THREADS, 0, gpu_stream(), *f, (int)t, *l, *p);
	else
		GPU_LAUNCH((kern_chain<LOOP_PACK>), blocks_for(l->count), THREADS, 0, gpu_stream(), *f,
		        (int)t, *l, *p);
}

/* ---- contiguous arrays of one type ---- */

static __device__ __forceinline__ void load16(uint4 *v, const void *p, bool stream)
{
	*v = stream ? __ldcs((const uint4 *)p) : *(const uint4 *)p;
}

static __device__ __forceinline__ void store16(void *p, uint4 v, bool stream)
{
	if (stream)
		__stcs((uint4 *)p, v);
	else
		*(uint4 *)p = v;
}

template <class T> struct line_operands {
	const T *p[3];
	T constant[3];
	bool is_constant[3];
};

struct op_add {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return x + y;
	}
};
struct op_sub {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return x - y;
	}
};
struct op_mul {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return x * y;
	}
	template <class R> static __device__ cx<R> run(cx<R> x, cx<R> y, cx<R>)
	{
		return cx_mul(x, y);
	}
};
struct op_mulc {
	enum { ARGS = 2 };
	template <class R> static __device__ cx<R> run(cx<R> x, cx<R> y, cx<R>)
	{
		return cx_mul(x, cx_conj(y));
	}
};
struct op_div {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return x / y;
	}
};
struct op_muladd {
	enum { ARGS = 3 };
	template <class T> static __device__ T run(T x, T y, T z)
	{
		return x * y + z;
	}
	template <class R> static __device__ cx<R> run(cx<R> x, cx<R> y, cx<R> z)
	{
		const cx<R> p = cx_mul(x, y);

		return cx_make<R>(p.re + z.re, p.im + z.im);
	}
};
struct op_max {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return (x != x) ? x : (x > y) ? x : y;
	}
};
struct op_min {
	enum { ARGS = 2 };
	template <class T> static __device__ T run(T x, T y, T)
	{
		return (x != x) ? x : (x < y) ? x : y;
	}
};
/* Those of num/kern/kern_real.inc. */
#define LINE_OF(id, n, ...)                                                                                  \
	struct line_##id {                                                                                   \
		enum { ARGS = n };                                                                           \
		static __device__ float run(float x, float y, float z)                                       \
		{                                                                                            \
			(void)y, (void)z;                                                                    \
			return one_##id##_f32(__VA_ARGS__);                                                  \
		}                                                                                            \
		static __device__ double run(double x, double y, double z)                                   \
		{                                                                                            \
			(void)y, (void)z;                                                                    \
			return one_##id##_f64(__VA_ARGS__);                                                  \
		}                                                                                            \
	};
LINE_OF(NEG, 1, x)
LINE_OF(ABS, 1, x)
LINE_OF(SQUARE, 1, x)
LINE_OF(INVERT, 1, x)
LINE_OF(SQRT, 1, x)
LINE_OF(EXP, 1, x)
LINE_OF(LOG, 1, x)
LINE_OF(SOFT, 2, x, y)
LINE_OF(CLAMP, 3, x, y, z)

/** Elements [first, n) one by one: what is left, and arrays that do not lie on 16 bytes. */
template <class F, class T>
static __device__ __forceinline__ T line_one(const struct line_operands<T> &in, long i)
{
	T v[3];

	for (int k = 0; k < 3; k++)
		v[k] = (k >= F::ARGS || in.is_constant[k]) ? in.constant[k] : in.p[k][i];

	return F::run(v[0], v[1], v[2]);
}

template <class F, class T, bool WIDE>
__global__ void __launch_bounds__(THREADS) kern_line(long n, T *out, struct line_operands<T> in, bool stream)
{
	enum { W = 16 / sizeof(T) };
	const long t = (long)blockIdx.x * blockDim.x + threadIdx.x, all = (long)gridDim.x * blockDim.x;

	if (!WIDE) {
		for (long i = t; i < n; i += all)
			out[i] = line_one<F, T>(in, i);

		return;
	}

	const long packs = n / W;

	for (long i = (long)blockIdx.x * TILE + threadIdx.x; i < packs; i += (long)gridDim.x * TILE) {
		union {
			uint4 raw;
			T x[W];
		} v[3][DEPTH], r[DEPTH];

#pragma unroll
		for (int k = 0; k < F::ARGS; k++)
#pragma unroll
			for (int d = 0; d < DEPTH; d++)
				if (!in.is_constant[k] && i + d * THREADS < packs)
					load16(&v[k][d].raw, in.p[k] + (i + d * THREADS) * W, stream);

#pragma unroll
		for (int d = 0; d < DEPTH; d++) {
#pragma unroll
			for (int e = 0; e < W; e++) {
				const T x = in.is_constant[0] ? in.constant[0] : v[0][d].x[e];
				const T y = in.is_constant[1] ? in.constant[1] : v[1][d].x[e];
				const T z =
				        (F::ARGS < 3 || in.is_constant[2]) ? in.constant[2] : v[2][d].x[e];

				r[d].x[e] = F::run(x, y, z);
			}

			if (i + d * THREADS < packs)
				store16(out + (i + d * THREADS) * W, r[d].raw, stream);
		}
	}

	for (long i = packs * W + t; i < n; i += all)
		out[i] = line_one<F, T>(in, i);
}

static bool is_even(const void *p)
{
	return 0 == (uintptr_t)p % 16;
}

template <class F, class T> static void line(long n, void *out, int args, const struct gpu_operand in[])
{
	struct line_operands<T> x;
	bool wide = is_even(out);

	for (int k = 0; k < 3; k++) {
		x.p[k] = (k < args) ? (const T *)in[k].p : NULL;
		x.is_constant[k] = k < args && in[k].is_constant;
		memcpy((void *)&x.constant[k], (k < args) ? in[k].constant : in[0].constant, sizeof(T));
		wide = wide && (k >= args || in[k].is_constant || is_even(in[k].p));
	}

	const bool stream = n * (long)sizeof(T) >= stream_bytes;

	if (wide)
		GPU_LAUNCH((kern_line<F, T, true>), tiles_for(n, sizeof(T)), THREADS, 0, gpu_stream(), n,
		        (T *)out, x, stream);
	else
		GPU_LAUNCH((kern_line<F, T, false>), blocks_for(n), THREADS, 0, gpu_stream(), n, (T *)out, x,
		        stream);
}

template <class T>
static bool real_line(enum op op, long n, void *out, int args, const struct gpu_operand in[])
{
	switch (op) {
	case OP_ADD:
		line<op_add, T>(n, out, args, in);
		return true;
	case OP_SUB:
		line<op_sub, T>(n, out, args, in);
		return true;
	case OP_MUL:
	case OP_MULC:
		line<op_mul, T>(n, out, args, in);
		return true;
	case OP_DIV:
		line<op_div, T>(n, out, args, in);
		return true;
	case OP_MULADD:
		line<op_muladd, T>(n, out, args, in);
		return true;
	case OP_MIN:
		line<op_min, T>(n, out, args, in);
		return true;
	case OP_MAX:
		line<op_max, T>(n, out, args, in);
		return true;
#define LINE(id)                                                                                             \
	case OP_##id:                                                                                        \
		line<line_##id, T>(n, out, args, in);                                                        \
		return true;
		LINE(NEG)
		LINE(ABS)
		LINE(SQUARE)
		LINE(INVERT)
		LINE(SQRT)
		LINE(EXP)
		LINE(LOG)
		LINE(SOFT)
		LINE(CLAMP)
#undef LINE
	default:
		return false;
	}
}

template <class R>
static bool complex_line(enum op op, long n, void *out, int args, const struct gpu_operand in[])
{
	switch (op) {
	case OP_MUL:
		line<op_mul, cx<R>>(n, out, args, in);
		return true;
	case OP_MULC:
		line<op_mulc, cx<R>>(n, out, args, in);
		return true;
	case OP_MULADD:
		line<op_muladd, cx<R>>(n, out, args, in);
		return true;
	default:
		return false;
	}
}

extern "C" bool gpu_md_line(
        enum op op, enum dtype t, long n, void *out, int args, const struct gpu_operand in[])
{
	switch (t) {
	case DT_FLOAT32:
		return real_line<float>(op, n, out, args, in);
	case DT_FLOAT64:
		return real_line<double>(op, n, out, args, in);
	case DT_COMPLEX64:
		return complex_line<float>(op, n, out, args, in);
	case DT_COMPLEX128:
		return complex_line<double>(op, n, out, args, in);
	case DT_INT64:
	case DT_UINT64:
		return gpu_integer_line(op, t, n, out, args, in);
	default:
		return false;
	}
}

/* ---- out = f a + g b ---- */

template <class T, bool WIDE>
__global__ void __launch_bounds__(THREADS)
        kern_axpby(long n, T *out, T f, const T *a, T g, const T *b, bool plain, bool stream)
{
	enum { W = WIDE ? 16 / sizeof(T) : 1 };
	const long t = (long)blockIdx.x * blockDim.x + threadIdx.x, all = (long)gridDim.x * blockDim.x;
	const long packs = WIDE ? n / W : 0;

	for (long i = (long)blockIdx.x * TILE + threadIdx.x; i < packs; i += (long)gridDim.x * TILE) {
		union {
			uint4 raw;
			T x[16 / sizeof(T)];
		} x[DEPTH], y[DEPTH];

#pragma unroll
		for (int d = 0; d < DEPTH; d++)
			if (i + d * THREADS < packs) {
				load16(&x[d].raw, a + (i + d * THREADS) * W, stream);
				load16(&y[d].raw, b + (i + d * THREADS) * W, stream);
			}

#pragma unroll
		for (int d = 0; d < DEPTH; d++) {
#pragma unroll
			for (int e = 0; e < W; e++)
				x[d].x[e] = (plain ? x[d].x[e] : f * x[d].x[e]) + g * y[d].x[e];

			if (i + d * THREADS < packs)
				store16(out + (i + d * THREADS) * W, x[d].raw, stream);
		}
	}

	for (long i = packs * W + t; i < n; i += all)
		out[i] = (plain ? a[i] : f * a[i]) + g * b[i];
}

template <class T> static void axpby(long n, T *out, double f, const T *a, double g, const T *b)
{
	const bool wide = is_even(out) && is_even(a) && is_even(b),
	           stream = n * (long)sizeof(T) >= stream_bytes;

	if (wide)
		GPU_LAUNCH((kern_axpby<T, true>), tiles_for(n, sizeof(T)), THREADS, 0, gpu_stream(), n, out,
		        (T)f, a, (T)g, b, 1. == f, stream);
	else
		GPU_LAUNCH((kern_axpby<T, false>), blocks_for(n), THREADS, 0, gpu_stream(), n, out, (T)f, a,
		        (T)g, b, 1. == f, stream);
}

extern "C" void gpu_md_axpby(
        enum dtype t, long n, void *out, double f, const void *a, double g, const void *b)
{
	if (0 == n)
		return;

	if (DT_FLOAT32 == t)
		axpby<float>(n, (float *)out, f, (const float *)a, g, (const float *)b);
	else
		axpby<double>(n, (double *)out, f, (const double *)a, g, (const double *)b);
}
