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

/** A dim is not transformed: parts along it need nothing of others. */
static void transform_parts(struct cfl *y, struct cfl *x, unsigned long flags, unsigned mode, double scale)
{
	const struct part p = part_choose(y->hdr.dims, flags, 0, 0);
	const enum dtype type = y->hdr.type;
	struct array *a = part_open(&p, x, type, false), *b = part_out(&p, y, type, false);

	fft(DIMS, b->dims, flags, mode, type, b->data, a->data);
	scale_by(type, md_calc_size(DIMS, b->dims), b->data, scale);
	array_free(a);
	part_finish(&p, y, b);
}

/** All dims are: the last one after the others. */
static void transform_all(struct cfl *y, struct cfl *x, unsigned mode, double scale)
{
	const enum dtype type = y->hdr.type;
	const long *dims = y->hdr.dims;
	const int last = sharing_dim(DIMS, dims, 0), d = sharing_dim(DIMS, dims, 1ul << last);
	const struct sharing s = sharing_along(DIMS, dims, dtype_size(type), d, 1);
	const struct turn t = {s.inner, dims[d], dims[last]};
	const struct part p = part_choose(dims, 0, 0, 0);
	long own[DIMS], first, end, a, b;

	ranks_part(t.last, 1, &a, &b);
	ranks_part(t.n, 1, &first, &end);

	const size_t base = (size_t)(b - a) * (size_t)t.n * t.inner,
	             bytes = (size_t)(end - first) * (size_t)t.last * t.inner;
	char *data = mem_alloc(base + bytes + 1);

	if (!p.idle) {
		struct array *in = part_open(&p, x, type, false);

		fft(DIMS, in->dims, (1ul << last) - 1, mode, type, data, in->data);
		array_free(in);
	}

	exchange(&t, data, base);
	md_copy_dims(DIMS, own, dims);
	own[d] = end - first;

	if (first < end) {
		fft(DIMS, own, 1ul << last, mode, type, data + base, data + base);
		scale_by(type, (long)(bytes / dtype_size(type)), data + base, scale);
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
