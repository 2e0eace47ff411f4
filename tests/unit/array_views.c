/* Views, index objects and masks. With the name of a file: random chains of them as Python statements with
 * their results, which tests/types.bats compares with NumPy's. Without: what is refused, and what needs no
 * NumPy. */

#include <omp.h>
#include <stdarg.h>

#include "check.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "strided.h"

/* ---- chains for NumPy: `v` has 16 dims ---- */

static FILE *out;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
}

static void say_list(const char *before, long n, const long v[], const char *after)
{
	say("%s", before);

	for (long i = 0; i < n; i++)
		say("%ld,", v[i]);

	say("%s", after);
}

/* Elements 0, 1, 2, ...; of complex numbers also an imaginary part. */
static struct array *numbered(enum dtype t, int D, const long dims[])
{
	struct array *a = array_create(t, D, dims);

	for (long i = 0; i < array_count(a); i++) {
		const double v[2] = {(double)i, (double)(1000 + i)};

		convert(t, a->data + i * (long)dtype_size(t),
		        dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64, v, 1, NARROW_SATURATE);
	}

	return a;
}

static struct array *do_slice(const struct array *v)
{
	const int d = (int)pick(5);
	const long size = v->dims[d], step = (1 + pick(3)) * (pick(2) ? 1 : -1);
	const long start = pick(size), room = (step > 0) ? size - 1 - start : start;
	const long n = 1 + pick(room / labs(step) + 1), stop = start + n * step;

	say("v = v[(slice(None),) * %d + (slice(%ld, ", d, start);

	if (stop < 0)
		say("None");
	else
		say("%ld", stop);

	say(", %ld),)]\n", step);

	return array_slice(v, d, start, step, n);
}

static struct array *do_at(const struct array *v)
{
	const int d = (int)pick(5);
	const long i = pick(2 * v->dims[d]) - v->dims[d];

	say("v = v[(slice(None),) * %d + (slice(%ld, %ld + 1),)]\n", d, (i + v->dims[d]) % v->dims[d],
	        (i + v->dims[d]) % v->dims[d]);

	return array_at(v, d, i);
}

static struct array *do_flip(const struct array *v)
{
	const unsigned long mask = (unsigned long)pick(32);

	say("v = np.flip(v, [d for d in range(16) if %lu >> d & 1])\n", mask);

	return array_flip(v, mask);
}

static struct array *do_permute(const struct array *v)
{
	int order[DIMS];

	for (int i = 0; i < DIMS; i++)
		order[i] = i;

	for (int i = 5; i > 0; i--) {
		int j = (int)pick(i + 1), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}

	say("v = v.transpose([");

	for (int i = 0; i < DIMS; i++)
		say("%d,", order[i]);

	say("])\n");

	return array_permute(v, order);
}

static struct array *do_diagonal(const struct array *v)
{
	const int d1 = (int)pick(4), d2 = (d1 + 1 + (int)pick(3)) % 4;
	const long offset = pick(v->dims[d1] + v->dims[d2] - 1) - v->dims[d1] + 1;

	say("v = np.expand_dims(np.moveaxis(np.diagonal(v, %ld, %d, %d), -1, %d), %d)\n", offset, d1, d2,
	        d1 - (d2 < d1), d2);

	return array_diagonal(v, d1, d2, offset);
}

static struct array *do_part(const struct array *v)
{
	const bool imag = dtype_is_complex(v->type) && pick(2);

	say("v = v.%s\n", imag ? "imag" : "real");

	return imag ? array_imag(v) : array_real(v);
}

/* A random shape of as many elements. */
static struct array *do_reshape(const struct array *v)
{
	long dims[5], rest = array_count(v);

	for (int i = 0; i < 4; i++) {
		long n = 1 + pick(6);

		dims[i] = (0 == rest % n) ? n : 1;
		rest /= dims[i];
	}

	dims[4] = rest;
	say_list("shape = [", 5, dims, "] + [1] * 11\n");

	struct array *view = array_reshape_view(v, 5, dims);

	say("check_view(v, shape, %d)\n", NULL != view);
	say("v = v.reshape(shape, order='F')\n");
	array_free(view);

	return array_reshape(v, 5, dims);
}

static struct array *do_broadcast(const struct array *v)
{
	long dims[DIMS];

	md_copy_dims(DIMS, dims, v->dims);

	for (int i = 0; i < 4; i++)
		if (1 == dims[i] && pick(2))
			dims[i] = 1 + pick(3);

	say_list("v = np.broadcast_to(v, [", DIMS, dims, "])\n");

	return array_broadcast(v, dims);
}

static struct array *do_reinterpret(const struct array *v)
{
	if (dtype_is_complex(v->type)) {
		say("v = np.lib.stride_tricks.as_strided(v.real, (2,) + v.shape[:-1], "
		    "(v.real.itemsize,) + v.strides[:-1])\n");

		return array_reinterpret(v, dtype_real(v->type));
	}

	if (DT_FLOAT32 == v->type) {
		say("v = v.view('i4')\n");

		return array_reinterpret(v, DT_INT32);
	}

	return array_ref(v);
}

static struct array *do_take(const struct array *v)
{
	const int d = (int)pick(5);
	const long size = v->dims[d], n = pick(2 * size + 1);
	long at[64], dims[DIMS];

	for (long i = 0; i < n; i++)
		at[i] = pick(2 * size) - size;

	struct index *x = index_list(size, n, at);

	md_copy_dims(DIMS, dims, v->dims);
	dims[d] = n;

	struct array *taken = array_create(v->type, DIMS, dims);

	array_take(taken, v, d, x, array_default);
	index_free(x);
	say_list("v = np.asfortranarray(np.take(v, np.array([", n, at, "], int)");
	say(", %d))\n", d);

	return taken;
}

/* Numbers put at a list of places, the others stay. */
static struct array *do_put(const struct array *v)
{
	const int d = (int)pick(5);
	const long size = v->dims[d], n = 1 + pick(2 * size);
	long at[64], dims[DIMS];

	for (long i = 0; i < n; i++)
		at[i] = pick(size);

	struct index *x = index_list(size, n, at);

	md_copy_dims(DIMS, dims, v->dims);
	dims[d] = n;

	struct array *put = array_cast(v, v->type, array_default);
	struct array *values = numbered(DT_INT16, DIMS, dims);

	array_put(put, d, x, values, array_default);
	say_list("values = np.arange(", 0, NULL, "");
	say("%ld)", array_count(values));
	say_list(".reshape([", DIMS, dims, "], order='F')\n");
	say_list("v = v.copy(order='F'); at = [", n, at, "]\n");
	say("for i in range(%ld): v[(slice(None),) * %d + (at[i],)] = values[(slice(None),) * %d + (i,)]\n",
	        n, d, d);
	array_free(values);
	index_free(x);

	return put;
}

static struct array *do_mask(const struct array *v)
{
	struct array *mask = array_create(DT_BOOL, DIMS, v->dims);
	const long n = array_count(mask);
	long *chosen = mem_alloc((size_t)n * sizeof *chosen);

	for (long i = 0; i < n; i++)
		mask->data[i] = (char)(chosen[i] = 0 != pick(3));

	struct array *taken = array_take_mask(v, mask);

	say_list("m = np.array([", n, chosen, "], bool)\n");
	say("v = v.ravel(order='F')[m].reshape([-1] + [1] * 15)\n");
	array_free(mask);
	free(chosen);

	return taken;
}

static void write_chains(const char *path)
{
	typedef struct array *step_fn(const struct array *v);
	static step_fn *const steps[] = {do_slice, do_at, do_flip, do_permute, do_diagonal, do_part,
	        do_reshape, do_reshape, do_broadcast, do_reinterpret, do_take, do_put, do_mask, do_slice,
	        do_permute};
	static const enum dtype types[] = {DT_INT32, DT_FLOAT32, DT_COMPLEX64, DT_UINT8, DT_COMPLEX128};
	static const char *const names[] = {"i4", "f4", "c8", "u1", "c16"};

	out = fopen(path, "w");

	if (NULL == out)
		error("%s: cannot be written", path);

	for (int c = 0; c < 1500; c++) {
		const int t = (int)pick(5);
		long dims[4];

		for (int i = 0; i < 4; i++)
			dims[i] = 1 + pick(4);

		struct array *v = numbered(types[t], 4, dims);

		say_list("v = start([", 4, dims, "], ");
		say("'%s')\n", names[t]);

		for (int k = (int)pick(5); k >= 0 && 0 < array_count(v); k--) {
			struct array *w = steps[pick(sizeof steps / sizeof steps[0])](v);

			array_free(v);
			v = w;

			if (pick(3))
				continue;

			struct array *swapped =
			        array_cast(v, v->type, array_default); // elsewhere, other order

			array_byteswap(swapped);
			array_free(v);
			v = swapped;
			say("v = np.asfortranarray(v)\n");
		}

		struct array *sure =
		        array_cast(v, dtype_is_complex(v->type) ? DT_COMPLEX128 : DT_FLOAT64, array_default);
		const double *p = (const double *)sure->data;
		const long n = array_count(sure) * (dtype_is_complex(v->type) ? 2 : 1);

		say_list("same(v, [", DIMS, sure->dims, "], [");

		for (long i = 0; i < n; i++)
			say("%.17g,", p[i]);

		say("])\n");
		array_free(v);
		array_free(sure);
	}

	fclose(out);
}

/* ---- what is refused ---- */

static struct array *small(void)
{
	struct array *a = numbered(DT_FLOAT32, 2, (const long[]){4, 3});

	a->name = "a";

	return a;
}

#define REFUSED(test, call)                                                                                  \
	static void test(void)                                                                               \
	{                                                                                                    \
		struct array *a = small();                                                                   \
		(void)a;                                                                                     \
                                                                                                             \
		call;                                                                                        \
	}

REFUSED(slice_beyond, array_slice(a, 0, 1, 1, 4))
REFUSED(slice_before, array_slice(a, 0, 2, -2, 3))
REFUSED(slice_huge, array_slice(a, 0, 1, 1l << 62, 3))
REFUSED(slice_step, array_slice(a, 0, 0, 0, 1))
REFUSED(at_beyond, array_at(a, 1, 3))
REFUSED(at_before, array_at(a, 1, -4))
REFUSED(diagonal_beyond, array_diagonal(a, 0, 1, 3))
REFUSED(diagonal_same, array_diagonal(a, 1, 1, 0))
REFUSED(permute_twice,
        array_permute(a, (const int[DIMS]){0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))
REFUSED(imag_of_real, array_imag(a))
REFUSED(broadcast_longer,
        array_broadcast(a, (const long[DIMS]){4, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
REFUSED(reshape_other, array_reshape(a, 2, (const long[]){5, 2}))
REFUSED(reinterpret_size, array_reinterpret(a, DT_INT16))
REFUSED(reinterpret_pairs, array_reinterpret(a, DT_COMPLEX64))
REFUSED(too_many, array_create(DT_INT8, 17, NULL))
REFUSED(negative, array_create(DT_INT8, 1, (const long[]){-1}))
REFUSED(too_large, array_create(DT_INT64, 3, (const long[]){1l << 31, 1l << 31, 2}))
REFUSED(list_beyond, index_list(4, 2, (const long[]){0, 4}))
REFUSED(list_before, index_list(4, 1, (const long[]){-5}))
REFUSED(range_beyond, index_range(4, 1, 2, 3))
REFUSED(mask_type, index_mask(12, a))
REFUSED(list_type, index_from(12, a))
REFUSED(mask_shape, array_take_mask(a, array_create(DT_BOOL, 1, (const long[]){12})))
REFUSED(shapes, array_op(OP_ADD, (const struct array *const[]){a, array_transpose(a, 0, 1)}, array_default))
REFUSED(complex_order,
        array_op(OP_LT, (const struct array *const[]){a, array_cast(a, DT_COMPLEX64, array_default)},
                array_default))
REFUSED(complex_max,
        array_reduction(RED_MAX, 1, (const struct array *const[]){array_cast(a, DT_COMPLEX64, array_default)},
                array_default))
REFUSED(reduce_shape, array_reduce(RED_SUM, 1, a, (const struct array *const[]){a}, array_default))
REFUSED(other_extent, array_take(a, a, 1, index_range(4, 0, 1, 4), array_default))
REFUSED(put_count, array_put_mask(a, array_cast(a, DT_BOOL, array_default), a, array_default))

static void test_refused(void)
{
	check_ends(1,
	        "4 elements from index 1 with step 1 along dimension 0 of a, expected only indices from 0 to "
	        "3",
	        slice_beyond, "a slice beyond the end");
	check_ends(1, "expected only indices from 0 to 3", slice_before, "a slice before the start");
	check_ends(1, "expected only indices from 0 to 3", slice_huge, "a step that overflows");
	check_ends(1, "expected at least 0 elements and a step other than 0", slice_step, "a step of 0");
	check_ends(1, "index 3 along dimension 1 of a does not exist, expected -3 to 2", at_beyond,
	        "an element beyond");
	check_ends(1, "index -4 along", at_before, "an element before");
	check_ends(1, "diagonal 3 of dimensions 0 and 1 of a (4 x 3) does not exist, expected -3 to 2",
	        diagonal_beyond, "a diagonal beyond");
	check_ends(1, "expected two different dimensions", diagonal_same, "the diagonal of one dim");
	check_ends(1, "dimension 0 appears twice", permute_twice, "an order with a dim twice");
	check_ends(1, "expected complex elements", imag_of_real, "the imaginary part of reals");
	check_ends(1, "cannot be repeated to 6", broadcast_longer, "repeating more than 1 element");
	check_ends(1, "12 elements cannot become 5 x 2 (10 elements)", reshape_other,
	        "another number of elements");
	check_ends(1, "expected a type of 4 bytes", reinterpret_size, "bytes as another size");
	check_ends(1, "expected 2 contiguous elements", reinterpret_pairs, "complex numbers from no pairs");
	check_ends(1, "17 dimensions", too_many, "17 dims");
	check_ends(1, "size -1", negative, "a negative size");
	check_ends(1, "does not fit into 63 bits", too_large, "more elements than 64 bits count");
	check_ends(1, "index 4, expected -4 to 3", list_beyond, "a list beyond the end");
	check_ends(1, "index -5, expected -4 to 3", list_before, "a list before the start");
	check_ends(
	        1, "a range has 3 elements from index 1 with step 2", range_beyond, "a range beyond the end");
	check_ends(1, "is a mask of type float32, expected bool", mask_type, "a mask of floats");
	check_ends(1, "is a list of type float32, expected integers", list_type, "a list of floats");
	check_ends(1, "is 4 x 3, but its mask", mask_shape, "a mask of another shape");
	check_ends(1, "a is 4 x 3 and a is 3 x 4", shapes, "shapes that differ");
	check_ends(1, "lt needs real elements, found complex ones", complex_order,
	        "the order of complex numbers");
	check_ends(1, "max needs real elements, found complex ones", complex_max,
	        "the maximum of complex numbers");
	check_ends(1, "but the result of sum over a", reduce_shape, "a reduction into its own shape");
	check_ends(1, "an index for 4 elements does not fit dimension 1", other_extent,
	        "an index of another extent");
	check_ends(1, "expected 11 values along one dimension", put_count, "other than the chosen values");
}

/* ---- index objects ---- */

static bool holds(const struct index *x, long n, const long at[])
{
	if (index_count(x) != n)
		return false;

	for (long i = 0; i < n; i++)
		if (index_at(x, i) != at[i])
			return false;

	return true;
}

static void test_index(void)
{
	const unsigned char chosen[] = {0, 1, 0, 0, 1, 1, 0};
	const unsigned char regular[] = {0, 1, 0, 1, 0, 1, 0};
	const int16_t listed[] = {-1, 0, 3};
	const long seven[] = {7}, three[] = {3};
	struct array *mask = array_borrow(DT_BOOL, 1, seven, NULL, (void *)chosen);
	struct array *even = array_borrow(DT_BOOL, 1, seven, NULL, (void *)regular);
	struct array *list = array_borrow(DT_INT16, 1, three, NULL, (void *)listed);
	struct index *x[] = {index_list(7, 3, (const long[]){-1, 2, 2}), index_mask(7, mask),
	        index_mask(7, even), index_from(7, list), index_range(7, -1, -3, 3),
	        index_list(7, 3, (const long[]){5, 3, 1}), index_list(7, 0, NULL), index_range(7, 0, 1, 0)};

	check(holds(x[0], 3, (const long[]){6, 2, 2}) && !index_is_range(x[0]),
	        "negative numbers, and twice");
	check(holds(x[1], 3, (const long[]){1, 4, 5}) && !index_is_range(x[1]), "a mask");
	check(holds(x[2], 3, (const long[]){1, 3, 5}) && index_is_range(x[2]), "a regular mask is a range");
	check(holds(x[3], 3, (const long[]){6, 0, 3}), "numbers of an array");
	check(holds(x[4], 3, (const long[]){6, 3, 0}) && index_is_range(x[4]), "a range backwards");
	check(holds(x[5], 3, (const long[]){5, 3, 1}) && index_is_range(x[5]), "a regular list is a range");
	check(0 == index_count(x[6]) && 0 == index_count(x[7]), "empty ones");

	const long none[] = {0, 7};
	struct array *in = numbered(DT_INT32, 2, (const long[]){7, 7});
	struct array *empty = array_create(DT_INT32, 2, none),
	             *copy = array_cast(in, DT_INT32, array_default);

	array_take(empty, in, 0, x[6], array_default);
	array_put(in, 0, x[6], empty, array_default);
	check(0 == memcmp(in->data, copy->data, 49 * 4), "nothing taken and put");

	for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
		index_free(x[i]);

	const struct array *all[] = {mask, even, list, in, empty, copy};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		array_free(all[i]);
}

/* Large gathers and scatters, so that threads share them, in both directions and with numbers repeated. */
static void test_large_index(void)
{
	enum { N = 3000, M = 40, K = 5000 };
	bool good = true;

	omp_set_num_threads(7);

	for (int d = 0; d < 2; d++) {
		const long dims[] = {d ? M : N, d ? N : M}, taken_dims[] = {d ? M : K, d ? K : M};
		struct array *in = numbered(DT_FLOAT64, 2, dims);
		struct array *taken = array_create(DT_FLOAT32, 2, taken_dims);
		struct array *back = array_create(DT_INT64, 2, dims);
		const long zero = 0;
		long *at = mem_alloc(K * sizeof *at), *last = mem_calloc(N, sizeof *last);

		for (int i = 0; i < K; i++)
			at[i] = pick(N);

		for (int i = 0; i < K; i++)
			last[at[i]] = i + 1;

		struct index *x = index_list(N, K, at);
		struct array *number = numbered(DT_INT32, 1, (const long[]){K});
		struct array *transposed = array_transpose(number, 0, d);

		array_take(taken, in, d, x, array_default);
		array_fill(back, &zero, DT_INT64);
		array_put(back, d, x, transposed, array_default);

		for (long i = 0; i < K; i++)
			for (long j = 0; j < M; j++)
				good = good && ((float *)taken->data)[d ? j + M * i : i + K * j] ==
				                       (float)(d ? j + M * at[i] : at[i] + N * j);

		for (long i = 0; i < N; i++)
			for (long j = 0; j < M; j++)
				good = good && ((int64_t *)back->data)[d ? j + M * i : i + N * j] ==
				                       (last[i] ? last[i] - 1 : 0);

		const struct array *all[] = {in, taken, back, number, transposed};

		for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
			array_free(all[i]);

		index_free(x);
		free(at);
		free(last);
	}

	omp_set_num_threads(2);
	check(good, "5000 of 3000 taken and put along both dims: the last one stays");
}

static void test_large_mask(void)
{
	const long dims[] = {300, 200};
	struct array *in = numbered(DT_INT32, 2, dims), *transposed = array_transpose(in, 0, 1);
	struct array *mask = array_create(DT_BOOL, DIMS, transposed->dims);

	for (long i = 0; i < 60000; i++)
		mask->data[i] = (char)(i % 7 < 3);

	struct array *some = array_take_mask(transposed, mask);
	struct array *copy = array_create(DT_INT64, DIMS, transposed->dims);
	const long zero = 0;
	bool good = 25716 == array_count(some);

	array_fill(copy, &zero, DT_INT64);
	array_put_mask(copy, mask, some, array_default);

	for (long i = 0; good && i < 60000; i++) {
		const long value = i / 200 + 300 * (i % 200);

		good = ((int64_t *)copy->data)[i] == (i % 7 < 3 ? value : 0);
	}

	check(good, "a large mask, of a transposed array and back");

	const struct array *all[] = {in, transposed, mask, some, copy};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		array_free(all[i]);
}

int main(int argc, char *argv[])
{
	tool_name = "array_views";
	log_level = -1;

	if (2 == argc) {
		write_chains(argv[1]);
		return 0;
	}

	test_index();
	test_large_index();
	test_large_mask();
	test_refused();

	return checks_failed > 0;
}
