#ifndef LINOPS_FIT_H
#define LINOPS_FIT_H

#include "linops/linop.h"

/** Helper functions for operators that are composed of other operators. */

/** The dims as text for messages, such as "7 x 3"; in one of several static buffers, which are reused in
 * turn. */
extern const char *fit_shape(const long dims[DIMS]);

/** fit_types(): error() unless both operators have the same type. fit_same(): error() unless dims a and b are
 * equal; `side` is "outputs" or "inputs". */
extern void fit_types(const struct linop *A, const struct linop *B);
extern void fit_same(const struct linop *A, const long a[DIMS], const struct linop *B, const long b[DIMS],
        const char *side);

/** Calls linop_ops.parts of A; returns 0 if A has no such function. */
extern int linop_parts(const struct linop *A, const struct linop *const **parts);

/** error() unless 0 <= D <= DIMS and flags contains at least one dim, and only dims below D. `what` names the
 * operator in the message: "a Laplacian". */
extern void fit_flags(int D, unsigned long flags, const char *what);

#endif
