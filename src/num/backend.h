#ifndef NUM_BACKEND_H
#define NUM_BACKEND_H

#include "num/flpmath.h"

/**
 * One table of primitives per device. md_* functions bring their arguments into normal form (md_simplify) and call the table of the
 * device on which the data lie. An entry may be replaced (to count, to time, to debug): --profile does.
 */

enum { MD_OPERANDS = 3 };

/** A strided loop in normal form; by value to kernels. */
struct md_shape {
	int D;
	int N; // operands
	long dims[DIMS];
	long strs[MD_OPERANDS][DIMS]; // [bytes]
};

#define BACKEND_PRIMITIVES(X) \
	X(apply2, void, (enum md_op2 op, enum dtype t, const struct md_shape *s, void *out, const void *a, const void *b)) \
	X(apply1, void, (enum md_op1 op, enum dtype t, const struct md_shape *s, void *out, const void *a)) \
	X(fmac, void, (enum dtype t, bool conj_b, const struct md_shape *s, void *out, const void *a, const void *b)) \
	X(smul, void, (enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)) \
	X(axpy, void, (enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a)) \
	X(sadd, void, (enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)) \
	X(axpby, void, (enum dtype t, long n, void *out, double f, const void *a, double g, const void *b)) \
	X(scalar, complex double, (enum dtype t, const struct md_shape *s, const void *a, const void *b)) \
	X(sum, complex double, (enum dtype t, const struct md_shape *s, const void *a)) \
	X(asum, double, (enum dtype t, const struct md_shape *s, const void *a)) \
	X(maxabs, double, (enum dtype t, const struct md_shape *s, const void *a)) \
	X(copy, void, (size_t size, const struct md_shape *s, void *out, const void *in)) \
	X(fill, void, (size_t size, const struct md_shape *s, void *out, const void *value)) \
	X(alloc, void *, (size_t bytes)) \
	X(release, void, (void *p))

struct backend {
	const char *name;
#define X(op, ret, args) ret(*op) args;
	BACKEND_PRIMITIVES(X)
#undef X
};

/** The table of the device on which p lies. */
extern struct backend *backend_of(const void *p);
extern struct backend backend_cpu;

/** --profile: replaces the entries by counting ones; prints calls, seconds and bytes per entry at the end of the command. */
extern void backend_profile_start(void);

#endif
