/** JPEG-LS through CharLS 2, opened on first use. */

#include <stdlib.h>

#include "misc/formats/dicom/codec.h"
#include "misc/mem.h"

/* Types and functions are those of CharLS's C interface. */
struct frame_info {
	uint32_t width, height;
	int32_t bits_per_sample, component_count;
};

static struct {
	void *(*create)(void);
	void (*destroy)(const void *decoder);
	int (*source)(void *decoder, const void *p, size_t n);
	int (*header)(void *decoder);
	int (*info)(const void *decoder, struct frame_info *info);
	int (*decode)(const void *decoder, void *out, size_t n, uint32_t stride);
	const char *(*message)(int error);
} charls;

static char *open_charls(void)
{
	static const char *const files[] = {
	        "libcharls.so.2", "libCharLS.so.2", "libcharls.so.3", "libcharls.so", NULL};
	static const char *const symbols[] = {"charls_jpegls_decoder_create", "charls_jpegls_decoder_destroy",
	        "charls_jpegls_decoder_set_source_buffer", "charls_jpegls_decoder_read_header",
	        "charls_jpegls_decoder_get_frame_info", "charls_jpegls_decoder_decode_to_buffer",
	        "charls_get_error_message", NULL};
	static const struct codec_library library = {"CharLS", "libcharls2", files, symbols};

	return charls.message ? NULL : codec_open(&library, "JPEG-LS", (void **)&charls);
}

static char *decode(void *decoder, const struct picture *s, const unsigned char *p, size_t n, void *out)
{
	struct frame_info f = {0};
	int status = charls.source(decoder, p, n);

	status = status ? status : charls.header(decoder);
	status = status ? status : charls.info(decoder, &f);

	if (status)
		return mem_printf("JPEG-LS: %s (CharLS)", charls.message(status));

	char *why = codec_check(s, "JPEG-LS", f.width, f.height, f.component_count, f.bits_per_sample);

	if (why)
		return why;

	const long count = s->cols * s->rows;
	const size_t size = f.bits_per_sample > 8 ? 2 : 1;
	unsigned char *pixels = mem_alloc((size_t)count * size);

	status = charls.decode(decoder, pixels, (size_t)count * size, 0);

	for (long i = 0; i < count && !status; i++)
		codec_store(s, out, i, 1 == size ? pixels[i] : ((const uint16_t *)(void *)pixels)[i]);

	free(pixels);
	return status ? mem_printf("JPEG-LS: %s (CharLS)", charls.message(status)) : NULL;
}

char *jpegls_decode(const struct picture *s, const unsigned char *p, size_t n, void *out)
{
	char *why = open_charls();

	if (why)
		return why;

	void *decoder = charls.create();

	why = decoder ? decode(decoder, s, p, n, out) : mem_strdup("JPEG-LS: CharLS cannot be initialised");

	if (decoder)
		charls.destroy(decoder);

	return why;
}
