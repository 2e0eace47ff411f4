#ifndef NLOPS_NLOP_H
#define NLOPS_NLOP_H

#include <stdbool.h>

#include "linops/linop.h"

/**
 * Nonlinear operators (y_0, y_1, ...) = F(x_0, x_1, ...) with derivatives. Arrays are contiguous, and no
 * array is both an input and an output. The function nlop_derivative() applies the Jacobian matrix. The
 * function nlop_adjoint() applies the exact conjugate transpose of the matrix. Derivatives are taken at
 * the point of the last nlop_forward(). The inputs of nlop_forward() may change afterwards. Only one
 * thread at a time may apply an operator. Two operators that contain F share the point of F.
 */
struct nlop;

struct nlop_shape {
	int D;
	long dims[DIMS];
};

struct nlop_ops {
	const char *name;
	/** Computes the outputs. If out[k] is NULL, output k is not needed. At least one output is needed.
	 */
	void (*forward)(void *self, void *const out[], const void *const in[]);
	/** These functions compute dst = J src and dst = J^H src. J is the derivative of output o with
	 * respect to input i. */
	void (*derivative)(void *self, int o, int i, void *dst, const void *src);
	void (*adjoint)(void *self, int o, int i, void *dst, const void *src);
	/** Returns whether output o can depend on input i. NULL means that every output depends on every
	 * input. */
	bool (*depends)(const void *self, int o, int i);
	/** Returns whether derivatives of complex arrays are linear only for real factors. NULL means
	 * false. */
	bool (*real_linear)(const void *self);
	/** Returns whether the operator computes on the device of the operands. NULL means false. Without
	 * device code, operands are copied to the host and results are copied back. */
	bool (*anywhere)(const void *self);
	void (*destroy)(void *self);
};

enum { NLOP_ARGS = 16 };

/** Creates an operator with up to NLOP_ARGS inputs and outputs. The operator owns and destroys self. */
extern struct nlop *nlop_create(const struct nlop_ops *ops, void *self, enum dtype type, int outs,
        const struct nlop_shape out[], int ins, const struct nlop_shape in[]);
extern struct nlop *nlop_ref(const struct nlop *F);
extern void nlop_free(const struct nlop *F);

extern void nlop_forward(const struct nlop *F, void *const out[], const void *const in[]);
extern void nlop_derivative(const struct nlop *F, int o, int i, void *dst, const void *src);
extern void nlop_adjoint(const struct nlop *F, int o, int i, void *dst, const void *src);
/** Like nlop_forward(), for an operator with one input and one output. */
extern void nlop_apply(const struct nlop *F, void *out, const void *in);

extern const char *nlop_name(const struct nlop *F);
extern enum dtype nlop_type(const struct nlop *F);
extern int nlop_outs(const struct nlop *F);
extern int nlop_ins(const struct nlop *F);
extern const struct nlop_shape *nlop_out(const struct nlop *F, int o);
extern const struct nlop_shape *nlop_in(const struct nlop *F, int i);
extern long nlop_out_size(const struct nlop *F, int o); // number of elements
extern long nlop_in_size(const struct nlop *F, int i);
extern bool nlop_depends(const struct nlop *F, int o, int i);
extern bool nlop_is_real_linear(const struct nlop *F);
extern bool nlop_is_anywhere(const struct nlop *F);
extern bool nlop_always(const void *self); // returns true, for nlop_ops.anywhere

/** Returns the derivative as a linear operator. A new nlop_forward() changes the point of the derivative.
 */
extern struct linop *nlop_derivative_create(const struct nlop *F, int o, int i);

/* ---- composed operators; the caller still frees the arguments ---- */

/** Applies F and G independently. Inputs and outputs of F come before those of operator G. */
extern struct nlop *nlop_combine(const struct nlop *F, const struct nlop *G);
/** Uses output o as input i, and removes output o and input i. Calls error() if output o depends on input
 * i. */
extern struct nlop *nlop_link(const struct nlop *F, int o, int i);
/** Uses input i also as input j, and removes input j. The numbers must satisfy i < j. */
extern struct nlop *nlop_dup(const struct nlop *F, int i, int j);
/** Returns G(F(x)), where input 0 of G is output 0 of F(x). The outputs of G come first, then the outputs of
 * F except output 0. The inputs of G except input 0 come first, then the inputs of F. */
extern struct nlop *nlop_chain(const struct nlop *G, const struct nlop *F);
/** These functions concatenate outputs or inputs a and b along `dim`. The result replaces output or input a.
 * Output or input b is removed, where b > a. Shapes may differ only along `dim`. */
extern struct nlop *nlop_stack_outputs(const struct nlop *F, int a, int b, int dim);
extern struct nlop *nlop_stack_inputs(const struct nlop *F, int a, int b, int dim);

/* ---- operators ---- */

/** y = A x */
extern struct nlop *nlop_from_linop(const struct linop *A);

/** These functions apply a function to each element. Complex results are principal values. Derivatives do
 * not exist on branch cuts. Sigmoid and softplus need real arrays. Undefined results are NaN or infinite,
 * as in IEEE 754. */
extern struct nlop *nlop_exp_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_log_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_sqrt_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_pow_create(enum dtype type, int D, const long dims[], double exponent);
extern struct nlop *nlop_sigmoid_create(enum dtype type, int D, const long dims[]);  // 1 / (1 + exp(-x))
extern struct nlop *nlop_softplus_create(enum dtype type, int D, const long dims[]); // log(1 + exp(x))

/** Returns y = sum a b for two inputs a and b. The sum is over all dims in which odims is 1. In each dim, the
 * lengths of a, b and y are equal or 1. An input of length 1 is repeated. For equal dims, y is the
 * elementwise product. */
extern struct nlop *nlop_mul_create(
        enum dtype type, int D, const long odims[], const long adims[], const long bdims[]);
/** Returns the elementwise quotient y = a / b of two inputs. */
extern struct nlop *nlop_div_create(enum dtype type, int D, const long dims[]);

/** Returns y = sqrt(epsilon^2 + sum |x|^2), with epsilon >= 0. The sum is along the dims in `flags`, which
 * have length 1 in y. At y = 0 the derivative is 0. For complex x, y is real, and the derivatives are
 * linear only for real factors. */
extern struct nlop *nlop_norm_create(
        enum dtype type, int D, const long dims[], unsigned long flags, double epsilon);

/** Returns the Beer-Lambert law y = I0 exp(-A x) for real types. I0 contains positive numbers of the type of
 * A, and is copied. Lengths in `idims` equal those of the codomain, or are 1 to repeat I0. */
extern struct nlop *nlop_transmission_create(const struct linop *A, const long idims[], const void *I0);

/**
 * Returns the polychromatic transmission for real types:
 *
 *   y = sum_e s[e] exp(-sum_m mu[e + m energies] A x_m)
 *
 * The amount x_m of material m is a density or a fraction of a voxel. The input has the dims of the domain of
 * A, followed by dim m. Without an object, the detector measures s[e] photons (or energy) in energy bin e.
 * The array mu contains the attenuation of each material and bin [1/mm at amount 1]. There are at most 16
 * materials. The operator stores `materials` + 1 arrays of the size of the codomain.
 */
extern struct nlop *nlop_polychromatic_create(
        const struct linop *A, int energies, const double s[], int materials, const double mu[]);

/* ---- checks ---- */

/** Contains the largest deviations over all inputs and outputs at the point x[]. If x is NULL, the check uses
 * 1.5 + 0.25 r with normal random numbers r. For complex types, r is complex. */
struct nlop_check {
	double derivative; // |(F(x + h v) - F(x - h v)) / 2h - DF v| / |DF v|, smallest over several h
	double dot;        // |<DF v, w> - <v, DF' w>| / max(|DF v| |w|, |v| |DF' w|)
	double linearity;  // of the derivative, as in linop_check()
};
extern struct nlop_check nlop_check(const struct nlop *F, const void *const x[], unsigned long seed);

#endif
