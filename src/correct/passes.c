#include "correct/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** Elements that a pass holds at least at a time, so that small views keep all threads busy. */
enum { BATCH = 1 << 20 };

/** Views in a batch. */
static long batch_size(const struct cfl *in)
{
	long size = in->hdr.dims[0] * in->hdr.dims[1], views = in->count / size, per = BATCH / size;

	per = (per < tool_threads()) ? tool_threads() : per;

	return (per < views) ? per : views;
}

long views_pass_memory(const struct cfl *in, long out_size, long reach)
{
	long per = batch_size(in), size = in->hdr.dims[0] * in->hdr.dims[1];

	return (long)sizeof(double) * ((per + 2 * reach) * size + per * out_size);
}

/** n elements as float64; the index of the first that is not finite, or n. */
static long take(double *x, enum dtype type, const char *from, long n)
{
	convert(DT_FLOAT64, x, type, from, n, NARROW_SATURATE);

	for (long i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return i;

	return n;
}

static _Noreturn void refuse(const struct cfl *f, long bad, long size)
{
	error("%s: element %ld of view %ld is not finite, expected numbers; run gantry outliers first",
	        f->name, bad % size, bad / size);
}

/** Reads views [first, first + n) behind those that are there. */
static void read_views(const struct view_pass *p, double *x, long first, long n, long size)
{
	const char *from = cfl_next(p->in, n * size);
	const enum dtype type = p->in->hdr.type;
	const int threads = threads_for(2. * (double)(n * size));
	long bad = n * size;

#pragma omp parallel for schedule(static) reduction(min : bad) num_threads(threads)
	for (long k = 0; k < n; k++) {
		long b = take(x + k * size, type, from + k * size * (long)dtype_size(type), size);

		if (b < size && k * size + b < bad)
			bad = k * size + b;
	}

	if (bad < n * size && !p->any_value)
		refuse(p->in, first * size + bad, size);
}

/** Views [first, first + n); x holds views from `base` on. Returns how many values the output cannot hold. */
static long run_views(
        const struct view_pass *p, const double *x, long base, double *y, long first, long n, long osize)
{
	const long size = p->in->hdr.dims[0] * p->in->hdr.dims[1], views = p->in->hdr.dims[2];
	const enum dtype type = p->out ? p->out->hdr.type : DT_FLOAT64;
	char *out = p->out ? cfl_slab(p->out, n * osize) : NULL;
	long lost = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : lost)
	for (long k = 0; k < n; k++) {
		const long number = first + k, view = number % views, left = views - 1 - view;
		struct pass_view v = {.number = number,
		        .view = view,
		        .before = (view < p->reach) ? view : p->reach,
		        .after = (left < p->reach) ? left : p->reach,
		        .size = size,
		        .in = x + (number - base) * size,
		        .out = y + k * osize};

		p->fn(p->ctx, &v);

		if (NULL != out)
			lost += convert(type, out + k * osize * (long)dtype_size(type), DT_FLOAT64, v.out,
			        osize, NARROW_SATURATE);
	}

	return lost;
}

static void report_lost(const struct cfl *out, long lost)
{
	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, out->count,
		        dtype_name(out->hdr.type), out->name);
}

static long pass_here(const struct view_pass *p, long size, long osize, long total)
{
	const long per = batch_size(p->in), room = per + 2 * p->reach;
	double *x = mem_alloc((size_t)mul_checked(room, size, p->in->name) * sizeof *x);
	double *y = mem_alloc((size_t)mul_checked(per, osize + 1, p->in->name) * sizeof *y);
	long base = 0, end = 0, lost = 0;

	for (long k = 0, n; k < total; k += n) {
		n = (total - k < per) ? total - k : per;

		long from = (k < p->reach) ? 0 : k - p->reach;
		long to = (total - k - n < p->reach) ? total : k + n + p->reach;

		memmove(x, x + (from - base) * size, (size_t)((end - from) * size) * sizeof *x);
		base = from;
		read_views(p, x + (end - base) * size, end, to - end, size);
		end = to;
		lost += run_views(p, x, base, y, k, n, osize);
		progress_update(k + n);
	}

	free(x);
	free(y);

	return lost;
}

/* ---- on a device ---- */

/** Views that pass through the GPU, `per` at a time. */
struct passing {
	const struct view_pass *p;
	long per, size, osize, total;
	double *in, *out;
	long lost;
};

static long first_of(const struct passing *g, long k)
{
	const long at = k * g->per - g->p->reach;

	return (at < 0) ? 0 : at;
}

static long end_of(const struct passing *g, long k)
{
	const long end = (k + 1) * g->per + g->p->reach;

	return (end < g->total) ? end : g->total;
}

static long views_of(const struct passing *g, long k)
{
	return (g->total - k * g->per < g->per) ? g->total - k * g->per : g->per;
}

static void describe(void *ctx, long k, struct device_slab *s)
{
	const struct passing *g = ctx;
	const long first = first_of(g, k);

	*s = (struct device_slab){.inputs = 1,
	        .outputs = 1,
	        .in = {device_part_in(g->p->in, first * g->size, (end_of(g, k) - first) * g->size)},
	        .out = {device_part_out(g->p->out, k * g->per * g->osize, views_of(g, k) * g->osize)}};
}

/** The first element that is not finite is found on the host. */
static void expect_finite(const struct passing *g, long first, long n)
{
	if (0 == vec_count_nonfinite(DT_FLOAT64, n, g->in))
		return;

	double *x = place_take(g->in, (size_t)n * sizeof *x);

	for (long i = 0; i < n; i++)
		if (!isfinite(x[i]))
			refuse(g->p->in, first * g->size + i, g->size);
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	struct passing *g = ctx;
	const long base = first_of(g, k), views = views_of(g, k), n = (end_of(g, k) - base) * g->size;

	device_convert(DT_FLOAT64, g->in, g->p->in->hdr.type, in[0], n, false);

	if (!g->p->any_value)
		expect_finite(g, base, n);

	g->p->there(g->p->ctx, &(const struct pass_batch){k * g->per, views, base, g->in, g->out});
	g->lost += device_convert(g->p->out->hdr.type, out[0], DT_FLOAT64, g->out, views * g->osize, true);
	progress_add(views);
}

/** Whether a pass goes to the GPU, and how many views at a time; 0: not. A stream is read once. */
static long goes_there(const struct view_pass *p, long size, long osize, long total)
{
	enum { SLAB = 1 << 22 };
	const double bytes = (double)p->in->count * (double)dtype_size(p->in->hdr.type) +
	                     (double)total * (double)osize * (double)dtype_size(p->out->hdr.type);
	const double one = (double)sizeof(double) * (8. + p->room) * (double)(size > osize ? size : osize);
	long per = (size < SLAB) ? SLAB / size : 1;

	if (!device_worth(bytes, p->operations * (double)p->in->count))
		return 0;

	while (1 < per && (double)(per + 2 * p->reach) * one > (double)device_left())
		per /= 2;

	if ((double)(per + 2 * p->reach) * one <= (double)device_left())
		return (per < total) ? per : total;

	warn("not on the GPU: the views that are needed at a time do not fit into its memory");

	return 0;
}

static long pass_there(const struct view_pass *p, long per, long size, long osize, long total)
{
	struct passing g = {p, per, size, osize, total, NULL, NULL, 0};

	g.in = device_alloc((size_t)mul_checked(per + 2 * p->reach, size, p->in->name) * sizeof *g.in);
	g.out = device_alloc((size_t)mul_checked(per, osize, p->in->name) * sizeof *g.out);
	device_run_pipeline(&(const struct device_pipeline){
	        .slabs = (total + per - 1) / per, .describe = describe, .compute = compute, .ctx = &g});
	device_free(g.in);
	device_free(g.out);

	return g.lost;
}

void views_pass(const struct view_pass *p)
{
	const long size = p->in->hdr.dims[0] * p->in->hdr.dims[1], total = p->in->count / size;
	const long osize = p->out ? p->out->hdr.dims[0] * p->out->hdr.dims[1] : 0;
	const bool can_go = NULL != p->there && (0 == p->reach || cfl_is_mapped(p->in));
	const long per = can_go ? goes_there(p, size, osize, total) : 0;

	progress_start(p->what, total);

	const long lost =
	        (0 < per) ? pass_there(p, per, size, osize, total) : pass_here(p, size, osize, total);

	progress_end();
	report_lost(p->out, lost);
}

/** Rows that are gathered at a time: a quarter of a GiB, and at least one for each thread. */
static long rows_at_once(const struct cfl *in)
{
	const long one = in->hdr.dims[0] * in->hdr.dims[2], rows = in->hdr.dims[1];
	long per = (1L << 25) / one;

	per = (per < tool_threads()) ? tool_threads() : per;

	return (per < rows) ? per : rows;
}

long sinograms_pass_memory(const struct cfl *in)
{
	return rows_at_once(in) * in->hdr.dims[0] * in->hdr.dims[2] * (long)sizeof(double);
}

/** Between rows [row, row + n) of a stack of views of a file and x(u, view, row). */
static void gather(const struct cfl *f, const char *from, long stack, long row, long n, double *x)
{
	const long *d = f->hdr.dims, step = (long)dtype_size(f->hdr.type);
	const int threads = threads_for(2. * (double)(n * d[0] * d[2]));
	long bad = f->count;

#pragma omp parallel for schedule(static) reduction(min : bad) num_threads(threads)
	for (long k = 0; k < d[2]; k++)
		for (long b = 0; b < n; b++) {
			long at = d[0] * (row + b + d[1] * (k + d[2] * stack));
			long i = take(x + d[0] * (k + d[2] * b), f->hdr.type, from + at * step, d[0]);

			if (i < d[0] && at + i < bad)
				bad = at + i;
		}

	if (bad < f->count)
		refuse(f, bad, d[0] * d[1]);
}

/** The other way round; returns how many values the file cannot hold. */
static long scatter(const struct cfl *f, char *to, long stack, long row, long n, const double *x)
{
	const long *d = f->hdr.dims, step = (long)dtype_size(f->hdr.type);
	const int threads = threads_for(2. * (double)(n * d[0] * d[2]));
	long lost = 0;

#pragma omp parallel for schedule(static) reduction(+ : lost) num_threads(threads)
	for (long k = 0; k < d[2]; k++)
		for (long b = 0; b < n; b++)
			lost += convert(f->hdr.type, to + d[0] * (row + b + d[1] * (k + d[2] * stack)) * step,
			        DT_FLOAT64, x + d[0] * (k + d[2] * b), d[0], NARROW_SATURATE);

	return lost;
}

void sinograms_pass(const struct sinogram_pass *p)
{
	const long *d = p->in->hdr.dims, stacks = p->in->count / (d[0] * d[1] * d[2]);
	const long per = rows_at_once(p->in), size = d[0] * d[2];
	double *x = mem_alloc((size_t)mul_checked(per, size, p->in->name) * sizeof *x);
	const char *from = cfl_map(p->in);
	char *to = cfl_map_out(p->out);
	long lost = 0;

	progress_start(p->what, stacks * d[1]);

	for (long s = 0; s < stacks; s++)
		for (long row = 0, n; row < d[1]; row += n) {
			n = (d[1] - row < per) ? d[1] - row : per;
			gather(p->in, from, s, row, n, x);

#pragma omp parallel for schedule(dynamic)
			for (long b = 0; b < n; b++) {
				p->fn(p->ctx, d[0], d[2], x + b * size);
				progress_add(1);
			}

			lost += scatter(p->out, to, s, row, n, x);
		}

	progress_end();
	report_lost(p->out, lost);
	free(x);
}
