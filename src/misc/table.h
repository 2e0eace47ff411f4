#ifndef MISC_TABLE_H
#define MISC_TABLE_H

#include <stdbool.h>

/**
 * Columns of numbers with names, from a text file: CSV whose first line holds the names, or JSON lines, a
 * flat object each. Empty and null fields and those that are not numbers are NaN.
 */
struct table {
	int columns;
	long rows;
	char **name;
	double **column; // [columns][rows]
};

/** Whether the file's name is that of such a table: .csv, .jsonl, .ndjson, .json. */
extern bool table_knows(const char *path);

/** error() naming the file and the malformed line. */
extern struct table *table_read(const char *path);
extern void table_free(struct table *t);

/** The column of that name, or -1. */
extern int table_find(const struct table *t, const char *name);

#endif
