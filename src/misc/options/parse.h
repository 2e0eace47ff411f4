#ifndef MISC_OPTIONS_PARSE_H
#define MISC_OPTIONS_PARSE_H

#include <complex.h>
#include <stdbool.h>

#include "misc/human_bytes.h"

/**
 * Parsers of values on the command line. `what` names the option or argument in messages; a malformed value
 * ends the command with usage_error().
 */

extern long parse_long(const char *text, const char *what);         // decimal, whole word, no overflow
extern double parse_double(const char *text, const char *what);     // finite
extern double parse_double_inf(const char *text, const char *what); // "inf", "-inf" too, never NaN
extern complex double parse_complex(const char *text, const char *what);

/** Whether a word is a number: it begins with a digit (after an optional sign and point) and parse_complex()
 * accepts it. A file whose name is a number must be given with a folder, as in ./2. */
extern bool parse_is_number(const char *text);

/** Parses "256:256:64" into v and returns the number of values (1..max). */
extern int parse_longs(const char *text, int max, long v[], const char *what);
extern int parse_doubles(const char *text, int max, double v[], const char *what);

/** Parses a dimension: 0..15, or x y z, u v view, channel, time (x=u=0, y=v=1, z=view=2, channel=3, time=4).
 */
extern int parse_dim(const char *text, const char *what);
extern const char *parse_dim_name(int k); // name number k that parse_dim() knows, or NULL past the end
extern unsigned long parse_dims(const char *text, const char *what); // comma list -> bit mask

/** Parses START:STOP[:STEP] over 0..n-1. STOP is excluded, negative numbers count from the end, and empty
 * parts mean the ends. A single number is one index. With a negative STEP the indices decrease. Returns first
 * index, step and count >= 1; usage_error() for indices outside 0..n-1. */
extern void parse_range(const char *text, long n, long *start, long *step, long *count, const char *what);

/** Parses a comma-separated list of ranges over 0..n-1; returns the indices (malloc'd). */
extern long *parse_index_list(const char *text, long n, long *count, const char *what);

/** Nearest of the NULL-terminated names by edit distance (transpositions count 1), or NULL if none is
 * similar. */
extern const char *nearest_name(const char *word, const char *const names[]);

/** Joins the NULL-terminated names: "a, b or c" if the conjunction is "or". malloc'd. */
extern char *join_names(const char *const names[], const char *conjunction);

/** Bytes of a size like 4G, 512M, 1.5GiB, 1000000. */
extern long parse_bytes(const char *text, const char *what);

#endif
