#ifndef NUM_DEVICE_CACHE_H
#define NUM_DEVICE_CACHE_H

#include <stddef.h>

/** Path of a file `name` in the user's cache folder: GANTRY_CACHE, else XDG_CACHE_HOME/gantry, else
 * ~/.cache/gantry, which is created if missing. The caller frees it; NULL if there is no such folder and none
 * can be created. */
extern char *cache_path(const char *name);

/** The folder's path, without creating it; NULL as above. */
extern char *cache_folder(void);

/**
 * Compiled kernels in the cache folder: one file per kernel, named by the hash of a key (everything that the
 * kernel depends on). Only complete and unchanged files are read; others are removed. Any number of processes
 * may read and write at the same time. If the cache cannot be written, there is no error.
 */
extern void *cache_read(const char *key, size_t *bytes); // NULL: not there; to be freed
extern void cache_write(const char *key, const void *data, size_t bytes);

/** Files of compiled kernels: their number and bytes; and the removal of everything that Gantry left in the
 * folder, which returns the number of files. */
extern long cache_count(double *bytes);
extern long cache_clear(void);

#endif
