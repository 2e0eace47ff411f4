#ifndef MISC_HASH_H
#define MISC_HASH_H

#include <stddef.h>

enum { HASH_TEXT = 33 };

/** Writes the XXH3-128 hash of a block as 32 hex digits. */
extern void hash_text(char text[HASH_TEXT], const void *data, size_t bytes);

/** Returns the lower half of the XXH3-128 hash of a block, for hash tables. */
extern unsigned long hash_number(const void *data, size_t bytes);

/** Computes one XXH3-128 hash of several consecutive blocks. The function hash_end() frees the hasher. */
struct hasher;
extern struct hasher *hash_begin(void);
extern void hash_add(struct hasher *h, const void *data, size_t bytes);
extern void hash_end(struct hasher *h, char text[HASH_TEXT]);

#endif
