#ifndef NUM_SHAPE_MERGE_HEADER_H
#define NUM_SHAPE_MERGE_HEADER_H

#include "misc/file/hdr.h"

/** Headers of element-wise results of n >= 1 arrays, whose dims are equal or 1. */

/** h = dims, type and sections of the first array that has all dims, and along each dim the grid of those
 * that extend along it; if two differ, spacing or origin is unknown. No quantity, unit and detector. */
extern void merge_grid(struct hdr *h, int n, const struct hdr *const in[]);

/** Whether two detectors are the same. */
extern bool merge_same_detector(const struct hdr *a, const struct hdr *b);

/** The common detector of those that have one. */
extern void merge_detector(struct hdr *h, int n, const struct hdr *const in[]);

/** Quantity, unit and detector for values of the same kind as all inputs: those on which the known ones
 * agree. */
extern void merge_quantity(struct hdr *h, int n, const struct hdr *const in[]);

#endif
