#ifndef MISC_FORMATS_ZIP_H
#define MISC_FORMATS_ZIP_H

#include <stdbool.h>

/** The files in a zip archive, of 4 GiB and more too (zip64), stored or deflated. */
struct zip_member {
	char *name;
	long offset;        // of its bytes in the archive
	long packed, bytes; // its sizes there and unpacked
	int method;         // 0 stored, 8 deflated
	unsigned crc;
};

/** Lists an archive (malloc'd, n members); error() when it is damaged or encrypted. */
extern struct zip_member *zip_list(const char *path, long *n);
extern void zip_free(struct zip_member *m, long n);

extern bool zip_is_stored(const struct zip_member *m);

/** The first at most `max` bytes of a member, unpacked (malloc'd), *got of them. error() if damaged; the
 * checksum is compared if these are all bytes. */
extern unsigned char *zip_read(const char *path, const struct zip_member *m, long max, long *got);

enum { ZIP_CRC_AT = 14 }; // in zip_begin(): four bytes, little-endian, to be filled in at the end

/** The start of an archive with one stored member of that name and size; then its bytes and zip_end() follow.
 * Both malloc'd, *length bytes. Sizes have 64 bits. */
extern unsigned char *zip_begin(const char *name, long bytes, long *length);
extern unsigned char *zip_end(const char *name, long bytes, unsigned crc, long *length);

#endif
