#ifndef GANTRY_H
#define GANTRY_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gantry's arrays in files, for programs in C and C++. All names begin with gantry_. Link with
 * $(pkg-config --cflags --libs gantry).
 *
 * A name is that of a command's argument: NAME (the pair NAME.hdr, NAME.cfl), X.npy, X.ra, or - for a pipe.
 * Elements are in column-major order, dimension 0 fastest, in native byte order. A type is called as by
 * --type: "float32", "complex64", "uint16".. What goes wrong (no such file, a full disk) ends the program as
 * it ends a command: one line on standard error, no half-written output, exit status 1.
 */

struct gantry_array;

/** The release, as "0.2.0". */
extern const char *gantry_version(void);

/** An array that exists, to be read. */
extern struct gantry_array *gantry_open(const char *name);

/** A new array of zeros. It appears under its name when it is closed. A dimension behind the first `rank`
 * ones (at most 16) has length 1. */
extern struct gantry_array *gantry_create(const char *name, const char *type, int rank, const long dims[]);

/** Dimensions up to the last that is longer than 1. */
extern int gantry_rank(const struct gantry_array *a);

/** 16 lengths. */
extern const long *gantry_dims(const struct gantry_array *a);

/** Elements in all. */
extern long gantry_count(const struct gantry_array *a);

extern const char *gantry_type(const struct gantry_array *a);

/** The elements, of an array that was opened mapped from its file: nothing is copied. */
extern const void *gantry_read(struct gantry_array *a);

/** The elements of a created array. */
extern void *gantry_write(struct gantry_array *a);

/** Frees it; a created array gets its name now. */
extern void gantry_close(struct gantry_array *a);

#ifdef __cplusplus
}
#endif

#endif
