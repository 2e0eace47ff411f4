/* Views: other dims, steps and types over the same storage. */

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array_internal.h"

static void check_dim(const struct array *a, int d)
{
	if (d < 0 || d >= DIMS)
		error("dimension %d of %s does not exist, expected 0 to %d", d, array_label(a), DIMS - 1);
}

struct array *array_slice(const struct array *a, int d, long start, long step, long n)
{
	check_dim(a, d);

	const long size = a->dims[d];

	if (0 == step || n < 0)
		error("a slice has %ld elements with step %ld in %s, expected at least 0 elements and a step "
		      "other than 0",
		        n, step, array_label(a));

	long room = (step > 0) ? size - 1 - start : start; // steps of 1 left before the end
	unsigned long stride = (step > 0) ? (unsigned long)step : 0ul - (unsigned long)step;

	if (n > 0 && (start < 0 || start >= size || (unsigned long)(n - 1) > (unsigned long)room / stride))
		error("a slice has %ld elements from index %ld with step %ld along dimension %d of %s, "
		      "expected only indices from 0 to %ld",
		        n, start, step, d, array_label(a), size - 1);

	struct array *v = array_dup(a);

	v->dims[d] = n;
	v->strs[d] = (1 < n) ? step * a->strs[d] : 0;
	v->data += (0 < n) ? start * a->strs[d] : 0;

	return v;
}

struct array *array_at(const struct array *a, int d, long i)
{
	check_dim(a, d);

	const long size = a->dims[d];

	if (i < -size || i >= size)
		error("index %ld along dimension %d of %s does not exist, expected %ld to %ld", i, d,
		        array_label(a), -size, size - 1);

	return array_slice(a, d, (i < 0) ? i + size : i, 1, 1);
}

struct array *array_flip(const struct array *a, unsigned long dims)
{
	struct array *v = array_dup(a);

	for (int i = 0; i < DIMS; i++) {
		if (!(dims & 1ul << i) || a->dims[i] < 2)
			continue;

		v->data += (a->dims[i] - 1) * a->strs[i];
		v->strs[i] = -a->strs[i];
	}

	return v;
}

struct array *array_permute(const struct array *a, const int order[DIMS])
{
	struct array *v = array_dup(a);
	unsigned long seen = 0;

	for (int i = 0; i < DIMS; i++) {
		check_dim(a, order[i]);

		if (seen & 1ul << order[i])
			error("dimension %d appears twice in the order of %s, expected each dimension once",
			        order[i], array_label(a));

		seen |= 1ul << order[i];
		v->dims[i] = a->dims[order[i]];
		v->strs[i] = a->strs[order[i]];
	}

	return v;
}

struct array *array_transpose(const struct array *a, int d1, int d2)
{
	int order[DIMS];

	check_dim(a, d1);
	check_dim(a, d2);

	for (int i = 0; i < DIMS; i++)
		order[i] = (i == d1) ? d2 : (i == d2) ? d1 : i;

	return array_permute(a, order);
}

struct array *array_diagonal(const struct array *a, int d1, int d2, long offset)
{
	check_dim(a, d1);
	check_dim(a, d2);

	if (d1 == d2)
		error("dimensions %d and %d of %s have no diagonal, expected two different dimensions", d1,
		        d2, array_label(a));

	if (offset <= -a->dims[d1] || offset >= a->dims[d2])
		error("diagonal %ld of dimensions %d and %d of %s (%s) does not exist, expected %ld to %ld",
		        offset, d1, d2, array_label(a), array_shape(a), 1 - a->dims[d1], a->dims[d2] - 1);

	struct array *v = array_dup(a);
	long i = (offset < 0) ? -offset : 0, j = (offset > 0) ? offset : 0;
	long n = (a->dims[d1] - i < a->dims[d2] - j) ? a->dims[d1] - i : a->dims[d2] - j;

	v->data += i * a->strs[d1] + j * a->strs[d2];
	v->dims[d1] = n;
	v->strs[d1] = (1 < n) ? a->strs[d1] + a->strs[d2] : 0;
	v->dims[d2] = 1;
	v->strs[d2] = 0;

	return v;
}

struct array *array_real(const struct array *a)
{
	struct array *v = array_dup(a);

	v->type = dtype_real(a->type);

	return v;
}

struct array *array_imag(const struct array *a)
{
	if (!dtype_is_complex(a->type))
		error("%s: type %s has no imaginary part, expected complex elements", array_label(a),
		        dtype_name(a->type));

	struct array *v = array_real(a);

	v->data += dtype_size(v->type);

	return v;
}

struct array *array_broadcast(const struct array *a, const long dims[DIMS])
{
	struct array *v = array_dup(a);

	for (int i = 0; i < DIMS; i++) {
		if (dims[i] == a->dims[i])
			continue;

		if (1 != a->dims[i] || dims[i] < 0)
			error("%s is %s: dimension %d cannot be repeated to %ld, expected size 1",
			        array_label(a), array_shape(a), i, dims[i]);

		v->dims[i] = dims[i];
		v->strs[i] = 0;
	}

	return v;
}

/** The next runs of dims of equal size on both sides: [*i, *j) grow until their products agree. Returns
 * whether the steps of the old dims allow it, and sets those of the new. */
static bool reshape_group(const struct array *a, int *i, const long dims[DIMS], int *j, long strs[DIMS])
{
	int i0 = *i, j0 = *j;
	long before = a->dims[(*i)++], after = dims[(*j)++];

	while (before != after) {
		if (before < after)
			before *= a->dims[(*i)++];
		else
			after *= dims[(*j)++];
	}

	for (int k = i0 + 1, last = i0; k < *i; k++) { // old dims that follow each other
		if (1 == a->dims[k])
			continue;

		if (1 != a->dims[last] && a->strs[k] != a->strs[last] * a->dims[last])
			return false;

		last = k;
	}

	int first = i0;

	while (first + 1 < *i && 1 == a->dims[first])
		first++;

	long step = a->strs[first];

	for (int k = j0; k < *j; k++) {
		strs[k] = (1 == dims[k]) ? 0 : step;
		step *= dims[k];
	}

	return true;
}

static void check_reshape(const struct array *a, const struct array *v)
{
	if (array_count(a) != array_count(v))
		error("%s is %s: %ld elements cannot become %s (%ld elements)", array_label(a),
		        array_shape(a), array_count(a), array_shape(v), array_count(v));
}

struct array *array_reshape_view(const struct array *a, int D, const long dims[])
{
	struct array *shape = array_borrow(a->type, D, dims, NULL, a->data);
	bool possible = true;

	check_reshape(a, shape);

	if (0 < array_count(a))
		for (int i = 0, j = 0; possible && i < DIMS && j < DIMS;)
			possible = reshape_group(a, &i, shape->dims, &j, shape->strs);

	struct array *v = NULL;

	if (possible) {
		v = array_dup(a);
		md_copy_dims(DIMS, v->dims, shape->dims);
		md_copy_dims(DIMS, v->strs, shape->strs);
	}

	array_free(shape);

	return v;
}

struct array *array_reshape(const struct array *a, int D, const long dims[])
{
	struct array *v = array_reshape_view(a, D, dims);

	if (NULL != v)
		return v;

	struct array *copy = array_clone(a);

	v = array_reshape_view(copy, D, dims);
	array_free(copy);

	return v;
}

/** Complex elements as pairs of reals in a new dim 0. */
static struct array *split_pairs(const struct array *a)
{
	if (1 != a->dims[DIMS - 1])
		error("%s: all %d dimensions are in use, expected a free one for the real and imaginary "
		      "parts",
		        array_label(a), DIMS);

	struct array *v = array_real(a);

	for (int i = DIMS - 1; i > 0; i--) {
		v->dims[i] = a->dims[i - 1];
		v->strs[i] = a->strs[i - 1];
	}

	v->dims[0] = 2;
	v->strs[0] = (long)dtype_size(v->type);

	return v;
}

/** Pairs of reals in dim 0 as complex elements. */
static struct array *join_pairs(const struct array *a, enum dtype t)
{
	if (2 != a->dims[0] || (long)dtype_size(a->type) != a->strs[0])
		error("%s is %s: expected 2 contiguous elements along dimension 0, the real and imaginary "
		      "parts of %s",
		        array_label(a), array_shape(a), dtype_name(t));

	struct array *v = array_dup(a);

	v->type = t;

	for (int i = 0; i < DIMS; i++) {
		v->dims[i] = (i + 1 < DIMS) ? a->dims[i + 1] : 1;
		v->strs[i] = (i + 1 < DIMS) ? a->strs[i + 1] : 0;
	}

	return v;
}

/** Whether every element lies at a multiple of the unit of t. */
static bool is_aligned(const struct array *a, enum dtype t)
{
	size_t all = (size_t)a->data;

	for (int i = 0; i < DIMS; i++)
		all |= (size_t)a->strs[i];

	return 0 == all % dtype_unit(t);
}

struct array *array_reinterpret(const struct array *a, enum dtype t)
{
	if (dtype_is_complex(a->type) && dtype_real(a->type) == t)
		return split_pairs(a);

	if (dtype_is_complex(t) && dtype_real(t) == a->type)
		return join_pairs(a, t);

	if (dtype_size(t) != dtype_size(a->type))
		error("%s: %s cannot be read as %s, expected a type of %zu bytes", array_label(a),
		        dtype_name(a->type), dtype_name(t), dtype_size(a->type));

	if (!is_aligned(a, t))
		error("%s: elements are not aligned for type %s, expected addresses that are multiples of "
		      "%zu bytes",
		        array_label(a), dtype_name(t), dtype_unit(t));

	struct array *v = array_dup(a);

	v->type = t;

	return v;
}
