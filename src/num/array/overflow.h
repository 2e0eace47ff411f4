#ifndef NUM_ARRAY_OVERFLOW_H
#define NUM_ARRAY_OVERFLOW_H

#include "misc/file/cfl.h"

/** Counts integer results that do not fit into 64 bits. Integer results are clipped to 64 bits before the
 * conversion to the file's type. The conversion cannot count results that were clipped before. */
struct overflow {
	enum dtype work;
	bool counts[2]; // whether values clipped at the low end and at the high end are counted
	long lost;
};

/** Sets the count to 0. Results have type `work` and are converted to type `out`. Only int64 and uint64
 * results are counted. */
extern void overflow_start(struct overflow *o, enum dtype work, enum dtype out);
/** Adds `lost` clipped values. Any thread may call the function. */
extern void overflow_add(struct overflow *o, long lost);
/** Prints a warning if any values were counted. */
extern void overflow_report(const struct overflow *o, const struct cfl *out);

#endif
