/* Index objects: numbers along a dim, validated once. */

#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array_index.h"
#include "num/array/array_internal.h"

static struct index *index_new(long extent, long n)
{
	struct index *x = NEW(struct index);

	if (n < 0)
		error("an index has %ld elements, expected 0 or more", n);

	x->extent = extent;
	x->n = n;

	return x;
}

/** i counted from the start; error() when it is outside. */
static long resolve(long extent, long i)
{
	if (i < -extent || i >= extent)
		error("index %ld, expected %ld to %ld", i, -extent, extent - 1);

	return (i < 0) ? i + extent : i;
}

/** Finds out whether the numbers at[] are a range, which needs no list. */
static struct index *settle(struct index *x)
{
	x->ascending = true;
	x->is_range = true;
	x->start = (0 < x->n) ? x->at[0] : 0;
	x->step = (1 < x->n) ? x->at[1] - x->at[0] : 1;

	for (long i = 1; i < x->n; i++) {
		x->ascending = x->ascending && x->at[i] > x->at[i - 1];
		x->is_range = x->is_range && x->at[i] - x->at[i - 1] == x->step;
	}

	x->is_range = x->is_range && 0 != x->step;

	if (x->is_range) {
		free(x->at);
		x->at = NULL;
	}

	return x;
}

struct index *index_range(long extent, long start, long step, long n)
{
	struct index *x = index_new(extent, n);

	if (0 == step)
		error("a range has step 0, expected a step other than 0");

	x->is_range = true;
	x->ascending = 0 < step;
	x->step = step;
	x->start = (0 < n) ? resolve(extent, start) : 0;

	unsigned long stride = (step > 0) ? (unsigned long)step : 0ul - (unsigned long)step;
	long room = (step > 0) ? extent - 1 - x->start : x->start;

	if (0 < n && (unsigned long)(n - 1) > (unsigned long)room / stride)
		error("a range has %ld elements from index %ld with step %ld, expected only indices from 0 "
		      "to %ld",
		        n, start, step, extent - 1);

	return x;
}

struct index *index_list(long extent, long n, const long at[])
{
	struct index *x = index_new(extent, n);

	x->at = mem_alloc((size_t)mul_checked(n, sizeof *at, "an index") + 1);

	for (long i = 0; i < n; i++)
		x->at[i] = resolve(extent, at[i]);

	return settle(x);
}

/** The elements of an array with one dim, contiguous, as type t. */
static struct array *one_dim(const struct array *a, enum dtype t, const char *what)
{
	int longer = 0;

	for (int i = 0; i < DIMS; i++)
		longer += 1 != a->dims[i];

	if (longer > 1)
		error("%s is %s: expected %s along one dimension", array_label(a), array_shape(a), what);

	return array_cast(a, t, (struct array_rules){NARROW_ERROR, DOMAIN_NAN});
}

struct index *index_mask(long extent, const struct array *mask)
{
	if (DT_BOOL != mask->type)
		error("%s is a mask of type %s, expected bool", array_label(mask), dtype_name(mask->type));

	if (array_count(mask) != extent)
		error("%s is a mask of %ld elements, expected %ld", array_label(mask), array_count(mask),
		        extent);

	struct array *line = one_dim(mask, DT_BOOL, "a mask");
	const unsigned char *chosen = (unsigned char *)line->data;
	long n = 0;

	for (long i = 0; i < extent; i++)
		n += chosen[i];

	struct index *x = index_new(extent, n);

	x->at = mem_alloc((size_t)mul_checked(n, sizeof *x->at, "an index") + 1);
	n = 0;

	for (long i = 0; i < extent; i++)
		if (chosen[i])
			x->at[n++] = i;

	array_free(line);

	return settle(x);
}

struct index *index_from(long extent, const struct array *list)
{
	if (!dtype_is_integer(list->type) || DT_BOOL == list->type)
		error("%s is a list of type %s, expected integers", array_label(list),
		        dtype_name(list->type));

	struct array *line = one_dim(list, DT_INT64, "a list");
	struct index *x = index_list(extent, array_count(line), (const long *)line->data);

	array_free(line);

	return x;
}

long index_count(const struct index *x)
{
	return x->n;
}

long index_at(const struct index *x, long i)
{
	return (NULL != x->at) ? x->at[i] : x->start + i * x->step;
}

bool index_is_range(const struct index *x)
{
	return x->is_range;
}

void index_free(const struct index *x)
{
	if (NULL == x)
		return;

	free(x->at);
	free((void *)x);
}
