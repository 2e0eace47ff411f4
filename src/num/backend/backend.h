#ifndef NUM_BACKEND_BACKEND_H
#define NUM_BACKEND_BACKEND_H

#include "num/device/profile.h"
#include "num/md/flpmath.h"

/** A table contains the primitives of one device. The md_* functions simplify loops with md_simplify(). The
 * functions then call the table of the device on which the data reside. Any entry may be replaced
 * (num/device/profile.h). */

enum { MD_OPERANDS = 1 + CHAIN_OPERANDS };

/** Describes a strided loop, simplified by md_simplify(). Kernels receive the struct by value. */
struct md_shape {
	int D;
	int N; // number of operands
	long dims[DIMS];
	long strs[MD_OPERANDS][DIMS]; // [bytes]
};

/** Each row describes a primitive: name, result type, parameters, arguments of a call, and bytes read and
 * written. Operand 0 of a shape is the output. Types are float32, float64, complex64 and complex128. */
#define BACKEND_PRIMITIVES(X)                                                                                \
	/* out = op(a, b, c), all of type t */                                                               \
	X(apply1, void, (enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a),      \
	        (op, t, s, out, a), md_shape_bytes(s, t))                                                    \
	X(apply2, void,                                                                                      \
	        (enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a,               \
	                const void *b),                                                                      \
	        (op, t, s, out, a, b), md_shape_bytes(s, t))                                                 \
	X(apply3, void,                                                                                      \
	        (enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a,               \
	                const void *b, const void *c),                                                       \
	        (op, t, s, out, a, b, c), md_shape_bytes(s, t))                                              \
	/* out (type t) = f(in) */                                                                           \
	X(chain, void,                                                                                       \
	        (const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out,                \
	                const void *const in[]),                                                             \
	        (f, t, s, out, in), md_shape_bytes(s, t))                                                    \
	/* out += a b or a conj(b), summed in float64 along dims where out has step 0; wide: out has double  \
	 * precision */                                                                                      \
	X(fmac, void,                                                                                        \
	        (enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out, const void *a,   \
	                const void *b),                                                                      \
	        (t, conj_b, wide, s, out, a, b), md_shape_bytes(s, t) + md_operand_bytes(s, 0, t))           \
	X(smul, void, (enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f),  \
	        (t, s, out, a, f), md_shape_bytes(s, t))                                                     \
	X(axpy, void, (enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a),  \
	        (t, s, out, f, a), md_shape_bytes(s, t) + md_operand_bytes(s, 0, t))                         \
	X(axpby, void, (enum dtype t, long n, void *out, double f, const void *a, double g, const void *b),  \
	        (t, n, out, f, a, g, b), 3 * n * (long)dtype_size(t))                                        \
	/* out (type t) = post(red(pre(in))) along the dims in which out has step 0 */                       \
	X(reduction, void,                                                                                   \
	        (const struct md_reduction *r, enum dtype t, const struct md_shape *s, void *out,            \
	                const void *const in[]),                                                             \
	        (r, t, s, out, in), md_shape_bytes(s, r->type))                                              \
	/* out[i] = sum a[0..i] along a dim of n elements with these steps [bytes], for every element of the \
	 * shape */                                                                                          \
	X(cumsum, void,                                                                                      \
	        (enum dtype t, long n, const long steps[2], const struct md_shape *s, void *out,             \
	                const void *a),                                                                      \
	        (t, n, steps, s, out, a), n *md_shape_bytes(s, t))                                           \
	/* the k-th largest magnitude, 1 <= k <= elements; NaN counts as the largest */                      \
	X(largest, double, (enum dtype t, long k, const struct md_shape *s, const void *a), (t, k, s, a),    \
	        2 * md_shape_bytes(s, t))                                                                    \
	X(copy, void, (size_t size, const struct md_shape *s, void *out, const void *in),                    \
	        (size, s, out, in), 2 * md_shape_count(s, 0) * (long)size)                                   \
	X(fill, void, (size_t size, const struct md_shape *s, void *out, const void *value),                 \
	        (size, s, out, value), md_shape_count(s, 0) * (long)size)                                    \
	X(alloc, void *, (size_t bytes), (bytes), (long)bytes)                                               \
	X(release, void, (void *p), (p), 0)

struct backend {
	const char *name;
	BACKEND_PRIMITIVES(PROFILE_MEMBER)
};

/** Returns the number of elements of operand k. Repeated elements are counted once. */
static inline long md_shape_count(const struct md_shape *s, int k)
{
	long n = 1;

	for (int i = 0; i < s->D; i++)
		n *= (0 == s->strs[k][i]) ? 1 : s->dims[i];

	return n;
}

static inline long md_operand_bytes(const struct md_shape *s, int k, enum dtype t)
{
	return md_shape_count(s, k) * (long)dtype_size(t);
}

/** Returns the size of all operands in bytes, for elements of type t. */
static inline long md_shape_bytes(const struct md_shape *s, enum dtype t)
{
	long bytes = 0;

	for (int k = 0; k < s->N; k++)
		bytes += md_operand_bytes(s, k, t);

	return bytes;
}

/** Returns the table of the device on which p resides. */
extern struct backend *backend_of(const void *p);
extern struct backend backend_cpu;
extern struct backend backend_gpu; // empty in builds without CUDA

/** Returns the table backend_gpu. Under --profile, the entries count calls. */
extern struct backend *backend_device(void);

#endif
