/* Reductions: start, merge and result around the kernels. */

#include <assert.h>
#include <math.h>
#include <string.h>

#include "misc/dtype.h"
#include "num/kern/kern_internal.h"

static bool is_extreme(enum reduction r)
{
	return RED_MIN == r || RED_MAX == r || RED_ARGMIN == r || RED_ARGMAX == r;
}

static bool is_test(enum reduction r)
{
	return RED_ANY == r || RED_ALL == r || RED_COUNT == r;
}

static bool is_norm(enum reduction r)
{
	return RED_NORM == r || RED_NORM1 == r;
}

void kern_reduce_start(enum reduction r, enum dtype work, struct kern_acc *acc)
{
	memset(acc, 0, sizeof *acc);
	acc->at = (dtype_is_integer(work) && (RED_DOT == r || RED_PROD == r)) ? RED_PROD == r : -1;

	if (RED_ALL == r)
		acc->v.i = 1;

	if (RED_PROD == r) {
		if (dtype_is_integer(work))
			acc->v.wide = 1;
		else
			acc->v.f[0] = 1;
	}
}

void kern_reduce(enum reduction r, enum dtype work, struct kern_acc *acc, long first, long n, const void *a,
        const void *b, unsigned scalar)
{
	if (n > 0)
		kern_set()->reduce[kern_row(work)][r](acc, first, n, a, b, scalar);
}

static int outer_of(enum reduction r)
{
	switch (r) {
	case RED_SUM:
		return OUTER_SUM;
	case RED_NORM:
		return OUTER_NORM;
	case RED_NORM1:
		return OUTER_NORM1;
	default:
		return -1;
	}
}

static int inner_of(enum op op)
{
	switch (op) {
	case OP_ADD:
		return INNER_ADD;
	case OP_SUB:
		return INNER_SUB;
	case OP_MUL:
		return INNER_MUL;
	case OP_MULADD:
		return INNER_MULADD;
	default:
		return -1;
	}
}

bool kern_reduces(enum reduction r, enum op inner, enum dtype work)
{
	return (DT_FLOAT32 == work || DT_FLOAT64 == work) && 0 <= outer_of(r) && 0 <= inner_of(inner);
}

void kern_reduce_of(enum reduction r, enum op inner, enum dtype work, struct kern_acc *acc, long n,
        const void *a, const void *b, const void *c, unsigned scalar)
{
	if (n > 0)
		kern_set()->reduce_of[DT_FLOAT64 == work][outer_of(r)][inner_of(inner)](
		        acc, n, a, b, c, scalar);
}

/* Whether y goes before x as the smallest (largest). */
static bool goes_before(bool smallest, enum dtype work, const struct kern_acc *y, const struct kern_acc *x)
{
	if (DT_UINT64 == work)
		return smallest ? y->v.u < x->v.u : y->v.u > x->v.u;

	if (dtype_is_integer(work))
		return smallest ? y->v.i < x->v.i : y->v.i > x->v.i;

	if (isnan(x->v.f[0]) || isnan(y->v.f[0]))
		return !isnan(x->v.f[0]);

	return smallest ? y->v.f[0] < x->v.f[0] : y->v.f[0] > x->v.f[0];
}

static void merge_extreme(
        enum reduction r, enum dtype work, struct kern_acc *acc, const struct kern_acc *next)
{
	if (0 == next->count)
		return;

	if (0 == acc->count || goes_before(RED_MIN == r || RED_ARGMIN == r, work, next, acc)) {
		acc->v = next->v;
		acc->at = next->at;
	}
}

/* The magnitude stops beyond 2^63 (int64) or at 2^64 (uint64). */
static void merge_product(enum dtype work, struct kern_acc *acc, const struct kern_acc *next)
{
	const __int128 one = 1, limit = (DT_UINT64 == work) ? one << 64 : (one << 63) + 1;
	__int128 w;

	if (__builtin_mul_overflow(acc->v.wide, next->v.wide, &w))
		w = limit; // of uint64 only, which is never negative

	acc->v.wide = (w > limit) ? limit : (w < -limit) ? -limit : w;
	acc->at = (long)((unsigned long)acc->at * (unsigned long)next->at);
}

static void merge_complex_product(struct kern_acc *acc, const struct kern_acc *next)
{
	const double a = acc->v.f[0], b = acc->v.f[1], c = next->v.f[0], d = next->v.f[1];

	acc->v.f[0] = a * c - b * d;
	acc->v.f[1] = a * d + b * c;
}

static void merge_sum(bool integer, bool dot, struct kern_acc *acc, const struct kern_acc *next)
{
	if (integer) {
		const bool carry = __builtin_add_overflow(acc->v.wide, next->v.wide, &acc->v.wide);

		if (dot)
			acc->at += next->at + (carry ? ((next->v.wide < 0) ? -1 : 1) : 0);

		return;
	}

	acc->v.f[0] += next->v.f[0];
	acc->v.f[1] += next->v.f[1];
}

void kern_reduce_merge(enum reduction r, enum dtype work, struct kern_acc *acc, const struct kern_acc *next)
{
	const bool integer = dtype_is_integer(work);

	if (is_extreme(r))
		merge_extreme(r, work, acc, next);
	else if (RED_ANY == r)
		acc->v.i |= next->v.i;
	else if (RED_ALL == r)
		acc->v.i &= next->v.i;
	else if (RED_COUNT == r)
		acc->v.i += next->v.i;
	else if (RED_PROD != r)
		merge_sum(integer && !is_norm(r), RED_DOT == r, acc, next);
	else if (integer)
		merge_product(work, acc, next);
	else if (dtype_is_complex(work))
		merge_complex_product(acc, next);
	else
		acc->v.f[0] *= next->v.f[0];

	acc->count += next->count;
}

static void put(enum dtype t, void *value, int64_t i)
{
	if (DT_BOOL == t)
		*(unsigned char *)value = 0 != i;
	else
		memcpy(value, &i, sizeof i);
}

static void put_real(enum dtype t, void *value, double x)
{
	if (DT_FLOAT32 == t)
		*(float *)value = (float)x;
	else
		*(double *)value = x;
}

/* An exact sum or product; whether it does not fit. */
static bool put_wide(
        enum reduction r, enum dtype t, const struct kern_acc *acc, enum narrow mode, void *value)
{
	const __int128 low = (DT_UINT64 == t) ? 0 : INT64_MIN;
	const __int128 high = (DT_UINT64 == t) ? (__int128)UINT64_MAX : INT64_MAX;
	const long beyond = (RED_DOT == r) ? acc->at : 0;
	const bool below = beyond < 0 || (0 == beyond && acc->v.wide < low);
	const bool above = beyond > 0 || (0 == beyond && acc->v.wide > high);
	uint64_t u = (uint64_t)(below ? low : above ? high : acc->v.wide);

	if (NARROW_WRAP == mode && (below || above))
		u = (RED_PROD == r) ? (uint64_t)acc->at : (uint64_t)acc->v.wide;

	memcpy(value, &u, sizeof u);

	return below || above;
}

/* Sums, means and products of floats. */
static void put_sum(enum reduction r, enum dtype work, const struct kern_acc *acc, double *value)
{
	const double n = (RED_MEAN == r) ? (double)acc->count : 1;

	if (dtype_is_integer(work)) { // a mean
		value[0] = (double)acc->v.wide / n;
		return;
	}

	value[0] = acc->v.f[0] / n;

	if (dtype_is_complex(work))
		value[1] = acc->v.f[1] / n;
}

int kern_reduce_narrow(
        enum reduction r, enum dtype work, const struct kern_acc *acc, enum narrow mode, void *value)
{
	const bool integer = dtype_is_integer(work);

	if (integer && (RED_SUM == r || RED_PROD == r || RED_DOT == r))
		return put_wide(r, work, acc, mode, value);

	if (RED_ARGMIN == r || RED_ARGMAX == r)
		put(DT_INT64, value, acc->at);
	else if (is_extreme(r) && integer)
		put(work, value, acc->v.i);
	else if (is_extreme(r))
		put_real(work, value, acc->count ? acc->v.f[0] : NAN);
	else if (is_test(r))
		put(RED_COUNT == r ? DT_INT64 : DT_BOOL, value, acc->v.i);
	else if (RED_NORM == r)
		put_real(DT_FLOAT64, value, sqrt(acc->v.f[0]));
	else if (RED_NORM1 == r)
		put_real(DT_FLOAT64, value, acc->v.f[0]);
	else
		put_sum(r, work, acc, value);

	return 0;
}

void kern_reduce_value(enum reduction r, enum dtype work, const struct kern_acc *acc, void *value)
{
	kern_reduce_narrow(r, work, acc, NARROW_SATURATE, value);
}
