#include "misc/png.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "misc/error.h"
#include "misc/mem.h"

struct sink {
	FILE *stream;
	const char *path;
};

static _Noreturn void on_error(png_structp png, png_const_charp text)
{
	const struct sink *s = png_get_error_ptr(png);

	error("%s: the picture cannot be written (libpng: %s)", s->path, text);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	verbose("libpng: %s", text);
}

static void put(png_structp png, png_bytep data, size_t n)
{
	const struct sink *s = png_get_io_ptr(png);

	if (n != fwrite(data, 1, n, s->stream))
		error("%s: the picture cannot be written: %s", s->path, strerror(errno));
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

	png_write_info(png, info);

	const unsigned short probe = 1;
	if (16 == fmt->bits && *(const unsigned char *)&probe)
		png_set_swap(png); // samples in the file are big-endian
}

void png_write(struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	assert(8 == fmt->bits || 16 == fmt->bits);
	assert(0 < fmt->width && fmt->width <= PNG_MAX_SIDE && 0 < fmt->height &&
	        fmt->height <= PNG_MAX_SIDE);

	struct sink sink = {file_stream(f), path};
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, on_error, on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!info)
		error("%s: libpng does not start", path);

	png_set_write_fn(png, &sink, put, flush);
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
