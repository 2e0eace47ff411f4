/* One pass over files and streams. Threads take blocks of SLAB_BLOCK elements; if an array is a stream, all
 * threads work on the same window, the part of the stream that is buffered. The result of a block depends
 * only on its elements, so it is bit-identical for any threads and windows. Blocks of files are read and
 * written with cfl_block() and cfl_put() and stay in the cache in between. This was measured to be faster
 * than mappings, whose pages are faulted in, zeroed when new, and unmapped. */

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/device/profile.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"
#include "num/shape/slabs.h"

/** [bytes] of a window in the widest array: what a stream hands out without a copy (misc/file/ring.h), and
 * stays in the cache until the next command reads it. */
static const long window_bytes = 1L << 20;

/** An input: in step with the output, or repeated along dims of length 1. */
struct source {
	struct cfl *file;
	enum dtype want;
	bool repeat;
	bool mapped;       // any block of it can be had at any time
	const char *there; // all of it, if it is on the device
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
	char *there; // all of it, if it is to be on the device
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

	error("%s is %s and %s is %s: expected equal dimensions (size 1 in the first array is repeated)",
	        f->name, hdr_shape(&f->hdr), other->name, hdr_shape(&shape));
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

	if (ranks_shared() && !cfl_is_mapped(f)) // in other order: put into ours, so that any part can be had
		cfl_map(f);

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

/** Elements of a window: all, or whole blocks, at most window_bytes in the widest file. */
static long window_size(const struct pass *p, long count)
{
	long widest = 1;

	if (!is_sequential(p))
		return count;

	for (int k = 0; k < p->s->nout; k++)
		widest = max_long(widest, (long)dtype_size(p->out[k].file->hdr.type));

	for (int k = 0; k < p->s->nin; k++)
		widest = max_long(widest, (long)dtype_size(p->in[k].file->hdr.type));

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

#pragma omp parallel for schedule(dynamic) reduction(+ : lost[:SLAB_OUTPUTS]) num_threads(threads_for(2. * (double)n))
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

/* ---- on the GPU: windows: uploads, computation and downloads overlap ---- */

enum { DEVICE_WINDOW = 1 << 22 };

struct flow {
	struct pass *p;
	long count, window;      // elements
	void *in[SLAB_INPUTS];   // room for a window in the type that is wanted; NULL: that of the file
	void *out[SLAB_OUTPUTS]; // likewise
	long *lost;
};

/** Bytes of a repeated input in the output's order, in the type that is wanted. */
static void gather_bytes(void *file, long at, long n, void *buffer)
{
	const struct source *s = file;
	const long size = (long)dtype_size(s->want);

	source_gather(s, at / size, n / size, buffer);
}

static struct device_part source_part(struct source *s, long first, long n)
{
	const long size = (long)dtype_size(s->want);

	if (NULL != s->there)
		return (struct device_part){.host = NULL};

	if (s->repeat)
		return (struct device_part){.width = (size_t)(n * size),
		        .rows = 1,
		        .move = gather_bytes,
		        .file = s,
		        .at = first * size};

	return device_part_in(s->file, first, n);
}

static long window_at(const struct flow *w, long k, long *first)
{
	*first = k * w->window;

	return (w->count - *first < w->window) ? w->count - *first : w->window;
}

static void describe_window(void *ctx, long k, struct device_slab *d)
{
	const struct flow *w = ctx;
	struct pass *p = w->p;
	long first, n = window_at(w, k, &first);

	*d = (struct device_slab){.inputs = p->s->nin, .outputs = p->s->nout};

	for (int i = 0; i < d->inputs; i++)
		d->in[i] = source_part(&p->in[i], first, n);

	for (int i = 0; i < d->outputs; i++)
		if (NULL == p->out[i].there)
			d->out[i] = device_part_out(p->out[i].file, first, n);
}

static void compute_window(void *ctx, long k, void *const in[], void *const out[])
{
	const struct flow *w = ctx;
	const struct pass *p = w->p;
	const void *from[SLAB_INPUTS];
	void *raw[SLAB_OUTPUTS], *to[SLAB_OUTPUTS];
	long first, n = window_at(w, k, &first);

	for (int i = 0; i < p->s->nin; i++) {
		const struct source *s = &p->in[i];
		const enum dtype t = s->file->hdr.type;

		from[i] = (NULL != s->there) ? s->there + first * (long)dtype_size(t) : in[i];

		if (NULL == w->in[i])
			continue;

		device_convert(s->want, w->in[i], t, from[i], n, false);
		from[i] = w->in[i];
	}

	for (int i = 0; i < p->s->nout; i++) {
		const struct sink *o = &p->out[i];

		raw[i] = (NULL != o->there) ? o->there + first * (long)dtype_size(o->file->hdr.type) : out[i];
		to[i] = (NULL != w->out[i]) ? w->out[i] : raw[i];
	}

	p->s->device_fn(p->s->ctx, first, n, to, from);

	for (int i = 0; i < p->s->nout; i++)
		if (to[i] != raw[i])
			w->lost[i] += device_convert(
			        p->out[i].file->hdr.type, raw[i], p->out[i].work, to[i], n, true);

	progress_add(n);
}

/** Elements of a window: half of the memory for three of each, and for what is converted. */
static long device_window(const struct slabs *s, long count)
{
	size_t each = 1;

	for (int k = 0; k < s->nin; k++)
		each += 4 * max_long(dtype_size(s->in[k]->hdr.type), dtype_size(s->want[k]));

	for (int k = 0; k < s->nout; k++)
		each += 4 * max_long(dtype_size(s->out[k]->hdr.type), dtype_size(s->work[k]));

	const long fit = (long)(device_left() / 2 / each) / SLAB_BLOCK * SLAB_BLOCK,
	           most = max_long(SLAB_BLOCK, (fit < DEVICE_WINDOW) ? fit : DEVICE_WINDOW);

	return (count < most) ? count : most;
}

static void run_on_device(struct pass *p, long count, long lost[])
{
	const struct slabs *s = p->s;
	struct flow w = {.p = p, .count = count, .window = device_window(s, count), .lost = lost};

	for (int k = 0; k < s->nin; k++) {
		struct source *i = &p->in[k];

		i->there = i->repeat ? NULL : place_on_device(s->in[k], false);

		if (!i->repeat && s->in[k]->hdr.type != s->want[k])
			w.in[k] = device_alloc((size_t)w.window * dtype_size(s->want[k]));
	}

	for (int k = 0; k < s->nout; k++) {
		p->out[k].there = place_on_device(s->out[k], true);

		if (s->out[k]->hdr.type != s->work[k])
			w.out[k] = device_alloc((size_t)w.window * dtype_size(s->work[k]));
	}

	progress_start(s->what, count);
	device_run_pipeline(&(const struct device_pipeline){.slabs = (count + w.window - 1) / w.window,
	        .describe = describe_window,
	        .compute = compute_window,
	        .ctx = &w});
	progress_end();

	for (int k = 0; k < s->nin; k++)
		device_free(w.in[k]);

	for (int k = 0; k < s->nout; k++)
		device_free(w.out[k]);
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

	if (NULL != s->device_fn && !ranks_shared() && device_worth((double)pass_bytes(s), 0.)) {
		run_on_device(&p, count, lost);
		report_lost(s, lost, count);
		return;
	}

	long window = window_size(&p, count);
	int threads = omp_get_max_threads();
	char **scratch = mem_calloc((size_t)threads, sizeof *scratch);

	for (int t = 0; t < threads; t++) // pages are touched where they are needed
		scratch[t] = mem_alloc((size_t)slots(s) * SCRATCH);

	const bool cut = 0 < s->nout || s->cut;
	long from = 0, to = count;

	if (cut)
		ranks_part(count, SLAB_BLOCK, &from, &to);

	progress_start(s->what, to - from);

	for (long first = from; first < to; first += window)
		run_window(&p, first, min_long(to - first, window), scratch, lost);

	progress_end();

	for (int t = 0; t < threads; t++)
		free(scratch[t]);

	free(scratch);
	ranks_sum(lost, s->nout);

	if (cut && NULL != s->parts)
		sharing_gather(&(const struct sharing){s->bytes, (count + SLAB_BLOCK - 1) / SLAB_BLOCK, 1, 1},
		        s->parts);

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

void slabs_gather(int nin, struct cfl *const in[], const enum dtype want[], slab_fn *fn, void *ctx,
        void *parts, size_t bytes, const char *what)
{
	struct single s = {.fn = fn, .ctx = ctx};

	slabs_pass(&(const struct slabs){.what = what,
	        .dims = in[0]->hdr.dims,
	        .nin = nin,
	        .in = in,
	        .want = want,
	        .fn = run_without_output,
	        .ctx = &s,
	        .cut = true,
	        .parts = parts,
	        .bytes = bytes});
}
