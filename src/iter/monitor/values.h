#ifndef ITER_MONITOR_VALUES_H
#define ITER_MONITOR_VALUES_H

#include "misc/file/cfl.h"

/** Statistics of the values of an array. */
struct values {
	long nonfinite; // number of elements with a NaN or infinite part
	long negative;  // number of finite elements with negative real part
	double min;     // smallest finite real part, or INFINITY if there is none
};

/** Returns statistics of n elements of any type. */
extern struct values values_scan(enum dtype type, long n, const void *data);

/** Returns statistics of the array f. NaN and infinite elements are an error(). The message gives the number
 * of bad elements and the position of the first one. */
extern struct values values_expect_finite(struct cfl *f);

/** Returns statistics of the array f. NaN, infinite and negative elements are an error(). The message gives
 * the number of bad elements and the position of the first one. */
extern struct values values_expect_nonnegative(struct cfl *f);

#endif
