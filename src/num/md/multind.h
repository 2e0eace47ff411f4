#ifndef NUM_MD_MULTIND_H
#define NUM_MD_MULTIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "misc/dtype.h"

/**
 * Dims, strides and moving strided data. Conventions of the whole library:
 *   D      number of dims, 0..DIMS        dims[D]  lengths [elements], dim 0 fastest
 *   strs   steps [bytes]; 0 repeats an element along a dim, negative steps flip the dim
 *   flags  set of dims: bit i is dim i
 *   size   bytes of an element, any
 * Outputs come first. Functions md_foo() take contiguous arrays, functions md_foo2() any strides. All arrays
 * of a call are on one device, except in copies. An output may be identical to an input, but must not overlap
 * it otherwise. An output has no step 0 along a dim longer than 1. If a dim has length 0, the functions do
 * nothing.
 */

/* ---- dims and strides ---- */

extern long md_calc_size(int D, const long dims[]); // number of elements; error() on overflow
extern void md_calc_strides(int D, long strs[], const long dims[], size_t size); // 0 where dims[i] == 1
/** Computes the steps of a contiguous array of the dims in flags. The other steps are 0. */
extern void md_calc_strides_selected(int D, unsigned long flags, long strs[], const long dims[], size_t size);
extern long md_calc_offset(int D, const long strs[], const long pos[]);
/** Returns the number of leading dims that are contiguous in memory. */
extern int md_calc_blockdim(int D, const long dims[], const long strs[], size_t size);

extern void md_copy_dims(int D, long out[], const long in[]);
extern void md_copy_strides(int D, long out[], const long in[]);
extern void md_copy_order(int D, int out[], const int in[]);
extern void md_set_dims(int D, long dims[], long value);
extern void md_singleton_dims(int D, long dims[]);    // all 1
extern void md_singleton_strides(int D, long strs[]); // all 0
extern void md_select_dims(
        int D, unsigned long flags, long out[], const long in[]); // 1 where the flag is not set
extern void md_select_strides(
        int D, unsigned long flags, long out[], const long in[]); // 0 where the flag is not set
/** Sets out[i] to b[i] if a[i] is 1, else to a[i]. Different lengths are an error() if neither is 1. */
extern void md_merge_dims(int D, long out[], const long a[], const long b[]);
/** Along the dims in flags, out[i] is the smaller or larger of a[i] and b[i], otherwise a[i]. */
extern void md_min_dims(int D, unsigned long flags, long out[], const long a[], const long b[]);
extern void md_max_dims(int D, unsigned long flags, long out[], const long a[], const long b[]);
/** Sets out[i] = in[order[i]], for dims or strides. The function md_transpose_dims() exchanges two dims. */
extern void md_permute_dims(int D, const int order[], long out[], const long in[]);
extern void md_transpose_dims(int D, int d1, int d2, long out[], const long in[]);
extern unsigned long md_permute_flags(int D, const int order[], unsigned long flags); // bit i = bit order[i]
extern void md_permute_invert(int D, int inverse[], const int order[]);
extern unsigned long md_nontriv_dims(int D, const long dims[]);    // dims that are not 1
extern unsigned long md_nontriv_strides(int D, const long strs[]); // dims with steps that are not 0
/** Returns whether the address ranges overlap, including gaps between elements. */
extern bool md_overlap(int Da, const long adims[], const long astrs[], const void *a, int Db,
        const long bdims[], const long bstrs[], const void *b, size_t size);

/* ---- checks: true if passed ---- */

extern bool md_check_dimensions(int D, const long dims[], unsigned long flags); // 1 where the flag is not set
/** Returns whether the lengths are equal along all dims. Along the dims in flags, one length may be 1. */
extern bool md_check_compat(int D, unsigned long flags, const long a[], const long b[]);
/** Returns whether the lengths are equal along all dims. Along the dims in flags, a[i] < b[i] is also
 * allowed. */
extern bool md_check_bounds(int D, unsigned long flags, const long a[], const long b[]);
extern bool md_check_equal_dims(int D, const long a[], const long b[], unsigned long flags);
extern bool md_check_broadcast(int D, const long out[], const long in[]); // in[i] == out[i] or 1
extern bool md_check_order_bounds(int D, const int order[]);              // each of 0..D-1 once
extern bool md_check_equal_order(int D, const int a[], const int b[]);

/* ---- indices ---- */

extern bool md_is_index(int D, const long pos[], const long dims[]); // 0 <= pos[i] < dims[i]
extern int md_max_idx(unsigned long flags);                          // highest dim in flags, or -1
extern int md_min_idx(unsigned long flags);                          // lowest dim, or -1
/** Returns the linear index of pos along the dims in flags, dim 0 fastest. The inverse, md_unravel_index(),
 * sets pos along these dims only. In forms with _permuted, dim order[0] is the fastest. */
extern long md_ravel_index(int D, const long pos[], unsigned long flags, const long dims[]);
extern void md_unravel_index(int D, long pos[], unsigned long flags, const long dims[], long index);
extern long md_ravel_index_permuted(
        int D, const long pos[], unsigned long flags, const long dims[], const int order[]);
extern void md_unravel_index_permuted(
        int D, long pos[], unsigned long flags, const long dims[], long index, const int order[]);
/** Converts a linear index along the dims in `source` to an index along the dims in `target`. */
extern long md_reravel_index(
        int D, unsigned long target, unsigned long source, const long dims[], long index);

/* ---- loops ---- */

/** Advances pos along the dims in flags. After the last position, sets pos to 0 along these dims and returns
 * false. For md_next_permuted(), dim order[0] is the fastest. */
extern bool md_next(int D, const long dims[], unsigned long flags, long pos[]);
extern bool md_next_permuted(int D, const int order[], const long dims[], unsigned long flags, long pos[]);

/** Calls fn for every position. For md_parallel_loop(), several threads call fn in any order. */
typedef void md_loop_fn(void *ctx, const long pos[]);
extern void md_loop(int D, const long dims[], md_loop_fn *fn, void *ctx);
extern void md_parallel_loop(int D, const long dims[], md_loop_fn *fn, void *ctx);

/** Simplifies a loop over N strided arrays in place. Returns the new number of dims. Dims of length 1 are
 * dropped. Dims are sorted by the steps of the first array, then of the others, smallest first. Neighbouring
 * dims are merged if every array allows it. Array k has steps strs[k]. */
extern int md_simplify(int N, int D, long dims[], long (*strs)[DIMS]);

/** Calls fn(ctx, n, inner, ptr) for pieces of lines of N <= MD_NARY arrays. A piece has n elements along the
 * merged innermost dim. In array k, the piece begins at ptr[k], with steps inner[k] [bytes]. The pieces do
 * not depend on the number of threads. With `parallel`, several threads call fn. */
enum { MD_NARY = 4 };
typedef void md_line_fn(void *ctx, long n, const long inner[], char *const ptr[]);
extern void md_nary(int N, int D, const long dims[], const long *const strs[], void *const ptr[],
        md_line_fn *fn, void *ctx, bool parallel);

/** Transforms every line along the dims in flags, dim by dim, with several threads. The function fn
 * transforms one line of n elements, `step` bytes apart, in place. */
typedef void md_trafo_fn(void *ctx, long n, long step, void *line);
extern void md_septrafo(
        int D, const long dims[], unsigned long flags, void *ptr, size_t size, md_trafo_fn *fn, void *ctx);
extern void md_septrafo2(int D, const long dims[], unsigned long flags, const long strs[], void *ptr,
        md_trafo_fn *fn, void *ctx);

/* ---- memory ---- */

extern void *md_alloc(int D, const long dims[], size_t size);
extern void *md_calloc(int D, const long dims[], size_t size);
extern void *md_alloc_sameplace(int D, const long dims[], size_t size, const void *ref);
extern bool md_is_sameplace(const void *a, const void *b);
extern void md_free(const void *p);

/* ---- moving data ---- */

extern void md_clear(int D, const long dims[], void *out, size_t size);
extern void md_clear2(int D, const long dims[], const long ostrs[], void *out, size_t size);
extern void md_fill(int D, const long dims[], void *out, const void *value, size_t size);
extern void md_fill2(int D, const long dims[], const long ostrs[], void *out, const void *value, size_t size);
extern void md_copy(int D, const long dims[], void *out, const void *in, size_t size);
/** Copies between arrays with any strides. */
extern void md_copy2(int D, const long dims[], const long ostrs[], void *out, const long istrs[],
        const void *in, size_t size);
extern bool md_compare(
        int D, const long dims[], const void *a, const void *b, size_t size); // bytes are equal
extern bool md_compare2(int D, const long dims[], const long astrs[], const void *a, const long bstrs[],
        const void *b, size_t size);

/** Copies the diagonal along the dims in flags, for all positions along the other dims. The function
 * md_fill_diag() sets the diagonal to a value. Different lengths of the dims in flags are an error(). */
extern void md_copy_diag(
        int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size);
extern void md_copy_diag2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);
extern void md_fill_diag(
        int D, const long dims[], unsigned long flags, void *out, const void *value, size_t size);

/** Exchanges the elements of two arrays. The function md_circular_swap() moves ptr[k + 1] to ptr[k], and
 * ptr[0] to the last array. */
extern void md_swap(int D, const long dims[], void *a, void *b, size_t size);
extern void md_swap2(
        int D, const long dims[], const long astrs[], void *a, const long bstrs[], void *b, size_t size);
extern void md_circular_swap(int M, int D, const long dims[], void *const ptr[], size_t size);
extern void md_circular_swap2(
        int M, int D, const long dims[], const long *const strs[], void *const ptr[], size_t size);
/** Exchanges two arrays and flips both along the dims in flags. If a == b, flips in place. */
extern void md_swap_flip(int D, const long dims[], unsigned long flags, void *a, void *b, size_t size);
extern void md_swap_flip2(int D, const long dims[], unsigned long flags, const long astrs[], void *a,
        const long bstrs[], void *b, size_t size);

/** Reverses the order along the dims in flags, in place if out == in. */
extern void md_flip(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size);
extern void md_flip2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);

/** Copies dim order[i] of the input to dim i of the output. The function md_transpose() exchanges two dims.
 * Output dims that do not fit are an error(). */
extern void md_permute(int D, const int order[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_permute2(int D, const int order[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);
extern void md_transpose(int D, int d1, int d2, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_transpose2(int D, int d1, int d2, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Copies the elements, dim 0 fastest, to an array with other lengths along the dims in flags. The other dims
 * and the number of elements must not change, else error(). */
extern void md_reshape(int D, unsigned long flags, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_reshape2(int D, unsigned long flags, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Copies the elements at position pos along the dims in flags. The output has length 1 along these dims. */
extern void md_slice(int D, unsigned long flags, const long pos[], const long dims[], void *out,
        const void *in, size_t size);
extern void md_slice2(int D, unsigned long flags, const long pos[], const long dims[], const long ostrs[],
        void *out, const long istrs[], const void *in, size_t size);
/** Copies a block between a larger and a smaller array. Along dims in which the input is longer, the block
 * begins at pos in the input. Along other dims, the block begins at pos in the output. */
extern void md_copy_block(int D, const long pos[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_copy_block2(int D, const long pos[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);
/** Copies a block of dims[] elements from ipos of the input to opos of the output. A block that exceeds an
 * array is an error(). */
extern void md_move_block(int D, const long dims[], const long opos[], const long odims[], void *out,
        const long ipos[], const long idims[], const void *in, size_t size);
extern void md_move_block2(int D, const long dims[], const long opos[], const long odims[],
        const long ostrs[], void *out, const long ipos[], const long idims[], const long istrs[],
        const void *in, size_t size);

/** Truncates or zero-pads at the end. With md_resize_front(), the front changes instead. With
 * md_resize_center(), both ends change, and element n / 2 becomes element n' / 2. */
extern void md_resize(int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_resize_front(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_resize_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
/** Pads with a value, at the end or about the centre. An output shorter than the input is an error(). */
extern void md_pad(int D, const void *value, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_pad_center(int D, const void *value, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
/** Pads about the centre with mirror images: c b a | a b c | c b a. */
extern void md_reflectpad_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_reflectpad_center2(int D, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Moves element i to (i + shift) modulo n. */
extern void md_circ_shift(
        int D, const long dims[], const long shift[], void *out, const void *in, size_t size);
extern void md_circ_shift2(int D, const long dims[], const long shift[], const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);
/** Sets out[i] = in[i modulo n]. For md_circ_ext(), output lengths outside `[n, 2 n]` are an error(). */
extern void md_periodic(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_periodic2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size);
extern void md_circ_ext(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_circ_ext2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size);

/** Stores a contiguous mask as bits. Bit i % 32 of words[i / 32] is set if element i is not 0. A mask of n
 * elements has (n + 31) / 32 words. The function md_mask_decompress() writes 1 and 0. */
extern void md_mask_compress(int D, const long dims[], uint32_t words[], const float *mask);
extern void md_mask_decompress(int D, const long dims[], float *mask, const uint32_t words[]);

#endif
