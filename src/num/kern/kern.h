#ifndef NUM_KERN_KERN_H
#define NUM_KERN_KERN_H

#include <string.h>

#include <stdint.h>

#include "num/kern/convert.h"
#include "num/kern/ops.h"

/**
 * The inner loops of the CPU back end: one kernel per operator and work type (num/kern/ops.h), over short
 * contiguous lines in the first-level cache. The source is written once, compiled for AVX-512, AVX2 and the
 * baseline, and chosen at run time; element-wise results and reductions are bit-identical for all three. md_
 * functions, arrays and expressions use these kernels. No kernel allocates or starts threads.
 */

/** Expressions are computed in blocks of KERN_BLOCK elements, so that several operands fit into the
 * first-level cache. */
enum { KERN_BLOCK = 512 };

/**
 * out[i] = op(a[i], b[i], c[i]) for i in 0..n-1. Bit k of `scalar`: operand k is a single element, repeated.
 * Missing operands are NULL. out equals an operand exactly or overlaps none.
 */
typedef void kern_fn(long n, void *out, const void *a, const void *b, const void *c, unsigned scalar);

/** The kernel of op for a work type; NULL if op_types() does not allow this type. The first call determines
 * the features of the CPU. */
extern kern_fn *kern_op(enum op op, enum dtype work);

/** Like kern_op(), but results that exceed the work type follow rule `mode`. For NARROW_WRAP and work types
 * int64 and uint64, the kernel computes modulo 2^64; otherwise the kernel is that of kern_op(). */
extern kern_fn *kern_op_as(enum op op, enum dtype work, enum narrow mode);

/** The number of results of op, out of n, that exceed the work type, i.e. that kern_op() saturates. 0 except
 * for int64 and uint64. */
extern long kern_overflow(
        enum op op, enum dtype work, long n, const void *a, const void *b, const void *c, unsigned scalar);

/** One kernel for op(inner(operands of inner)), with results bit-identical to those of two kernels; NULL if
 * there is none. Such kernels exist for exp(-x) and -log(x) of floats (the Beer-Lambert law in both
 * directions). */
extern kern_fn *kern_op_of(enum op op, enum op inner, enum dtype work);

/** The chosen instruction set: "avx512", "avx2" or "plain". GANTRY_ISA=plain|avx2 in the environment selects
 * an older one (for tests). */
extern const char *kern_isa(void);

/** The address of NAME_avx512, NAME_avx2 or NAME_plain (a table or a function) for the chosen instruction
 * set. */
#ifdef __x86_64__
#define KERN_CHOOSE(name)                                                                                    \
	(0 == strcmp(kern_isa(), "avx512")                                                                   \
	                ? &name##_avx512                                                                     \
	                : (0 == strcmp(kern_isa(), "avx2") ? &name##_avx2 : &name##_plain))
#else
#define KERN_CHOOSE(name) (&name##_plain)
#endif

/**
 * Loads n elements of type t, `step` bytes apart (any sign; 0 repeats an element), in foreign byte order if
 * `swapped`, as contiguous elements of a work type. The result is in buf (n elements), or in place if no
 * conversion is needed. float16 is converted by F16C instructions if available. Values are converted as by
 * convert(), NARROW_SATURATE.
 */
extern const void *kern_load(
        enum dtype work, void *buf, enum dtype t, bool swapped, const void *src, long step, long n);

/**
 * Stores n contiguous elements of a work type as elements of type t, `step` bytes apart. Returns the number
 * of values that t cannot hold (see convert()). `stream`: bypass the cache if the destination is contiguous,
 * for outputs far larger than the cache; call kern_fence() after the last store.
 */
extern long kern_store(enum dtype t, bool swapped, void *dst, long step, enum dtype work, const void *src,
        long n, enum narrow mode, bool stream);
extern void kern_fence(void);

/** Copies bytes and bypasses the cache, like a kern_store() with `stream` that needs no conversion. */
extern void kern_stream(void *dst, const void *src, size_t bytes);

/** The number of real elements, out of n of a work type, that are outside the real domain of op; NaN is not
 * counted. For POW, counts pairs (a[i], b[i]). */
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

/** Sets acc to the reduction of no elements. */
extern void kern_reduce_start(enum reduction r, enum dtype work, struct kern_acc *acc);

/**
 * Adds n contiguous elements to acc; a[0] is element number `first` (for ARG*). Sums have 16 lanes: a[i] is
 * added to lane i modulo 16. The lanes are then added in a fixed tree, so results are bit-identical on every
 * instruction set. The partition into calls must not depend on the number of threads. b: for DOT only.
 * scalar: as in kern_fn.
 */
extern void kern_reduce(enum reduction r, enum dtype work, struct kern_acc *acc, long first, long n,
        const void *a, const void *b, unsigned scalar);

/** Whether kern_reduce_of() can reduce the results of `inner`: SUM, NORM and NORM1 of ADD, SUB, MUL and
 * MULADD of floats. */
extern bool kern_reduces(enum reduction r, enum op inner, enum dtype work);

/** kern_reduce() of the results of inner(a, b, c), which are not stored. acc is bit-identical to that of
 * separate steps. */
extern void kern_reduce_of(enum reduction r, enum op inner, enum dtype work, struct kern_acc *acc, long n,
        const void *a, const void *b, const void *c, unsigned scalar);

/** acc = acc combined with next. */
extern void kern_reduce_merge(
        enum reduction r, enum dtype work, struct kern_acc *acc, const struct kern_acc *next);

/** Writes the result: one element of type t.value, where t is set by reduction_types(). For no elements: sum
 * 0; mean, min and max NaN (0 for integers); ARG* -1. */
extern void kern_reduce_value(enum reduction r, enum dtype work, const struct kern_acc *acc, void *value);

/** Like kern_reduce_value(), but integer sums and products that exceed 64 bits follow rule `mode`. Returns 1
 * if the result exceeds 64 bits, else 0. */
extern int kern_reduce_narrow(
        enum reduction r, enum dtype work, const struct kern_acc *acc, enum narrow mode, void *value);

#endif
