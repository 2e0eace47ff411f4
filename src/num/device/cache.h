#ifndef NUM_DEVICE_CACHE_H
#define NUM_DEVICE_CACHE_H

#include <stddef.h>

/** Path of a file `name` in the user's cache folder: GANTRY_CACHE, else XDG_CACHE_HOME/gantry, else
 * ~/.cache/gantry, which is made when it is missing. To be freed; NULL when there is no such folder and none
 * can be made. */
extern char *cache_path(const char *name);

/** Where the folder is, without making it; NULL as above. */
extern char *cache_folder(void);

/**
 * Compiled kernels in it: a file each, under the fingerprint of a key (all that the kernel depends on). What
 * is read was written whole, and is what was written: a file that is not is removed. Any number of processes
 * may read and write at the same time. A cache that cannot be written is none: no error.
 */
extern void *cache_read(const char *key, size_t *bytes); // NULL: not there; to be freed
extern void cache_write(const char *key, const void *data, size_t bytes);

/** Files of compiled kernels: how many, and their bytes; removes them and everything else that Gantry left in
 * the folder, returns how many files these were. */
extern long cache_count(double *bytes);
extern long cache_clear(void);

#endif
