#ifndef VOLUME_MESH_INSIDE_H
#define VOLUME_MESH_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "misc/dtype.h"

/** Tests whether elements are inside or outside a surface. */
struct inside {
	enum dtype type;
	bool never;          // no value of the type is inside
	union inside_level { // level in the type of the elements
		int64_t i;   // bool and signed types
		uint64_t u;  // unsigned types
		float f;     // float16 and float32
		double d;    // float64
	} level;
	/** Sets bit `1 + i` of `bits` if element i is inside. Clears all other bits of bits[0..n / 64].
	 * Returns the number of NaN. */
	long (*row)(uint64_t *bits, const void *p, long n, union inside_level level);
};

/** Prepares the test `v >= level`. With `label`, the test is `v == level`, and `type` must be an integer. */
extern void inside_init(struct inside *s, enum dtype type, double level, bool label);

/** Writes the bits of one row to `words` words. Bit `1 + i` is set if element i of p is inside. All other
 * bits are 0. For float16, `buffer` has room for n floats. Returns the number of NaN. */
extern long inside_row(
        const struct inside *s, uint64_t *bits, long words, const void *p, long n, float *buffer);

#endif
