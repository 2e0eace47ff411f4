#ifndef LINOPS_SHAPES_H
#define LINOPS_SHAPES_H

#include "linops/linop.h"

/** Operators that move, repeat, omit and sum elements. Positions or extents that do not fit are an error().
 * Sums are computed in float64. */

/** Creates the zero operator between arrays of any dims. */
extern struct linop *linop_zero_create(
        enum dtype type, int OD, const long odims[], int ID, const long idims[]);

/** Creates the sum along the dims in flags, which have length 1 in the result. The adjoint repeats
 * elements. */
extern struct linop *linop_sum_create(enum dtype type, int D, const long dims[], unsigned long flags);

/** Creates an operator that concatenates counts[d] copies of the array along each dim d. The adjoint sums the
 * copies. */
extern struct linop *linop_repmat_create(enum dtype type, int D, const long dims[], const long counts[]);

/**
 * Selects where linop_resize_create() crops or zero-pads:
 *
 *     RESIZE_END      at the end: the first element stays the first
 *     RESIZE_FRONT    at the front: the last element stays the last
 *     RESIZE_CENTRE   at both ends: element n/2 becomes element n'/2
 */
enum resize_anchor { RESIZE_END, RESIZE_FRONT, RESIZE_CENTRE };
/** Creates an operator that crops or zero-pads each dim from idims[d] to odims[d] elements. */
extern struct linop *linop_resize_create(
        enum dtype type, int D, const long odims[], const long idims[], enum resize_anchor anchor);

/** Creates an operator that adds before[d] zeros in front of dim d and after[d] zeros at the end. A
 * negative number removes elements. */
extern struct linop *linop_pad_create(
        enum dtype type, int D, const long dims[], const long before[], const long after[]);

/** Creates an operator that takes every step[d]-th element along each dim d. The first element is start[d],
 * and count[d] elements are taken. Steps may be negative. A step of 0 is valid only with count[d] = 1. */
extern struct linop *linop_extract_create(
        enum dtype type, int D, const long dims[], const long start[], const long step[], const long count[]);

/**
 * These functions create operators that reorder elements.
 * - linop_permute_create(): Dim i of the output is dim order[i] of the input.
 * - linop_transpose_create(): Exchanges dims d1 and d2.
 * - linop_flip_create(): Reverses the order along the dims in flags.
 * - linop_reshape_create(): Keeps the order of all elements and changes the dims.
 * - linop_circshift_create(): Moves element i to (i + shift[d]) modulo n along each dim of n elements.
 */
extern struct linop *linop_permute_create(enum dtype type, int D, const long dims[], const int order[]);
extern struct linop *linop_transpose_create(enum dtype type, int D, const long dims[], int d1, int d2);
extern struct linop *linop_flip_create(enum dtype type, int D, const long dims[], unsigned long flags);
extern struct linop *linop_reshape_create(
        enum dtype type, int OD, const long odims[], int ID, const long idims[]);
extern struct linop *linop_circshift_create(enum dtype type, int D, const long dims[], const long shift[]);

/** Creates an operator that copies all patches inside the array: `y(i, k) = x(i + k)`. A patch has kdims[d]
 * elements along dim d. Along dim d, y has `dims[d] - kdims[d] + 1` positions i. A new last dim D contains
 * the elements k of a patch. For one dim, y is a Hankel matrix. For images, y is the Casorati matrix with one
 * row per position. The adjoint sums overlapping patches. */
extern struct linop *linop_patches_create(enum dtype type, int D, const long dims[], const long kdims[]);

/** Creates an operator that sets the imaginary part of every element to 0. For real types, the operator is
 * the identity. The operator is linear only for real factors. The adjoint refers to Re <x, y>. */
extern struct linop *linop_real_create(enum dtype type, int D, const long dims[]);

/** Creates an operator that takes n elements along dim d: element k is element at[k] of x. Indices at[k] are
 * at least 0, less than dims[d], and may be repeated. `at` is copied. The adjoint sums repeated elements. */
extern struct linop *linop_sample_create(
        enum dtype type, int D, const long dims[], int d, long n, const long at[]);

/** Creates an operator that takes the elements where mask is not 0. The result has one dim and keeps the
 * order of the elements. A mask that is 0 everywhere is an error(). */
extern struct linop *linop_sample_mask_create(
        enum dtype type, int D, const long dims[], const unsigned char mask[]);

#endif
