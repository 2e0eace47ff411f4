#ifndef NUM_DEVICE_CACHE_H
#define NUM_DEVICE_CACHE_H

#include <stddef.h>

/** Path of a file `name` in the user's cache folder: GANTRY_CACHE, else XDG_CACHE_HOME/gantry, else
 * ~/.cache/gantry. The folder is created if missing. The caller frees the path. NULL if the folder cannot be
 * created or written. */
extern char *cache_path(const char *name);

/** The path of the cache folder, which is not created; NULL if no folder is known. */
extern char *cache_folder(void);

/**
 * Compiled kernels in the cache folder: one file per kernel, named by the hash of a key. The key contains
 * everything that the kernel depends on. Only complete and unchanged files are read; others are removed. Any
 * number of processes may read and write at the same time. A cache that cannot be written is not an error.
 */
extern void *cache_read(const char *key, size_t *bytes); // NULL: not there; to be freed
extern void cache_write(const char *key, const void *data, size_t bytes);

/** cache_count() returns the number of files of compiled kernels and their bytes. cache_clear() removes all
 * files of Gantry from the folder and returns their number. */
extern long cache_count(double *bytes);
extern long cache_clear(void);

#endif
