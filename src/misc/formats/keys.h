#ifndef MISC_FORMATS_KEYS_H
#define MISC_FORMATS_KEYS_H

#include <stdbool.h>

/** A line "key<separator>value" of a text header (MetaImage, NRRD, EDF). */
struct key {
	char *name, *value; // without leading and trailing blanks
};

struct keys {
	int n;
	struct key *v;
	const char *path; // for messages
};

/** Adds a key and a value, copied from [name, name_end) and [value, value_end). */
extern void keys_add(
        struct keys *k, const char *name, const char *name_end, const char *value, const char *value_end);
extern void keys_free(struct keys *k);

/** Returns the value of the first key with this name, or NULL. The case of letters is ignored. */
extern const char *keys_get(const struct keys *k, const char *name);

/** Reads n numbers, separated by blanks, from the value of a key. Returns false if the key is missing. A
 * malformed value or an integer below `min` is an error(). */
extern bool keys_longs(const struct keys *k, const char *name, int n, long min, long v[]);
extern bool keys_doubles(const struct keys *k, const char *name, int n, double v[]);

/** Works like keys_get(), but a missing key is an error(). */
extern const char *keys_expect(const struct keys *k, const char *name);

#endif
