/* One pass over files and streams. Threads take blocks of SLAB_BLOCK elements; where a stream is among the
 * arrays they advance together, window by window: what the streams buffer. A block's result depends on
 * nothing but its own elements, so neither threads nor windows change a byte. Blocks of files are read and
 * written with cfl_block() and cfl_put() and stay in the cache between: measured to be faster than mappings,
 * whose pages are faulted in, zeroed when new, and unmapped. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/convert.h"
#include "num/multind.h"
#include "num/slabs.h"

/** [bytes] of a window in the widest array: what a stream buffers. */
static const long window_bytes = 16L << 20;

/** An input: in step with the output, or repeated along dims of length 1. */
struct source {
	struct cfl *file;
	enum dtype want;
	bool repeat;
	bool mapped;      // any block of it can be had at any time
	const char *data; // else: of the window, or whole when repeated
	int D;            // of a repeated input: merged dims of the output, steps in the input [elements]
	long dims[DIMS];
	long strs[DIMS];
};

struct pass {
	struct cfl *out;
	char *out_data; // of the window
	enum dtype work;
	int nin;
	struct source in[SLAB_INPUTS];
	slab_fn *fn;
	void *ctx;
};

static void source_open(struct source *s, struct cfl *f, enum dtype want, const struct cfl *shape)
{
	s->file = f;
	s->want = want;
	s->repeat = false;

	for (int i = 0; i < DIMS; i++) {
		if (f->hdr.dims[i] == shape->hdr.dims[i])
			continue;

		if (1 != f->hdr.dims[i])
			error("%s is %s and %s is %s: expected equal dimensions, or 1 where the first is "
			      "repeated",
			        f->name, hdr_shape(&f->hdr), shape->name, hdr_shape(&shape->hdr));

		s->repeat = true;
	}

	s->mapped = !s->repeat && cfl_is_mapped(f);

	if (!s->repeat)
		return;

	long strs[2][DIMS];

	md_copy_dims(DIMS, s->dims, shape->hdr.dims);
	md_calc_strides(DIMS, strs[0], shape->hdr.dims, 1);
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
enum { SCRATCH = 16 * SLAB_BLOCK + 1088, SLOTS = SLAB_INPUTS + 3 };

/** One block by one thread; scratch has SLOTS blocks of 16-byte elements: one per input, two for
 * the output, one for raw data. Returns how many results the output's type could not hold. */
static long run_block(const struct pass *p, long window, long first, long n, char *scratch)
{
	const void *in[SLAB_INPUTS];
	char *raw = scratch + (SLAB_INPUTS + 2) * (long)SCRATCH;

	for (int k = 0; k < p->nin; k++)
		in[k] = source_block(&p->in[k], window, first, n, scratch + k * (long)SCRATCH, raw);

	if (NULL == p->out) {
		p->fn(p->ctx, first, n, NULL, in);
		return 0;
	}

	enum dtype t = p->out->hdr.type;
	char *out = scratch + SLAB_INPUTS * (long)SCRATCH;
	char *work = (t == p->work) ? out : out + SCRATCH;
	long lost = 0;

	if (NULL != p->out_data) {
		out = p->out_data + (first - window) * (long)dtype_size(t);
		work = (t == p->work) ? out : work;
	}

	p->fn(p->ctx, first, n, work, in);

	if (work != out)
		lost = convert(t, out, p->work, work, n, NARROW_SATURATE);

	if (NULL == p->out_data)
		cfl_put(p->out, first, n, out);

	return lost;
}

/** Whether some array passes only in order, so that the work goes window by window. */
static bool is_sequential(const struct pass *p)
{
	bool sequential = NULL != p->out && !cfl_takes_put(p->out);

	for (int k = 0; k < p->nin; k++)
		sequential = sequential || (!p->in[k].repeat && !p->in[k].mapped);

	return sequential;
}

/** Elements of a window: all, or whole blocks, at most window_bytes in the widest file. */
static long window_size(const struct pass *p, long count)
{
	size_t widest = (NULL != p->out) ? dtype_size(p->out->hdr.type) : 1;

	if (!is_sequential(p))
		return count;

	for (int k = 0; k < p->nin; k++)
		if (dtype_size(p->in[k].file->hdr.type) > widest)
			widest = dtype_size(p->in[k].file->hdr.type);

	return window_bytes / (long)widest / SLAB_BLOCK * SLAB_BLOCK;
}

static long run_window(struct pass *p, long first, long n, char *scratch)
{
	long lost = 0;

	for (int k = 0; k < p->nin; k++)
		if (!p->in[k].repeat && !p->in[k].mapped)
			p->in[k].data = cfl_next(p->in[k].file, n);

	if (NULL != p->out && !cfl_takes_put(p->out))
		p->out_data = cfl_slab(p->out, n);

#pragma omp parallel for schedule(dynamic) reduction(+ : lost)
	for (long b = 0; b < n; b += SLAB_BLOCK) {
		long m = (n - b < SLAB_BLOCK) ? n - b : SLAB_BLOCK;

		lost += run_block(
		        p, first, first + b, m, scratch + omp_get_thread_num() * SLOTS * (long)SCRATCH);
		progress_add(m);
	}

	return lost;
}

void slabs_run(struct cfl *out, enum dtype work, int nin, struct cfl *const in[], const enum dtype want[],
        slab_fn *fn, void *ctx, const char *what)
{
	struct pass p = {.out = out, .work = work, .nin = nin, .fn = fn, .ctx = ctx};
	const struct cfl *shape = (NULL != out) ? out : in[0];
	long lost = 0;

	for (int k = 0; k < nin; k++)
		source_open(&p.in[k], in[k], want[k], shape);

	long window = window_size(&p, shape->count);
	char *scratch =
	        mem_alloc((size_t)omp_get_max_threads() * SLOTS * SCRATCH); // touched where it is needed

	progress_start(what, shape->count);

	for (long first = 0; first < shape->count; first += window) {
		long n = (shape->count - first < window) ? shape->count - first : window;

		lost += run_window(&p, first, n, scratch);
	}

	progress_end();
	free(scratch);

	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, shape->count,
		        dtype_name(out->hdr.type), out->name);
}
