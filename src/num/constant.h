#ifndef NUM_CONSTANT_H
#define NUM_CONSTANT_H

#include "misc/cfl.h"
#include "misc/opt.h"

/** Header of a new array from --size, --type (-1 = float32) and --spacing [mm] (one number for all dims, or
 * one per dim; n = 0: none). */
extern void constant_header(
        struct hdr *h, const struct opt_longs *size, int type, const struct opt_doubles *spacing);

/** Sets every element of a new output to value, in order, slab by slab. */
extern void constant_fill(struct cfl *out, double value);

#endif
