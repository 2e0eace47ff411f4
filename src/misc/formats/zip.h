#ifndef MISC_FORMATS_ZIP_H
#define MISC_FORMATS_ZIP_H

#include <stdbool.h>

/** A file in a zip archive, stored or deflated. Archives over 4 GiB (zip64) are supported. */
struct zip_member {
	char *name;
	long offset;        // of the data in the archive
	long packed, bytes; // compressed and decompressed size
	int method;         // 0 means stored, 8 means deflated
	unsigned crc;
};

/** Lists the *n files in an archive (malloc'd). A damaged or encrypted archive is an error(). */
extern struct zip_member *zip_list(const char *path, long *n);
extern void zip_free(struct zip_member *m, long n);

extern bool zip_is_stored(const struct zip_member *m);

/** Returns the first `max` or fewer decompressed bytes of a file (malloc'd). Sets *got to the number of
 * decompressed bytes. A damaged file is an error(). The checksum is verified if all bytes are read. */
extern unsigned char *zip_read(const char *path, const struct zip_member *m, long max, long *got);

enum { ZIP_CRC_AT = 14 }; // offset of the checksum in zip_begin(): 4 bytes, little-endian, set at the end

/**
 * These functions make an archive with one stored file. The results have *length bytes (malloc'd).
 *
 * - zip_begin(): returns the bytes before the data of the file.
 * - zip_end(): returns the bytes after the data of the file.
 */
extern unsigned char *zip_begin(const char *name, long bytes, long *length);
extern unsigned char *zip_end(const char *name, long bytes, unsigned crc, long *length);

#endif
