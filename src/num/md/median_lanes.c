#include "num/md/median_lanes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/kern.h"

/** The smaller value goes to v[low], the larger one to v[high]. */
struct exchange {
	uint16_t low, high;
};

struct median_network {
	long n, count;
	struct exchange *exchanges;
};

/** Those of algorithm M, from the last to the first, in `e` unless NULL; how many. */
static long merge_exchange(long n, struct exchange *e)
{
	long top = 1, count = 0;

	while (2 * top < n)
		top *= 2;

	for (long p = top; p > 0 && n > 1; p /= 2) {
		long q = top, r = 0, d = p;

		for (;;) {
			for (long i = 0; i + d < n; i++) {
				if ((i & p) != r)
					continue;

				if (NULL != e)
					e[count] = (struct exchange){(uint16_t)i, (uint16_t)(i + d)};

				count++;
			}

			if (q == p)
				break;

			d = q - p;
			q /= 2;
			r = p;
		}
	}

	return count;
}

/** Leaves out the exchanges on which the median does not depend. */
static void prune(struct median_network *m)
{
	bool *matters = mem_calloc((size_t)m->n, sizeof *matters);
	long first = m->count;

	matters[m->n / 2] = true;

	for (long i = m->count - 1; i >= 0; i--) {
		const struct exchange e = m->exchanges[i];

		if (!matters[e.low] && !matters[e.high])
			continue;

		matters[e.low] = matters[e.high] = true;
		m->exchanges[--first] = e;
	}

	m->count -= first;
	memmove(m->exchanges, m->exchanges + first, (size_t)m->count * sizeof *m->exchanges);
	free(matters);
}

struct median_network *median_network_create(long n)
{
	if (n < 1 || n > UINT16_MAX || 0 == n % 2)
		error("a median network has %ld elements, expected an odd number up to %d", n, UINT16_MAX);

	struct median_network *m = NEW(struct median_network);

	m->n = n;
	m->count = merge_exchange(n, NULL);
	m->exchanges = mem_alloc((size_t)(m->count + 1) * sizeof *m->exchanges);
	merge_exchange(n, m->exchanges);
	prune(m);

	return m;
}

void median_network_free(struct median_network *m)
{
	if (NULL != m)
		free(m->exchanges);

	free(m);
}

/* The network for lanes of a type and an instruction set: loops of constant length, of which vectors are
 * made. */
#define MEDIANS(T, isa, target)                                                                              \
	target static void medians_##T##_##isa(const struct median_network *m, T *restrict out, T *v)        \
	{                                                                                                    \
		T nan[MEDIAN_LANES] = {0};                                                                   \
		for (long k = 0; k < m->n; k++)                                                              \
			for (int i = 0; i < MEDIAN_LANES; i++) {                                             \
				const T x = v[k * MEDIAN_LANES + i];                                         \
				nan[i] = (x == x) ? nan[i] : x;                                              \
				v[k * MEDIAN_LANES + i] = x + 0;                                             \
			}                                                                                    \
		for (long k = 0; k < m->count; k++) {                                                        \
			T *restrict low = v + m->exchanges[k].low * MEDIAN_LANES;                            \
			T *restrict high = v + m->exchanges[k].high * MEDIAN_LANES;                          \
			for (int i = 0; i < MEDIAN_LANES; i++) {                                             \
				const T a = low[i], b = high[i];                                             \
				low[i] = (a < b) ? a : b;                                                    \
				high[i] = (a < b) ? b : a;                                                   \
			}                                                                                    \
		}                                                                                            \
		for (int i = 0; i < MEDIAN_LANES; i++)                                                       \
			out[i] = (nan[i] == nan[i]) ? v[m->n / 2 * MEDIAN_LANES + i] : nan[i];               \
	}

#define MEDIANS_OF(isa, target)                                                                              \
	MEDIANS(float, isa, target)                                                                          \
	MEDIANS(double, isa, target)                                                                         \
	static void medians_##isa(const struct median_network *m, bool narrow, void *out, void *v)           \
	{                                                                                                    \
		if (narrow)                                                                                  \
			medians_float_##isa(m, out, v);                                                      \
		else                                                                                         \
			medians_double_##isa(m, out, v);                                                     \
	}

MEDIANS_OF(plain, )
#if defined(__x86_64__)
MEDIANS_OF(avx2, __attribute__((target("avx2"))))
MEDIANS_OF(avx512, __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))))
#endif

void median_lanes(const struct median_network *m, enum dtype type, void *out, void *v)
{
	KERN_CHOOSE(medians)(m, DT_FLOAT32 == type, out, v);
}
