#ifndef NUM_MD_MULTIND_H
#define NUM_MD_MULTIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "misc/dtype.h"

/**
 * Dims, strides, and moving strided data. Conventions of the whole library:
 *   D      number of dims, 0..DIMS        dims[D]  extents [elements], dim 0 fastest
 *   strs   steps [bytes]; 0 repeats an element along a dim, negative steps flip it
 *   flags  bit i stands for dim i
 *   size   bytes of an element, any
 * Outputs come first. md_foo(D, dims, ...) takes contiguous arrays, md_foo2() any strides. All arrays of a
 * call reside on one device, which is determined from their addresses. An output may be identical to an
 * input, but may not overlap it otherwise, and has no step of 0 along a dim longer than 1. With a dim of
 * length 0, the functions do nothing.
 */

/* ---- dims and strides ---- */

extern long md_calc_size(int D, const long dims[]); // elements; error() on overflow
extern void md_calc_strides(int D, long strs[], const long dims[], size_t size); // 0 where dims[i] == 1
/** Steps of a contiguous array of the dims in flags; 0 for the others. */
extern void md_calc_strides_selected(int D, unsigned long flags, long strs[], const long dims[], size_t size);
extern long md_calc_offset(int D, const long strs[], const long pos[]);
/** The number of leading dims that are contiguous in memory, in order. */
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
/** out[i] = whichever of a[i] and b[i] is not 1; error() if both are not 1 and differ. */
extern void md_merge_dims(int D, long out[], const long a[], const long b[]);
/** md_min_dims(): the smaller of a[i] and b[i] along the dims in flags, else a[i]; md_max_dims(): the larger.
 */
extern void md_min_dims(int D, unsigned long flags, long out[], const long a[], const long b[]);
extern void md_max_dims(int D, unsigned long flags, long out[], const long a[], const long b[]);
/** out[i] = in[order[i]], also for strides; transpose: exchanges two dims. */
extern void md_permute_dims(int D, const int order[], long out[], const long in[]);
extern void md_transpose_dims(int D, int d1, int d2, long out[], const long in[]);
extern unsigned long md_permute_flags(int D, const int order[], unsigned long flags); // bit i = bit order[i]
extern void md_permute_invert(int D, int inverse[], const int order[]);
extern unsigned long md_nontriv_dims(int D, const long dims[]);    // those that are not 1
extern unsigned long md_nontriv_strides(int D, const long strs[]); // those that are not 0
/** Whether the address ranges overlap, including gaps between elements. */
extern bool md_overlap(int Da, const long adims[], const long astrs[], const void *a, int Db,
        const long bdims[], const long bstrs[], const void *b, size_t size);

/* ---- checks: true when all is well ---- */

extern bool md_check_dimensions(int D, const long dims[], unsigned long flags); // 1 where the flag is not set
/** Whether the lengths are equal along all dims; along the dims in flags, one of them may be 1. */
extern bool md_check_compat(int D, unsigned long flags, const long a[], const long b[]);
/** Whether the lengths are equal along all dims; along the dims in flags, a[i] <= b[i] suffices. */
extern bool md_check_bounds(int D, unsigned long flags, const long a[], const long b[]);
extern bool md_check_equal_dims(int D, const long a[], const long b[], unsigned long flags);
extern bool md_check_broadcast(int D, const long out[], const long in[]); // in[i] == out[i] or 1
extern bool md_check_order_bounds(int D, const int order[]);              // each of 0..D-1 once
extern bool md_check_equal_order(int D, const int a[], const int b[]);

/* ---- indices ---- */

extern bool md_is_index(int D, const long pos[], const long dims[]); // 0 <= pos[i] < dims[i]
extern int md_max_idx(unsigned long flags);                          // the highest dim in flags, -1 = none
extern int md_min_idx(unsigned long flags);                          // the lowest
/** md_ravel_index() returns the linear index of position pos along the dims in flags, dim 0 fastest.
 * md_unravel_index() sets pos along these dims only. _permuted: dim order[0] fastest. */
extern long md_ravel_index(int D, const long pos[], unsigned long flags, const long dims[]);
extern void md_unravel_index(int D, long pos[], unsigned long flags, const long dims[], long index);
extern long md_ravel_index_permuted(
        int D, const long pos[], unsigned long flags, const long dims[], const int order[]);
extern void md_unravel_index_permuted(
        int D, long pos[], unsigned long flags, const long dims[], long index, const int order[]);
/** Converts the linear index of a position along the dims in `source` to its linear index along the dims in
 * `target`. */
extern long md_reravel_index(
        int D, unsigned long target, unsigned long source, const long dims[], long index);

/* ---- loops ---- */

/** Advances pos along the dims in flags. After the last position, returns false and sets pos to 0 along these
 * dims. _permuted: dim order[0] fastest. */
extern bool md_next(int D, const long dims[], unsigned long flags, long pos[]);
extern bool md_next_permuted(int D, const int order[], const long dims[], unsigned long flags, long pos[]);

/** Calls fn for every position. md_parallel_loop() calls fn() from several threads, in any order. */
typedef void md_loop_fn(void *ctx, const long pos[]);
extern void md_loop(int D, const long dims[], md_loop_fn *fn, void *ctx);
extern void md_parallel_loop(int D, const long dims[], md_loop_fn *fn, void *ctx);

/**
 * Simplifies a strided loop over N operands. Unit dims are dropped, and dims with only negative steps are
 * flipped. Dims are sorted by the strides of the first operand, then of the others, the smallest innermost.
 * Neighbouring dims are merged if every operand allows it. Changes dims and strs (N arrays of D steps) in
 * place, returns the new D.
 */
extern int md_simplify(int N, int D, long dims[], long (*strs)[DIMS]);

/** Calls fn(ctx, n, inner, ptr) for pieces of the innermost lines of a loop over N <= MD_NARY operands. A
 * piece has n elements along the merged innermost dim. ptr[N]: addresses of the first elements; inner[N]:
 * steps [bytes]. Long lines are divided into pieces, independent of the number of threads; with `parallel`,
 * the pieces are distributed over threads. */
enum { MD_NARY = 4 };
typedef void md_line_fn(void *ctx, long n, const long inner[], char *const ptr[]);
extern void md_nary(int N, int D, const long dims[], const long *const strs[], void *const ptr[],
        md_line_fn *fn, void *ctx, bool parallel);

/** Applies a transform of one line (n elements, `step` bytes apart, in place) to every line along each of the
 * dims in flags in turn, from several threads. */
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
/** Copies with any strides, in blocks if the fastest dims of in and out differ (transposition). */
extern void md_copy2(int D, const long dims[], const long ostrs[], void *out, const long istrs[],
        const void *in, size_t size);
extern bool md_compare(
        int D, const long dims[], const void *a, const void *b, size_t size); // bytes are equal
extern bool md_compare2(int D, const long dims[], const long astrs[], const void *a, const long bstrs[],
        const void *b, size_t size);

/** Copies the diagonal along the dims in flags from `in` to out, for all positions along the other dims;
 * fill: sets the diagonal to a value. error() if the dims in flags differ. */
extern void md_copy_diag(
        int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size);
extern void md_copy_diag2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);
extern void md_fill_diag(
        int D, const long dims[], unsigned long flags, void *out, const void *value, size_t size);

/** Exchanges the elements of two arrays; circular: the elements of ptr[k + 1] move to ptr[k], and the
 * elements of ptr[0] to the last one of M arrays. */
extern void md_swap(int D, const long dims[], void *a, void *b, size_t size);
extern void md_swap2(
        int D, const long dims[], const long astrs[], void *a, const long bstrs[], void *b, size_t size);
extern void md_circular_swap(int M, int D, const long dims[], void *const ptr[], size_t size);
extern void md_circular_swap2(
        int M, int D, const long dims[], const long *const strs[], void *const ptr[], size_t size);
/** Exchange and flip along the dims in flags: a becomes the flipped b and b the flipped a. a == b: in place.
 */
extern void md_swap_flip(int D, const long dims[], unsigned long flags, void *a, void *b, size_t size);
extern void md_swap_flip2(int D, const long dims[], unsigned long flags, const long astrs[], void *a,
        const long bstrs[], void *b, size_t size);

/** Reverses the order along the dims in flags; in place if out == in. */
extern void md_flip(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size);
extern void md_flip2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);

/** Dim i of the output is dim order[i] of the input; transpose: exchanges two dims. error() if odims are not
 * those of the permuted input. */
extern void md_permute(int D, const int order[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_permute2(int D, const int order[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);
extern void md_transpose(int D, int d1, int d2, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_transpose2(int D, int d1, int d2, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Copies the elements in order (dim 0 fastest) to an array with other extents along the dims in flags.
 * error() if other dims differ. The copy takes one pass if the extents have common factors, else it uses a
 * temporary copy. */
extern void md_reshape(int D, unsigned long flags, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_reshape2(int D, unsigned long flags, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Copies the block of `in` at position pos along the dims in flags, with extent 1 along these dims. */
extern void md_slice(int D, unsigned long flags, const long pos[], const long dims[], void *out,
        const void *in, size_t size);
extern void md_slice2(int D, unsigned long flags, const long pos[], const long dims[], const long ostrs[],
        void *out, const long istrs[], const void *in, size_t size);
/** Copies a block between a larger and a smaller array. For each dim: if the input is longer, the block
 * begins at pos in the input; else at pos in the output. */
extern void md_copy_block(int D, const long pos[], const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_copy_block2(int D, const long pos[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);
/** Copies the block of extents dims[] at ipos of the input to opos of the output. error() if the block
 * exceeds an array. */
extern void md_move_block(int D, const long dims[], const long opos[], const long odims[], void *out,
        const long ipos[], const long idims[], const void *in, size_t size);
extern void md_move_block2(int D, const long dims[], const long opos[], const long odims[],
        const long ostrs[], void *out, const long ipos[], const long idims[], const long istrs[],
        const void *in, size_t size);

/** Truncates or zero-pads at the end, at the front (the last elements stay last), or about the centre
 * (element n/2 becomes n'/2). */
extern void md_resize(int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_resize_front(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_resize_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
/** Pads with a value; odims[i] >= idims[i], else error(). */
extern void md_pad(int D, const void *value, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
extern void md_pad_center(int D, const void *value, const long odims[], void *out, const long idims[],
        const void *in, size_t size);
/** Pads about the centre with mirror images, which repeat the edge elements (c b a | a b c | c b a). Large
 * margins contain several mirror images. */
extern void md_reflectpad_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_reflectpad_center2(int D, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size);

/** Element i moves to (i + shift) modulo n. */
extern void md_circ_shift(
        int D, const long dims[], const long shift[], void *out, const void *in, size_t size);
extern void md_circ_shift2(int D, const long dims[], const long shift[], const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size);
/** out[i] = in[i modulo n]. circ_ext: error() if an output extent is more than twice the input extent. */
extern void md_periodic(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_periodic2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size);
extern void md_circ_ext(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size);
extern void md_circ_ext2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size);

/** A contiguous mask as bits: bit i % 32 of words[i / 32] is set if element i is not 0. words[] has (n + 31)
 * / 32 words. md_mask_decompress() writes 1 and 0. */
extern void md_mask_compress(int D, const long dims[], uint32_t words[], const float *mask);
extern void md_mask_decompress(int D, const long dims[], float *mask, const uint32_t words[]);

#endif
