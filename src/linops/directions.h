#ifndef LINOPS_DIRECTIONS_H
#define LINOPS_DIRECTIONS_H

#include "linops/linop.h"

/**
 * y = v - <xi, v> xi at every place of a field: vectors v lie along the last dim, and so do those of xi, of
 * the real type and the same dims (copied). With xi of a length up to 1 that is what v has across xi, and the
 * rest along it: 1 - |xi|^2 of it. Self-adjoint; |A| <= 1 for lengths up to sqrt(2).
 */
extern struct linop *linop_directions_create(enum dtype type, int D, const long dims[], const void *xi);

#endif
