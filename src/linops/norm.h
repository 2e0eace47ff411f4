#ifndef LINOPS_NORM_H
#define LINOPS_NORM_H

#include <stdbool.h>

#include "linops/linop.h"

/**
 * The norm |A|, which is the largest singular value. The norm is computed in closed form if A has one.
 * Otherwise norm_largest() computes an upper bound for operators without negative elements, and a slight
 * overestimate by power iterations for all others. The result is cached in A. The norm is 1 if A is NULL.
 */
extern double linop_norm(const struct linop *A);

/** dst = M src, M symmetric and positive semidefinite. */
typedef void norm_map(void *ctx, void *dst, const void *src);

/**
 * The largest eigenvalue of M, which maps vectors of n elements of a real or complex compute type. x, y: work
 * space of n elements each, on the host or a device.
 *
 * If M has no negative elements (`nonnegative`), max_i (M x)_i / x_i is an upper bound for every x > 0 (L.
 * Collatz, Math. Z. 48, 1942; H. Wielandt, Math. Z. 52, 1950). The bound decreases for x = 1, M 1, M M 1 and
 * so on. M is applied until the bound is within a fraction NORM_CLOSE of the lower bound <x, M x> / <x, x>,
 * but at most NORM_BOUNDS times. Elements of x below 1e-6 of the largest one are excluded: hardly any ray
 * passes such voxels.
 *
 * If M may have negative elements, power iterations start from a vector of random numbers > 0 and run until
 * they converge, but at most 60 times; the result is multiplied by 1.01.
 */
enum { NORM_BOUNDS = 3 };
#define NORM_CLOSE 5e-3
extern double norm_largest(
        enum dtype type, long n, void *x, void *y, bool nonnegative, norm_map *map, void *ctx);

#endif
