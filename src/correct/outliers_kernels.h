#ifndef CORRECT_OUTLIERS_KERNELS_H
#define CORRECT_OUTLIERS_KERNELS_H

#include <stdbool.h>

/** Finds outliers in views that reside on a device; one table per device. */

/** Views [first, first + n) of a file; in begins with view `base`. */
struct outliers_batch {
	long cols, rows, radius, reach; // reach: views that the window needs on either side
	unsigned long dims;
	long first, n, base, views; // views: of a stack, whose neighbours are not those of another
	const double *in;
	const unsigned char *bad; // NULL: none
	bool counts;
};

/** Which outliers to replace, and how many were replaced, named as in outliers_view(). */
struct outliers_choice {
	bool bright, dark, relative; // relative: distances are in units of the noise
};

struct outliers_found {
	long long found, lost, empty;
};

struct outliers_kernels {
	/** Medians around all elements of n views. */
	void (*around)(const struct outliers_batch *b, double *median);
	/** Distances of the good values from their medians, in units of the noise; -1: not a good value. */
	void (*distances)(const struct outliers_batch *b, const double *median, double *distance);
	/** For each view: the number of distances, and the two middle ones in order (the same one twice for
	 * odd numbers), to the host. */
	void (*middle)(const struct outliers_batch *b, const double *distance, long count[], double lower[],
	        double upper[]);
	/** median becomes the view without values farther than limit[view], which is on the host; adds to the
	 * counts. */
	void (*replace)(const struct outliers_batch *b, const struct outliers_choice *c, const double limit[],
	        double *median, struct outliers_found *found);
};

extern const struct outliers_kernels outliers_kernels_gpu;

#endif
