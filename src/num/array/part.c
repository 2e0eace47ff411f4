/* Parts of files that ranks process. */

#include <stdlib.h>

#include "num/array/part.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/ranks/sharing.h"
#include "num/array/array_as.h"
#include "num/array/array_internal.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

/** Elements that are converted at a time. */
enum { PIECE = 1 << 16 };

struct part part_choose(const long dims[DIMS], unsigned long whole, unsigned long around, long halo)
{
	struct part p = {.d = sharing_dim(DIMS, dims, whole)};

	if (!ranks_shared() || p.d < 0) {
		ranks_alone();
		p.d = -1;
		return p;
	}

	const long n = dims[p.d], more = (around >> p.d & 1) ? halo : 0;

	ranks_part(n, 1, &p.first, &p.end);
	p.idle = p.first == p.end;

	if (p.idle) {
		p.first = 0;
		p.end = 1;
	}

	p.from = max_long(0, p.first - more);
	p.to = min_long(n, p.end + more);

	return p;
}

void part_dims(const struct part *p, long own[DIMS], const long dims[DIMS])
{
	md_copy_dims(DIMS, own, dims);

	if (0 <= p->d && 1 < dims[p->d])
		own[p->d] = p->to - p->from;
}

/** Whether an array has elements of type t that arithmetic can use where they are. */
static bool is_ready(const struct array *a, enum dtype t)
{
	return t == a->type && !a->swapped && array_is_contiguous(a);
}

/** Whether only a part of the file is opened. */
static bool is_cut(const struct part *p, const struct cfl *f)
{
	return 0 <= p->d && 1 < f->hdr.dims[p->d];
}

/** The shape of the part of an array. */
static void cut(struct array *a, const struct part *p)
{
	a->dims[p->d] = p->to - p->from;
	a->strs[p->d] = (1 == a->dims[p->d]) ? 0 : a->strs[p->d];
}

long part_open_memory(const struct part *p, const struct cfl *f, enum dtype t)
{
	long strs[DIMS];
	bool swapped;

	cfl_raw_layout(f, strs, &swapped);

	struct array *a = array_borrow(f->hdr.type, DIMS, f->hdr.dims, strs, NULL);

	a->swapped = swapped;

	if (is_cut(p, f))
		cut(a, p);

	const long bytes = is_ready(a, t) ? 0 : array_count(a) * (long)dtype_size(t);

	array_free(a);

	return bytes;
}

struct array *part_open(const struct part *p, struct cfl *f, enum dtype t, bool on_device)
{
	if (!is_cut(p, f))
		return array_open_contiguous(f, t, on_device);

	struct array *a = array_open(f);

	a->data = (char *)a->data + p->from * a->strs[p->d];
	cut(a, p);

	if (is_ready(a, t))
		return a;

	struct array *copy = array_cast(a, t, array_default);

	array_free(a);

	return copy;
}

long part_out_memory(const struct part *p, const struct hdr *h, enum dtype t, const char *name)
{
	const long all = hdr_count(h, name) * (long)dtype_size(t);

	if (p->d < 0)
		return (t == h->type) ? 0 : all;

	return all / h->dims[p->d] * (p->to - p->from);
}

struct array *part_out(const struct part *p, struct cfl *f, enum dtype t, bool on_device)
{
	long own[DIMS];

	if (p->d < 0)
		return array_out_as(f, t, on_device);

	part_dims(p, own, f->hdr.dims);

	return array_create(t, DIMS, own);
}

/** n elements of the file from number `first` on; how many do not fit into its type. */
static long put(struct cfl *f, long first, long n, enum dtype t, const char *data)
{
	const enum dtype to = f->hdr.type;
	char *buffer = mem_alloc((size_t)PIECE * dtype_size(to));
	long lost = 0;

	for (long i = 0; i < n; i += PIECE) {
		const long m = min_long(PIECE, n - i);
		const char *from = data + i * (long)dtype_size(t);

		if (t != to) {
			lost += convert(to, buffer, t, from, m, NARROW_SATURATE);
			from = buffer;
		}

		cfl_put(f, first + i, m, from);
	}

	free(buffer);

	return lost;
}

void part_finish(const struct part *p, struct cfl *f, struct array *a)
{
	if (p->d < 0) {
		array_finish_as(f, a);
		return;
	}

	const struct sharing s = sharing_along(DIMS, f->hdr.dims, 1, p->d, 1);
	const long inner = (long)s.inner, have = p->to - p->from, n = p->end - p->first;
	long lost = 0;

	for (long o = 0; o < s.outer && !p->idle; o++)
		lost += put(f, (o * s.n + p->first) * inner, n * inner, a->type,
		        (const char *)a->data +
		                (o * have + p->first - p->from) * inner * (long)dtype_size(a->type));

	ranks_sum(&lost, 1);

	struct array *out = array_borrow(f->hdr.type, DIMS, f->hdr.dims, NULL, NULL);

	out->name = f->name;
	array_report_lost(out, a->type, lost, array_default);
	array_free(out);
	array_free(a);
}
