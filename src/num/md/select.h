#ifndef NUM_MD_SELECT_H
#define NUM_MD_SELECT_H

/** The k-th smallest (from 0) of n values, by Hoare's selection; v is reordered and must not contain NaN. */
extern double select_kth(long n, long k, double v[]);

/** The median of n >= 1 values without NaN, the mean of the two middle ones if n is even; v is reordered.
 */
extern double select_median(long n, double v[]);

#endif
