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

/** The transpose of m. Row i has the elements of m with index i, in the order of the rows of m; their index
 * in the transpose is name[row of m] (NULL: the number of the row). ring: rows are lines of a brick, and the
 * lines of the border are omitted. */
extern void fan_matrix_transpose(
        struct fan_matrix *out, const struct fan_matrix *m, long rows, const int *name, bool ring);

#endif
