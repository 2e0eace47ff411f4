#ifndef MISC_FORMATS_DICOM_CODEC_H
#define MISC_FORMATS_DICOM_CODEC_H

#include <stddef.h>
#include <stdint.h>

/** Decoders for compressed DICOM images with one sample per pixel. The functions return NULL on success, or
 * an error text without the file name (malloc'd). */

/** Image size and element size from the DICOM file. */
struct picture {
	long cols, rows; // [pixels]
	int bits;        // bits per element of the output: 8, 16 or 32
};

struct codec {
	const char *syntax;     // transfer syntax (DICOM PS3.5, annex A)
	const char *name;       // "JPEG 2000"
	unsigned char start[2]; // first two bytes of every compressed image, or 0 0 if unknown

	/** Decompresses n bytes into cols x rows elements, row by row, in native byte order. `decode` is NULL
	 * if this codec is not supported. */
	char *(*decode)(const struct picture *s, const unsigned char *p, size_t n, void *out);
};

/** Returns the codec of a transfer syntax, or NULL if the syntax is unknown. */
extern const struct codec *codec_find(const char *syntax);

extern char *rle_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpeg_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpegls_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);
extern char *jpeg2000_decode(const struct picture *s, const unsigned char *p, size_t n, void *out);

/* ---- for codecs ---- */

/** Checks that a compressed image has the size that the file states. The image must have one sample per pixel
 * and at most s->bits bits. */
extern char *codec_check(
        const struct picture *s, const char *name, long cols, long rows, int samples, int bits);

/** Sets out[i] to the lowest s->bits bits of v. */
extern void codec_store(const struct picture *s, void *out, long i, int32_t v);

/** A library that is opened on first use. */
struct codec_library {
	const char *name;           // "OpenJPEG"
	const char *package;        // name of the Debian package
	const char *const *files;   // file names to try; the last entry is NULL
	const char *const *symbols; // names of the functions; the last entry is NULL
};

/** Opens the library and sets functions[i] to the address of the function symbols[i]. */
extern char *codec_open(const struct codec_library *l, const char *what, void *functions[]);

#endif
