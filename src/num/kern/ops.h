#ifndef NUM_KERN_OPS_H
#define NUM_KERN_OPS_H

#include <stdbool.h>

#include "misc/dtype.h"

/**
 * Operators and functions on elements, and reductions: one list for md_ functions, arrays and expressions.
 * Names are those of the expression language, in which some operators exist only as signs (+).
 */

/** X(enumerator, name, arguments). */
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
	X(SIGN, "sign", 1) /* -1, 0, 1; z / |z| */                                                           \
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
	X(MIN, "min", 2) /* NaN when either is */                                                            \
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
	X(SELECT, "where", 3)  /* a ? b : c; a as bool */                                                    \
	X(CLAMP, "clamp", 3)   /* min(max(x, lo), hi) */                                                     \
	X(MULADD, "muladd", 3) /* a b + c, two roundings */

enum op {
#define X(id, name, args) OP_##id,
	OPS(X)
#undef X
	        OP_COUNT
};

/** Reductions. Sums of floats are computed in float64, sums of integers exactly in 64 bits (saturating). */
#define REDUCTIONS(X)                                                                                        \
	X(SUM, "sum", 1)                                                                                     \
	X(MEAN, "mean", 1)                                                                                   \
	X(PROD, "prod", 1)                                                                                   \
	X(NORM, "norm", 1)   /* sqrt(sum |x|^2) */                                                           \
	X(NORM1, "norm1", 1) /* sum |x| */                                                                   \
	X(MIN, "min", 1)     /* NaN when any element is */                                                   \
	X(MAX, "max", 1)                                                                                     \
	X(ARGMIN, "argmin", 1) /* number of the first such element, dim 0 fastest */                         \
	X(ARGMAX, "argmax", 1)                                                                               \
	X(ANY, "any", 1)                                                                                     \
	X(ALL, "all", 1)                                                                                     \
	X(COUNT, "count", 1) /* of elements that are not 0 */                                                \
	X(DOT, "dot", 2)     /* sum a conj(b) */

enum reduction {
#define X(id, name, args) RED_##id,
	REDUCTIONS(X)
#undef X
	        RED_COUNT_OF
};

/** The rule for results of real functions without a real value (sqrt(-1), log(-1), acos(2), pow(-1, 0.5)). */
enum domain { DOMAIN_NAN, DOMAIN_WARN, DOMAIN_ERROR, DOMAIN_COMPLEX };

extern const char *op_name(enum op op);
extern int op_args(enum op op);
/** The function of that name, or -1. */
extern int op_parse(const char *name);
extern const char *reduction_name(enum reduction r);
extern int reduction_args(enum reduction r);
extern int reduction_parse(const char *name);

/** The work type, in which elements of type t are computed: bool; int64 (for signed integers, and unsigned
 * ones up to 32 bits); uint64; float32 (also for float16); float64; complex64 (also for complex32);
 * complex128. */
extern enum dtype dtype_work(enum dtype t);

/** Types of one application of an operator. */
struct op_types {
	enum dtype work;   // work type to which the operands are converted (the first of SELECT: to bool)
	enum dtype value;  // work type of what the kernel writes
	enum dtype result; // element type of the result: what an array that holds it gets by default
};

/**
 * Result types for operands of types in[op_args(op)]; doc/types.md has the table. P is the smallest type that
 * holds all operands (dtype_promote(); for SELECT, the last two operands). If no type holds all operands
 * (int64 with uint64), P is float64.
 *
 * - COPY, ABS, SQUARE, ABS2, REAL, IMAG, CONJ, SIGN, FLOOR, CEIL, ROUND, TRUNC, MUL, MULC, MOD, MIN, MAX,
 *   COPYSIGN, SOFT, HARD, SELECT, CLAMP: P. For complex operands ABS, ABS2, REAL, IMAG (and ARG) are real.
 *
 * - ADD, SUB, NEG, MULADD: P; int8 if P is bool, as true + true is 2.
 *
 * - DIV, ATAN2, HYPOT, INVERT, ARG and the functions SQRT to ERF: P; for integers float32 (bool, 8 and 16
 *   bits) or float64 (32 and 64 bits). CIS and COMPLEX: the complex type with the precision of the result of
 *   DIV.
 *
 * - POW: P if P is an integer type and the type of the exponent is unsigned or bool; else as DIV. (Integers
 *   to a negative power have no integer result. An expression uses an unsigned type for an exponent that is
 *   known to be non-negative.)
 *
 * - LT to NE, ISNAN, ISINF, ISFINITE: computed in P, result bool. NOT, AND, OR, XOR: operands are converted
 *   to bool (true unless 0; NaN is true), result bool.
 *
 * - Under DOMAIN_COMPLEX, operators with op_has_domain() compute and return complex numbers, in the precision
 *   of the real type that they return otherwise.
 *
 * - float16 and complex32 are computed in float32 and complex64; the type of the result stays float16 or
 *   complex32.
 *
 * Integers are computed in int64, or in uint64 if P is uint64 (for products also if P is uint32). Sums,
 * differences, products and powers outside the range of this type saturate (3 - 5 of uint64 is 0) or wrap
 * (kern_op_as()); kern_overflow() counts them. For narrower types P, only powers can exceed 64 bits. Results
 * that P cannot hold (-2 for uint8) are counted when they are stored: kern_store(). x mod 0 of integers is 0.
 *
 * Returns false if the operator is not defined for these operands (complex numbers cannot be ordered or
 * rounded).
 */
extern bool op_types(enum op op, const enum dtype in[], enum domain domain, struct op_types *t);

/** Result types of reductions. SUM, PROD, DOT: int64 or uint64 for integers, float64 for floats, complex128
 * for complex types. MEAN: as SUM, but float64 for integers. NORM, NORM1: float64. MIN, MAX: the type of the
 * operand. ARG* and COUNT: int64. ANY, ALL: bool. */
extern bool reduction_types(enum reduction r, const enum dtype in[], struct op_types *t);

/** Whether an operator on real operands may have no real result: SQRT, LOG.., ASIN, ACOS, ACOSH, ATANH, POW.
 */
extern bool op_has_domain(enum op op);

#endif
