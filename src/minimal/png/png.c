/* Replaces misc/plot/png.c if libpng is not installed (make PNG=0). */

#include "misc/plot/png.h"

#include "misc/error.h"
#include "misc/mem.h"

void png_write(struct file_out *f, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	(void)f, (void)fmt, (void)fn, (void)ctx;
	error("%s: writing pictures needs libpng, which this build lacks (it was made with PNG=0)", path);
}

void png_encode(struct str *out, const char *path, const struct png_format *fmt, png_row_fn *fn, void *ctx)
{
	(void)out, (void)fmt, (void)fn, (void)ctx;
	error("%s: writing pictures needs libpng, which this build lacks (it was made with PNG=0)", path);
}

bool png_probe(const char *path)
{
	(void)path;

	return false;
}

char *png_scan(const char *path, struct png_format *fmt, char **text)
{
	(void)fmt, (void)text;

	return mem_printf("%s: this build is without libpng (it was made with PNG=0)", path);
}

char *png_read(const char *path, const struct png_format *fmt, void *out)
{
	(void)out;

	return png_scan(path, (struct png_format *)fmt, NULL);
}
