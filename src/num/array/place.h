#ifndef NUM_ARRAY_PLACE_H
#define NUM_ARRAY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Gives CPU loops access to data that may be in device memory. Calls may copy the data, so use these
 * functions rarely. */

/** Returns the data at p in host memory. The result is p, or a copy if p is device memory. */
extern void *place_take(const void *p, size_t bytes);

/**
 * These functions release `here`, the result of place_take(p):
 * - place_done(): Frees a copy.
 * - place_back(): Writes a copy back to p and frees the copy.
 */
extern void place_done(void *here, const void *p);
extern void place_back(void *here, void *p, size_t bytes);

/** Copies host data to the device in use. The caller frees the result with device_free(). */
extern void *place_bring(const void *p, size_t bytes);

/** Returns the number of usable bytes in the memory (device or host) of p. GANTRY_MEM limits host memory.
 */
extern double place_left(const void *p);

/**
 * These functions transfer a number:
 * - number_take(): Returns the number at p on a device, and frees p.
 * - number_put(): Writes `value` to p on a device or the host.
 */
extern double number_take(double *p);
extern void number_put(double *p, double value);

/** Returns the elements of an in-memory array (misc/file/resident.h) on the device in use. The elements stay
 * on the device for later commands. Returns NULL for files and streams, or without a device. `write` is true
 * for outputs (cfl_on_device()). */
struct cfl;
extern void *place_on_device(struct cfl *f, bool write);

/** These functions return the elements of an input or an output. If place_on_device() returns NULL, the
 * elements are mapped in host memory. */
extern const void *place_input(struct cfl *f);
extern void *place_output(struct cfl *f);

#endif
