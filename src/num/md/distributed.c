/** Which elements of a vector a rank has, and how it gets others. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"
#include "num/md/distributed.h"

static bool on = false;

void distributed_begin(void)
{
	on = ranks_shared();
}

void distributed_end(void)
{
	on = false;
}

bool distributed(void)
{
	return on;
}

long distributed_chunk(long n)
{
	const long blocks = (n + DISTRIBUTED_BLOCK - 1) / DISTRIBUTED_BLOCK;

	return max_long(1, (blocks + DISTRIBUTED_CHUNKS - 1) / DISTRIBUTED_CHUNKS) * DISTRIBUTED_BLOCK;
}

/** The least common multiple of a chunk and a part of a reduction [elements]. */
static long unit(long n)
{
	const long chunk = distributed_chunk(n);
	long u = DISTRIBUTED_PART;

	while (u % chunk != 0)
		u += DISTRIBUTED_PART;
	return u;
}

void distributed_part_of(int k, long n, long *first, long *end)
{
	*first = 0;
	*end = n;

	if (on)
		ranks_part_of(k, n, unit(n), first, end);
}

void distributed_part(long n, long *first, long *end)
{
	distributed_part_of(ranks_rank(), n, first, end);
}

double distributed_max(double here)
{
	if (!on)
		return here;

	struct sharing_runs r = sharing_runs_create();
	double *all = mem_calloc((size_t)ranks_count(), sizeof *all), most = here;

	all[ranks_rank()] = here;

	for (int k = 0; k < ranks_count(); k++) {
		sharing_runs_add(&r, (size_t)k * sizeof *all, sizeof *all);
		r.start[k + 1] = r.n;
	}

	ranks_share(all, r.run, r.start);

	for (int k = 0; k < ranks_count(); k++)
		most = fmax(most, all[k]);

	free(all);
	sharing_runs_free(&r);
	return most;
}

/** The runs [from, to), as far as they are in the part of rank k. */
static void add_common(
        struct sharing_runs *r, int k, long n, size_t size, const struct ranks_run run[], long from, long to)
{
	long first, end;

	distributed_part_of(k, n, &first, &end);

	for (long i = from; i < to; i++) {
		const long a = max_long((long)run[i].first, first * (long)size),
		           b = min_long((long)(run[i].first + run[i].bytes), end * (long)size);

		if (a < b)
			sharing_runs_add(r, (size_t)a, (size_t)(b - a));
	}
}

/** Copies runs to a buffer, one after the other, or back. */
static void copy_runs(char *x, char *buffer, const struct ranks_run run[], long from, long to, bool back)
{
	for (long i = from; i < to; buffer += run[i++].bytes) {
		char *place = x + run[i].first;

		memcpy(back ? place : buffer, back ? buffer : place, run[i].bytes);
	}
}

/** Begins to send `bytes` from byte start[k] of rank k on to all others. */
static struct ranks_transfer *send_parts(void *x, const size_t start[], const size_t bytes[])
{
	struct sharing_runs give = sharing_runs_create(), take = sharing_runs_create();
	const int me = ranks_rank();

	for (int k = 0; k < ranks_count(); k++) {
		if (k != me && bytes[me] > 0)
			sharing_runs_add(&give, start[me], bytes[me]);

		if (k != me && bytes[k] > 0)
			sharing_runs_add(&take, start[k], bytes[k]);

		give.start[k + 1] = give.n;
		take.start[k + 1] = take.n;
	}

	struct ranks_transfer *t = ranks_exchange_begin(x, give.run, give.start, take.run, take.start);

	sharing_runs_free(&give);
	sharing_runs_free(&take);
	return t;
}

struct distributed_fetch {
	struct ranks_transfer *transfer;
	struct sharing_runs part; // by owners
	size_t *start;            // of each owner's part in the buffer, or in x
	char *x, *buffer;         // buffer: several runs, packed once, not for each receiver; else NULL
};

struct distributed_fetch *distributed_fetch_begin(
        long n, size_t size, void *x, const struct ranks_run run[], long runs)
{
	if (!on)
		return NULL;

	const int ranks = ranks_count(), me = ranks_rank();
	struct distributed_fetch *f = NEW(struct distributed_fetch);
	size_t *bytes = mem_calloc((size_t)ranks, sizeof *bytes);

	*f = (struct distributed_fetch){.part = sharing_runs_create(),
	        .start = mem_calloc((size_t)ranks + 1, sizeof *f->start),
	        .x = x};

	for (int k = 0; k < ranks; k++) {
		const long before = f->part.n;

		add_common(&f->part, k, n, size, run, 0, runs);
		f->part.start[k + 1] = f->part.n;

		for (long i = before; i < f->part.n; i++)
			bytes[k] += f->part.run[i].bytes;

		if (1 == runs && bytes[k] > 0)
			f->start[k] = f->part.run[before].first;

		f->start[k + 1] = f->start[k] + bytes[k];
	}

	if (1 < runs) {
		f->buffer = mem_alloc(f->start[ranks]);
		copy_runs(x, f->buffer + f->start[me], f->part.run, f->part.start[me], f->part.start[me + 1],
		        false);
	}

	f->transfer = send_parts(f->buffer ? f->buffer : x, f->start, bytes);
	free(bytes);
	return f;
}

void distributed_fetch_end(struct distributed_fetch *f)
{
	if (!f)
		return;

	ranks_exchange_end(f->transfer);

	for (int k = 0; f->buffer && k < ranks_count(); k++)
		if (k != ranks_rank())
			copy_runs(f->x, f->buffer + f->start[k], f->part.run, f->part.start[k],
			        f->part.start[k + 1], true);

	sharing_runs_free(&f->part);
	free(f->buffer);
	free(f->start);
	free(f);
}

void distributed_gather(long n, size_t size, void *x)
{
	distributed_fetch_end(
	        distributed_fetch_begin(n, size, x, &(const struct ranks_run){0, (size_t)n * size}, 1));
}

/** Begins to copy the runs of every rank k, run[start[k]] .., from rank k to the owners of the elements, or
 * from their owners to rank k. */
static struct ranks_transfer *begin_runs(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[], bool to_owners)
{
	struct sharing_runs mine = sharing_runs_create(), theirs = sharing_runs_create();
	const int me = ranks_rank();

	for (int k = 0; k < ranks_count(); k++) {
		if (k != me) {
			add_common(&mine, k, n, size, run, start[me], start[me + 1]);
			add_common(&theirs, me, n, size, run, start[k], start[k + 1]);
		}

		mine.start[k + 1] = mine.n;
		theirs.start[k + 1] = theirs.n;
	}

	const struct sharing_runs *give = to_owners ? &mine : &theirs, *take = to_owners ? &theirs : &mine;
	struct ranks_transfer *t = ranks_exchange_begin(x, give->run, give->start, take->run, take->start);

	sharing_runs_free(&mine);
	sharing_runs_free(&theirs);
	return t;
}

struct distributed_fetch *distributed_fetch_for_begin(
        long n, size_t size, void *x, const struct ranks_run run[], const long start[])
{
	if (!on)
		return NULL;

	struct distributed_fetch *f = NEW(struct distributed_fetch);

	*f = (struct distributed_fetch){.transfer = begin_runs(n, size, x, run, start, false)};
	return f;
}

void distributed_settle(long n, size_t size, void *x, const struct ranks_run run[], const long start[])
{
	if (on)
		ranks_exchange_end(begin_runs(n, size, x, run, start, true));
}

/** The whole pages of bytes [first, end), which are not asked for in huge pages: parts of these would come
 * back with the first element. */
static void release_pages(char *x, long first, long end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t a = ((uintptr_t)(x + first) + page - 1) / page * page,
	                b = (uintptr_t)(x + end) / page * page;

	if (first >= end || a >= b)
		return;

	madvise((void *)a, b - a, MADV_NOHUGEPAGE);
	madvise((void *)a, b - a, MADV_DONTNEED);
}

void distributed_release(long n, size_t size, void *x, long first, long end)
{
	long a, b;

	if (!on)
		return;

	distributed_part(n, &a, &b);
	release_pages(x, first * (long)size, min_long(end, a) * (long)size);
	release_pages(x, max_long(first, b) * (long)size, end * (long)size);
}
