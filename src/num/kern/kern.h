#ifndef NUM_KERN_KERN_H
#define NUM_KERN_KERN_H

#include <string.h>

#include <stdint.h>

#include "num/kern/convert.h"
#include "num/kern/ops.h"

/**
 * The inner loops of the CPU back end: one kernel per operator and work type (num/kern/ops.h), over short
 * contiguous lines in the first-level cache. Written once, compiled for AVX-512, AVX2 and the baseline,
 * chosen at run time; element-wise results and reductions have the same bits in all three. md_ functions,
 * arrays and expressions all use them. No kernel allocates or starts threads.
 */

/** Elements of a block of an expression: several operands fit into the first-level cache. */
enum { KERN_BLOCK = 512 };

/**
 * out[i] = op(a[i], b[i], c[i]) for i in 0..n-1. Bit k of `scalar`: operand k is a single element, repeated.
 * Missing operands are NULL. out equals an operand exactly or overlaps none.
 */
typedef void kern_fn(long n, void *out, const void *a, const void *b, const void *c, unsigned scalar);

/** The kernel for a work type, NULL if op_types() does not allow it. Reads the CPU's features once. */
extern kern_fn *kern_op(enum op op, enum dtype work);

/** The kernel for a rule on values that do not fit: modulo 2^64 if the work type is int64 or uint64 and the
 * rule NARROW_WRAP, else kern_op(). */
extern kern_fn *kern_op_as(enum op op, enum dtype work, enum narrow mode);

/** How many of n results of op on operands of a work type exceed that type: those that kern_op() saturates. 0
 * except for int64 and uint64. */
extern long kern_overflow(
        enum op op, enum dtype work, long n, const void *a, const void *b, const void *c, unsigned scalar);

/** op(inner(operands of inner)) by one kernel, with the bits of the two; NULL if there is none. exp(-x) and
 * -log(x) of floats: the Beer-Lambert law in both directions. */
extern kern_fn *kern_op_of(enum op op, enum op inner, enum dtype work);

/** The chosen instruction set: "avx512", "avx2" or "plain". GANTRY_ISA=plain|avx2 in the environment selects
 * an older one (for tests). */
extern const char *kern_isa(void);

/** The address of NAME_avx512, NAME_avx2 or NAME_plain, a table or a function, for the chosen set. */
#ifdef __x86_64__
#define KERN_CHOOSE(name)                                                                                    \
	(0 == strcmp(kern_isa(), "avx512")                                                                   \
	                ? &name##_avx512                                                                     \
	                : (0 == strcmp(kern_isa(), "avx2") ? &name##_avx2 : &name##_plain))
#else
#define KERN_CHOOSE(name) (&name##_plain)
#endif

/**
 * n elements of type t, `step` bytes apart (any sign; 0 repeats one), in foreign byte order if `swapped`, as
 * contiguous elements of a work type: in buf (n elements), or in place if no conversion is needed. float16 to
 * float32 through F16C if available. Values are converted as by convert(), NARROW_SATURATE.
 */
extern const void *kern_load(
        enum dtype work, void *buf, enum dtype t, bool swapped, const void *src, long step, long n);

/**
 * The reverse: n contiguous elements of a work type to elements of type t, `step` bytes apart. Returns how
 * many values t could not hold (see convert()). `stream`: bypass the cache if the destination is contiguous,
 * for outputs far larger than it; call kern_fence() after the last.
 */
extern long kern_store(enum dtype t, bool swapped, void *dst, long step, enum dtype work, const void *src,
        long n, enum narrow mode, bool stream);
extern void kern_fence(void);

/** Copies bytes, bypassing the cache: what kern_store() does with `stream` if no conversion is needed. */
extern void kern_stream(void *dst, const void *src, size_t bytes);

/** How many of n real elements (of a work type) are outside the real domain of op (NaN does not count); POW:
 * of pairs. */
extern long kern_domain(enum op op, enum dtype work, long n, const void *a, const void *b, unsigned scalar);

/** A reduction in progress. */
struct kern_acc {
	union {
		double f[2]; // sums of float and complex types, min and max of floats
		int64_t i;
		uint64_t u;
		__int128 wide; // sums and products of integers
	} v;
	long at;    // ARGMIN, ARGMAX: element number; -1 = none yet. DOT of integers: the sum is wide + at
	            // 2^128; PROD of integers: the product modulo 2^64
	long count; // elements seen
};

/** acc = the reduction of no elements. */
extern void kern_reduce_start(enum reduction r, enum dtype work, struct kern_acc *acc);

/**
 * Continues acc with n contiguous elements; a[0] has the number `first` (for ARG*). Inside, sums run in 16
 * lanes by element number modulo 16 and are added in a fixed tree: the same bits on every instruction set.
 * The caller's partition into calls must not depend on the number of threads. b: DOT only. scalar as in
 * kern_fn.
 */
extern void kern_reduce(enum reduction r, enum dtype work, struct kern_acc *acc, long first, long n,
        const void *a, const void *b, unsigned scalar);

/** Whether kern_reduce_of() can reduce the results of `inner`: SUM, NORM and NORM1 of ADD, SUB, MUL and
 * MULADD of floats. */
extern bool kern_reduces(enum reduction r, enum op inner, enum dtype work);

/** kern_reduce() of inner(a, b, c), which is not stored; the same bits. */
extern void kern_reduce_of(enum reduction r, enum op inner, enum dtype work, struct kern_acc *acc, long n,
        const void *a, const void *b, const void *c, unsigned scalar);

/** acc = acc combined with next. */
extern void kern_reduce_merge(
        enum reduction r, enum dtype work, struct kern_acc *acc, const struct kern_acc *next);

/** The result, an element of the type op_types.value of reduction_types(). Of no elements: sum 0, mean, min
 * and max NaN (0 for integers), ARG* -1. */
extern void kern_reduce_value(enum reduction r, enum dtype work, const struct kern_acc *acc, void *value);

/** The same, with that rule for integer sums and products that exceed 64 bits: returns 1 then, else 0.
 */
extern int kern_reduce_narrow(
        enum reduction r, enum dtype work, const struct kern_acc *acc, enum narrow mode, void *value);

#endif
