#ifndef NUM_SHAPE_PERIODIC_H
#define NUM_SHAPE_PERIODIC_H

#include <stddef.h>

/** Describes the input elements along one dim of a copy. Output element k comes from input element first + k.
 * If `period` is positive, the number first + k is taken modulo `period`. */
struct periodic_dim {
	long str;    // step of the input [bytes], any sign
	long first;  // below `period` if `period` is positive
	long period; // 0 means not periodic
};

/**
 * Copies elements of `size` bytes from the periodic continuation of an array.
 *
 *   D       number of dims, 0..DIMS
 *   dims    extent of the output [elements]
 *   ostrs   steps of the output [bytes]
 *   out     first element of the output, which overlaps no input
 *   in      D dims of the input
 *   base    element 0 of the input in all dims
 */
extern void periodic_copy(int D, const long dims[], const long ostrs[], void *out,
        const struct periodic_dim in[], const void *base, size_t size);

#endif
