#include "correct/pad.h"

#include <math.h>
#include <stdbool.h>

#include "correct/running_median.h"

const char pad_mode_names[] = "cosine|edge|mirror";

/** The factor of the j-th of n added values, from 1 on. */
static double fade(long j, long n)
{
	return 0.5 * (1. + cos(3.14159265358979323846 * (double)j / (double)(n + 1)));
}

void pad_line(enum pad_mode mode, long n, long left, long right, double *out, const double *in)
{
	for (long i = -left; i < n + right; i++) {
		const bool inside = 0 <= i && i < n;
		const long j = (i < 0) ? -i : i - n + 1; // beyond the end
		const double x = (PAD_MIRROR == mode) ? in[mirrored(i, n)]
		                                      : in[(i < 0)        ? 0
		                                                : (i < n) ? i
		                                                          : n - 1];

		out[left + i] = (inside || PAD_EDGE == mode) ? x : x * fade(j, (i < 0) ? left : right);
	}
}
