#include "num/array_as.h"

struct array *array_open_as(struct cfl *f, enum dtype t)
{
	struct array *a = array_open(f);

	if (t == a->type && !a->swapped)
		return a;

	struct array *copy = array_cast(a, t, array_default);

	array_free(a);

	return copy;
}

struct array *array_open_contiguous(struct cfl *f, enum dtype t)
{
	struct array *a = array_open_as(f, t);

	if (array_is_contiguous(a))
		return a;

	struct array *copy = array_cast(a, t, array_default);

	array_free(a);

	return copy;
}

long array_open_as_memory(const struct cfl *f, enum dtype t)
{
	return (t == f->hdr.type && !f->hdr.big_endian) ? 0 : f->count * (long)dtype_size(t);
}

struct array *array_out_as(struct cfl *f, enum dtype t)
{
	return (t == f->hdr.type) ? array_out(f) : array_create(t, DIMS, f->hdr.dims);
}

void array_finish_as(struct cfl *f, struct array *a)
{
	if (a->type != f->hdr.type) {
		struct array *out = array_out(f);

		array_copy(out, a, array_default);
		array_free(out);
	}

	array_free(a);
}
