/* Functions of neighbourhoods. Windows are decomposed: partial results over consecutive elements are computed
 * from shorter ones, dim by dim. Boxes are computed along dim 1, then 0, then 2, which minimises the memory
 * for neighbouring slices. Large boxes use num/expr/windows/box.h. Means of windows and their squares are
 * merged as in [1], which loses nothing to cancellation; medians of small windows are those of merge-exchange
 * networks [2], in which columns along dim 1 and 2 are sorted once for all windows that they lie in; of large
 * ones num/expr/windows/median.h.
 *
 * [1] Chan, Golub, LeVeque: Algorithms for computing the sample variance. The American Statistician 37 (1983)
 * [2] Batcher: Sorting networks and their applications. AFIPS (1968) */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/windows/box.h"
#include "num/expr/windows/window.h"
#include "num/expr/expr_lex.h"

static const char *const names[] = {[WINDOW_MEAN] = "mean",
        [WINDOW_MIN] = "min",
        [WINDOW_MAX] = "max",
        [WINDOW_STD] = "std",
        [WINDOW_MEDIAN] = "median"};

int window_parse(const char *name)
{
	for (int i = 0; i < WINDOW_FUNCTIONS; i++)
		if (0 == strcmp(name, names[i]))
			return i;

	return -1;
}

const char *window_name(enum window_function f)
{
	return names[f];
}

/* ---- terms ---- */

static int add(const struct window_builder *b, struct term t)
{
	for (int k = 0; k < t.args; k++)
		if (t.arg[k] < 0)
			return -1;

	t.column = b->column;

	return expr_add_term(b->e, t, b->err);
}

static int number(const struct window_builder *b, double v)
{
	return add(b, (struct term){.kind = TERM_FLOAT, .value = v});
}

static int whole(const struct window_builder *b, long v)
{
	return add(b, (struct term){.kind = TERM_INTEGER, .integer = (uint64_t)v});
}

static int op1(const struct window_builder *b, enum op op, int x)
{
	return add(b, (struct term){.kind = TERM_OP, .id = (int)op, .args = 1, .arg = {x}});
}

static int op2(const struct window_builder *b, enum op op, int x, int y)
{
	return add(b, (struct term){.kind = TERM_OP, .id = (int)op, .args = 2, .arg = {x, y}});
}

static int form(const struct window_builder *b, enum term_kind kind, int x, int id)
{
	return add(b, (struct term){.kind = kind, .id = id, .args = 1, .arg = {x}});
}

/** x at i + k along dim d; virtual: as computed there. */
static int move(const struct window_builder *b, int x, int d, long k)
{
	struct term t = {.kind = TERM_SHIFT, .id = 1, .args = 1, .arg = {x}};

	t.shift[d] = (int)k;

	return (0 == k || x < 0) ? x : add(b, t);
}

/** x as a whole, with what the rule of the edges puts around it. */
static int hold(const struct window_builder *b, int x)
{
	return form(b, TERM_SHIFT, x, 0);
}

int window_shift(const struct window_builder *b, int a, const long shift[3])
{
	struct term t = {.kind = TERM_SHIFT, .args = 1, .arg = {a}};

	for (int d = 0; d < 3; d++)
		t.shift[d] = (int)shift[d];

	return (0 == shift[0] && 0 == shift[1] && 0 == shift[2]) ? a : add(b, t);
}

/* ---- differences ---- */

/** x at i + k along dim d. */
static int beside(const struct window_builder *b, int x, int d, long k)
{
	long shift[3] = {0};

	shift[d] = k;

	return window_shift(b, x, shift);
}

int window_difference(const struct window_builder *b, int a, int d)
{
	const int per_mm = add(b, (struct term){.kind = TERM_PER_MM, .id = d});

	return op2(b, OP_MUL, op2(b, OP_SUB, beside(b, a, d, 1), beside(b, a, d, -1)),
	        op2(b, OP_MUL, per_mm, number(b, 0.5)));
}

int window_laplacian(const struct window_builder *b, int a)
{
	int around = -1, weights = -1;

	for (int d = 0; d < 3; d++) {
		const int per_mm = add(b, (struct term){.kind = TERM_PER_MM, .id = d}),
		          weight = op2(b, OP_MUL, per_mm, per_mm),
		          both = op2(
		                  b, OP_MUL, op2(b, OP_ADD, beside(b, a, d, -1), beside(b, a, d, 1)), weight);

		around = (0 == d) ? both : op2(b, OP_ADD, around, both);
		weights = (0 == d) ? weight : op2(b, OP_ADD, weights, weight);
	}

	return op2(b, OP_ADD, around, op2(b, OP_MUL, a, op2(b, OP_MUL, weights, number(b, -2.))));
}

int window_gradient(const struct window_builder *b, int a)
{
	int sum = -1;

	for (int d = 0; d < 3; d++) {
		const int square = op1(b, OP_ABS2, window_difference(b, a, d));

		sum = (0 == d) ? square : op2(b, OP_ADD, sum, square);
	}

	return op1(b, OP_SQRT, sum);
}

/* ---- rows of elements ---- */

/** What is joined: sums, extremes, or means with sums of squared deviations from them. */
struct value {
	int x, deviation; // terms; deviation of STD, -1: 0
	long n;           // elements
};

static struct value move_value(const struct window_builder *b, struct value v, int d, long k)
{
	return (struct value){move(b, v.x, d, k), (v.deviation < 0) ? -1 : move(b, v.deviation, d, k), v.n};
}

/** Of two disjoint sets. */
static struct value merge(const struct window_builder *b, struct value u, struct value v)
{
	const double n = (double)(u.n + v.n);
	const int difference = op2(b, OP_SUB, v.x, u.x),
	          mean = op2(b, OP_ADD, u.x, op2(b, OP_MUL, difference, number(b, (double)v.n / n))),
	          between = op2(
	                  b, OP_MUL, op1(b, OP_SQUARE, difference), number(b, (double)u.n * (double)v.n / n));
	int deviation = between;

	if (0 <= u.deviation)
		deviation = op2(b, OP_ADD, deviation, u.deviation);

	if (0 <= v.deviation)
		deviation = op2(b, OP_ADD, deviation, v.deviation);

	return (struct value){mean, deviation, u.n + v.n};
}

static struct value join(
        const struct window_builder *b, enum window_function f, struct value u, struct value v)
{
	const enum op op = (WINDOW_MIN == f) ? OP_MIN : (WINDOW_MAX == f) ? OP_MAX : OP_ADD;

	if (WINDOW_STD == f)
		return merge(b, u, v);

	return (struct value){op2(b, op, u.x, v.x), -1, u.n + v.n};
}

/** `count` values `step` elements apart along dim d, from element `from` on. */
static struct value join_some(const struct window_builder *b, enum window_function f, struct value v, int d,
        long from, long step, long count)
{
	struct value all = move_value(b, v, d, from);

	for (long k = 1; k < count; k++)
		all = join(b, f, all, move_value(b, v, d, from + k * step));

	return all;
}

/** n elements in a row along dim d, from element `from` on: of rows of lengths that are powers of 2, or of 8
 * where each is kept as a whole. */
static struct value join_row(
        const struct window_builder *b, enum window_function f, struct value v, int d, long from, long n)
{
	const long base = (0 == d) ? 2 : 8;
	struct value all = {-1, -1, 0};
	long length = 1;

	if (1 == n)
		return move_value(b, v, d, from);

	for (;;) {
		const long rows = n / length % base;

		if (0 < rows) {
			const struct value some = join_some(b, f, v, d, from, length, rows);

			all = (0 == all.n) ? some : join(b, f, all, some);
			from += rows * length;
		}

		if (length * base > n)
			return all;

		v = join_some(b, f, v, d, 0, length, base);
		length *= base;
	}
}

static struct value start(const struct window_builder *b, enum window_function f, int a)
{
	const int x = hold(b, a);

	return (struct value){(WINDOW_MEAN == f || WINDOW_STD == f) ? form(b, TERM_WIDE, x, 0) : x, -1, 1};
}

static struct value join_box(
        const struct window_builder *b, enum window_function f, struct value v, const long r[3])
{
	static const int order[3] = {1, 0, 2};

	for (int k = 0; k < 3; k++)
		if (0 < r[order[k]])
			v = join_row(b, f, v, order[k], -r[order[k]], 2 * r[order[k]] + 1);

	return v;
}

static double square_of(long k, long r)
{
	return (0 == r) ? 0. : ((double)k / (double)r) * ((double)k / (double)r);
}

/** How far the ball reaches along dim 0 at (y, z); -1: it does not. */
static long reach(const long r[3], long y, long z)
{
	long k = -1;

	while (k < r[0] && square_of(k + 1, r[0]) + square_of(y, r[1]) + square_of(z, r[2]) <= 1. + 1e-12)
		k++;

	return k;
}

static struct value join_ball(
        const struct window_builder *b, enum window_function f, struct value v, const long r[3])
{
	struct value *rows = mem_calloc((size_t)r[0] + 1, sizeof *rows), all = {-1, -1, 0};

	for (long z = -r[2]; z <= r[2]; z++)
		for (long y = -r[1]; y <= r[1]; y++) {
			const long k = reach(r, y, z);

			if (k < 0)
				continue;

			if (0 == rows[k].n)
				rows[k] = join_row(b, f, v, 0, -k, 2 * k + 1);

			const struct value row = move_value(b, move_value(b, rows[k], 1, y), 2, z);

			all = (0 == all.n) ? row : join(b, f, all, row);
		}

	free(rows);

	return all;
}

/* ---- medians ---- */

/** Larger windows slide. [elements] */
enum { NETWORK_MAX = 130 };

/** Boxes of larger radii are made by num/expr/windows/box.h. */
enum { MEAN_MAX = 2, EXTREME_MAX = 2 };

/** Ends a list where its length is made a power of 2: larger than all. */
enum { NOTHING = -1 };

static void exchange(const struct window_builder *b, int *x, int *y)
{
	const int u = *x, v = *y;

	if (NOTHING == v)
		return;

	*x = (NOTHING == u) ? v : op2(b, OP_MIN, u, v);
	*y = (NOTHING == u) ? NOTHING : op2(b, OP_MAX, u, v);
}

/** Merges two sorted halves of n terms, n a power of 2. */
static void merge_lists(const struct window_builder *b, int *x, long n, long step)
{
	if (2 * step >= n) {
		exchange(b, &x[0], &x[step]);
		return;
	}

	merge_lists(b, x, n, 2 * step);
	merge_lists(b, x + step, n, 2 * step);

	for (long i = step; i + step < n; i += 2 * step)
		exchange(b, &x[i], &x[i + step]);
}

static void sort_list(const struct window_builder *b, int *x, long n)
{
	if (n < 2)
		return;

	sort_list(b, x, n / 2);
	sort_list(b, x + n / 2, n / 2);
	merge_lists(b, x, n, 1);
}

static long power_of_two(long n)
{
	long p = 1;

	while (p < n)
		p *= 2;

	return p;
}

/** Elements of the window at distance k along dim 0, sorted: at distance 0 of the term that they are moved
 * from. Returns how many. */
static long sorted_column(const struct window_builder *b, int a, const struct window *w, long k, int *x)
{
	long n = 0;

	for (long z = -w->r[2]; z <= w->r[2]; z++)
		for (long y = -w->r[1]; y <= w->r[1]; y++)
			if (!w->ball || reach(w->r, y, z) >= labs(k))
				x[n++] = move(b, move(b, a, 1, y), 2, z);

	for (long i = n; i < power_of_two(n); i++)
		x[i] = NOTHING;

	sort_list(b, x, power_of_two(n));

	return n;
}

static int median(const struct window_builder *b, int a, const struct window *w)
{
	const long most = 2 * power_of_two((2 * w->r[0] + 1) * (2 * w->r[1] + 1) * (2 * w->r[2] + 1));
	int *all = mem_alloc(2 * (size_t)most * sizeof *all),
	    *column = mem_alloc((size_t)most * sizeof *column);
	long n = 0;

	for (long k = -w->r[0]; k <= w->r[0]; k++) {
		const long m = sorted_column(b, a, w, k, column), half = power_of_two((n > m) ? n : m);

		for (long i = n; i < half; i++)
			all[i] = NOTHING;

		for (long i = 0; i < half; i++)
			all[half + i] = (i < m) ? move(b, column[i], 0, k) : NOTHING;

		if (0 == n)
			memcpy(all, all + half, (size_t)half * sizeof *all);
		else
			merge_lists(b, all, 2 * half, 1);

		n += m;
	}

	const int middle = all[n / 2];

	free(all);
	free(column);

	return (0 == b->err->column) ? middle : -1;
}

/* ---- windows ---- */

long window_reach(const struct window *w, long y, long z)
{
	return w->ball ? reach(w->r, y, z) : w->r[0];
}

static long count_of(const struct window *w)
{
	long n = 0;

	for (long z = -w->r[2]; z <= w->r[2]; z++)
		for (long y = -w->r[1]; y <= w->r[1]; y++)
			n += w->ball ? 2 * reach(w->r, y, z) + 1 + (reach(w->r, y, z) < 0) : 2 * w->r[0] + 1;

	return n;
}

/** Whether a box is made faster by num/expr/windows/box.h than of rows of terms. */
static bool is_large(enum window_function f, const struct window *w)
{
	const long r = max_long(max_long(w->r[0], w->r[1]), w->r[2]);

	return !w->ball && ((WINDOW_MEAN == f && MEAN_MAX < r) ||
	                           ((WINDOW_MIN == f || WINDOW_MAX == f) && EXTREME_MAX < r));
}

static int large_box(const struct window_builder *b, enum window_function f, int a, const struct window *w)
{
	const enum box_function function = (WINDOW_MEAN == f)  ? BOX_MEAN
	                                   : (WINDOW_MIN == f) ? BOX_MIN
	                                                       : BOX_MAX;
	const int x = (BOX_MEAN == function) ? form(b, TERM_WIDE, a, 1) : a,
	          t = add(b, (struct term){.kind = TERM_BOX,
	                             .id = (int)function,
	                             .args = 1,
	                             .arg = {x},
	                             .shift = {(int)w->r[0], (int)w->r[1], (int)w->r[2]}});

	return (BOX_MEAN == function) ? form(b, TERM_LIKE, t, a) : t;
}

int window_term(const struct window_builder *b, enum window_function f, int a, const struct window *w)
{
	if (a < 0)
		return -1;

	if (WINDOW_MEDIAN == f && count_of(w) > NETWORK_MAX)
		return add(b, (struct term){.kind = TERM_MEDIAN,
		                      .id = w->ball,
		                      .args = 1,
		                      .arg = {a},
		                      .shift = {(int)w->r[0], (int)w->r[1], (int)w->r[2]}});

	if (WINDOW_MEDIAN == f)
		return median(b, hold(b, a), w);

	const int box = is_large(f, w) ? large_box(b, f, a, w) : -1;

	if (0 <= box || 0 < b->err->column)
		return box;

	const struct value one = start(b, f, a),
	                   all = w->ball ? join_ball(b, f, one, w->r) : join_box(b, f, one, w->r);

	if (WINDOW_MEAN == f)
		return form(b, TERM_LIKE, op2(b, OP_DIV, all.x, whole(b, all.n)), a);

	if (WINDOW_STD == f && 1 == all.n)
		return op2(b, OP_SUB, a, a);

	if (WINDOW_STD == f)
		return form(b, TERM_LIKE, op1(b, OP_SQRT, op2(b, OP_DIV, all.deviation, whole(b, all.n))), a);

	return all.x;
}

static int convolve(const struct window_builder *b, int x, int d, double sigma)
{
	const long n = (long)(4. * sigma + 0.5);
	double sum = 0;
	int all = -1;

	for (long k = -n; k <= n; k++)
		sum += exp(-0.5 * (double)(k * k) / (sigma * sigma));

	for (long k = n; k >= 0; k--) {
		const int pair = (0 == k) ? x : op2(b, OP_ADD, move(b, x, d, -k), move(b, x, d, k)),
		          part = op2(b, OP_MUL, pair,
		                  number(b, exp(-0.5 * (double)(k * k) / (sigma * sigma)) / sum));

		all = (all < 0) ? part : op2(b, OP_ADD, all, part);
	}

	return all;
}

int window_gauss(const struct window_builder *b, int a, const double sigma[3])
{
	static const int order[3] = {1, 0, 2};
	int x = (a < 0) ? -1 : form(b, TERM_WIDE, hold(b, a), 0);

	for (int k = 0; k < 3; k++)
		if (0. < sigma[order[k]] && 0 <= x)
			x = convolve(b, x, order[k], sigma[order[k]]);

	return (x < 0) ? -1 : form(b, TERM_LIKE, x, a);
}

/* ---- weights by values ---- */

/** One neighbour of the bilateral filter: its weight exp(t), or 0 where that is less than 2^-64. (The sum of
 * all weights is at least 1: so small ones do not change it, but products with them take long where
 * subnormal.) */
static int bilateral_weight(const struct window_builder *b, int a, int x, int per_square, double far)
{
	const int square = op1(b, OP_SQUARE, op2(b, OP_SUB, x, a)),
	          t = op2(b, OP_ADD, op2(b, OP_MUL, square, per_square), number(b, far)),
	          weight = op1(b, OP_EXP, op2(b, OP_MAX, t, number(b, -45.)));

	return op2(b, OP_MAX, op2(b, OP_SUB, weight, number(b, 0x1p-64)), number(b, 0.));
}

static double exponent_of(long k, double sigma)
{
	return (0 == k) ? 0. : -0.5 * (double)(k * k) / (sigma * sigma);
}

int window_bilateral(const struct window_builder *b, int a, int s, const double sigma[3])
{
	const int per_square = op2(b, OP_DIV, number(b, -0.5), op1(b, OP_SQUARE, s));
	int weights = -1, sum = -1;
	long r[3], k[3];

	for (int d = 0; d < 3; d++)
		r[d] = (long)(2. * sigma[d] + 0.5);

	for (k[2] = -r[2]; k[2] <= r[2] && 0 == b->err->column; k[2]++)
		for (k[1] = -r[1]; k[1] <= r[1]; k[1]++)
			for (k[0] = -r[0]; k[0] <= r[0]; k[0]++) {
				const double far = exponent_of(k[0], sigma[0]) + exponent_of(k[1], sigma[1]) +
				                   exponent_of(k[2], sigma[2]);
				const int x = window_shift(b, a, k),
				          w = bilateral_weight(b, a, x, per_square, far),
				          part = op2(b, OP_MUL, w, x);

				weights = (weights < 0) ? w : op2(b, OP_ADD, weights, w);
				sum = (sum < 0) ? part : op2(b, OP_ADD, sum, part);
			}

	return (0 == b->err->column) ? form(b, TERM_LIKE, op2(b, OP_DIV, sum, weights), a) : -1;
}

int window_perona_malik(const struct window_builder *b, int a, int k)
{
	const int per_square = op2(b, OP_DIV, number(b, -1.), op1(b, OP_SQUARE, k));
	int sum = -1;

	for (int d = 0; d < 3; d++)
		for (long side = -1; side <= 1; side += 2) {
			const int difference = op2(b, OP_SUB, beside(b, a, d, side), a),
			          flow = op1(b, OP_EXP,
			                  op2(b, OP_MUL, op1(b, OP_SQUARE, difference), per_square)),
			          part = op2(b, OP_MUL, difference, flow);

			sum = (sum < 0) ? part : op2(b, OP_ADD, sum, part);
		}

	return sum;
}
