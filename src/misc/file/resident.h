#ifndef MISC_FILE_RESIDENT_H
#define MISC_FILE_RESIDENT_H

#include "misc/file/hdr.h"

/**
 * An array in memory has a name "@NAME". Only `gantry run` uses such arrays, because a recipe runs several
 * commands in one process. The functions cfl_open() and cfl_create() handle arrays in memory like files.
 * Arrays in memory are not written to disk.
 *
 * An array in memory has a block in host memory. If a device is used, the array also has a block on the
 * device. Elements are copied between the two blocks only when needed.
 */
struct resident;

/** After this call, names that begin with @ refer to arrays in memory. Before this call, names that begin
 * with @ refer to files. */
extern void resident_enable(void);

/** Returns whether `name` is the name of an array in memory. Calls usage_error() if a character after the @
 * is not a letter, digit, _ or -. */
extern bool resident_is_name(const char *name);

/** Opens an array in memory for reading, and copies the header to h. The elements do not change until
 * resident_release(). A new array with the same name does not affect the open array. Calls error() if the
 * name is unknown. */
extern struct resident *resident_open(const char *name, struct hdr *h);

/** Creates an array of `bytes` bytes, filled with zeros. The array cannot be opened before resident_commit().
 * Calls error() if GANTRY_MEM or the available memory is too small. */
extern struct resident *resident_create(const char *name, long bytes);

/** Completes a new array with its header h. After the commit, resident_open() finds the array by its name. An
 * older array with the same name is removed. */
extern void resident_commit(struct resident *r, const struct hdr *h);

/** Closes an array from resident_open(). An array that was not committed is discarded. */
extern void resident_release(struct resident *r);

/** Removes the array `name`. An unknown name has no effect. */
extern void resident_drop(const char *name);

/** Returns the address of the block in host memory. Before resident_host() is called, the elements in the
 * block can be outdated. */
extern void *resident_address(const struct resident *r);

/** Returns the elements in host memory. The elements are copied from the device if necessary. Set `write` to
 * true if the elements will be changed. Several threads may call this function. */
extern void *resident_host(struct resident *r, bool write);

/**
 * Memory functions of a device:
 *
 * - alloc(): allocates memory on the device. The command ends if there is not enough memory.
 * - free(): frees memory of the device.
 * - copy(): copies between host and device. The addresses determine the direction.
 */
struct resident_device {
	void *(*alloc)(size_t bytes);
	void (*free)(void *p);
	void (*copy)(void *dst, const void *src, size_t bytes);
};

/** Returns the elements on the device. The elements are copied from host memory if necessary. Set `write` to
 * true if all elements will be overwritten. If `write` is true, the old values are lost. All arrays must use
 * the same device. */
extern void *resident_device(struct resident *r, const struct resident_device *d, bool write);

#endif
