#ifndef MISC_FORMATS_DICOM_CODEC_H
#define MISC_FORMATS_DICOM_CODEC_H

#include <stddef.h>
#include <stdint.h>

/**
 * Decoders of compressed images of one sample per pixel, as in DICOM files. The functions do not end the
 * command: they return NULL, or the error (malloc'd, without the file name).
 */

/** What the file states about an image. */
struct picture {
	long cols, rows; // [pixels]
	int bits;        // of an element of the output: 8, 16 or 32
};

struct codec {
	const char *syntax;     // DICOM's transfer syntax (PS3.5, annex A)
	const char *name;       // "JPEG 2000"
	unsigned char start[2]; // every picture begins with these bytes; 0 0: it may begin with any

	/** Decompresses n bytes into cols x rows elements, row by row, in native byte order. NULL: the codec
	 * is not supported; only its name is known. */
	char *(*decode)(const struct picture *s, const unsigned char *p, size_t n, void *out);
};

/** The codec of a transfer syntax, or NULL. */
extern const struct codec *codec_find(const char *syntax);

extern char *rle_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpeg_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpegls_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpeg2000_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);

/* ---- for codecs ---- */

/** Checks that a compressed image has the size that the file states, one sample per pixel and at most s->bits
 * bits. Returns NULL or an error text. */
extern char *codec_check(
        const struct picture *s, const char *name, long cols, long rows, int samples, int bits);

/** out[i] = the lowest s->bits bits of v. */
extern void codec_store(const struct picture *s, void *out, long i, int32_t v);

/** A library that is opened on first use. */
struct codec_library {
	const char *name;           // "OpenJPEG"
	const char *package;        // Debian's
	const char *const *files;   // names to try, NULL behind the last
	const char *const *symbols; // that must be there, NULL behind the last
};

/** Opens the library; functions[i] becomes the address of the function named symbols[i]. Returns NULL, or an
 * error text that names the package to install. */
extern char *codec_open(const struct codec_library *l, const char *what, void *functions[]);

#endif
