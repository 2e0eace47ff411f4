#ifndef NUM_KERN_KERN_INTERNAL_H
#define NUM_KERN_KERN_INTERNAL_H

#include "num/kern/kern.h"

/** Kernels compiled for one instruction set, from src/num/kern/kern_impl.inc. */

/** Rows of the tables, by work type (dtype_work()). */
enum {
	WORK_BOOL,
	WORK_INT64,
	WORK_UINT64,
	WORK_FLOAT32,
	WORK_FLOAT64,
	WORK_COMPLEX64,
	WORK_COMPLEX128,
	WORKS
};

/** Like kern_reduce(), for n > 0. */
typedef void kern_reduce_fn(
        struct kern_acc *acc, long first, long n, const void *a, const void *b, unsigned scalar);

/** Like kern_reduce_of(), for n > 0. */
typedef void kern_reduce_of_fn(
        struct kern_acc *acc, long n, const void *a, const void *b, const void *c, unsigned scalar);

enum { INNER_ADD, INNER_SUB, INNER_MUL, INNER_MULADD, INNERS };
enum { OUTER_SUM, OUTER_NORM, OUTER_NORM1, OUTERS };

/** Converts n < 2^31 contiguous elements between real types, like convert() with NARROW_SATURATE. Returns
 * the number of values that did not fit. */
typedef long kern_line_fn(long n, void *out, const void *in);

enum { REAL_TYPES = DT_FLOAT64 + 1 };

struct kern_set {
	const char *name;
	kern_fn *const *op[WORKS];            // [OP_COUNT]
	kern_fn *const *wrapped[2];           // int64, uint64 modulo 2^64; NULL if never out of range
	kern_fn *const *leaves[2];            // int64, uint64: bytes, 1 where the result is out of range
	kern_reduce_fn *const *reduce[WORKS]; // [RED_COUNT_OF]
	kern_fn *exp_minus[2], *minus_log[2]; // float32, float64
	kern_reduce_of_fn *const (*reduce_of[2])[INNERS]; // float32, float64; [OUTERS][INNERS]
	kern_line_fn *const (*line)[REAL_TYPES];          // [from][to]; NULL means use convert()
	void (*swap)(size_t unit, void *p, long n);       // reverses the bytes of n units
	void (*stream)(
	        char *dst, const char *src, size_t count); // 64-byte lines, bypassing the cache; dst aligned
};

/** Kernels for AVX2 and AVX-512 exist only on x86-64. */
extern const struct kern_set kern_set_plain, kern_set_avx2, kern_set_avx512;

/** Returns the chosen set of kernels. */
extern const struct kern_set *kern_set(void);

/** Lists the sets that this machine supports, best first. Returns their number. */
extern int kern_sets(const struct kern_set *sets[3]);

/** Returns the row of a work type, or -1 for other types. */
static inline int kern_row(enum dtype work)
{
	switch (work) {
	case DT_BOOL:
		return WORK_BOOL;
	case DT_INT64:
		return WORK_INT64;
	case DT_UINT64:
		return WORK_UINT64;
	case DT_FLOAT32:
		return WORK_FLOAT32;
	case DT_FLOAT64:
		return WORK_FLOAT64;
	case DT_COMPLEX64:
		return WORK_COMPLEX64;
	case DT_COMPLEX128:
		return WORK_COMPLEX128;
	default:
		return -1;
	}
}

#endif
