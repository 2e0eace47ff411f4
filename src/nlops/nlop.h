#ifndef NLOPS_NLOP_H
#define NLOPS_NLOP_H

#include <stdbool.h>

#include "linops/linop.h"

/**
 * Nonlinear operators (y_0, y_1, ...) = F(x_0, x_1, ...): reference-counted, with shapes checked when
 * operators are composed. Arrays are contiguous; no array is both an input and an output. nlop_derivative()
 * applies the Jacobian matrix, and nlop_adjoint() its exact conjugate transpose, at the point of the last
 * nlop_forward(). The operator stores the data of the point that it needs, so that the inputs may change. An
 * operator must be applied by one thread at a time. If an operator is part of several others, they share its
 * point.
 */
struct nlop;

struct nlop_shape {
	int D;
	long dims[DIMS];
};

struct nlop_ops {
	const char *name;
	/** Computes the outputs. out[k] NULL: output k is not needed. All inputs are given, and at least one
	 * output is needed. */
	void (*forward)(void *self, void *const out[], const void *const in[]);
	/** The derivative of output o with respect to input i, and its adjoint, applied to src; the result
	 * overwrites dst. */
	void (*derivative)(void *self, int o, int i, void *dst, const void *src);
	void (*adjoint)(void *self, int o, int i, void *dst, const void *src);
	/** Whether output o can depend on input i; NULL: every output depends on every input. */
	bool (*depends)(const void *self, int o, int i);
	/** For complex arrays: whether the derivatives are linear only for real factors. NULL: the
	 * derivatives are complex-linear. */
	bool (*real_linear)(const void *self);
	/** Whether the operator runs on the device on which its operands reside. NULL: operands on a device
	 * are copied to the host, and results are copied to the device. */
	bool (*anywhere)(const void *self);
	void (*destroy)(void *self);
};

enum { NLOP_ARGS = 16 };

/** Takes ownership of self. Up to NLOP_ARGS inputs and outputs. */
extern struct nlop *nlop_create(const struct nlop_ops *ops, void *self, enum dtype type, int outs,
        const struct nlop_shape out[], int ins, const struct nlop_shape in[]);
extern struct nlop *nlop_ref(const struct nlop *F);
extern void nlop_free(const struct nlop *F);

extern void nlop_forward(const struct nlop *F, void *const out[], const void *const in[]);
extern void nlop_derivative(const struct nlop *F, int o, int i, void *dst, const void *src);
extern void nlop_adjoint(const struct nlop *F, int o, int i, void *dst, const void *src);
/** nlop_forward() for operators of one input and one output. */
extern void nlop_apply(const struct nlop *F, void *out, const void *in);

extern const char *nlop_name(const struct nlop *F);
extern enum dtype nlop_type(const struct nlop *F);
extern int nlop_outs(const struct nlop *F);
extern int nlop_ins(const struct nlop *F);
extern const struct nlop_shape *nlop_out(const struct nlop *F, int o);
extern const struct nlop_shape *nlop_in(const struct nlop *F, int i);
extern long nlop_out_size(const struct nlop *F, int o); // elements
extern long nlop_in_size(const struct nlop *F, int i);
extern bool nlop_depends(const struct nlop *F, int o, int i);
extern bool nlop_is_real_linear(const struct nlop *F);
extern bool nlop_is_anywhere(const struct nlop *F);
extern bool nlop_always(const void *self); // for nlop_ops.anywhere: true

/** The derivative as a linear operator, always at the point of the last nlop_forward(). */
extern struct linop *nlop_derivative_create(const struct nlop *F, int o, int i);

/* ---- algebra; arguments are referenced, not consumed ---- */

/** F and G side by side: the inputs are those of F, then those of G; likewise the outputs. */
extern struct nlop *nlop_combine(const struct nlop *F, const struct nlop *G);
/** Output o, which does not depend on input i, becomes input i; both are removed from the lists. */
extern struct nlop *nlop_link(const struct nlop *F, int o, int i);
/** Inputs i < j are merged into one, input i. */
extern struct nlop *nlop_dup(const struct nlop *F, int i, int j);
/** x -> G(F(x)): output 0 of F is input 0 of G. Outputs: all outputs of G, then the other outputs of F.
 * Inputs: the other inputs of G, then all inputs of F. */
extern struct nlop *nlop_chain(const struct nlop *G, const struct nlop *F);
/** nlop_stack_outputs() concatenates outputs a < b into one, output a, along `dim`. Their shapes may differ
 * only in `dim`. nlop_stack_inputs() does the same with inputs. */
extern struct nlop *nlop_stack_outputs(const struct nlop *F, int a, int b, int dim);
extern struct nlop *nlop_stack_inputs(const struct nlop *F, int a, int b, int dim);

/* ---- operators ---- */

/** y = A x */
extern struct nlop *nlop_from_linop(const struct linop *A);

/** Functions of each element. Complex arrays: principal values, differentiable except on their branch cuts;
 * sigmoid and softplus are only for real arrays. If a function is undefined the result is NaN or infinite, as
 * in IEEE 754. */
extern struct nlop *nlop_exp_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_log_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_sqrt_create(enum dtype type, int D, const long dims[]);
extern struct nlop *nlop_pow_create(enum dtype type, int D, const long dims[], double exponent);
extern struct nlop *nlop_sigmoid_create(enum dtype type, int D, const long dims[]);  // 1 / (1 + exp(-x))
extern struct nlop *nlop_softplus_create(enum dtype type, int D, const long dims[]); // log(1 + exp(x))

/** Two inputs: y = the sum of a b over the dims in which odims is 1. In every dim, the lengths of a, b and y
 * are equal or 1; a and b are repeated along dims of length 1. Equal dims: the product element by element. */
extern struct nlop *nlop_mul_create(
        enum dtype type, int D, const long odims[], const long adims[], const long bdims[]);
/** Two inputs: y = a / b, element by element. */
extern struct nlop *nlop_div_create(enum dtype type, int D, const long dims[]);

/** y = sqrt(epsilon^2 + sum |x|^2 along the dims in flags), epsilon >= 0. The summed dims of y have length 1.
 * At y = 0 the derivative is defined as 0. y is real also for complex x; its derivatives are then linear only
 * for real factors. */
extern struct nlop *nlop_norm_create(
        enum dtype type, int D, const long dims[], unsigned long flags, double epsilon);

/** Beer-Lambert law: y = I0 exp(-A x). I0 holds real numbers > 0 in the precision of A. Each of the DIMS
 * lengths in idims is the length of the codomain, or 1 if I0 is repeated along this dim. I0 is copied. Real
 * types. */
extern struct nlop *nlop_transmission_create(const struct linop *A, const long idims[], const void *I0);

/**
 * Polychromatic transmission: y = sum_e s[e] exp(-sum_m mu[e + m energies] A x_m). x_m is the amount of
 * material m: its density, or its fraction of a voxel. The input has the dims of A's domain and one more dim
 * for m. s[e] are the detected photons (or energy) of bin e of the spectrum without an object. mu is the
 * attenuation of material m in bin e [1/mm at amount 1]. Real types. The operator stores `materials` + 1
 * arrays of the size of the codomain.
 */
extern struct nlop *nlop_polychromatic_create(
        const struct linop *A, int energies, const double s[], int materials, const double mu[]);

/* ---- checks ---- */

/** Results of nlop_check(), which are the largest deviations over all inputs and outputs at the point x[]. If
 * x is NULL, every real and imaginary part of x[] is 1.5 plus a quarter of a normal random number. */
struct nlop_check {
	double derivative; // |(F(x + h v) - F(x - h v)) / 2h - DF v| / |DF v|, for the best of several h
	double dot;        // |<DF v, w> - <v, DF' w>| / max(|DF v| |w|, |v| |DF' w|)
	double linearity;  // of the derivative, as linop_check()
};
extern struct nlop_check nlop_check(const struct nlop *F, const void *const x[], unsigned long seed);

#endif
