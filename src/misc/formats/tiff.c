#include "misc/formats/tiff.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/foreign.h"
#include "misc/formats/tiff_library.h"
#include "misc/mem.h"

/* libtiff reports through process-wide handlers; each thread keeps the first message about its open file.
 */
static _Thread_local char complaint[256];

static void keep_error(const char *module, const char *fmt, va_list ap)
{
	(void)module;
	if (!complaint[0]) // the first one is the cause
		vsnprintf(complaint, sizeof complaint, fmt, ap);
}

static void tell_warning(const char *module, const char *fmt, va_list ap)
{
	char text[256];

	vsnprintf(text, sizeof text, fmt, ap);
	verbose("libtiff: %s: %s", module ? module : "", text);
}

void tiff_quiet(void)
{
	libtiff()->SetErrorHandler(keep_error);
	libtiff()->SetWarningHandler(tell_warning);
	complaint[0] = '\0';
}

const char *tiff_complaint(void)
{
	return complaint;
}

static TIFF *open_quietly(const char *path)
{
	tiff_quiet();

	long size;

	// m: read(2), because a mapped file that is cut short would kill the process
	return libtiff()->FdOpen(file_open_regular(path, &size), path, "rm");
}

static char *failure(const char *path, const char *what)
{
	if (complaint[0])
		return mem_printf("%s: %s (libtiff: %s)", path, what, complaint);

	return mem_printf("%s: %s", path, what);
}

bool tiff_probe(const char *path)
{
	unsigned char head[132] = {0};
	const long n = file_probe(path, head, sizeof head);

	// DICOM files may have a directory of TIFF in their preamble, which need not be a good one
	return n >= 4 && 0 != memcmp(head + 128, "DICM", 4) &&
	       (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) || !memcmp(head, "II+\0", 4) ||
	               !memcmp(head, "MM\0+", 4));
}

/* Element type of SampleFormat and BitsPerSample, or -1. */
static int sample_type(int format, int bits)
{
	static const struct {
		int format, bits;
		enum dtype type;
	} types[] = {
	        {SAMPLEFORMAT_UINT, 8, DT_UINT8},
	        {SAMPLEFORMAT_UINT, 16, DT_UINT16},
	        {SAMPLEFORMAT_UINT, 32, DT_UINT32},
	        {SAMPLEFORMAT_UINT, 64, DT_UINT64},
	        {SAMPLEFORMAT_INT, 8, DT_INT8},
	        {SAMPLEFORMAT_INT, 16, DT_INT16},
	        {SAMPLEFORMAT_INT, 32, DT_INT32},
	        {SAMPLEFORMAT_INT, 64, DT_INT64},
	        {SAMPLEFORMAT_IEEEFP, 16, DT_FLOAT16},
	        {SAMPLEFORMAT_IEEEFP, 32, DT_FLOAT32},
	        {SAMPLEFORMAT_IEEEFP, 64, DT_FLOAT64},
	        {SAMPLEFORMAT_COMPLEXIEEEFP, 64, DT_COMPLEX64},
	        {SAMPLEFORMAT_COMPLEXIEEEFP, 128, DT_COMPLEX128},
	};

	if (SAMPLEFORMAT_VOID == format)
		format = SAMPLEFORMAT_UINT;

	for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].format == format && types[i].bits == bits)
			return (int)types[i].type;

	return -1;
}

static const char *format_name(int format)
{
	switch (format) {
	case SAMPLEFORMAT_INT:
		return "signed";
	case SAMPLEFORMAT_IEEEFP:
		return "float";
	case SAMPLEFORMAT_COMPLEXINT:
	case SAMPLEFORMAT_COMPLEXIEEEFP:
		return "complex";
	default:
		return "unsigned";
	}
}

/* The tags of the current page. */
static char *describe(TIFF *tif, const char *path, struct tiff_page *p)
{
	uint32_t w = 0, h = 0;
	uint16_t samples = 1, bits = 1, format = SAMPLEFORMAT_UINT, photometric = PHOTOMETRIC_MINISBLACK,
	         orientation = ORIENTATION_TOPLEFT, compression = COMPRESSION_NONE;

	libtiff()->GetField(tif, TIFFTAG_IMAGEWIDTH, &w);
	libtiff()->GetField(tif, TIFFTAG_IMAGELENGTH, &h);
	libtiff()->GetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
	libtiff()->GetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &bits);
	libtiff()->GetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &format);
	libtiff()->GetField(tif, TIFFTAG_PHOTOMETRIC, &photometric);
	libtiff()->GetFieldDefaulted(tif, TIFFTAG_ORIENTATION, &orientation);
	libtiff()->GetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &compression);

	if (0 == w || 0 == h)
		return failure(path, "a page without pixels");

	if (1 != samples)
		return mem_printf("%s: %d samples per pixel (a colour picture?), expected one: grayscale",
		        path, samples);

	if (PHOTOMETRIC_PALETTE == photometric)
		return mem_printf("%s: the pixels are indices into a colour table, expected grayscale", path);

	int type = sample_type(format, bits);

	if (type < 0)
		return mem_printf("%s: %d-bit %s samples, expected integers of 8, 16, 32 or 64 bits or "
		                  "floats of 16, 32 or 64",
		        path, bits, format_name(format));

	if (!libtiff()->IsCODECConfigured(compression))
		return mem_printf("%s: compression %d, which this libtiff cannot read", path, compression);

	*p = (struct tiff_page){
	        .width = w,
	        .height = h,
	        .type = (enum dtype)type,
	        .offset = libtiff()->CurrentDirOffset(tif),
	        .white_is_zero = PHOTOMETRIC_MINISWHITE == photometric,
	        .turned = ORIENTATION_TOPLEFT != orientation,
	};

	return NULL;
}

static bool is_thumbnail(TIFF *tif)
{
	uint32_t subtype = 0;

	libtiff()->GetField(tif, TIFFTAG_SUBFILETYPE, &subtype);

	return 0 != (subtype & FILETYPE_REDUCEDIMAGE);
}

/* The number of pictures in ImageJ's comment. */
static long imagej_pictures(const char *text)
{
	const char *n = strstr(text, "\nimages=");

	return n ? strtol(n + 8, NULL, 10) : 0;
}

/* Those in the comment of tifffile's truncated series, as {"shape": [9, 5, 7], "truncated": true}, 0 where
 * pages of this size do not give the shape. */
static long shaped_pictures(const char *text, const struct tiff_page *page)
{
	const char *at = strstr(text, "\"shape\": [");
	const long size = page->width * page->height;
	long count = 1;

	if (!at || !strstr(text, "\"truncated\": true"))
		return 0;

	for (at += strlen("\"shape\": ["); ']' != *at; at += strspn(at, ", ")) {
		char *end;
		const long n = strtol(at, &end, 10);

		if (end == at || n <= 0 || n > (1L << 60) / count)
			return 0;

		count *= n;
		at = end;
	}

	return 0 == count % size ? count / size : 0;
}

/* How many pictures the comment of the current page says, 0 = says none. */
static long told_pictures(TIFF *tif, const struct tiff_page *page)
{
	char *text = NULL;

	if (!libtiff()->GetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text) || !text)
		return 0;

	if (0 == strncmp(text, "ImageJ=", 7))
		return imagej_pictures(text);

	return '{' == text[0] ? shaped_pictures(text, page) : 0;
}

/* Where the elements of the current page begin when they follow each other as they are, else 0. */
static long plain_elements(TIFF *tif)
{
	uint16_t compression = COMPRESSION_NONE;
	uint64_t *at = NULL, *bytes = NULL;

	libtiff()->GetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &compression);

	if (COMPRESSION_NONE != compression || libtiff()->IsTiled(tif) ||
	        !libtiff()->GetField(tif, TIFFTAG_STRIPOFFSETS, &at) ||
	        !libtiff()->GetField(tif, TIFFTAG_STRIPBYTECOUNTS, &bytes))
		return 0;

	for (uint32_t i = 1; i < libtiff()->NumberOfStrips(tif); i++)
		if (at[i] != at[i - 1] + bytes[i - 1])
			return 0;

	return at[0] < 1UL << 62 ? (long)at[0] : 0;
}

/* The n pictures whose elements begin at `first`, behind the only directory of one of ImageJ's large stacks
 * or tifffile's truncated series. */
static void add_pictures(TIFF *tif, struct tiff_page **pages, long *count, long n, long first)
{
	const struct tiff_page page = **pages;
	const long line = page.width * (long)dtype_size(page.type);
	struct stat st;

	if (0 == first || 0 != fstat(libtiff()->Fileno(tif), &st) ||
	        (st.st_size - first) / line / page.height < n) {
		(*pages)->cut = true;
		return;
	}

	*pages = mem_realloc(*pages, (size_t)n * sizeof **pages);
	*count = n;

	for (long i = 0; i < n; i++) {
		(*pages)[i] = page;
		(*pages)[i].data = first + i * line * page.height;
	}
}

static char *scan_pages(TIFF *tif, const char *path, struct tiff_page **pages, long *count)
{
	long room = 0, pictures = 0, first = 0;

	do {
		if (is_thumbnail(tif))
			continue;

		if (*count == room) {
			room = room ? 2 * room : 1;
			*pages = mem_realloc(*pages, (size_t)room * sizeof **pages);
		}

		char *why = describe(tif, path, &(*pages)[*count]);

		if (why)
			return why;

		if (0 == *count) {
			pictures = told_pictures(tif, *pages);
			first = pictures > 1 ? plain_elements(tif) : 0;
		}

		++*count;
	} while (libtiff()->ReadDirectory(tif));

	if (complaint[0])
		return failure(path, "the list of pages is damaged");

	if (1 == *count && pictures > 1)
		add_pictures(tif, pages, count, pictures, first);

	return 0 == *count ? failure(path, "holds no full-size page") : NULL;
}

char *tiff_scan(const char *path, struct tiff_page **pages, long *count)
{
	*pages = NULL;
	*count = 0;

	TIFF *tif = open_quietly(path);

	if (!tif)
		return failure(path, "cannot be read as a TIFF file");

	char *why = scan_pages(tif, path, pages, count);

	libtiff()->Close(tif);

	return why;
}

static char *read_strips(TIFF *tif, const char *path, const struct tiff_page *page, char *out)
{
	uint32_t rows = 0;
	long line = page->width * (long)dtype_size(page->type);

	libtiff()->GetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &rows);
	if (0 == rows || rows > page->height)
		rows = (uint32_t)page->height;

	for (long y = 0; y < page->height; y += rows) {
		long n = line * (page->height - y < rows ? page->height - y : rows);
		tmsize_t got = libtiff()->ReadEncodedStrip(tif, (uint32_t)(y / rows), out + y * line, n);

		if (got != n)
			return failure(path, "the pixels cannot be read");
	}

	return NULL;
}

static char *read_tiles(TIFF *tif, const char *path, const struct tiff_page *page, char *out)
{
	uint32_t tw = 0, th = 0;
	long size = (long)dtype_size(page->type), line = page->width * size;

	libtiff()->GetField(tif, TIFFTAG_TILEWIDTH, &tw);
	libtiff()->GetField(tif, TIFFTAG_TILELENGTH, &th);

	if (0 == tw || 0 == th || (tmsize_t)tw * th > (1L << 30) / size ||
	        libtiff()->TileSize(tif) != (tmsize_t)tw * th * size)
		return mem_printf("%s: tiles of %u x %u pixels, expected up to 1 GiB each", path, tw, th);

	char *tile = mem_alloc((size_t)libtiff()->TileSize(tif));
	char *why = NULL;

	for (long y = 0; y < page->height && !why; y += th)
		for (long x = 0; x < page->width && !why; x += tw) {
			long nx = page->width - x < tw ? page->width - x : tw;
			long ny = page->height - y < th ? page->height - y : th;

			if (libtiff()->ReadTile(tif, tile, (uint32_t)x, (uint32_t)y, 0, 0) !=
			        libtiff()->TileSize(tif))
				why = failure(path, "the pixels cannot be read");

			for (long j = 0; j < ny && !why; j++)
				memcpy(out + (y + j) * line + x * size, tile + j * tw * size,
				        (size_t)(nx * size));
		}

	free(tile);

	return why;
}

static char *read_plain(TIFF *tif, const char *path, const struct tiff_page *page, char *out)
{
	const size_t unit = dtype_unit(page->type);
	const long n = page->width * page->height * (long)dtype_size(page->type);

	for (long got = 0; got < n;) {
		const ssize_t m =
		        pread(libtiff()->Fileno(tif), out + got, (size_t)(n - got), page->data + got);

		if (m < 0 && EINTR == errno)
			continue;

		if (m <= 0)
			return failure(path, "the pixels cannot be read");

		got += m;
	}

	if (libtiff()->IsByteSwapped(tif))
		foreign_swap(out, n / (long)unit, unit);

	return NULL;
}

char *tiff_read(const char *path, const struct tiff_page *page, void *out)
{
	TIFF *tif = open_quietly(path);
	struct tiff_page now = {0};

	if (!tif)
		return failure(path, "cannot be read as a TIFF file");

	char *why = NULL;

	if (!libtiff()->SetSubDirectory(tif, page->offset))
		why = failure(path, "the page cannot be found");

	if (!why)
		why = describe(tif, path, &now);

	if (!why && (now.width != page->width || now.height != page->height || now.type != page->type))
		why = mem_printf("%s: changed while it was being read", path);

	if (!why && page->data)
		why = read_plain(tif, path, page, out);
	else if (!why)
		why = libtiff()->IsTiled(tif) ? read_tiles(tif, path, page, out)
		                              : read_strips(tif, path, page, out);

	libtiff()->Close(tif);

	return why;
}

void tiff_about(const char *path, struct tiff_about *a)
{
	char *text = NULL;
	float x = 0.F, y = 0.F;
	uint16_t unit = RESUNIT_INCH;
	TIFF *tif = open_quietly(path);

	*a = (struct tiff_about){.unit = RESUNIT_INCH};

	if (!tif)
		return;

	if (libtiff()->GetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text) && text)
		a->description = mem_strdup(text);

	if (libtiff()->GetField(tif, TIFFTAG_XRESOLUTION, &x) &&
	        libtiff()->GetField(tif, TIFFTAG_YRESOLUTION, &y)) {
		a->resolution[0] = (double)x;
		a->resolution[1] = (double)y;
	}

	libtiff()->GetFieldDefaulted(tif, TIFFTAG_RESOLUTIONUNIT, &unit);
	a->unit = unit;
	libtiff()->Close(tif);
}
