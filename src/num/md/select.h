#ifndef NUM_MD_SELECT_H
#define NUM_MD_SELECT_H

/** Returns the k-th smallest of n values, where k counts from 0. The array v is reordered and must not
 * contain NaN. */
extern double select_kth(long n, long k, double v[]);

/** Returns the median of n >= 1 values. If n is even, the median is the mean of the two middle values. The
 * array v is reordered and must not contain NaN. */
extern double select_median(long n, double v[]);

#endif
