#ifndef LINOPS_DIRECTIONS_H
#define LINOPS_DIRECTIONS_H

#include "linops/linop.h"

/**
 * y = v - <xi, v> xi at every position of a field: vectors v are along the last dim, and so are those of xi,
 * of the real type and the same dims (copied). For |xi| = 1 that is the component of v perpendicular to xi;
 * for shorter xi a part 1 - |xi|^2 of the parallel component is kept. Self-adjoint; |A| <= 1 for lengths up
 * to sqrt(2).
 */
extern struct linop *linop_directions_create(enum dtype type, int D, const long dims[], const void *xi);

#endif
