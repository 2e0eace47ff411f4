#ifndef MISC_FORMATS_KEYS_H
#define MISC_FORMATS_KEYS_H

#include <stdbool.h>

/** Lines "key<separator>value" of text headers (MetaImage, NRRD, EDF). */
struct key {
	char *name, *value; // blanks around them removed
};

struct keys {
	int n;
	struct key *v;
	const char *path; // for messages
};

/** Adds a pair: copies of the texts [name, name_end) and [value, value_end). */
extern void keys_add(
        struct keys *k, const char *name, const char *name_end, const char *value, const char *value_end);
extern void keys_free(struct keys *k);

/** The value of the first key of that name (upper and lower case alike), or NULL. */
extern const char *keys_get(const struct keys *k, const char *name);

/** Reads a value of n numbers, separated by blanks. Returns false if the key is missing; error() if the value
 * is malformed. Integers must be at least min. */
extern bool keys_longs(const struct keys *k, const char *name, int n, long min, long v[]);
extern bool keys_doubles(const struct keys *k, const char *name, int n, double v[]);

/** Like keys_get(); error() if the header has no such key. */
extern const char *keys_expect(const struct keys *k, const char *name);

#endif
