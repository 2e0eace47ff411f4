#ifndef NUM_MULTIND_H
#define NUM_MULTIND_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/dtype.h"

/**
 * Dims, strides, and moving strided data. Conventions of the whole library:
 *   D      number of dims, 0..DIMS        dims[D]  extents [elements], dim 0 fastest
 *   strs   steps [bytes]; 0 repeats an element along a dim, negative steps flip it
 *   size   bytes of an element
 * Outputs come first. md_foo(D, dims, ...) takes contiguous arrays, md_foo2() any strides. All arrays of a
 * call lie on one device, which is found from the address; outputs overlap no input except exactly.
 */

extern long md_calc_size(int D, const long dims[]);
extern void md_calc_strides(int D, long strs[], const long dims[], size_t size); // 0 where dims[i] == 1
extern long md_calc_offset(int D, const long strs[], const long pos[]);
extern void md_copy_dims(int D, long out[], const long in[]);
extern void md_set_dims(int D, long dims[], long value);
extern void md_singleton_dims(int D, long dims[]);
extern void md_select_dims(
        int D, unsigned long flags, long out[], const long in[]); // 1 where the flag is not set
extern bool md_check_equal_dims(int D, const long a[], const long b[], unsigned long flags);
extern bool md_check_broadcast(int D, const long out[], const long in[]); // in[i] == out[i] or 1

/** Advances pos over the dims in flags; false after the last. */
extern bool md_next(int D, const long dims[], unsigned long flags, long pos[]);

/**
 * The normal form of a strided loop over N operands: unit dims dropped, dims sorted by the strides of the
 * operands (first operand first, smallest step innermost), flipped where every step is negative is kept,
 * neighbours merged where every operand allows it. Changes dims and strs (N arrays of D steps) in place,
 * returns the new D.
 */
extern int md_simplify(int N, int D, long dims[], long (*strs)[DIMS]);

/** Calls fn(ctx, n, inner, ptr) for every piece of an innermost line of the loop over N <= MD_NARY operands:
 * n elements along the merged innermost dim, ptr[N] its first elements, steps inner[N] [bytes]. Long lines
 * come in pieces; with `parallel` pieces are distributed over threads, and where they are cut does not depend
 * on the number of threads. */
enum { MD_NARY = 4 };
typedef void md_line_fn(void *ctx, long n, const long inner[], char *const ptr[]);
extern void md_nary(int N, int D, const long dims[], const long *const strs[], void *const ptr[],
        md_line_fn *fn, void *ctx, bool parallel);

extern void *md_alloc(int D, const long dims[], size_t size);
extern void *md_calloc(int D, const long dims[], size_t size);
extern void *md_alloc_sameplace(int D, const long dims[], size_t size, const void *ref);
extern bool md_is_sameplace(const void *a, const void *b);
extern void md_free(const void *p);

extern void md_clear(int D, const long dims[], void *out, size_t size);
extern void md_clear2(int D, const long dims[], const long ostrs[], void *out, size_t size);
extern void md_fill(int D, const long dims[], void *out, const void *value, size_t size);
extern void md_fill2(int D, const long dims[], const long ostrs[], void *out, const void *value, size_t size);
extern void md_copy(int D, const long dims[], void *out, const void *in, size_t size);
/** Any strides, blocked where the fastest dims of in and out differ (transposition). */
extern void md_copy2(int D, const long dims[], const long ostrs[], void *out, const long istrs[],
        const void *in, size_t size);
extern void md_transpose(int D, int d1, int d2, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_permute(int D, const int order[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_flip(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size);
extern void md_slice(int D, unsigned long flags, const long pos[], const long dims[], void *out,
        const void *in, size_t size);
extern void md_copy_block(int D, const long pos[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
/** Cut or zero-pad at the end; _center keeps element n/2 at n'/2. */
extern void md_resize(int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_resize_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_circ_shift(
        int D, const long dims[], const long shift[], void *out, const void *in, size_t size);
extern bool md_compare(int D, const long dims[], const void *a, const void *b, size_t size);

#endif
