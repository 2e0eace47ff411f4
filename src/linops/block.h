#ifndef LINOPS_BLOCK_H
#define LINOPS_BLOCK_H

#include "linops/linop.h"

/**
 * Operators side by side and one above the other:
 *
 *     y_i = sum over j of A[i][j] x_j
 *
 * Where the parts x_j are in the input, and y_i in the output: along dim `dim` of arrays that are equal in
 * all others, or BLOCK_FLAT: all elements of a part after all those of the one before, whatever their dims,
 * in a vector of one dim.
 */
enum { BLOCK_FLAT = -1 };

/** A: rows times cols operators, A[i cols + j], all of a row with equal outputs, of a column with equal
 * inputs; NULL is zero (one at least in every row and column is not). */
extern struct linop *linop_block_create(
        int rows, int cols, const struct linop *const A[], int odim, int idim);

/** x -> (A1 x; A2 x; ...), one above the other; (x1, x2, ...) -> A1 x1 + A2 x2 + ..., side by side;
 * (x1, x2, ...) -> (A1 x1; A2 x2; ...), on the diagonal. Shapes as above. */
extern struct linop *linop_stack_rows_create(int n, const struct linop *const A[], int odim);
extern struct linop *linop_stack_cols_create(int n, const struct linop *const A[], int idim);
extern struct linop *linop_block_diag_create(int n, const struct linop *const A[], int odim, int idim);

#endif
