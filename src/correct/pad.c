#include "correct/pad.h"

#include <math.h>
#include <stdbool.h>

#include "correct/rings/running_median.h"

const char pad_mode_names[] = "cosine|edge|mirror";

/** The factor of added value j of n, counted from 1. */
static double fade(long j, long n)
{
	return 0.5 * (1. + cos(3.14159265358979323846 * (double)j / (double)(n + 1)));
}

double pad_column(enum pad_mode mode, long n, long left, long right, long i, long *at)
{
	const bool inside = 0 <= i && i < n;
	const long j = (i < 0) ? -i : i - n + 1; // beyond the end

	*at = (PAD_MIRROR == mode) ? mirrored(i, n) : (i < 0) ? 0 : (i < n) ? i : n - 1;

	return (inside || PAD_EDGE == mode) ? 1. : fade(j, (i < 0) ? left : right);
}

void pad_line(enum pad_mode mode, long n, long left, long right, double *out, const double *in)
{
	for (long i = -left; i < n + right; i++) {
		long at;
		const double factor = pad_column(mode, n, left, right, i, &at);

		out[left + i] = in[at] * factor;
	}
}
