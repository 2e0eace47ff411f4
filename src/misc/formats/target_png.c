/** PNG slices: gray, 8 or 16 bits, with Gantry's header in a text chunk. */

#include <stdlib.h>
#include <string.h>

#include "misc/formats/embed.h"
#include "misc/formats/target.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/plot/png.h"

struct slice {
	unsigned char *pixels;
	long fill, line; // bytes
};

static void row(void *ctx, long y, void *out)
{
	const struct slice *s = ctx;

	memcpy(out, s->pixels + y * s->line, (size_t)s->line);
}

static void slice_write(struct target *t, const void *data, long n)
{
	struct slice *s = t->ctx;
	const long bytes = n * (long)dtype_size(t->h.type);

	memcpy(s->pixels + s->fill, data, (size_t)bytes);
	s->fill += bytes;
}

static void slice_finish(struct target *t)
{
	struct slice *s = t->ctx;
	char *text = embed_text(&t->h);
	struct file_out *f = file_create(t->path);

	png_write(f, t->path,
	        &(struct png_format){.width = t->h.dims[0],
	                .height = t->h.dims[1],
	                .bits = 8 * (int)dtype_size(t->h.type),
	                .text = text},
	        row, s);
	file_commit(f);
	free(text);
	free(s->pixels);
	free(s);
}

void target_png(struct target *t)
{
	struct slice *s = NEW(struct slice);

	if (t->h.dims[0] > PNG_MAX_SIDE || t->h.dims[1] > PNG_MAX_SIDE)
		error("%s: the picture is %s, expected at most %d pixels per side", t->path, hdr_shape(&t->h),
		        PNG_MAX_SIDE);

	s->pixels = mem_alloc((size_t)hdr_bytes(&t->h, t->path));
	s->line = t->h.dims[0] * (long)dtype_size(t->h.type);
	t->ctx = s;
	t->write = slice_write;
	t->finish = slice_finish;
}
