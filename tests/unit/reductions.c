/* Reductions along some dims, in every order in which memory may be read, against plain loops. Elements are
 * small integers, whose sums are exact: results have to be equal. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/md/flpmath.h"

/* The first four are those of md_ functions. */
static const enum dtype types[] = {
        DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128, DT_INT64, DT_UINT8, DT_BOOL};

/* A small integer below n, quickly. */
static long below(long n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;

	return (long)((state >> 33) % (uint64_t)n);
}

static complex double get(enum dtype t, const void *p, long i)
{
	switch (t) {
	case DT_FLOAT32:
		return ((const float *)p)[i];
	case DT_FLOAT64:
		return ((const double *)p)[i];
	case DT_COMPLEX64:
		return ((const complex float *)p)[i];
	case DT_COMPLEX128:
		return ((const complex double *)p)[i];
	case DT_INT64:
		return (double)((const int64_t *)p)[i];
	default:
		return ((const uint8_t *)p)[i];
	}
}

static void put(enum dtype t, void *p, long i, complex double v)
{
	switch (t) {
	case DT_FLOAT32:
		((float *)p)[i] = (float)creal(v);
		break;
	case DT_FLOAT64:
		((double *)p)[i] = creal(v);
		break;
	case DT_COMPLEX64:
		((complex float *)p)[i] = (complex float)v;
		break;
	case DT_COMPLEX128:
		((complex double *)p)[i] = v;
		break;
	case DT_INT64:
		((int64_t *)p)[i] = (int64_t)creal(v);
		break;
	case DT_UINT8:
		((uint8_t *)p)[i] = (uint8_t)fabs(creal(v));
		break;
	default:
		((uint8_t *)p)[i] = 0 != v;
	}
}

/* Of products units, and a few twos; of any and all mostly what does not decide; of norms of complex numbers
 * what has an integer magnitude. */
static void fill(enum reduction red, enum dtype t, void *p, long n)
{
	const complex double units[] = {1, -1, 1, dtype_is_complex(t) ? 1.i : -1};

	for (long i = 0; i < n; i++) {
		complex double v = (double)(below(9) - 4);

		if (RED_PROD == red)
			v = (0 == below(4096)) ? 2. : units[below(4)];
		else if (RED_ANY == red || RED_ALL == red)
			v = ((RED_ANY == red) == (0 == below(2000))) ? 1. : 0.;
		else if (RED_NORM1 == red)
			v *= dtype_is_complex(t) ? 3. + 4.i : 1.;
		else if (dtype_is_complex(t))
			v += (double)(below(9) - 4) * 1.i;

		put(t, p, i, v);
	}
}

/* What a reduction has come to after some terms. */
struct so_far {
	complex double value;
	long at, terms;
};

static void add_term(enum reduction red, struct so_far *s, complex double a, complex double b)
{
	const bool first = 0 == s->terms, less = creal(a)<creal(s->value), more = creal(a)> creal(s->value);

	switch (red) {
	case RED_PROD:
		s->value = first ? a : s->value * a;
		break;
	case RED_NORM:
		s->value += a * conj(a);
		break;
	case RED_NORM1:
		s->value += cabs(a);
		break;
	case RED_MIN:
	case RED_ARGMIN:
	case RED_MAX:
	case RED_ARGMAX:
		if (first || ((RED_MIN == red || RED_ARGMIN == red) ? less : more)) {
			s->value = a;
			s->at = s->terms;
		}
		break;
	case RED_ANY:
		s->value = 0 != s->value || 0 != a;
		break;
	case RED_ALL:
		s->value = (first || 0 != s->value) && 0 != a;
		break;
	case RED_COUNT:
		s->value += 0 != a;
		break;
	case RED_DOT:
		s->value += a * conj(b);
		break;
	default: // sum, mean
		s->value += a;
	}

	s->terms++;
}

static complex double result(enum reduction red, const struct so_far *s)
{
	if (RED_MEAN == red)
		return creal(s->value) / (double)s->terms + cimag(s->value) / (double)s->terms * 1.i;

	if (RED_ARGMIN == red || RED_ARGMAX == red)
		return (double)s->at;

	return (RED_NORM == red) ? sqrt(creal(s->value)) : s->value;
}

/* By md_ functions; of a difference a - b, which a chain makes, and then 10 minus the result; of arrays. */
enum way { PLAIN, DIFFERENCE, ARRAYS };

/* Contiguous operands of some dims. */
struct operands {
	enum dtype t;
	const long *dims;
	unsigned long flags;
	char *in[2];
};

static struct array *by_functions(
        enum reduction red, const struct operands *x, bool difference, enum dtype value)
{
	const enum dtype to = dtype_is_complex(value) ? DT_COMPLEX128 : DT_FLOAT64;
	struct md_chain pre = {0}, post = {0};
	long kept[4], strs[4];

	md_select_dims(4, ~x->flags, kept, x->dims);
	md_calc_strides(4, strs, x->dims, dtype_size(x->t));

	int a = chain_operand(&pre, x->t), b = chain_operand(&pre, x->t);

	chain_op2(&pre, OP_SUB, a, b);
	a = chain_operand(&post, value);
	chain_op2(&post, OP_SUB, chain_constant(&post, to, 10.), a);

	const struct md_reduction r = {
	        .red = red, .type = x->t, .pre = difference ? &pre : NULL, .post = difference ? &post : NULL};
	struct array *out = array_create(to, 4, kept);

	md_reduction_t(&r, to, 4, x->dims, x->flags, out->strs, out->data,
	        (difference || RED_DOT == red) ? 2 : 1, (const long *const[]){strs, strs},
	        (const void *const[]){x->in[0], x->in[1]});

	return out;
}

static struct array *of_arrays(enum reduction red, const struct operands *x)
{
	struct array *a = array_borrow(x->t, 4, x->dims, NULL, x->in[0]);
	struct array *b = array_borrow(x->t, 4, x->dims, NULL, x->in[1]);
	struct array *out =
	        array_reduction(red, x->flags, (const struct array *const[]){a, b}, array_default);

	array_free(a);
	array_free(b);

	return out;
}

static bool right(enum reduction red, enum dtype t, const long dims[4], unsigned long flags, enum way way)
{
	const size_t n = (size_t)md_calc_size(4, dims);
	struct operands x = {t, dims, flags, {mem_alloc(n * dtype_size(t)), mem_alloc(n * dtype_size(t))}};
	struct op_types result_types;
	bool good = true;

	fill(red, t, x.in[0], (long)n);
	fill(red, t, x.in[1], (long)n);

	if (reduction_types(red, (const enum dtype[]){t, t}, &result_types)) {
		struct array *out = (ARRAYS == way)
		                            ? of_arrays(red, &x)
		                            : by_functions(red, &x, DIFFERENCE == way, result_types.value);
		struct so_far *want = mem_calloc((size_t)array_count(out), sizeof *want);
		const long size = (long)dtype_size(out->type);
		long pos[4] = {0};

		for (long i = 0; i < (long)n; i++) {
			const complex double a = get(t, x.in[0], i), b = get(t, x.in[1], i);

			add_term(red, &want[md_calc_offset(4, out->strs, pos) / size],
			        (DIFFERENCE == way) ? a - b : a, b);
			md_next(4, dims, ~0ul, pos);
		}

		for (long o = 0; o < array_count(out); o++) {
			const complex double v = result(red, &want[o]);

			good = good && get(out->type, out->data, o) == ((DIFFERENCE == way) ? 10. - v : v);
		}

		array_free(out);
		free(want);
	}

	free(x.in[0]);
	free(x.in[1]);

	return good;
}

/* Lines, rows and bundles of either, and lengths beside those at which they are cut. */
static const struct {
	long dims[4];
	unsigned long flags;
} shapes[] = {
        {{300, 40, 1, 1}, 1},
        {{40, 300, 1, 1}, 2},
        {{5, 7, 3, 4}, 5},
        {{5, 7, 3, 4}, 10},
        {{2, 3000, 5, 1}, 2},
        {{3, 3000, 5, 1}, 5},
        {{17, 20, 40, 5}, 5},  // bundles
        {{16, 260, 10, 1}, 5}, // more outputs than one bundle has
        {{18, 4, 13, 50}, 13},
        {{16, 2, 4100, 1}, 5}, // in two parts
        {{4097, 3, 2, 1}, 2},  // rows longer than one of accumulators
        {{20, 1500, 1, 1}, 2},
        {{2, 2, 33000, 1}, 5}, // lines in parts
        {{65537, 2, 1, 1}, 1},
        {{65536, 2, 1, 1}, 1},
        {{2, 65536, 1, 1}, 2},
        {{65537, 1, 1, 1}, 15},
        {{1, 1, 1, 1}, 15},
        {{6, 5, 1, 1}, 0},
};

static void test_all(enum way way, int ntypes)
{
	const int n = sizeof shapes / sizeof shapes[0];

	for (int red = 0; red < RED_COUNT_OF; red++) {
		const int failed = checks_failed;

		for (int s = 0; s < n; s++) {
			const enum dtype t = types[(s + red) % ntypes];

			if (50000 < md_calc_size(4, shapes[s].dims) && 0 != (s + red) % 3)
				continue;

			omp_set_num_threads(1 + s % 3);

			if (!right((enum reduction)red, t, shapes[s].dims, shapes[s].flags, way))
				check(false, "%s of %s, shape %d", reduction_name((enum reduction)red),
				        dtype_name(t), s);
		}

		check(failed == checks_failed, "%s%s", (ARRAYS == way) ? "array_reduce: " : "md_reduction: ",
		        reduction_name((enum reduction)red));
	}
}

int main(void)
{
	static const enum reduction differences[] = {
	        RED_SUM, RED_MEAN, RED_NORM, RED_MAX, RED_ARGMIN, RED_COUNT};

	test_all(PLAIN, 4);
	test_all(ARRAYS, 7);

	for (int s = 0; s < (int)(sizeof shapes / sizeof shapes[0]); s++) {
		const enum reduction red = differences[s % 6];

		check(right(red, s % 2 ? DT_FLOAT64 : DT_FLOAT32, shapes[s].dims, shapes[s].flags,
		              DIFFERENCE),
		        "%s of a difference, shape %d", reduction_name(red), s);
	}

	return checks_failed > 0;
}
