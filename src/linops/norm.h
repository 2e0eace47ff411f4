#ifndef LINOPS_NORM_H
#define LINOPS_NORM_H

#include <stdbool.h>

#include "linops/linop.h"

/**
 * |A|, the largest singular value: in closed form where A has one; of operators without negative elements an
 * upper bound (norm_largest()); else by power iterations, a little above rather than below. It is computed
 * once and kept with A. A NULL: 1.
 */
extern double linop_norm(const struct linop *A);

/** dst = M src, M symmetric and positive semidefinite. */
typedef void norm_map(void *ctx, void *dst, const void *src);

/**
 * The largest eigenvalue of M, of n elements of a real or complex compute type. x, y: n elements each, used,
 * on the host or a device.
 *
 * Without negative elements in M (`nonnegative`): max_i (M x)_i / x_i for an x > 0 is an upper bound (L.
 * Collatz, Math. Z. 48, 1942; H. Wielandt, Math. Z. 52, 1950), and it falls as x = 1, M 1, M M 1, ...: at
 * most NORM_BOUNDS applications, fewer where it is within NORM_CLOSE of <x, M x> / <x, x>, which is below.
 * Elements that no other reaches are left out.
 *
 * Else by power iterations from numbers that are positive and differ, until they settle; times 1.01.
 */
enum { NORM_BOUNDS = 3 };
#define NORM_CLOSE 5e-3
extern double norm_largest(
        enum dtype type, long n, void *x, void *y, bool nonnegative, norm_map *map, void *ctx);

#endif
