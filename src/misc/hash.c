/** Hashes of data: XXH3-128; for large files, of parts of the file. */

#include <stdio.h>
#include <xxhash.h>

#include "misc/error.h"
#include "misc/hash.h"

static void to_text(char text[HASH_TEXT], XXH128_hash_t h)
{
	snprintf(
	        text, HASH_TEXT, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

void hash_text(char text[HASH_TEXT], const void *data, size_t bytes)
{
	to_text(text, XXH3_128bits(data, bytes));
}

unsigned long hash_number(const void *data, size_t bytes)
{
	return XXH3_128bits(data, bytes).low64;
}

struct hasher *hash_begin(void)
{
	XXH3_state_t *state = XXH3_createState();

	if (!state || XXH_OK != XXH3_128bits_reset(state))
		error("out of memory for a checksum");

	return (struct hasher *)state;
}

void hash_add(struct hasher *h, const void *data, size_t bytes)
{
	XXH3_128bits_update((XXH3_state_t *)h, data, bytes);
}

void hash_end(struct hasher *h, char text[HASH_TEXT])
{
	to_text(text, XXH3_128bits_digest((XXH3_state_t *)h));
	XXH3_freeState((XXH3_state_t *)h);
}
