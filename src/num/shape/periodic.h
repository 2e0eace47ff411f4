#ifndef NUM_SHAPE_PERIODIC_H
#define NUM_SHAPE_PERIODIC_H

#include <stddef.h>

/** The source of elements along a dim of a copy: element k is element first + k of the input, or element
 * (first + k) mod period if period > 0. */
struct periodic_dim {
	long str;    // step of the input [bytes], any sign
	long first;  // 0..period-1 when there is a period
	long period; // 0 = none
};

/**
 * Copies elements of `size` bytes from the periodic continuation of an array; all whole periods are one
 * strided copy.
 *
 * @param D     0..DIMS
 * @param dims  extent of the output [elements]
 * @param ostrs steps of the output [bytes]
 * @param out   first element of the output, which overlaps no input
 * @param in    D dims of the input
 * @param base  element 0 of the input in all dims
 */
extern void periodic_copy(int D, const long dims[], const long ostrs[], void *out,
        const struct periodic_dim in[], const void *base, size_t size);

#endif
