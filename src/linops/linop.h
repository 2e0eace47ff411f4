#ifndef LINOPS_LINOP_H
#define LINOPS_LINOP_H

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

#include "misc/dtype.h"

/**
 * Linear operators: immutable and reference-counted; shapes are checked when operators are composed. dst and
 * src are contiguous and different; forward, adjoint and normal overwrite dst. The adjoint is the exact
 * conjugate transpose: <Ax, y> = <x, A'y>, with plain sums as inner products. An operator may keep scratch
 * memory from its first use on, so that iterations allocate nothing. An operator must be applied by one
 * thread at a time.
 */
struct linop;

struct linop_ops {
	const char *name;
	void (*forward)(const void *self, void *dst, const void *src);
	void (*adjoint)(const void *self, void *dst, const void *src);
	void (*normal)(const void *self, void *dst, const void *src); // NULL: adjoint of forward
	void (*destroy)(void *self);                                  // NULL: nothing to free
	/** dst = (A'A + lambda)^-1 src in closed form, lambda >= 0; NULL: not available. */
	void (*normal_inverse)(const void *self, double lambda, void *dst, const void *src);
	/** The norm |A| (largest singular value) in closed form; NAN: this operator has no closed form. NULL:
	 * no operator of this kind has a closed form of its norm. */
	double (*norm)(const void *self);
	/** Whether the operator is a gradient. Its components are forward differences times factor[d], one
	 * for each dim d with factor[d] != 0; they are 0 at the last element. The components are stacked
	 * along an additional last dim. NULL: no. */
	bool (*differences)(const void *self, double factor[DIMS]);
	/** The operators of which this one is composed (NULL: the zero operator); returns their number. NULL:
	 * not composed. */
	int (*parts)(const void *self, const struct linop *const **A);
	/** For complex arrays: the operator is linear only for real factors; its adjoint refers to the inner
	 * product Re <x, y>. */
	bool real_linear;
	/** The matrix of the operator has no negative elements. */
	bool nonnegative;
	/** The operator runs on the device on which its operands reside. An operator that does not run on a
	 * device copies operands from the device to the host and the result back. */
	bool anywhere;
};

/** Takes ownership of self. The dims of the codomain come first. type: float32, float64, complex64,
 * complex128. */
extern struct linop *linop_create(const struct linop_ops *ops, void *self, enum dtype type, int OD,
        const long odims[], int ID, const long idims[]);
extern struct linop *linop_ref(const struct linop *A); // another count
extern void linop_free(const struct linop *A);

extern void linop_forward(const struct linop *A, void *dst, const void *src);
extern void linop_adjoint(const struct linop *A, void *dst, const void *src);
extern void linop_normal(const struct linop *A, void *dst, const void *src); // A'A

/** linop_has_normal_inverse(): whether A has a closed form of (A'A + lambda)^-1. linop_normal_inverse()
 * applies this form; it must not be called if A has none. linop_regularised_inverse_create() works for every
 * A. */
extern bool linop_has_normal_inverse(const struct linop *A);
extern void linop_normal_inverse(const struct linop *A, double lambda, void *dst, const void *src);

/** linop_closed_norm(): |A| in closed form; NAN: not available. linop_norm_known() and linop_norm_learn():
 * get and set the result of linop_norm() (linops/norm.h), which is cached in A. */
extern double linop_closed_norm(const struct linop *A);
extern double linop_norm_known(const struct linop *A); // NAN: not yet
extern void linop_norm_learn(const struct linop *A, double norm);
extern bool linop_is_nonnegative(const struct linop *A);
/** The result of linop_ops.differences; false if A has no such function. */
extern bool linop_is_differences(const struct linop *A, double factor[DIMS]);

extern const char *linop_name(const struct linop *A);
extern enum dtype linop_type(const struct linop *A);
/** The DIMS dims and the numbers of elements of the codomain (output of forward) and of the domain. */
extern const long *linop_codomain(const struct linop *A);
extern const long *linop_domain(const struct linop *A);
extern int linop_codomain_rank(const struct linop *A); // OD at creation
extern int linop_domain_rank(const struct linop *A);
extern long linop_codomain_size(const struct linop *A);
extern long linop_domain_size(const struct linop *A);
/** Whether A, or a part of A, is linear only for real factors. */
extern bool linop_is_real_linear(const struct linop *A);
/** Whether A and all its parts run on a device. */
extern bool linop_is_anywhere(const struct linop *A);

/** A text that shows the operator and its parts as a tree, one line each with the shapes; the caller frees
 * the text. */
extern char *linop_text(const struct linop *A);
extern void linop_print(const struct linop *A, FILE *out);

/** Algebra; every argument is referenced, not consumed. error() if shapes or types do not fit. */
extern struct linop *linop_chain(const struct linop *B, const struct linop *A); // x -> B(A x)
extern struct linop *linop_plus(const struct linop *A, const struct linop *B);
extern struct linop *linop_scale(complex double a, const struct linop *A);
extern struct linop *linop_adjoint_create(const struct linop *A); // A' as an operator
extern struct linop *linop_stack(
        int n, const struct linop *const A[]); // x -> (A1 x; A2 x; ...) along a new last dim of equal parts
extern struct linop *linop_normal_create(const struct linop *A); // A'A
/** (A'A + lambda)^-1, lambda >= 0: in closed form if A has one, else by conjugate gradients. The iterations
 * start from 0 and end when |residual| <= tolerance |input|, or after `iterations` iterations. The operator
 * is linear and self-adjoint only up to the tolerance. */
extern struct linop *linop_regularised_inverse_create(
        const struct linop *A, double lambda, double tolerance, long iterations);

extern struct linop *linop_identity_create(enum dtype type, int D, const long dims[]);
/** Multiplication by diag, which is repeated along its dims of length 1; diag is copied. */
extern struct linop *linop_diag_create(
        enum dtype type, int D, const long dims[], const long ddims[], const void *diag);
/** y = M x, M column-major rows x cols, applied along dim 0 of (cols, ...) ; M is copied. */
extern struct linop *linop_matrix_create(
        enum dtype type, long rows, long cols, const void *M, int D, const long idims[]);
/** mode: enum fft_flags (num/fft/fft.h); complex types; the adjoint is exact for every mode. */
extern struct linop *linop_fft_create(
        enum dtype type, int D, const long dims[], unsigned long flags, unsigned mode);
/** Forward differences (x[i+1] - x[i]) / h[d] along the dims in flags, zero at the last element, stacked
 * along dim D. */
extern struct linop *linop_grad_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const double h[]);

/** The gradient with a choice of scheme: FORWARD as above, BACKWARD (x[i] - x[i-1]) / h, CENTRAL (x[i+1] -
 * x[i-1]) / (2 h). Boundary: values beyond an end are the last element (REPLICATE), zero or periodic;
 * ONE_SIDED uses the nearest difference that needs no values beyond the end. */
enum grad_scheme { GRAD_FORWARD, GRAD_BACKWARD, GRAD_CENTRAL };
enum grad_boundary { GRAD_REPLICATE, GRAD_ZERO, GRAD_PERIODIC, GRAD_ONE_SIDED };
extern struct linop *linop_gradient_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_scheme scheme, enum grad_boundary boundary);

/** |<Ax,y> - <x,A'y>| / max(|Ax||y|, |x||A'y|) for zero-mean random x, y of this seed, accumulated in
 * float64. Operators that are linear only for real factors are tested with Re <,>. */
extern double linop_dot_test(const struct linop *A, unsigned long seed);

/** Tests that an operator must pass, with random vectors; each number is the largest deviation over the seeds
 * 0..seeds-1. */
struct linop_check {
	double dot;       // linop_dot_test()
	double linearity; // |A(ax + by) - aAx - bAy| / (|aAx| + |bAy|), also of the adjoint; a, b complex if
	                  // A is
	double normal;    // |normal(x) - A'(A x)| / |A'(A x)|
	bool repeatable;  // the same x gives the same bytes again
};
extern struct linop_check linop_check(const struct linop *A, int seeds);

#endif
