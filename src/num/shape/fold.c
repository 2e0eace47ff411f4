#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/shape/fold.h"

#include "misc/error.h"
#include "num/kern/kern.h"

/** With fewer elements than this along the innermost dim, kernels run along another dim with gathered
 * elements. */
enum { SHORT = 16 };

void fold_block_add(struct fold_block *b, long len, bool reduced)
{
	if (0 < b->G && b->reduced[b->G - 1] == reduced) {
		b->len[b->G - 1] *= len;
		return;
	}

	b->len[b->G] = len;
	b->reduced[b->G] = reduced;
	b->G++;
}

long fold_block_results(const struct fold_block *b)
{
	long n = 1;

	for (int g = 0; g < b->G; g++)
		n *= b->reduced[g] ? 1 : b->len[g];

	return n;
}

int fold_block_axis(const struct fold_block *b)
{
	return (1 < b->G && b->len[0] < SHORT && b->len[0] < b->len[1]) ? 1 : 0;
}

/** The smallest type that holds the elements of all operands. */
static enum dtype hold(struct fold_spec s, const enum dtype in[])
{
	return (RED_DOT == s.red) ? dtype_promote(in[0], in[1]) : in[0];
}

/** Type of sums of such elements. */
static enum dtype wide(enum dtype t, bool as_float)
{
	if (dtype_is_complex(t))
		return DT_COMPLEX128;

	if (as_float || !dtype_is_integer(t))
		return DT_FLOAT64;

	return (DT_UINT64 == t) ? DT_UINT64 : DT_INT64;
}

bool fold_is_float(struct fold_spec s, enum dtype t)
{
	switch (s.red) {
	case RED_NORM:
	case RED_NORM1:
		return true;
	case RED_MEAN: // a sum of 64-bit integers may not fit
		return s.as_float || 8 == dtype_size(t);
	case RED_MIN:
	case RED_MAX:
		return s.magnitude;
	default:
		return s.as_float;
	}
}

static void init_extreme(struct fold *f, enum dtype t)
{
	f->load = dtype_work(t);

	if (DT_BOOL == t)
		f->load = DT_INT64;

	if (f->spec.magnitude && dtype_is_integer(t))
		f->load = DT_FLOAT64;

	f->map = f->spec.magnitude ? OP_ABS : -1;
	f->acc = f->value = dtype_real(f->load);
	f->merge = (RED_MIN == f->spec.red) ? OP_MIN : OP_MAX;
}

static void init_sum(struct fold *f, enum dtype t)
{
	const bool real = RED_NORM == f->spec.red || RED_NORM1 == f->spec.red;

	f->acc = wide(t, fold_is_float(f->spec, t));
	f->load = f->acc;

	if (f->lines && !(dtype_is_integer(t) && !dtype_is_integer(f->acc))) // the kernels widen
		f->load = (DT_BOOL == t) ? DT_INT64 : dtype_work(t);

	if (real)
		f->acc = DT_FLOAT64;

	f->value = (RED_MEAN == f->spec.red && dtype_is_integer(t)) ? DT_FLOAT64 : f->acc;
	f->merge = OP_ADD;
	f->map = -1;

	if (f->lines)
		return;

	if (RED_DOT == f->spec.red)
		f->map = f->spec.plain ? OP_MUL : OP_MULC;
	else if (real)
		f->map = (RED_NORM == f->spec.red) ? OP_ABS2 : OP_ABS;
}

/** Whether sums of that many elements, or products, may leave 64 bits before they are complete. Those of
 * uint64 never come back, so that clipping them on the way is clipping them at the end. */
static bool may_leave(const struct fold *f, enum dtype t, long terms)
{
	const long bits = ((RED_DOT == f->spec.red) ? 2 : 1) * 8 * (long)dtype_size(t);

	return OP_ADD == f->merge && DT_INT64 == f->acc && (63 <= bits || terms > 1L << (63 - bits));
}

void fold_init(struct fold *f, struct fold_spec spec, bool lines, const enum dtype in[], long terms,
        const char *what)
{
	const enum dtype t = hold(spec, in);
	const bool extreme = RED_MIN == spec.red || RED_MAX == spec.red;

	*f = (struct fold){.spec = spec, .lines = lines, .nin = reduction_args(spec.red)};

	if (extreme && !spec.magnitude && dtype_is_complex(t))
		error("%s: complex numbers (%s) have no order, expected real data for the %s", what,
		        dtype_name(t), (RED_MIN == spec.red) ? "minimum" : "maximum");

	if (extreme)
		init_extreme(f, t);
	else
		init_sum(f, t);

	f->wide = may_leave(f, t, terms);
}

long fold_size(const struct fold *f)
{
	return f->wide ? (long)sizeof(__int128) : (long)dtype_size(f->acc);
}

enum dtype fold_type(struct fold_spec s, const enum dtype in[])
{
	const enum dtype t = hold(s, in);
	const bool norm = RED_NORM == s.red || RED_NORM1 == s.red || s.magnitude;

	if (norm)
		return dtype_is_integer(t) ? DT_FLOAT64 : dtype_real(dtype_work(t));

	if (RED_MIN == s.red || RED_MAX == s.red)
		return t;

	if (RED_MEAN == s.red && dtype_is_integer(t))
		return (2 < dtype_size(t)) ? DT_FLOAT64 : DT_FLOAT32;

	if (dtype_is_integer(t))
		return wide(t, false);

	return (RED_MEAN == s.red) ? t : dtype_work(t);
}

/** The accumulator of no elements of a minimum or maximum. */
static void nothing(const struct fold *f, void *value)
{
	const bool least = RED_MIN == f->spec.red;

	switch (f->acc) {
	case DT_INT64:
		*(int64_t *)value = least ? INT64_MAX : INT64_MIN;
		break;
	case DT_UINT64:
		*(uint64_t *)value = least ? UINT64_MAX : 0;
		break;
	case DT_FLOAT32:
		*(float *)value = least ? INFINITY : -INFINITY;
		break;
	default:
		*(double *)value = least ? (double)INFINITY : -(double)INFINITY;
	}
}

void fold_start(const struct fold *f, long n, void *acc)
{
	const size_t size = (size_t)fold_size(f);
	size_t have = size, all = (size_t)n * size;

	if (OP_ADD == f->merge || 0 == n) {
		memset(acc, 0, all);
		return;
	}

	char value[16] __attribute__((aligned(16)));

	nothing(f, value);
	memcpy(acc, value, size);

	for (; 2 * have <= all; have *= 2)
		memcpy((char *)acc + have, acc, have);

	memcpy((char *)acc + have, acc, all - have);
}

/** Where 128 bits do not suffice either, products alone, the sum stays at their end. */
static void add_wide(__int128 *sum, __int128 x)
{
	__int128 w;

	if (__builtin_add_overflow(*sum, x, &w)) {
		w = (__int128)(~(unsigned __int128)0 >> 1);
		w = (x < 0) ? -w - 1 : w;
	}

	*sum = w;
}

/** Sums of elements, b NULL, which 128 bits always hold, or of their products. */
static void wide_row(long n, __int128 *acc, const int64_t *a, const int64_t *b)
{
	if (NULL == b)
		for (long i = 0; i < n; i++)
			acc[i] += a[i];
	else
		for (long i = 0; i < n; i++)
			add_wide(&acc[i], (__int128)a[i] * b[i]);
}

void fold_merge(const struct fold *f, long n, void *acc, const void *part)
{
	if (f->wide) {
		for (long i = 0; i < n; i++)
			add_wide(&((__int128 *)acc)[i], ((const __int128 *)part)[i]);

		return;
	}

	kern_op(f->merge, f->acc)(n, acc, acc, part, NULL, 0);
}

void fold_row(const struct fold *f, long n, void *acc, const void *const in[], void *buf)
{
	const long step = (long)dtype_size(f->load), astep = fold_size(f);

	if (f->wide) {
		wide_row(n, acc, in[0], (1 < f->nin) ? in[1] : NULL);
		return;
	}

	for (long at = 0; at < n; at += FOLD_PIECE) {
		const long m = (n - at < FOLD_PIECE) ? n - at : FOLD_PIECE;
		const void *a = (const char *)in[0] + at * step;
		const void *b = (1 < f->nin) ? (const char *)in[1] + at * step : NULL;

		if (0 <= f->map) {
			kern_op((enum op)f->map, f->load)(m, buf, a, b, NULL, 0);
			a = buf;
		}

		fold_merge(f, m, (char *)acc + at * astep, a);
	}
}

/** The reduction of the kernels that gives what a line adds to an accumulator. */
static enum reduction line_reduction(const struct fold *f)
{
	switch (f->spec.red) {
	case RED_MEAN:
		return RED_SUM;
	case RED_NORM: // sum x conj(x): the root comes at the end
		return RED_DOT;
	default:
		return f->spec.red;
	}
}

/** n elements of each operand of a line, the first of which has that number. */
static void line_piece(
        const struct fold *f, struct kern_acc *acc, long first, long n, const void *const in[], void *buf)
{
	const void *a = in[0], *b = (1 < f->nin) ? in[1] : NULL;
	enum dtype t = f->load;

	if (0 <= f->map) {
		kern_op((enum op)f->map, t)(n, buf, a, NULL, NULL, 0);
		a = buf;
		t = f->acc;
	}

	if (RED_NORM == f->spec.red)
		b = a;

	if (f->spec.plain && dtype_is_complex(t)) {
		kern_op(OP_CONJ, t)(n, buf, b, NULL, NULL, 0);
		b = buf;
	}

	kern_reduce(line_reduction(f), t, acc, first, n, a, b, 0);
}

/** A sum of integers, at the end of 128 bits where they do not hold it. */
static __int128 wide_sum(enum reduction r, const struct kern_acc *line)
{
	const __int128 most = (__int128)(~(unsigned __int128)0 >> 1);

	if (RED_DOT != r || 0 == line->at)
		return line->v.wide;

	return (line->at > 0) ? most : -most - 1;
}

/** acc = acc, then a line of n elements, `step` bytes apart. */
static void fold_line(const struct fold *f, long n, long step, void *acc, const void *const in[], char *buf)
{
	const enum reduction r = line_reduction(f);
	const enum dtype t = (0 <= f->map) ? f->acc : f->load;
	struct kern_acc line;
	char value[16] __attribute__((aligned(16)));

	kern_reduce_start(r, t, &line);

	for (long at = 0; at < n; at += FOLD_PIECE) {
		const long m = (n - at < FOLD_PIECE) ? n - at : FOLD_PIECE;
		const void *p[2] = {NULL, NULL};

		for (int k = 0; k < f->nin; k++)
			p[k] = kern_load(f->load, buf + (k + 1) * 16L * FOLD_PIECE, f->load, false,
			        (const char *)in[k] + at * step, step, m);

		line_piece(f, &line, at, m, p, buf);
	}

	if (f->wide) {
		add_wide(acc, wide_sum(r, &line));
		return;
	}

	kern_reduce_value(r, t, &line, value);
	fold_merge(f, 1, acc, value);
}

/** acc[i] = acc[i], then a row of n elements, `step` bytes apart. */
static void fold_row_strided(
        const struct fold *f, long n, long step, char *acc, const void *const in[], char *buf)
{
	if (step == (long)dtype_size(f->load)) {
		fold_row(f, n, acc, in, buf);
		return;
	}

	for (long at = 0; at < n; at += FOLD_PIECE) {
		const long m = (n - at < FOLD_PIECE) ? n - at : FOLD_PIECE;
		const void *p[2] = {NULL, NULL};

		for (int k = 0; k < f->nin; k++)
			p[k] = kern_load(f->load, buf + (k + 1) * 16L * FOLD_PIECE, f->load, false,
			        (const char *)in[k] + at * step, step, m);

		fold_row(f, m, acc + at * fold_size(f), p, buf);
	}
}

void fold_block(const struct fold *f, const struct fold_block *b, int axis, void *acc, const void *const in[],
        void *buf)
{
	const long asize = fold_size(f);
	long istrs[DIMS + 1], ostrs[DIMS + 1], pos[DIMS + 1] = {0};
	long from = 0, to = 0; // [bytes]
	int g = 0;

	assert(b->reduced[axis] == f->lines);

	for (long i = (long)dtype_size(f->load), o = asize; g < b->G; g++) {
		istrs[g] = i;
		ostrs[g] = b->reduced[g] ? 0 : o;
		i *= b->len[g];
		o *= b->reduced[g] ? 1 : b->len[g];
	}

	do {
		const void *p[2] = {
		        (const char *)in[0] + from, (1 < f->nin) ? (const char *)in[1] + from : NULL};

		if (f->lines)
			fold_line(f, b->len[axis], istrs[axis], (char *)acc + to, p, buf);
		else
			fold_row_strided(f, b->len[axis], istrs[axis], (char *)acc + to, p, buf);

		for (g = 0; g < b->G; g++) {
			if (g == axis)
				continue;

			from += istrs[g];
			to += ostrs[g];

			if (++pos[g] < b->len[g])
				break;

			from -= pos[g] * istrs[g];
			to -= pos[g] * ostrs[g];
			pos[g] = 0;
		}
	} while (g < b->G);
}

/** Sums of 128 bits to int64, clipped, or before a division to float64; from the front, in place. */
static void narrow(const struct fold *f, long n, void *acc)
{
	for (long i = 0; i < n; i++) {
		__int128 w;

		memcpy(&w, (const __int128 *)acc + i, sizeof w);

		const int64_t clipped = (int64_t)((w < INT64_MIN)   ? INT64_MIN
		                                  : (w > INT64_MAX) ? INT64_MAX
		                                                    : w);
		const double real = (double)w;

		memcpy((char *)acc + i * (long)sizeof clipped,
		        (RED_MEAN == f->spec.red) ? (const void *)&real : (const void *)&clipped,
		        sizeof clipped);
	}
}

void fold_finish(const struct fold *f, long n, long count, void *acc)
{
	const double d = (double)count;

	if (f->wide)
		narrow(f, n, acc);

	if (RED_NORM == f->spec.red)
		kern_op(OP_SQRT, DT_FLOAT64)(n, acc, acc, NULL, NULL, 0);

	if (RED_MEAN != f->spec.red)
		return;

	if (DT_INT64 == f->acc && !f->wide)
		convert(DT_FLOAT64, acc, DT_INT64, acc, n, NARROW_SATURATE);

	kern_op(OP_DIV, DT_FLOAT64)(dtype_is_complex(f->acc) ? 2 * n : n, acc, acc, &d, NULL, 2);
}
