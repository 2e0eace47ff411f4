#ifndef ITER_FUNCTIONAL_FUNCTIONAL_H
#define ITER_FUNCTIONAL_FUNCTIONAL_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * A functional g maps an array x to a number g(x). Functionals are immutable and reference-counted. Complex
 * elements are pairs of real numbers, with the inner product Re <a, b>. Values are float64. Results do not
 * depend on the number of threads.
 */
struct functional;

/** Describes a functional that is `factor` times a sum of vector lengths. */
struct functional_lengths {
	double factor;
	bool apart;          // the lengths are the moduli of single elements
	unsigned long flags; // otherwise, a vector contains the elements along these dims
};

/** The operations of a functional. All pointers except `name` may be NULL. */
struct functional_ops {
	const char *name;
	/** Returns g(x), or INFINITY if x is outside the domain of g. Indicator functions tolerate rounding
	 * errors. NULL means that the value is unknown. */
	double (*value)(const void *self, const void *x);
	/** Writes g(x) to *out, where x and *out are on a device. NULL means that value() is used, and that
	 * the result is copied to the device. */
	void (*value_to)(const void *self, double *out, const void *x);
	/** Writes the prox of gamma times g at src to dst, where gamma > 0. The prox is the u that minimises
	 * gamma g(u) + 1/2 |u - src|^2. If g is not convex, u is one of the minimisers. The array dst may be
	 * src. */
	void (*prox)(const void *self, double gamma, void *dst, const void *src);
	/** Writes the prox of sigma h* at src to dst. Here h* is the convex conjugate of h = factor g, with
	 * factor > 0. The array dst is not src. NULL means that prox() and Moreau's identity are used. */
	void (*prox_conjugate)(const void *self, double factor, double sigma, void *dst, const void *src);
	/** Returns the convex conjugate of `factor` times g at p, where factor > 0. Returns INFINITY if p is
	 * outside the domain of the conjugate by more than rounding errors. */
	double (*conjugate)(const void *self, double factor, const void *p);
	/** Writes the prox of `factor` times g to dst. Every element has a different step size gamma_i > 0.
	 * The operation exists only for sums over elements. The array gamma has the type of src. If the type
	 * is complex, the real and the imaginary part of gamma both contain gamma_i. The array dst may be
	 * src.
	 */
	void (*prox_each)(const void *self, double factor, const void *gamma, void *dst, const void *src);
	/** Writes the prox of the convex conjugate of g to dst. Every element has a different step size
	 * sigma_i > 0. */
	void (*prox_conjugate_each)(const void *self, const void *sigma, void *dst, const void *src);
	/** Writes a typical curvature of g near the minimum to dst. The curvature is one number > 0 for each
	 * element. The type of dst is that of g. If NULL, the Lipschitz constant is used, or 1 if no constant
	 * is known. */
	void (*expected_curvature)(const void *self, void *dst);
	/** Writes the gradient of g at src to dst. The array dst may be src. NULL means that g is not
	 * differentiable. */
	void (*gradient)(const void *self, void *dst, const void *src);
	/** Returns the Lipschitz constant of the gradient of g. NULL means that no constant is known. */
	double (*lipschitz)(const void *self);
	/**
	 * Writes the curvatures d_i of this separable quadratic surrogate of g to dst:
	 *
	 *     g(u) <= g(src) + <gradient, u - src> + 1/2 sum d_i |u_i - src_i|^2
	 *
	 * The inequality holds for all u in the domain of g. The array dst is real, and has one number for
	 * each element of src.
	 */
	void (*curvature)(const void *self, void *dst, const void *src);
	/** Writes the second derivatives of g at src to dst. Negative derivatives are replaced by 0. The
	 * operation exists only for sums over elements. The array dst is real, and has one number for each
	 * element of src.
	 */
	void (*second)(const void *self, void *dst, const void *src);
	/** Returns the address of the memory in which prox() keeps data for the next call. Writes the size of
	 * the memory to *bytes. The memory is saved in checkpoints. NULL means that prox() keeps no data.
	 */
	void *(*state)(void *self, long *bytes);
	/** True if the result of prox() is independent of gamma. An example is a constraint lo <= x <= hi. */
	bool any_step;
	/** Returns whether g is the constraint lo <= x <= hi. If so, writes the bounds to *lo and *hi. NULL
	 * means that g is not a constraint of this form. */
	bool (*bounds)(const void *self, double *lo, double *hi);
	/** Returns whether g is a sum of lengths. If so, writes the parameters of the sum to *l. NULL means
	 * that g is not a sum of lengths. */
	bool (*lengths)(const void *self, struct functional_lengths *l);
	/** Returns how much memory [bytes] value(), prox() and gradient() need for vectors. NULL means that
	 * the memory is negligible. */
	long (*memory)(const void *self);
	/** Returns whether value(), prox(), gradient(), curvature() and second() accept arrays on a device.
	 * Otherwise arrays are copied to the host, and results are copied back. NULL means that arrays on a
	 * device are not accepted. */
	bool (*anywhere)(const void *self);
	/** Frees self. */
	void (*destroy)(void *self);
};

/** Creates a functional for arrays of the given type and dims. The functional takes ownership of self. The
 * type must be float32, float64, complex64 or complex128. */
extern struct functional *functional_create(
        const struct functional_ops *ops, void *self, enum dtype type, int D, const long dims[]);

/** Adds a reference to g and returns g. */
extern struct functional *functional_ref(const struct functional *g);

/** Removes a reference. Frees g if no reference is left. */
extern void functional_free(const struct functional *g);

/** These functions return properties of g. */
extern const char *functional_name(const struct functional *g);
extern enum dtype functional_type(const struct functional *g);
extern const long *functional_dims(const struct functional *g); // an array of DIMS numbers
extern long functional_size(const struct functional *g);
extern bool functional_has_prox(const struct functional *g);
extern bool functional_has_value(const struct functional *g);
extern bool functional_is_smooth(const struct functional *g);
extern bool functional_has_second(const struct functional *g);
extern bool functional_has_curvature(const struct functional *g);
extern bool functional_is_anywhere(const struct functional *g);
extern bool functional_always(const void *self); // returns true, for functional_ops.anywhere

/** These functions call the operations of struct functional_ops. Arrays may be on the host or on a device. */
extern double functional_value(const struct functional *g, const void *x); // NAN if unknown
extern void functional_value_to(
        const struct functional *g, double *out, const void *x); // *out is on the device of x
extern void functional_prox(const struct functional *g, double gamma, void *dst, const void *src);

/** Writes the prox of sigma times the convex conjugate of g at src to dst. The prox is src - sigma
 * prox_{g/sigma}(src/sigma). The array dst must not be src. */
extern void functional_prox_conjugate(const struct functional *g, double sigma, void *dst, const void *src);

/** Writes the prox of sigma h* at src to dst. Here h* is the convex conjugate of h = factor g, with
 * factor > 0. The array dst must not be src. */
extern void functional_prox_conjugate_scaled(
        const struct functional *g, double factor, double sigma, void *dst, const void *src);

/** Returns the convex conjugate of g at p, or NAN if unknown. */
extern double functional_conjugate(const struct functional *g, const void *p);

/** Returns the convex conjugate of `factor` times g at p, or NAN if unknown. */
extern double functional_conjugate_scaled(const struct functional *g, double factor, const void *p);

/** These functions call the operations of struct functional_ops. */
extern void functional_prox_each(const struct functional *g, const void *gamma, void *dst, const void *src);
extern void functional_prox_each_scaled(
        const struct functional *g, double factor, const void *gamma, void *dst, const void *src);
extern bool functional_has_prox_each(const struct functional *g);
extern bool functional_takes_any_step(const struct functional *g);
extern bool functional_is_bounds(const struct functional *g, double *lo, double *hi);
extern bool functional_is_lengths(const struct functional *g, struct functional_lengths *l);
extern void functional_prox_conjugate_each(
        const struct functional *g, const void *sigma, void *dst, const void *src);
extern bool functional_has_steps(const struct functional *g); // whether prox_conjugate_each() is defined
extern void functional_expected_curvature(const struct functional *g, void *dst);
extern void functional_gradient(const struct functional *g, void *dst, const void *src);
extern double functional_lipschitz(const struct functional *g); // INFINITY if no constant is known
extern void functional_curvature(const struct functional *g, void *dst, const void *src);
extern long functional_memory(const struct functional *g); // [bytes]
extern void functional_second(const struct functional *g, void *dst, const void *src);
extern void *functional_state(const struct functional *g, long *bytes); // NULL if there is none

#endif
