/* Typed arrays: storage, shape, and where they come from. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array_internal.h"

/** Memory that several views share. */
struct storage {
	long references;
	void *memory;
};

const struct array_rules array_default = {NARROW_SATURATE, DOMAIN_NAN};

static void set_dims(struct array *a, int D, const long dims[])
{
	if (D < 0 || D > DIMS)
		error("an array has %d dimensions, expected 0 to %d", D, DIMS);

	for (int i = 0; i < DIMS; i++) {
		a->dims[i] = (i < D) ? dims[i] : 1;

		if (a->dims[i] < 0)
			error("size %ld is given for dimension %d, expected 0 or more", a->dims[i], i);
	}
}

struct array *array_borrow(enum dtype t, int D, const long dims[], const long strs[], void *data)
{
	struct array *a = NEW(struct array);

	a->type = t;
	a->data = data;
	set_dims(a, D, dims);

	if (NULL == strs) {
		md_calc_strides(DIMS, a->strs, a->dims, dtype_size(t));
		return a;
	}

	for (int i = 0; i < D; i++)
		a->strs[i] = (1 == dims[i]) ? 0 : strs[i];

	return a;
}

struct array *array_adopt(enum dtype t, int D, const long dims[], void *memory)
{
	struct array *a = array_borrow(t, D, dims, NULL, memory);

	a->storage = NEW(struct storage);
	a->storage->references = 1;
	a->storage->memory = memory;

	return a;
}

struct array *array_create(enum dtype t, int D, const long dims[])
{
	struct array *a = array_borrow(t, D, dims, NULL, NULL);
	long bytes = mul_checked(array_count(a), (long)dtype_size(t), "the size of an array");
	const long room = (0 < bytes) ? bytes : 1;

	array_free(a);

	return array_adopt(t, D, dims, md_alloc(1, &room, 1));
}

struct array *array_open(struct cfl *f)
{
	long strs[DIMS];
	bool swapped;
	const void *data = cfl_raw(f, strs, &swapped);
	struct array *a = array_borrow(f->hdr.type, DIMS, f->hdr.dims, strs, (void *)data);

	a->swapped = swapped;
	a->constant = true;
	a->name = f->name;

	return a;
}

struct array *array_out(struct cfl *f)
{
	struct array *a = array_borrow(f->hdr.type, DIMS, f->hdr.dims, NULL, cfl_map_out(f));

	a->name = f->name;

	return a;
}

struct array *array_dup(const struct array *a)
{
	struct array *b = NEW(struct array);

	*b = *a;

	if (NULL != a->storage)
		__atomic_add_fetch(&a->storage->references, 1, __ATOMIC_RELAXED);

	return b;
}

struct array *array_ref(const struct array *a)
{
	return array_dup(a);
}

void array_free(const struct array *a)
{
	if (NULL == a)
		return;

	if (NULL != a->storage && 0 == __atomic_sub_fetch(&a->storage->references, 1, __ATOMIC_ACQ_REL)) {
		md_free(a->storage->memory);
		free(a->storage);
	}

	free((void *)a);
}

long array_count(const struct array *a)
{
	return md_calc_size(DIMS, a->dims);
}

bool array_is_contiguous(const struct array *a)
{
	long step = (long)dtype_size(a->type);

	for (int i = 0; i < DIMS; i++) {
		if (0 == a->dims[i])
			return true;

		if (1 != a->dims[i] && a->strs[i] != step)
			return false;

		step *= a->dims[i];
	}

	return true;
}

int array_rank(const struct array *a)
{
	int n = DIMS;

	while (n > 1 && 1 == a->dims[n - 1])
		n--;

	return n;
}

const char *array_shape(const struct array *a)
{
	enum { LENGTH = DIMS * 24, ROTATION = 4 };
	static char buffers[ROTATION][LENGTH];
	static int next;
	char *text = buffers[next++ % ROTATION];
	int used = 0;

	for (int d = 0; d < array_rank(a); d++)
		used += snprintf(text + used, (size_t)(LENGTH - used), d ? " x %ld" : "%ld", a->dims[d]);

	return text;
}

const char *array_label(const struct array *a)
{
	return (NULL != a->name) ? a->name : "an array";
}

void array_common_dims(int n, const struct array *const in[], long dims[DIMS])
{
	md_singleton_dims(DIMS, dims);

	for (int k = 0; k < n; k++) {
		for (int i = 0; i < DIMS; i++) {
			if (in[k]->dims[i] == dims[i] || 1 == in[k]->dims[i])
				continue;

			if (1 == dims[i]) {
				dims[i] = in[k]->dims[i];
				continue;
			}

			int other = 0;

			while (in[other]->dims[i] != dims[i])
				other++;

			error("%s is %s and %s is %s: expected equal sizes along dimension %d, or size 1 in "
			      "one array",
			        array_label(in[other]), array_shape(in[other]), array_label(in[k]),
			        array_shape(in[k]), i);
		}
	}
}

void array_check_shape(const struct array *out, const struct array *in)
{
	if (!md_check_broadcast(DIMS, out->dims, in->dims))
		error("%s is %s and %s is %s: expected equal dimensions (size 1 in the first array is "
		      "repeated)",
		        array_label(in), array_shape(in), array_label(out), array_shape(out));
}

void array_check_output(const struct array *out)
{
	if (out->constant)
		error("%s is an input and must not be written", array_label(out));

	if (array_self_overlap(out))
		error("%s: elements of the output overlap in memory, expected an output without overlap",
		        array_label(out));
}
