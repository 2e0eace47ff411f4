#ifndef MISC_FILE_RESIDENT_H
#define MISC_FILE_RESIDENT_H

#include "misc/file/hdr.h"

/**
 * Arrays in memory with a name "@NAME", for one process that runs several commands (gantry run). cfl_open()
 * and cfl_create() open and create these arrays like files; nothing is written to disk.
 *
 * An array has a block in host memory, which takes no memory before its first use. If a device is in use, the
 * array also has a block on the device. The version written last is copied to the other block on demand.
 */
struct resident;

/** After this call, names that begin with @ refer to arrays in memory; before this call, to files. */
extern void resident_enable(void);

/** Whether `name` is the name of an array in memory; usage_error() if characters other than letters, digits,
 * _ and - follow the @. */
extern bool resident_is_name(const char *name);

/** Opens the array that was committed last under this name for reading. h and the elements do not change
 * until resident_release(), even if a new array of this name is committed. error() if there is no such array.
 */
extern struct resident *resident_open(const char *name, struct hdr *h);

/** Creates an array of `bytes` bytes, filled with zeros, that cannot be opened before resident_commit();
 * error() if GANTRY_MEM or the available memory does not allow it. */
extern struct resident *resident_create(const char *name, long bytes);

/** Gives the array its header and its name; an earlier array of this name is removed. */
extern void resident_commit(struct resident *r, const struct hdr *h);

/** Ends the use of the result of resident_open(), or discards an array that was created and not committed. */
extern void resident_release(struct resident *r);

/** Removes the array of that name, if there is one. */
extern void resident_drop(const char *name);

/** The address in host memory to which resident_host() copies the elements. */
extern void *resident_address(const struct resident *r);

/** The elements in host memory, copied from the device if necessary; may be called by several threads.
 * `write`: the elements will be changed in host memory.
 */
extern void *resident_host(struct resident *r, bool write);

/** Memory functions of a device: alloc() ends the command if there is not enough memory; copy() derives the
 * direction from the addresses. */
struct resident_device {
	void *(*alloc)(size_t bytes);
	void (*free)(void *p);
	void (*copy)(void *dst, const void *src, size_t bytes);
};

/** The elements on the device; all arrays use the same device. `write`: all elements will be overwritten on
 * the device; the old values are lost. */
extern void *resident_device(struct resident *r, const struct resident_device *d, bool write);

#endif
