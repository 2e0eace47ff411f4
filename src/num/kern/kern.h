#ifndef NUM_KERN_KERN_H
#define NUM_KERN_KERN_H

#include <string.h>

#include <stdint.h>

#include "num/kern/convert.h"
#include "num/kern/ops.h"

/**
 * Inner loops of the CPU back end, with one kernel per operator and work type (num/kern/ops.h). Kernels
 * process short contiguous lines in the first-level cache. Kernels for AVX-512, AVX2 and the baseline are
 * chosen at run time. Results are bit-identical on every instruction set. No kernel allocates memory or
 * starts threads.
 */

/** Number of elements in a block of an expression. Blocks of several operands fit into the first-level
 * cache. */
enum { KERN_BLOCK = 512 };

/**
 * Computes out[i] = op(a[i], b[i], c[i]) for i in 0..n-1. If bit k of `scalar` is set, operand k is a single
 * element. Missing operands are NULL. The output is one of the operands, or overlaps no operand.
 */
typedef void kern_fn(long n, void *out, const void *a, const void *b, const void *c, unsigned scalar);

/** Returns the kernel of op for a work type. Returns NULL if op_types() does not allow the type. */
extern kern_fn *kern_op(enum op op, enum dtype work);

/** Like kern_op(), but results that exceed the work type follow rule `mode`. With NARROW_WRAP, int64 and
 * uint64 are computed modulo 2^64. In other cases, the kernel is that of kern_op(). */
extern kern_fn *kern_op_as(enum op op, enum dtype work, enum narrow mode);

/** Returns how many of n results of op exceed the work type. In kern_op(), such results saturate. The
 * number is 0 for types other than int64 and uint64. */
extern long kern_overflow(
        enum op op, enum dtype work, long n, const void *a, const void *b, const void *c, unsigned scalar);

/** Returns one kernel for op(inner(x)), or NULL if there is none. Results are bit-identical to those of
 * two kernels. Kernels exist for exp(-x) and -log(x) of floats (Beer-Lambert law). */
extern kern_fn *kern_op_of(enum op op, enum op inner, enum dtype work);

/** Returns the chosen instruction set: "avx512", "avx2" or "plain". For tests, GANTRY_ISA=plain|avx2 in
 * the environment selects an older instruction set. */
extern const char *kern_isa(void);

/** Address of NAME_avx512, NAME_avx2 or NAME_plain for the chosen instruction set. NAME is a table or a
 * function. */
#ifdef __x86_64__
#define KERN_CHOOSE(name)                                                                                    \
	(0 == strcmp(kern_isa(), "avx512")                                                                   \
	                ? &name##_avx512                                                                     \
	                : (0 == strcmp(kern_isa(), "avx2") ? &name##_avx2 : &name##_plain))
#else
#define KERN_CHOOSE(name) (&name##_plain)
#endif

/**
 * Loads n elements of type t as contiguous elements of a work type. Elements are `step` bytes apart; 0
 * repeats an element, and negative steps are allowed. If `swapped`, the elements have foreign byte order.
 * Values are converted like convert() with NARROW_SATURATE. The result is in buf (n elements), or in place
 * if nothing needs conversion.
 */
extern const void *kern_load(
        enum dtype work, void *buf, enum dtype t, bool swapped, const void *src, long step, long n);

/**
 * Stores n contiguous elements of a work type as elements of type t, `step` bytes apart. Returns the number
 * of values that t cannot hold (see convert()). For outputs far larger than the cache, `stream` lets
 * contiguous stores bypass the cache. After the last such store, call kern_fence().
 */
extern long kern_store(enum dtype t, bool swapped, void *dst, long step, enum dtype work, const void *src,
        long n, enum narrow mode, bool stream);
extern void kern_fence(void);

/** Copies bytes and bypasses the cache, like kern_store() with `stream`. */
extern void kern_stream(void *dst, const void *src, size_t bytes);

/** Returns how many of n real elements are outside the real domain of op. NaN is not counted. For OP_POW,
 * pairs (a[i], b[i]) are counted. */
extern long kern_domain(enum op op, enum dtype work, long n, const void *a, const void *b, unsigned scalar);

/** A reduction in progress. */
struct kern_acc {
	union {
		double f[2]; // sums of floats and complex numbers, min and max of floats
		int64_t i;
		uint64_t u;
		__int128 wide; // sums and products of integers
	} v;
	long at; // ARGMIN, ARGMAX: element number; -1 means none yet. DOT of integers: the sum is wide + at
	         // 2^128. PROD of integers: the product modulo 2^64
	long count; // number of elements
};

/** Initialises `acc` as a reduction without elements. */
extern void kern_reduce_start(enum reduction r, enum dtype work, struct kern_acc *acc);

/**
 * Adds n contiguous elements to acc. For RED_ARGMIN and RED_ARGMAX, a[0] is element number `first`. Results
 * are bit-identical on every instruction set. Every call must add the same elements for any number of
 * threads. Only RED_DOT uses b. `scalar` is as in kern_fn.
 */
extern void kern_reduce(enum reduction r, enum dtype work, struct kern_acc *acc, long first, long n,
        const void *a, const void *b, unsigned scalar);

/** Returns whether kern_reduce_of() can reduce the results of `inner`. For floats, SUM, NORM and NORM1 of
 * ADD, SUB, MUL or MULADD are supported. */
extern bool kern_reduces(enum reduction r, enum op inner, enum dtype work);

/** Reduces the results of inner(a, b, c) without storing them. The reduction is bit-identical to separate
 * steps. */
extern void kern_reduce_of(enum reduction r, enum op inner, enum dtype work, struct kern_acc *acc, long n,
        const void *a, const void *b, const void *c, unsigned scalar);

/** Combines the reduction `next` into `acc`. */
extern void kern_reduce_merge(
        enum reduction r, enum dtype work, struct kern_acc *acc, const struct kern_acc *next);

/** Writes the result as one element of type t.value, where t is set by reduction_types(). Without
 * elements, a sum is 0, and RED_ARGMIN and RED_ARGMAX are -1. Without elements, mean, min and max are
 * NaN, or 0 for integers. */
extern void kern_reduce_value(enum reduction r, enum dtype work, const struct kern_acc *acc, void *value);

/** Like kern_reduce_value(), but integer sums and products beyond 64 bits follow rule `mode`. Returns 1 if
 * the result exceeds 64 bits, else 0. */
extern int kern_reduce_narrow(
        enum reduction r, enum dtype work, const struct kern_acc *acc, enum narrow mode, void *value);

#endif
