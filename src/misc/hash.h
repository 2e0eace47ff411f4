#ifndef MISC_HASH_H
#define MISC_HASH_H

#include <stddef.h>

enum { HASH_TEXT = 33 };

/** Writes the XXH3-128 hash of a block as 32 hex digits. */
extern void hash_text(char text[HASH_TEXT], const void *data, size_t bytes);

/** Returns the lower half of the XXH3-128 hash of a block, for tables in memory. */
extern unsigned long hash_number(const void *data, size_t bytes);

/** Computes the XXH3-128 hash of several blocks in order. The function hash_end() frees the hasher. */
struct hasher;
extern struct hasher *hash_begin(void);
extern void hash_add(struct hasher *h, const void *data, size_t bytes);
extern void hash_end(struct hasher *h, char text[HASH_TEXT]);

#endif
