#ifndef GANTRY_H
#define GANTRY_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gantry's arrays in files, for programs in C and C++. All names begin with gantry_. Link with
 * $(pkg-config --cflags --libs gantry).
 *
 * Arrays are named as in commands: NAME (the pair NAME.hdr, NAME.cfl), X.npy, X.ra, or - for a pipe. Elements
 * are in column-major order, dimension 0 fastest, in native byte order. Types have the names of --type:
 * "float32", "complex64", "uint16" and so on. Errors (no such file, a full disk) end the program as they end
 * a command: one line on standard error, no incomplete output, exit status 1.
 */

struct gantry_array;

/** The version, for example "0.2.0". */
extern const char *gantry_version(void);

/** Opens an existing array for reading. */
extern struct gantry_array *gantry_open(const char *name);

/** Creates an array of zeros. The file gets its name when the array is closed. rank: number of lengths in
 * dims, at most 16; the remaining dimensions have length 1. */
extern struct gantry_array *gantry_create(const char *name, const char *type, int rank, const long dims[]);

/** Number of dimensions, without trailing ones of length 1. */
extern int gantry_rank(const struct gantry_array *a);

/** The lengths of all 16 dimensions. */
extern const long *gantry_dims(const struct gantry_array *a);

/** Number of elements. */
extern long gantry_count(const struct gantry_array *a);

extern const char *gantry_type(const struct gantry_array *a);

/** The elements. The file of an opened array is mapped into memory, not copied. */
extern const void *gantry_read(struct gantry_array *a);

/** The elements of a created array. */
extern void *gantry_write(struct gantry_array *a);

/** Frees the array. The file of a created array gets its name now. */
extern void gantry_close(struct gantry_array *a);

#ifdef __cplusplus
}
#endif

#endif
