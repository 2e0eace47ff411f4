#ifndef NUM_SHAPE_PRODUCT_HEADER_H
#define NUM_SHAPE_PRODUCT_HEADER_H

#include "misc/file/cfl.h"

/** Header of a product x y, in which x and y are repeated along dims of length 1. Along each dim, the grid
 * comes from the operand that has the dim, else from x. The quantity is that of one operand if the other is a
 * mask; the unit is kept if only one operand has a unit. */
extern void product_header(struct hdr *h, const struct cfl *x, const struct cfl *y);

#endif
