#ifndef LINOPS_FIT_H
#define LINOPS_FIT_H

#include "linops/linop.h"

/** Shared by operators made of operators. */

/** "7 x 3", for messages: static buffers in rotation. */
extern const char *fit_shape(const long dims[DIMS]);

/** error() unless both operators have one type; unless dims a and b are equal, `side` being "outputs" or
 * "inputs". */
extern void fit_types(const struct linop *A, const struct linop *B);
extern void fit_same(const struct linop *A, const long a[DIMS], const struct linop *B, const long b[DIMS],
        const char *side);

/** struct linop_ops.parts of A, 0 where it has none. */
extern int linop_parts(const struct linop *A, const struct linop *const **parts);

/** error() unless there are 0..DIMS dims and all flags are dims below D, at least one of them; `what` is
 * "a Laplacian". */
extern void fit_flags(int D, unsigned long flags, const char *what);

#endif
