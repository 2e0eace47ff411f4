#ifndef NUM_ARRAY_ARRAY_AS_H
#define NUM_ARRAY_ARRAY_AS_H

#include "num/array/array.h"

/** Files as operands of arithmetic in one type; data that have this type are used in place. With `on_device`,
 * arrays reside on the GPU in use, and md_ functions and operators run there. */

/** Whether the GPU should process arrays of `bytes` bytes in total, with `operations` operations. If the user
 * requested the GPU and its memory is too small, a warning is printed. */
extern bool array_as_device(double bytes, double operations);

/** The input in native elements of type t: a view of the file if possible, else a copy in memory. */
extern struct array *array_open_as(struct cfl *f, enum dtype t, bool on_device);
/** Like array_open_as(), but the array has no gaps and dimension 0 is fastest; a C-ordered file is copied. */
extern struct array *array_open_contiguous(struct cfl *f, enum dtype t, bool on_device);
/** Private host memory for array_open_as() [bytes]. */
extern long array_open_as_memory(const struct cfl *f, enum dtype t);

/** The whole output in elements of type t: in place, or in memory that array_finish_as() copies into the
 * file. array_finish_as() frees the array. */
extern struct array *array_out_as(struct cfl *f, enum dtype t, bool on_device);
extern void array_finish_as(struct cfl *f, struct array *a);

#endif
