#ifndef NUM_SHAPE_MERGE_HEADER_H
#define NUM_SHAPE_MERGE_HEADER_H

#include "misc/file/hdr.h"

/** Headers of results that are made element by element of n >= 1 arrays, whose dims are equal or 1. */

/** h = dims, type and sections of the first that has all dims, and the grid of those that extend along each
 * dim; where two say different things spacing or origin is unknown. No quantity, unit and detector. */
extern void merge_grid(struct hdr *h, int n, const struct hdr *const in[]);

/** Whether two detectors are the same. */
extern bool merge_same_detector(const struct hdr *a, const struct hdr *b);

/** The detector of those that have one, if it is the same. */
extern void merge_detector(struct hdr *h, int n, const struct hdr *const in[]);

/** Quantity, unit and detector for values of the same kind as all of them: what the known ones agree on. */
extern void merge_quantity(struct hdr *h, int n, const struct hdr *const in[]);

#endif
