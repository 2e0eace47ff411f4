#ifndef NUM_ARRAY_OVERFLOW_H
#define NUM_ARRAY_OVERFLOW_H

#include "misc/file/cfl.h"

/**
 * Results of integers that 64 bits do not hold, on their way to a file: they are clipped before the
 * conversion to the file's type, which counts only what it clips itself.
 */
struct overflow {
	enum dtype work;
	bool counts[2]; // whether what is clipped at the low, high end of the work type is to be counted here
	long lost;
};

/** Of a pass in that work type; nothing is counted unless it is int64 or uint64. */
extern void overflow_start(struct overflow *o, enum dtype work, enum dtype out);
/** From any thread. */
extern void overflow_add(struct overflow *o, long lost);
/** A warning where there were some. */
extern void overflow_report(const struct overflow *o, const struct cfl *out);

#endif
