#ifndef MINIMAL_XXHASH_XXHASH_H
#define MINIMAL_XXHASH_XXHASH_H

/** Replaces xxHash if xxHash is not installed (make XXHASH=0). The functions have the names of xxHash, but
 * compute FNV-1a hashes of 128 bits. FNV-1a is a hash by G. Fowler, L. C. Noll and K.-P. Vo. The IDs in
 * histories therefore differ between builds with and without xxHash. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define XXH_STAND_IN

typedef struct {
	uint64_t low64, high64;
} XXH128_hash_t;

typedef struct {
	unsigned __int128 v;
} XXH3_state_t;

enum { XXH_OK };

static inline int XXH3_128bits_reset(XXH3_state_t *s)
{
	s->v = (unsigned __int128)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du;

	return XXH_OK;
}

static inline int XXH3_128bits_update(XXH3_state_t *s, const void *data, size_t n)
{
	const unsigned __int128 prime = (unsigned __int128)0x1000000u << 64 | 0x13bu;
	const unsigned char *p = (const unsigned char *)data;

	for (size_t i = 0; i < n; i++)
		s->v = (s->v ^ p[i]) * prime;

	return XXH_OK;
}

static inline XXH128_hash_t XXH3_128bits_digest(const XXH3_state_t *s)
{
	return (XXH128_hash_t){(uint64_t)s->v, (uint64_t)(s->v >> 64)};
}

static inline XXH128_hash_t XXH3_128bits(const void *data, size_t n)
{
	XXH3_state_t s;

	XXH3_128bits_reset(&s);
	XXH3_128bits_update(&s, data, n);

	return XXH3_128bits_digest(&s);
}

static inline XXH3_state_t *XXH3_createState(void)
{
	return (XXH3_state_t *)malloc(sizeof(XXH3_state_t));
}

static inline void XXH3_freeState(XXH3_state_t *s)
{
	free(s);
}

#endif
