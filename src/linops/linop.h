#ifndef LINOPS_LINOP_H
#define LINOPS_LINOP_H

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

#include "misc/dtype.h"

/**
 * A linear operator, which is immutable and reference-counted. Shapes are checked when operators are
 * combined. `dst` and `src` are different contiguous arrays, and `dst` is overwritten.
 *
 * The adjoint A' is the exact conjugate transpose, so <Ax, y> = <x, A'y>. Inner products are plain sums.
 * The normal operator is the product of the adjoint and the operator. An operator may keep scratch memory
 * between calls. Only one thread at a time may apply an operator.
 */
struct linop;

/** The functions and properties of one kind of operator. `self` points to the data of an operator of this
 * kind. */
struct linop_ops {
	const char *name;
	void (*forward)(const void *self, void *dst, const void *src);
	void (*adjoint)(const void *self, void *dst, const void *src);
	void (*normal)(const void *self, void *dst, const void *src); // NULL means forward, then adjoint
	void (*destroy)(void *self);                                  // NULL means nothing to free
	/** Computes dst = (A'A + lambda)^-1 src in closed form, for lambda >= 0. A NULL function means that
	 * there is no closed form. */
	void (*normal_inverse)(const void *self, double lambda, void *dst, const void *src);
	/** Returns the norm |A| (largest singular value), or NAN if this operator has no closed form. A
	 * NULL function means that no operator of this kind has a closed form. */
	double (*norm)(const void *self);
	/** Returns whether the operator is a gradient made of forward differences. The gradient has one
	 * component for each dim d with factor[d] != 0. Component d is the forward difference times
	 * factor[d], where the last difference is 0. Components are stacked along an additional last dim. A
	 * NULL function means that the result is false. */
	bool (*differences)(const void *self, double factor[DIMS]);
	/** Sets *A to the operators of which this operator consists, and returns their number. An element
	 * of *A may be NULL, which means the zero operator. A NULL function means that the operator does
	 * not consist of other operators. */
	int (*parts)(const void *self, const struct linop *const **A);
	/** True if a complex operator is linear only for real factors. The adjoint then refers to the inner
	 * product Re <x, y>. */
	bool real_linear;
	/** True if the matrix of the operator has no negative elements. */
	bool nonnegative;
	/** True if the operator runs on the device of the operands. Otherwise the operands are copied to
	 * the host, and the result is copied back. */
	bool anywhere;
};

/** Creates an operator and takes ownership of self. The codomain (output of forward) has OD dims, given by
 * odims. The domain has ID dims, given by idims. `type` is float32, float64, complex64 or complex128. `ops`
 * is not copied and must stay valid. */
extern struct linop *linop_create(const struct linop_ops *ops, void *self, enum dtype type, int OD,
        const long odims[], int ID, const long idims[]);
extern struct linop *linop_ref(const struct linop *A); // adds a reference
extern void linop_free(const struct linop *A);         // removes a reference

/** These functions apply the operators A, A' and A'A to src. */
extern void linop_forward(const struct linop *A, void *dst, const void *src);
extern void linop_adjoint(const struct linop *A, void *dst, const void *src);
extern void linop_normal(const struct linop *A, void *dst, const void *src); // A'A

/**
 * These functions use a closed form of (A'A + lambda)^-1. For operators without a closed form, use
 * linop_regularised_inverse_create().
 * - linop_has_normal_inverse(): Returns whether A has a closed form.
 * - linop_normal_inverse(): Computes dst = (A'A + lambda)^-1 src. A must have a closed form.
 */
extern bool linop_has_normal_inverse(const struct linop *A);
extern void linop_normal_inverse(const struct linop *A, double lambda, void *dst, const void *src);

/**
 * These functions return or store the norm |A|.
 * - linop_closed_norm(): Returns the norm in closed form, or NAN if there is no closed form.
 * - linop_norm_known(): Returns the norm that is stored with the operator, or NAN if no norm is stored.
 * - linop_norm_learn(): Stores the norm with the operator. The function linop_norm() calls
 *   linop_norm_learn().
 */
extern double linop_closed_norm(const struct linop *A);
extern double linop_norm_known(const struct linop *A);
extern void linop_norm_learn(const struct linop *A, double norm);
/** Returns whether the matrix of A is known to have no negative elements. */
extern bool linop_is_nonnegative(const struct linop *A);
/** Returns the result of linop_ops.differences(), or false if the operator has no such function. */
extern bool linop_is_differences(const struct linop *A, double factor[DIMS]);

/** These functions return the name and the element type of A. */
extern const char *linop_name(const struct linop *A);
extern enum dtype linop_type(const struct linop *A);
/** These functions return the dims, the rank or the size of the codomain or domain. The codomain is the
 * output of linop_forward(). The dims are arrays of DIMS elements. The rank is the number of dims given to
 * linop_create(). The size is the number of elements. */
extern const long *linop_codomain(const struct linop *A);
extern const long *linop_domain(const struct linop *A);
extern int linop_codomain_rank(const struct linop *A);
extern int linop_domain_rank(const struct linop *A);
extern long linop_codomain_size(const struct linop *A);
extern long linop_domain_size(const struct linop *A);
/** Returns whether A, or an operator inside A, is linear only for real factors. */
extern bool linop_is_real_linear(const struct linop *A);
/** Returns whether A and all operators inside A run on a device. */
extern bool linop_is_anywhere(const struct linop *A);

/** Returns a text that shows A and the operators inside A as a tree. Each operator has one line with its
 * shapes. The caller frees the text. */
extern char *linop_text(const struct linop *A);
/** Prints the text of linop_text() to `out`. */
extern void linop_print(const struct linop *A, FILE *out);

/** These functions combine operators. The new operator holds references to the arguments, and the caller
 * keeps ownership of the arguments. Shapes or types that do not fit are an error(). */
extern struct linop *linop_chain(const struct linop *B, const struct linop *A); // x -> B(A x)
extern struct linop *linop_plus(const struct linop *A, const struct linop *B);  // A + B
extern struct linop *linop_scale(complex double a, const struct linop *A);      // a A
extern struct linop *linop_adjoint_create(const struct linop *A);               // A'
extern struct linop *linop_stack(
        int n, const struct linop *const A[]); // x -> (A1 x; A2 x; ...) along a new last dim
extern struct linop *linop_normal_create(const struct linop *A); // A'A
/** Creates the operator (A'A + lambda)^-1 for lambda >= 0. The closed form is used if A has one. Otherwise
 * conjugate gradients start from 0 and end when |residual| <= tolerance |input|. At most `iterations`
 * iterations are made. With conjugate gradients, the operator is linear and self-adjoint only up to the
 * tolerance. */
extern struct linop *linop_regularised_inverse_create(
        const struct linop *A, double lambda, double tolerance, long iterations);

/** Creates the identity for arrays with D dims. */
extern struct linop *linop_identity_create(enum dtype type, int D, const long dims[]);
/** Creates the elementwise multiplication by an array diag of shape ddims. Along dims of length 1, diag is
 * repeated. `diag` is copied. */
extern struct linop *linop_diag_create(
        enum dtype type, int D, const long dims[], const long ddims[], const void *diag);
/** Creates the multiplication by a matrix M along dim 0: y = M x. `M` has `rows * cols` elements in
 * column-major order and is copied. `idims[0]` must be cols. */
extern struct linop *linop_matrix_create(
        enum dtype type, long rows, long cols, const void *M, int D, const long idims[]);
/** Creates a Fourier transform along the dims in flags (num/fft/fft.h). `mode` is a combination of enum
 * fft_flags. `type` must be complex. The adjoint is exact for every mode. */
extern struct linop *linop_fft_create(
        enum dtype type, int D, const long dims[], unsigned long flags, unsigned mode);
/** Creates the gradient with forward differences (x[i+1] - x[i]) / h[d] along the dims in flags. The
 * difference at the last element is zero. `h` has the voxel size of each dim [mm]. The components of the
 * gradient are stacked along dim D. */
extern struct linop *linop_grad_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const double h[]);

/**
 * Selects the difference scheme of linop_gradient_create():
 *
 *     GRAD_FORWARD    (x[i+1] - x[i]) / h
 *     GRAD_BACKWARD   (x[i] - x[i-1]) / h
 *     GRAD_CENTRAL    (x[i+1] - x[i-1]) / (2 h)
 */
enum grad_scheme { GRAD_FORWARD, GRAD_BACKWARD, GRAD_CENTRAL };
/**
 * Selects the values beyond the ends of a dim in linop_gradient_create():
 *
 *     GRAD_REPLICATE   the last element
 *     GRAD_ZERO        0
 *     GRAD_PERIODIC    the elements at the other end
 *     GRAD_ONE_SIDED   none; the nearest difference inside the array is used
 */
enum grad_boundary { GRAD_REPLICATE, GRAD_ZERO, GRAD_PERIODIC, GRAD_ONE_SIDED };
/** Creates a gradient like linop_grad_create(), with a choice of scheme and boundary. */
extern struct linop *linop_gradient_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_scheme scheme, enum grad_boundary boundary);

/**
 * Returns the error of the adjoint, measured with random vectors x and y:
 *
 *     |<Ax, y> - <x, A'y>| / max(|Ax| |y|, |x| |A'y|)
 *
 * The vectors have zero mean and depend on `seed`. Sums are computed in float64. If A is linear only for
 * real factors, only the real parts of the inner products are compared.
 */
extern double linop_dot_test(const struct linop *A, unsigned long seed);

/** Results of linop_check(). Each number is the largest error over all seeds. */
struct linop_check {
	double dot;       // linop_dot_test()
	double linearity; // |A(ax + by) - aAx - bAy| / (|aAx| + |bAy|), and the same for A'
	double normal;    // |normal(x) - A'(A x)| / |A'(A x)|
	bool repeatable;  // a second call with the same x gives the same bytes
};
/** Tests A with random vectors for the seeds 0 .. seeds - 1. */
extern struct linop_check linop_check(const struct linop *A, int seeds);

#endif
