#ifndef LINOPS_WAVELET_WAVELET_LINES_H
#define LINOPS_WAVELET_WAVELET_LINES_H

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** A level of a wavelet transform along one axis: shared by the CPU and a device. */

enum { WAVELET_STEPS = 5, WAVELET_AXES = DIMS + 1 };

/** A lifting step: x[i] += sum of c x[i + offset], for all i of one parity. Offsets are odd and at most
 * WAVELET_FAR. */
enum { WAVELET_FAR = 3 };

struct wavelet_tap {
	int offset;
	double c;
};

struct wavelet_lift {
	int parity, taps;
	struct wavelet_tap tap[2];
};

/** Lifting steps, followed by a multiplication of the even elements (coarse part) and the odd elements
 * (details) by factors. */
struct wavelet_lifts {
	bool orthonormal;
	int steps;
	struct wavelet_lift step[WAVELET_STEPS];
	double low, high;
};

/** Lines of n real numbers, `step` numbers apart, and the map that is applied: analysis or synthesis,
 * transposed or not. */
struct wavelet_task {
	struct wavelet_lifts f;
	bool periodic, analysis, transpose;
	long n, step;
	long lifted; // elements of a line that take part
	long lines;  // how many
	int axes;    // of the lines: extents, 1 along theirs, and steps [numbers]
	long dims[WAVELET_AXES], steps[WAVELET_AXES];
};

/** Whether the factors `low` and `high` are inverted and the signs of the lifting steps are reversed. T is
 * the wavelet transform. Analysis applies T, or T^-1' with `transpose`. Synthesis applies T^-1, or T' with
 * `transpose`. */
DEVICE_FN bool wavelet_inverse(const struct wavelet_task *t)
{
	return t->analysis == t->transpose;
}

/** Lifting step number k in the order of execution. */
DEVICE_FN const struct wavelet_lift *wavelet_step(const struct wavelet_task *t, int k)
{
	return &t->f.step[t->analysis ? k : t->f.steps - 1 - k];
}

/** i if element i is inside a line of n > 1 elements; otherwise the index of the element used in its place. A
 * mirrored index is even if i is even, and odd if i is odd. */
DEVICE_FN long wavelet_beyond(bool periodic, long i, long n)
{
	if (0 <= i && i < n)
		return i;

	if (periodic)
		return (i % n + n) % n;

	const long period = 2 * (n - 1);

	i = (i % period + period) % period;

	return (i < n) ? i : period - i;
}

/** Position of element i of a line after the transform: first the coarse part, then the details. */
DEVICE_FN long wavelet_place(long i, long n)
{
	return (i % 2) ? (n + 1) / 2 + i / 2 : i / 2;
}

/** Offset of line number k [numbers]. */
DEVICE_FN long wavelet_line_at(const struct wavelet_task *t, long k)
{
	long at = 0;

	for (int a = 0; a < t->axes; a++) {
		at += k % t->dims[a] * t->steps[a];
		k /= t->dims[a];
	}

	return at;
}

/** Wavelet transforms on a device: one level along all lines from src to dst, which are different arrays of a
 * real type. Empty in builds without CUDA. */
struct wavelet_kernels {
	void (*lines)(const struct wavelet_task *t, enum dtype real, void *dst, const void *src);
};

extern const struct wavelet_kernels wavelet_kernels_gpu;

#endif
