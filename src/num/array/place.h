#ifndef NUM_ARRAY_PLACE_H
#define NUM_ARRAY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Loops of the CPU over memory that may lie on a device: rare ones, since it is copied there and back. */

/** What is at p, on the host: p itself where it lies there, else a copy. */
extern void *place_take(const void *p, size_t bytes);

/** Ends the use of what place_take() gave; _back: p gets what was changed. */
extern void place_done(void *here, const void *p);
extern void place_back(void *here, void *p, size_t bytes);

/** A copy on the device in use of what lies on the host: device_free(). */
extern void *place_bring(const void *p, size_t bytes);

/** Bytes that are left where p lies: on a device, or of what the command may use (GANTRY_MEM). */
extern double place_left(const void *p);

/** The number that lies on a device at p, which is freed; and a number to where p is, on a device or here. */
extern double number_take(double *p);
extern void number_put(double *p, double value);

/** The elements of an array in memory (misc/file/resident.h) on the device in use, where they stay for the
 * commands that follow; NULL: no device is in use, or it is a file or stream. `write`: as cfl_on_device(). */
struct cfl;
extern void *place_on_device(struct cfl *f, bool write);

/** The elements of an input (an output) where they are at hand: on the device as above, else mapped. */
extern const void *place_input(struct cfl *f);
extern void *place_output(struct cfl *f);

#endif
