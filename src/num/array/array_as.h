#ifndef NUM_ARRAY_ARRAY_AS_H
#define NUM_ARRAY_ARRAY_AS_H

#include "num/array/array.h"

/** These functions open files as arrays of one element type t. Elements that have this type are used in
 * place. With `on_device`, the arrays reside on the GPU in use. */

/** Returns true if device_worth() selects the GPU and `bytes` bytes fit into GPU memory. If the arrays are
 * too large, a warning is printed. */
extern bool array_as_device(double bytes, double operations);

/** Returns an input with elements of type t in native byte order. The array is a view of the file if
 * possible, else a copy. */
extern struct array *array_open_as(struct cfl *f, enum dtype t, bool on_device);
/** Like array_open_as(), but elements are contiguous and dim 0 is fastest. */
extern struct array *array_open_contiguous(struct cfl *f, enum dtype t, bool on_device);
/** Returns the bytes of host memory that array_open_as() allocates. */
extern long array_open_as_memory(const struct cfl *f, enum dtype t);

/**
 * These functions write a whole output:
 * - array_out_as(): Returns an array of type t for the elements of the output.
 * - array_finish_as(): Writes the array to the file and frees the array. Values are converted to the file's
 *   type.
 */
extern struct array *array_out_as(struct cfl *f, enum dtype t, bool on_device);
extern void array_finish_as(struct cfl *f, struct array *a);

#endif
