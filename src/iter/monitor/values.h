#ifndef ITER_MONITOR_VALUES_H
#define ITER_MONITOR_VALUES_H

#include "misc/file/cfl.h"

/** What must be known of input data before a long computation starts. */
struct values {
	long nonfinite; // NaN or infinite in either part
	long negative;  // finite and < 0 (real part)
	double min;     // of the finite values (real part); INFINITY when there are none
};

/** n elements of any type. */
extern struct values values_scan(enum dtype type, long n, const void *data);

/** error() naming f, how many of its elements are NaN or infinite and the first of them, unless all are
 * finite; returns what was found. */
extern struct values values_expect_finite(struct cfl *f);

/** Likewise when some are negative. */
extern struct values values_expect_nonnegative(struct cfl *f);

#endif
