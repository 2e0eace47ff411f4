#include "ct/stream/view_batches.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** The state of a pass; sizes are those of a view [elements]. */
struct pass {
	const struct view_batches *p;
	enum dtype type, work; // of in[] and out
	long size, out_size;
	long stack;      // views of which batches do not cross the end
	long first, end; // views of the pass
	long per;        // views in a batch
	bool shared;     // by several ranks: the files are mapped
	bool give_back;  // pages of the files that are done with
	double *window;  // `each` with neighbours: views [base, end_of_window)
	long base, window_end;
	char *in[2], *out; // of a batch; NULL: it is where the file is mapped
	double *views;     // `each`: a view in and one out for every thread
	long bad;          // the first element of a batch that is not finite
	long lost;         // values that the output cannot hold
};

/** Elements that a batch holds at least, so that small views keep all threads busy. */
static long batch_size(long size, long views)
{
	enum { BATCH = 1 << 20 };

	return min_long(views, max_long(BATCH / size, tool_threads()));
}

/** Threads whose buffers `each` uses, where a batch has so many views. */
static long buffers(long per)
{
	return min_long(per, tool_threads());
}

long view_batches_memory(const struct cfl *in, long out_size, long reach)
{
	const long size = in->hdr.dims[0] * in->hdr.dims[1], per = batch_size(size, in->count / size);
	const long window = (0 < reach) ? per + 2 * reach : buffers(per);
	const long stream = cfl_is_mapped(in) ? 0 : per * size * (long)dtype_size(in->hdr.type);

	return stream + (long)sizeof(double) * (window * size + buffers(per) * out_size);
}

static void *room(const struct pass *s, long views, long size, enum dtype type, bool there)
{
	const size_t bytes = (size_t)mul_checked(views, size, s->p->in->name) * dtype_size(type);

	return there ? device_alloc(bytes) : mem_alloc(bytes);
}

/** Views of the batch that begins with view k. */
static long batch_at(const struct pass *s, long k)
{
	return min_long(min_long(s->per, s->end - k), s->stack - k % s->stack);
}

/** Elements of n views from view k on, in neighbouring places one after the other. */
static void for_views(const struct pass *s, long k, long n, void (*fn)(struct cfl *f, long first, long n))
{
	const struct view_choice *c = s->p->choice;

	if (!c || !c->at)
		fn(s->p->in, k * s->size, n * s->size);

	for (long i = k; c && c->at && i < k + n; i++)
		fn(s->p->in, view_place(c, i) * s->size, s->size);
}

static void read_ahead(const struct pass *s, long k)
{
	if (k < s->end && cfl_is_mapped(s->p->in))
		for_views(s, k, batch_at(s, k), cfl_will_need);
}

/** The batch [k, k + n) begins its way to the disk; of the one before, which got there meanwhile, and of
 * views that nothing needs any more the pages are given back. */
static void give_back(const struct pass *s, long k, long n)
{
	if (!s->give_back)
		return;

	const long before = max_long(s->first, k - s->per);

	for_views(s, k, n, cfl_release);

	if (!s->p->out)
		return;

	cfl_write_out(s->p->out, k * s->out_size, n * s->out_size);
	cfl_release(s->p->out, before * s->out_size, (k - before) * s->out_size);
}

/** Views [k, k + n) in their files, the next ones unless ranks share them. */
static const void *input(const struct pass *s, long k, long n)
{
	const struct cfl *f = s->p->in;

	return s->shared ? (const char *)cfl_map(s->p->in) + k * s->size * (long)dtype_size(f->hdr.type)
	                 : cfl_next(s->p->in, n * s->size);
}

static void *output(const struct pass *s, long k, long n)
{
	struct cfl *f = s->p->out;

	return s->shared ? (char *)cfl_map_out(f) + k * s->out_size * (long)dtype_size(f->hdr.type)
	                 : cfl_slab(f, n * s->out_size);
}

/* ---- view by view ---- */

/** A view as float64 for `each`; false where it is not finite. */
static bool take_view(struct pass *s, double *x, const char *in, long at)
{
	const enum dtype type = s->p->in->hdr.type;
	void *const to[2] = {x, NULL};

	if (s->p->any_value) {
		convert(DT_FLOAT64, x, type, in, s->size, NARROW_SATURATE);
		return true;
	}

	const long bad = view_convert(DT_FLOAT64, to, type, in, s->size);

	if (bad < s->size)
#pragma omp critical
		s->bad = min_long(s->bad, at + bad);

	return bad == s->size;
}

static void expect_good(struct pass *s, long first)
{
	if (s->bad < LONG_MAX)
		view_refuse(s->p->in, s->size, first, s->bad);
}

/** The window moves on to the neighbours of views [k, k + n). */
static void move_window(struct pass *s, long k, long n)
{
	const long from = max_long(0, k - s->p->reach),
	           to = min_long(s->p->in->count / s->size, k + n + s->p->reach), first = s->window_end,
	           bytes = s->size * (long)dtype_size(s->p->in->hdr.type);

	memmove(s->window, s->window + (from - s->base) * s->size,
	        (size_t)((first - from) * s->size) * sizeof *s->window);
	s->base = from;
	s->window_end = to;

	const char *in = input(s, first, to - first);

#pragma omp parallel for schedule(static) num_threads(threads_for(2. * (double)((to - first) * s->size)))
	for (long i = 0; i < to - first; i++)
		take_view(s, s->window + (first + i - from) * s->size, in + i * bytes, i * s->size);

	expect_good(s, first);
}

/** View k, at `in` in the file or in the window, by the calling thread. */
static void one_view(struct pass *s, long first, long k, const char *in, char *out)
{
	const struct view_batches *p = s->p;
	const long views = p->in->hdr.dims[2], view = k % views;
	double *own = s->views + omp_get_thread_num() * ((s->window ? 0 : s->size) + s->out_size);
	struct single_view v = {.number = k,
	        .view = view,
	        .before = min_long(view, p->reach),
	        .after = min_long(views - 1 - view, p->reach),
	        .size = s->size,
	        .out = own};

	if (s->window) {
		v.in = s->window + (k - s->base) * s->size;
	} else {
		v.in = own + s->out_size;

		if (!take_view(s, own + s->out_size, in, (k - first) * s->size))
			return;
	}

	p->each(p->ctx, &v);

	if (!out)
		return;

	const long lost = convert(p->out->hdr.type, out, DT_FLOAT64, v.out, s->out_size, NARROW_SATURATE);

#pragma omp atomic
	s->lost += lost;
}

static void each_of(struct pass *s, long k, long n)
{
	const struct view_batches *p = s->p;
	const long in_bytes = s->size * (long)dtype_size(p->in->hdr.type),
	           out_bytes = p->out ? s->out_size * (long)dtype_size(p->out->hdr.type) : 0;
	const char *in = NULL;

	if (s->window)
		move_window(s, k, n);
	else
		in = input(s, k, n);

	char *out = p->out ? output(s, k, n) : NULL;

#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < n; i++)
		one_view(s, k, k + i, in ? in + i * in_bytes : NULL, out ? out + i * out_bytes : NULL);

	expect_good(s, k);
}

/* ---- batch by batch ---- */

/** n elements between a file and an array in memory, converted: how many values do not fit. */
static long convert_all(enum dtype to, void *out, enum dtype from, const void *in, long n)
{
	enum { BLOCK = 1 << 14 };
	long lost = 0;

#pragma omp parallel for schedule(static) reduction(+ : lost) num_threads(threads_for(0.25 * (double)n))
	for (long at = 0; at < n; at += BLOCK)
		lost += convert(to, (char *)out + at * (long)dtype_size(to), from,
		        (const char *)in + at * (long)dtype_size(from), min_long(n - at, BLOCK),
		        NARROW_SATURATE);

	return lost;
}

/** Where the views of a batch are: in the file, or in memory of ours. */
static void read_batch(struct pass *s, long k, long n, const void *in[2])
{
	const struct view_batches *p = s->p;
	void *const to[2] = {s->in[0], s->in[1]};

	in[0] = s->in[0];
	in[1] = s->in[1];

	if (p->any_value) {
		convert_all(s->type, s->in[0], p->in->hdr.type, input(s, k, n), n * s->size);
	} else if (s->in[0] && s->shared) {
		view_read_at(p->in, s->type, s->size, k, 0, n * s->size, to);
	} else if (s->in[0]) {
		view_read(p->in, p->choice, s->type, s->size, k, n, to);
	} else {
		in[0] = input(s, k, n);
		view_expect_finite(p->in, s->size, k, n * s->size, in[0]);
	}
}

static void batch_of(struct pass *s, long k, long n)
{
	const struct view_batches *p = s->p;
	struct view_batch b = {.first = k, .n = n, .base = k};

	read_batch(s, k, n, b.in);

	char *out = p->out ? output(s, k, n) : NULL;

	b.out = p->changes ? (void *)b.in[0] : s->out ? s->out : out;
	p->fn(p->ctx, &b);

	if (out && b.out != out)
		s->lost += convert_all(p->out->hdr.type, out, s->work, b.out, n * s->out_size);
}

static bool reads_in_place(const struct pass *s)
{
	const struct view_batches *p = s->p;

	return p->in->hdr.type == s->type && !p->changes && !p->any_value && !p->load &&
	       !(p->choice && p->choice->at);
}

static void allocate(struct pass *s)
{
	const struct view_batches *p = s->p;

	if (p->each && 0 < p->reach)
		s->window = room(s, s->per + 2 * p->reach, s->size, DT_FLOAT64, false);

	if (p->each)
		s->views = room(
		        s, omp_get_max_threads(), (s->window ? 0 : s->size) + s->out_size, DT_FLOAT64, false);

	for (int k = 0; k < (dtype_is_complex(p->in->hdr.type) ? 2 : 1) && p->fn && !reads_in_place(s); k++)
		s->in[k] = room(s, s->per, s->size, s->type, p->load);

	if (p->fn && p->out && !p->changes && s->work != p->out->hdr.type)
		s->out = room(s, s->per, s->out_size, s->work, false);
}

static void pass_here(struct pass *s)
{
	const struct view_batches *p = s->p;

	allocate(s);

	if (s->shared)
		s->base = s->window_end = max_long(0, s->first - p->reach);

	for (long k = s->first, n; k < s->end; k += n) {
		n = batch_at(s, k);
		read_ahead(s, k + n);
		(p->each ? each_of : batch_of)(s, k, n);

		if (s->shared)
			cfl_write_own(p->out, k * s->out_size, n * s->out_size);

		give_back(s, k, n);
		progress_add(n);
	}

	free(s->window);
	free(s->views);
	free(s->out);

	for (int k = 0; k < 2; k++)
		p->load ? device_free(s->in[k]) : free(s->in[k]);
}

/* ---- on a device ---- */

static long first_of(const struct pass *s, long k)
{
	return max_long(0, k * s->per - s->p->reach);
}

static long end_of(const struct pass *s, long k)
{
	return min_long(s->end, (k + 1) * s->per + s->p->reach);
}

static void describe(void *ctx, long k, struct device_slab *d)
{
	const struct pass *s = ctx;
	const long first = first_of(s, k);

	*d = (struct device_slab){.inputs = 1,
	        .outputs = 1,
	        .in = {device_part_in(s->p->in, first * s->size, (end_of(s, k) - first) * s->size)},
	        .out = {device_part_out(
	                s->p->out, k * s->per * s->out_size, batch_at(s, k * s->per) * s->out_size)}};
}

/** The first element that is not finite is found on the host. */
static void expect_finite_there(const struct pass *s, long first, long n)
{
	if (0 == vec_count_nonfinite(DT_FLOAT64, n, s->in[0]))
		return;

	double *x = place_take((double *)s->in[0], (size_t)n * sizeof *x);

	for (long i = 0; i < n; i++)
		if (!isfinite(x[i]))
			view_refuse(s->p->in, s->size, first, i);
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	struct pass *s = ctx;
	const struct view_batches *p = s->p;
	const long base = first_of(s, k), views = batch_at(s, k * s->per),
	           n = (end_of(s, k) - base) * s->size;

	device_convert(DT_FLOAT64, s->in[0], p->in->hdr.type, in[0], n, false);

	if (!p->any_value)
		expect_finite_there(s, base, n);

	p->there(p->ctx,
	        &(const struct view_batch){
	                .first = k * s->per, .n = views, .base = base, .in = {s->in[0]}, .out = s->out});
	s->lost += device_convert(p->out->hdr.type, out[0], DT_FLOAT64, s->out, views * s->out_size, true);
	progress_add(views);
}

/** Whether a pass goes to the GPU, and how many views at a time; 0: not. A stream is read once. */
static long goes_there(const struct pass *s)
{
	enum { SLAB = 1 << 22 };
	const struct view_batches *p = s->p;

	if (NULL == p->there || (0 < p->reach && !cfl_is_mapped(p->in)))
		return 0;

	const double bytes = (double)p->in->count * (double)dtype_size(p->in->hdr.type) +
	                     (double)s->end * (double)s->out_size * (double)dtype_size(p->out->hdr.type);
	const double one = (double)sizeof(double) * (8. + p->room) * (double)max_long(s->size, s->out_size);
	long per = max_long(1, SLAB / s->size);

	if (!device_worth(bytes, p->operations * (double)p->in->count))
		return 0;

	while (1 < per && (double)(per + 2 * p->reach) * one > (double)device_left())
		per /= 2;

	if ((double)(per + 2 * p->reach) * one <= (double)device_left())
		return min_long(per, s->end);

	warn("running on the CPU: the views that are needed together do not fit into GPU memory");

	return 0;
}

static void pass_there(struct pass *s)
{
	s->in[0] = room(s, s->per + 2 * s->p->reach, s->size, DT_FLOAT64, true);
	s->out = s->p->changes ? s->in[0] : room(s, s->per, s->out_size, DT_FLOAT64, true);
	device_run_pipeline(&(const struct device_pipeline){
	        .slabs = (s->end + s->per - 1) / s->per, .describe = describe, .compute = compute, .ctx = s});
	device_free(s->in[0]);

	if (!s->p->changes)
		device_free(s->out);
}

static struct pass view_batches_begin(const struct view_batches *p)
{
	const long *d = p->in->hdr.dims, size = d[0] * d[1], views = p->in->count / size;
	const struct view_choice *c = p->choice;
	struct pass s = {.p = p,
	        .type = p->each ? DT_FLOAT64 : p->type,
	        .work = p->each ? DT_FLOAT64 : p->work,
	        .size = size,
	        .out_size = p->out ? p->out->hdr.dims[0] * p->out->hdr.dims[1] : 0,
	        .stack = c ? c->n : views,
	        .first = p->first,
	        .bad = LONG_MAX};
	double bytes = (double)p->in->count * (double)dtype_size(p->in->hdr.type);

	if (p->out)
		bytes += (double)p->out->count * (double)dtype_size(p->out->hdr.type);

	s.end = (0 < p->count) ? p->first + p->count : c ? views / c->views * c->n : views;
	s.shared = ranks_shared() && p->out && 0 == p->count && !(c && c->at);

	if (s.shared) {
		ranks_part(views, 1, &s.first, &s.end);
		cfl_in_parts(p->out);
	}

	s.per = (0 < p->per) ? p->per : batch_size(size, max_long(1, s.end - s.first));
	s.give_back = bytes > (double)tool_memory();

	return s;
}

void view_batches_run(const struct view_batches *p)
{
	struct pass s = view_batches_begin(p);
	const long there = goes_there(&s);

	if (p->what)
		progress_start(p->what, s.end - s.first);

	if (0 < there) {
		s.per = there;
		pass_there(&s);
	} else {
		pass_here(&s);
	}

	if (p->what)
		progress_end();

	if (s.shared)
		ranks_sum(&s.lost, 1);

	view_report_clipped(p->out, s.lost);
}
