/* Fourier transforms of files by ranks: slabs, and an exchange for lines that cross them. */

#include <stdlib.h>
#include <string.h>

#include "num/fft/fft_shared.h"

#include "misc/mem.h"
#include "misc/ranks/sharing.h"
#include "num/array/part.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"

/** Elements [inner][n][last], of which ranks have parts along `last` before the exchange, along n after it.
 */
struct turn {
	size_t inner; // [bytes]
	long n, last;
};

bool fft_is_shared(const long dims[DIMS], unsigned long flags)
{
	const int last = sharing_dim(DIMS, dims, 0);

	return 0 <= sharing_dim(DIMS, dims, flags) ||
	       (0 <= last && 0 <= sharing_dim(DIMS, dims, 1ul << last));
}

/** What rank `from` gives to rank `to`, in the part along `last` of the former. */
static void add_given(struct sharing_runs *r, const struct turn *t, int from, int to)
{
	long a, b, first, end;

	ranks_part_of(from, t->last, 1, &a, &b);
	ranks_part_of(to, t->n, 1, &first, &end);

	for (long l = 0; l < b - a && first < end; l++)
		sharing_runs_add(r, (size_t)(l * t->n + first) * t->inner, (size_t)(end - first) * t->inner);
}

/** The same in the part along n of the latter, `base` bytes further. */
static void add_taken(struct sharing_runs *r, const struct turn *t, int from, int to, size_t base)
{
	long a, b, first, end;

	ranks_part_of(from, t->last, 1, &a, &b);
	ranks_part_of(to, t->n, 1, &first, &end);

	if (a < b && first < end)
		sharing_runs_add(r, base + (size_t)(a * (end - first)) * t->inner,
		        (size_t)((b - a) * (end - first)) * t->inner);
}

/** From the part along `last`, at data, to that along n, `base` bytes behind it. */
static void exchange(const struct turn *t, char *data, size_t base)
{
	struct sharing_runs give = sharing_runs_create(), take = sharing_runs_create(),
	                    own[2] = {sharing_runs_create(), sharing_runs_create()};
	const int me = ranks_rank();

	for (int k = 0; k < ranks_count(); k++) {
		if (k != me) {
			add_given(&give, t, me, k);
			add_taken(&take, t, k, me, base);
		}

		give.start[k + 1] = give.n;
		take.start[k + 1] = take.n;
	}

	ranks_exchange(data, give.run, give.start, take.run, take.start);
	add_given(&own[0], t, me, me);
	add_taken(&own[1], t, me, me, base);

	for (long i = 0, at = 0; i < own[0].n; at += (long)own[0].run[i++].bytes)
		memcpy(data + own[1].run[0].first + at, data + own[0].run[i].first, own[0].run[i].bytes);

	sharing_runs_free(&give);
	sharing_runs_free(&take);
	sharing_runs_free(&own[0]);
	sharing_runs_free(&own[1]);
}

static void scale_by(enum dtype type, long n, void *data, double scale)
{
	if (1. != scale && 0 < n)
		vec_scale(type, n, data, scale);
}

/** The part of the input, as numbers of type t where it is transformed. */
static void load(struct array *to, const struct part *p, struct cfl *x)
{
	struct array *a = part_open(p, x, x->hdr.type, false);

	array_copy(to, a, array_default);
	array_free(a);
}

/** A dim is not transformed: parts along it need nothing of others. */
static void transform_parts(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale)
{
	const struct part p = part_choose(y->hdr.dims, flags, 0, 0);
	const enum dtype type = y->hdr.type;
	struct array *b = part_out(&p, y, type, false);

	load(b, &p, x);
	fft(DIMS, b->dims, flags, mode, type, b->data, b->data);
	scale_by(type, md_calc_size(DIMS, b->dims), b->data, scale);
	part_finish(&p, y, b);
}

/** The dims of a transform of all dims, and the bytes of this rank's parts before and after the exchange. */
struct all {
	int last, d; // parts lie along `last`, then along d
	struct turn t;
	size_t before, after; // [bytes]
};

static struct all all_dims(const struct hdr *h)
{
	struct all l = {.last = sharing_dim(DIMS, h->dims, 0)};
	long first, end, a, b;

	l.d = sharing_dim(DIMS, h->dims, 1ul << l.last);
	l.t = (struct turn){sharing_along(DIMS, h->dims, dtype_size(h->type), l.d, 1).inner, h->dims[l.d],
	        h->dims[l.last]};
	ranks_part(l.t.last, 1, &a, &b);
	ranks_part(l.t.n, 1, &first, &end);
	l.before = (size_t)(b - a) * (size_t)l.t.n * l.t.inner;
	l.after = (size_t)(end - first) * (size_t)l.t.last * l.t.inner;

	return l;
}

/** All dims are: the last one after the others. */
static void transform_all(struct cfl *y, struct cfl *x, unsigned mode, double scale)
{
	const enum dtype type = y->hdr.type;
	const struct all all = all_dims(&y->hdr);
	const struct turn t = all.t;
	const size_t base = all.before;
	const struct part p = part_choose(y->hdr.dims, 0, 0, 0);
	char *data = mem_alloc(base + all.after + 1);
	long own[DIMS], first, end;

	ranks_part(t.n, 1, &first, &end);
	part_dims(&p, own, y->hdr.dims);

	if (!p.idle) {
		struct array *in = array_borrow(type, DIMS, own, NULL, data);

		load(in, &p, x);
		fft(DIMS, own, (1ul << all.last) - 1, mode, type, data, data);
		array_free(in);
	}

	exchange(&t, data, base);
	md_copy_dims(DIMS, own, y->hdr.dims);
	own[all.d] = end - first;

	if (first < end) {
		fft(DIMS, own, 1ul << all.last, mode, type, data + base, data + base);
		scale_by(type, (long)(all.after / dtype_size(type)), data + base, scale);
	}

	const long inner = (long)(t.inner / dtype_size(type));

	for (long l = 0; l < t.last && first < end; l++)
		cfl_put(y, (l * t.n + first) * inner, (end - first) * inner,
		        data + base + (size_t)(l * (end - first)) * t.inner);

	free(data);
}

void fft_shared(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale)
{
	if (0 <= sharing_dim(DIMS, y->hdr.dims, flags))
		transform_parts(y, x, flags, mode, scale);
	else
		transform_all(y, x, mode, scale);
}

long fft_shared_memory(const struct hdr *h, const struct cfl *x, unsigned long flags, const char *name)
{
	const bool parts = 0 <= sharing_dim(DIMS, h->dims, flags);
	const struct part p = part_choose(h->dims, parts ? flags : 0, 0, 0);
	const struct all all = parts ? (struct all){0} : all_dims(h);

	return part_open_memory(&p, x, x->hdr.type) +
	       (parts ? part_out_memory(&p, h, h->type, name) : (long)(all.before + all.after));
}
