#ifndef NUM_ARRAY_OVERFLOW_H
#define NUM_ARRAY_OVERFLOW_H

#include "misc/file/cfl.h"

/**
 * Counts integer results that exceed 64 bits. Such results are clipped to 64 bits before they are converted
 * to the file's type. The conversion counts only the values that it clips itself.
 */
struct overflow {
	enum dtype work;
	bool counts[2]; // whether what is clipped at the low, high end of the work type is to be counted here
	long lost;
};

/** Begins a pass in work type `work`; only int64 and uint64 are counted. */
extern void overflow_start(struct overflow *o, enum dtype work, enum dtype out);
/** Adds `lost` values; called by any thread. */
extern void overflow_add(struct overflow *o, long lost);
/** Warns if any values were counted. */
extern void overflow_report(const struct overflow *o, const struct cfl *out);

#endif
