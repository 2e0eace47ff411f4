#ifndef MISC_FILE_MAPPING_H
#define MISC_FILE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Mapped files, in a table that the SIGBUS handler reads. If a mapped file is truncated, or a disk is full or
 * fails, the handler ends the command with a message that names the file.
 */

/** Maps bytes [0, len) of fd (shared; writable or read-only); error() naming `path`. len > 0. The descriptor
 * may be closed afterwards. */
extern void *mapping_create(int fd, size_t len, bool writable, const char *path);

/** Like mapping_create(), but private: changes are not written to the file. fd -1: memory filled with zeros.
 */
extern void *mapping_create_own(int fd, size_t len, const char *path);

/** Replaces len bytes at p, a part of a mapping of the file, by a shared writable mapping of the bytes of fd
 * from byte `at` on. */
extern void mapping_write_through(void *p, size_t len, int fd, long at, const char *path);

/** Unmaps what mapping_create() returned. */
extern void mapping_free(const void *p);

/** The file mapped at this address, or NULL; async-signal-safe. */
extern const char *mapping_find(const void *address, bool *writable);

#endif
