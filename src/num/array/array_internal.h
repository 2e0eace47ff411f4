#ifndef NUM_ARRAY_ARRAY_INTERNAL_H
#define NUM_ARRAY_ARRAY_INTERNAL_H

#include "num/array/array.h"

/** Shared by the files of num/array. */

/** A new array that shares all of `a`, with a reference to its storage. */
extern struct array *array_dup(const struct array *a);

/** Contiguous elements in that memory, on the host or a device, which md_free() releases with the last view.
 */
extern struct array *array_adopt(enum dtype t, int D, const long dims[], void *memory);

/** For messages: the array's name, or "an array". */
extern const char *array_label(const struct array *a);

/** dims = common shape of the n arrays: equal, or 1 where another is longer; else error() naming two. */
extern void array_common_dims(int n, const struct array *const in[], long dims[DIMS]);

/** error() unless `in` has the dims of `out`, or 1 where it is repeated. */
extern void array_check_shape(const struct array *out, const struct array *in);

/** error() if out must not be written, or if its elements overlap each other. */
extern void array_check_output(const struct array *out);

/** A copy in memory of its own: same type, native byte order, contiguous. */
extern struct array *array_clone(const struct array *a);

/** `in` itself, referenced, or a clone if writing out would change it: release either with array_free(). */
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
/** n <= KERN_BLOCK elements from ptr[1] to ptr[0]: an array_line_fn (num/array/array_loop.h). */
extern void array_copy_line(void *copier, long n, const long step[], char *const ptr[]);

/** Warns of values that did not fit into the output, or ends the command. */
extern void array_report_lost(const struct array *out, enum dtype from, long lost, struct array_rules r);

#endif
