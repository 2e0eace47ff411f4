#ifndef NUM_STAT_SUMMARY_H
#define NUM_STAT_SUMMARY_H

#include <complex.h>

#include "misc/file/cfl.h"

/** Statistics of an array. All values except counts use only finite elements. For complex data, min and max
 * refer to magnitudes. */
struct summary {
	long count;
	long zeros, nans, infs;    // a complex element with NaN and infinity counts as NaN
	long first_nan, first_inf; // element number, or -1
	long finite;
	long double min, max; // exact for every type; NAN without finite elements
	complex double sum, mean;
	double std;  // sqrt(sum |x - mean|^2 / finite)
	double norm; // sqrt(sum |x|^2)
};

/** Computes the statistics of f in one pass. Sums are in float64 and in a fixed order. Results are
 * bit-identical for any number of threads. */
extern void summarize(struct summary *out, struct cfl *f);

#endif
