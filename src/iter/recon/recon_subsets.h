#ifndef ITER_RECON_RECON_SUBSETS_H
#define ITER_RECON_RECON_SUBSETS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_scan.h"

/** Subsets s = 0 to n - 1 of a scan, with views s, s + n, s + 2n, ...: their operators and data. */
struct recon_subsets;

/**
 * n: number of subsets. 0: the algorithm's default, which is one subset for each view if the algorithm sets
 * by_view. For other algorithms, the default is algorithm.subsets, or OS_SUBSETS if algorithm.subsets is 0.
 * Algorithms with least_subsets use fewer subsets if passes over the volume take longer than projections.
 * Returns NULL if the algorithm uses no subsets. usage_error() if n has no effect or exceeds the number of
 * views.
 */
enum { OS_SUBSETS = 10 };
extern struct recon_subsets *recon_subsets_create(
        const struct algorithm *a, long n, const struct recon_scan *scan);

extern int recon_subsets_count(const struct recon_subsets *s);

/** Adds the subsets to the problem; y and W (NULL: 1) are copied, view by view, for all frames. If the
 * problem has a functional of the data, `data` is the text of this functional (iter/recon/recon_data.h). s
 * NULL: does nothing. */
extern void recon_subsets_fill(struct recon_subsets *s, struct iter_problem *p, const struct algorithm *a,
        const char *data, const struct weights *W);
extern void recon_subsets_free(struct recon_subsets *s);

#endif
