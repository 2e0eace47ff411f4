/* kern_load() and kern_store() against convert(): fifteen types, byte orders, steps, streaming. */

#include <stdint.h>

#include "check.h"
#include "misc/mem.h"
#include "num/kern/kern.h"
#include "num/md/rand.h"

enum { N = 1030 };

static const enum dtype works[] = {
        DT_BOOL, DT_INT64, DT_UINT64, DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

enum { WORKS = sizeof works / sizeof works[0] };

static uint64_t counter;

static double uniform(void)
{
	return rand_uniform(5, counter++);
}

/* Values of a type: small integers, fractions, extremes. */
static void fill(enum dtype t, void *p, long n)
{
	double x[N * 2];
	const long parts = dtype_is_complex(t) ? 2 * n : n;

	for (long i = 0; i < parts; i++)
		x[i] = (i % 4 == 0) ? 300 * uniform() - 150 : (i % 4 == 1) ? 1e5 * uniform() : (i % 7) / 2.;

	convert(dtype_real(t), p, DT_FLOAT64, x, parts, NARROW_SATURATE);
}

static void reverse(char *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const char c = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* Elements laid out `step` bytes apart from *first, byte-swapped if so. */
static void lay_out(char *first, long step, bool swapped, enum dtype t, const char *from, long n)
{
	const size_t size = dtype_size(t), unit = dtype_unit(t);

	for (long i = 0; i < n; i++) {
		char *p = first + i * step;

		memcpy(p, from + i * (long)size, size);

		for (size_t u = 0; swapped && u < size; u += unit)
			reverse(p + u, unit);
	}
}

static bool loads(enum dtype work, enum dtype t, bool swapped, long step, long n)
{
	const size_t size = dtype_size(t);
	const long span = (step < 0 ? -step : step) * n + 16;
	char *memory = mem_calloc(2 * span + 64, 1), *flat = mem_calloc(n + 1, size), *first = memory + span;
	char *want = mem_calloc(n + 1, 16), *buf = mem_calloc(n + 4, 16);

	fill(t, flat, n);

	for (long i = 1; 0 == step && i < n; i++)
		memcpy(flat + i * (long)size, flat, size);

	lay_out(first, step, swapped, t, flat, n);
	convert(work, want, t, flat, n, NARROW_SATURATE);

	const void *got = kern_load(work, buf, t, swapped, first, step, n);
	const bool good = 0 == memcmp(got, want, (size_t)n * dtype_size(work));
	const bool in_place = work == t && step == (long)size && (!swapped || 1 == dtype_unit(t));

	free(memory);
	free(flat);
	free(want);
	free(buf);

	return good && in_place == (got == first);
}

static bool stores(
        enum dtype work, enum dtype t, bool swapped, long step, long n, enum narrow mode, bool stream)
{
	const size_t size = dtype_size(t);
	const long span = (step < 0 ? -step : step) * n + 16;
	char *memory = mem_alloc(2 * span + 192), *expect = mem_alloc(2 * span + 192);
	char *src = mem_calloc(n + 1, 16), *flat = mem_calloc(n + 1, size);

	memset(memory, 0x5a, 2 * span + 192);
	memset(expect, 0x5a, 2 * span + 192);
	fill(work, src, n);

	const long want = convert(t, flat, work, src, n, mode);

	lay_out(expect + span, step, swapped, t, flat, n);

	const long lost = kern_store(t, swapped, memory + span, step, work, src, n, mode, stream);

	kern_fence();

	const bool good = want == lost && 0 == memcmp(memory, expect, 2 * span + 192);

	free(memory);
	free(expect);
	free(src);
	free(flat);

	return good;
}

static void test_loads(void)
{
	for (int w = 0; w < WORKS; w++) {
		char wrong[300] = "";

		for (int t = 0; t < DT_COUNT; t++)
			for (int swapped = 0; swapped < 2; swapped++) {
				const long size = (long)dtype_size((enum dtype)t);
				const long steps[] = {size, 0, -size, 2 * size, -3 * size, size + 1, 1000};
				bool good = true;

				for (int s = 0; s < 7; s++)
					for (long n = 0; n <= N; n += n < 5 ? 1 : 205)
						good = good &&
						       loads(works[w], (enum dtype)t, swapped, steps[s], n);

				if (!good)
					snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s%s",
					        dtype_name((enum dtype)t), swapped ? "/swapped" : "");
			}

		check('\0' == wrong[0], "load as %s%s%s", dtype_name(works[w]), wrong[0] ? ", not from" : "",
		        wrong);
	}
}

static void test_stores(void)
{
	for (int w = 0; w < WORKS; w++) {
		char wrong[300] = "";

		for (int t = 0; t < DT_COUNT; t++)
			for (int swapped = 0; swapped < 2; swapped++) {
				const long size = (long)dtype_size((enum dtype)t);
				const long steps[] = {size, -size, 2 * size, -3 * size, size + 1};
				bool good = true;

				for (int s = 0; s < 5; s++)
					for (long n = 0; n <= N; n += n < 5 ? 1 : 205)
						for (int k = 0; k < 4; k++)
							good = good &&
							       stores(works[w], (enum dtype)t, swapped,
							               steps[s], n,
							               k & 1 ? NARROW_WRAP : NARROW_SATURATE,
							               k & 2);

				if (!good)
					snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s%s",
					        dtype_name((enum dtype)t), swapped ? "/swapped" : "");
			}

		check('\0' == wrong[0], "store of %s, in and past the cache%s%s", dtype_name(works[w]),
		        wrong[0] ? ", not to" : "", wrong);
	}
}

int main(void)
{
	test_loads();
	test_stores();

	return checks_failed > 0;
}
