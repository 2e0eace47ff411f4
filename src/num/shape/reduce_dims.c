/* The elements are walked in blocks: a number of whole inner dims and a piece of the next, at most BLOCK
 * elements. A block gives results of its own where it holds reduced dims; they are merged into those of the
 * array in the order of the blocks, the threads sharing the results among themselves. Blocks without reduced
 * dims are merged as they are read. For files, all blocks that share results are processed one after the
 * other, however far apart they are; a stream's blocks are processed as they arrive. In both cases a result
 * gets its elements in the same order, so that it has the same bits. Ranks process groups of results each,
 * or, where there are fewer groups than ranks, blocks whose results all of them merge. */

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "num/kern/convert.h"
#include "num/shape/reduce_dims_device.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/array/operand.h"
#include "num/kern/kern.h"
#include "num/md/block_walk.h"

enum {
	WINDOW = 64,                   // blocks that are worked on together
	SPREAD = 1 << 16,              // bytes of their results where ranks share them, at least
	SHARED = 16,                   // groups of a file's blocks that are
	STRIP = 1 << 14,               // results that a thread merges at a time
	SLOT = 16 * WALK_BLOCK + 1088, // bytes of scratch for one block: not a multiple of a page
	SLOTS = 4                      // two operands, raw data, the kernels'
};

static const long unfinished_max = 512L << 20; // [bytes] of results of a stream

struct walk {
	struct block_walk blocks;
	struct fold fold;
	int nin;
	struct operand in[2];
	bool in_order; // some operand is a stream
	bool spread;   // ranks take blocks of a group each, else groups
	long window;   // blocks that are worked on together
};

static void plan(struct walk *w, const struct reduce_dims *r, const long dims[DIMS])
{
	enum dtype types[2];

	*w = (struct walk){.nin = r->nin};
	block_walk_init(&w->blocks, dims, r->dims);

	for (int k = 0; k < r->nin; k++)
		types[k] = r->in[k]->hdr.type;

	const long terms = (0 < w->blocks.results) ? w->blocks.count / w->blocks.results : 0;

	fold_init(&w->fold, r->spec, w->blocks.block.reduced[w->blocks.axis], types, terms, r->in[0]->name);

	for (int k = 0; k < r->nin; k++) {
		operand_open(&w->in[k], r->in[k], w->fold.load, dims, r->in[r->nin - 1 - k]->name);
		w->in_order = w->in_order || operand_in_order(&w->in[k]);
	}

	const long unfinished = w->blocks.results / w->blocks.groups;

	if (w->in_order && (ranks_shared() || unfinished > unfinished_max / fold_size(&w->fold))) {
		for (int k = 0; k < r->nin; k++)
			cfl_map(r->in[k]);

		w->in_order = false;
	}

	if (!w->in_order)
		block_walk_by_result(&w->blocks);

	w->spread = ranks_shared() && !w->blocks.direct && w->blocks.groups < ranks_count();
	w->window = WINDOW;

	if (w->spread) // so that ranks seldom wait for one another
		w->window = max_long(
		        WINDOW, SPREAD / (fold_block_results(&w->blocks.block) * fold_size(&w->fold)));
}

/** Groups that are worked on together. */
static long batch_size(const struct walk *w)
{
	const long n = WINDOW / w->blocks.per_group;

	return (w->blocks.direct && !w->in_order && n < SHARED) ? SHARED : (0 < n) ? n : 1;
}

/* ---- blocks ---- */

/** Elements [from, from + n) of a block: of each operand in p[]. */
static void load(
        const struct walk *w, const struct block_place *b, long from, long n, char *scratch, const void *p[2])
{
	for (int k = 0; k < w->nin; k++)
		p[k] = operand_load(
		        &w->in[k], b->first + from, n, scratch + k * (long)SLOT, scratch + 2L * SLOT);
}

/** Results of block s alone. */
static void reduce_block(const struct walk *w, long s, void *part, char *scratch)
{
	const struct block_place b = block_walk_place(&w->blocks, s);
	const struct fold_block shape = block_walk_shape(&w->blocks, &b);
	const void *p[2];

	load(w, &b, 0, b.n, scratch, p);
	fold_start(&w->fold, b.results, part);
	fold_block(&w->fold, &shape, w->blocks.axis, part, p, scratch + 3L * SLOT);
}

/* ---- results ---- */

/** Results of a window of blocks: those that some of its blocks share. */
struct target {
	long begin, end; // the blocks are among these
	long out, results;
};

static int find_targets(const struct walk *w, long begin, long end, struct target t[])
{
	int n = 0, k = 0;

	for (long s = begin; s < end; s++) {
		const struct block_place b = block_walk_place(&w->blocks, s);

		if (k >= n || t[k].out != b.out)
			for (k = 0; k < n && t[k].out != b.out; k++)
				;

		if (k == n)
			t[n++] = (struct target){s, s, b.out, b.results};

		t[k].end = s + 1;
	}

	return n;
}

struct batch {
	char *acc; // of results from number `out` on
	long out;
	char *parts; // of the blocks of a window
	long stride; // [bytes] from one block's to the next
	char *scratch;
};

/** Merges what the blocks [begin, ..) give to the results [from, from + n) of a target. */
static void merge_strip(const struct walk *w, const struct batch *r, const struct target *t, long begin,
        long from, long n, char *scratch)
{
	const long size = fold_size(&w->fold);
	char *acc = r->acc + (t->out - r->out + from) * size;

	for (long s = t->begin; s < t->end; s++) {
		const struct block_place b = block_walk_place(&w->blocks, s);
		const void *p[2];

		if (b.out != t->out)
			continue;

		if (!w->blocks.direct) {
			fold_merge(&w->fold, n, acc, r->parts + (s - begin) * r->stride + from * size);
			continue;
		}

		load(w, &b, from, n, scratch, p);
		fold_row(&w->fold, n, acc, p, scratch + 3L * SLOT);
		progress_add(n);
	}
}

static void run_window(struct walk *w, const struct batch *r, long begin, long end)
{
	struct target *targets = mem_calloc((size_t)(end - begin), sizeof *targets);
	const int T = find_targets(w, begin, end, targets);
	const struct sharing blocks = {(size_t)r->stride, end - begin, 1, 1};
	long first_own = begin, end_own = end;
	const long strips = (fold_block_results(&w->blocks.block) + STRIP - 1) / STRIP;
	const struct block_place first = block_walk_place(&w->blocks, begin),
	                         last = block_walk_place(&w->blocks, end - 1);

	for (int k = 0; k < w->nin && w->in_order; k++)
		if (operand_in_order(&w->in[k]))
			operand_window(&w->in[k], first.first, last.first + last.n - first.first);

	if (w->spread) {
		ranks_part(end - begin, 1, &first_own, &end_own);
		first_own += begin;
		end_own += begin;
	}

#pragma omp parallel num_threads(threads_for(2. * (double)(end - begin) * (double)first.n))
	{
		char *scratch = r->scratch + omp_get_thread_num() * (long)SLOTS * SLOT;

		if (!w->blocks.direct) {
#pragma omp for schedule(dynamic)
			for (long s = first_own; s < end_own; s++) {
				reduce_block(w, s, r->parts + (s - begin) * r->stride, scratch);
				progress_add(first.n);
			}
		}

		if (w->spread) {
#pragma omp master
			sharing_gather(&blocks, r->parts);
#pragma omp barrier
		}

#pragma omp for schedule(dynamic)
		for (long i = 0; i < T * strips; i++) {
			const struct target *t = &targets[i / strips];
			const long from = i % strips * STRIP;
			const long n = (t->results - from < STRIP) ? t->results - from : STRIP;

			if (0 < n)
				merge_strip(w, r, t, begin, from, n, scratch);
		}
	}

	free(targets);
}

/** How many of n sums of integers stopped at an end of their range. */
static long count_full(const struct fold *f, long n, const void *acc)
{
	const bool sums = OP_ADD == f->merge;
	long full = 0;

	if (sums && DT_INT64 == f->value)
		for (long i = 0; i < n; i++)
			full += INT64_MAX == ((const int64_t *)acc)[i] ||
			        INT64_MIN == ((const int64_t *)acc)[i];

	if (sums && DT_UINT64 == f->value)
		for (long i = 0; i < n; i++)
			full += UINT64_MAX == ((const uint64_t *)acc)[i];

	return full;
}

/** Stores n results, from number `first` on; how many do not fit into their type. */
static long store(const struct walk *w, struct cfl *out, long first, long n, char *acc, char *scratch)
{
	const enum dtype t = out->hdr.type;
	const long size = (long)dtype_size(t);
	long lost = 0;
	char *to = cfl_takes_put(out) ? NULL : cfl_slab(out, n);

#pragma omp parallel for schedule(static) reduction(+ : lost) num_threads(threads_for(2. * (double)n))
	for (long i = 0; i < n; i += STRIP) {
		const long m = (n - i < STRIP) ? n - i : STRIP;
		char *dst =
		        (NULL != to) ? to + i * size : scratch + omp_get_thread_num() * (long)SLOTS * SLOT;

		if (8 == size) // else too large to be stored as well
			lost += count_full(&w->fold, m, acc + i * (long)dtype_size(w->fold.acc));

		lost += kern_store(t, false, dst, size, w->fold.value,
		        acc + i * (long)dtype_size(w->fold.acc), m, NARROW_SATURATE, false);

		if (NULL == to)
			cfl_put(out, first + i, m, dst);
	}

	return lost;
}

static void reduce_dims_run(struct walk *w, struct cfl *out, void *value, const char *what)
{
	const long batch = batch_size(w), per_group = w->blocks.per_group, size = fold_size(&w->fold),
	           rsize = (long)dtype_size(w->fold.acc);
	struct batch r = {.stride = w->blocks.direct ? 0 : fold_block_results(&w->blocks.block) * size};
	long room = 0, lost = 0, from = 0, groups = w->blocks.groups;

	r.scratch = mem_alloc((size_t)omp_get_max_threads() * SLOTS * SLOT);
	r.parts = mem_alloc((size_t)(w->window * r.stride + 1));
	progress_start(what, w->blocks.count);

	if (!w->spread)
		ranks_part(groups, 1, &from, &groups);

	for (long g = from; g < groups; g += batch) {
		const long end = min_long(groups, g + batch);
		const long n = block_walk_group(&w->blocks, end) - block_walk_group(&w->blocks, g);
		const long window = (w->blocks.direct && !w->in_order) ? batch * per_group : w->window;

		if (n > room) {
			free(r.acc);
			r.acc = mem_alloc((size_t)mul_checked(n, size, "the results"));
			room = n;
		}

		r.out = block_walk_group(&w->blocks, g);
		fold_start(&w->fold, n, r.acc);

		for (long s = g * per_group; s < end * per_group; s += window)
			run_window(w, &r, s, (end * per_group - s < window) ? end * per_group : s + window);

		fold_finish(&w->fold, n, w->blocks.count / w->blocks.results, r.acc);

		for (long i = 0; i < n && NULL != out; i += WINDOW * WALK_BLOCK)
			lost += store(w, out, r.out + i,
			        (n - i < WINDOW * WALK_BLOCK) ? n - i : WINDOW * WALK_BLOCK,
			        r.acc + i * rsize, r.scratch);

		if (NULL == out)
			memcpy(value, r.acc, (size_t)rsize);
	}

	progress_end();
	free(r.acc);
	free(r.parts);
	free(r.scratch);

	if (NULL == out)
		ranks_broadcast(value, (size_t)rsize);

	if (!w->spread)
		ranks_sum(&lost, 1);

	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, w->blocks.results,
		        dtype_name(out->hdr.type), out->name);
}

/** All results, in memory. */
static void write_results(const struct walk *w, struct cfl *out, const void *results)
{
	const enum dtype t = out->hdr.type;
	const long n = w->blocks.results;
	const bool put = cfl_takes_put(out);
	char *to = put ? mem_alloc((size_t)n * dtype_size(t)) : cfl_slab(out, n);
	const long lost = convert(t, to, w->fold.value, results, n, NARROW_SATURATE) +
	                  ((8 == dtype_size(t)) ? count_full(&w->fold, n, results) : 0);

	if (put) {
		cfl_put(out, 0, n, to);
		free(to);
	}

	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, n, dtype_name(t),
		        out->name);
}

/* ---- what others see ---- */

enum dtype reduce_dims_type(const struct reduce_dims *r)
{
	enum dtype types[2] = {r->in[0]->hdr.type};

	if (1 < r->nin)
		types[1] = r->in[1]->hdr.type;

	return fold_type(r->spec, types);
}

long reduce_dims_memory(const struct reduce_dims *r)
{
	struct walk w;
	long dims[DIMS];

	operand_shape(dims, r->nin, r->in);
	plan(&w, r, dims);

	const long at_a_time = batch_size(&w) * (w.blocks.results / w.blocks.groups);
	const long parts = w.blocks.direct ? 0 : w.window * fold_block_results(&w.blocks.block);
	const long all = w.blocks.results;

	return (parts + (at_a_time < all ? at_a_time : all)) * fold_size(&w.fold) +
	       omp_get_max_threads() * (long)SLOTS * SLOT;
}

void reduce_dims(const struct reduce_dims *r, struct cfl *out, const char *what)
{
	struct walk w;
	long dims[DIMS];

	operand_shape(dims, r->nin, r->in);
	plan(&w, r, dims);

	void *results = reduce_dims_on_device(r, dims, w.fold.value);

	if (NULL != results)
		write_results(&w, out, results);
	else
		reduce_dims_run(&w, out, NULL, what);

	free(results);
}

enum dtype reduce_dims_value(const struct reduce_dims *r, void *value, const char *what)
{
	struct reduce_dims all = *r;
	struct walk w;
	long dims[DIMS];

	all.dims = ~0ul;
	operand_shape(dims, r->nin, r->in);
	plan(&w, &all, dims);

	void *result = reduce_dims_on_device(&all, dims, w.fold.value);

	if (NULL != result)
		memcpy(value, result, dtype_size(w.fold.value));
	else
		reduce_dims_run(&w, NULL, value, what);

	free(result);

	return w.fold.value;
}

void reduce_dims_header(struct hdr *h, unsigned long dims)
{
	for (int d = 0; d < DIMS; d++) {
		const long n = h->dims[d];

		if (!(dims >> d & 1) || 1 == n)
			continue;

		if (h->has_origin && !isnan(h->origin[d]))
			h->origin[d] += 0.5 * (double)(n - 1) * h->spacing[d];

		if (h->has_spacing)
			h->spacing[d] *= (double)n;

		h->dims[d] = 1;
	}
}
