#include "volume/stitch/stitch.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/kern.h"

enum { BLOCK = 4096, LINES = 256, VIEWS = 32, ROWS = 16 };

/** Sums of pairs. */
struct stitch_sums {
	double n, a, b, aa, bb, ab;
};

static void add_pair(struct stitch_sums *s, double a, double b)
{
	s->n += 1.;
	s->a += a;
	s->b += b;
	s->aa += a * a;
	s->bb += b * b;
	s->ab += a * b;
}

/** Of pairs that vary; else 0. */
static double correlation(const struct stitch_sums *s)
{
	const double va = s->aa - s->a * s->a / s->n, vb = s->bb - s->b * s->b / s->n;

	if (!(va > 1e-12 * s->aa && vb > 1e-12 * s->bb))
		return 0.;

	return (s->ab - s->a * s->b / s->n) / sqrt(va * vb);
}

void stitch_refuse_bad(const struct cfl *f, bool bad)
{
	if (bad)
		error("%s contains NaN or infinite values: replace them first (gantry outliers, gantry expr)",
		        f->name);
}

static bool all_finite(long n, const double *x)
{
	double sum = 0.;

#pragma omp simd reduction(+ : sum)
	for (long i = 0; i < n; i++)
		sum += x[i] - x[i];

	return 0. == sum;
}

/** n elements from number `first` on, `step` apart. */
static const double *load(struct cfl *f, double *buf, long first, long step, long n)
{
	const long size = (long)dtype_size(f->hdr.type);

	return kern_load(
	        DT_FLOAT64, buf, f->hdr.type, false, (const char *)cfl_map(f) + first * size, step * size, n);
}

/** Elements of the dims below d, and of those above. */
static void around(const struct cfl *f, int d, long *inner, long *outer)
{
	*inner = *outer = 1;

	for (int k = 0; k < DIMS; k++)
		*(k < d ? inner : outer) *= (k == d) ? 1 : f->hdr.dims[k];
}

/** Lines along dim d, evenly chosen: number k of `lines` copied to x + k n. */
static double *take_lines(struct cfl *f, int d, long lines)
{
	const long n = f->hdr.dims[d];
	long inner, outer;
	double *x = mem_alloc((size_t)mul_checked(lines, n, f->name) * sizeof *x);
	bool good = true;

	around(f, d, &inner, &outer);

	for (long k = 0; k < lines; k++) {
		const long at = (long)((double)k / (double)lines * (double)(inner * outer));
		const double *line = load(f, x + k * n, at / inner * inner * n + at % inner, inner, n);

		for (long i = 0; i < n; i++)
			x[k * n + i] = line[i];

		good = all_finite(n, x + k * n) && good;
	}

	stitch_refuse_bad(f, !good);

	return x;
}

struct stitch_match stitch_find_overlap(struct cfl *a, struct cfl *b, int d)
{
	const long na = a->hdr.dims[d], nb = b->hdr.dims[d], most = min_long(na, nb);
	const long least = min_long(4, most), lines = min_long(LINES, a->count / na);
	double *x = take_lines(a, d, lines), *y = take_lines(b, d, lines);
	double *r = mem_calloc((size_t)most + 1, sizeof *r);
	struct stitch_match best = {.correlation = -1.};

#pragma omp parallel for schedule(dynamic) num_threads(threads_for((double)(most * most * lines)))
	for (long n = least; n <= most; n++) {
		struct stitch_sums s = {.n = 0.};

		for (long k = 0; k < lines; k++)
			for (long i = 0; i < n; i++)
				add_pair(&s, x[k * na + na - n + i], y[k * nb + i]);

		r[n] = correlation(&s);
	}

	for (long n = least; n <= most; n++)
		if (r[n] > best.correlation)
			best = (struct stitch_match){(double)n, r[n]};

	free(r);
	free(x);
	free(y);

	return best;
}

struct side_by_side {
	struct cfl *out, *a, *b;
	long inner, na, nb, overlap;
};

/** Elements [first, first + n) of the joined block number o; which of the inputs were not finite. */
static long join_block(const struct side_by_side *s, double *room, long o, long first, long n)
{
	const long start = (s->na - s->overlap) * s->inner; // of b
	const long enda = s->na * s->inner, total = start + s->nb * s->inner;
	const long fa = min_long(first, enda), ea = min_long(first + n, enda);
	const long fb = max_long(first, start), eb = max_long(first + n, start);
	const double *a = load(s->a, room, o * enda + fa, 1, ea - fa);
	const double *b = load(s->b, room + BLOCK, o * (total - start) + fb - start, 1, eb - fb);
	double *out = room + 2 * BLOCK;

	for (long i = 0; i < n; i++) {
		const long e = first + i;

		if (e < start)
			out[i] = a[e - fa];
		else if (e >= enda)
			out[i] = b[e - fb];
		else {
			const double w = (double)((e - start) / s->inner + 1) / (double)(s->overlap + 1);

			out[i] = (1. - w) * a[e - fa] + w * b[e - fb];
		}
	}

	const enum dtype t = s->out->hdr.type;

	kern_store(t, false, (char *)cfl_map_out(s->out) + (o * total + first) * (long)dtype_size(t),
	        (long)dtype_size(t), DT_FLOAT64, out, n, NARROW_SATURATE, false);

	return (all_finite(ea - fa, a) ? 0 : 1) | (all_finite(eb - fb, b) ? 0 : 2);
}

void stitch_side_by_side(struct cfl *out, struct cfl *a, struct cfl *b, int d, long overlap)
{
	struct side_by_side s = {
	        .out = out, .a = a, .b = b, .na = a->hdr.dims[d], .nb = b->hdr.dims[d], .overlap = overlap};
	long outer, bad = 0;

	around(a, d, &s.inner, &outer);
	cfl_map(a);
	cfl_map(b);
	cfl_map_out(out);

	const long total = (s.na + s.nb - overlap) * s.inner, blocks = (total + BLOCK - 1) / BLOCK;
	double *room = mem_alloc((size_t)(omp_get_max_threads() * 3 * BLOCK) * sizeof *room);

	progress_start("stitching", outer * total);

#pragma omp parallel for collapse(2) schedule(static) reduction(|                                            \
                                                                : bad)                                       \
        num_threads(threads_for(3. * (double)out->count))
	for (long o = 0; o < outer; o++)
		for (long k = 0; k < blocks; k++) {
			const long n = min_long(BLOCK, total - k * BLOCK);

			bad |= join_block(&s, room + omp_get_thread_num() * 3 * BLOCK, o, k * BLOCK, n);
			progress_add(n);
		}

	progress_end();
	free(room);
	stitch_refuse_bad(a, bad & 1);
	stitch_refuse_bad(b, bad & 2);
}

/** Linear interpolation in a row; the last element stays beyond the ends. */
static double between(const double *x, long n, double at)
{
	const double c = fmin(fmax(at, 0.), (double)(n - 1));
	const long i = min_long((long)c, max_long(0, n - 2));

	return (n < 2) ? x[0] : x[i] + (c - (double)i) * (x[i + 1] - x[i]);
}

/** Agreement of rows and their mirrored opposites about column c. */
static double agreement(long rows, long n, const double *x, const double *y, double c)
{
	struct stitch_sums s = {.n = 0.};
	const long first = max_long(0, (long)ceil(2. * c - (double)(n - 1))),
	           last = min_long(n - 1, (long)floor(2. * c));

	for (long k = 0; k < rows; k++)
		for (long u = first; u <= last; u++)
			add_pair(&s, x[k * n + u], between(y + k * n, n, 2. * c - (double)u));

	return correlation(&s);
}

/** Rows of the views [from, from + half) of the first stack, evenly chosen. */
static double *take_rows(struct cfl *f, long from, long half, long views, long rows)
{
	const long *dims = f->hdr.dims;
	double *x = mem_alloc((size_t)(views * rows * dims[0]) * sizeof *x);
	bool good = true;

	for (long k = 0; k < views; k++)
		for (long r = 0; r < rows; r++) {
			const long view = from + k * half / views, row = (2 * r + 1) * dims[1] / (2 * rows);
			double *to = x + (k * rows + r) * dims[0];
			const double *line = load(f, to, (view * dims[1] + row) * dims[0], 1, dims[0]);

			for (long i = 0; i < dims[0]; i++)
				to[i] = line[i];

			good = all_finite(dims[0], to) && good;
		}

	stitch_refuse_bad(f, !good);

	return x;
}

struct stitch_match stitch_find_axis(struct cfl *scan)
{
	const long *dims = scan->hdr.dims, n = dims[0], half = dims[2] / 2;
	const long views = min_long(VIEWS, half), rows = min_long(ROWS, dims[1]);
	const long least = max_long(4, n / 32), candidates = max_long(0, 2 * (n - least) + 1);
	double *x = take_rows(scan, 0, half, views, rows), *y = take_rows(scan, half, half, views, rows);
	double *r = mem_calloc((size_t)candidates + 1, sizeof *r);
	struct stitch_match best = {.correlation = -1.};

	// columns in steps of one half, from where `least` columns on the left are seen twice to the same on
	// the right
#pragma omp parallel for schedule(dynamic) num_threads(threads_for((double)(n * n * views * rows)))
	for (long k = 0; k < candidates; k++)
		r[k] = agreement(views * rows, n, x, y, (double)(least - 1 + k) / 2.);

	for (long k = 0; k < candidates; k++)
		if (r[k] > best.correlation)
			best = (struct stitch_match){(double)(least - 1 + k) / 2., r[k]};

	const double about = best.at;

	for (long k = -10; k <= 10; k++) {
		const double c = about + (double)k / 20., found = agreement(views * rows, n, x, y, c);

		if (found > best.correlation)
			best = (struct stitch_match){c, found};
	}

	free(r);
	free(x);
	free(y);

	return best;
}

long stitch_columns(long columns, double axis, double *stitched_axis)
{
	const bool right = axis >= (double)(columns - 1) / 2.;
	const long wide =
	        max_long(columns, 1 + (long)floor(2. * (right ? axis : (double)(columns - 1) - axis) + 0.5));

	*stitched_axis = right ? axis : axis + (double)(wide - columns);

	return wide;
}

/** A row of the stitched view: x and its opposite y, whose column c is the axis; x begins at column `shift`.
 */
static void join_row(long wide, double *out, long n, const double *x, const double *y, double c, long shift)
{
	const bool right = 0 == shift;
	// columns of x that both see, 2 c - u being one of y's
	const double first = fmax(0., 2. * c - (double)(n - 1)), last = fmin((double)(n - 1), 2. * c);

	for (long i = 0; i < wide; i++) {
		const double u = (double)(i - shift);
		double w = (u - first + 0.5) / (last - first + 1.); // of the opposite

		w = fmin(fmax(right ? w : 1. - w, 0.), 1.);

		if (u < 0. || u > (double)(n - 1))
			w = 1.;

		out[i] =
		        (1. - w) * x[min_long(max_long(i - shift, 0), n - 1)] + w * between(y, n, 2. * c - u);
	}
}

void stitch_half_turn(struct cfl *out, struct cfl *scan, double axis)
{
	const long *dims = scan->hdr.dims, n = dims[0], rows = dims[1], half = dims[2] / 2;
	const long wide = out->hdr.dims[0], stacks = scan->count / (n * rows * dims[2]);
	const long shift = (axis >= (double)(n - 1) / 2.) ? 0 : wide - n, each = 2 * n + wide;
	const enum dtype t = out->hdr.type;
	double *room = mem_alloc((size_t)(omp_get_max_threads() * each) * sizeof *room);
	char *y = cfl_map_out(out);
	bool bad = false;

	cfl_map(scan);
	progress_start("stitching", stacks * half * rows);

#pragma omp parallel for schedule(static) reduction(||                                                       \
                                                    : bad) num_threads(threads_for(4. * (double)out->count))
	for (long k = 0; k < stacks * half * rows; k++) {
		const long row = k % rows, view = k / rows % half, stack = k / rows / half;
		const long at = ((stack * dims[2] + view) * rows + row) * n;
		double *mine = room + omp_get_thread_num() * each, *sum = mine + 2 * n;
		const double *a = load(scan, mine, at, 1, n);
		const double *b = load(scan, mine + n, at + half * rows * n, 1, n);

		bad = !all_finite(n, a) || !all_finite(n, b) || bad;
		join_row(wide, sum, n, a, b, axis, shift);
		kern_store(t, false, y + k * wide * (long)dtype_size(t), (long)dtype_size(t), DT_FLOAT64, sum,
		        wide, NARROW_SATURATE, false);
		progress_add(1);
	}

	progress_end();
	free(room);
	stitch_refuse_bad(scan, bad);
}
