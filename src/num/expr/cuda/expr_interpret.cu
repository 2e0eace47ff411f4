/* The kernel that interprets expressions: a program of steps as data, an element per thread at a time. It
 * runs without a compiler, and for programs that are too long for generated kernels. */

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/cuda/expr_kernel.h"

extern "C" {
#include "num/kern/ops.h"
}

enum { CELLS = 24, SUMS = 4, SCRATCH_BLOCKS = 256 };

struct cell {
	u64 w[2];
};

template <class T> static __device__ __forceinline__ T get(const cell &c)
{
	T x;

	memcpy(&x, &c, sizeof x);

	return x;
}

template <class T> static __device__ __forceinline__ void set(cell &c, T x)
{
	memcpy(&c, &x, sizeof x);
}

/* Operators: U of one operand, B of two, T of three. */
#define U(ID, id)                                                                                            \
	case OP_##ID:                                                                                        \
		set(r, el_##id(x));                                                                          \
		return;
#define B(ID, id)                                                                                            \
	case OP_##ID:                                                                                        \
		set(r, el_##id(x, y));                                                                       \
		return;

#define ALL_TYPES(X, Y)                                                                                      \
	X(COPY, copy)                                                                                        \
	X(ABS, abs)                                                                                          \
	X(SQUARE, square)                                                                                    \
	X(ABS2, abs2)                                                                                        \
	X(SIGN, sign)                                                                                        \
	X(ISNAN, isnan)                                                                                      \
	X(ISINF, isinf)                                                                                      \
	X(ISFINITE, isfinite)                                                                                \
	X(REAL, real)                                                                                        \
	X(IMAG, imag)                                                                                        \
	X(CONJ, conj) Y(MUL, mul) Y(MULC, mulc) Y(SOFT, soft) Y(HARD, hard) Y(EQ, eq) Y(NE, ne) Y(POW, pow)
#define ORDERED_TYPES(X, Y)                                                                                  \
	X(FLOOR, floor)                                                                                      \
	X(CEIL, ceil)                                                                                        \
	X(ROUND, round)                                                                                      \
	X(TRUNC, trunc)                                                                                      \
	Y(MOD, mod) Y(MIN, min) Y(MAX, max) Y(COPYSIGN, copysign) Y(LT, lt) Y(LE, le) Y(GT, gt) Y(GE, ge)
#define NUMBERS(X, Y) X(NEG, neg) Y(ADD, add) Y(SUB, sub)
#define FUNCTIONS(X, Y)                                                                                      \
	X(INVERT, inv)                                                                                       \
	X(SQRT, sqrt)                                                                                        \
	X(EXP, exp)                                                                                          \
	X(EXP2, exp2)                                                                                        \
	X(EXPM1, expm1)                                                                                      \
	X(LOG, log)                                                                                          \
	X(LOG2, log2)                                                                                        \
	X(LOG10, log10)                                                                                      \
	X(LOG1P, log1p)                                                                                      \
	X(SIN, sin)                                                                                          \
	X(COS, cos)                                                                                          \
	X(TAN, tan)                                                                                          \
	X(ASIN, asin)                                                                                        \
	X(ACOS, acos)                                                                                        \
	X(ATAN, atan)                                                                                        \
	X(SINH, sinh)                                                                                        \
	X(COSH, cosh) X(TANH, tanh) X(ASINH, asinh) X(ACOSH, acosh) X(ATANH, atanh) X(ARG, arg) Y(DIV, div)
#define REAL_FUNCTIONS(X, Y)                                                                                 \
	X(CBRT, cbrt) X(ERF, erf) X(CIS, cis) Y(ATAN2, atan2) Y(HYPOT, hypot) Y(COMPLEX, complex)

template <class T> static __device__ __attribute__((noinline)) void apply_float(int op, cell &r, T x, T y)
{
	switch (op) {
		ALL_TYPES(U, B)
		ORDERED_TYPES(U, B)
		NUMBERS(U, B)
		FUNCTIONS(U, B)
		REAL_FUNCTIONS(U, B)
	}
}

template <class T> static __device__ __attribute__((noinline)) void apply_complex(int op, cell &r, T x, T y)
{
	switch (op) {
		ALL_TYPES(U, B)
		NUMBERS(U, B)
		FUNCTIONS(U, B)
	}
}

template <class T> static __device__ __attribute__((noinline)) void apply_integer(int op, cell &r, T x, T y)
{
	switch (op) {
		ALL_TYPES(U, B)
		ORDERED_TYPES(U, B)
		NUMBERS(U, B)
	}
}

static __device__ __attribute__((noinline)) void apply_bool(int op, cell &r, bool x, bool y)
{
	switch (op) {
		ALL_TYPES(U, B)
		ORDERED_TYPES(U, B)
		U(NOT, not )
		B(AND, and)
		B(OR, or)
		B(XOR, xor)
	}
}

template <class T> static __device__ __forceinline__ void apply_three(int op, cell &r, const cell a[3])
{
	if (OP_SELECT == op)
		r = get<bool>(a[0]) ? a[1] : a[2];
	else if (OP_MULADD == op)
		set(r, el_muladd(get<T>(a[0]), get<T>(a[1]), get<T>(a[2])));
}

template <class T> static __device__ __forceinline__ void clamp_three(cell &r, const cell a[3])
{
	set(r, el_clamp(get<T>(a[0]), get<T>(a[1]), get<T>(a[2])));
}

static __device__ __attribute__((noinline)) void apply(int op, int work, cell &r, const cell a[3])
{
	const bool three = OP_SELECT == op || OP_MULADD == op, clamped = OP_CLAMP == op;

	switch (work) {
#define CASE(DT, T, how)                                                                                     \
	case DT:                                                                                             \
		if (three)                                                                                   \
			apply_three<T>(op, r, a);                                                            \
		else if (clamped)                                                                            \
			clamp_three<T>(r, a);                                                                \
		else                                                                                         \
			how(op, r, get<T>(a[0]), get<T>(a[1]));                                              \
		return;
		CASE(DT_INT64, i64, apply_integer)
		CASE(DT_UINT64, u64, apply_integer)
		CASE(DT_FLOAT32, f32, apply_float)
		CASE(DT_FLOAT64, f64, apply_float)
#undef CASE
	case DT_BOOL:
		if (three)
			r = get<bool>(a[0]) ? a[1] : a[2];
		else if (clamped)
			clamp_three<bool>(r, a);
		else
			apply_bool(op, r, get<bool>(a[0]), get<bool>(a[1]));
		return;
	case DT_COMPLEX64:
		if (three)
			apply_three<c64>(op, r, a);
		else
			apply_complex(op, r, get<c64>(a[0]), get<c64>(a[1]));
		return;
	case DT_COMPLEX128:
		if (three)
			apply_three<c128>(op, r, a);
		else
			apply_complex(op, r, get<c128>(a[0]), get<c128>(a[1]));
		return;
	}
}

/* ---- conversions ---- */

template <class S> static __device__ __forceinline__ void widen(cell &r, int to, S x)
{
	switch (to) {
	case DT_BOOL:
		set(r, to_bool(x));
		return;
	case DT_INT64:
		set(r, to_i64(x));
		return;
	case DT_UINT64:
		set(r, to_u64(x));
		return;
	case DT_FLOAT32:
		set(r, to_f32(x));
		return;
	case DT_FLOAT64:
		set(r, to_f64(x));
		return;
	case DT_COMPLEX64:
		set(r, to_c64(x));
		return;
	default:
		set(r, to_c128(x));
	}
}

#define MEMORY_TYPES(X)                                                                                      \
	X(DT_BOOL, flag)                                                                                     \
	X(DT_INT8, int8_t)                                                                                   \
	X(DT_INT16, int16_t)                                                                                 \
	X(DT_INT32, int32_t)                                                                                 \
	X(DT_INT64, int64_t)                                                                                 \
	X(DT_UINT8, uint8_t)                                                                                 \
	X(DT_UINT16, uint16_t)                                                                               \
	X(DT_UINT32, uint32_t)                                                                               \
	X(DT_UINT64, uint64_t)                                                                               \
	X(DT_FLOAT16, f16)                                                                                   \
	X(DT_FLOAT32, f32) X(DT_FLOAT64, f64) X(DT_COMPLEX32, c32) X(DT_COMPLEX64, c64) X(DT_COMPLEX128, c128)
#define WORK_TYPES(X)                                                                                        \
	X(DT_BOOL, bool)                                                                                     \
	X(DT_INT64, i64)                                                                                     \
	X(DT_UINT64, u64) X(DT_FLOAT32, f32) X(DT_FLOAT64, f64) X(DT_COMPLEX64, c64) X(DT_COMPLEX128, c128)

static __device__ __attribute__((noinline)) void load(cell &r, int type, int to, bool swapped, const char *p)
{
	switch (type) {
#define LOAD(DT, S)                                                                                          \
	case DT: {                                                                                           \
		const S x = bytes_at<S>(p);                                                                  \
                                                                                                             \
		widen(r, to, swapped ? turned(x) : x);                                                       \
		return;                                                                                      \
	}
		MEMORY_TYPES(LOAD)
#undef LOAD
	}
}

static __device__ __attribute__((noinline)) void convert_cell(cell &r, int work, int to, const cell &a)
{
	switch (work) {
#define CONVERT(DT, T)                                                                                       \
	case DT:                                                                                             \
		widen(r, to, get<T>(a));                                                                     \
		return;
		WORK_TYPES(CONVERT)
#undef CONVERT
	}
}

template <class T>
static __device__ __forceinline__ void narrow(T v, int type, bool wrap, bool swapped, char *p, u64 &lost)
{
	switch (type) {
#define STORE(DT, D)                                                                                         \
	case DT: {                                                                                           \
		const D d = put<D>(v, wrap, lost);                                                           \
                                                                                                             \
		set_bytes(p, swapped ? turned(d) : d);                                                       \
		return;                                                                                      \
	}
		MEMORY_TYPES(STORE)
#undef STORE
	}
}

static __device__ __attribute__((noinline)) void store(
        const cell &a, int work, int type, bool wrap, bool swapped, char *p, u64 &lost)
{
	switch (work) {
#define CASE(DT, T)                                                                                          \
	case DT:                                                                                             \
		narrow(get<T>(a), type, wrap, swapped, p, lost);                                             \
		return;
		WORK_TYPES(CASE)
#undef CASE
	}
}

/* ---- reductions ---- */

template <class T> static __device__ __forceinline__ bool reduce_any(int r, accumulator &a, T x, T y)
{
	switch (r) {
	case RED_SUM:
		red_sum(a, x, 0);
		return true;
	case RED_MEAN:
		red_mean(a, x, 0);
		return true;
	case RED_PROD:
		red_prod(a, x, 0);
		return true;
	case RED_NORM:
		red_norm(a, x, 0);
		return true;
	case RED_NORM1:
		red_norm1(a, x, 0);
		return true;
	case RED_ANY:
		red_any(a, x, 0);
		return true;
	case RED_ALL:
		red_all(a, x, 0);
		return true;
	case RED_COUNT:
		red_count(a, x, 0);
		return true;
	case RED_DOT:
		red_dot(a, x, y, 0);
		return true;
	default:
		return false;
	}
}

template <class T>
static __device__ __forceinline__ void reduce_ordered(int r, accumulator &a, T x, T y, i64 at)
{
	if (reduce_any(r, a, x, y))
		return;

	const bool smallest = RED_MIN == r || RED_ARGMIN == r;

	take_extreme(a, smallest, x, (RED_ARGMIN == r || RED_ARGMAX == r) ? at : -1);
}

static __device__ __attribute__((noinline)) void reduce(
        int r, int work, accumulator &a, const cell &x, const cell &y, i64 at)
{
	switch (work) {
#define CASE(DT, T)                                                                                          \
	case DT:                                                                                             \
		reduce_ordered(r, a, get<T>(x), get<T>(y), at);                                              \
		return;
		CASE(DT_BOOL, bool)
		CASE(DT_INT64, i64)
		CASE(DT_UINT64, u64)
		CASE(DT_FLOAT32, f32)
		CASE(DT_FLOAT64, f64)
#undef CASE
	case DT_COMPLEX64:
		reduce_any(r, a, get<c64>(x), get<c64>(y));
		return;
	case DT_COMPLEX128:
		reduce_any(r, a, get<c128>(x), get<c128>(y));
		return;
	}
}

static __device__ bool is_outside(int op, f64 x, f64 y)
{
	switch (op) {
	case OP_SQRT:
	case OP_LOG:
	case OP_LOG2:
	case OP_LOG10:
		return x < 0;
	case OP_LOG1P:
		return outside_log1p(x);
	case OP_ASIN:
	case OP_ACOS:
	case OP_ATANH:
		return outside_asin(x);
	case OP_ACOSH:
		return outside_acosh(x);
	case OP_POW:
		return outside_pow(x, y);
	default:
		return false;
	}
}

static __device__ f64 real_in(const cell &c, int work)
{
	return (DT_FLOAT32 == work) ? (f64)get<f32>(c) : get<f64>(c);
}

/* ---- integers that leave 64 bits ---- */

#define MAY_LEAVE(X, Y)                                                                                      \
	X(NEG, neg)                                                                                          \
	X(ABS, abs)                                                                                          \
	X(SQUARE, square)                                                                                    \
	X(ABS2, abs2)                                                                                        \
	Y(ADD, add) Y(SUB, sub) Y(MUL, mul) Y(MULC, mulc) Y(POW, pow) Y(COPYSIGN, copysign)

template <class T> static __device__ __attribute__((noinline)) bool is_over(int op, T x, T y, T z)
{
	switch (op) {
#define OVER1(ID, id)                                                                                        \
	case OP_##ID:                                                                                        \
		return over_##id(x);
#define OVER2(ID, id)                                                                                        \
	case OP_##ID:                                                                                        \
		return over_##id(x, y);
		MAY_LEAVE(OVER1, OVER2)
	case OP_MULADD:
		return over_muladd(x, y, z);
	default:
		return false;
	}
}

template <class T>
static __device__ __attribute__((noinline)) void apply_wrapped(int op, cell &r, T x, T y, T z)
{
	switch (op) {
#define WRAP1(ID, id)                                                                                        \
	case OP_##ID:                                                                                        \
		set(r, wrap_##id(x));                                                                        \
		return;
#define WRAP2(ID, id)                                                                                        \
	case OP_##ID:                                                                                        \
		set(r, wrap_##id(x, y));                                                                     \
		return;
		MAY_LEAVE(WRAP1, WRAP2)
	case OP_MULADD:
		set(r, wrap_muladd(x, y, z));
	}
}

/** An operator that counts what does not fit; returns whether the result does not. */
template <class T> static __device__ bool apply_counted(int op, bool wrap, cell &r, const cell a[3])
{
	const T x = get<T>(a[0]), y = get<T>(a[1]), z = get<T>(a[2]);

	if (!is_over(op, x, y, z))
		return false;

	if (wrap)
		apply_wrapped(op, r, x, y, z);

	return true;
}

/* ---- the kernel ---- */

struct interpreter {
	struct expr_program p;
	const struct expr_order *orders;
	const i64 *words;
	char *scratch; // NULL: cells and sums fit into the thread's own memory
	i64 from;      // the first block
};

static __device__ __forceinline__ i64 offset_of(const interpreter &m, int word, const i64 *pos)
{
	i64 off = 0;

	for (int d = 0; d < m.p.D; d++)
		off += pos[d] * m.words[word + 1 + d];

	return off;
}

static __device__ void run_order(
        const interpreter &m, const expr_order &o, cell *cells, accumulator *sums, const i64 *pos, i64 i)
{
	cell a[3] = {{{0, 0}}, {{0, 0}}, {{0, 0}}}, r = {{0, 0}};

	for (int k = 0; k < o.args; k++)
		if (o.arg[k] < 0)
			memcpy(&a[k], m.words - 1 - o.arg[k], sizeof a[k]);
		else
			a[k] = cells[o.arg[k]];

	if (0 <= o.inner) {
		cell b = {{0, 0}};

		apply(o.inner, o.work, b, a);
		a[0] = b;
	}

	u64 lost = 0;

	switch (o.kind) {
	case ORDER_LOAD:
		load(r, o.type, o.to, o.swapped, address_of(m.words[o.word]) + offset_of(m, o.word, pos));
		break;
	case ORDER_INDEX:
		widen(r, o.to, offset_of(m, o.word, pos));
		break;
	case ORDER_COORDINATE:
		widen(r, o.to,
		        value_at<f64>(m.words + o.id) +
		                value_at<f64>(m.words + o.id + 1) * (f64)offset_of(m, o.word, pos));
		break;
	case ORDER_OP:
		apply(o.id, o.work, r, a);

		if (0 > o.counter)
			break;

		if (DT_INT64 == o.work)
			lost = apply_counted<i64>(o.id, o.wrap, r, a);
		else if (DT_UINT64 == o.work)
			lost = apply_counted<u64>(o.id, o.wrap, r, a);
		else
			lost = is_outside(o.id, real_in(a[0], o.work), real_in(a[1], o.work));
		break;
	case ORDER_CONVERT:
		convert_cell(r, o.work, o.to, a[0]);

		if (0 <= o.counter) { // between int64 and uint64
			lost = (DT_INT64 == o.work) ? over_to_u64(get<i64>(a[0]))
			                            : over_to_i64(get<u64>(a[0]));
			r = o.wrap ? a[0] : r;
		}
		break;
	case ORDER_REDUCE:
		reduce(o.id, o.work, sums[o.number], a[0], a[1], i);
		return;
	case ORDER_STORE:
		store(a[0], o.work, o.type, o.wrap, o.swapped,
		        address_of(m.words[o.word]) + offset_of(m, o.word, pos), lost);
		break;
	}

	if (0 <= o.counter)
		count_up((u64 *)address_of(m.words[EXPR_COUNTERS]) + o.counter, lost);

	cells[o.cell] = r;
}

static __global__ void __launch_bounds__(EXPR_THREADS) interpret(const interpreter m)
{
	__shared__ accumulator shared[EXPR_THREADS];
	cell own_cells[CELLS];
	accumulator own_sums[SUMS];
	const i64 block = m.from + blockIdx.x;
	const i64 first = m.words[EXPR_FIRST] + block * m.words[EXPR_PART_OF_BLOCK];
	const i64 end = first + m.words[EXPR_PART_OF_BLOCK];
	const i64 last = end < m.words[EXPR_END] ? end : m.words[EXPR_END];
	const size_t bytes = sizeof(cell) * (size_t)m.p.cells + sizeof(accumulator) * (size_t)m.p.reductions;
	char *const mine = m.scratch + ((size_t)blockIdx.x * EXPR_THREADS + threadIdx.x) * bytes;
	accumulator *const sums = m.scratch ? (accumulator *)mine : own_sums;
	cell *const cells =
	        m.scratch ? (cell *)(mine + sizeof(accumulator) * (size_t)m.p.reductions) : own_cells;

	for (int k = 0; k < m.p.orders; k++)
		if (ORDER_REDUCE == m.orders[k].kind)
			sums[m.orders[k].number] = nothing_yet(m.orders[k].how);

	for (i64 i = first + threadIdx.x; i < last; i += EXPR_THREADS) {
		i64 pos[16], q = i;

		for (int d = 0; d < m.p.D; d++) {
			pos[d] = q % m.words[m.p.dims + d];
			q /= m.words[m.p.dims + d];
		}

		for (int k = 0; k < m.p.orders; k++)
			run_order(m, m.orders[k], cells, sums, pos, i);
	}

	accumulator *const out =
	        (accumulator *)address_of(m.words[EXPR_ACCUMULATORS]) + block * m.p.reductions;

	for (int k = 0; k < m.p.orders; k++) {
		if (ORDER_REDUCE != m.orders[k].kind)
			continue;

		shared[threadIdx.x] = sums[m.orders[k].number];
		__syncthreads();

		for (unsigned w = EXPR_THREADS / 2; w > 0; w /= 2) {
			if (threadIdx.x < w)
				fold_into(shared[threadIdx.x], shared[threadIdx.x + w], m.orders[k].how);

			__syncthreads();
		}

		if (0 == threadIdx.x)
			out[m.orders[k].number] = shared[0];

		__syncthreads();
	}
}

void expr_interpret(const struct expr_program *p, const struct expr_order *orders, const int64_t *args,
        long words, long blocks)
{
	const size_t order_bytes = sizeof *orders * (size_t)p->orders, arg_bytes = 8 * (size_t)words;
	const bool fits = p->cells <= CELLS && p->reductions <= SUMS;
	const size_t each = sizeof(cell) * (size_t)p->cells + sizeof(accumulator) * (size_t)p->reductions;
	const long at_once = fits ? 1l << 30 : (long)SCRATCH_BLOCKS;
	char *const memory = (char *)device_alloc(arg_bytes + order_bytes);
	struct interpreter m = {
	        *p, (const struct expr_order *)(memory + arg_bytes), (const i64 *)memory, NULL, 0};

	device_copy(memory, args, arg_bytes);
	device_copy(memory + arg_bytes, orders, order_bytes);

	if (!fits)
		m.scratch = (char *)device_alloc(SCRATCH_BLOCKS * EXPR_THREADS * each);

	for (m.from = 0; m.from < blocks; m.from += at_once) {
		const long n = (blocks - m.from < at_once) ? blocks - m.from : at_once;

		GPU_LAUNCH(interpret, n, EXPR_THREADS, 0, gpu_stream(), m);
	}

	device_free(m.scratch);
	device_free(memory);
}

/* ---- sums over blocks: a thread takes neighbouring ones, then the tree ---- */

static __global__ void __launch_bounds__(EXPR_THREADS)
        fold_blocks(accumulator *out, const accumulator *in, long blocks, int reductions, int k, int how)
{
	__shared__ accumulator shared[EXPR_THREADS];
	const long each = (blocks + EXPR_THREADS - 1) / EXPR_THREADS, first = each * threadIdx.x;
	accumulator a = nothing_yet(how);

	for (long b = first; b < first + each && b < blocks; b++)
		fold_into(a, in[b * reductions + k], how);

	shared[threadIdx.x] = a;
	__syncthreads();

	for (unsigned w = 1; w < EXPR_THREADS; w *= 2) { // neighbours first
		if (0 == threadIdx.x % (2 * w))
			fold_into(shared[threadIdx.x], shared[threadIdx.x + w], how);

		__syncthreads();
	}

	if (0 == threadIdx.x)
		out[k] = shared[0];
}

void expr_fold_blocks(void *out, const void *in, long blocks, int reductions, const int *how)
{
	for (int k = 0; k < reductions; k++)
		GPU_LAUNCH(fold_blocks, 1, EXPR_THREADS, 0, gpu_stream(), (accumulator *)out,
		        (const accumulator *)in, blocks, reductions, k, how[k]);
}
