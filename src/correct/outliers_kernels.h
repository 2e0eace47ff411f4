#ifndef CORRECT_OUTLIERS_KERNELS_H
#define CORRECT_OUTLIERS_KERNELS_H

#include <stdbool.h>

/** Detects outliers in views that reside on a device. */

/** A batch consists of the views [first, first + n) of a file. The array `in` begins with view `base` of
 * the file. */
struct outliers_batch {
	long cols, rows, radius, reach; // reach: number of views that the window needs on either side
	unsigned long dims;
	long first, n, base, views; // views: number of views of a stack; windows end at stacks
	const double *in;
	const unsigned char *bad; // as in struct outliers, on the device
	bool counts;
};

/** Selects the outliers to replace. The members `bright` and `dark` are those of struct outliers. */
struct outliers_choice {
	bool bright, dark, relative; // relative: limits apply to distances()
};

/** The members are those of struct outliers. */
struct outliers_found {
	long long found, lost, empty;
};

struct outliers_kernels {
	/** Computes the medians of the windows around all elements of n views. */
	void (*around)(const struct outliers_batch *b, double *median);
	/** Computes the distances |value - median| of good values. A value is good if it is finite and
	 * its pixel is not marked in `bad`. All other values get the distance -1. Distances of counts
	 * are divided by sqrt(max(median, 1)). */
	void (*distances)(const struct outliers_batch *b, const double *median, double *distance);
	/** For each view, counts the distances and finds their two medians. `lower` receives the smaller
	 * median, and `upper` the larger median. If the number of distances is odd, `lower` and `upper`
	 * are equal. The arrays count, lower and upper reside on the host. */
	void (*middle)(const struct outliers_batch *b, const double *distance, long count[], double lower[],
	        double upper[]);
	/** Replaces outliers and unusable values by their medians. The corrected views overwrite
	 * `median`. A value is an outlier if its distance from the median exceeds limit[view]. The array
	 * `limit` resides on the host. The numbers of replaced values are added to `found`. */
	void (*replace)(const struct outliers_batch *b, const struct outliers_choice *c, const double limit[],
	        double *median, struct outliers_found *found);
};

/** Implements the operations on the GPU. */
extern const struct outliers_kernels outliers_kernels_gpu;

#endif
