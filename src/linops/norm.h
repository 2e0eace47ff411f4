#ifndef LINOPS_NORM_H
#define LINOPS_NORM_H

#include <stdbool.h>

#include "linops/linop.h"

/** Returns the norm |A|, which is the largest singular value. A norm in closed form is exact. Otherwise the
 * result can be slightly too large, as described at norm_largest(). The norm is stored with the operator,
 * so later calls return at once. `A` may be NULL, which means the identity. */
extern double linop_norm(const struct linop *A);

/** Number of vectors of the domain that linop_norm() allocates if there is no norm in closed form. */
enum { NORM_VOLUMES = 2 };

/** Computes dst = M src, where M is symmetric and positive semidefinite. */
typedef void norm_map(void *ctx, void *dst, const void *src);

/**
 * Returns the largest eigenvalue of M, or a slightly larger number. `M` maps vectors of n elements of a
 * real or complex compute type. The work vectors x and y have n elements and are on the host or on a
 * device.
 *
 * With `nonnegative`, M must have no negative elements. The result is then the upper bound
 * `max_i (M x)_i / x_i` for x > 0 [1, 2]. The bound decreases if x = 1 is repeatedly multiplied by M. `M` is
 * applied at most NORM_BOUNDS times. A lower bound is <x, M x> / <x, x>. The iteration ends earlier if the
 * two bounds are close. NORM_CLOSE is the allowed relative difference of the two bounds. Elements of x below
 * 1e-6 of the largest element are excluded. Hardly any ray passes through the excluded voxels.
 *
 * Without `nonnegative`, power iterations start from random positive numbers. The power iterations end at
 * convergence, or after 60 iterations. The result of the power iterations is multiplied by 1.01.
 *
 * [1] L. Collatz, Einschliessungssatz fuer die charakteristischen Zahlen von Matrizen, Math. Z. 48, 1942.
 *
 * [2] H. Wielandt, Unzerlegbare, nicht negative Matrizen, Math. Z. 52, 1950.
 */
enum { NORM_BOUNDS = 3 };
#define NORM_CLOSE 5e-3
extern double norm_largest(
        enum dtype type, long n, void *x, void *y, bool nonnegative, norm_map *map, void *ctx);

#endif
