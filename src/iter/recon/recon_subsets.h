#ifndef ITER_RECON_RECON_SUBSETS_H
#define ITER_RECON_RECON_SUBSETS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_scan.h"

/** The subsets of the views of a scan. Subset s of n contains the views v with `v % n == s`. */
struct recon_subsets;

/**
 * Creates n subsets. Returns NULL if the algorithm uses no subsets. For an algorithm without subsets, a
 * positive n is a usage_error(). An n above the number of views is also a usage_error().
 *
 * If n is 0, the default number is used, but at most one subset per view:
 * - Algorithms with `by_view` set have one subset for each view.
 * - Other algorithms have `algorithm.subsets` subsets, where 0 means OS_SUBSETS.
 * - If `least_subsets` is not 0, an algorithm may use as few as `least_subsets` subsets. Fewer subsets are
 * used if passes over the volume take longer than projections.
 */
enum { OS_SUBSETS = 10 };
extern struct recon_subsets *recon_subsets_create(
        const struct algorithm *a, long n, const struct recon_scan *scan);

/** Returns the number of subsets. */
extern int recon_subsets_count(const struct recon_subsets *s);

/** Adds the subsets to the problem p. The projections of p and the weights W are copied. If W is NULL, all
 * weights are 1. `data` is the text of the data model (iter/recon/recon_data.h). If s is NULL, the function
 * does nothing. */
extern void recon_subsets_fill(struct recon_subsets *s, struct iter_problem *p, const struct algorithm *a,
        const char *data, const struct weights *W);
extern void recon_subsets_free(struct recon_subsets *s);

#endif
