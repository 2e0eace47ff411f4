#ifndef NUM_ARRAY_ARRAY_INTERNAL_H
#define NUM_ARRAY_ARRAY_INTERNAL_H

#include "num/array/array.h"

/** Functions shared by the files of num/array. */

/** A new array with the same elements as `a`, with a reference to the storage of `a`. */
extern struct array *array_dup(const struct array *a);

/** A contiguous array in this memory, on the host or a device; md_free() releases the memory with the last
 * view.
 */
extern struct array *array_adopt(enum dtype t, int D, const long dims[], void *memory);

/** The name of the array for messages, or "an array". */
extern const char *array_label(const struct array *a);

/** dims = the common shape of the n arrays, whose lengths are equal or 1 along each dim; else error() naming
 * two arrays. */
extern void array_common_dims(int n, const struct array *const in[], long dims[DIMS]);

/** error() unless each dim of `in` has the length of `out`, or 1 (repeated). */
extern void array_check_shape(const struct array *out, const struct array *in);

/** error() if out is read-only, or if its elements overlap each other. */
extern void array_check_output(const struct array *out);

/** A copy in new memory: same type, native byte order, contiguous. */
extern struct array *array_clone(const struct array *a);

/** Returns `in` with a new reference, or a clone if writing `out` would change `in`. Release the result with
 * array_free(). */
extern const struct array *array_apart(const struct array *out, const struct array *in);

/** Conversion of elements from one type and byte order to another. */
struct array_copier {
	enum dtype to, from;
	bool to_swapped, from_swapped;
	enum narrow narrow;
	bool stream; // past the caches
	long lost;   // values that did not fit, from all threads
};
extern struct array_copier array_copier(const struct array *out, const struct array *in, enum narrow narrow);
/** Converts n <= KERN_BLOCK elements from ptr[1] to ptr[0]: an array_line_fn (num/array/array_loop.h). */
extern void array_copy_line(void *copier, long n, const long step[], char *const ptr[]);

/** Warns of values that did not fit into the output, or ends the command, as the rules require. */
extern void array_report_lost(const struct array *out, enum dtype from, long lost, struct array_rules r);

#endif
