#ifndef LINOPS_SHAPES_H
#define LINOPS_SHAPES_H

#include "linops/linop.h"

/**
 * Operators that move, repeat, omit and sum elements. All operators give error() if positions or extents do
 * not fit. Sums run in float64.
 */

/** y = 0, of any dims. */
extern struct linop *linop_zero_create(
        enum dtype type, int OD, const long odims[], int ID, const long idims[]);

/** Sums along the dims in flags, which have length 1 in the result; the adjoint repeats elements. */
extern struct linop *linop_sum_create(enum dtype type, int D, const long dims[], unsigned long flags);

/** counts[d] copies along each dim, concatenated; the adjoint sums them. */
extern struct linop *linop_repmat_create(enum dtype type, int D, const long dims[], const long counts[]);

/** Crops or zero-pads at the end, at the front (the last elements stay last), or about the centre (element
 * n/2 becomes n'/2). */
enum resize_anchor { RESIZE_END, RESIZE_FRONT, RESIZE_CENTRE };
extern struct linop *linop_resize_create(
        enum dtype type, int D, const long odims[], const long idims[], enum resize_anchor anchor);

/** before[d] and after[d] zeros are added at the ends of dim d; negative: elements are removed. */
extern struct linop *linop_pad_create(
        enum dtype type, int D, const long dims[], const long before[], const long after[]);

/** Elements start[d] + k step[d], k < count[d], of every dim; steps may be negative, not 0. */
extern struct linop *linop_extract_create(
        enum dtype type, int D, const long dims[], const long start[], const long step[], const long count[]);

/** linop_permute_create(): dim i of the output is dim order[i] of the input. linop_transpose_create()
 * exchanges dims d1 and d2. linop_flip_create() reverses the order along the dims in flags.
 * linop_reshape_create() keeps the elements and changes the dims. linop_circshift_create() moves element i to
 * (i + shift[d]) modulo n. */
extern struct linop *linop_permute_create(enum dtype type, int D, const long dims[], const int order[]);
extern struct linop *linop_transpose_create(enum dtype type, int D, const long dims[], int d1, int d2);
extern struct linop *linop_flip_create(enum dtype type, int D, const long dims[], unsigned long flags);
extern struct linop *linop_reshape_create(
        enum dtype type, int OD, const long odims[], int ID, const long idims[]);
extern struct linop *linop_circshift_create(enum dtype type, int D, const long dims[], const long shift[]);

/** All patches of kdims[d] elements that are completely inside the array: y(i, k) = x(i + k). Dim d of y has
 * dims[d] - kdims[d] + 1 positions i; a new dim D contains all elements k of a patch. For one dim, y is a
 * Hankel matrix. For images, y is the Casorati matrix: its rows are positions, its columns elements of
 * patches. The adjoint sums. */
extern struct linop *linop_patches_create(enum dtype type, int D, const long dims[], const long kdims[]);

/** The real part of every element (imaginary part 0); for real types the identity. Linear only for real
 * factors; the adjoint refers to Re <x, y>. */
extern struct linop *linop_real_create(enum dtype type, int D, const long dims[]);

/** y(.., k, ..) = x(.., at[k], ..) along dim d, 0 <= at[k] < dims[d]. Positions may be repeated; the adjoint
 * sums their elements. */
extern struct linop *linop_sample_create(
        enum dtype type, int D, const long dims[], int d, long n, const long at[]);

/** The elements where mask is not 0, as one dim in element order. error() if the whole mask is 0. */
extern struct linop *linop_sample_mask_create(
        enum dtype type, int D, const long dims[], const unsigned char mask[]);

#endif
