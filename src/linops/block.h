#ifndef LINOPS_BLOCK_H
#define LINOPS_BLOCK_H

#include "linops/linop.h"

/**
 * A block operator consists of operators A[i][j] in rows i and columns j:
 *
 *     y_i = sum over j of A[i][j] x_j
 *
 * The parts x_j of the input are concatenated along dim idim. The parts y_i of the output are concatenated
 * along dim odim. All other dims must be equal. With BLOCK_FLAT, the parts may have any dims and are
 * concatenated as vectors of one dim.
 */
enum { BLOCK_FLAT = -1 };

/** Creates a block operator from `rows * cols` operators. `A[i cols + j]` is the operator in row i and column
 * j. All operators of a row have the same output dims. All operators of a column have the same input dims.
 * NULL stands for the zero operator. A row or a column without any operator is an error(). */
extern struct linop *linop_block_create(
        int rows, int cols, const struct linop *const A[], int odim, int idim);

/**
 * These functions create block operators with a simple structure. Dims must fit as described at
 * linop_block_create().
 * - linop_stack_rows_create(): Maps x to (A1 x; A2 x; ...), concatenated along dim odim.
 * - linop_stack_cols_create(): Maps (x1, x2, ...) to the sum of all A_j x_j.
 * - linop_block_diag_create(): Maps (x1, x2, ...) to (A1 x1; A2 x2; ...).
 */
extern struct linop *linop_stack_rows_create(int n, const struct linop *const A[], int odim);
extern struct linop *linop_stack_cols_create(int n, const struct linop *const A[], int idim);
extern struct linop *linop_block_diag_create(int n, const struct linop *const A[], int odim, int idim);

#endif
