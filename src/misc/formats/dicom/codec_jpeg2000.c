/** JPEG 2000 through OpenJPEG 2, opened on first use. */

#include <stdlib.h>
#include <string.h>

#include "misc/formats/dicom/codec.h"
#include "misc/mem.h"

/* Types, constants and functions are those of OpenJPEG's interface. */
enum { CODEC_J2K = 0, CODEC_JP2 = 2, PARAMETERS = 1 << 16 /* bytes, more than they have */ };

struct component {
	uint32_t dx, dy, w, h, x0, y0, prec, bpp, sgnd, resno_decoded, factor;
	int32_t *data;
	uint16_t alpha;
};

struct image {
	uint32_t x0, y0, x1, y1, numcomps;
	int color_space;
	struct component *comps;
	unsigned char *icc_profile_buf;
	uint32_t icc_profile_len;
};

typedef void (*message_fn)(const char *text, void *ctx);

static struct {
	void *(*create)(int format);
	void (*destroy)(void *codec);
	void (*defaults)(void *parameters);
	int (*setup)(void *codec, void *parameters);
	int (*header)(void *stream, void *codec, struct image **image);
	int (*decode)(void *codec, void *stream, struct image *image);
	int (*end)(void *codec, void *stream);
	void (*free_image)(struct image *image);
	void *(*stream)(size_t piece, int is_input);
	void (*free_stream)(void *stream);
	void (*on_read)(void *stream, size_t (*fn)(void *out, size_t n, void *ctx));
	void (*on_skip)(void *stream, int64_t (*fn)(int64_t n, void *ctx));
	void (*on_seek)(void *stream, int (*fn)(int64_t at, void *ctx));
	void (*set_user)(void *stream, void *ctx, void (*destroy)(void *ctx));
	void (*set_length)(void *stream, uint64_t n);
	int (*on_error)(void *codec, message_fn fn, void *ctx);
} opj;

static char *open_openjpeg(void)
{
	static const char *const files[] = {"libopenjp2.so.7", "libopenjp2.so", NULL};
	static const char *const symbols[] = {"opj_create_decompress", "opj_destroy_codec",
	        "opj_set_default_decoder_parameters", "opj_setup_decoder", "opj_read_header", "opj_decode",
	        "opj_end_decompress", "opj_image_destroy", "opj_stream_create", "opj_stream_destroy",
	        "opj_stream_set_read_function", "opj_stream_set_skip_function",
	        "opj_stream_set_seek_function", "opj_stream_set_user_data", "opj_stream_set_user_data_length",
	        "opj_set_error_handler", NULL};
	static const struct codec_library library = {"OpenJPEG", "libopenjp2-7", files, symbols};

	return opj.on_error ? NULL : codec_open(&library, "JPEG 2000", (void **)&opj);
}

/* ---- the compressed bytes as a stream ---- */

struct memory {
	const unsigned char *p;
	size_t n, at;
	char said[160]; // the first error
};

static size_t read_memory(void *out, size_t n, void *ctx)
{
	struct memory *m = ctx;
	const size_t got = n < m->n - m->at ? n : m->n - m->at;

	if (0 == got)
		return (size_t)-1;

	memcpy(out, m->p + m->at, got);
	m->at += got;
	return got;
}

static int seek_memory(int64_t at, void *ctx)
{
	struct memory *m = ctx;

	if (at < 0 || (uint64_t)at > m->n)
		return 0;

	m->at = (size_t)at;
	return 1;
}

static int64_t skip_memory(int64_t n, void *ctx)
{
	struct memory *m = ctx;

	return seek_memory((int64_t)m->at + n, ctx) ? n : -1;
}

static void keep_error(const char *text, void *ctx)
{
	struct memory *m = ctx;

	if (m->said[0])
		return;

	strncpy(m->said, text, sizeof m->said - 1);
	m->said[strcspn(m->said, "\r\n")] = '\0';
}

/* ---- a picture ---- */

static char *failed(const struct memory *m)
{
	return mem_printf("JPEG 2000: damaged%s%s (OpenJPEG)", m->said[0] ? ": " : "", m->said);
}

/* As `prec` bits, which stand for themselves in two's complement too. */
static char *store(const struct picture *s, const struct image *image, const struct memory *m, void *out)
{
	const struct component *c = image->comps;

	if (!c->data || c->w != s->cols || c->h != s->rows)
		return failed(m);

	for (long i = 0; i < s->cols * s->rows; i++)
		codec_store(s, out, i, c->data[i]);

	return NULL;
}

static char *decode(void *codec, void *stream, struct image **image, const struct picture *s,
        const struct memory *m, void *out)
{
	unsigned char *parameters = mem_calloc(1, PARAMETERS);

	opj.defaults(parameters);

	const int good = opj.setup(codec, parameters) && opj.header(stream, codec, image) && *image;

	free(parameters);

	if (!good || (*image)->numcomps < 1)
		return failed(m);

	const struct component *c = (*image)->comps;
	char *why = codec_check(
	        s, "JPEG 2000", c->w, c->h, (int)(*image)->numcomps, c->prec > 32 ? 33 : (int)c->prec);

	if (why)
		return why;

	if (!opj.decode(codec, stream, *image) || !opj.end(codec, stream))
		return failed(m);

	return store(s, *image, m, out);
}

char *jpeg2000_decode(const struct picture *s, const unsigned char *p, size_t n, void *out)
{
	static const unsigned char box[8] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};
	char *why = open_openjpeg();

	if (why)
		return why;

	struct memory m = {.p = p, .n = n};
	struct image *image = NULL;
	void *codec = opj.create(n >= 8 && 0 == memcmp(p, box, 8) ? CODEC_JP2 : CODEC_J2K);
	void *stream = opj.stream(1 << 16, 1);

	if (codec && stream) {
		opj.on_error(codec, keep_error, &m);
		opj.on_read(stream, read_memory);
		opj.on_skip(stream, skip_memory);
		opj.on_seek(stream, seek_memory);
		opj.set_user(stream, &m, NULL);
		opj.set_length(stream, n);
		why = decode(codec, stream, &image, s, &m, out);
	} else {
		why = mem_strdup("JPEG 2000: OpenJPEG cannot be initialised");
	}

	if (image)
		opj.free_image(image);

	if (stream)
		opj.free_stream(stream);

	if (codec)
		opj.destroy(codec);

	return why;
}
