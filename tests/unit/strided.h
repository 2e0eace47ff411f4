#ifndef TESTS_UNIT_STRIDED_H
#define TESTS_UNIT_STRIDED_H

#include <stdint.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "num/md/multind.h"
#include "num/md/rand.h"

/** Random strided arrays for the unit programs of src/num. */

/** A small integer below n, the same in every run. */
__attribute__((unused)) static long pick(long n)
{
	static uint64_t element;

	return (long)(rand_uniform(7, element++) * (double)n);
}

/** An array inside a separate buffer: any order of dims, with gaps, and with positive, negative or zero
 * strides. */
struct strided {
	char *buffer;
	size_t bytes;
	long strs[DIMS];
	char *first;
};

__attribute__((unused)) static struct strided strided_make(int D, const long dims[], size_t size, bool repeat)
{
	struct strided a = {.strs = {0}};
	int order[DIMS];
	long step = (long)size, base = 0;

	for (int i = 0; i < D; i++) // a random order of the dims
		order[i] = i;

	for (int i = D - 1; i > 0; i--) {
		int j = (int)pick(i + 1), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}

	for (int i = 0; i < D; i++) {
		int d = order[i];

		if (repeat && 0 == pick(3))
			continue;

		a.strs[d] = step;
		step *= dims[d] + (0 == pick(2) ? pick(3) : 0);

		if (0 == pick(3)) {
			base += (dims[d] - 1) * a.strs[d];
			a.strs[d] = -a.strs[d];
		}
	}

	a.bytes = (size_t)step;
	a.buffer = mem_alloc(a.bytes);
	a.first = a.buffer + base;

	return a;
}

/** The element at pos. */
__attribute__((unused)) static char *strided_at(const struct strided *a, int D, const long pos[])
{
	return a->first + md_calc_offset(D, a->strs, pos);
}

__attribute__((unused)) static int random_dims(long dims[DIMS], int max, long largest)
{
	int D = (int)pick(max + 1);

	for (int i = 0; i < D; i++)
		dims[i] = 1 + pick(largest);

	return D;
}

#endif
