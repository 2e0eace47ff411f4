#ifndef MISC_FILE_RESIDENT_H
#define MISC_FILE_RESIDENT_H

#include "misc/file/hdr.h"

/**
 * Arrays that live in memory under a name "@NAME", for one process that runs several commands (gantry run).
 * cfl_open() and cfl_create() find and make them as they do files; nothing of them touches the disk.
 *
 * An array has a block in host memory, which costs nothing before it is touched, and, where a device is in
 * use, one there; what was written last is copied to the other place when somebody asks for it there.
 */
struct resident;

/** From now on names that begin with @ are such arrays; before, they are files like others. */
extern void resident_enable(void);

/** Whether `name` is one; usage_error() where it is but holds other characters than letters, digits, _ and -
 * behind its @. */
extern bool resident_is_name(const char *name);

/** The array that was committed last under that name, for reading: h and its elements stay as they are until
 * resident_release(), whatever is committed meanwhile. error() when there is none. */
extern struct resident *resident_open(const char *name, struct hdr *h);

/** A new array of so many bytes [bytes], zero, that nobody finds before resident_commit(); error() when
 * GANTRY_MEM or the memory there is does not allow it. */
extern struct resident *resident_create(const char *name, long bytes);

/** The array gets its header and its name, which another may have had. */
extern void resident_commit(struct resident *r, const struct hdr *h);

/** Ends resident_open(), or drops what was created and not committed. */
extern void resident_release(struct resident *r);

/** Forgets the array of that name, if there is one. */
extern void resident_drop(const char *name);

/** Where they are in host memory once resident_host() has brought them there. */
extern void *resident_address(const struct resident *r);

/** The elements in host memory, safe to be called by several threads; `write`: they are about to be changed
 * there. */
extern void *resident_host(struct resident *r, bool write);

/** Where other places keep elements: alloc() ends the command when there is no room; copy() knows by the
 * addresses what to do. */
struct resident_device {
	void *(*alloc)(size_t bytes);
	void (*free)(void *p);
	void (*copy)(void *dst, const void *src, size_t bytes);
};

/** The elements on a device, the same one for all arrays. `write`: every one of them is about to be written
 * there; what they were is lost. */
extern void *resident_device(struct resident *r, const struct resident_device *d, bool write);

#endif
