#ifndef MISC_TABLE_H
#define MISC_TABLE_H

#include <stdbool.h>

/**
 * Named columns of numbers from a text file. The file is CSV with names in the first line, or JSON lines
 * with flat objects. Missing values, and values that are not numbers, become NaN.
 */
struct table {
	int columns;
	long rows;
	char **name;
	double **column; // [columns][rows]
};

/** Returns whether the file name ends in .csv, .jsonl, .ndjson or .json. */
extern bool table_knows(const char *path);

/** Reads a file. A malformed line is an error() with the file and the line number. A file without rows is
 * an error(). */
extern struct table *table_read(const char *path);
extern void table_free(struct table *t);

/** Returns the column with this name, or -1. */
extern int table_find(const struct table *t, const char *name);

#endif
