/* Reductions of lines: against long double and 128-bit references, in pieces and merged, the same bits on all
 * instruction sets. */

#include <complex.h>
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "misc/mem.h"
#include "num/kern/kern_internal.h"
#include "num/md/rand.h"

#define PAIR(re, im) __builtin_complex((long double)(re), (long double)(im))

enum { N = 1500 };

static const enum dtype works[WORKS] = {
        DT_BOOL, DT_INT64, DT_UINT64, DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static uint64_t counter;

static double uniform(void)
{
	return rand_uniform(11, counter++);
}

static void *a_, *b_;

static bool defined(enum reduction r, enum dtype work, struct op_types *t)
{
	return reduction_types(r, (enum dtype[]){work, work}, t);
}

/* Small values, so that products stay finite; some repeat, some are 0. */
static void fill(enum dtype t, void *p, bool near_one)
{
	const bool complex_type = dtype_is_complex(t);

	for (long i = 0; i < (complex_type ? 2 * N : N); i++) {
		const double x = near_one ? 0.9 + 0.2 * uniform() : 20 * uniform() - 10;

		switch (dtype_real(t)) {
		case DT_BOOL:
			((uint8_t *)p)[i] = uniform() < 0.3 ? 0 : 1 + (i % 7 == 0);
			break;
		case DT_INT64:
			((int64_t *)p)[i] = near_one ? 1 + (i == 3) : (int64_t)(x * 1000);
			break;
		case DT_UINT64:
			((uint64_t *)p)[i] = near_one ? 1 + (i == 3) : (uint64_t)((x + 10) * 1000);
			break;
		case DT_FLOAT32:
			((float *)p)[i] = (float)x;
			break;
		default:
			((double *)p)[i] = x;
		}
	}
}

static complex long double at(enum dtype t, const void *p, long i)
{
	switch (t) {
	case DT_BOOL:
		return 0 != ((const uint8_t *)p)[i];
	case DT_INT64:
		return ((const int64_t *)p)[i];
	case DT_UINT64:
		return ((const uint64_t *)p)[i];
	case DT_FLOAT32:
		return ((const float *)p)[i];
	case DT_FLOAT64:
		return ((const double *)p)[i];
	case DT_COMPLEX64:
		return PAIR(((const float *)p)[2 * i], ((const float *)p)[2 * i + 1]);
	default:
		return PAIR(((const double *)p)[2 * i], ((const double *)p)[2 * i + 1]);
	}
}

static complex long double reference(enum reduction r, enum dtype t, long n, const void *a, const void *b)
{
	complex long double s = RED_PROD == r || RED_ALL == r;
	long best = -1;

	for (long i = 0; i < n; i++) {
		const complex long double x = at(t, a, i);

		switch (r) {
		case RED_SUM:
		case RED_MEAN:
			s += x;
			break;
		case RED_PROD:
			s = PAIR(creall(s) * creall(x) - cimagl(s) * cimagl(x),
			        creall(s) * cimagl(x) + cimagl(s) * creall(x));
			break;
		case RED_NORM:
			s += creall(x) * creall(x) + cimagl(x) * cimagl(x);
			break;
		case RED_NORM1:
			s += cabsl(x);
			break;
		case RED_ANY:
			s = 0 != s || 0 != x;
			break;
		case RED_ALL:
			s = 0 != s && 0 != x;
			break;
		case RED_COUNT:
			s += 0 != x;
			break;
		case RED_DOT:
			s += x * conjl(at(t, b, i));
			break;
		default:
			if (best < 0 ||
			        (RED_MIN == r || RED_ARGMIN == r ? creall(x) < creall(at(t, a, best))
			                                         : creall(x) > creall(at(t, a, best))))
				best = i;
		}
	}

	switch (r) {
	case RED_MEAN:
		return s / n;
	case RED_NORM:
		return sqrtl(creall(s));
	case RED_MIN:
	case RED_MAX:
		return at(t, a, best);
	case RED_ARGMIN:
	case RED_ARGMAX:
		return best;
	default:
		return s;
	}
}

/* The result of n elements by set s; `cut`: in pieces of so many elements, merged; 0: in one call. */
static void reduce(int set, enum reduction r, enum dtype t, long n, long cut, void *value)
{
	const struct kern_set *sets[3];
	struct kern_acc acc;
	const size_t size = dtype_size(t);

	kern_sets(sets);
	kern_reduce_start(r, t, &acc);

	for (long i = 0; i < n; i += cut ? cut : n) {
		const long m = (0 == cut || n - i < cut) ? n - i : cut;
		const void *a = (char *)a_ + (size_t)i * size, *b = (char *)b_ + (size_t)i * size;
		struct kern_acc part;

		kern_reduce_start(r, t, &part);
		sets[set]->reduce[kern_row(t)][r](&part, i, m, a, RED_DOT == r ? b : NULL, 0);
		kern_reduce_merge(r, t, &acc, &part);
	}

	kern_reduce_value(r, t, &acc, value);
}

static void test_values(int set)
{
	const struct kern_set *sets[3];

	kern_sets(sets);

	for (int w = 0; w < WORKS; w++) {
		char wrong[300] = "";

		for (int k = 0; k < RED_COUNT_OF; k++) {
			const enum reduction r = (enum reduction)k;
			struct op_types t;
			bool good = true;

			if (!defined(r, works[w], &t))
				continue;

			fill(works[w], a_, RED_PROD == r);
			fill(works[w], b_, false);

			for (long n = 1; n <= N; n += n < 40 ? 1 : 211)
				for (long cut = 0; cut <= 64; cut += 16 + cut) {
					double value[2] = {0, 0};

					reduce(set, r, works[w], n, cut, value);

					const complex long double got = at(t.value, value, 0),
					                          want = reference(r, works[w], n, a_, b_);

					good = good && cabsl(got - want) <= 1e-12L * (cabsl(want) + 100);
				}

			if (!good)
				snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s",
				        reduction_name(r));
		}

		check('\0' == wrong[0], "%s: reductions of %s, whole and in pieces%s%s", sets[set]->name,
		        dtype_name(works[w]), wrong[0] ? ", not" : "", wrong);
	}
}

static void test_isa(int count)
{
	for (int s = 1; s < count; s++) {
		bool good = true;

		for (int w = 0; w < WORKS; w++)
			for (int k = 0; k < RED_COUNT_OF; k++) {
				const enum reduction r = (enum reduction)k;
				struct op_types t;

				if (!defined(r, works[w], &t))
					continue;

				fill(works[w], a_, RED_PROD == r);
				fill(works[w], b_, false);

				for (long n = 1; n <= N; n += 37) {
					double x[2] = {0, 0}, y[2] = {0, 0};

					reduce(0, r, works[w], n, 0, x);
					reduce(s, r, works[w], n, 0, y);
					good = good && 0 == memcmp(x, y, sizeof x);
				}
			}

		check(good, "reductions: the same bits on instruction sets 0 and %d", s);
	}
}

static void test_not_a_number(int count)
{
	const struct kern_set *sets[3];
	bool good = true;
	float x[100];

	kern_sets(sets);

	for (int set = 0; set < count; set++)
		for (int bad = 0; bad < 100; bad += 9) {
			for (int i = 0; i < 100; i++)
				x[i] = (float)(i * 37 % 100);

			x[bad] = NAN;
			x[99] = NAN;

			for (int cut = 1; cut <= 100; cut += 33) {
				struct kern_acc low, high;
				float least;
				int64_t where;

				kern_reduce_start(RED_MIN, DT_FLOAT32, &low);
				kern_reduce_start(RED_ARGMAX, DT_FLOAT32, &high);

				for (int i = 0; i < 100; i += cut) {
					const long n = 100 - i < cut ? 100 - i : cut;

					sets[set]->reduce[WORK_FLOAT32][RED_MIN](&low, i, n, x + i, NULL, 0);
					sets[set]->reduce[WORK_FLOAT32][RED_ARGMAX](
					        &high, i, n, x + i, NULL, 0);
				}

				kern_reduce_value(RED_MIN, DT_FLOAT32, &low, &least);
				kern_reduce_value(RED_ARGMAX, DT_FLOAT32, &high, &where);
				good = good && isnan(least) && where == bad;
			}
		}

	check(good, "min is NaN when an element is; argmax finds the first");
}

static void test_saturation(void)
{
	const int64_t high[] = {INT64_MAX, INT64_MAX, -INT64_MAX, -INT64_MAX, 5};
	const uint64_t wide[] = {UINT64_MAX, 2, 3};
	struct kern_acc acc;
	int64_t i;
	uint64_t u;
	double d;

	kern_reduce_start(RED_SUM, DT_INT64, &acc);
	kern_reduce(RED_SUM, DT_INT64, &acc, 0, 2, high, NULL, 0);
	kern_reduce_value(RED_SUM, DT_INT64, &acc, &i);
	check(INT64_MAX == i, "sum of int64 saturates");
	kern_reduce(RED_SUM, DT_INT64, &acc, 2, 3, high + 2, NULL, 0);
	kern_reduce_value(RED_SUM, DT_INT64, &acc, &i);
	check(5 == i, "sum of int64 is exact although it left the range on the way");

	kern_reduce_start(RED_PROD, DT_INT64, &acc);
	kern_reduce(RED_PROD, DT_INT64, &acc, 0, 5, high, NULL, 0);
	kern_reduce_value(RED_PROD, DT_INT64, &acc, &i);
	check(INT64_MAX == i, "product of int64 saturates with its sign");
	kern_reduce_start(RED_PROD, DT_UINT64, &acc);
	kern_reduce(RED_PROD, DT_UINT64, &acc, 0, 3, wide, NULL, 0);
	kern_reduce_value(RED_PROD, DT_UINT64, &acc, &u);
	check(UINT64_MAX == u, "product of uint64 saturates");
	kern_reduce_start(RED_DOT, DT_UINT64, &acc);
	kern_reduce(RED_DOT, DT_UINT64, &acc, 0, 3, wide, wide, 0);
	kern_reduce_value(RED_DOT, DT_UINT64, &acc, &u);
	check(UINT64_MAX == u, "dot of uint64 saturates");
	kern_reduce_start(RED_DOT, DT_INT64, &acc);
	kern_reduce(RED_DOT, DT_INT64, &acc, 0, 5, high, high, 0);
	kern_reduce_value(RED_DOT, DT_INT64, &acc, &i);
	check(INT64_MAX == i, "dot of int64 saturates");
	kern_reduce_start(RED_MEAN, DT_UINT64, &acc);
	kern_reduce(RED_MEAN, DT_UINT64, &acc, 0, 2, wide, NULL, 1);
	kern_reduce_value(RED_MEAN, DT_UINT64, &acc, &d);
	check(0x1p64 == d, "mean of uint64, of a repeated element");
}

static void test_empty(void)
{
	bool good = true;

	for (int w = 0; w < WORKS; w++)
		for (int k = 0; k < RED_COUNT_OF; k++) {
			const enum reduction r = (enum reduction)k;
			double value[2] = {7, 7};
			struct kern_acc acc;
			struct op_types t;

			if (!defined(r, works[w], &t))
				continue;

			kern_reduce_start(r, works[w], &acc);
			kern_reduce(r, works[w], &acc, 0, 0, a_, b_, 0);
			kern_reduce_value(r, works[w], &acc, value);

			const complex long double v = at(t.value, value, 0);

			if (RED_ARGMIN == r || RED_ARGMAX == r)
				good = good && -1 == v;
			else if (RED_PROD == r || RED_ALL == r)
				good = good && 1 == v;
			else if (RED_MEAN == r ||
			         ((RED_MIN == r || RED_MAX == r) && !dtype_is_integer(works[w])))
				good = good && isnan(creall(v));
			else
				good = good && 0 == v;
		}

	check(good, "reductions of no elements");
}

/* Repeated operands count as often as they are repeated. */
static void test_repeated(void)
{
	bool good = true;

	for (int w = 0; w < WORKS; w++)
		for (int k = 0; k < RED_COUNT_OF; k++)
			for (unsigned mask = 1; mask < 4; mask++) {
				const enum reduction r = (enum reduction)k;
				const size_t size = dtype_size(works[w]);
				double one[2] = {0, 0}, all[2] = {0, 0};
				struct kern_acc acc;
				struct op_types t;

				if (!defined(r, works[w], &t) || (RED_DOT != r && mask > 1))
					continue;

				fill(works[w], a_, RED_PROD == r);
				fill(works[w], b_, false);
				kern_reduce_start(r, works[w], &acc);
				kern_reduce(r, works[w], &acc, 0, 100, a_, RED_DOT == r ? b_ : NULL, mask);
				kern_reduce_value(r, works[w], &acc, one);

				for (size_t i = 0; i < 100; i++) {
					if (mask & 1)
						memcpy((char *)a_ + i * size, a_, size);
					if (mask & 2)
						memcpy((char *)b_ + i * size, b_, size);
				}

				kern_reduce_start(r, works[w], &acc);
				kern_reduce(r, works[w], &acc, 0, 100, a_, RED_DOT == r ? b_ : NULL, 0);
				kern_reduce_value(r, works[w], &acc, all);
				good = good && 0 == memcmp(one, all, sizeof one);
			}

	check(good, "reductions of repeated elements");
}

int main(void)
{
	const struct kern_set *sets[3];
	const int count = kern_sets(sets);

	a_ = mem_calloc(N, 16);
	b_ = mem_calloc(N, 16);

	for (int s = 0; s < count; s++)
		test_values(s);

	test_isa(count);
	test_not_a_number(count);
	test_saturation();
	test_empty();
	test_repeated();
	free(a_);
	free(b_);

	return checks_failed > 0;
}
