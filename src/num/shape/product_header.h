#ifndef NUM_SHAPE_PRODUCT_HEADER_H
#define NUM_SHAPE_PRODUCT_HEADER_H

#include "misc/file/cfl.h"

/** Header of a product x y, repeated along dims of length 1: the grid of the one that has the dim, else of x;
 * the quantity of one if the other is a mask; the unit if only one has a unit. */
extern void product_header(struct hdr *h, const struct cfl *x, const struct cfl *y);

#endif
