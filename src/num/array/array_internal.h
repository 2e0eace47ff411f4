#ifndef NUM_ARRAY_ARRAY_INTERNAL_H
#define NUM_ARRAY_ARRAY_INTERNAL_H

#include "num/array/array.h"

/** Declares functions shared by the files of num/array. */

/** Returns a new array that shares the elements of `a`. */
extern struct array *array_dup(const struct array *a);

/** Returns a contiguous array over memory from md_alloc(), on the host or a device. The memory is freed with
 * the last array that uses it. */
extern struct array *array_adopt(enum dtype t, int D, const long dims[], void *memory);

/** Returns the name of the array for messages, or "an array". */
extern const char *array_label(const struct array *a);

/** Computes the common shape of n arrays. Along each dim, lengths must be equal or 1, else error() names two
 * arrays. */
extern void array_common_dims(int n, const struct array *const in[], long dims[DIMS]);

/** Calls error() if a length in `in` is neither 1 nor the length in `out`. */
extern void array_check_shape(const struct array *out, const struct array *in);

/** Calls error() if `out` is read-only, or if elements of `out` overlap in memory. */
extern void array_check_output(const struct array *out);

/** Returns a contiguous copy with the same type, in native byte order. */
extern struct array *array_clone(const struct array *a);

/** Returns another view of `in`, or a copy if writing `out` would change `in`. The caller frees the result
 * with array_free(). */
extern const struct array *array_apart(const struct array *out, const struct array *in);

/** Describes a conversion of elements between types and byte orders. */
struct array_copier {
	enum dtype to, from;
	bool to_swapped, from_swapped;
	enum narrow narrow;
	bool stream; // bypasses the caches
	long lost;   // values that did not fit, over all threads
};
extern struct array_copier array_copier(const struct array *out, const struct array *in, enum narrow narrow);
/** Converts n <= KERN_BLOCK elements from ptr[1] to ptr[0]. This function is an array_line_fn
 * (num/array/array_loop.h). */
extern void array_copy_line(void *copier, long n, const long step[], char *const ptr[]);

/** Reports `lost` values that did not fit into the type of the output. The rules `r` select warning or
 * error(). */
extern void array_report_lost(const struct array *out, enum dtype from, long lost, struct array_rules r);

#endif
