/* Reductions with an accumulator per result. Reduced elements are cut into chunks, each with its own
 * accumulators, which are merged in order. Results are processed in groups of neighbours. If their elements
 * are interleaved they alternate, block by block, so that cache lines loaded for one are used by the next.
 */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/array/array_reduce.h"
#include "num/backend/backend_cpu.h"

/** Elements of a chunk at least, and chunks at most; results of a group, and of one that takes turns, with
 * the block it takes turns by; bytes that stay in the first cache meanwhile; accumulators in use at a time;
 * elements worth a second thread. */
enum {
	CHUNK = 1 << 16,
	CHUNKS = 1 << 12,
	GROUP = 64,
	TURNS = 64,
	TURNS_BLOCK = 128,
	NEAR = 1 << 14,
	IN_USE = 1 << 15,
	GRAIN = 1 << 15
};

struct lines {
	struct reduce *r;
	bool turns;
	long chunk, chunks;           // elements of a chunk; of a result
	long group, per_line, groups; // results of a group; groups along dim 0; of all
	long block;                   // elements read at a time
	struct kern_acc *acc;         // [group of the batch][result of the group][chunk]
};

/** A run of reduced elements along dim 0. */
struct run {
	long n, offset[REDUCE_ARGS_MAX];
};

/** What a thread works with: elements in the work type, and raw elements in the order of results. */
struct room {
	char block[REDUCE_ARGS_MAX][16 * KERN_BLOCK] __attribute__((aligned(64)));
	char tile[REDUCE_ARGS_MAX][16 * TURNS * TURNS_BLOCK] __attribute__((aligned(64)));
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
	const long size = (long)dtype_size(r->t.work), step = r->reduced.strs[k][0];
	char *to = buf;

	if (1 == count)
		return kern_load(
		        r->t.work, buf, r->type[k], r->swapped[k], base + runs[0].offset[k], step, runs[0].n);

	for (int i = 0; i < count; i++) {
		const void *p = kern_load(
		        r->t.work, to, r->type[k], r->swapped[k], base + runs[i].offset[k], step, runs[i].n);

		if (p != to)
			memcpy(to, p, (size_t)(runs[i].n * size));

		to += runs[i].n * size;
	}

	return buf;
}

/** First operands of a group's first result; returns the number of its results. */
static long group_at(const struct lines *l, long group, char *ptr[REDUCE_OPERANDS])
{
	struct array_walk kept = l->r->kept;
	const long first = group % l->per_line * l->group, left = kept.dims[0] - first;

	array_walk_to(&kept, group / l->per_line * kept.dims[0] + first);

	for (int k = 0; k < REDUCE_OPERANDS; k++)
		ptr[k] = l->r->ptr[k] + kept.offset[k];

	return (left < l->group) ? left : l->group;
}

/** m elements, number `at` and following, of one result. */
static void add_block(const struct reduce *r, struct kern_acc *acc, long at, long m, char *const ptr[],
        int count, const struct run runs[], struct room *room)
{
	const void *x[REDUCE_ARGS_MAX] = {NULL, NULL};

	for (int k = 0; k < r->args; k++)
		x[k] = fetch(r, k, ptr[k], count, runs, room->block[k]);

	kern_reduce(r->red, r->t.work, acc, at, m, x[0], x[1], 0);
}

/** m elements along one run of n <= TURNS results: read row by row, given out result by result. */
static void add_turned(const struct lines *l, struct kern_acc *acc, long at, long m, long n,
        char *const ptr[], const struct run *run, struct room *room)
{
	const struct reduce *r = l->r;

	for (int k = 0; k < r->args; k++) {
		const long size = (long)dtype_size(r->type[k]);
		const struct md_shape s = {.D = 2,
		        .N = 2,
		        .dims = {m, n},
		        .strs = {{size, m * size}, {r->reduced.strs[k][0], r->kept.strs[k][0]}}};

		cpu_copy((size_t)size, &s, room->tile[k], ptr[k] + run->offset[k]);
	}

	for (long g = 0; g < n; g++) {
		const void *x[REDUCE_ARGS_MAX] = {NULL, NULL};

		for (int k = 0; k < r->args; k++) {
			const long size = (long)dtype_size(r->type[k]);

			x[k] = kern_load(r->t.work, room->block[k], r->type[k], r->swapped[k],
			        room->tile[k] + g * m * size, size, m);
		}

		kern_reduce(r->red, r->t.work, &acc[g * l->chunks], at, m, x[0], x[1], 0);
	}
}

/** Elements first..end-1 of n results that take turns. */
static void run_turns(const struct lines *l, struct kern_acc *acc, long first, long end, long n,
        char *const ptr[], struct room *room)
{
	const struct reduce *r = l->r;
	const bool far = labs(r->reduced.strs[0][0]) * l->block > NEAR;
	struct array_walk w = r->reduced;
	struct run runs[KERN_BLOCK];

	array_walk_to(&w, first);

	for (long at = first; at < end; at += l->block) {
		const long m = (end - at < l->block) ? end - at : l->block;
		const int count = next_runs(&w, m, runs);

		if (1 == count && far) {
			add_turned(l, acc, at, m, n, ptr, runs, room);
			continue;
		}

		for (long g = 0; g < n; g++) {
			char *own[REDUCE_ARGS_MAX] = {
			        ptr[0] + g * r->kept.strs[0][0], ptr[1] + g * r->kept.strs[1][0]};

			add_block(r, &acc[g * l->chunks], at, m, own, count, runs, room);
		}
	}
}

/** Elements first..end-1 of one result. */
static void run_result(const struct lines *l, struct kern_acc *acc, long first, long end, char *const ptr[],
        struct room *room)
{
	const struct reduce *r = l->r;
	struct run runs[KERN_BLOCK];

	if (1 == r->reduced.D) {
		for (long at = first; at < end; at += l->block) {
			const long m = (end - at < l->block) ? end - at : l->block;
			const struct run run = {m, {at * r->reduced.strs[0][0], at * r->reduced.strs[1][0]}};

			add_block(r, acc, at, m, ptr, 1, &run, room);
		}

		return;
	}

	struct array_walk w = r->reduced;

	array_walk_to(&w, first);

	for (long at = first; at < end; at += l->block) {
		const long m = (end - at < l->block) ? end - at : l->block;
		const int count = next_runs(&w, m, runs);

		add_block(r, acc, at, m, ptr, count, runs, room);
	}
}

/** One chunk of the results of one group; acc of its first result. */
static void run_chunk(const struct lines *l, long group, long chunk, struct kern_acc *acc, struct room *room)
{
	const struct reduce *r = l->r;
	const long first = chunk * l->chunk;
	const long end = (first + l->chunk < r->rcount) ? first + l->chunk : r->rcount;
	char *ptr[REDUCE_OPERANDS];
	const long n = group_at(l, group, ptr);

	for (long g = 0; g < n; g++)
		kern_reduce_start(r->red, r->t.work, &acc[g * l->chunks]);

	if (first >= end)
		return;

	if (l->turns) {
		run_turns(l, acc, first, end, n, ptr, room);
		return;
	}

	for (long g = 0; g < n; g++) {
		run_result(l, &acc[g * l->chunks], first, end, ptr, room);

		for (int k = 0; k < REDUCE_ARGS_MAX; k++)
			ptr[k] += r->kept.strs[k][0];
	}
}

/** Merges the chunks of a group and stores its results. */
static void finish(const struct lines *l, long group, struct kern_acc *acc)
{
	struct reduce *r = l->r;
	const size_t size = dtype_size(r->t.value);
	char values[16 * GROUP] __attribute__((aligned(64)));
	char *ptr[REDUCE_OPERANDS];
	const long n = group_at(l, group, ptr);
	long lost = 0;

	for (long g = 0; g < n; g++) {
		struct kern_acc *a = acc + g * l->chunks;

		for (long c = 1; c < l->chunks; c++)
			kern_reduce_merge(r->red, r->t.work, a, a + c);

		lost += kern_reduce_narrow(r->red, r->t.work, a, r->narrow, values + (size_t)g * size);
	}

	array_reduce_store(r, ptr[2], r->kept.strs[2][0], values, n, lost);
}

static void plan(struct lines *l, struct reduce *r)
{
	const long across = labs(r->kept.strs[0][0]), n = r->kept.dims[0];

	*l = (struct lines){.r = r, .turns = 0 != across && across < labs(r->reduced.strs[0][0])};
	l->chunk = (r->rcount / CHUNKS / KERN_BLOCK + 1) * KERN_BLOCK;
	l->chunk = (l->chunk < CHUNK) ? CHUNK : l->chunk;
	l->chunks = (0 < r->rcount) ? (r->rcount + l->chunk - 1) / l->chunk : 1;
	l->group = l->turns ? TURNS : (1 == l->chunks && r->rcount < CHUNK / GROUP) ? GROUP : 1;
	l->group = (n < l->group) ? n : l->group;
	l->per_line = (n + l->group - 1) / l->group;
	l->groups = l->per_line * (r->kcount / n);
	l->block = l->turns ? TURNS_BLOCK : KERN_BLOCK;
}

void array_reduce_lines(struct reduce *r)
{
	struct lines l;

	plan(&l, r);

	const int threads = threads_for(2. * (double)r->kcount * (double)(r->rcount + 1));
	const long each = l.group * l.chunks;
	long batch = (IN_USE / each < 1) ? 1 : IN_USE / each;

	batch = (batch < l.groups) ? batch : l.groups;
	l.acc = mem_alloc((size_t)(batch * each) * sizeof *l.acc);

	for (long g0 = 0; g0 < l.groups; g0 += batch) {
		const long n = (l.groups - g0 < batch) ? l.groups - g0 : batch;

#pragma omp parallel num_threads(threads)
		{
			struct room room;

#pragma omp for schedule(dynamic)
			for (long i = 0; i < n * l.chunks; i++)
				run_chunk(&l, g0 + i / l.chunks, i % l.chunks,
				        l.acc + i / l.chunks * each + i % l.chunks, &room);
#pragma omp for
			for (long i = 0; i < n; i++)
				finish(&l, g0 + i, l.acc + i * each);
		}
	}

	free(l.acc);
}
