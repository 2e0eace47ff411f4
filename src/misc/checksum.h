#ifndef MISC_CHECKSUM_H
#define MISC_CHECKSUM_H

#include <stdbool.h>

#include "misc/hash.h"

/**
 * The section "# Checksum" of a header, written under GANTRY_CHECKSUM=1: `xxh3-128 DATA HEADER`. DATA is the
 * XXH3-128 of the elements in NAME.cfl. HEADER is the XXH3-128 of the header's other lines and DATA. Builds
 * without xxHash write `fnv1a-128` and hashes of this kind. Copied headers do not contain the section, since
 * a checksum is valid for one file only.
 */
enum { CHECKSUM_TEXT = 96 };

/** Whether outputs get a checksum. */
extern bool checksum_wanted(void);

/** Computes the value of the section from the header text without this section and from the hash of the
 * elements. */
extern void checksum_make(char value[CHECKSUM_TEXT], const char *header, const char data[HASH_TEXT]);

/** Compares the files of an array with the checksum; error() if one of them differs or there is no checksum.
 */
extern void checksum_verify(const char *name);

#endif
