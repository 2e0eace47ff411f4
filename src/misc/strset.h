#ifndef MISC_STRSET_H
#define MISC_STRSET_H

#include <stdbool.h>
#include <stddef.h>

/** Set of strings. A set is initialised with zeros and released with strset_free(). */
struct strset {
	size_t n, room;
	char **table; // hash table; NULL means free
};

/** Adds a copy of the text. Returns false if the set already contains the text. */
extern bool strset_add(struct strset *s, const char *text);

extern bool strset_has(const struct strset *s, const char *text);
extern void strset_free(struct strset *s);

#endif
