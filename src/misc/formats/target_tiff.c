/** TIFF 6.0 pages through libtiff; BigTIFF where 4 GiB do not suffice. The scale is in the resolution of
 * every page, our header in the description of the first. (ImageJ's own words there would make readers take
 * the pages for one run of elements.) */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tiffio.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/embed.h"
#include "misc/formats/target.h"
#include "misc/mem.h"
#include "misc/tiff.h"

struct pages {
	struct file_out *f;
	TIFF *tif;
	long page, pages, row; // next ones
	unsigned char *strip;  // of the row that is not complete yet
	long fill;             // bytes in it
};

static _Noreturn void fail(const struct target *t)
{
	const char *why = tiff_complaint();

	error("%s: cannot be written%s%s%s", t->path, *why ? " (libtiff: " : "", why, *why ? ")" : "");
}

static int sample_format(enum dtype t)
{
	return dtype_is_complex(t)                                               ? SAMPLEFORMAT_COMPLEXIEEEFP
	       : dtype_is_float(t)                                               ? SAMPLEFORMAT_IEEEFP
	       : DT_INT8 == t || DT_INT16 == t || DT_INT32 == t || DT_INT64 == t ? SAMPLEFORMAT_INT
	                                                                         : SAMPLEFORMAT_UINT;
}

static void begin_page(struct target *t)
{
	struct pages *p = t->ctx;
	const long bytes = t->h.dims[0] * (long)dtype_size(t->h.type);
	const long rows = bytes > 1 << 20 ? 1 : (1 << 20) / bytes;
	const bool has_scale = t->h.has_spacing && t->h.spacing[0] < 1e9 && t->h.spacing[1] < 1e9;

	TIFFSetField(p->tif, TIFFTAG_IMAGEWIDTH, (uint32_t)t->h.dims[0]);
	TIFFSetField(p->tif, TIFFTAG_IMAGELENGTH, (uint32_t)t->h.dims[1]);
	TIFFSetField(p->tif, TIFFTAG_BITSPERSAMPLE, (int)(8 * dtype_size(t->h.type)));
	TIFFSetField(p->tif, TIFFTAG_SAMPLESPERPIXEL, 1);
	TIFFSetField(p->tif, TIFFTAG_SAMPLEFORMAT, sample_format(t->h.type));
	TIFFSetField(p->tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	TIFFSetField(p->tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
	TIFFSetField(
	        p->tif, TIFFTAG_COMPRESSION, t->o->compress ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
	TIFFSetField(p->tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)(rows < t->h.dims[1] ? rows : t->h.dims[1]));

	if (has_scale) {
		TIFFSetField(p->tif, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
		TIFFSetField(p->tif, TIFFTAG_XRESOLUTION, 10. / t->h.spacing[0]);
		TIFFSetField(p->tif, TIFFTAG_YRESOLUTION, 10. / t->h.spacing[1]);
	}

	if (0 == p->page) {
		char *text = embed_text(&t->h);

		TIFFSetField(p->tif, TIFFTAG_IMAGEDESCRIPTION, text);
		TIFFSetField(p->tif, TIFFTAG_SOFTWARE, "gantry " GANTRY_VERSION);
		free(text);
	}

	p->row = 0;
}

static void put_row(struct target *t, const unsigned char *row)
{
	struct pages *p = t->ctx;

	if (0 == p->row)
		begin_page(t);

	// with compression libtiff may change the row
	if (row != p->strip)
		memcpy(p->strip, row, (size_t)(t->h.dims[0] * (long)dtype_size(t->h.type)));

	if (TIFFWriteScanline(p->tif, p->strip, (uint32_t)p->row, 0) < 0)
		fail(t);

	if (++p->row < t->h.dims[1])
		return;

	if (!TIFFWriteDirectory(p->tif))
		fail(t);

	p->row = 0;
	p->page++;
}

static void tiff_write(struct target *t, const void *data, long n)
{
	struct pages *p = t->ctx;
	const long line = t->h.dims[0] * (long)dtype_size(t->h.type);
	const unsigned char *in = data;

	for (long bytes = n * (long)dtype_size(t->h.type); bytes > 0;) {
		const long m = bytes < line - p->fill ? bytes : line - p->fill;

		memcpy(p->strip + p->fill, in, (size_t)m);
		p->fill += m;
		in += m;
		bytes -= m;

		if (p->fill == line) {
			put_row(t, p->strip);
			p->fill = 0;
		}
	}
}

static void tiff_finish(struct target *t)
{
	struct pages *p = t->ctx;

	TIFFClose(p->tif);

	if (*tiff_complaint())
		fail(t);

	file_commit(p->f);
	free(p->strip);
	free(p);
}

void target_tiff(struct target *t)
{
	struct pages *p = NEW(struct pages);
	const long bytes = hdr_bytes(&t->h, t->path), plane = t->h.dims[0] * t->h.dims[1];

	if (t->h.dims[0] > UINT32_MAX || t->h.dims[1] > UINT32_MAX)
		error("%s: %s, expected pages of at most 4294967295 x 4294967295 pixels", t->path,
		        hdr_shape(&t->h));

	p->pages = hdr_count(&t->h, t->path) / plane;
	p->strip = mem_alloc((size_t)t->h.dims[0] * dtype_size(t->h.type));
	p->f = file_create(t->path);

	// the list of strips and the tags need room too
	const bool large = bytes + p->pages * (512 + 16 * t->h.dims[1]) > 0xf0000000L;
	const int fd = dup(fileno(file_stream(p->f)));

	tiff_quiet();
	p->tif = fd < 0 ? NULL : TIFFFdOpen(fd, t->path, large ? "w8" : "w");
	t->ctx = p;

	if (!p->tif)
		fail(t);

	t->write = tiff_write;
	t->finish = tiff_finish;
}
