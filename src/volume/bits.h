#ifndef VOLUME_BITS_H
#define VOLUME_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "misc/dtype.h"

/** These functions store voxels as bits, with 64 voxels per word. The first voxel is in the lowest bit. */

/** Returns how many words hold n bits. */
static inline long bits_words(long n)
{
	return (n + 63) / 64;
}

/** Sets bit i if byte i of n bytes is not 0. The unused bits of the last word are 0. */
extern void bits_pack(uint64_t *bits, long n, const unsigned char *x);

/** Sets bit i if element i is not 0. The type t is real, and NaN is not 0. `bytes` has room for n bytes. */
extern void bits_nonzero(uint64_t *bits, enum dtype t, long n, const void *x, unsigned char *bytes);

/** Sets bit i if element i is greater than `level`. NaN gives 0. `bytes` has room for n bytes. */
extern void bits_above(uint64_t *bits, long n, const double *x, double level, unsigned char *bytes);

/** Inverts n bits. The unused bits of the last word become 0. */
extern void bits_invert(uint64_t *bits, long n);

/** A run of voxels [start, end) in a row. */
struct run {
	uint32_t start, end;
};

/** Finds the runs of set bits among the first n bits. Returns the number of runs, at most (n + 1) / 2. */
extern long bits_runs(struct run *runs, long n, const uint64_t *bits);

#endif
