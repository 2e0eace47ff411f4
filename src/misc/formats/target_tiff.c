/** TIFF pages: plain ones behind a head of our own, compressed ones through libtiff. The scale is in the
 * resolution of every page and, for ImageJ, in the description of the first, where our header follows;
 * OME-TIFF has its XML there. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/embed.h"
#include "misc/formats/ome.h"
#include "misc/formats/target.h"
#include "misc/formats/tiff.h"
#include "misc/formats/tiff_head.h"
#include "misc/formats/tiff_library.h"
#include "misc/mem.h"

struct pages {
	struct file_out *f;
	TIFF *tif;
	long page, pages, row; // next ones
	unsigned char *strip;  // of the row that is not complete yet
	long fill;             // bytes in it
	char *description;     // of the first page
};

static _Noreturn void fail(const struct target *t)
{
	const struct pages *p = t->ctx;
	const char *why = tiff_complaint();

	file_failed(p->f, *why ? mem_printf("libtiff: %s", why) : NULL);
}

static int sample_format(enum dtype t)
{
	return dtype_is_complex(t)                                               ? SAMPLEFORMAT_COMPLEXIEEEFP
	       : dtype_is_float(t)                                               ? SAMPLEFORMAT_IEEEFP
	       : DT_INT8 == t || DT_INT16 == t || DT_INT32 == t || DT_INT64 == t ? SAMPLEFORMAT_INT
	                                                                         : SAMPLEFORMAT_UINT;
}

static bool has_scale(const struct hdr *h)
{
	return h->has_spacing && fmin(h->spacing[0], h->spacing[1]) > 1e-8 &&
	       fmax(h->spacing[0], h->spacing[1]) < 1e9;
}

static long rows_of_strip(const struct hdr *h)
{
	const long line = h->dims[0] * (long)dtype_size(h->type),
	           rows = line > 1 << 20 ? 1 : (1 << 20) / line;

	return rows < h->dims[1] ? rows : h->dims[1];
}

/* What ImageJ reads, in the unit of the resolution, and our header. */
static char *describe(const struct hdr *h, long pages)
{
	struct str s = {0};
	char *text = embed_text(h);

	if (has_scale(h)) {
		str_add(&s, "ImageJ=1.54f\n");

		if (pages > 1)
			str_printf(&s, "slices=%ld\n", pages);

		str_add(&s, "unit=cm\nspacing=");
		str_add_double(&s, h->spacing[2] / 10., 15);
		str_add(&s, "\nloop=false\n");
	}

	str_add(&s, text);
	free(text);
	return s.data;
}

static void begin_page(struct target *t)
{
	struct pages *p = t->ctx;

	libtiff()->SetField(p->tif, TIFFTAG_IMAGEWIDTH, (uint32_t)t->h.dims[0]);
	libtiff()->SetField(p->tif, TIFFTAG_IMAGELENGTH, (uint32_t)t->h.dims[1]);
	libtiff()->SetField(p->tif, TIFFTAG_BITSPERSAMPLE, (int)(8 * dtype_size(t->h.type)));
	libtiff()->SetField(p->tif, TIFFTAG_SAMPLESPERPIXEL, 1);
	libtiff()->SetField(p->tif, TIFFTAG_SAMPLEFORMAT, sample_format(t->h.type));
	libtiff()->SetField(p->tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
	libtiff()->SetField(p->tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
	libtiff()->SetField(p->tif, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
	libtiff()->SetField(p->tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)rows_of_strip(&t->h));

	if (has_scale(&t->h)) {
		libtiff()->SetField(p->tif, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
		libtiff()->SetField(p->tif, TIFFTAG_XRESOLUTION, 10. / t->h.spacing[0]);
		libtiff()->SetField(p->tif, TIFFTAG_YRESOLUTION, 10. / t->h.spacing[1]);
	}

	if (0 == p->page) {
		libtiff()->SetField(p->tif, TIFFTAG_IMAGEDESCRIPTION, p->description);
		libtiff()->SetField(p->tif, TIFFTAG_SOFTWARE, "gantry " GANTRY_VERSION);
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

	if (libtiff()->WriteScanline(p->tif, p->strip, (uint32_t)p->row, 0) < 0)
		fail(t);

	if (++p->row < t->h.dims[1])
		return;

	if (!libtiff()->WriteDirectory(p->tif))
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

	libtiff()->Close(p->tif);

	if (*tiff_complaint())
		fail(t);

	file_commit(p->f);
	free(p->description);
	free(p->strip);
	free(p);
}

static void start_plain(struct target *t, const char *description)
{
	struct tiff_head head = {.h = &t->h,
	        .description = description,
	        .sample_format = sample_format(t->h.type),
	        .rows = rows_of_strip(&t->h)};

	for (int d = 0; d < 2 && has_scale(&t->h); d++)
		head.resolution[d] = 10. / t->h.spacing[d];

	struct str s = tiff_head_format(&head);

	target_plain(t, s.data, (long)s.len, PACK_NONE);
	free(s.data);
}

/* The description is taken over. */
static void start_compressed(struct target *t, char *description)
{
	struct pages *p = NEW(struct pages);
	const long bytes = hdr_bytes(&t->h, t->path), plane = t->h.dims[0] * t->h.dims[1];

	p->pages = hdr_count(&t->h, t->path) / plane;
	p->strip = mem_alloc((size_t)t->h.dims[0] * dtype_size(t->h.type));
	p->description = description;
	p->f = file_create(t->path);

	// the list of strips and the tags need room too
	const bool large = bytes + p->pages * (512 + 16 * t->h.dims[1]) > 0xf0000000L;
	const int fd = dup(fileno(file_stream(p->f)));

	tiff_quiet();
	p->tif = fd < 0 ? NULL : libtiff()->FdOpen(fd, t->path, large ? "w8" : "w");
	t->ctx = p;

	if (!p->tif)
		fail(t);

	t->write = tiff_write;
	t->finish = tiff_finish;
}

static void start(struct target *t, char *description)
{
	if (t->h.dims[0] > UINT32_MAX || t->h.dims[1] > UINT32_MAX)
		error("%s: the array is %s, expected pages of at most 4294967295 x 4294967295 pixels",
		        t->path, hdr_shape(&t->h));

	if (t->o->compress) {
		start_compressed(t, description);
		return;
	}

	start_plain(t, description);
	free(description);
}

void target_tiff(struct target *t)
{
	start(t, describe(&t->h, hdr_count(&t->h, t->path) / (t->h.dims[0] * t->h.dims[1])));
}

void target_ome_tiff(struct target *t)
{
	start(t, ome_format(&t->h));
}
