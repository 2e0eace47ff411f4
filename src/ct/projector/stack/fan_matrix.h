#ifndef CT_PROJECTOR_STACK_FAN_MATRIX_H
#define CT_PROJECTOR_STACK_FAN_MATRIX_H

#include "ct/projector/stack/fan_kernels.h"

enum { FAN_BATCH = 8 }; // views whose footprints go together

/** No rows. */
extern void fan_matrix_clear(struct fan_matrix *m);
extern void fan_matrix_free(struct fan_matrix *m);
/** Allocates memory for `more` additional elements. */
extern void fan_matrix_room(struct fan_matrix *m, long more);
/** The elements added since the last row become a row. */
extern void fan_matrix_end_row(struct fan_matrix *m);

/** The transpose of m. Row i of `out` has the elements of m with index i, in the order of the rows of m. An
 * element of row r of m gets the index name[r], or r if `name` is NULL. ring: the rows of `out` are lines of
 * a brick, and rows of the border are empty. */
extern void fan_matrix_transpose(
        struct fan_matrix *out, const struct fan_matrix *m, long rows, const int *name, bool ring);

#endif
