/** Arrays in parts: the bytes that each rank has. */

#include <stdlib.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"

struct sharing_runs sharing_runs_create(void)
{
	return (struct sharing_runs){.start = mem_calloc((size_t)ranks_count() + 1, sizeof(long))};
}

void sharing_runs_free(struct sharing_runs *r)
{
	free(r->run);
	free(r->start);
}

void sharing_runs_add(struct sharing_runs *r, size_t first, size_t bytes)
{
	if (r->n == r->room) {
		r->room = 2 * r->room + 16;
		r->run = mem_realloc(r->run, (size_t)r->room * sizeof *r->run);
	}
	r->run[r->n++] = (struct ranks_run){first, bytes};
}

/** Positions [first, end) of the dim that is cut, at every outer place. */
static void add(struct sharing_runs *r, const struct sharing *s, long first, long end)
{
	for (long o = 0; o < s->outer && first < end; o++)
		sharing_runs_add(r, (size_t)(o * s->n + first) * s->inner, (size_t)(end - first) * s->inner);
}

void sharing_gather(const struct sharing *s, void *data)
{
	struct sharing_runs r;
	long first, end;

	if (!ranks_shared())
		return;

	r = sharing_runs_create();
	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, s->n, s->block, &first, &end);
		add(&r, s, first, end);
		r.start[k + 1] = r.n;
	}
	ranks_share(data, r.run, r.start);
	sharing_runs_free(&r);
}

/** What lies in both: positions [a, b), moved by `shift`, and [first, end). */
static void add_common(
        struct sharing_runs *r, const struct sharing *s, long a, long b, long shift, long first, long end)
{
	add(r, s, max_long(a + shift, first), min_long(b + shift, end));
}

/** What rank `to` needs of the part of rank `from`: the halo below and above its own part. */
static void add_needed(
        struct sharing_runs *r, const struct sharing *s, long halo, bool wrap, int from, int to)
{
	long first, end, a, b;

	ranks_part_of(from, s->n, s->block, &first, &end);
	ranks_part_of(to, s->n, s->block, &a, &b);
	if (a == b || from == to)
		return;
	for (int k = wrap ? -1 : 0; k <= (wrap ? 1 : 0); k++) {
		add_common(r, s, a - halo, a, k * s->n, first, end);
		add_common(r, s, b, b + halo, k * s->n, first, end);
	}
}

/** Whether the halos at both ends of some part hold the same positions. */
static bool meets_itself(const struct sharing *s, long halo, bool wrap)
{
	bool meets = false;
	long a, b;

	for (int k = 0; k < ranks_count(); k++) {
		ranks_part_of(k, s->n, s->block, &a, &b);
		meets = meets || (wrap && b - a + 2 * halo > s->n);
	}
	return meets;
}

void sharing_halo(const struct sharing *s, long halo, bool wrap, void *data)
{
	struct sharing_runs give, take;

	if (!ranks_shared())
		return;
	if (meets_itself(s, halo, wrap)) {
		sharing_gather(s, data);
		return;
	}

	give = sharing_runs_create();
	take = sharing_runs_create();
	for (int k = 0; k < ranks_count(); k++) {
		add_needed(&give, s, halo, wrap, ranks_rank(), k);
		add_needed(&take, s, halo, wrap, k, ranks_rank());
		give.start[k + 1] = give.n;
		take.start[k + 1] = take.n;
	}
	ranks_exchange(data, give.run, give.start, take.run, take.start);
	sharing_runs_free(&give);
	sharing_runs_free(&take);
}

struct sharing sharing_along(int D, const long dims[], size_t size, int d, long block)
{
	struct sharing s = {.inner = size, .n = 1, .block = block, .outer = 1};

	for (int i = 0; i < D; i++)
		if (i < d)
			s.inner *= (size_t)dims[i];
		else if (i == d)
			s.n = dims[i];
		else
			s.outer *= dims[i];
	return s;
}

int sharing_dim(int D, const long dims[], unsigned long whole)
{
	for (int d = D - 1; d >= 0; d--)
		if (1 < dims[d] && !(whole >> d & 1))
			return d;
	return -1;
}

void sharing_own(const struct sharing *s, void (*write)(void *ctx, size_t first, size_t bytes), void *ctx)
{
	long first, end;

	ranks_part(s->n, s->block, &first, &end);
	for (long o = 0; o < s->outer && first < end; o++)
		write(ctx, (size_t)(o * s->n + first) * s->inner, (size_t)(end - first) * s->inner);
}
