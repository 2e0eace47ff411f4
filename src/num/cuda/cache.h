#ifndef NUM_CUDA_CACHE_H
#define NUM_CUDA_CACHE_H

/** Path of a file `name` in the user's cache folder: GANTRY_CACHE, else XDG_CACHE_HOME/gantry, else
 * ~/.cache/gantry, which is made when it is missing. To be freed; NULL when there is no such folder and none
 * can be made. */
extern char *gpu_cache_path(const char *name);

#endif
