#ifndef NUM_DEVICE_CACHE_H
#define NUM_DEVICE_CACHE_H

#include <stddef.h>

/** Returns the path of file `name` in the user's cache folder. The folder is created if missing. Returns NULL
 * if the folder cannot be created or written. The caller frees the path. */
extern char *cache_path(const char *name);

/** Returns GANTRY_CACHE, else XDG_CACHE_HOME/gantry, else ~/.cache/gantry. The folder is not created. Returns
 * NULL if no variable is set. The caller frees the path. */
extern char *cache_folder(void);

/** These functions read and write compiled kernels in the cache folder. The key must contain everything on
 * which the kernel depends. Several processes may use the cache at once. A cache that cannot be written is
 * not an error. */
extern void *cache_read(const char *key, size_t *bytes); // to be freed; NULL if not found
extern void cache_write(const char *key, const void *data, size_t bytes);

/**
 * These functions manage the cache folder:
 * - cache_count(): Returns the number of compiled kernels and their total size.
 * - cache_clear(): Removes compiled kernels and results of self-tests. Returns the number of files removed.
 */
extern long cache_count(double *bytes);
extern long cache_clear(void);

#endif
