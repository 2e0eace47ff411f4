#include "misc/plot/png.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <setjmp.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

struct sink {
	FILE *stream;
	struct file_out *file;
	struct str *memory; // instead of a file
	const char *path;   // for messages
};

static _Noreturn void on_error(png_structp png, png_const_charp text)
{
	const struct sink *s = png_get_error_ptr(png);

	if (s->memory)
		error("%s: libpng: %s", s->path, text);

	errno = 0;
	file_failed(s->file, text);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	verbose("libpng: %s", text);
}

static void put(png_structp png, png_bytep data, size_t n)
{
	const struct sink *s = png_get_io_ptr(png);

	if (s->memory)
		str_addn(s->memory, (const char *)data, n);
	else if (n != fwrite(data, 1, n, s->stream))
		file_failed(s->file, NULL);
}

static void flush(png_structp png)
{
	(void)png;
}

static void write_header(png_structp png, png_infop info, const struct png_format *fmt)
{
	png_set_user_limits(png, PNG_MAX_SIDE, PNG_MAX_SIDE);
	png_set_IHDR(png, info, (png_uint_32)fmt->width, (png_uint_32)fmt->height, fmt->bits,
	        fmt->rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
	        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);

	// libpng's defaults take about twice the time, for files of nearly the same size
	png_set_compression_level(png, 3);
	png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE | PNG_FILTER_SUB | PNG_FILTER_UP);

	if (fmt->text) {
		png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
		        .key = (char *)"Comment",
		        .text = (char *)fmt->text};

		png_set_text(png, info, &text, 1);
	}

	png_write_info(png, info);

	const unsigned short probe = 1;
	if (16 == fmt->bits && *(const unsigned char *)&probe)
		png_set_swap(png); // samples in the file are big-endian
}

static void encode(struct sink *sink, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	assert(8 == fmt->bits || 16 == fmt->bits);
	assert(0 < fmt->width && fmt->width <= PNG_MAX_SIDE && 0 < fmt->height &&
	        fmt->height <= PNG_MAX_SIDE);

	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, on_error, on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!info)
		error("%s: libpng cannot be initialised", sink->path);

	png_set_write_fn(png, sink, put, flush);
	write_header(png, info, fmt);

	unsigned char *row = mem_alloc((size_t)fmt->width * (fmt->rgb ? 3 : 1) * (size_t)(fmt->bits / 8));

	for (long y = 0; y < fmt->height; y++) {
		fn(ctx, y, row);
		png_write_row(png, row);
	}

	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	free(row);
}

void png_write(struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	struct sink sink = {.stream = file_stream(f), .file = f, .path = path};

	encode(&sink, fmt, fn, ctx);
}

void png_encode(struct str *out, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	struct sink sink = {.memory = out, .path = path};

	encode(&sink, fmt, fn, ctx);
}

/* ---- reading ---- */

bool png_probe(const char *path)
{
	unsigned char magic[8];

	return sizeof magic == file_probe(path, magic, sizeof magic) &&
	       0 == png_sig_cmp(magic, 0, sizeof magic);
}

struct reader {
	const char *path;
	FILE *f;
	png_structp png;
	png_infop info;
	png_bytep *rows;
	char *why;
	jmp_buf jump;
};

static void on_read_error(png_structp png, png_const_charp text)
{
	struct reader *r = png_get_error_ptr(png);

	if (!r->why)
		r->why = mem_printf("%s: cannot be read as a PNG picture (libpng: %s)", r->path, text);

	longjmp(r->jump, 1);
}

static void open_reader(struct reader *r)
{
	long size;

	r->f = fdopen(file_open_regular(r->path, &size), "rb");

	r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, on_read_error, on_warning);
	r->info = r->png ? png_create_info_struct(r->png) : NULL;

	if (!r->info)
		r->why = mem_printf("%s: libpng cannot be initialised", r->path);
}

static void close_reader(struct reader *r)
{
	png_destroy_read_struct(&r->png, &r->info, NULL);
	free(r->rows);

	if (r->f)
		fclose(r->f);
}

static void read_header(struct reader *r, struct png_format *fmt, char **text)
{
	png_init_io(r->png, r->f);
	png_set_user_limits(r->png, PNG_MAX_SIDE, PNG_MAX_SIDE);
	png_read_info(r->png, r->info);

	const int bits = png_get_bit_depth(r->png, r->info);

	*fmt = (struct png_format){.width = png_get_image_width(r->png, r->info),
	        .height = png_get_image_height(r->png, r->info),
	        .bits = 16 == bits ? 16 : 8};

	if (PNG_COLOR_TYPE_GRAY != png_get_color_type(r->png, r->info)) {
		r->why = mem_printf(
		        "%s: a picture in colours or with transparency, expected grayscale", r->path);
		return;
	}

	png_textp list;
	int n = 0;

	png_get_text(r->png, r->info, &list, &n);

	for (int i = 0; text && i < n; i++)
		if (0 == strcmp(list[i].key, "Comment") && list[i].text && !*text)
			*text = mem_strdup(list[i].text);
}

char *png_scan(const char *path, struct png_format *fmt, char **text)
{
	struct reader r = {.path = path};

	open_reader(&r);

	if (!r.why && 0 == setjmp(r.jump))
		read_header(&r, fmt, text);

	close_reader(&r);
	return r.why;
}

static void read_pixels(struct reader *r, const struct png_format *fmt, void *out)
{
	const unsigned short probe = 1;
	struct png_format now;

	read_header(r, &now, NULL);

	if (!r->why && (now.width != fmt->width || now.height != fmt->height || now.bits != fmt->bits))
		r->why = mem_printf("%s: changed while it was being read", r->path);

	if (r->why)
		return;

	png_set_packing(r->png); // 1, 2, 4 bits

	if (16 == fmt->bits && *(const unsigned char *)&probe)
		png_set_swap(r->png);

	png_set_interlace_handling(r->png);
	png_read_update_info(r->png, r->info);
	r->rows = mem_alloc((size_t)fmt->height * sizeof *r->rows);

	for (long y = 0; y < fmt->height; y++)
		r->rows[y] = (png_bytep)out + y * fmt->width * (fmt->bits / 8);

	png_read_image(r->png, r->rows);
	png_read_end(r->png, NULL); // its checksums
}

char *png_read(const char *path, const struct png_format *fmt, void *out)
{
	struct reader r = {.path = path};

	open_reader(&r);

	if (!r.why && 0 == setjmp(r.jump))
		read_pixels(&r, fmt, out);

	close_reader(&r);
	return r.why;
}
