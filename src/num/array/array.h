#ifndef NUM_ARRAY_ARRAY_H
#define NUM_ARRAY_ARRAY_H

#include "misc/file/cfl.h"
#include "num/kern/convert.h"
#include "num/kern/ops.h"
#include "num/md/multind.h"

/**
 * Typed arrays have one of fifteen element types, any strides and either byte order. The memory belongs to
 * the array, a mapped file or the caller. Views share the elements. All functions call error() if shapes,
 * types or ranges do not fit.
 */
struct array {
	enum dtype type;
	bool swapped;            // elements are in foreign byte order
	bool constant;           // must not be written, as a mapped input
	long dims[DIMS];         // all >= 0; 1 beyond the rank
	long strs[DIMS];         // [bytes]; 0 if dims is 1 or an element is repeated
	char *data;              // element (0, 0, ...)
	struct storage *storage; // reference-counted; NULL if the array does not own memory
	const char *name;        // for messages; may be NULL
};

/** Rules for results that cannot be represented. */
struct array_rules {
	enum narrow narrow; // for values that the output type cannot hold
	enum domain domain; // for results that are not real
};
extern const struct array_rules array_default; // saturate with a warning; NaN

/** Returns a contiguous array in new memory. Dim 0 is fastest. The memory is not cleared. */
extern struct array *array_create(enum dtype t, int D, const long dims[]);
/** Returns an array in memory of the caller, which must outlive the array. If strs is NULL, the array is
 * contiguous. */
extern struct array *array_borrow(enum dtype t, int D, const long dims[], const long strs[], void *data);
/** Returns an array over the elements of an input file. Streams and misaligned elements are copied to a
 * temporary file. Free the array before the file is closed. Do not use cfl_map() for the same file. */
extern struct array *array_open(struct cfl *f);
/** Returns an array over all elements of an output file (cfl_map_out()). */
extern struct array *array_out(struct cfl *f);
extern struct array *array_ref(const struct array *a); // another view of the same elements
extern void array_free(const struct array *a);
extern long array_count(const struct array *a);
extern bool array_is_contiguous(const struct array *a);
extern int array_rank(const struct array *a); // 1 + last dim longer than 1; at least 1
/** Returns text like "256 x 256 x 64" for messages. The text stays valid during three more calls. */
extern const char *array_shape(const struct array *a);

/* Views are new arrays over the same elements. */
extern struct array *array_slice(
        const struct array *a, int d, long start, long step, long n); // step != 0; n >= 0
extern struct array *array_at(const struct array *a, int d, long i);  // dims[d] becomes 1; i = -1 means last
extern struct array *array_flip(const struct array *a, unsigned long dims);
extern struct array *array_permute(
        const struct array *a, const int order[DIMS]); // dim i of the view is dim order[i]
extern struct array *array_transpose(const struct array *a, int d1, int d2);
extern struct array *array_diagonal(
        const struct array *a, int d1, int d2, long offset); // along d1; dims[d2] is 1
extern struct array *array_real(const struct array *a);      // real parts; all elements of a real array
extern struct array *array_imag(const struct array *a);      // complex arrays only
extern struct array *array_broadcast(const struct array *a, const long dims[DIMS]); // repeats length 1
/** Returns a view with other dims. The elements keep their order, with dim 0 fastest. Returns NULL if no
 * strides describe the view. */
extern struct array *array_reshape_view(const struct array *a, int D, const long dims[]);
extern struct array *array_reshape(const struct array *a, int D, const long dims[]); // view, else a copy
/** Returns a view that reads the bytes as another type t of the same size. If t is the real type of complex
 * elements, real and imaginary parts become a new dim 0. If t is the complex type of real elements, dim 0 of
 * length 2 is removed. */
extern struct array *array_reinterpret(const struct array *a, enum dtype t);
extern void array_byteswap(struct array *a); // swaps the bytes and the flag

/* Overlap of elements in memory. */
/** Returns whether two arrays share a byte. In rare cases, the search stops early and the result is true.
 */
extern bool array_overlap(const struct array *a, const struct array *b);
/** Returns whether elements of one array share a byte, e.g. because an element is repeated. */
extern bool array_self_overlap(const struct array *a);
/** Returns whether writing elements of `out` in any order may change unread elements of `in`. The result is
 * false if elements overlap only at equal positions. */
extern bool array_conflict(const struct array *out, const struct array *in);

/* Operations have inputs with the shape of the output. Input dims of length 1 are repeated. Inputs and
 * output may overlap. Calls error() if the output overlaps itself or is constant. The types of the inputs
 * determine the precision (op_types()). Results are converted to the type of the output. */
extern void array_copy(struct array *out, const struct array *in, struct array_rules r); // converts the type
extern struct array *array_cast(const struct array *a, enum dtype t, struct array_rules r);
extern void array_fill(struct array *out, const void *value, enum dtype type);
extern void array_apply(enum op op, struct array *out, const struct array *const in[], struct array_rules r);
/** Returns a new array with the result type of op_types() and the broadcast shape. */
extern struct array *array_op(enum op op, const struct array *const in[], struct array_rules r);
/** Reduces arrays along the dims in the mask `dims`, which have length 1 in the result. The function
 * array_reduction() returns a new array. */
extern void array_reduce(enum reduction red, unsigned long dims, struct array *out,
        const struct array *const in[], struct array_rules r);
extern struct array *array_reduction(
        enum reduction red, unsigned long dims, const struct array *const in[], struct array_rules r);

/** An index is a list of positions along a dim of length `extent`. Negative positions count from the end. A
 * position outside the dim is an error() when the index is created. */
struct index;
extern struct index *index_range(long extent, long start, long step, long n);
extern struct index *index_list(long extent, long n, const long at[]);
extern struct index *index_mask(long extent, const struct array *mask); // true elements of a bool mask
extern struct index *index_from(long extent, const struct array *list); // integers of any type
extern long index_count(const struct index *x);
extern long index_at(const struct index *x, long i);
extern bool index_is_range(const struct index *x);
extern void index_free(const struct index *x);
/**
 * These functions copy elements along dim d:
 *
 *   array_take(): out(.., i, ..) = in(.., x[i], ..)
 *   array_put():  out(.., x[i], ..) = in(.., i, ..)
 *
 * If array_put() writes a position several times, the last element is kept.
 */
extern void array_take(
        struct array *out, const struct array *in, int d, const struct index *x, struct array_rules r);
extern void array_put(
        struct array *out, int d, const struct index *x, const struct array *in, struct array_rules r);
/**
 * These functions use the elements for which `mask` is true. The mask is bool and has the shape of the
 * array.
 * - array_take_mask(): Returns these elements as an array with one dim, in element order.
 * - array_put_mask(): Replaces these elements by the values, or by a single value.
 */
extern struct array *array_take_mask(const struct array *in, const struct array *mask);
extern void array_put_mask(
        struct array *out, const struct array *mask, const struct array *values, struct array_rules r);

#endif
