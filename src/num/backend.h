#ifndef NUM_BACKEND_H
#define NUM_BACKEND_H

#include "num/flpmath.h"

/**
 * One table of primitives per device. md_* functions bring their arguments into normal form (md_simplify) and
 * call the table of the device on which the data lie. An entry may be replaced (to count, to time, to debug):
 * --profile does.
 */

enum { MD_OPERANDS = 3 };

/** A strided loop in normal form; by value to kernels. */
struct md_shape {
	int D;
	int N; // operands
	long dims[DIMS];
	long strs[MD_OPERANDS][DIMS]; // [bytes]
};

/** One row per primitive: name, result, parameters, the same as arguments, bytes it reads and writes. */
#define BACKEND_PRIMITIVES(X)                                                                                \
	X(apply2, void,                                                                                      \
	        (enum md_op2 op, enum dtype t, const struct md_shape *s, void *out, const void *a,           \
	                const void *b),                                                                      \
	        (op, t, s, out, a, b), 3 * md_shape_bytes(s, dtype_size(t)))                                 \
	X(apply1, void, (enum md_op1 op, enum dtype t, const struct md_shape *s, void *out, const void *a),  \
	        (op, t, s, out, a), 2 * md_shape_bytes(s, dtype_size(t)))                                    \
	X(fmac, void,                                                                                        \
	        (enum dtype t, bool conj_b, const struct md_shape *s, void *out, const void *a,              \
	                const void *b),                                                                      \
	        (t, conj_b, s, out, a, b), 3 * md_shape_bytes(s, dtype_size(t)))                             \
	X(smul, void, (enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f),  \
	        (t, s, out, a, f), 2 * md_shape_bytes(s, dtype_size(t)))                                     \
	X(axpy, void, (enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a),  \
	        (t, s, out, f, a), 3 * md_shape_bytes(s, dtype_size(t)))                                     \
	X(sadd, void, (enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f),  \
	        (t, s, out, a, f), 2 * md_shape_bytes(s, dtype_size(t)))                                     \
	X(axpby, void, (enum dtype t, long n, void *out, double f, const void *a, double g, const void *b),  \
	        (t, n, out, f, a, g, b), 3 * n * (long)dtype_size(t))                                        \
	X(scalar, complex double, (enum dtype t, const struct md_shape *s, const void *a, const void *b),    \
	        (t, s, a, b), 2 * md_shape_bytes(s, dtype_size(t)))                                          \
	X(sum, complex double, (enum dtype t, const struct md_shape *s, const void *a), (t, s, a),           \
	        md_shape_bytes(s, dtype_size(t)))                                                            \
	X(asum, double, (enum dtype t, const struct md_shape *s, const void *a), (t, s, a),                  \
	        md_shape_bytes(s, dtype_size(t)))                                                            \
	X(maxabs, double, (enum dtype t, const struct md_shape *s, const void *a), (t, s, a),                \
	        md_shape_bytes(s, dtype_size(t)))                                                            \
	X(nonfinite, long, (enum dtype t, const struct md_shape *s, const void *a), (t, s, a),               \
	        md_shape_bytes(s, dtype_size(t)))                                                            \
	X(copy, void, (size_t size, const struct md_shape *s, void *out, const void *in),                    \
	        (size, s, out, in), 2 * md_shape_bytes(s, size))                                             \
	X(fill, void, (size_t size, const struct md_shape *s, void *out, const void *value),                 \
	        (size, s, out, value), md_shape_bytes(s, size))                                              \
	X(alloc, void *, (size_t bytes), (bytes), (long)bytes)                                               \
	X(release, void, (void *p), (p), 0)

struct backend {
	const char *name;
#define X(op, ret, params, args, bytes) ret(*op) params;
	BACKEND_PRIMITIVES(X)
#undef X
};

/** Bytes of one operand's elements of a loop. */
static inline long md_shape_bytes(const struct md_shape *s, size_t size)
{
	long n = (long)size;

	for (int i = 0; i < s->D; i++)
		n *= s->dims[i];

	return n;
}

/** The table of the device on which p lies. The first call of a command run with --profile replaces its
 * entries by counting ones; calls, seconds and bytes per entry are printed at the end of the command. */
extern struct backend *backend_of(const void *p);
extern struct backend backend_cpu;

#endif
