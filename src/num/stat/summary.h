#ifndef NUM_STAT_SUMMARY_H
#define NUM_STAT_SUMMARY_H

#include <complex.h>

#include "misc/file/cfl.h"

/** Statistics of an array in one pass. All values except the counts are over finite elements; for complex
 * data, min and max are of the magnitude. */
struct summary {
	long count;
	long zeros, nans, infs; // an element with a NaN part is a NaN, else with an infinite part an infinity
	long first_nan, first_inf; // element number, or -1
	long finite;
	long double min, max; // NAN when nothing is finite; exact for every type
	complex double sum, mean;
	double std;  // sqrt(sum |x - mean|^2 / finite)
	double norm; // sqrt(sum |x|^2)
};

/** Sums are in float64 and in a fixed order, so results are bit-identical for any number of threads. Reads f
 * to its end. */
extern void summarize(struct summary *out, struct cfl *f);

#endif
