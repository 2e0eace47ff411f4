/* Typed arrays: storage, rules for what a type or a domain does not hold, byte order, the function table. */

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/array/array_table.h"
#include "strided.h"

#define COUNT(v) ((long)(sizeof(v) / sizeof(v)[0]))

/* An array over a C array. */
#define OF(t, v) array_borrow(t, 1, (const long[]){COUNT(v)}, NULL, v)

static const struct array_rules wrap = {NARROW_WRAP, DOMAIN_NAN}, refuse = {NARROW_ERROR, DOMAIN_NAN},
                                nan_error = {NARROW_SATURATE, DOMAIN_ERROR},
                                nan_warn = {NARROW_SATURATE, DOMAIN_WARN},
                                to_complex = {NARROW_SATURATE, DOMAIN_COMPLEX};

static struct array *op1(enum op op, struct array *a, struct array_rules r)
{
	return array_op(op, (const struct array *const[]){a}, r);
}

static struct array *op2(enum op op, struct array *a, struct array *b, struct array_rules r)
{
	return array_op(op, (const struct array *const[]){a, b}, r);
}

static bool equal(const struct array *a, enum dtype t, long n, const void *want)
{
	return a->type == t && array_count(a) == n && 0 == memcmp(a->data, want, (size_t)n * dtype_size(t));
}

#define EQUAL(a, t, ...) equal(a, t, COUNT(((t##_c[]){__VA_ARGS__})), (t##_c[]){__VA_ARGS__})
typedef uint8_t DT_UINT8_c;
typedef int8_t DT_INT8_c;
typedef int16_t DT_INT16_c;
typedef int64_t DT_INT64_c;
typedef uint64_t DT_UINT64_c;
typedef float DT_FLOAT32_c;

/* ---- narrowing ---- */

static uint8_t bytes[] = {200, 3, 0}, more[] = {100, 5, 1};
static float floats[] = {-1.5f, 2.5f, 300, NAN, INFINITY};

static struct array *sum_of_bytes(struct array_rules r)
{
	struct array *a = OF(DT_UINT8, bytes), *b = OF(DT_UINT8, more), *c = op2(OP_ADD, a, b, r);

	array_free(a);
	array_free(b);

	return c;
}

static struct array *difference_of_bytes(struct array_rules r)
{
	struct array *a = OF(DT_UINT8, bytes), *b = OF(DT_UINT8, more), *c = op2(OP_SUB, a, b, r);

	array_free(a);
	array_free(b);

	return c;
}

static struct array *bytes_of_floats(struct array_rules r)
{
	struct array *a = OF(DT_FLOAT32, floats), *c = array_cast(a, DT_UINT8, r);

	array_free(a);

	return c;
}

static void sum_error(void)
{
	sum_of_bytes(refuse);
}

static void cast_error(void)
{
	bytes_of_floats(refuse);
}

static void sum_warns(void)
{
	log_level = 0;
	array_free(sum_of_bytes(array_default));
	_exit(0);
}

static void wrap_warns(void)
{
	log_level = 0;
	array_free(bytes_of_floats(wrap));
	_exit(0);
}

static void reduction_error(void)
{
	struct array *a = OF(DT_UINT8, bytes), *out = array_create(DT_INT8, 1, (const long[]){1});

	array_reduce(RED_SUM, 1, out, (const struct array *const[]){a}, refuse);
}

static void test_narrowing(void)
{
	struct array *a = sum_of_bytes(array_default), *b = sum_of_bytes(wrap);
	struct array *c = difference_of_bytes(array_default), *d = difference_of_bytes(wrap);
	struct array *e = bytes_of_floats(array_default), *f = bytes_of_floats(wrap);

	check(EQUAL(a, DT_UINT8, 255, 8, 1) && EQUAL(b, DT_UINT8, 44, 8, 1), "a sum saturates or wraps");
	check(EQUAL(c, DT_UINT8, 100, 0, 0) && EQUAL(d, DT_UINT8, 100, 254, 255), "and a difference");
	check(EQUAL(e, DT_UINT8, 0, 2, 255, 0, 255) && EQUAL(f, DT_UINT8, 254, 2, 44, 0, 0), "and a cast");
	check_ends(1, "1 of 3 values of an array do not fit into uint8", sum_error, "or is an error");
	check_ends(1, "4 of 5 values", cast_error, "that counts");
	check_ends(0, "warning: 1 of 3 values of an array do not fit into uint8: clipped", sum_warns,
	        "saturation warns");
	check_ends(0, "4 of 5 values of an array do not fit into uint8: wrapped", wrap_warns,
	        "and so does wrapping");
	check_ends(1, "1 of 1 values", reduction_error, "a sum that does not fit");

	const struct array *all[] = {a, b, c, d, e, f};

	for (long i = 0; i < COUNT(all); i++)
		array_free(all[i]);
}

/* ---- domains ---- */

static float signed_[] = {-4, 4, NAN, 0, -1};

static struct array *roots(struct array_rules r)
{
	struct array *a = OF(DT_FLOAT32, signed_), *c = op1(OP_SQRT, a, r);

	array_free(a);

	return c;
}

static void roots_error(void)
{
	roots(nan_error);
}

static void roots_warn(void)
{
	log_level = 0;
	roots(nan_warn);
	_exit(0);
}

static void power_error(void)
{
	float x[] = {-8, -8, 8}, y[] = {1.f / 3, 3, 0.5f};

	op2(OP_POW, OF(DT_FLOAT32, x), OF(DT_FLOAT32, y), nan_error);
}

static void integer_error(void)
{
	int16_t x[] = {-1, 0, 4};

	op1(OP_LOG, OF(DT_INT16, x), nan_error);
}

/* Functions of real operands outside of their domains, at a point where the value is known. */
static bool principal(enum op op, float x, double re, double im)
{
	struct array *a = array_borrow(DT_FLOAT32, 0, NULL, NULL, &x), *c = op1(op, a, to_complex);
	const float *z = (const float *)c->data;
	bool good = DT_COMPLEX64 == c->type && fabs((double)z[0] - re) < 1e-6 &&
	            fabs(fabs((double)z[1]) - im) < 1e-6;

	array_free(a);
	array_free(c);

	return good;
}

static void test_domains(void)
{
	struct array *n = roots(array_default), *z = roots(to_complex);
	const float *p = (const float *)n->data, *q = (const float *)z->data;

	check(DT_FLOAT32 == n->type && isnan(p[0]) && 2 == p[1] && isnan(p[2]) && 0 == p[3] && isnan(p[4]),
	        "sqrt of negative numbers is NaN");
	check(DT_COMPLEX64 == z->type && 0 == q[0] && 2 == q[1] && 2 == q[2] && 0 == q[3] && isnan(q[4]) &&
	                0 == q[8] && 1 == q[9],
	        "or complex");
	check_ends(1, "2 of 5 operands are outside the real domain of sqrt", roots_error,
	        "or an error, NaN does not count");
	check_ends(0, "warning: 2 of 5 operands are outside the real domain of sqrt: the results are NaN",
	        roots_warn, "or a warning");
	check_ends(1, "1 of 3 operands are outside the real domain of pow", power_error, "a root as a power");
	check_ends(1, "of 3 operands are outside the real domain of log", integer_error, "of integers");
	check(principal(OP_LOG, -1, 0, M_PI) && principal(OP_LOG2, -2, 1, M_PI / M_LN2) &&
	                principal(OP_LOG10, -10, 1, M_PI / M_LN10) && principal(OP_LOG1P, -2, 0, M_PI) &&
	                principal(OP_ACOS, 2, 0, log(2 + sqrt(3))) &&
	                principal(OP_ASIN, 2, M_PI / 2, log(2 + sqrt(3))) &&
	                principal(OP_ACOSH, -1, 0, M_PI) && principal(OP_ATANH, 2, log(3) / 2, M_PI / 2),
	        "principal values");

	float in_domain[] = {0.25f, 1};
	struct array *a = OF(DT_FLOAT32, in_domain);

	for (int op = 0; op < OP_COUNT; op++)
		if (op_has_domain(op) && 1 == op_args(op) && OP_ACOSH != op && OP_ATANH != op)
			array_free(op1(op, a, nan_error));

	check(true, "nothing to report inside the domains");
	array_free(a);
	array_free(n);
	array_free(z);
}

/* ---- storage ---- */

static void test_storage(void)
{
	struct array *a = array_create(DT_INT16, 2, (const long[]){3, 2});
	struct array *b = array_at(a, 1, 1), *c = array_ref(b);
	const int16_t one = 1, seven = 7;

	array_fill(a, &one, DT_INT16);
	array_free(a);
	array_fill(b, &seven, DT_INT16);
	array_free(b);

	struct array *d = array_cast(c, DT_INT64, array_default);

	check(EQUAL(d, DT_INT64, 7, 7, 7), "a view keeps its storage alive");
	array_free(c);
	array_free(d);
	array_free(NULL);

	const long none[] = {0, 4};
	struct array *e = array_create(DT_FLOAT32, 2, none);
	struct array *f = array_reduction(RED_SUM, 1, (const struct array *const[]){e}, array_default);
	struct array *g = array_reduction(RED_MAX, 1, (const struct array *const[]){e}, array_default);
	struct array *h = array_op(OP_ADD, (const struct array *const[]){e, e}, array_default);
	struct array *m = array_reduction(RED_MAX, 2, (const struct array *const[]){e}, array_default);

	check(4 == array_count(f) && 0 == ((double *)f->data)[3] && isnan(((float *)g->data)[0]) &&
	                0 == array_count(h) && 0 == array_count(m),
	        "arrays without elements");

	const struct array *all[] = {e, f, g, h, m};

	for (long i = 0; i < COUNT(all); i++)
		array_free(all[i]);

	unsigned char truths[] = {0, 255, 2, 1};
	struct array *t = array_borrow(DT_BOOL, 1, (const long[]){4}, NULL, truths);
	struct array *u = array_cast(t, DT_BOOL, array_default), *v = array_cast(t, DT_INT8, array_default);

	check(0 == memcmp(u->data, "\0\1\1\1", 4) && EQUAL(v, DT_INT8, 0, 1, 1, 1),
	        "any byte but 0 is true, and becomes 1");
	array_free(t);
	array_free(u);
	array_free(v);
}

/* [bytes] the program has now: its peak would begin with that of the program that started it. */
static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all = 0, now = 0;

	check(NULL != f && 2 == fscanf(f, "%ld %ld", &all, &now), "/proc/self/statm");

	if (NULL != f)
		fclose(f);

	return now * sysconf(_SC_PAGESIZE);
}

/* Memory goes with the last view, not before and not never; sanitizers keep freed memory for a while. */
static void test_memory(void)
{
	enum { ROUNDS = 32 };
	const long size = 8L << 20;
	const long before = resident();

	for (int i = 0; i < ROUNDS; i++) {
		struct array *a = array_create(DT_UINT8, 1, &size), *b = array_flip(a, 1);

		array_free(a);
		memset(b->data - (size - 1), i, (size_t)size);
		array_free(b);
	}

	const long grown = (resident() - before) >> 20; // [MiB]

	check(short_tests() || grown < 64, "the last view frees %d x 8 MiB: %ld MiB more", ROUNDS, grown);
}

/* ---- fill ---- */

static void fill_error(void)
{
	struct array *a = array_create(DT_UINT8, 1, (const long[]){4});
	const double v = 1e3;

	log_level = 0;
	array_fill(a, &v, DT_FLOAT64);
	_exit(((unsigned char *)a->data)[3] == 255 ? 0 : 3);
}

static void test_fill(void)
{
	struct array *a = array_create(DT_FLOAT64, 2, (const long[]){5, 6}),
	             *part = array_slice(a, 0, 4, -2, 2);
	const double zero = 0;
	const int v = -3;
	bool good = true;

	array_fill(a, &zero, DT_FLOAT64);
	array_byteswap(a);
	part->swapped = true;
	array_fill(part, &v, DT_INT32);
	array_byteswap(a);

	for (long i = 0; i < 30; i++)
		good = good && ((double *)a->data)[i] == ((i % 5 == 4 || i % 5 == 2) ? -3 : 0);

	check(good, "a view in foreign byte order is filled");
	check_ends(0, "do not fit into uint8", fill_error,
	        "a value that does not fit is clipped with a warning");
	array_free(a);
	array_free(part);
}

/* ---- byte order ---- */

static void test_swapped(void)
{
	int16_t v[] = {1, -2, 300, 4};
	struct array *a = OF(DT_INT16, v);

	array_byteswap(a);
	check(a->swapped && 256 == v[0] && 11265 == v[2], "bytes reversed in place");

	struct array *b = op2(OP_MUL, a, a, array_default);
	struct array *max = array_reduction(RED_MAX, 1, (const struct array *const[]){a}, array_default);

	check(EQUAL(b, DT_INT16, 1, 4, 32767, 16) && EQUAL(max, DT_INT16, 300), "read as they are meant");
	array_apply(OP_NEG, a, (const struct array *const[]){a}, array_default);
	array_byteswap(a);
	check(!a->swapped && EQUAL(a, DT_INT16, -1, 2, -300, -4), "and written");

	float z[] = {1, 2, 3, 4};
	struct array *c = array_borrow(DT_COMPLEX64, 1, (const long[]){2}, NULL, z);

	array_byteswap(c);

	struct array *im = array_imag(c), *w = array_cast(im, DT_FLOAT32, array_default);

	check(EQUAL(w, DT_FLOAT32, 2, 4), "parts of swapped complex numbers");

	const struct array *all[] = {a, b, max, c, im, w};

	for (long i = 0; i < COUNT(all); i++)
		array_free(all[i]);
}

/* ---- half precision ---- */

static void test_half(void)
{
	const uint16_t h[] = {0x3c00, 0x3555, 0x7bff, 0x0001}; // 1, 0.33325, 65504, 2^-24
	struct array *a = array_borrow(DT_FLOAT16, 1, (const long[]){4}, NULL, (void *)h);
	struct array *b = op2(OP_ADD, a, a, array_default),
	             *s = array_reduction(RED_SUM, 1, (const struct array *const[]){a}, array_default);
	const uint16_t *p = (const uint16_t *)b->data;

	check(DT_FLOAT16 == b->type && 0x4000 == p[0] && 0x3955 == p[1] && 0x7c00 == p[2] && 0x0002 == p[3],
	        "half precision stays, sums in float");
	check(DT_FLOAT64 == s->type && *(double *)s->data == 1 + 0.333251953125 + 65504 + 0x1p-24,
	        "reductions in double");
	array_free(a);
	array_free(b);
	array_free(s);
}

/* ---- wide sums ---- */

static void test_exact(void)
{
	int64_t v[] = {INT64_MAX, INT64_MAX, -5, INT64_MIN, INT64_MIN};
	uint64_t u[] = {UINT64_MAX, 1};
	struct array *a = OF(DT_INT64, v), *b = OF(DT_UINT64, u);
	struct array *s = array_reduction(RED_SUM, 1, (const struct array *const[]){a}, array_default);
	struct array *t = array_reduction(RED_SUM, 1, (const struct array *const[]){b}, array_default);

	check(EQUAL(s, DT_INT64, -7), "a sum of integers is exact, whatever is on the way");
	check(EQUAL(t, DT_UINT64, UINT64_MAX), "and saturates at the end");
	array_free(a);
	array_free(b);
	array_free(s);
	array_free(t);
}

/* ---- the table ---- */

static long calls;

static long counting_copy(const struct array *out, const struct array *in, enum narrow narrow)
{
	calls++;

	return array_plain_copy(out, in, narrow);
}

static void test_table(void)
{
	float v[] = {1, 2, 3, 4};
	struct array *a = OF(DT_FLOAT32, v), *flip = array_flip(a, 1), *first = array_slice(a, 0, 0, 1, 3);
	struct array *second = array_slice(a, 0, 1, 1, 3), *two = array_at(a, 0, 1);

	array_table.copy = counting_copy;
	array_apply(OP_NEG, a, (const struct array *const[]){a}, array_default);
	check(0 == calls, "no temporary where each element is read before it is written");
	array_apply(OP_ADD, a, (const struct array *const[]){a, flip}, array_default);
	check(1 == calls && -5 == v[0] && -5 == v[3], "one where the output is read flipped");
	array_apply(OP_ADD, first, (const struct array *const[]){second, first}, array_default);
	check(2 == calls, "one where it is read shifted");
	array_apply(OP_MUL, a, (const struct array *const[]){a, two}, array_default);
	check(3 == calls && 100 == v[0], "one where an element is read again and again");
	array_table.copy = array_plain_copy;

	const struct array *all[] = {a, flip, first, second, two};

	for (long i = 0; i < COUNT(all); i++)
		array_free(all[i]);
}

int main(void)
{
	tool_name = "array";
	log_level = -1;
	test_narrowing();
	test_domains();
	test_storage();
	test_memory();
	test_fill();
	test_swapped();
	test_half();
	test_exact();
	test_table();

	return checks_failed > 0;
}
