#ifndef NUM_EXPR_WINDOWS_SAMPLER_H
#define NUM_EXPR_WINDOWS_SAMPLER_H

#include "num/expr/stencil.h"

/**
 * The value of an array at a position in mm, along dims 0 to 2 of its grid: voxel i has its centre at origin
 * + i spacing. Further dims are separate images. The edge rule defines values beyond the borders of the
 * array; a dim of length 1 has no border.
 */

/** The id of a node that samples an input. */
static inline int sampler_id(enum sampler_method m, int input)
{
	return (int)m * EXPR_OPERANDS + input;
}

static inline enum sampler_method sampler_method_of(int id)
{
	return (enum sampler_method)(id / EXPR_OPERANDS);
}

struct sampler;

/** Creates a sampler for operand `o`, at address `in`. CUBIC: a spline through the elements
 * (num/kern/interpolation.h), whose coefficients are float32 if the elements are float32 or have at most 16
 * bits, otherwise float64. */
extern struct sampler *sampler_create(enum sampler_method m, enum expr_edge edge,
        const struct expr_operand *o, const struct stencil_input *in);
extern void sampler_free(struct sampler *s);

/** Values at n positions, of the work type of sampler_type(). NEAREST returns elements; other methods compute
 * in float64. A position that is NaN gives NaN, or 0 for integers. If bit k of flat is set, place[k] is a
 * single number, used for all n positions. rest[] gives the indices of dims 3 and later. Called by several
 * threads at once. */
extern void sampler_run(const struct sampler *s, const long rest[DIMS], long n, void *out,
        const void *const place[3], unsigned flat);

/** The type of values of an array of type t. */
extern enum dtype sampler_type(enum sampler_method m, enum dtype t);

#endif
