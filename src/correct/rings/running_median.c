#include "correct/rings/running_median.h"

#include <string.h>

/** The first index in the ascending values v[n] whose value is not below x. */
static long place(long n, const double v[], double x)
{
	long lo = 0, hi = n;

	while (lo < hi) {
		const long mid = (lo + hi) / 2;

		if (v[mid] < x)
			lo = mid + 1;
		else
			hi = mid;
	}

	return lo;
}

static void insert(long n, double v[], double x)
{
	const long at = place(n, v, x);

	memmove(v + at + 1, v + at, (size_t)(n - at) * sizeof *v);
	v[at] = x;
}

/** The window is kept in order: an element leaves, another comes. */
void running_median(long n, long size, long step, double *out, const double *in, double *work)
{
	const long half = size / 2;

	for (long i = 0; i < size; i++)
		insert(i, work, in[mirrored(i - half, n) * step]);

	for (long i = 0;; i++) {
		out[i * step] = work[half];

		if (i + 1 == n)
			return;

		const long at = place(size, work, in[mirrored(i - half, n) * step]);

		memmove(work + at, work + at + 1, (size_t)(size - 1 - at) * sizeof *work);
		insert(size - 1, work, in[mirrored(i + 1 + half, n) * step]);
	}
}
