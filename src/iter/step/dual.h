#ifndef ITER_STEP_DUAL_H
#define ITER_STEP_DUAL_H

#include <stdbool.h>

#include "misc/dtype.h"

/** A vector field, such as a gradient. The K components are stored one after the other. A component has n
 * elements of a real or complex compute type. The functions below use the length of the vector at each
 * position. The length is the Euclidean norm of the vector. With `apart`, each component is treated as a
 * separate vector. */
struct field {
	enum dtype type;
	long n;
	int K;
	bool apart;
};

/** Projects `q + s g` onto vectors of length <= radius and stores the result as the new p. Then sets
 * `q = p + beta (p - old p)`. Returns the sum of (old q - p)(p - old p). */
extern double field_ascend(
        const struct field *f, double s, double radius, double beta, void *p, void *q, const void *g);

/** Calls field_ascend() with Nesterov's momentum t. The factor beta is (t - 1) / t', where t' is the next
 * momentum. Then t' replaces t. If the sum of field_ascend() is above 0, the momentum is reset to 1 instead.
 * The momentum is stored on the device of the field. */
extern void field_accelerate(
        const struct field *f, double s, double radius, double *momentum, void *p, void *q, const void *g);

/** Replaces p by the projection of `p + s g` onto vectors of length <= radius. The field g is overwritten. */
extern void field_climb(const struct field *f, double s, double radius, void *p, void *g);

/** Returns the sum of the vector lengths of g. The inner product Re <g, p> is written to *inner. `p` and
 * `inner` may be NULL. Sums are float64 and independent of the number of threads. */
extern double field_measure(const struct field *f, const void *g, const void *p, double *inner);

/** Writes the sum of the vector lengths of g to *out. The number *out is on the device of g, so no transfer
 * is needed. */
extern void field_length_to(const struct field *f, const void *g, double *out);

#endif
