#ifndef MISC_HASH_H
#define MISC_HASH_H

#include <stddef.h>

enum { HASH_TEXT = 33 };

/** XXH3-128 of a block as 32 hex digits. */
extern void hash_text(char text[HASH_TEXT], const void *data, size_t bytes);

/** Half of the XXH3-128 of a block as a number, for tables in memory. */
extern unsigned long hash_number(const void *data, size_t bytes);

/** XXH3-128 of blocks one after the other; hash_end() releases the state. */
struct hasher;
extern struct hasher *hash_begin(void);
extern void hash_add(struct hasher *h, const void *data, size_t bytes);
extern void hash_end(struct hasher *h, char text[HASH_TEXT]);

#endif
