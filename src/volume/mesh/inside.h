#ifndef VOLUME_MESH_INSIDE_H
#define VOLUME_MESH_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "misc/dtype.h"

/** Classifies the elements of a row as inside or outside, as bits. */
struct inside {
	enum dtype type;
	bool never;          // no value of the type is inside
	union inside_level { // in the type of the elements
		int64_t i;   // bool and signed types
		uint64_t u;  // unsigned types
		float f;     // float16 and float32
		double d;    // float64
	} level;
	/** Sets bit 1 + i of bits[0..n / 64] if element i of n is inside, and the other bits of these words
	 * to 0. Returns the number of NaN. */
	long (*row)(uint64_t *bits, const void *p, long n, union inside_level level);
};

/** Inside is v >= level, or with `label` v == level (integer types). */
extern void inside_init(struct inside *s, enum dtype type, double level, bool label);

/** Writes n + 2 bits to `words` words: 0, a bit for each of the n elements at p, and 0; the bits after them
 * are 0. `buffer` has room for n floats (for float16). Returns the number of NaN. */
extern long inside_row(
        const struct inside *s, uint64_t *bits, long words, const void *p, long n, float *buffer);

#endif
