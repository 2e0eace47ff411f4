#ifndef NUM_ARRAY_ARRAY_H
#define NUM_ARRAY_ARRAY_H

#include "misc/file/cfl.h"
#include "num/kern/convert.h"
#include "num/kern/ops.h"
#include "num/md/multind.h"

/**
 * Typed arrays: any of the fifteen element types, any strides, either byte order. The elements are in memory
 * of the array, in the mapping of a file or in memory of the caller. Views share storage and copy nothing.
 * All functions end the command with error() if shapes, types or ranges do not fit; messages contain the
 * `name` of the array, if it has one.
 */
struct array {
	enum dtype type;
	bool swapped;            // elements are in foreign byte order
	bool constant;           // must not be written (a mapped input)
	long dims[DIMS];         // all >= 0; 1 beyond the rank
	long strs[DIMS];         // [bytes]; 0 where dims is 1 or an element is repeated
	char *data;              // element (0, 0, ...)
	struct storage *storage; // counted; NULL when the memory is somebody else's
	const char *name;        // for messages; may be NULL
};

/** Rules for results that an operation cannot give exactly. */
struct array_rules {
	enum narrow narrow; // values that the output's type cannot hold
	enum domain domain; // of real functions
};
extern const struct array_rules array_default; // saturate (with a warning that counts), nan

/** A new array in new memory: contiguous, dim 0 fastest, not cleared. */
extern struct array *array_create(enum dtype t, int D, const long dims[]);
/** An array in memory of the caller, which must outlive the array; strs NULL: contiguous. */
extern struct array *array_borrow(enum dtype t, int D, const long dims[], const long strs[], void *data);
/** An array over the mapped elements of an input file. Foreign byte order and C order are read in place; a
 * stream is spooled. Free the array before the file is closed; do not use cfl_map() for the same file. */
extern struct array *array_open(struct cfl *f);
/** All elements of an output file, to be written in place (cfl_map_out()). */
extern struct array *array_out(struct cfl *f);
extern struct array *array_ref(const struct array *a); // another view of the same elements
extern void array_free(const struct array *a);
extern long array_count(const struct array *a);
extern bool array_is_contiguous(const struct array *a);
extern int array_rank(const struct array *a); // last dim longer than 1, plus 1; at least 1
/** "256 x 256 x 64", for messages; in one of 4 static buffers, which are used in turn. */
extern const char *array_shape(const struct array *a);

/* Views: new arrays over the same storage. */
extern struct array *array_slice(
        const struct array *a, int d, long start, long step, long n); // step != 0; n >= 0
extern struct array *array_at(const struct array *a, int d, long i);  // dims[d] becomes 1; i < 0 from the end
extern struct array *array_flip(const struct array *a, unsigned long dims);
extern struct array *array_permute(
        const struct array *a, const int order[DIMS]); // dim i of the view is dim order[i]
extern struct array *array_transpose(const struct array *a, int d1, int d2);
extern struct array *array_diagonal(
        const struct array *a, int d1, int d2, long offset); // along d1; dims[d2] = 1
extern struct array *array_real(const struct array *a);      // view of the real parts; a itself when real
extern struct array *array_imag(const struct array *a);      // complex only
extern struct array *array_broadcast(const struct array *a, const long dims[DIMS]); // steps 0 where it was 1
/** A view of the same elements in the same order (dim 0 fastest) with other dims; NULL if no strides describe
 * it. */
extern struct array *array_reshape_view(const struct array *a, int D, const long dims[]);
extern struct array *array_reshape(const struct array *a, int D, const long dims[]); // view, else a copy
/** A view of the same bytes as elements of another type t of the same size. If t is the real type of complex
 * elements, these become pairs along a new dim 0 (the other dims move up), and vice versa. */
extern struct array *array_reinterpret(const struct array *a, enum dtype t);
extern void array_byteswap(struct array *a); // in place: bytes and flag

/* Overlap, by address and stride arithmetic. */
/** Whether two arrays share a byte. The result is exact, except in pathological cases, in which a bounded
 * search returns true. */
extern bool array_overlap(const struct array *a, const struct array *b);
/** Whether two elements of one array share a byte, e.g. along a dim longer than 1 with step 0. */
extern bool array_self_overlap(const struct array *a);
/** Whether writing `out` element by element in any order may change an element of `in` before it is read.
 * False if each element of `in` overlaps only the element of `out` at the same position. */
extern bool array_conflict(const struct array *out, const struct array *in);

/* Operations; shapes of inputs equal the output's or are 1. Overlap of inputs and outputs is right by
 * construction: a temporary is made only where array_conflict() says so. error() when the output overlaps
 * itself or is constant. The types of the inputs alone decide the precision (op_types()); results are
 * converted to the output's type. */
extern void array_copy(struct array *out, const struct array *in, struct array_rules r); // with conversion
extern struct array *array_cast(const struct array *a, enum dtype t, struct array_rules r);
extern void array_fill(struct array *out, const void *value, enum dtype type);
extern void array_apply(enum op op, struct array *out, const struct array *const in[], struct array_rules r);
/** A new array of the result type (op_types()) and the broadcast shape. */
extern struct array *array_op(enum op op, const struct array *const in[], struct array_rules r);
/** Reduces along the dims of the mask `dims`; out has length 1 along them. */
extern void array_reduce(enum reduction red, unsigned long dims, struct array *out,
        const struct array *const in[], struct array_rules r);
extern struct array *array_reduction(
        enum reduction red, unsigned long dims, const struct array *const in[], struct array_rules r);

/** An index object is a list of element numbers along a dim. The list is checked once against the extent of
 * the dim and then used repeatedly. Negative numbers count from the end. Ranges give views; other lists copy
 * elements (gather). */
struct index;
extern struct index *index_range(long extent, long start, long step, long n);
extern struct index *index_list(long extent, long n, const long at[]);
extern struct index *index_mask(long extent, const struct array *mask); // bool, one dim: where it is true
extern struct index *index_from(long extent, const struct array *list); // any integer type
extern long index_count(const struct index *x);
extern long index_at(const struct index *x, long i);
extern bool index_is_range(const struct index *x);
extern void index_free(const struct index *x);
/** array_take(): out(.., i, ..) = in(.., x[i], ..) along dim d. array_put() is the reverse (for repeated
 * numbers, the last element is kept). */
extern void array_take(
        struct array *out, const struct array *in, int d, const struct index *x, struct array_rules r);
extern void array_put(
        struct array *out, int d, const struct index *x, const struct array *in, struct array_rules r);
/** array_take_mask(): all elements where mask (bool, same shape) is true, along one dim in element order.
 * array_put_mask() is the reverse. */
extern struct array *array_take_mask(const struct array *in, const struct array *mask);
extern void array_put_mask(
        struct array *out, const struct array *mask, const struct array *values, struct array_rules r);

#endif
