/*
 * Overlap of strided arrays. The bytes of an array are data + sum_d strs[d] i_d + b with 0 <= i_d < dims[d]
 * and 0 <= b < size: two arrays share a byte where a linear equation with integer coefficients has a solution
 * in a box. That is a bounded knapsack problem, hard in general. With the steps of real arrays, where each
 * spans the smaller ones, a search from the largest coefficient down succeeds in a few steps. Two conditions
 * prune it: the remainder must be within the range of the smaller coefficients, and must be a multiple of
 * their greatest common divisor.
 */

#include <stdint.h>
#include <stdlib.h>

#include "num/array/array_internal.h"

enum { TERMS = 2 * DIMS + 1, STEPS_MAX = 1 << 16 };

/** sum_k coef[k] x_k = target with 0 <= x_k <= most[k]. */
struct equation {
	int n;
	long coef[TERMS]; // > 0 once prepared, largest first
	long most[TERMS];
	long target;
	long reach[TERMS + 1];  // sum of coef most from term k on
	long common[TERMS + 1]; // their greatest common divisor; 0 for none
	long steps;             // of the search
};

static long gcd(long a, long b)
{
	while (0 != b) {
		long t = a % b;

		a = b;
		b = t;
	}

	return a;
}

/** Inverse of a modulo m, m > 1, coprime. */
static long inverse(long a, long m)
{
	long r0 = m, r1 = a % m, t0 = 0, t1 = 1;

	while (0 != r1) {
		long q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;

		r0 = r1;
		r1 = r;
		t0 = t1;
		t1 = t;
	}

	return (t0 < 0) ? t0 + m : t0;
}

/** Adds the term coef x with lo <= x <= hi. */
static void add_term(struct equation *e, long coef, long lo, long hi)
{
	if (coef < 0) {
		add_term(e, -coef, -hi, -lo);
		return;
	}

	e->target -= coef * lo;

	if (0 == coef || lo == hi)
		return;

	for (int k = 0; k < e->n; k++)
		if (e->coef[k] == coef) {
			e->most[k] += hi - lo;
			return;
		}

	e->coef[e->n] = coef;
	e->most[e->n++] = hi - lo;
}

/** The terms lo..hi of single bytes: only multiples of the other coefficients' divisor matter, so that whole
 * elements on a common grid have no such term at all. */
static void add_bytes(struct equation *e, long lo, long hi)
{
	long g = 0;

	for (int k = 0; k < e->n; k++)
		g = gcd(e->coef[k], g);

	if (0 == g) {
		add_term(e, 1, lo, hi);
		return;
	}

	long rest = ((e->target - lo) % g + g) % g; // the first byte that fits is lo + rest

	e->target -= lo + rest;

	long more = hi - lo - rest;

	if (more < 0)
		e->target = -1; // none does
	else
		add_term(e, g, 0, more / g);
}

static void prepare(struct equation *e)
{
	for (int i = 1; i < e->n; i++) // largest coefficient first
		for (int k = i; k > 0 && e->coef[k] > e->coef[k - 1]; k--) {
			long c = e->coef[k], m = e->most[k];

			e->coef[k] = e->coef[k - 1];
			e->most[k] = e->most[k - 1];
			e->coef[k - 1] = c;
			e->most[k - 1] = m;
		}

	e->reach[e->n] = e->common[e->n] = 0;

	for (int k = e->n - 1; k >= 0; k--) {
		e->reach[k] = e->reach[k + 1] + e->coef[k] * e->most[k];
		e->common[k] = gcd(e->coef[k], e->common[k + 1]);
	}
}

/** Whether terms k.. can make `target`; true as well when the search was given up. */
static bool search(struct equation *e, int k, long target)
{
	if (target < 0 || target > e->reach[k])
		return false;

	if (k == e->n || 0 == target || target == e->reach[k])
		return true;

	if (0 != target % e->common[k])
		return false;

	const long a = e->coef[k], next = e->common[k + 1];
	const long over = target - e->reach[k + 1]; // at least this much must come from term k
	long lo = (over > 0) ? (over + a - 1) / a : 0;
	long hi = (target / a < e->most[k]) ? target / a : e->most[k];
	long step = 1;

	if (0 == next) // the last term
		return 0 == target % a && target / a <= e->most[k];

	step = next / e->common[k];

	if (1 < step) { // a x = target (mod next)
		long want = (long)((__int128)(target / e->common[k] % step) *
		                   inverse(a / e->common[k], step) % step);

		lo += ((want - lo) % step + step) % step;
	}

	for (long x = lo; x <= hi; x += step) {
		if (++e->steps > STEPS_MAX)
			return true;

		if (search(e, k + 1, target - a * x))
			return true;
	}

	return false;
}

static bool solvable(struct equation *e)
{
	prepare(e);

	return search(e, 0, e->target);
}

static bool is_empty(const struct array *a)
{
	for (int i = 0; i < DIMS; i++)
		if (0 == a->dims[i])
			return true;

	return false;
}

/** First byte and the one after the last. */
static void bounds(const struct array *a, const char **lo, const char **hi)
{
	*lo = a->data;
	*hi = a->data + dtype_size(a->type);

	for (int i = 0; i < DIMS; i++) {
		long reach = (a->dims[i] - 1) * a->strs[i];

		*lo += (reach < 0) ? reach : 0;
		*hi += (reach > 0) ? reach : 0;
	}
}

static bool apart(const struct array *a, const struct array *b)
{
	const char *a_lo, *a_hi, *b_lo, *b_hi;

	if (is_empty(a) || is_empty(b))
		return true;

	bounds(a, &a_lo, &a_hi);
	bounds(b, &b_lo, &b_hi);

	return (uintptr_t)a_hi <= (uintptr_t)b_lo || (uintptr_t)b_hi <= (uintptr_t)a_lo;
}

/** Dims longer than 1 in the order of their steps, neighbours merged. */
static int normal_form(const struct array *a, long dims[DIMS], long strs[1][DIMS])
{
	md_copy_dims(DIMS, dims, a->dims);
	md_copy_dims(DIMS, strs[0], a->strs);

	return md_simplify(1, DIMS, dims, strs);
}

/** Whether the array is one run of bytes without gaps. */
static bool is_dense(int D, const long strs[], size_t size)
{
	return 0 == D || (1 == D && (size_t)labs(strs[0]) <= size);
}

bool array_overlap(const struct array *a, const struct array *b)
{
	if (apart(a, b))
		return false;

	struct equation e = {.target = b->data - a->data};
	const long asize = (long)dtype_size(a->type), bsize = (long)dtype_size(b->type);
	long dims[DIMS], strs[1][DIMS];
	int D = normal_form(a, dims, strs);
	bool dense = is_dense(D, strs[0], (size_t)asize);

	for (int i = 0; i < D; i++)
		add_term(&e, strs[0][i], 0, dims[i] - 1);

	D = normal_form(b, dims, strs);

	if (dense && is_dense(D, strs[0], (size_t)bsize))
		return true;

	for (int i = 0; i < D; i++)
		add_term(&e, -strs[0][i], 0, dims[i] - 1);

	add_bytes(&e, 1 - bsize, asize - 1);

	return solvable(&e);
}

bool array_self_overlap(const struct array *a)
{
	if (is_empty(a))
		return false;

	const long size = (long)dtype_size(a->type);
	long dims[DIMS], strs[1][DIMS], span = size;
	const int D = normal_form(a, dims, strs);
	bool nested = true;

	for (int i = 0; i < D; i++) { // each step beyond all that the smaller ones reach
		nested = nested && labs(strs[0][i]) >= span;
		span += labs(strs[0][i]) * (dims[i] - 1);
	}

	if (nested)
		return false;

	for (int k = 0; k < D; k++) { // two elements that differ in dim k first: by 1 or more
		struct equation e = {.target = 0};

		add_term(&e, strs[0][k], 1, dims[k] - 1);

		for (int i = k + 1; i < D; i++)
			add_term(&e, strs[0][i], 1 - dims[i], dims[i] - 1);

		add_bytes(&e, 1 - size, size - 1);

		if (solvable(&e))
			return true;
	}

	return false;
}

/** Element i of out and element j of in that share a byte, i and j first different in dim k. */
struct meeting {
	int k, D;
	const long *dims;
	long (*strs)[DIMS]; // of out and in
	long gap;           // in.data - out.data
	long osize, isize;
	int questions; // asked so far
};

enum { QUESTIONS_MAX = 512 };

/** The dims but k, and the bytes. */
static bool others_solve(struct meeting *m, struct equation *e)
{
	for (int i = 0; i < m->D; i++) {
		const long a = m->strs[0][i], b = m->strs[1][i], n = m->dims[i];

		if (i < m->k) { // the same index in both
			add_term(e, a - b, 0, n - 1);
		} else if (i > m->k && a == b) {
			add_term(e, a, 1 - n, n - 1);
		} else if (i > m->k) {
			add_term(e, a, 0, n - 1);
			add_term(e, -b, 0, n - 1);
		}
	}

	add_bytes(e, 1 - m->isize, m->osize - 1);

	return solvable(e);
}

/**
 * Whether they meet with lo <= small < large < hi in dim k, where a is the step of the array with the large
 * index and b that of the other. The triangle small < large is asked as a whole, somewhat too large, then as
 * a square and two smaller triangles.
 */
static bool meet_between(struct meeting *m, long a, long b, long lo, long hi)
{
	if (hi - lo < 2)
		return false;

	if (++m->questions > QUESTIONS_MAX)
		return true;

	struct equation whole = {.target = m->gap}, square = {.target = m->gap};
	const long mid = lo + (hi - lo) / 2;

	add_term(&whole, a + b, lo, hi - 2); // small
	add_term(&whole, a, 1, hi - lo - 1); // large - small

	if (!others_solve(m, &whole))
		return false;

	if (0 == a + b) // how far apart is all that counts
		return true;

	add_term(&square, a, mid, hi - 1);
	add_term(&square, b, lo, mid - 1);

	return others_solve(m, &square) || meet_between(m, a, b, lo, mid) || meet_between(m, a, b, mid, hi);
}

bool array_conflict(const struct array *out, const struct array *in)
{
	long dims[DIMS], strs[2][DIMS];
	bool same = true;

	if (!array_overlap(out, in))
		return false;

	md_copy_dims(DIMS, dims, out->dims);

	for (int i = 0; i < DIMS; i++) {
		strs[0][i] = (1 < dims[i]) ? out->strs[i] : 0;
		strs[1][i] = (1 < in->dims[i]) ? in->strs[i] : 0;
		same = same && strs[0][i] == strs[1][i];
	}

	const int D = md_simplify(2, DIMS, dims, strs);
	const long osize = (long)dtype_size(out->type), isize = (long)dtype_size(in->type);

	// no element overlaps another one of the output's: nothing else to ask where each meets itself
	if (same && out->data == in->data && osize == isize && !array_self_overlap(out))
		return false;

	for (int k = 0; k < D; k++) {
		struct meeting m = {k, D, dims, strs, in->data - out->data, osize, isize, 0};
		const long a = strs[0][k], b = -strs[1][k];

		if (meet_between(&m, a, b, 0, dims[k]) || meet_between(&m, b, a, 0, dims[k]))
			return true;
	}

	return false;
}
