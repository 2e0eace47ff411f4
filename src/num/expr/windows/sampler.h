#ifndef NUM_EXPR_WINDOWS_SAMPLER_H
#define NUM_EXPR_WINDOWS_SAMPLER_H

#include "num/expr/stencil.h"

/**
 * Interpolates an array at positions in mm along dims 0 to 2. Voxel i has its centre at `origin + i spacing`.
 * Further dims are separate images. The edge rule defines values beyond the borders. A dim of length 1 has no
 * border.
 */

/** Returns the id of a node that samples an input. */
static inline int sampler_id(enum sampler_method m, int input)
{
	return (int)m * EXPR_OPERANDS + input;
}

static inline enum sampler_method sampler_method_of(int id)
{
	return (enum sampler_method)(id / EXPR_OPERANDS);
}

struct sampler;

/** Creates a sampler for operand `o` with the data `in`. SAMPLER_CUBIC uses cubic splines
 * (num/kern/interpolation.h). Spline coefficients are float32 for float32, complex64 and types of at most
 * 16 bits. Spline coefficients of other types are float64. */
extern struct sampler *sampler_create(enum sampler_method m, enum expr_edge edge,
        const struct expr_operand *o, const struct stencil_input *in);
extern void sampler_free(struct sampler *s);

/** Computes values at n positions, in the work type of sampler_type(). SAMPLER_NEAREST returns elements.
 * SAMPLER_LINEAR and SAMPLER_CUBIC compute in float64. The value at a NaN position is NaN, or 0 for integers.
 * If bit k of `flat` is set, place[k] is a single number for all positions. The array rest[] holds the
 * indices of dims 3 and higher. Several threads may use a sampler at once. */
extern void sampler_run(const struct sampler *s, const long rest[DIMS], long n, void *out,
        const void *const place[3], unsigned flat);

/** Returns the type of values sampled from an array of type t. */
extern enum dtype sampler_type(enum sampler_method m, enum dtype t);

/** Returns the type of the elements that a sampler reads from an array of type t. */
extern enum dtype sampler_element(enum sampler_method m, enum dtype t);

/** The elements that a sampler reads, for devices. The position p [mm] along dim d is (p - origin[d]) /
 * spacing[d] + pad[d] in elements. The steps of dims of length 1 are 0. */
struct sampler_data {
	const char *data;
	size_t bytes; // of contiguous elements
	enum dtype type;
	long strs[DIMS], n[3], pad[3]; // [bytes], [elements]
	double origin[3], spacing[3];  // [mm]
};
extern struct sampler_data sampler_data(const struct sampler *s);

#endif
