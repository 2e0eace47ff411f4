/** Arrays in memory in a recipe that several ranks run: each rank writes parts, which are then sent to all
 * ranks. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl_io.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cfl_share_note(struct cfl_io *io, long first, long bytes)
{
	if (!ranks_shared() || 0 == bytes)
		return;

	pthread_mutex_lock(&lock);

	if (io->owned == io->own_room) {
		io->own_room = 2 * io->own_room + 16;
		io->own = mem_realloc(io->own, (size_t)io->own_room * sizeof *io->own);
	}

	io->own[io->owned++] = (struct ranks_run){(size_t)first, (size_t)bytes};
	pthread_mutex_unlock(&lock);
}

static int by_place(const void *a, const void *b)
{
	const struct ranks_run *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* In order, neighbours joined. */
static void tidy(struct cfl_io *io)
{
	long n = 0;

	qsort(io->own, (size_t)io->owned, sizeof *io->own, by_place);

	for (long i = 0; i < io->owned; i++) {
		struct ranks_run *last = &io->own[n - 1];

		if (n > 0 && last->first + last->bytes == io->own[i].first)
			last->bytes += io->own[i].bytes;
		else
			io->own[n++] = io->own[i];
	}

	io->owned = n;
}

void cfl_share_gather(struct cfl_io *io)
{
	const int ranks = ranks_count(), me = ranks_rank();
	long *n = mem_calloc((size_t)ranks, sizeof *n), *start = mem_calloc((size_t)ranks + 1, sizeof *start);
	void *data = resident_host(io->resident, true);

	if (io->owned > 0)
		tidy(io);

	n[me] = io->owned;
	ranks_sum(n, ranks);

	struct ranks_run *lists = mem_calloc((size_t)ranks, sizeof *lists); // where those of a rank are

	for (int k = 0; k < ranks; k++) {
		const size_t size = sizeof(struct ranks_run);

		start[k + 1] = start[k] + n[k];
		lists[k] = (struct ranks_run){(size_t)start[k] * size, (size_t)n[k] * size};
	}

	if (0 == start[ranks]) {
		ranks_broadcast(data, (size_t)io->bytes); // what rank 0 has written is the output
	} else {
		struct ranks_run *all = mem_calloc((size_t)start[ranks], sizeof *all);
		long *one = mem_calloc((size_t)ranks + 1, sizeof *one);

		for (int k = 0; k < ranks; k++)
			one[k + 1] = k + 1;

		if (io->owned > 0)
			memcpy(all + start[me], io->own, (size_t)io->owned * sizeof *all);

		ranks_share(all, lists, one);
		ranks_share(data, all, start);
		free(all);
		free(one);
	}

	free(lists);
	free(start);
	free(n);
	free(io->own);
	io->own = NULL;
	io->owned = io->own_room = 0;
}
