/* One pass over files and streams. Threads take blocks of SLAB_BLOCK elements; where a stream is among the
 * arrays they advance together, window by window: what the streams buffer. A block's result depends on
 * nothing but its own elements, so neither threads nor windows change a byte. Blocks of files are read and
 * written with cfl_block() and cfl_put() and stay in the cache between: measured to be faster than mappings,
 * whose pages are faulted in, zeroed when new, and unmapped. */

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/convert.h"
#include "num/device.h"
#include "num/device_load.h"
#include "num/multind.h"
#include "num/place.h"
#include "num/profile.h"
#include "num/slabs.h"

/** [bytes] of a window in the widest array: what a stream buffers. */
static const long window_bytes = 16L << 20;

/** An input: in step with the output, or repeated along dims of length 1. */
struct source {
	struct cfl *file;
	enum dtype want;
	bool repeat;
	bool mapped;       // any block of it can be had at any time
	const char *there; // all of it, where it lies on the device
	const char *data;  // else: of the window, or whole when repeated
	int D;             // of a repeated input: merged dims of the output, steps in the input [elements]
	long dims[DIMS];
	long strs[DIMS];
};

/** An output. */
struct sink {
	struct cfl *file;
	enum dtype work;
	char *data;  // of the window; NULL when blocks are put
	char *there; // all of it, where it is to lie on the device
};

struct pass {
	const struct slabs *s;
	struct source in[SLAB_INPUTS];
	struct sink out[SLAB_OUTPUTS];
};

/** error() that names both arrays of different shapes. */
static _Noreturn void refuse(const struct cfl *f, const struct slabs *p)
{
	struct hdr shape;

	hdr_init(&shape);
	md_copy_dims(DIMS, shape.dims, p->dims);

	const struct cfl *other = (0 < p->nout) ? p->out[0] : p->in[0];

	error("%s is %s and %s is %s: expected equal dimensions, or 1 where the first is repeated", f->name,
	        hdr_shape(&f->hdr), other->name, hdr_shape(&shape));
}

static void source_open(struct source *s, struct cfl *f, enum dtype want, const struct slabs *p)
{
	s->file = f;
	s->want = want;
	s->repeat = false;
	s->there = NULL;

	for (int i = 0; i < DIMS; i++) {
		if (f->hdr.dims[i] == p->dims[i])
			continue;

		if (1 != f->hdr.dims[i])
			refuse(f, p);

		s->repeat = true;
	}

	s->mapped = !s->repeat && cfl_is_mapped(f);

	if (!s->repeat)
		return;

	long strs[2][DIMS];

	md_copy_dims(DIMS, s->dims, p->dims);
	md_calc_strides(DIMS, strs[0], p->dims, 1);
	md_calc_strides(DIMS, strs[1], f->hdr.dims, 1);
	s->D = md_simplify(2, DIMS, s->dims, strs);
	md_copy_dims(s->D, s->strs, strs[1]);

	if (0 == s->D) {
		s->D = 1;
		s->dims[0] = 1;
		s->strs[0] = 0;
	}

	s->data = cfl_map(f);
}

/** Elements [first, first + n) of the output's order, gathered from a repeated input and converted. */
static void source_gather(const struct source *s, long first, long n, char *buf)
{
	enum dtype st = s->file->hdr.type;
	size_t ssize = dtype_size(st), dsize = dtype_size(s->want);
	long pos[DIMS] = {0};
	long at = 0;

	for (int i = 0; i < s->D; i++) {
		pos[i] = first % s->dims[i];
		first /= s->dims[i];
		at += pos[i] * s->strs[i];
	}

	while (n > 0) {
		long run = s->dims[0] - pos[0];

		if (run > n)
			run = n;

		if (1 == s->strs[0]) {
			convert(s->want, buf, st, s->data + at * (long)ssize, run, NARROW_SATURATE);
		} else {
			char value[16];

			convert(s->want, value, st, s->data + at * (long)ssize, 1, NARROW_SATURATE);

			for (long i = 0; i < run; i++)
				memcpy(buf + i * (long)dsize, value, dsize);
		}

		buf += run * (long)dsize;
		n -= run;
		at -= pos[0] * s->strs[0];
		pos[0] = 0;

		for (int i = 1; i < s->D; i++) {
			at += s->strs[i];

			if (++pos[i] < s->dims[i])
				break;

			at -= pos[i] * s->strs[i];
			pos[i] = 0;
		}
	}
}

/** The block's elements of an input in the wanted type, in buf or in the file's mapping or window; raw is for
 * those of another type. */
static const void *source_block(const struct source *s, long window, long first, long n, char *buf, char *raw)
{
	enum dtype st = s->file->hdr.type;
	const void *p;

	if (s->repeat) {
		source_gather(s, first, n, buf);
		return buf;
	}

	if (s->mapped)
		p = cfl_block(s->file, first, n, (st == s->want) ? buf : raw);
	else
		p = s->data + (first - window) * (long)dtype_size(st);

	if (st == s->want)
		return p;

	convert(s->want, buf, st, p, n, NARROW_SATURATE);

	return buf;
}

/** Bytes between the scratch blocks of one thread: not a multiple of a page, so that blocks of different
 * arrays do not fall into the same lines of a cache. */
enum { SCRATCH = 16 * SLAB_BLOCK + 1088 };

/** Scratch blocks of a thread, of 16-byte elements: one per input, two per output, one for raw data. */
static long slots(const struct slabs *s)
{
	return s->nin + 2 * s->nout + 1;
}

/** One block by one thread. Returns how many results the outputs' types could not hold. */
static void run_block(const struct pass *p, long window, long first, long n, char *scratch, long lost[])
{
	const struct slabs *s = p->s;
	const void *in[SLAB_INPUTS];
	void *work[SLAB_OUTPUTS];
	char *done[SLAB_OUTPUTS];
	char *raw = scratch + (slots(s) - 1) * SCRATCH;

	for (int k = 0; k < s->nin; k++)
		in[k] = source_block(&p->in[k], window, first, n, scratch + k * (long)SCRATCH, raw);

	for (int k = 0; k < s->nout; k++) {
		const struct sink *o = &p->out[k];
		enum dtype t = o->file->hdr.type;
		char *own = scratch + (s->nin + 2 * k) * (long)SCRATCH;

		done[k] = (NULL != o->data) ? o->data + (first - window) * (long)dtype_size(t) : own;
		work[k] = (t == o->work) ? done[k] : own + SCRATCH;
	}

	s->fn(s->ctx, first, n, work, in);

	for (int k = 0; k < s->nout; k++) {
		const struct sink *o = &p->out[k];

		if (work[k] != done[k])
			lost[k] += convert(o->file->hdr.type, done[k], o->work, work[k], n, NARROW_SATURATE);

		if (NULL == o->data)
			cfl_put(o->file, first, n, done[k]);
	}
}

/** Whether some array passes only in order, so that the work goes window by window. */
static bool is_sequential(const struct pass *p)
{
	bool sequential = false;

	for (int k = 0; k < p->s->nout; k++)
		sequential = sequential || !cfl_takes_put(p->out[k].file);

	for (int k = 0; k < p->s->nin; k++)
		sequential = sequential || (!p->in[k].repeat && !p->in[k].mapped);

	return sequential;
}

static long larger(long a, long b)
{
	return (a > b) ? a : b;
}

/** Elements of a window: all, or whole blocks, at most window_bytes in the widest file. */
static long window_size(const struct pass *p, long count)
{
	long widest = 1;

	if (!is_sequential(p))
		return count;

	for (int k = 0; k < p->s->nout; k++)
		widest = larger(widest, (long)dtype_size(p->out[k].file->hdr.type));

	for (int k = 0; k < p->s->nin; k++)
		widest = larger(widest, (long)dtype_size(p->in[k].file->hdr.type));

	return window_bytes / widest / SLAB_BLOCK * SLAB_BLOCK;
}

static void run_window(struct pass *p, long first, long n, char *const scratch[], long lost[])
{
	const struct slabs *s = p->s;

	for (int k = 0; k < s->nin; k++)
		if (!p->in[k].repeat && !p->in[k].mapped)
			p->in[k].data = cfl_next(p->in[k].file, n);

	for (int k = 0; k < s->nout; k++)
		if (!cfl_takes_put(p->out[k].file))
			p->out[k].data = cfl_slab(p->out[k].file, n);

#pragma omp parallel for schedule(dynamic) reduction(+ : lost[:SLAB_OUTPUTS])
	for (long b = 0; b < n; b += SLAB_BLOCK) {
		long m = (n - b < SLAB_BLOCK) ? n - b : SLAB_BLOCK;

		run_block(p, first, first + b, m, scratch[omp_get_thread_num()], lost);
		progress_add(m);
	}
}

static void report_lost(const struct slabs *s, const long lost[], long count)
{
	for (int k = 0; k < s->nout; k++)
		if (0 < lost[k])
			warn("%ld of %ld values do not fit into %s: clipped in %s", lost[k], count,
			        dtype_name(s->out[k]->hdr.type), s->out[k]->name);
}

/** Bytes of all arrays of a pass. */
static long pass_bytes(const struct slabs *s)
{
	long bytes = 0;

	for (int k = 0; k < s->nin; k++)
		bytes += s->in[k]->count * (long)dtype_size(s->in[k]->hdr.type);

	for (int k = 0; k < s->nout; k++)
		bytes += s->out[k]->count * (long)dtype_size(s->out[k]->hdr.type);

	return bytes;
}

/* ---- on the GPU: windows, one after the other ---- */

enum { DEVICE_WINDOW = 1 << 21 };

/** Room for one array's window on the device, as it is in the file and as it is computed with; the same
 * memory where these are one. */
struct room {
	void *raw, *work;
};

static struct room room_of(enum dtype file, enum dtype work, long n)
{
	struct room r = {.work = device_alloc((size_t)n * dtype_size(work))};

	r.raw = (file == work) ? r.work : device_alloc((size_t)n * dtype_size(file));

	return r;
}

static void room_free(struct room r)
{
	device_free(r.work);

	if (r.raw != r.work)
		device_free(r.raw);
}

/** Elements [first, first + n) on the device, in the wanted type. */
static const void *source_load(const struct source *s, long first, long n, struct room r, char *host)
{
	const enum dtype t = s->file->hdr.type;
	const void *raw = r.raw;

	if (s->repeat) {
		source_gather(s, first, n, host);
		device_copy(r.work, host, (size_t)n * dtype_size(s->want));

		return r.work;
	}

	if (NULL != s->there)
		raw = s->there + first * (long)dtype_size(t);
	else
		device_copy(r.raw, s->mapped ? cfl_block(s->file, first, n, host) : cfl_next(s->file, n),
		        (size_t)n * dtype_size(t));

	if (t == s->want)
		return raw;

	device_convert(s->want, r.work, t, raw, n, false);

	return r.work;
}

/** Where the results of elements from `first` on are computed. */
static void *sink_room(const struct sink *o, long first, struct room r)
{
	const enum dtype t = o->file->hdr.type;

	return (NULL != o->there && t == o->work) ? o->there + first * (long)dtype_size(t) : r.work;
}

/** The results to their place; returns how many values did not fit. */
static long sink_save(const struct sink *o, long first, long n, struct room r, char *host)
{
	const enum dtype t = o->file->hdr.type;
	const bool put = NULL == o->there && cfl_takes_put(o->file);
	void *raw = (NULL != o->there) ? o->there + first * (long)dtype_size(t) : r.raw;
	const long lost = (t == o->work) ? 0 : device_convert(t, raw, o->work, r.work, n, true);

	if (NULL == o->there)
		device_copy(put ? host : cfl_slab(o->file, n), r.raw, (size_t)n * dtype_size(t));

	if (put)
		cfl_put(o->file, first, n, host);

	return lost;
}

static void run_on_device(struct pass *p, long count, long lost[])
{
	const struct slabs *s = p->s;
	const long window = (count < DEVICE_WINDOW) ? count : DEVICE_WINDOW;
	struct room in[SLAB_INPUTS], out[SLAB_OUTPUTS];
	const void *from[SLAB_INPUTS];
	void *to[SLAB_OUTPUTS];
	char *host = mem_alloc((size_t)window * 16);

	for (int k = 0; k < s->nin; k++) {
		p->in[k].there = p->in[k].repeat ? NULL : place_on_device(s->in[k], false);
		in[k] = room_of(s->in[k]->hdr.type, s->want[k], window);
	}

	for (int k = 0; k < s->nout; k++) {
		p->out[k].there = place_on_device(s->out[k], true);
		out[k] = room_of(s->out[k]->hdr.type, s->work[k], window);
	}

	progress_start(s->what, count);

	for (long first = 0; first < count; first += window) {
		const long n = (count - first < window) ? count - first : window;

		for (int k = 0; k < s->nin; k++)
			from[k] = source_load(&p->in[k], first, n, in[k], host);

		for (int k = 0; k < s->nout; k++)
			to[k] = sink_room(&p->out[k], first, out[k]);

		s->device_fn(s->ctx, first, n, to, from);

		for (int k = 0; k < s->nout; k++)
			lost[k] += sink_save(&p->out[k], first, n, out[k], host);

		progress_add(n);
	}

	progress_end();

	for (int k = 0; k < s->nin; k++)
		room_free(in[k]);

	for (int k = 0; k < s->nout; k++)
		room_free(out[k]);

	free(host);
}

void slabs_pass(const struct slabs *s)
{
	static struct profile_entry entry = {.module = "slabs", .name = "pass"};
	PROFILE_SPAN(&entry, pass_bytes(s));
	struct pass p = {.s = s};
	long count = md_calc_size(DIMS, s->dims);
	long lost[SLAB_OUTPUTS] = {0};

	assert(s->nin <= SLAB_INPUTS && s->nout <= SLAB_OUTPUTS);

	for (int k = 0; k < s->nout; k++)
		p.out[k] = (struct sink){s->out[k], s->work[k], NULL, NULL};

	for (int k = 0; k < s->nin; k++)
		source_open(&p.in[k], s->in[k], s->want[k], s);

	if (NULL != s->device_fn && device_worth((double)pass_bytes(s), 0.)) {
		run_on_device(&p, count, lost);
		report_lost(s, lost, count);
		return;
	}

	long window = window_size(&p, count);
	int threads = omp_get_max_threads();
	char **scratch = mem_calloc((size_t)threads, sizeof *scratch);

	for (int t = 0; t < threads; t++) // pages are touched where they are needed
		scratch[t] = mem_alloc((size_t)slots(s) * SCRATCH);

	progress_start(s->what, count);

	for (long first = 0; first < count; first += window)
		run_window(&p, first, (count - first < window) ? count - first : window, scratch, lost);

	progress_end();

	for (int t = 0; t < threads; t++)
		free(scratch[t]);

	free(scratch);
	report_lost(s, lost, count);
}

struct single {
	slab_fn *fn, *device_fn;
	void *ctx;
};

static void run_single(void *ctx, long first, long n, void *const out[], const void *const in[])
{
	const struct single *s = ctx;

	s->fn(s->ctx, first, n, out[0], in);
}

static void run_single_on_device(void *ctx, long first, long n, void *const out[], const void *const in[])
{
	const struct single *s = ctx;

	s->device_fn(s->ctx, first, n, out[0], in);
}

static void run_without_output(void *ctx, long first, long n, void *const out[], const void *const in[])
{
	const struct single *s = ctx;

	(void)out;
	s->fn(s->ctx, first, n, NULL, in);
}

void slabs_run(struct cfl *out, enum dtype work, int nin, struct cfl *const in[], const enum dtype want[],
        slab_fn *fn, void *ctx, const char *what)
{
	slabs_run_anywhere(out, work, nin, in, want, fn, NULL, ctx, what);
}

void slabs_run_anywhere(struct cfl *out, enum dtype work, int nin, struct cfl *const in[],
        const enum dtype want[], slab_fn *fn, slab_fn *device_fn, void *ctx, const char *what)
{
	struct single s = {fn, device_fn, ctx};

	slabs_pass(&(const struct slabs){.what = what,
	        .dims = (NULL != out) ? out->hdr.dims : in[0]->hdr.dims,
	        .nout = (NULL != out) ? 1 : 0,
	        .out = &out,
	        .work = &work,
	        .nin = nin,
	        .in = in,
	        .want = want,
	        .fn = (NULL != out) ? run_single : run_without_output,
	        .device_fn = (NULL != out && NULL != device_fn) ? run_single_on_device : NULL,
	        .ctx = &s});
}
