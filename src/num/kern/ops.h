#ifndef NUM_KERN_OPS_H
#define NUM_KERN_OPS_H

#include <stdbool.h>

#include "misc/dtype.h"

/** The operators and reductions of md_ functions, arrays and expressions. Names are those of the expression
 * language. The expression language writes some operators as signs, such as `+`. */

/** Calls X(enumerator, name, number of operands) for every operator. */
#define OPS(X)                                                                                               \
	X(COPY, "copy", 1)                                                                                   \
	X(NEG, "neg", 1)                                                                                     \
	X(NOT, "not", 1)                                                                                     \
	X(ABS, "abs", 1) /* magnitude; real */                                                               \
	X(SQUARE, "square", 1)                                                                               \
	X(ABS2, "abs2", 1)  /* |x|^2; real */                                                                \
	X(INVERT, "inv", 1) /* 1 / x */                                                                      \
	X(SQRT, "sqrt", 1)                                                                                   \
	X(CBRT, "cbrt", 1)                                                                                   \
	X(EXP, "exp", 1)                                                                                     \
	X(EXP2, "exp2", 1)                                                                                   \
	X(EXPM1, "expm1", 1)                                                                                 \
	X(LOG, "log", 1)                                                                                     \
	X(LOG2, "log2", 1)                                                                                   \
	X(LOG10, "log10", 1)                                                                                 \
	X(LOG1P, "log1p", 1)                                                                                 \
	X(SIN, "sin", 1)                                                                                     \
	X(COS, "cos", 1)                                                                                     \
	X(TAN, "tan", 1)                                                                                     \
	X(ASIN, "asin", 1)                                                                                   \
	X(ACOS, "acos", 1)                                                                                   \
	X(ATAN, "atan", 1)                                                                                   \
	X(SINH, "sinh", 1)                                                                                   \
	X(COSH, "cosh", 1)                                                                                   \
	X(TANH, "tanh", 1)                                                                                   \
	X(ASINH, "asinh", 1)                                                                                 \
	X(ACOSH, "acosh", 1)                                                                                 \
	X(ATANH, "atanh", 1)                                                                                 \
	X(ERF, "erf", 1)                                                                                     \
	X(FLOOR, "floor", 1)                                                                                 \
	X(CEIL, "ceil", 1)                                                                                   \
	X(ROUND, "round", 1) /* to nearest, ties to even */                                                  \
	X(TRUNC, "trunc", 1)                                                                                 \
	X(SIGN, "sign", 1) /* -1, 0 or 1; z / |z| of complex z */                                            \
	X(ISNAN, "isnan", 1)                                                                                 \
	X(ISINF, "isinf", 1)                                                                                 \
	X(ISFINITE, "isfinite", 1)                                                                           \
	X(REAL, "real", 1)                                                                                   \
	X(IMAG, "imag", 1)                                                                                   \
	X(CONJ, "conj", 1)                                                                                   \
	X(ARG, "arg", 1) /* (-pi, pi]; real */                                                               \
	X(CIS, "cis", 1) /* exp(i x); complex */                                                             \
	X(ADD, "add", 2)                                                                                     \
	X(SUB, "sub", 2)                                                                                     \
	X(MUL, "mul", 2)                                                                                     \
	X(MULC, "mulc", 2) /* a conj(b) */                                                                   \
	X(DIV, "div", 2)                                                                                     \
	X(POW, "pow", 2)                                                                                     \
	X(MOD, "mod", 2)     /* a - b floor(a / b): the sign of b */                                         \
	X(ATAN2, "atan2", 2) /* of (y, x) */                                                                 \
	X(HYPOT, "hypot", 2)                                                                                 \
	X(MIN, "min", 2) /* NaN if an operand is NaN */                                                      \
	X(MAX, "max", 2)                                                                                     \
	X(COPYSIGN, "copysign", 2)                                                                           \
	X(COMPLEX, "complex", 2) /* a + i b; complex */                                                      \
	X(SOFT, "soft", 2)       /* soft threshold: x / |x| max(|x| - t, 0) */                               \
	X(HARD, "hard", 2)       /* hard threshold: x where |x| > t, else 0 */                               \
	X(LT, "lt", 2)                                                                                       \
	X(LE, "le", 2)                                                                                       \
	X(GT, "gt", 2)                                                                                       \
	X(GE, "ge", 2)                                                                                       \
	X(EQ, "eq", 2)                                                                                       \
	X(NE, "ne", 2)                                                                                       \
	X(AND, "and", 2)                                                                                     \
	X(OR, "or", 2)                                                                                       \
	X(XOR, "xor", 2)                                                                                     \
	X(SELECT, "where", 3)  /* a ? b : c */                                                               \
	X(CLAMP, "clamp", 3)   /* min(max(x, lo), hi) */                                                     \
	X(MULADD, "muladd", 3) /* a b + c, two roundings */

enum op {
#define X(id, name, args) OP_##id,
	OPS(X)
#undef X
	        OP_COUNT
};

/** Calls X(enumerator, name, number of operands) for every reduction. Sums of floats are computed in float64.
 * Sums of integers are computed exactly in 64 bits and saturate. */
#define REDUCTIONS(X)                                                                                        \
	X(SUM, "sum", 1)                                                                                     \
	X(MEAN, "mean", 1)                                                                                   \
	X(PROD, "prod", 1)                                                                                   \
	X(NORM, "norm", 1)   /* sqrt(sum |x|^2) */                                                           \
	X(NORM1, "norm1", 1) /* sum |x| */                                                                   \
	X(MIN, "min", 1)     /* NaN if an element is NaN */                                                  \
	X(MAX, "max", 1)                                                                                     \
	X(ARGMIN, "argmin", 1) /* index of the first minimum, dim 0 fastest */                               \
	X(ARGMAX, "argmax", 1)                                                                               \
	X(ANY, "any", 1)                                                                                     \
	X(ALL, "all", 1)                                                                                     \
	X(COUNT, "count", 1) /* number of nonzero elements */                                                \
	X(DOT, "dot", 2)     /* sum a conj(b) */

enum reduction {
#define X(id, name, args) RED_##id,
	REDUCTIONS(X)
#undef X
	        RED_COUNT_OF
};

/** Rules for real functions without a real value, such as `sqrt(-1)`. */
enum domain { DOMAIN_NAN, DOMAIN_WARN, DOMAIN_ERROR, DOMAIN_COMPLEX };

extern const char *op_name(enum op op);
extern int op_args(enum op op);
/** Returns the operator of this name, or -1. */
extern int op_parse(const char *name);
extern const char *reduction_name(enum reduction r);
extern int reduction_args(enum reduction r);
extern int reduction_parse(const char *name);

/**
 * Returns the work type of t: the type in which elements of type t are computed.
 *
 *   type t                             work type
 *   bool                               bool
 *   signed integers, uint8 to uint32   int64
 *   uint64                             uint64
 *   float16, float32                   float32
 *   float64                            float64
 *   complex32, complex64               complex64
 *   complex128                         complex128
 */
extern enum dtype dtype_work(enum dtype t);

/** Types of the operands, the computation and the result of an operator. */
struct op_types {
	enum dtype work;   // work type of the operands; the first operand of SELECT is bool
	enum dtype value;  // work type of the kernel's output
	enum dtype result; // default element type of an array for the result
};

/**
 * Determines the work and result types of an operator. Operand k has type in[k]. See also doc/types.md.
 * Returns false if the operator is not defined for the types, for example LT for complex numbers.
 *
 * P is the smallest type that holds all operands: see dtype_promote(). For SELECT, only the last two operands
 * determine P. P is float64 if no type holds all operands, such as int64 and uint64. F is the result type of
 * functions such as sqrt. F is P if P is a float or complex type. For integers of up to 16 bits, F is
 * float32. For longer integers, F is float64.
 *
 *   COPY SQUARE CONJ SIGN FLOOR CEIL ROUND TRUNC MUL MULC
 *   MOD MIN MAX COPYSIGN SOFT HARD SELECT CLAMP             P
 *   ABS ABS2 REAL IMAG                                      P, or its real type
 *   ADD SUB NEG MULADD                                      P, or int8 if P is bool
 *   DIV ATAN2 HYPOT INVERT, SQRT to ERF                     F
 *   ARG                                                     F, or its real type
 *   CIS COMPLEX                                             the complex type with the precision of F
 *   POW                                                     P if P is an integer type and the exponent is
 *                                                           unsigned or bool, else F
 *   LT to NE, ISNAN ISINF ISFINITE                          bool, computed in P
 *   NOT AND OR XOR                                          bool, of operands as bool (NaN is true)
 *
 * Under DOMAIN_COMPLEX, operators with op_has_domain() return complex numbers of the same precision.
 *
 * Integers are computed in int64, or in uint64 if P is uint64. Products and powers are also computed in
 * uint64 if P is uint32. Results outside the 64-bit range saturate, or wrap in kernels of kern_op_as(). The
 * function kern_overflow() counts results outside the 64-bit range. Results that P cannot hold, such as -2
 * for uint8, are counted by kern_store(). For integers, x mod 0 is 0.
 */
extern bool op_types(enum op op, const enum dtype in[], enum domain domain, struct op_types *t);

/**
 * Determines the work and result types of a reduction. Returns false for MIN, MAX, ARGMIN and ARGMAX of
 * complex numbers.
 *
 *   SUM PROD DOT          uint64 for uint64, int64 for other integers,
 *                         float64 for floats, complex128 for complex types
 *   MEAN                  float64, or complex128 for complex types
 *   NORM NORM1            float64
 *   MIN MAX               the type of the operand
 *   ARGMIN ARGMAX COUNT   int64
 *   ANY ALL               bool
 */
extern bool reduction_types(enum reduction r, const enum dtype in[], struct op_types *t);

/** Returns whether an operator can lack a real result for real operands. These operators are SQRT, POW, ASIN,
 * ACOS, ACOSH, ATANH and the logarithms. */
extern bool op_has_domain(enum op op);

#endif
