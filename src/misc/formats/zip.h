#ifndef MISC_FORMATS_ZIP_H
#define MISC_FORMATS_ZIP_H

#include <stdbool.h>

/** The files in a zip archive, stored or deflated; archives over 4 GiB (zip64) are supported. */
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

/** Decompresses at most `max` bytes from the start of a member (malloc'd); *got: the number of decompressed
 * bytes. error() if the member is damaged; the checksum is verified if all bytes are read. */
extern unsigned char *zip_read(const char *path, const struct zip_member *m, long max, long *got);

enum { ZIP_CRC_AT = 14 }; // in zip_begin(): four bytes, little-endian, to be filled in at the end

/** zip_begin() makes the start of an archive with one stored member of this name and size. The bytes of the
 * member follow, then the result of zip_end(). Both results are malloc'd and have *length bytes. Sizes are
 * stored with 64 bits. */
extern unsigned char *zip_begin(const char *name, long bytes, long *length);
extern unsigned char *zip_end(const char *name, long bytes, unsigned crc, long *length);

#endif
