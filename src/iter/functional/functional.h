#ifndef ITER_FUNCTIONAL_FUNCTIONAL_H
#define ITER_FUNCTIONAL_FUNCTIONAL_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Functionals g of arrays, to be minimised. Functionals are immutable and reference-counted. Types are real
 * or complex; complex elements are pairs of real numbers with the inner product Re <a, b>. Values and long
 * sums are float64, summed in a fixed order: results do not depend on the number of threads.
 */
struct functional;

/** The functional `factor` times a sum of lengths. The sum is over the lengths of vectors along the dims in
 * flags or, if `apart`, over the moduli of elements. */
struct functional_lengths {
	double factor;
	bool apart;
	unsigned long flags;
};

struct functional_ops {
	const char *name;
	/** g(x); INFINITY outside its domain (for indicator functions: beyond rounding errors). NULL:
	 * unknown, as for a denoiser used as a prox. */
	double (*value)(const void *self, const void *x);
	/** Writes g(x) to *out without a transfer; x and out are on a device. NULL: value() is called and its
	 * result is copied to the device. */
	void (*value_to)(const void *self, double *out, const void *x);
	/** dst = argmin_u gamma g(u) + 1/2 |u - src|^2, gamma > 0; dst may be src. NULL: not available. For a
	 * non-convex g one of the minimisers. */
	void (*prox)(const void *self, double gamma, void *dst, const void *src);
	/** The prox of the convex conjugate of `factor` times g, factor > 0; dst is not src. NULL: computed
	 * by Moreau's identity. */
	void (*prox_conjugate)(const void *self, double factor, double sigma, void *dst, const void *src);
	/** The convex conjugate of `factor` times g at p, factor > 0; INFINITY if p is outside the domain of
	 * the conjugate (beyond rounding errors). NULL: unknown. */
	double (*conjugate)(const void *self, double factor, const void *p);
	/** For sums over elements: the prox of `factor` times g, factor > 0, with a gamma_i > 0 for each
	 * element. gamma has the type of src; with complex types both parts of gamma contain gamma_i. dst may
	 * be src. NULL: not available. */
	void (*prox_each)(const void *self, double factor, const void *gamma, void *dst, const void *src);
	/** The prox of the conjugate of g with a step sigma_i > 0 for each element. NULL: not available.
	 */
	void (*prox_conjugate_each)(const void *self, const void *sigma, void *dst, const void *src);
	/** dst (of the type of src) = the curvature of g per element near its minimum, > 0. NULL: the
	 * Lipschitz constant is used, or 1 if it is unknown. */
	void (*expected_curvature)(const void *self, void *dst);
	/** dst = gradient of g at src; dst may be src. NULL: g is not differentiable. */
	void (*gradient)(const void *self, void *dst, const void *src);
	/** Lipschitz constant of the gradient; NULL: unknown or none. */
	double (*lipschitz)(const void *self);
	/** For separable quadratic surrogates: dst = d_i, real, one for each element of src. d_i is an upper
	 * bound of the curvature: g(u) <= g(src) + <gradient, u - src> + 1/2 sum d_i |u_i - src_i|^2 for u in
	 * g's domain. NULL: none known. */
	void (*curvature)(const void *self, void *dst, const void *src);
	/** For sums over elements: dst (real, as in curvature()) = the second derivatives of g at src, or 0
	 * where they are not positive. NULL: not available. */
	void (*second)(const void *self, void *dst, const void *src);
	/** Returns the memory in which prox keeps the starting point of its next call. *bytes is the size of
	 * this memory. Checkpoints contain it. NULL: no state. */
	void *(*state)(void *self, long *bytes);
	/** Whether prox is independent of gamma, as for bounds. */
	bool any_step;
	/** Whether g only bounds each element; if so, the bounds are written to *lo and *hi. NULL: no. */
	bool (*bounds)(const void *self, double *lo, double *hi);
	/** Whether g is a sum of lengths; if so, the parameters of the sum are written to *l. NULL: no. */
	bool (*lengths)(const void *self, struct functional_lengths *l);
	/** Memory of vectors that value, prox and gradient keep [bytes]. NULL: negligible. */
	long (*memory)(const void *self);
	/** Whether value, prox, gradient, curvature and second work on the device of their operands. NULL:
	 * no; operands on a device are then copied to the host, and results are copied back. */
	bool (*anywhere)(const void *self);
	void (*destroy)(void *self); // NULL: nothing to free
};

/** Takes ownership of self. type: float32, float64, complex64, complex128. */
extern struct functional *functional_create(
        const struct functional_ops *ops, void *self, enum dtype type, int D, const long dims[]);
extern struct functional *functional_ref(const struct functional *g); // adds a reference
extern void functional_free(const struct functional *g);

extern const char *functional_name(const struct functional *g);
extern enum dtype functional_type(const struct functional *g);
extern const long *functional_dims(const struct functional *g); // DIMS of them
extern long functional_size(const struct functional *g);
extern bool functional_has_prox(const struct functional *g);
extern bool functional_has_value(const struct functional *g);
extern bool functional_is_smooth(const struct functional *g);
extern bool functional_has_second(const struct functional *g);
extern bool functional_has_curvature(const struct functional *g);
extern bool functional_is_anywhere(const struct functional *g);
extern bool functional_always(const void *self); // for functional_ops.anywhere: true

extern double functional_value(const struct functional *g, const void *x); // NAN: unknown
extern void functional_value_to(
        const struct functional *g, double *out, const void *x); // *out is on the device of x
extern void functional_prox(const struct functional *g, double gamma, void *dst, const void *src);
/** The prox of the convex conjugate by Moreau's identity: src - sigma prox_{g/sigma}(src/sigma); dst is not
 * src.
 */
extern void functional_prox_conjugate(const struct functional *g, double sigma, void *dst, const void *src);
/** The prox of the convex conjugate of `factor` times g, factor > 0. */
extern void functional_prox_conjugate_scaled(
        const struct functional *g, double factor, double sigma, void *dst, const void *src);
/** The convex conjugate at p of g, or of `factor` times g; NAN: unknown. */
extern double functional_conjugate(const struct functional *g, const void *p);
extern double functional_conjugate_scaled(const struct functional *g, double factor, const void *p);
extern void functional_prox_each(const struct functional *g, const void *gamma, void *dst, const void *src);
extern void functional_prox_each_scaled(
        const struct functional *g, double factor, const void *gamma, void *dst, const void *src);
extern bool functional_has_prox_each(const struct functional *g);
extern bool functional_takes_any_step(const struct functional *g);
extern bool functional_is_bounds(const struct functional *g, double *lo, double *hi);
extern bool functional_is_lengths(const struct functional *g, struct functional_lengths *l);
extern void functional_prox_conjugate_each(
        const struct functional *g, const void *sigma, void *dst, const void *src);
extern bool functional_has_steps(const struct functional *g); // prox_conjugate_each
extern void functional_expected_curvature(const struct functional *g, void *dst);
extern void functional_gradient(const struct functional *g, void *dst, const void *src);
extern double functional_lipschitz(const struct functional *g); // INFINITY: unknown or none
extern void functional_curvature(const struct functional *g, void *dst, const void *src);
extern long functional_memory(const struct functional *g); // [bytes]
extern void functional_second(const struct functional *g, void *dst, const void *src);
extern void *functional_state(const struct functional *g, long *bytes); // NULL and 0: nothing

#endif
