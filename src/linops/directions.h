#ifndef LINOPS_DIRECTIONS_H
#define LINOPS_DIRECTIONS_H

#include "linops/linop.h"

/**
 * y = v - <xi, v> xi at every position of a vector field. The components of v and xi are along the last dim.
 * xi has the dims of v and real elements; it is copied. For |xi| = 1, y is the component of v perpendicular
 * to xi; for |xi| < 1, y also contains the fraction 1 - |xi|^2 of the parallel component. Self-adjoint; |A|
 * <= 1 if |xi| <= sqrt(2) everywhere.
 */
extern struct linop *linop_directions_create(enum dtype type, int D, const long dims[], const void *xi);

#endif
