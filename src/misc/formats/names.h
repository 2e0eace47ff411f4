#ifndef MISC_FORMATS_NAMES_H
#define MISC_FORMATS_NAMES_H

#include <stdbool.h>

/** A file, or an array in a file, that the command line names. */
struct named_file {
	char *path;
	char *inside; // array name in "FILE.h5:/path" or "FILE.npz:name", or NULL
};

/**
 * Appends the files of `word` to the list (malloc'd) and returns the new number of files. `word` is one of:
 *
 * - FILE: a file.
 * - FILE:NAME: an array in a file.
 * - FOLDER: all files in the folder whose names do not begin with a dot.
 * - a name with a pattern such as %04d: all files with a number of four or more digits.
 * - a glob (* ? [..]).
 *
 * A number with more digits than the pattern must not begin with 0. A file or folder that is called exactly
 * `word` has priority. If no file matches, an error() names the word. The flag *plain tells whether `word` is
 * the path of a file.
 */
extern int names_expand(const char *word, struct named_file **list, int n, bool *plain);

/** Appends a file to a list of n files and returns n + 1. */
extern int names_add(struct named_file **list, int n, struct named_file file);

/** For a data file X.img, returns the path X.hdr of the header (malloc'd). Both names may end in .gz. Returns
 * NULL for other names. */
extern char *names_header_of(const char *path);

/** Sorts files by name; digits are compared as numbers. */
extern void names_sort(int n, struct named_file list[]);

/** Warns of missing files if the sorted names differ only in one number. At least half of the steps between
 * numbers must equal the smallest step. The other steps must be multiples of the smallest step. */
extern void names_tell_gaps(int n, const struct named_file list[]);

/** Returns whether a name contains a number pattern such as %04d. Sets *before to the length of the text
 * before the pattern. Sets *after to the text after the pattern, and *digits to the minimal number of
 * digits. Two patterns are a usage_error(). */
extern bool names_pattern(const char *name, int *before, int *digits, const char **after);

#endif
