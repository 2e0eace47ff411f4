/* Pictures: TIFF and PNG, frames decoded by several threads. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

#include "num/shape/import.h"

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/formats/pictures.h"
#include "misc/formats/tiff.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "misc/plot/png.h"
#include "misc/progress.h"
#include "num/shape/shaping.h"

static const long batch_bytes = 64L << 20; // decoded at a time, at least one frame

struct frame {
	const char *path;
	struct tiff_page page;
	bool png;
};

static void swap_dims(long dims[])
{
	long d = dims[0];

	dims[0] = dims[1];
	dims[1] = d;
}

static void check_same(const struct frame *a, const struct frame *b)
{
	if (a->page.width != b->page.width || a->page.height != b->page.height)
		error("%s has %ld x %ld pixels, expected %ld x %ld as in %s", b->path, b->page.width,
		        b->page.height, a->page.width, a->page.height, a->path);

	if (a->page.type != b->page.type)
		error("%s has %s pixels, expected %s as in %s", b->path, dtype_name(b->page.type),
		        dtype_name(a->page.type), a->path);
}

static char *scan_png(const char *path, struct tiff_page **pages, long *count)
{
	struct png_format f;
	char *why = png_scan(path, &f, NULL);

	*count = !why;
	*pages = mem_calloc(1, sizeof **pages);
	**pages = (struct tiff_page){
	        .width = f.width, .height = f.height, .type = 16 == f.bits ? DT_UINT16 : DT_UINT8};

	return why;
}

/* All pages of all files, in order. */
static struct frame *list_frames(const struct import_files *files, long *count)
{
	struct frame *list = NULL;
	long n = 0;

	for (int k = 0; k < files->n; k++) {
		const char *path = files->v[k].path;
		const bool png = png_probe(path);
		struct tiff_page *pages;
		long m;

		if (access(path, R_OK))
			error("%s: cannot be read: %s", path, strerror(errno));

		if (!png && !tiff_probe(path)) {
			const struct format *f = format_find(path);

			error("%s is %s%s%s, expected TIFF or PNG like %s (give files of one format)", path,
			        f ? "a " : "of an unrecognised format", f ? f->name : "", f ? " file" : "",
			        files->v[0].path);
		}

		if (files->v[k].inside)
			error("%s is a picture, and a picture holds no array named %s", path,
			        files->v[k].inside);

		char *why = png ? scan_png(path, &pages, &m) : tiff_scan(path, &pages, &m);

		if (why)
			error("%s", why);

		list = mem_realloc(list, (size_t)(n + m) * sizeof *list);

		for (long i = 0; i < m; i++)
			list[n + i] = (struct frame){path, pages[i], png};

		n += m;
		free(pages);
	}

	*count = n;

	return list;
}

static void select_frames(struct frame **list, long start, long step, long count)
{
	struct frame *kept = mem_alloc((size_t)count * sizeof *kept);

	for (long k = 0; k < count; k++)
		kept[k] = (*list)[start + k * step];

	free(*list);
	*list = kept;
}

static void tell_oddities(const struct frame *list, long n)
{
	long white = 0, turned = 0, cut = 0;

	for (long i = 0; i < n; i++) {
		white += list[i].page.white_is_zero;
		turned += list[i].page.turned;
		cut += list[i].page.cut;
	}

	if (white)
		warn("%ld of %ld pictures are stored with white as zero: values are kept as stored", white,
		        n);

	if (turned)
		warn("%ld of %ld pictures have an orientation tag, which is ignored: rows and columns are "
		     "kept as stored",
		        turned, n);

	if (cut)
		warn("%ld of %ld pictures are in a file where other pictures are missing: is the file "
		     "truncated?",
		        cut, n);
}

static char *decode(const struct frame *f, void *out)
{
	const struct png_format png = {
	        .width = f->page.width, .height = f->page.height, .bits = 8 * (int)dtype_size(f->page.type)};

	return f->png ? png_read(f->path, &png, out) : tiff_read(f->path, &f->page, out);
}

static char *read_frame(const struct frame *f, void *out, bool transpose)
{
	if (!transpose)
		return decode(f, out);

	const long dims[3] = {f->page.width, f->page.height, 1};
	size_t size = dtype_size(f->page.type);
	void *tmp = mem_alloc((size_t)(dims[0] * dims[1]) * size);
	char *why = decode(f, tmp);

	if (!why)
		stack_transpose(dims, out, tmp, size);

	free(tmp);

	return why;
}

/* Frames are decoded by several threads; the first bad one in their order is reported. */
static void read_batch(const struct frame *list, int n, char *dst, long bytes, bool transpose)
{
	char **why = mem_calloc((size_t)n, sizeof *why);

#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < n; i++)
		why[i] = read_frame(&list[i], dst + i * bytes, transpose);

	for (int i = 0; i < n; i++)
		if (why[i])
			error("%s", why[i]);

	free(why);
}

/* What the first file says of scale and meaning. */
static void describe_pictures(const struct frame *first, struct hdr *h)
{
	struct tiff_about about = {0};

	if (!first->png)
		tiff_about(first->path, &about);
	else
		free(png_scan(first->path, &(struct png_format){0}, &about.description));

	pictures_describe(h, &about, first->path);
	free(about.description);
}

void import_pictures(const char *name, const struct describe_opts *about, const struct import_files *files,
        const char *range, bool transpose)
{
	long n;
	struct frame *list = list_frames(files, &n);
	const struct frame first = list[0];
	struct hdr h;

	for (long i = 1; i < n; i++)
		check_same(&list[0], &list[i]);

	hdr_init(&h);
	hdr_set_dims(&h, 3, (long[3]){first.page.width, first.page.height, n});
	h.type = first.page.type;
	describe_pictures(&first, &h);

	if (range) {
		long start, step, count;
		const int along = hdr_rank(&h) > 3 ? -1 : 2;

		if (along < 0)
			hdr_set_dims(&h, 3, (long[3]){first.page.width, first.page.height, n});

		parse_range(range, n, &start, &step, &count, "--range");
		hdr_subrange(&h, 2, start, step, count);
		select_frames(&list, start, step, count);
		n = count;
	}

	tell_oddities(list, n);

	if (transpose) {
		swap_dims(h.dims);
		shaping_exchange_grid(&h, 0, 1);
	}

	describe(&h, about);
	source_tell_unknown(&h, first.path);

	struct cfl *out = cfl_create(name, &h);
	long pixels = first.page.width * first.page.height,
	     bytes = pixels * (long)dtype_size(first.page.type);
	long batch =
	        bytes > batch_bytes / omp_get_max_threads() ? batch_bytes / bytes : omp_get_max_threads();

	if (batch < 1)
		batch = 1;

	progress_start("importing", n);

	for (long i = 0; i < n; i += batch) {
		int m = (int)(n - i < batch ? n - i : batch);
		void *slab = cfl_slab(out, m * pixels);

		read_batch(list + i, m, slab, bytes, transpose);

		if (DT_BOOL == h.type)
			import_check_bools(name, slab, m * pixels);

		progress_add(m);
	}

	progress_end();
	cfl_close(out);
	hdr_free(&h);
	free(list);
}
