#ifndef NUM_SHAPE_MERGE_HEADER_H
#define NUM_SHAPE_MERGE_HEADER_H

#include "misc/file/hdr.h"

/** These functions set the header of an element-wise result of n >= 1 arrays. Along every dim, the arrays
 * have equal lengths or length 1. */

/** Sets dims, type, sections, spacing and origin of h. Type and sections come from the first array with the
 * full size of the result, else from in[0]. Along every dim, spacing and origin come from the arrays longer
 * than 1. If spacings or origins differ, the spacing is 1 and the origin is unknown. Quantity, unit and
 * detector stay unset. */
extern void merge_grid(struct hdr *h, int n, const struct hdr *const in[]);

/** Returns whether the detectors of a and b are equal. */
extern bool merge_same_detector(const struct hdr *a, const struct hdr *b);

/** Sets the detector of h if all arrays that have a detector agree. */
extern void merge_detector(struct hdr *h, int n, const struct hdr *const in[]);

/** Sets quantity, unit and detector of a result with values of the same kind as the inputs. An entry is set
 * if all inputs that have the entry agree. */
extern void merge_quantity(struct hdr *h, int n, const struct hdr *const in[]);

#endif
