#ifndef NUM_SHAPE_PRODUCT_HEADER_H
#define NUM_SHAPE_PRODUCT_HEADER_H

#include "misc/file/cfl.h"

/** Sets the header of a product x y, in which dims of length 1 are repeated. Along a dim where only y is
 * longer than 1, spacing and origin come from y. Otherwise spacing and origin come from x. If one factor is a
 * mask without unit, the result has the quantity of the other factor. The unit is kept if only one factor has
 * a unit. */
extern void product_header(struct hdr *h, const struct cfl *x, const struct cfl *y);

#endif
