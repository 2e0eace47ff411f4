#ifndef MISC_FORMATS_NAMES_H
#define MISC_FORMATS_NAMES_H

#include <stdbool.h>

/** Files that words of the command line refer to. */
struct named_file {
	char *path;
	char *inside; // of "FILE.h5:/path" and "FILE.npz:name"; NULL = nothing named
};

/**
 * Appends the files of `word` to list (malloc'd) and returns the new count. `word` is one of
 *
 * - a file
 *
 * - FILE:NAME, an array in a file
 *
 * - a folder: all its files except those whose names begin with a dot
 *
 * - a name with a number pattern (%d, %04d): the existing files with that many digits, or with more digits
 *   that do not begin with 0
 *
 * - a glob (* ? [..])
 *
 * A file or folder that is called exactly `word` has priority. error() naming the word if no file matches.
 * *plain is set if the word is the path of an ordinary file.
 */
extern int names_expand(const char *word, struct named_file **list, int n, bool *plain);

/** Appends a file to a list of n and returns the new count. */
extern int names_add(struct named_file **list, int n, struct named_file file);

/** The header file X.hdr for a file of elements X.img; both names may end in .gz (malloc'd). Returns NULL for
 * other names. */
extern char *names_header_of(const char *path);

/** Sorts files by the numbers in their names. */
extern void names_sort(int n, struct named_file list[]);

/** Warns of missing numbers in sorted names that differ in one number only. Warns only if at least half of
 * the steps between the numbers equal the smallest step, and the others are multiples of it. */
extern void names_tell_gaps(int n, const struct named_file list[]);

/** Whether a name has a number pattern; usage_error() if it has two patterns. Sets *before to the length of
 * the part before the pattern, *digits to the minimal number of digits, and *after to the part after the
 * pattern. */
extern bool names_pattern(const char *name, int *before, int *digits, const char **after);

#endif
