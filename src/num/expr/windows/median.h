#ifndef NUM_EXPR_WINDOWS_MEDIAN_H
#define NUM_EXPR_WINDOWS_MEDIAN_H

#include "num/expr/windows/window.h"

/**
 * Medians of large windows: the elements around a block of results are sorted once, so that each has a unique
 * rank. The ranks of the elements in a window are stored as a set of bits. When the window moves to the next
 * element, the median moves by a few bits [1].
 *
 * [1] Suomela: Median filtering is equivalent to sorting. arXiv 1406.1717 (2014)
 */
struct median;

extern struct median *median_create(const struct window *w, enum dtype work);
extern void median_free(struct median *m);

/** Working memory of a thread [bytes]. */
extern size_t median_bytes(const struct median *m);
struct median_room;
extern struct median_room *median_room_create(const struct median *m);
extern void median_room_free(struct median_room *r);

/**
 * out[x + y pitch] = the median of the window around element (x, y), 0 <= x < nx, 0 <= y < ny; NaN if an
 * element of the window is NaN. slice[k]: address of element (0, -r[1]) of the slice at distance k - r[2].
 * Lines of input and output are `pitch` elements apart. Elements and results have the work type.
 */
extern void median_rows(const struct median *m, struct median_room *r, const char *const slice[], char *out,
        long pitch, long nx, long ny);

#endif
