#ifndef MISC_CHECKSUM_H
#define MISC_CHECKSUM_H

#include <stdbool.h>

#include "misc/hash.h"

/**
 * If GANTRY_CHECKSUM is 1, the header of a new array contains a section "# Checksum" with this value:
 *
 *     xxh3-128 DATA HEADER
 *
 * DATA is the XXH3-128 hash of NAME.cfl. HEADER is the XXH3-128 hash of the other header lines and DATA.
 * Builds without xxHash compute FNV-1a hashes and write `fnv1a-128`. The section "# Checksum" is never copied
 * to another array.
 */
enum { CHECKSUM_TEXT = 96 };

/** Returns whether the environment variable GANTRY_CHECKSUM is 1. */
extern bool checksum_wanted(void);

/** Computes the value of the section "# Checksum". `header` is the header text without this section. `data`
 * is the hash of the elements. */
extern void checksum_make(char value[CHECKSUM_TEXT], const char *header, const char data[HASH_TEXT]);

/** Compares the files of array `name` with the checksum in the header. Calls error() if a file differs or the
 * header has no checksum. */
extern void checksum_verify(const char *name);

#endif
