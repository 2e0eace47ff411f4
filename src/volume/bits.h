#ifndef VOLUME_BITS_H
#define VOLUME_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "misc/dtype.h"

/** Voxels as bits, 64 to a word, the first in the lowest bit. */

/** Number of words for n bits. */
static inline long bits_words(long n)
{
	return (n + 63) / 64;
}

/** Sets bit i if byte i of n is not 0; the last word is filled up with 0. */
extern void bits_pack(uint64_t *bits, long n, const unsigned char *x);

/** Sets bit i if element i, of the real type t, is not 0 (NaN is not 0). bytes: room for n. */
extern void bits_nonzero(uint64_t *bits, enum dtype t, long n, const void *x, unsigned char *bytes);

/** Sets bit i if element i is greater than the level; bits of NaN are 0. bytes: room for n. */
extern void bits_above(uint64_t *bits, long n, const double *x, double level, unsigned char *bytes);

/** The complement of n bits, followed by zeros. */
extern void bits_invert(uint64_t *bits, long n);

/** A row of voxels [start, end). */
struct run {
	uint32_t start, end;
};

/** Finds the runs of set bits among the first n bits; returns the number of runs, at most (n + 1) / 2. */
extern long bits_runs(struct run *runs, long n, const uint64_t *bits);

#endif
