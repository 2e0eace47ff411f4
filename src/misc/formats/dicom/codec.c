/** The compressed transfer syntaxes of DICOM [1].
 *
 * RLE and JPEG (8 and 12 bits, lossless) are decoded by code of Gantry; JPEG-LS and JPEG 2000 by libraries
 * that are opened on first use.
 *
 * [1] DICOM PS3.5, annex A.4
 */

#include "misc/formats/dicom/codec.h"

#include <dlfcn.h>
#include <string.h>

#include "misc/mem.h"

static const struct codec codecs[] = {
        {"1.2.840.10008.1.2.5", "RLE", {0, 0}, rle_decode},
        {"1.2.840.10008.1.2.4.50", "JPEG baseline", {0xff, 0xd8}, jpeg_decode},
        {"1.2.840.10008.1.2.4.51", "JPEG extended", {0xff, 0xd8}, jpeg_decode},
        {"1.2.840.10008.1.2.4.57", "JPEG lossless", {0xff, 0xd8}, jpeg_decode},
        {"1.2.840.10008.1.2.4.70", "JPEG lossless", {0xff, 0xd8}, jpeg_decode},
        {"1.2.840.10008.1.2.4.80", "JPEG-LS", {0xff, 0xd8}, jpegls_decode},
        {"1.2.840.10008.1.2.4.81", "JPEG-LS", {0xff, 0xd8}, jpegls_decode},
        {"1.2.840.10008.1.2.4.90", "JPEG 2000", {0xff, 0x4f}, jpeg2000_decode},
        {"1.2.840.10008.1.2.4.91", "JPEG 2000", {0xff, 0x4f}, jpeg2000_decode},
        {"1.2.840.10008.1.2.4.201", "High-Throughput JPEG 2000", {0xff, 0x4f}, jpeg2000_decode},
        {"1.2.840.10008.1.2.4.202", "High-Throughput JPEG 2000", {0xff, 0x4f}, jpeg2000_decode},
        {"1.2.840.10008.1.2.4.203", "High-Throughput JPEG 2000", {0xff, 0x4f}, jpeg2000_decode},
        {"1.2.840.10008.1.2.4.92", "JPEG 2000 part 2", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.93", "JPEG 2000 part 2", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.100", "MPEG-2", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.101", "MPEG-2", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.102", "MPEG-4", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.103", "MPEG-4", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.110", "JPEG XL", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.111", "JPEG XL", {0, 0}, NULL},
        {"1.2.840.10008.1.2.4.112", "JPEG XL", {0, 0}, NULL},
};

const struct codec *codec_find(const char *syntax)
{
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
		if (0 == strcmp(codecs[i].syntax, syntax))
			return &codecs[i];

	return NULL;
}

char *codec_check(const struct picture *s, const char *name, long cols, long rows, int samples, int bits)
{
	if (1 != samples)
		return mem_printf("%s: %d samples per pixel, expected one", name, samples);

	if (cols != s->cols || rows != s->rows)
		return mem_printf("%s: a picture of %ld x %ld pixels, expected %ld x %ld", name, cols, rows,
		        s->cols, s->rows);

	if (bits < 1 || bits > s->bits)
		return mem_printf("%s: pixels of %d bits, expected 1 to %d", name, bits, s->bits);

	return NULL;
}

void codec_store(const struct picture *s, void *out, long i, int32_t v)
{
	if (8 == s->bits)
		((uint8_t *)out)[i] = (uint8_t)v;
	else if (16 == s->bits)
		((uint16_t *)out)[i] = (uint16_t)v;
	else
		((int32_t *)out)[i] = v;
}

char *codec_open(const struct codec_library *l, const char *what, void *functions[])
{
	void *lib = NULL;

	for (int i = 0; l->files[i] && !lib; i++)
		lib = dlopen(l->files[i], RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return mem_printf("pixels compressed as %s need the library %s, which is not installed "
		                  "(Debian: apt-get install %s)",
		        what, l->name, l->package);

	for (int i = 0; l->symbols[i]; i++) {
		functions[i] = dlsym(lib, l->symbols[i]);

		if (!functions[i])
			return mem_printf("the library %s here has no %s, a newer one is needed", l->name,
			        l->symbols[i]);
	}

	return NULL;
}
