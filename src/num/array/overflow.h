#ifndef NUM_ARRAY_OVERFLOW_H
#define NUM_ARRAY_OVERFLOW_H

#include "misc/file/cfl.h"

/**
 * Integer results that exceed 64 bits, before they are written to a file. They are clipped before the
 * conversion to the file's type, which counts only its own clipped values.
 */
struct overflow {
	enum dtype work;
	bool counts[2]; // whether what is clipped at the low, high end of the work type is to be counted here
	long lost;
};

/** For a pass in that work type; counts nothing unless it is int64 or uint64. */
extern void overflow_start(struct overflow *o, enum dtype work, enum dtype out);
/** From any thread. */
extern void overflow_add(struct overflow *o, long lost);
/** Warns if there were any. */
extern void overflow_report(const struct overflow *o, const struct cfl *out);

#endif
