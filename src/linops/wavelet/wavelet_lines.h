#ifndef LINOPS_WAVELET_WAVELET_LINES_H
#define LINOPS_WAVELET_WAVELET_LINES_H

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** One level of a wavelet transform along one axis, for the CPU and for a device. */

enum { WAVELET_STEPS = 5, WAVELET_AXES = DIMS + 1 }; // largest numbers of lifting steps and of axes

/** A lifting step adds terms `c x[i + offset]` to all even or to all odd `x[i]`. Offsets are odd, with a
 * magnitude of at most WAVELET_FAR. */
enum { WAVELET_FAR = 3 };

struct wavelet_tap {
	int offset;
	double c;
};

struct wavelet_lift {
	int parity, taps; // parity: 0 for even i, 1 for odd i
	struct wavelet_tap tap[2];
};

/** The lifting steps of a wavelet family. After the steps, even elements (coarse part) are multiplied by
 * `low`. Odd elements (details) are multiplied by `high`. */
struct wavelet_lifts {
	bool orthonormal; // with the periodic boundary
	int steps;
	struct wavelet_lift step[WAVELET_STEPS];
	double low, high;
};

/** One transform level along one axis, applied to many lines of n real numbers. The numbers of a line are
 * `step` numbers apart. The comment of wavelet_inverse() explains `analysis` and `transpose`. */
struct wavelet_task {
	struct wavelet_lifts f;
	bool periodic, analysis, transpose;
	long n, step;
	long lifted; // numbers of a line that are transformed; the rest is copied
	long lines;  // number of lines
	int axes;    // length of dims[] and steps[]
	long dims[WAVELET_AXES], steps[WAVELET_AXES]; // extents and strides of the array of lines [numbers]
};

/**
 * Returns whether a task reverses the signs of the lifting steps and inverts the factors `low` and `high`. If
 * T is the wavelet transform, the map of a task is:
 *
 *     T        for analysis
 *     T^-1'    for analysis with transpose
 *     T^-1     for synthesis
 *     T'       for synthesis with transpose
 */
DEVICE_FN bool wavelet_inverse(const struct wavelet_task *t)
{
	return t->analysis == t->transpose;
}

/** Returns lifting step k in the order of execution. Synthesis runs the steps in reverse order. */
DEVICE_FN const struct wavelet_lift *wavelet_step(const struct wavelet_task *t, int k)
{
	return &t->f.step[t->analysis ? k : t->f.steps - 1 - k];
}

/** Returns i if element i is inside a line of n > 1 elements. Otherwise the result is the index of the
 * element that replaces element i. A mirrored index is even if i is even, and odd if i is odd. */
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

/** Returns where one level places element i of a line. The coarse part comes first, then the details. */
DEVICE_FN long wavelet_place(long i, long n)
{
	return (i % 2) ? (n + 1) / 2 + i / 2 : i / 2;
}

/** Returns the offset of line k from the first line [numbers]. */
DEVICE_FN long wavelet_line_at(const struct wavelet_task *t, long k)
{
	long at = 0;

	for (int a = 0; a < t->axes; a++) {
		at += k % t->dims[a] * t->steps[a];
		k /= t->dims[a];
	}

	return at;
}

/** Wavelet transforms on a device. The function lines() applies one level to all lines of src and writes to
 * dst. `src` and `dst` are different arrays of a real type. In builds without CUDA, all function pointers
 * are NULL. */
struct wavelet_kernels {
	void (*lines)(const struct wavelet_task *t, enum dtype real, void *dst, const void *src);
};

extern const struct wavelet_kernels wavelet_kernels_gpu;

#endif
