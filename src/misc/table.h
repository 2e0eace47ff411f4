#ifndef MISC_TABLE_H
#define MISC_TABLE_H

#include <stdbool.h>

/**
 * Named columns of numbers from a text file: CSV with the names in the first line, or JSON lines, each a flat
 * object. Empty fields, null and fields that are not numbers become NaN.
 */
struct table {
	int columns;
	long rows;
	char **name;
	double **column; // [columns][rows]
};

/** Whether the file name has the extension of a table: .csv, .jsonl, .ndjson, .json. */
extern bool table_knows(const char *path);

/** Reads a file; if a line is malformed, error() naming the file and the line. */
extern struct table *table_read(const char *path);
extern void table_free(struct table *t);

/** The column of that name, or -1. */
extern int table_find(const struct table *t, const char *name);

#endif
