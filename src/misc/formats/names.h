#ifndef MISC_FORMATS_NAMES_H
#define MISC_FORMATS_NAMES_H

#include <stdbool.h>

/** Files that the words of a command line stand for. */
struct named_file {
	char *path;
	char *inside; // of "FILE.h5:/path" and "FILE.npz:name"; NULL = nothing named
};

/**
 * Appends what `word` stands for to list (malloc'd) and returns the new count: a file; FILE:NAME, an array in
 * a file; a folder, all files in it but those whose names begin with a dot; a name with a number pattern
 * (%d, %04d), the files there are, of at least that many digits; a glob (* ? [..]). error() naming the word
 * when there is nothing. *plain is set when the word is the path of an ordinary file. A file that bears the
 * very name comes first.
 */
extern int names_expand(const char *word, struct named_file **list, int n, bool *plain);

/** Appends a file to a list of n and returns the new count. */
extern int names_add(struct named_file **list, int n, struct named_file file);

/** X.hdr of the elements X.img, of either with .gz behind it (malloc'd); NULL for other names. */
extern char *names_header_of(const char *path);

/** Sorts them in the order of the numbers in their names. */
extern void names_sort(int n, struct named_file list[]);

/** Warns when numbers are missing in sorted names that differ in one number alone: when half of the steps
 * from name to name are the smallest one and others are multiples of it. */
extern void names_tell_gaps(int n, const struct named_file list[]);

/** Whether a name has a number pattern; *before the length of what stands before it, *digits its least width,
 * *after where it goes on. usage_error() when there are two. */
extern bool names_pattern(const char *name, int *before, int *digits, const char **after);

#endif
