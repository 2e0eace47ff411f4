#ifndef MISC_OPTIONS_PARSE_H
#define MISC_OPTIONS_PARSE_H

#include <complex.h>
#include <stdbool.h>

#include "misc/human_bytes.h"

/**
 * These functions read values from the command line. A malformed value is a usage_error() that names
 * `what`.
 */

extern long parse_long(const char *text, const char *what);         // decimal integer
extern double parse_double(const char *text, const char *what);     // finite number
extern double parse_double_inf(const char *text, const char *what); // finite number, inf or -inf
extern complex double parse_complex(const char *text, const char *what);

/** Returns whether a word is a number like 2, -1.5 or 1+2i. A file whose name is a number must be given
 * with a folder, as in ./2. */
extern bool parse_is_number(const char *text);

/** Reads up to `max` values like 256:256:64. Returns the number of values. */
extern int parse_longs(const char *text, int max, long v[], const char *what);
extern int parse_doubles(const char *text, int max, double v[], const char *what);

/**
 * Returns the dimension with this number or name:
 *
 *   x = u = 0, y = v = 1, z = view = 2, channel = 3, time = 4
 */
extern int parse_dim(const char *text, const char *what);
extern const char *parse_dim_name(int k);                            // k-th name of parse_dim(), or NULL
extern unsigned long parse_dims(const char *text, const char *what); // x,y sets bits 0 and 1

/** Reads a range START:STOP[:STEP] of indices from 0 to n - 1. STOP is excluded. Negative numbers count
 * from the end. An empty START or STOP sets no limit. A negative STEP gives decreasing indices. A single
 * number is one index. Sets the first index, the step and the count (at least 1). Indices outside the
 * valid range are a usage_error(). */
extern void parse_range(const char *text, long n, long *start, long *step, long *count, const char *what);

/** Reads ranges separated by commas. Returns an array of *count indices, which the caller frees. */
extern long *parse_index_list(const char *text, long n, long *count, const char *what);

/** From a NULL-terminated list, returns the name most similar to `word`, or NULL. */
extern const char *nearest_name(const char *word, const char *const names[]);

/** Joins a NULL-terminated list of names, such as "a, b or c" for the conjunction "or". The caller frees the
 * text. */
extern char *join_names(const char *const names[], const char *conjunction);

/** Converts a size like 4G, 512M, 1.5GiB or 1000000 to bytes. */
extern long parse_bytes(const char *text, const char *what);

#endif
