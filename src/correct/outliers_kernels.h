#ifndef CORRECT_OUTLIERS_KERNELS_H
#define CORRECT_OUTLIERS_KERNELS_H

#include <stdbool.h>

/** Detects outliers in views that reside on a device; one table per device. */

/** Views [first, first + n) of a file. The array `in` begins with view `base` of the file. */
struct outliers_batch {
	long cols, rows, radius, reach; // reach: views that the window needs on either side
	unsigned long dims;
	long first, n, base, views; // views: length of a stack; windows do not extend into the next stack
	const double *in;
	const unsigned char *bad; // NULL: none
	bool counts;
};

/** Which outliers to replace. Struct outliers_found counts the replaced values. Members are named as in
 * struct outliers. */
struct outliers_choice {
	bool bright, dark, relative; // relative: limits are for distances(), not for |value - median|
};

struct outliers_found {
	long long found, lost, empty;
};

struct outliers_kernels {
	/** Medians of the windows around all elements of n views. */
	void (*around)(const struct outliers_batch *b, double *median);
	/** Distances of the good values (finite, at pixels not marked in `bad`) from their medians; -1 for
	 * other values. Distances of counts are divided by the square root of the median (at least 1). */
	void (*distances)(const struct outliers_batch *b, const double *median, double *distance);
	/** Computes for each view the number of its distances, and the two middle ones in ascending order
	 * (equal if the number is odd). These results are on the host. */
	void (*middle)(const struct outliers_batch *b, const double *distance, long count[], double lower[],
	        double upper[]);
	/** Overwrites median with the corrected views: bad values and those farther than limit[view] from
	 * their median are replaced by the median. limit is on the host. Adds to the counts in found. */
	void (*replace)(const struct outliers_batch *b, const struct outliers_choice *c, const double limit[],
	        double *median, struct outliers_found *found);
};

extern const struct outliers_kernels outliers_kernels_gpu;

#endif
