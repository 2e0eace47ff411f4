#ifndef MISC_FILE_MAPPING_H
#define MISC_FILE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

/** Maps files into memory, and keeps a list of the mappings. The SIGBUS handler looks up file names in the
 * list of mappings. The handler ends the command if a mapped file is truncated, or if the disk is full or
 * fails. The message of the handler names the file. */

/** Maps the first `len` bytes of a file into memory. If `writable` is false, the memory is read-only. Changes
 * of the memory are written to the file. `len` must not be 0. The descriptor fd may be closed after the call.
 * Calls error() if mapping fails. `path` names the file in messages. */
extern void *mapping_create(int fd, size_t len, bool writable, const char *path);

/** Like mapping_create(), but changes are not written to the file. If fd is -1, the memory belongs to no file
 * and contains zeros. */
extern void *mapping_create_own(int fd, size_t len, const char *path);

/** Replaces `len` bytes at address p of an existing mapping. After the call, the memory is mapped to the file
 * fd, starting at byte `at`. Changes of this memory are written to the file fd. */
extern void mapping_write_through(void *p, size_t len, int fd, long at, const char *path);

/** Removes a mapping of mapping_create() or mapping_create_own(). */
extern void mapping_free(const void *p);

/** Returns the path of the file that is mapped at this address, or NULL. Sets *writable to true if the
 * mapping is writable. A signal handler may call this function. */
extern const char *mapping_find(const void *address, bool *writable);

#endif
