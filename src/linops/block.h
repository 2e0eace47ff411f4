#ifndef LINOPS_BLOCK_H
#define LINOPS_BLOCK_H

#include "linops/linop.h"

/**
 * Operators side by side and stacked:
 *
 *     y_i = sum over j of A[i][j] x_j
 *
 * The parts x_j of the input are concatenated along dim idim and the parts y_i of the output along dim odim;
 * all other dims are equal. With BLOCK_FLAT, parts of any dims are concatenated as vectors of one dim.
 */
enum { BLOCK_FLAT = -1 };

/** A: rows times cols operators; A[i cols + j] is in row i and column j. All operators of a row have the same
 * output dims, and all operators of a column the same input dims. NULL: the zero operator; every row and
 * every column needs at least one operator. */
extern struct linop *linop_block_create(
        int rows, int cols, const struct linop *const A[], int odim, int idim);

/** linop_stack_rows_create(): x -> (A1 x; A2 x; ...). linop_stack_cols_create(): (x1, x2, ...) -> the sum of
 * all A_j x_j. linop_block_diag_create(): (x1, x2, ...) -> (A1 x1; A2 x2; ...). Shapes as above. */
extern struct linop *linop_stack_rows_create(int n, const struct linop *const A[], int odim);
extern struct linop *linop_stack_cols_create(int n, const struct linop *const A[], int idim);
extern struct linop *linop_block_diag_create(int n, const struct linop *const A[], int odim, int idim);

#endif
