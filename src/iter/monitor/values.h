#ifndef ITER_MONITOR_VALUES_H
#define ITER_MONITOR_VALUES_H

#include "misc/file/cfl.h"

/** Checks of input data before a long computation starts. */
struct values {
	long nonfinite; // NaN or infinite in either part
	long negative;  // finite and < 0 (real part)
	double min;     // of the finite values (real part); INFINITY when there are none
};

/** Returns statistics of n elements of any type. */
extern struct values values_scan(enum dtype type, long n, const void *data);

/** error() naming f, the number of its NaN or infinite elements and the first of them, unless all are finite;
 * returns statistics of the values. */
extern struct values values_expect_finite(struct cfl *f);

/** error() naming f, the number of its negative elements and the first of them, unless there are none;
 * returns statistics of the values. */
extern struct values values_expect_nonnegative(struct cfl *f);

#endif
