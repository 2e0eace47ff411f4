/* Pieces of an array as boxes of HDF5: every box of every small array against all others. */

#include "check.h"

#include "misc/formats/hdf5/hdf5_internal.h"

enum { RANK = 4 };

/* The elements of the box if they follow each other from `first` on, else 0. */
static long gapless(const hsize_t dims[], long first, const hsize_t start[], const hsize_t count[])
{
	long next = first, elements = 1;

	for (int i = 0; i < RANK; i++) {
		if (0 == count[i] || start[i] + count[i] > dims[i])
			return 0;

		elements *= (long)count[i];
	}

	for (long e = 0; e < elements; e++, next++) {
		long place = 0, rest = e, block = elements;

		for (int i = 0; i < RANK; i++) {
			block /= (long)count[i];
			place = place * (long)dims[i] + (long)start[i] + rest / block;
			rest %= block;
		}

		if (place != next)
			return 0;
	}

	return elements;
}

/* The most elements of a box without gaps that begins there, at most n. */
static long most(const hsize_t dims[], long first, long n, const hsize_t start[])
{
	long best = 0;

	for (long k = 0; k < 4 * 4 * 4 * 4; k++) {
		const hsize_t count[RANK] = {1 + k % 4, 1 + k / 4 % 4, 1 + k / 16 % 4, 1 + k / 64};
		const long here = gapless(dims, first, start, count);

		if (here <= n && here > best)
			best = here;
	}

	return best;
}

static bool is_right(const hsize_t dims[], long first, long n)
{
	hsize_t start[RANK], count[RANK];

	memset(count, 0xff, sizeof count);

	const long box = hdf5_box(RANK, dims, first, n, start, count);

	return box > 0 && box == gapless(dims, first, start, count) && box == most(dims, first, n, start);
}

int main(void)
{
	static const hsize_t shapes[][RANK] = {{1, 1, 1, 1}, {4, 1, 1, 1}, {1, 1, 1, 4}, {2, 3, 1, 4},
	        {3, 2, 4, 2}, {2, 1, 3, 3}, {1, 3, 2, 1}};

	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		const hsize_t *d = shapes[s];
		const long size = (long)(d[0] * d[1] * d[2] * d[3]);
		long wrong = 0;

		for (long first = 0; first < size; first++)
			for (long n = 1; n <= size - first; n++)
				wrong += !is_right(d, first, n);

		check(0 == wrong, "%ld x %ld x %ld x %ld: pieces are the largest boxes (%ld are not)",
		        (long)d[0], (long)d[1], (long)d[2], (long)d[3], wrong);
	}

	return checks_failed > 0;
}
