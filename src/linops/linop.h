#ifndef LINOPS_LINOP_H
#define LINOPS_LINOP_H

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

#include "misc/dtype.h"

/**
 * Linear operators: immutable, counted, checked for shape when composed. dst and src are contiguous and
 * different; forward, adjoint and normal overwrite dst. The adjoint is the exact conjugate transpose: <Ax, y>
 * = <x, A'y>, with plain sums as inner products. An operator may keep scratch memory from its first use on,
 * so that iterations allocate nothing. It must be applied by one thread at a time.
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
	/** |A|, the largest singular value, in closed form; NAN: there is none for this one. NULL: not
	 * available. */
	double (*norm)(const void *self);
	/** Whether it is forward differences times these factors, 0 at the last element, along the dims whose
	 * factor is not 0, stacked along a last dim. NULL: it is not. */
	bool (*differences)(const void *self, double factor[DIMS]);
	/** The operators it is made of, NULL for zero ones; returns how many. NULL: none. */
	int (*parts)(const void *self, const struct linop *const **A);
	/** For complex arrays: linear in real factors only, and the adjoint is that of Re <x, y>. */
	bool real_linear;
	/** As a matrix it has no negative elements. */
	bool nonnegative;
	/** It works on the device of its operands. Otherwise, operands on a device are copied to the host and
	 * the result is copied back. */
	bool anywhere;
};

/** Takes ownership of self. Out (codomain) dims first. type: float32, float64, complex64, complex128. */
extern struct linop *linop_create(const struct linop_ops *ops, void *self, enum dtype type, int OD,
        const long odims[], int ID, const long idims[]);
extern struct linop *linop_ref(const struct linop *A); // another count
extern void linop_free(const struct linop *A);

extern void linop_forward(const struct linop *A, void *dst, const void *src);
extern void linop_adjoint(const struct linop *A, void *dst, const void *src);
extern void linop_normal(const struct linop *A, void *dst, const void *src); // A'A

/** (A'A + lambda)^-1 in closed form, if the operator has one; else linop_regularised_inverse_create(). */
extern bool linop_has_normal_inverse(const struct linop *A);
extern void linop_normal_inverse(const struct linop *A, double lambda, void *dst, const void *src);

/** Its |A| in closed form; NAN: not available. The result of linop_norm() (linops/norm.h), cached in A. */
extern double linop_closed_norm(const struct linop *A);
extern double linop_norm_known(const struct linop *A); // NAN: not yet
extern void linop_norm_learn(const struct linop *A, double norm);
extern bool linop_is_nonnegative(const struct linop *A);
/** Whether it is forward differences, 0 at the last element, times factors along the dims with a factor other
 * than 0, stacked along a last dim. */
extern bool linop_is_differences(const struct linop *A, double factor[DIMS]);

extern const char *linop_name(const struct linop *A);
extern enum dtype linop_type(const struct linop *A);
/** Dims of the codomain (output of forward) and domain, DIMS of them, and their numbers of elements. */
extern const long *linop_codomain(const struct linop *A);
extern const long *linop_domain(const struct linop *A);
extern int linop_codomain_rank(const struct linop *A); // OD at creation
extern int linop_domain_rank(const struct linop *A);
extern long linop_codomain_size(const struct linop *A);
extern long linop_domain_size(const struct linop *A);
/** Whether it, or a part of it, is linear in real factors only. */
extern bool linop_is_real_linear(const struct linop *A);
/** Whether it, and every part of it, works on a device. */
extern bool linop_is_anywhere(const struct linop *A);

/** The operator and its parts as a tree, one line each with the shapes; the caller frees it. */
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
/** (A'A + lambda)^-1, lambda >= 0: in closed form if A has one, else by conjugate gradients from 0 until
 * |residual| <= tolerance |x|, at most that many iterations. Linear and self-adjoint within the tolerance. */
extern struct linop *linop_regularised_inverse_create(
        const struct linop *A, double lambda, double tolerance, long iterations);

extern struct linop *linop_identity_create(enum dtype type, int D, const long dims[]);
/** diag broadcasts along its dims of length 1; copied. */
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

/** The same with a choice of differences (FORWARD as above, BACKWARD (x[i] - x[i-1]) / h, CENTRAL (x[i+1] -
 * x[i-1]) / (2 h)) and of the boundary: values beyond an end are the last one, zero or periodic, or
 * one-sided: the nearest difference without such values. */
enum grad_scheme { GRAD_FORWARD, GRAD_BACKWARD, GRAD_CENTRAL };
enum grad_boundary { GRAD_REPLICATE, GRAD_ZERO, GRAD_PERIODIC, GRAD_ONE_SIDED };
extern struct linop *linop_gradient_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_scheme scheme, enum grad_boundary boundary);

/** |<Ax,y> - <x,A'y>| / max(|Ax||y|, |x||A'y|) for zero-mean random x, y of this seed, accumulated in
 * float64; Re <,> of operators that are linear in real factors only. */
extern double linop_dot_test(const struct linop *A, unsigned long seed);

/** Tests that an operator must pass, for random vectors; the largest deviations of all seeds 0..seeds-1. */
struct linop_check {
	double dot;       // linop_dot_test()
	double linearity; // |A(ax + by) - aAx - bAy| / (|aAx| + |bAy|), also of the adjoint; a, b complex if
	                  // A is
	double normal;    // |normal(x) - A'(A x)| / |A'(A x)|
	bool repeatable;  // the same x gives the same bytes again
};
extern struct linop_check linop_check(const struct linop *A, int seeds);

#endif
