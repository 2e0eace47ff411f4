#ifndef LINOPS_FIT_H
#define LINOPS_FIT_H

#include "linops/linop.h"

/** Helper functions for operators that consist of other operators. */

/** Returns the dims as text for messages, such as "7 x 3". The text is in a static buffer, which later
 * calls overwrite. */
extern const char *fit_shape(const long dims[DIMS]);

/**
 * These functions check that two operators fit.
 * - fit_types(): Calls error() if A and B have different types.
 * - fit_same(): Calls error() if the dims a and b differ. `side` is "outputs" or "inputs" in the message.
 */
extern void fit_types(const struct linop *A, const struct linop *B);
extern void fit_same(const struct linop *A, const long a[DIMS], const struct linop *B, const long b[DIMS],
        const char *side);

/** Sets *parts to the operators of which A consists, and returns their number. Returns 0 if A does not
 * consist of other operators. A NULL element of *parts is the zero operator. */
extern int linop_parts(const struct linop *A, const struct linop *const **parts);

/** Calls error() if D or `flags` is not valid. `D` must be at least 1 and at most DIMS. `flags` must
 * contain at least one of the dims 0 to D - 1, and no other dims. `what` names the operator in the message,
 * such as "a Laplacian". */
extern void fit_flags(int D, unsigned long flags, const char *what);

#endif
