/* Reductions with an accumulator per result. Reduced elements are cut into chunks, each with accumulators of
 * its own that are merged in order; results whose elements lie between each other's take turns, block by
 * block, so that what one brings into the cache serves the next. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/array_reduce.h"

/** Elements of a chunk at least, and chunks at most; results that take turns, and the block they take turns
 * by; accumulators in use at a time; elements worth a second thread. */
enum { CHUNK = 1 << 16, CHUNKS = 1 << 12, GROUP = 16, GROUP_BLOCK = 128, IN_USE = 1 << 15, GRAIN = 1 << 15 };

struct lines {
	struct reduce *r;
	long chunk, chunks;   // elements of a chunk; of a result
	long group, groups;   // results of a group
	long block;           // elements read at a time
	struct kern_acc *acc; // [group of the batch][result of the group][chunk]
};

/** A run of reduced elements along dim 0. */
struct run {
	long n, offset[REDUCE_ARGS_MAX];
};

/** The next n elements as runs; returns how many. */
static int next_runs(struct array_walk *w, long n, struct run runs[])
{
	int count = 0;

	for (; 0 < n; n -= runs[count++].n)
		runs[count].n = array_walk_run(w, n, runs[count].offset);

	return count;
}

/** Operand k of a block in the work type. */
static const void *fetch(
        const struct reduce *r, int k, const char *base, int count, const struct run runs[], char *buf)
{
	const long size = (long)dtype_size(r->t.work);
	const enum dtype t = r->type[k];
	char *to = buf;

	if (1 == count)
		return kern_load(r->t.work, buf, t, r->swapped[k], base + runs[0].offset[k],
		        r->reduced.strs[k][0], runs[0].n);

	for (int i = 0; i < count; i++) {
		const void *p = kern_load(r->t.work, to, t, r->swapped[k], base + runs[i].offset[k],
		        r->reduced.strs[k][0], runs[i].n);

		if (p != to)
			memcpy(to, p, (size_t)(runs[i].n * size));

		to += runs[i].n * size;
	}

	return buf;
}

/** First elements of the operands of result number `result`. */
static void operands(const struct reduce *r, long result, char *ptr[REDUCE_OPERANDS])
{
	struct array_walk w = r->kept;

	array_walk_to(&w, result);

	for (int k = 0; k < REDUCE_OPERANDS; k++)
		ptr[k] = r->ptr[k] + w.offset[k];
}

/** The results of a group. */
static long members(const struct lines *l, long group)
{
	long left = l->r->kcount - group * l->group;

	return (left < l->group) ? left : l->group;
}

/** One chunk of the results of one group; acc of its first result. */
static void run_chunk(const struct lines *l, long group, long chunk, struct kern_acc *acc)
{
	const struct reduce *r = l->r;
	const long n = members(l, group), first = chunk * l->chunk;
	const long end = (first + l->chunk < r->rcount) ? first + l->chunk : r->rcount;
	char buf[REDUCE_ARGS_MAX][16 * KERN_BLOCK] __attribute__((aligned(64)));
	char *ptr[GROUP][REDUCE_OPERANDS];
	struct run runs[KERN_BLOCK];
	struct array_walk w = r->reduced;

	for (long g = 0; g < n; g++) {
		operands(r, group * l->group + g, ptr[g]);
		kern_reduce_start(r->red, r->t.work, &acc[g * l->chunks]);
	}

	if (first >= end)
		return;

	array_walk_to(&w, first);

	for (long at = first; at < end; at += l->block) {
		const long m = (end - at < l->block) ? end - at : l->block;
		const int count = next_runs(&w, m, runs);

		for (long g = 0; g < n; g++) {
			const void *a = fetch(r, 0, ptr[g][0], count, runs, buf[0]);
			const void *b = (2 == r->args) ? fetch(r, 1, ptr[g][1], count, runs, buf[1]) : NULL;

			kern_reduce(r->red, r->t.work, &acc[g * l->chunks], at, m, a, b, 0);
		}
	}
}

/** Merges the chunks of a group and stores its results. */
static void finish(const struct lines *l, long group, struct kern_acc *acc)
{
	struct reduce *r = l->r;
	const long n = members(l, group);
	char value[16] __attribute__((aligned(16)));
	char *ptr[REDUCE_OPERANDS];

	for (long g = 0; g < n; g++) {
		struct kern_acc *a = acc + g * l->chunks;

		for (long c = 1; c < l->chunks; c++)
			kern_reduce_merge(r->red, r->t.work, a, a + c);

		operands(r, group * l->group + g, ptr);
		kern_reduce_value(r->red, r->t.work, a, value);
		array_reduce_store(r, ptr[2], 0, value, 1);
	}
}

void array_reduce_lines(struct reduce *r)
{
	struct lines l = {.r = r};
	const long across = labs(r->kept.strs[0][0]);
	const bool turns = 0 != across && across < labs(r->reduced.strs[0][0]);
	const bool parallel = r->kcount > GRAIN / (r->rcount + 1);

	l.chunk = (r->rcount / CHUNKS / KERN_BLOCK + 1) * KERN_BLOCK;
	l.chunk = (l.chunk < CHUNK) ? CHUNK : l.chunk;
	l.chunks = (0 < r->rcount) ? (r->rcount + l.chunk - 1) / l.chunk : 1;
	l.group = !turns ? 1 : (r->kept.dims[0] < GROUP) ? r->kept.dims[0] : GROUP;
	l.groups = (r->kcount + l.group - 1) / l.group;
	l.block = turns ? GROUP_BLOCK : KERN_BLOCK;

	const long each = l.group * l.chunks;
	long batch = (IN_USE / each < 1) ? 1 : IN_USE / each;

	batch = (batch < l.groups) ? batch : l.groups;
	l.acc = mem_alloc((size_t)(batch * each) * sizeof *l.acc);

	for (long g0 = 0; g0 < l.groups; g0 += batch) {
		const long n = (l.groups - g0 < batch) ? l.groups - g0 : batch;

#pragma omp parallel if (parallel)
		{
#pragma omp for schedule(dynamic, 16 / (l.chunks < 16 ? l.chunks : 16))
			for (long i = 0; i < n * l.chunks; i++)
				run_chunk(&l, g0 + i / l.chunks, i % l.chunks,
				        l.acc + i / l.chunks * each + i % l.chunks);
#pragma omp for
			for (long i = 0; i < n; i++)
				finish(&l, g0 + i, l.acc + i * each);
		}
	}

	free(l.acc);
}
