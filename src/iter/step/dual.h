#ifndef ITER_STEP_DUAL_H
#define ITER_STEP_DUAL_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Fields of vectors, such as gradients: K components one after the other, each of n elements of a real or
 * complex compute type. Below, length means the Euclidean norm of the vector at an element or, with `apart`,
 * the magnitude of each component.
 */
struct field {
	enum dtype type;
	long n;
	int K;
	bool apart;
};

/** p = projection of q + s g onto vectors of length <= radius; then q = p + beta (p - old p). Returns sum
 * (old q - p)(p - old p). */
extern double field_ascend(
        const struct field *f, double s, double radius, double beta, void *p, void *q, const void *g);

/** field_ascend() with beta from Nesterov's momentum t, which is stored on the device of the field: beta = (t
 * - 1) / t', where t' is the next momentum. t becomes t', or 1 (restart) if the sum of field_ascend() is
 * above 0. */
extern void field_accelerate(
        const struct field *f, double s, double radius, double *momentum, void *p, void *q, const void *g);

/** p = projection of p + s g; g is overwritten. */
extern void field_climb(const struct field *f, double s, double radius, void *p, void *g);

/** Sum of lengths of g; *inner = Re <g, p> (p may be NULL). float64, fixed order. */
extern double field_measure(const struct field *f, const void *g, const void *p, double *inner);

/** Writes the sum of lengths of g to *out, on the device of g, without a transfer. */
extern void field_length_to(const struct field *f, const void *g, double *out);

#endif
