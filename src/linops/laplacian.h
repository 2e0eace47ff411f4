#ifndef LINOPS_LAPLACIAN_H
#define LINOPS_LAPLACIAN_H

#include "linops/linop.h"

/** Creates the operator of linop_laplacian_create() multiplied by `scale`. */
extern struct linop *laplacian_scaled_create(double scale, enum dtype type, int D, const long dims[],
        unsigned long flags, const double h[], enum grad_boundary boundary);

#endif
