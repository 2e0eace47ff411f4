#ifndef NUM_EXPR_WINDOWS_MEDIAN_H
#define NUM_EXPR_WINDOWS_MEDIAN_H

#include "num/expr/windows/window.h"

/**
 * Medians of large windows [1]. The elements around a block of results are sorted once. The median is
 * updated from one element to the next.
 *
 * [1] Suomela, Median filtering is equivalent to sorting, arXiv 1406.1717 (2014)
 */
struct median;

extern struct median *median_create(const struct window *w, enum dtype work);
extern void median_free(struct median *m);

/** Returns the size of a thread's working memory [bytes]. */
extern size_t median_bytes(const struct median *m);
struct median_room;
extern struct median_room *median_room_create(const struct median *m);
extern void median_room_free(struct median_room *r);

/**
 * Computes the medians of windows around elements (x, y), 0 <= x < nx, 0 <= y < ny. The median at (x, y) is
 * `out[x + y pitch]`. If the window contains NaN, the median is NaN. The slice at distance `k - r[2]` has
 * element (0, -r[1]) at address `slice[k]`. Rows of input and output are `pitch` elements apart. Elements and
 * results have the work type.
 */
extern void median_rows(const struct median *m, struct median_room *r, const char *const slice[], char *out,
        long pitch, long nx, long ny);

#endif
