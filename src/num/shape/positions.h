#ifndef NUM_SHAPE_POSITIONS_H
#define NUM_SHAPE_POSITIONS_H

#include <stdint.h>

#include "misc/file/cfl.h"

/** The positions of the elements of an array that are not 0 (NaN is not 0). A first pass counts the
 * positions, part by part; a second pass finds them. */
struct positions;

/** The array stays open while the positions are used; a stream is spooled. */
extern struct positions *positions_create(struct cfl *x);
extern long positions_count(const struct positions *p);

/** The indices of all positions, in the order of the elements: out[k * rank + d] is the index of position k
 * along dim d. */
extern void positions_find(const struct positions *p, int rank, int64_t *out);
extern void positions_free(struct positions *p);

#endif
