#ifndef NUM_ARRAY_PLACE_H
#define NUM_ARRAY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Gives CPU loops access to data that may be in device memory. The data are copied from and to the device,
 * so use these functions for rare loops only. */

/** The data at p on the host: p itself if p is host memory, else a copy. */
extern void *place_take(const void *p, size_t bytes);

/** Both functions end the use of `here`, the result of place_take(); place_back() first copies `here` to p.
 */
extern void place_done(void *here, const void *p);
extern void place_back(void *here, void *p, size_t bytes);

/** A copy of host data on the device in use; release with device_free(). */
extern void *place_bring(const void *p, size_t bytes);

/** Available bytes in the memory that contains p: device memory, or the host memory that the command may use
 * (GANTRY_MEM). */
extern double place_left(const void *p);

/** number_take() reads the number at p on a device and frees p. number_put() writes a number to p, on a
 * device or the host. */
extern double number_take(double *p);
extern void number_put(double *p, double value);

/** The elements of an array in memory (misc/file/resident.h) on the device in use, where they stay for the
 * following commands. NULL if no device is in use, or for files and streams. `write`: as for cfl_on_device().
 */
struct cfl;
extern void *place_on_device(struct cfl *f, bool write);

/** The elements of an input, and of an output: on the device if possible, else mapped. */
extern const void *place_input(struct cfl *f);
extern void *place_output(struct cfl *f);

#endif
