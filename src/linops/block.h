#ifndef LINOPS_BLOCK_H
#define LINOPS_BLOCK_H

#include "linops/linop.h"

/**
 * Operators side by side and stacked:
 *
 *     y_i = sum over j of A[i][j] x_j
 *
 * Position of the parts x_j in the input, and y_i in the output: along dim `dim` of arrays that
 * are equal in all others, or BLOCK_FLAT: parts of any dims concatenated in a vector of one
 * dim.
 */
enum { BLOCK_FLAT = -1 };

/** A: rows times cols operators, A[i cols + j]; those of a row have equal outputs, those of a column equal
 * inputs. NULL is zero; every row and column needs an operator. */
extern struct linop *linop_block_create(
        int rows, int cols, const struct linop *const A[], int odim, int idim);

/** x -> (A1 x; A2 x; ...), stacked; (x1, x2, ...) -> A1 x1 + A2 x2 + ..., side by side; (x1, x2, ...) -> (A1
 * x1; A2 x2; ...), on the diagonal. Shapes as above. */
extern struct linop *linop_stack_rows_create(int n, const struct linop *const A[], int odim);
extern struct linop *linop_stack_cols_create(int n, const struct linop *const A[], int idim);
extern struct linop *linop_block_diag_create(int n, const struct linop *const A[], int odim, int idim);

#endif
