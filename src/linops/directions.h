#ifndef LINOPS_DIRECTIONS_H
#define LINOPS_DIRECTIONS_H

#include "linops/linop.h"

/**
 * Creates the operator y = v - <xi, v> xi at every position of a vector field v. The components of v and xi
 * are along the last dim. `xi` is a real array with the dims of v. `xi` is copied.
 *
 * The operator is self-adjoint. If |xi| = 1, y is the component of v perpendicular to xi. If |xi| < 1, y
 * also contains the fraction 1 - |xi|^2 of the parallel component. The norm of the operator is at most 1 if
 * |xi| <= sqrt(2) everywhere.
 */
extern struct linop *linop_directions_create(enum dtype type, int D, const long dims[], const void *xi);

#endif
