/* Reductions on the GPU, in two levels: parts of the terms of an output, each by the threads of a block (or
 * of a part of one) in a fixed order, then the parts in a fixed order. Parts depend on the shape alone, and
 * sums run in float64, so that the bits are the same on every run and every card. If the output's dims are
 * innermost each thread sums its own output. */

#include <stdint.h>
#include <stdlib.h>

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/loop_fn.h"

enum {
	THREADS = 256,
	PART = 1 << 16, // terms of a part
	ROW_PART = 32,  // fewest terms of a part where every thread has an output
	ROW_THREADS = 1 << 18,
	EVEN_LEAST = 64, // terms of a line that is read 16 bytes at a time
	LONG_GRID = 1 << 16
};

static int blocks_for(long blocks)
{
	return (int)((blocks < LONG_GRID) ? blocks : (long)LONG_GRID);
}

/** A reduction in progress. */
struct acc {
	double f[2];
	long at, n;
};

/** What kernels need of a job. */
struct red {
	int red, work;
	bool plain;
};

static __device__ __forceinline__ void acc_start(struct acc *a, int red)
{
	a->f[0] = (RED_PROD == red || RED_ALL == red) ? 1 : 0;
	a->f[1] = 0;
	a->at = -1;
	a->n = 0;
}

static __device__ __forceinline__ bool is_extreme(int red)
{
	return RED_MIN == red || RED_MAX == red || RED_ARGMIN == red || RED_ARGMAX == red;
}

/** Whether y goes before x; of equals the first. NaN goes before all. */
static __device__ __forceinline__ bool goes_before(bool smallest, double y, long yat, double x, long xat)
{
	if (x != x || y != y)
		return (y != y) && (x == x || yat < xat);

	return (x == y) ? yat < xat : smallest ? y < x : y > x;
}

static __device__ __forceinline__ void acc_merge(struct acc *a, struct acc b, int red)
{
	if (is_extreme(red)) {
		if (b.n > 0 && (0 == a->n || goes_before(RED_MIN == red || RED_ARGMIN == red, b.f[0], b.at,
		                                     a->f[0], a->at))) {
			a->f[0] = b.f[0];
			a->at = b.at;
		}
	} else if (RED_PROD == red) {
		const double re = a->f[0] * b.f[0] - a->f[1] * b.f[1];

		a->f[1] = a->f[0] * b.f[1] + a->f[1] * b.f[0];
		a->f[0] = re;
	} else if (RED_ANY == red) {
		a->f[0] = (0 != a->f[0]) | (0 != b.f[0]);
	} else if (RED_ALL == red) {
		a->f[0] = (0 != a->f[0]) & (0 != b.f[0]);
	} else {
		a->f[0] += b.f[0];
		a->f[1] += b.f[1];
	}

	a->n += b.n;
}

/** One more term, number `at`. */
static __device__ __forceinline__ void acc_add(struct acc *a, struct red r, zdouble x, zdouble y, long at)
{
	struct acc b;

	b.f[0] = x.re;
	b.f[1] = x.im;
	b.at = at;
	b.n = 1;

	switch (r.red) {
	case RED_NORM:
		b.f[0] = x.re * x.re + x.im * x.im;
		b.f[1] = 0;
		break;
	case RED_NORM1:
		b.f[0] = (DT_COMPLEX64 == r.work)    ? kern_hypot_part(x.re, x.im)
		         : (DT_COMPLEX128 == r.work) ? kern_hypot(x.re, x.im)
		                                     : fabs(x.re);
		b.f[1] = 0;
		break;
	case RED_DOT:
		b.f[0] = r.plain ? x.re * y.re - x.im * y.im : x.re * y.re + x.im * y.im;
		b.f[1] = r.plain ? x.im * y.re + x.re * y.im : x.im * y.re - x.re * y.im;
		break;
	case RED_ANY:
	case RED_ALL:
	case RED_COUNT:
		b.f[0] = (0 != x.re) | (0 != x.im);
		b.f[1] = 0;
		break;
	default:
		break;
	}

	if (RED_PROD == r.red && DT_COMPLEX64 != r.work && DT_COMPLEX128 != r.work)
		a->f[0] *= b.f[0], a->n++;
	else
		acc_merge(a, b, r.red);
}

/** The result, as a cell of type `value`. */
static __device__ __forceinline__ void acc_value(struct acc a, struct red r, int value, cell *c)
{
	const double none = kern_double(0x7ff8000000000000u);
	zdouble z = z_make(a.f[0], a.f[1]);

	if (RED_ARGMIN == r.red || RED_ARGMAX == r.red) {
		c->i = a.at;
		return;
	}

	if (is_extreme(r.red) && 0 == a.n)
		z.re = (DT_BOOL == r.work) ? 0 : none;

	if (RED_NORM == r.red)
		z.re = sqrt(z.re);

	if (RED_MEAN == r.red)
		z = z_make(z.re / (double)a.n, z.im / (double)a.n);

	if (DT_INT64 == value)
		c->i = (long long)z.re;
	else
		cell_narrow(c, value, z);
}

/** Writes the result of output o. */
static __device__ __attribute__((noinline)) void put_result(
        const struct reduce_job &j, const struct loop_pointers &p, long o, struct acc a)
{
	const struct red r = {(int)j.red, (int)j.work, j.plain};
	long at[LOOP_OPERANDS], none[1] = {0};
	cell v[PROGRAM_VALUES][1], c;
	int t = j.value;

	loop_place(j.keep, o, 0, at);
	acc_value(a, r, t, &c);

	if (j.has_post) {
		const char *in[1] = {(const char *)&c};
		const cell *last = program_run<1>(j.post, in, none, v);

		t = j.post.value[j.post.values - 1].type;
		c = last[0];
	}

	char *out = p.p[0] + at[0];
	zdouble z = cell_wide(c, t);

	if (j.add) {
		cell had;

		had.z = z_make(0, 0);
		cell_load(&had, j.type, out);

		const zdouble h = cell_wide(had, j.type);

		z = z_make(h.re + z.re, h.im + z.im);
	}

	if (DT_INT64 == j.type)
		cell_store(out, j.type, c);
	else {
		cell_narrow(&c, j.type, z);
		cell_store(out, j.type, c);
	}
}

/** add_terms() for terms that are elements, or pairs of them, without a program. */
static __device__ __forceinline__ void add_operands(
        const struct reduce_job &j, char *const base[], long first, long end, long by, struct acc *a)
{
	const struct red r = {(int)j.red, (int)j.work, j.plain};

	for (long t = first; t < end; t += by) {
		long at[LOOP_OPERANDS];
		cell x, y;

		loop_place(j.fold, t, 1, at);
		x.z = y.z = z_make(0, 0);
		cell_load(&x, j.pre.value[0].type, base[1] + at[1]);

		if (RED_DOT == j.red)
			cell_load(&y, j.pre.value[1].type, base[2] + at[2]);

		acc_add(a, r, cell_wide(x, j.pre.value[0].type),
		        (RED_DOT == j.red) ? cell_wide(y, j.pre.value[1].type) : z_make(0, 0), t);
	}
}

/** Adds terms [first, end) by steps of `by` of the output whose inputs lie at `base`. */
static __device__ void add_terms(
        const struct reduce_job &j, char *const base[], long first, long end, long by, struct acc *a)
{
	const struct red r = {(int)j.red, (int)j.work, j.plain};
	const int n = j.pre.values, type = j.pre.value[n - 1].type;
	cell v[PROGRAM_VALUES][1];

	if (n == j.pre.operands && n == (RED_DOT == j.red ? 2 : 1) && VALUE_OPERAND == j.pre.value[0].kind &&
	        VALUE_OPERAND == j.pre.value[n - 1].kind) {
		add_operands(j, base, first, end, by, a);
		return;
	}

	for (long t = first; t < end; t += by) {
		long at[LOOP_OPERANDS];
		const char *in[LOOP_OPERANDS];

		loop_place(j.fold, t, 1, at);

		for (int k = 1; k < j.fold.N; k++)
			in[k - 1] = base[k] + at[k];

		const cell *x = program_run<1>(j.pre, in, j.fold.inner + 1, v);

		if (RED_DOT == j.red)
			acc_add(a, r, cell_wide(v[0][0], j.pre.value[0].type), cell_wide(v[1][0], type), t);
		else
			acc_add(a, r, cell_wide(*x, type), z_make(0, 0), t);
	}
}

/** The sum of the accumulators of `group` neighbouring threads, in the first of them. */
static __device__ __forceinline__ struct acc sum_of_group(struct acc a, int group, int red)
{
	__shared__ struct acc all[THREADS];
	const int t = threadIdx.x;

	all[t] = a;
	__syncthreads();

	for (int w = group / 2; w > 0; w /= 2) {
		if (t % group < w)
			acc_merge(&all[t], all[t + w], red);

		__syncthreads();
	}

	a = all[t];
	__syncthreads();

	return a;
}

/** How terms are cut: parts of so many of each output, each by `group` neighbouring threads. turned: parts of
 * neighbouring outputs are neighbours, not those of an output. */
struct cut {
	long part, parts;
	int group;
	bool turned;
};

/** Terms, or what `from` holds (the parts of an output in a row), to parts in that order or, where `to` is
 * NULL, to results. One kernel for all: what interprets programs is long, and compiled for each kernel that
 * calls it. */
__global__ void __launch_bounds__(THREADS) kern_reduce(const __grid_constant__ struct reduce_job j,
        const __grid_constant__ struct loop_pointers p, const struct cut c, const struct acc *from,
        struct acc *to)
{
	const int groups = THREADS / c.group, lane = threadIdx.x % c.group;
	const long outputs = j.keep.count, parts = (NULL == from) ? c.parts : 1, all = outputs * parts;

	for (long b0 = (long)blockIdx.x * groups; b0 < all; b0 += (long)gridDim.x * groups) {
		const long b = b0 + threadIdx.x / c.group;
		const long o = c.turned ? b % outputs : b / parts, k = c.turned ? b / outputs : b % parts;
		struct acc a;

		acc_start(&a, j.red);

		if (NULL != from) {
			for (long i = lane; i < c.parts && b < all; i += c.group)
				acc_merge(&a, from[b * c.parts + i], j.red);
		} else if (b < all) {
			const long first = k * c.part;
			const long end = (first + c.part < j.fold.count) ? first + c.part : j.fold.count;
			long at[LOOP_OPERANDS];
			char *base[LOOP_OPERANDS];

			loop_place(j.keep, o, 1, at);

			for (int i = 1; i < j.keep.N; i++)
				base[i] = p.p[i] + at[i];

			add_terms(j, base, first + lane, end, c.group, &a);
		}

		if (1 < c.group)
			a = sum_of_group(a, c.group, j.red);

		if (0 == lane && b < all) {
			if (NULL == to)
				put_result(j, p, o, a);
			else
				to[o * parts + k] = a;
		}
	}
}

/* ---- sums of contiguous lines ---- */

static __device__ __forceinline__ zdouble widen(float x)
{
	return z_make(x, 0);
}
static __device__ __forceinline__ zdouble widen(double x)
{
	return z_make(x, 0);
}
static __device__ __forceinline__ zdouble widen(cx<float> x)
{
	return z_make(x.re, x.im);
}
static __device__ __forceinline__ zdouble widen(zdouble x)
{
	return x;
}

/** One more term; real ones without imaginary parts: many cards are slow in float64. */
template <int RED, class R>
static __device__ __forceinline__ void even_add(struct acc *a, struct red, R x, R y, long)
{
	const double u = x;

	a->f[0] += (RED_NORM == RED)    ? u * u
	           : (RED_NORM1 == RED) ? fabs(u)
	           : (RED_DOT == RED)   ? u * (double)y
	                                : u;
	a->n++;
}

template <int RED, class R>
static __device__ __forceinline__ void even_add(struct acc *a, struct red r, cx<R> x, cx<R> y, long at)
{
	acc_add(a, r, widen(x), (RED_DOT == RED) ? widen(y) : z_make(0, 0), at);
}

/** Parts of lines without gaps, 16 bytes an access, by groups of threads; lines begin at multiples of 16
 * bytes. */
template <int RED, class T>
__global__ void __launch_bounds__(THREADS) kern_reduce_even(const __grid_constant__ struct reduce_job j,
        const __grid_constant__ struct loop_pointers p, int group, long parts, struct acc *partial)
{
	enum { W = 16 / sizeof(T), OPERANDS = (RED_DOT == RED) ? 2 : 1 };
	const struct red r = {RED, (int)j.work, j.plain};
	const int groups = THREADS / group, thread = threadIdx.x % group;
	const long n = j.fold.count, all = j.keep.count * parts;

	for (long b0 = (long)blockIdx.x * groups; b0 < all; b0 += (long)gridDim.x * groups) {
		const long b = b0 + threadIdx.x / group;
		struct acc a, lane[W];

#pragma unroll
		for (int e = 0; e < W; e++)
			acc_start(&lane[e], RED);

		if (b < all) {
			const long first = b % parts * PART, end = (first + PART < n) ? first + PART : n;
			const long packs = (end - first) / W;
			long at[LOOP_OPERANDS];

			loop_place(j.keep, b / parts, 1, at);

			const T *x = (const T *)(p.p[1] + at[1]) + first;
			const T *y = (2 == OPERANDS) ? (const T *)(p.p[2] + at[2]) + first : x;

#pragma unroll 4
			for (long i = thread; i < packs; i += group) {
				union {
					uint4 raw;
					T x[W];
				} u, v;

				u.raw = *(const uint4 *)(x + i * W);

				if (2 == OPERANDS)
					v.raw = *(const uint4 *)(y + i * W);

#pragma unroll
				for (int e = 0; e < W; e++)
					even_add<RED>(&lane[e], r, u.x[e], (2 == OPERANDS) ? v.x[e] : u.x[e],
					        first + i * W + e);
			}

			for (long i = packs * W + thread; i < end - first; i += group)
				even_add<RED>(&lane[0], r, x[i], y[i], first + i);
		}

		a = lane[0];

#pragma unroll
		for (int e = 1; e < W; e++)
			acc_merge(&a, lane[e], RED);

		a = sum_of_group(a, group, RED);

		if (0 == thread && b < all)
			partial[b] = a;
	}
}

typedef void even_kernel(
        const struct reduce_job j, const struct loop_pointers p, int group, long parts, struct acc *partial);

template <class T> static even_kernel *even_kernel_of(int red)
{
	switch (red) {
	case RED_SUM:
	case RED_MEAN:
		return kern_reduce_even<RED_SUM, T>;
	case RED_NORM:
		return kern_reduce_even<RED_NORM, T>;
	case RED_NORM1:
		return kern_reduce_even<RED_NORM1, T>;
	case RED_DOT:
		return kern_reduce_even<RED_DOT, T>;
	default:
		return NULL;
	}
}

/** The kernel for lines without gaps, or NULL. */
static even_kernel *find_even(const struct reduce_job *j, const struct loop_pointers *p)
{
	const long size = (long)dtype_size(j->work);

	if (1 != j->fold.D || j->fold.count < EVEN_LEAST || j->pre.values != j->pre.operands ||
	        DT_BOOL == j->work)
		return NULL;

	for (int k = 1; k < j->fold.N; k++) {
		if (size != j->fold.strs[k][0] || 0 != (uintptr_t)p->p[k] % 16 ||
		        j->pre.value[k - 1].type != j->work)
			return NULL;

		for (int d = 0; d < j->keep.D; d++)
			if (0 != j->keep.strs[k][d] % 16)
				return NULL;
	}

	switch (j->work) {
	case DT_FLOAT32:
		return even_kernel_of<float>(j->red);
	case DT_FLOAT64:
		return even_kernel_of<double>(j->red);
	case DT_COMPLEX64:
		return even_kernel_of<cx<float>>(j->red);
	default:
		return even_kernel_of<cx<double>>(j->red);
	}
}

/** Threads that share an output of so many terms: a power of two. */
static int group_for(long terms)
{
	int g = 1;

	while (g < THREADS && 2 * g <= terms)
		g *= 2;

	return g;
}

static bool prefer_rows(const struct reduce_job *j)
{
	if (0 == j->keep.D || 0 == j->fold.D || j->keep.count < 32)
		return false;

	for (int k = 1; k < j->keep.N; k++) {
		const long a = labs(j->keep.strs[k][0]), b = labs(j->fold.strs[k][0]);

		if (a != b && 0 != a && 0 != b)
			return a < b;
	}

	return j->fold.count < 32;
}

extern "C" void gpu_md_reduce(const struct reduce_job *j, const struct loop_pointers *p)
{
	const long outputs = j->keep.count, terms = j->fold.count;
	const bool rows = prefer_rows(j);
	long part = PART, parts = (terms + PART - 1) / PART;

	if (rows) {
		const long most = (terms + ROW_PART - 1) / ROW_PART,
		           want = (ROW_THREADS + outputs - 1) / outputs;

		parts = (want < most) ? want : most;
		part = (0 < parts) ? (terms + parts - 1) / parts : 1;
		parts = (terms + part - 1) / part;
	}

	parts = (1 > parts) ? 1 : parts;

	struct acc *partial = NULL;
	even_kernel *even = rows ? NULL : find_even(j, p);

	const bool in_parts = 1 < parts || NULL != even;

	if (in_parts)
		partial = (struct acc *)device_alloc((size_t)(outputs * parts) * sizeof *partial);

	if (NULL != even) {
		const int group = group_for(terms / (16 / (long)dtype_size(j->work)));

		GPU_LAUNCH(even, blocks_for(gpu_divide_up(outputs * parts, THREADS / group)), THREADS, 0,
		        gpu_stream(), *j, *p, group, parts, partial);
	} else {
		const struct cut c = {part, parts, rows ? 1 : group_for(terms), rows};

		GPU_LAUNCH(kern_reduce, blocks_for(gpu_divide_up(outputs * parts, THREADS / c.group)),
		        THREADS, 0, gpu_stream(), *j, *p, c, (const struct acc *)NULL, partial);
	}

	if (in_parts) {
		const struct cut c = {part, parts, group_for(parts), false};

		GPU_LAUNCH(kern_reduce, blocks_for(gpu_divide_up(outputs, THREADS / c.group)), THREADS, 0,
		        gpu_stream(), *j, *p, c, (const struct acc *)partial, (struct acc *)NULL);
		device_free(partial);
	}
}

/* ---- running sums ---- */

static __device__ __forceinline__ zdouble load_wide(const char *p, int type)
{
	cell c;

	c.z = z_make(0, 0);
	cell_load(&c, type, p);

	return cell_wide(c, type);
}

static __device__ __forceinline__ void store_wide(char *p, int type, zdouble z)
{
	cell c;

	cell_narrow(&c, type, z);
	cell_store(p, type, c);
}

struct scan {
	int type;
	long n, ostep, istep, chunk, chunks;
};

/** A thread adds up chunk i / lines of line i % lines. */
__global__ void kern_scan_sums(struct scan s, const __grid_constant__ struct loop l,
        const __grid_constant__ struct loop_pointers p, zdouble *sums)
{
	const long all = l.count * s.chunks;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < all; i += (long)gridDim.x * THREADS) {
		const long first = i / l.count * s.chunk,
		           end = (first + s.chunk < s.n) ? first + s.chunk : s.n;
		long at[LOOP_OPERANDS];
		zdouble sum = z_make(0, 0);

		loop_place(l, i % l.count, 0, at);

		for (long k = first; k < end; k++) {
			const zdouble x = load_wide(p.p[1] + at[1] + k * s.istep, s.type);

			sum = z_make(sum.re + x.re, sum.im + x.im);
		}

		sums[i] = sum;
	}
}

/** The sum before each chunk, in place. */
__global__ void kern_scan_offsets(long lines, long chunks, zdouble *sums)
{
	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < lines; i += (long)gridDim.x * THREADS) {
		zdouble sum = z_make(0, 0);

		for (long c = 0; c < chunks; c++) {
			const zdouble x = sums[c * lines + i];

			sums[c * lines + i] = sum;
			sum = z_make(sum.re + x.re, sum.im + x.im);
		}
	}
}

__global__ void kern_scan_write(struct scan s, const __grid_constant__ struct loop l,
        const __grid_constant__ struct loop_pointers p, const zdouble *sums)
{
	const long all = l.count * s.chunks;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < all; i += (long)gridDim.x * THREADS) {
		const long first = i / l.count * s.chunk,
		           end = (first + s.chunk < s.n) ? first + s.chunk : s.n;
		long at[LOOP_OPERANDS];
		zdouble sum = (NULL != sums) ? sums[i] : z_make(0, 0);

		loop_place(l, i % l.count, 0, at);

		for (long k = first; k < end; k++) {
			const zdouble x = load_wide(p.p[1] + at[1] + k * s.istep, s.type);

			sum = z_make(sum.re + x.re, sum.im + x.im);
			store_wide(p.p[0] + at[0] + k * s.ostep, s.type, sum);
		}
	}
}

extern "C" void gpu_md_cumsum(
        enum dtype t, long n, long ostep, long istep, const struct loop *l, const struct loop_pointers *p)
{
	enum { CHUNK = 64, MANY = 1 << 15 };
	struct scan s = {(int)t, n, ostep, istep, n, 1};
	zdouble *sums = NULL;

	if (0 == n || 0 == l->count)
		return;

	if (l->count < MANY && n > 2 * CHUNK) {
		s.chunk = CHUNK;

		while (s.chunk * s.chunk < n) // as many chunks as elements of one, for long lines
			s.chunk *= 2;

		s.chunks = (n + s.chunk - 1) / s.chunk;
	}

	const int blocks = blocks_for((l->count * s.chunks + THREADS - 1) / THREADS);

	if (1 < s.chunks) {
		sums = (zdouble *)device_alloc((size_t)(l->count * s.chunks) * sizeof *sums);
		GPU_LAUNCH(kern_scan_sums, blocks, THREADS, 0, gpu_stream(), s, *l, *p, sums);
		GPU_LAUNCH(kern_scan_offsets, blocks_for((l->count + THREADS - 1) / THREADS), THREADS, 0,
		        gpu_stream(), l->count, s.chunks, sums);
	}

	GPU_LAUNCH(kern_scan_write, blocks, THREADS, 0, gpu_stream(), s, *l, *p, (const zdouble *)sums);
	device_free(sums);
}

/* ---- the k-th largest ---- */

static __device__ __forceinline__ double magnitude(const char *p, int type)
{
	switch (type) {
	case DT_FLOAT32:
		return fabs((double)*(const float *)p);
	case DT_FLOAT64:
		return fabs(*(const double *)p);
	case DT_COMPLEX64:
		return (double)cx_abs(*(const cx<float> *)p);
	default:
		return cx_abs(*(const zdouble *)p);
	}
}

__global__ void __launch_bounds__(THREADS) kern_digits(int type, int shift, unsigned long prefix,
        const __grid_constant__ struct loop l, const char *in, unsigned long long *counts)
{
	__shared__ unsigned mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < l.count; i += (long)gridDim.x * THREADS) {
		long at[LOOP_OPERANDS];

		loop_place(l, i, 0, at);

		const unsigned long key = kern_bits(magnitude(in + at[0], type));

		if (56 == shift || key >> (shift + 8) == prefix)
			atomicAdd(&mine[key >> shift & 255], 1u);
	}

	__syncthreads();
	atomicAdd(&counts[threadIdx.x], (unsigned long long)mine[threadIdx.x]);
}

extern "C" void gpu_md_digits(
        enum dtype t, int shift, unsigned long prefix, const struct loop *l, const void *in, long counts[256])
{
	enum { BLOCKS = 1024 };
	unsigned long long *c = (unsigned long long *)device_alloc(256 * sizeof *c);
	const long blocks = (l->count + THREADS - 1) / THREADS;

	GPU_CHECK(cudaMemsetAsync(c, 0, 256 * sizeof *c, gpu_stream()));
	GPU_LAUNCH(kern_digits, (int)((blocks < BLOCKS) ? blocks : (long)BLOCKS), THREADS, 0, gpu_stream(),
	        (int)t, shift, prefix, *l, (const char *)in, c);
	device_copy(counts, c, 256 * sizeof *c);
	device_free(c);
}

/* ---- products of matrices ---- */

enum { TILE = 16 };

/** A tile of out by a block; sums in float64. */
template <class T, class O>
__global__ void __launch_bounds__(TILE *TILE)
        kern_gemm(const __grid_constant__ struct gemm_job j, const __grid_constant__ struct loop_pointers p)
{
	__shared__ zdouble as[TILE][TILE + 1], bs[TILE][TILE + 1];
	const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
	const long mt = (j.m + TILE - 1) / TILE, nt = (j.n + TILE - 1) / TILE;

	for (long b = blockIdx.x; b < mt * nt * j.batch.count; b += gridDim.x) {
		const long row = b % mt * TILE + x, col = b / mt % nt * TILE + y;
		long at[LOOP_OPERANDS];
		zdouble sum = z_make(0, 0);

		loop_place(j.batch, b / (mt * nt), 0, at);

		const T *A = (const T *)(p.p[1] + at[1]), *B = (const T *)(p.p[2] + at[2]);
		O *C = (O *)(p.p[0] + at[0]);

		for (long k0 = 0; k0 < j.k; k0 += TILE) {
			const zdouble zero = z_make(0, 0);

			// x runs along rows of A and terms of B
			as[y][x] = (row < j.m && k0 + y < j.k) ? widen(A[row * j.a_row + (k0 + y) * j.a_term])
			                                       : zero;
			bs[y][x] = (col < j.n && k0 + x < j.k) ? widen(B[(k0 + x) * j.b_term + col * j.b_col])
			                                       : zero;
			__syncthreads();

			for (int k = 0; k < TILE; k++) {
				const zdouble u = as[k][x], v = j.conj_b ? cx_conj(bs[y][k]) : bs[y][k];
				const zdouble w = cx_mul(u, v);

				sum = z_make(sum.re + w.re, sum.im + w.im);
			}

			__syncthreads();
		}

		if (row < j.m && col < j.n) {
			char *o = (char *)(C + row * j.o_row + col * j.o_col);
			const zdouble had = load_wide(o, j.out_type);

			store_wide(o, j.out_type, z_make(had.re + sum.re, had.im + sum.im));
		}
	}
}

extern "C" void gpu_md_gemm(const struct gemm_job *j, const struct loop_pointers *p)
{
	const long tiles = (j->m + TILE - 1) / TILE * ((j->n + TILE - 1) / TILE) * j->batch.count;
	const int blocks = blocks_for(tiles);
	const bool wide = j->out_type != j->type;

	if (DT_FLOAT32 == j->type && wide)
		GPU_LAUNCH((kern_gemm<float, double>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
	else if (DT_FLOAT32 == j->type)
		GPU_LAUNCH((kern_gemm<float, float>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
	else if (DT_FLOAT64 == j->type)
		GPU_LAUNCH((kern_gemm<double, double>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
	else if (DT_COMPLEX64 == j->type && wide)
		GPU_LAUNCH((kern_gemm<cx<float>, zdouble>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
	else if (DT_COMPLEX64 == j->type)
		GPU_LAUNCH((kern_gemm<cx<float>, cx<float>>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
	else
		GPU_LAUNCH((kern_gemm<zdouble, zdouble>), blocks, TILE * TILE, 0, gpu_stream(), *j, *p);
}
