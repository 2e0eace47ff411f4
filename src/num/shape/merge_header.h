#ifndef NUM_SHAPE_MERGE_HEADER_H
#define NUM_SHAPE_MERGE_HEADER_H

#include "misc/file/hdr.h"

/** Headers of element-wise results of n >= 1 arrays, whose dims are equal or 1. */

/** Copies to h the dims, type and sections of the first array that is as long as the result along every dim
 * (else of in[0]). Along each dim, h gets the grid of the arrays that are longer than 1 along it; spacing or
 * origin is unknown if it differs between these arrays. h gets no quantity, unit or detector. */
extern void merge_grid(struct hdr *h, int n, const struct hdr *const in[]);

/** Whether two detectors are the same. */
extern bool merge_same_detector(const struct hdr *a, const struct hdr *b);

/** Sets the common detector of the arrays that have a detector. */
extern void merge_detector(struct hdr *h, int n, const struct hdr *const in[]);

/** Sets quantity, unit and detector of a result whose values are of the same kind as those of all inputs.
 * Each of the three is set if all inputs that have it agree. */
extern void merge_quantity(struct hdr *h, int n, const struct hdr *const in[]);

#endif
