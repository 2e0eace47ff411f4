/* Elements selected by a mask, in the order of elements. Chunks of fixed size are counted first, so that each
 * knows where its elements begin. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/array/array_internal.h"
#include "num/array/array_loop.h"
#include "num/array/array_walk.h"

enum { CHUNK = 1 << 15 };

struct chosen {
	struct array_walk walk; // of the mask, then of the array
	const char *mask;
	char *data;
	size_t size; // of an element
	long count, chunks;
	long *first; // [chunks + 1]: chosen elements before each
};

/** What happens to the chosen elements of a run of at most KERN_BLOCK. */
typedef void chosen_fn(void *ctx, const struct chosen *c, long number, long n, char *const place[]);

/** Chosen elements of one chunk, in order. */
static void run_chunk(const struct chosen *c, long chunk, chosen_fn *fn, void *ctx)
{
	enum { RUN = KERN_BLOCK / 2 };
	struct array_walk w = c->walk;
	char *place[KERN_BLOCK];
	const long first = chunk * CHUNK, end = (first + CHUNK < c->count) ? first + CHUNK : c->count;
	long number = c->first[chunk], have = 0;

	array_walk_to(&w, first);

	for (long at = first, n; at < end; at += n) {
		long offset[WALK_OPERANDS];

		n = array_walk_run(&w, (end - at < RUN) ? end - at : RUN, offset);

		const char *mask = c->mask + offset[0];
		char *p = c->data + offset[1];

		for (long i = 0; i < n; i++) { // without a branch: masks are hard to foresee
			place[have] = p + i * w.strs[1][0];
			have += 0 != mask[i * w.strs[0][0]];
		}

		if (have >= RUN) {
			fn(ctx, c, number, have, place);
			number += have;
			have = 0;
		}
	}

	if (0 < have)
		fn(ctx, c, number, have, place);
}

static long count_line(long n, const char *mask, long step)
{
	long count = 0;

	if (1 == step)
		for (long i = 0; i < n; i++)
			count += 0 != mask[i];
	else
		for (long i = 0; i < n; i++)
			count += 0 != mask[i * step];

	return count;
}

static long count_chunk(const struct chosen *c, long chunk)
{
	struct array_walk w = c->walk;
	const long first = chunk * CHUNK, end = (first + CHUNK < c->count) ? first + CHUNK : c->count;
	long count = 0;

	array_walk_to(&w, first);

	for (long at = first, n; at < end; at += n) {
		long offset[WALK_OPERANDS];

		n = array_walk_run(&w, end - at, offset);
		count += count_line(n, c->mask + offset[0], w.strs[0][0]);
	}

	return count;
}

/** Prepares and counts; returns the number of chosen elements. */
static long choose(struct chosen *c, const struct array *mask, const struct array *a)
{
	if (DT_BOOL != mask->type)
		error("%s is a mask of type %s, expected bool", array_label(mask), dtype_name(mask->type));

	if (!md_check_equal_dims(DIMS, mask->dims, a->dims, ~0ul))
		error("%s is %s, but its mask %s is %s", array_label(a), array_shape(a), array_label(mask),
		        array_shape(mask));

	*c = (struct chosen){.mask = mask->data, .data = a->data, .size = dtype_size(a->type)};
	c->count = array_count(a);
	c->chunks = (c->count + CHUNK - 1) / CHUNK;
	c->first = mem_calloc((size_t)c->chunks + 1, sizeof *c->first);

	if (0 < c->count)
		array_walk_init(&c->walk, 2, DIMS, a->dims, (const long *const[]){mask->strs, a->strs});

#pragma omp parallel for schedule(static)                                                                    \
        num_threads((c->chunks > 1) ? threads_for(2. * (double)c->count) : 1)
	for (long i = 0; i < c->chunks; i++)
		c->first[i + 1] = count_chunk(c, i);

	for (long i = 0; i < c->chunks; i++)
		c->first[i + 1] += c->first[i];

	return c->first[c->chunks];
}

static void run_all(const struct chosen *c, chosen_fn *fn, void *ctx)
{
#pragma omp parallel for schedule(static)                                                                    \
        num_threads((c->chunks > 1) ? threads_for(2. * (double)c->count) : 1)
	for (long i = 0; i < c->chunks; i++)
		run_chunk(c, i, fn, ctx);

	free(c->first);
}

#define TAKE(n)                                                                                              \
	case n:                                                                                              \
		for (long i = 0; i < count; i++)                                                             \
			memcpy(buf + i * n, place[i], n);                                                    \
		break;
#define PUT(n)                                                                                               \
	case n:                                                                                              \
		for (long i = 0; i < count; i++)                                                             \
			memcpy(place[i], buf + i * n, n);                                                    \
		break;

static void take_some(void *ctx, const struct chosen *c, long number, long count, char *const place[])
{
	char *buf = (char *)ctx + (size_t)number * c->size;

	switch (c->size) {
		TAKE(1)
		TAKE(2)
		TAKE(4)
		TAKE(8)
		TAKE(16)
	}
}

struct array *array_take_mask(const struct array *in, const struct array *mask)
{
	struct chosen c;
	const long n = choose(&c, mask, in);
	struct array *out = array_create(in->type, 1, &n);

	run_all(&c, take_some, out->data);

	if (in->swapped) // the elements moved as they were
		array_byteswap(out);

	out->swapped = false;

	return out;
}

struct values {
	struct array_copier copier;
	const char *data;
	long step;
};

static void put_some(void *ctx, const struct chosen *c, long number, long count, char *const place[])
{
	struct values *v = ctx;
	char buf[16 * KERN_BLOCK] __attribute__((aligned(64)));

	array_copy_line(&v->copier, count, (const long[]){(long)c->size, v->step},
	        (char *[]){buf, (char *)v->data + number * v->step});

	switch (c->size) {
		PUT(1)
		PUT(2)
		PUT(4)
		PUT(8)
		PUT(16)
	}
}

void array_put_mask(
        struct array *out, const struct array *mask, const struct array *values, struct array_rules r)
{
	const struct array *chosen_by = array_overlap(out, mask) ? array_clone(mask) : array_ref(mask);
	const struct array *from = array_overlap(out, values) ? array_clone(values) : array_ref(values);
	struct values v = {array_copier(out, from, r.narrow), from->data, 0};
	struct chosen c;
	const long n = choose(&c, chosen_by, out), have = array_count(from);
	int longer = 0;

	array_check_output(out);

	for (int i = 0; i < DIMS; i++) {
		longer += 1 != from->dims[i];
		v.step += (1 < from->dims[i]) ? from->strs[i] : 0;
	}

	if (longer > 1 || (have != n && 1 != have))
		error("%s is %s: expected %ld values along one dimension, as many as %s selects, or a single "
		      "value",
		        array_label(values), array_shape(values), n, array_label(mask));

	run_all(&c, put_some, &v);
	array_report_lost(out, values->type, v.copier.lost, r);
	array_free(chosen_by);
	array_free(from);
}
