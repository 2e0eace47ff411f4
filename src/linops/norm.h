#ifndef LINOPS_NORM_H
#define LINOPS_NORM_H

#include <stdbool.h>

#include "linops/linop.h"

/**
 * The norm |A|, the largest singular value: in closed form if A has one; for operators without negative
 * elements an upper bound (norm_largest()); else by power iterations, slightly overestimated. It is computed
 * once and cached in A. A NULL: 1.
 */
extern double linop_norm(const struct linop *A);

/** dst = M src, M symmetric and positive semidefinite. */
typedef void norm_map(void *ctx, void *dst, const void *src);

/**
 * The largest eigenvalue of M, of n elements of a real or complex compute type. x, y: work space of n
 * elements each, on the host or a device.
 *
 * Without negative elements in M (`nonnegative`): max_i (M x)_i / x_i for an x > 0 is an upper bound (L.
 * Collatz, Math. Z. 48, 1942; H. Wielandt, Math. The bound decreases for x = 1, M 1, M M 1, ...: at most
 * NORM_BOUNDS applications, fewer if it is within NORM_CLOSE of the lower bound <x, M x> / <x, x>. Elements
 * without any connection to others are excluded.
 *
 * Else power iterations from different positive numbers, until they converge; times 1.01.
 */
enum { NORM_BOUNDS = 3 };
#define NORM_CLOSE 5e-3
extern double norm_largest(
        enum dtype type, long n, void *x, void *y, bool nonnegative, norm_map *map, void *ctx);

#endif
