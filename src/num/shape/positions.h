#ifndef NUM_SHAPE_POSITIONS_H
#define NUM_SHAPE_POSITIONS_H

#include <stdint.h>

#include "misc/file/cfl.h"

/** Indices of the nonzero elements of an array. NaN counts as nonzero. */
struct positions;

/** Counts the nonzero elements of x. The array x must stay open until positions_free(). A stream is spooled.
 */
extern struct positions *positions_create(struct cfl *x);
extern long positions_count(const struct positions *p);

/** Writes the indices of all nonzero elements in memory order. The index of nonzero element k along dim d is
 * out[k * rank + d]. */
extern void positions_find(const struct positions *p, int rank, int64_t *out);
extern void positions_free(struct positions *p);

#endif
