#ifndef NUM_ARRAY_ARRAY_AS_H
#define NUM_ARRAY_ARRAY_AS_H

#include "num/array/array.h"

/** Files as operands of arithmetic in one type: what lies there already is used in place. With `on_device`
 * they lie on the GPU in use, where md_ functions and operators then work. */

/** Whether the GPU is to do work on arrays of so many bytes together, with so many operations. Where the user
 * asked for it and its memory does not hold them, a warning says so. */
extern bool array_as_device(double bytes, double operations);

/** The input in native elements of type t: a view of the file where it is that, else a copy in memory. */
extern struct array *array_open_as(struct cfl *f, enum dtype t, bool on_device);
/** The same without gaps, dimension 0 fastest: a copy of a C-ordered file too. */
extern struct array *array_open_contiguous(struct cfl *f, enum dtype t, bool on_device);
/** Private memory that takes on the host [bytes]. */
extern long array_open_as_memory(const struct cfl *f, enum dtype t);

/** The whole output in elements of type t: in place, or memory to be finished by array_finish_as(), which
 * brings it into the file. Both free. */
extern struct array *array_out_as(struct cfl *f, enum dtype t, bool on_device);
extern void array_finish_as(struct cfl *f, struct array *a);

#endif
