#ifndef CT_PROJECTOR_STACK_FAN_MATRIX_H
#define CT_PROJECTOR_STACK_FAN_MATRIX_H

#include "ct/projector/stack/fan_kernels.h"

enum { FAN_BATCH = 8 }; // views whose footprints are computed together

/** Removes all rows of the matrix. All members of a new matrix must be 0. */
extern void fan_matrix_clear(struct fan_matrix *m);
extern void fan_matrix_free(struct fan_matrix *m);
/** Ensures that the matrix has memory for `more` additional elements. */
extern void fan_matrix_room(struct fan_matrix *m, long more);
/** Ends a row of the matrix. The row contains the elements that were added since the previous row ended. */
extern void fan_matrix_end_row(struct fan_matrix *m);

/** Sets `out` to the transpose of m, with `rows` rows. Row i of `out` contains the elements of m whose index
 * is i, in the order of m. An element from row r of m gets the index name[r]. `name` may be NULL, which
 * means index r. If `ring` is true, the rows of `out` are the lines of a brick. In this case, lines of the
 * brick's border stay empty. */
extern void fan_matrix_transpose(
        struct fan_matrix *out, const struct fan_matrix *m, long rows, const int *name, bool ring);

#endif
