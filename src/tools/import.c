#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <omp.h>

#include "misc/cfl.h"
#include "misc/describe.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/natural.h"
#include "misc/opt.h"
#include "misc/parse.h"
#include "misc/progress.h"
#include "misc/tiff.h"
#include "num/multind.h"

int main_import(int argc, char *argv[]);

static const long slab_bytes = 8L << 20;   // of raw files moved at a time
static const long batch_bytes = 64L << 20; // TIFF frames decoded at a time, at least one

/* What --raw says about the files. */
struct layout {
	int rank;
	long dims[DIMS]; // of one file
	enum dtype type;
	bool swap; // the other byte order
	long skip; // bytes before the elements
};

struct frame {
	const char *path;
	struct tiff_page page;
};

static void swap_dims(long dims[])
{
	long d = dims[0];

	dims[0] = dims[1];
	dims[1] = d;
}

/* out(j, i, k) = in(i, j, k) for the first two of dims[3]. */
static void transpose_frames(const long dims[3], void *out, const void *in, size_t size)
{
	const long ostr[3] = {dims[1] * (long)size, (long)size, dims[0] * dims[1] * (long)size};
	const long istr[3] = {(long)size, dims[0] * (long)size, dims[0] * dims[1] * (long)size};

	md_copy2(3, dims, ostr, out, istr, in, size);
}

/* ---- raw ---- */

static void check_raw(const char *path, const struct layout *l, long want)
{
	size_t bytes;
	const void *p = file_map(path, &bytes);

	file_unmap(p);

	if ((long)bytes == want)
		return;

	struct str shape = {0};

	for (int d = 0; d < l->rank; d++)
		str_printf(&shape, "%s%ld", d ? " x " : "", l->dims[d]);

	error("%s: %zu bytes, expected %ld: %s elements of %s%s", path, bytes, want, shape.data,
	        dtype_name(l->type), l->skip ? mem_printf(" after %ld bytes to skip", l->skip) : "");
}

/* Reverses the bytes of n units in place. */
static void swap_units(unsigned char *p, long n, size_t unit)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		for (size_t a = 0, b = unit - 1; a < b; a++, b--) {
			unsigned char t = p[i * (long)unit + (long)a];

			p[i * (long)unit + (long)a] = p[i * (long)unit + (long)b];
			p[i * (long)unit + (long)b] = t;
		}
}

static void check_bools(const char *path, const unsigned char *p, long n)
{
	for (long i = 0; i < n; i++)
		if (p[i] > 1)
			error("%s: a byte of value %d, expected 0 or 1 for type bool", path, p[i]);
}

/* One file: pieces of elements, or of whole frames when they are transposed. */
static void read_raw(struct cfl *out, const char *path, const struct layout *l, bool transpose)
{
	size_t bytes, size = dtype_size(l->type);
	const char *base = file_map(path, &bytes);
	const char *src = base + l->skip;
	long count = md_calc_size(l->rank, l->dims);
	long frame = transpose ? l->dims[0] * l->dims[1] : 1;
	long piece = slab_bytes / (long)size / frame * frame;

	if (bytes != (size_t)(l->skip + count * (long)size))
		error("%s: changed while it was being read", path);

	if (0 == piece)
		piece = frame;

	for (long first = 0; first < count; first += piece) {
		long n = count - first < piece ? count - first : piece;
		char *dst = cfl_slab(out, n);

		if (transpose)
			transpose_frames((long[3]){l->dims[0], l->dims[1], n / frame}, dst, src, size);
		else
			md_copy(1, &n, dst, src, size);

		if (l->swap)
			swap_units((unsigned char *)dst, n * (long)(size / dtype_unit(l->type)),
			        dtype_unit(l->type));

		if (DT_BOOL == l->type)
			check_bools(path, (unsigned char *)dst, n);

		src += n * (long)size;
		progress_add(n);
	}

	file_unmap(base);
}

static void import_raw(const char *name, struct hdr *h, const struct opt_list *files, const struct layout *l,
        int along, bool transpose)
{
	long count = 1;

	for (int d = 0; d < l->rank; d++)
		count = mul_checked(count, l->dims[d], "--size");

	long want = add_checked(l->skip, mul_checked(count, (long)dtype_size(l->type), "--size"), "--skip");

	for (int k = 0; k < files->n; k++)
		check_raw(files->v[k], l, want);

	hdr_set_dims(h, l->rank, l->dims);
	h->dims[along] *= files->n;
	h->type = l->type;

	if (transpose)
		swap_dims(h->dims);

	struct cfl *out = cfl_create(name, h);

	progress_start("importing", out->count);

	for (int k = 0; k < files->n; k++)
		read_raw(out, files->v[k], l, transpose);

	progress_end();
	cfl_close(out);
}

/* ---- TIFF ---- */

static void check_same(const struct frame *a, const struct frame *b)
{
	if (a->page.width != b->page.width || a->page.height != b->page.height)
		error("%s: %ld x %ld pixels, expected %ld x %ld as in %s", b->path, b->page.width,
		        b->page.height, a->page.width, a->page.height, a->path);

	if (a->page.type != b->page.type)
		error("%s: %s pixels, expected %s as in %s", b->path, dtype_name(b->page.type),
		        dtype_name(a->page.type), a->path);
}

/* All pages of all files, in order. */
static struct frame *list_frames(const struct opt_list *files, long *count)
{
	struct frame *list = NULL;
	long n = 0;

	for (int k = 0; k < files->n; k++) {
		const char *path = files->v[k];
		struct tiff_page *pages;
		long m;

		if (access(path, R_OK))
			error("%s: cannot be read: %s", path, strerror(errno));

		if (!tiff_probe(path))
			error("%s: is no TIFF file (raw binary needs --raw with --size and --type)", path);

		char *why = tiff_scan(path, &pages, &m);

		if (why)
			error("%s", why);

		list = mem_realloc(list, (size_t)(n + m) * sizeof *list);

		for (long i = 0; i < m; i++)
			list[n + i] = (struct frame){path, pages[i]};

		n += m;
		free(pages);
	}

	*count = n;

	return list;
}

static void select_frames(struct frame *list, long *count, const char *range)
{
	long start, step, n;

	parse_range(range, *count, &start, &step, &n, "--range");

	struct frame *kept = mem_alloc((size_t)n * sizeof *kept);

	for (long k = 0; k < n; k++)
		kept[k] = list[start + k * step];

	memcpy(list, kept, (size_t)n * sizeof *kept);
	free(kept);
	*count = n;
}

static void tell_oddities(const struct frame *list, long n)
{
	long white = 0, turned = 0;

	for (long i = 0; i < n; i++) {
		white += list[i].page.white_is_zero;
		turned += list[i].page.turned;
	}

	if (white)
		warn("%ld of %ld pictures are stored with white as zero: the numbers are kept as they are",
		        white, n);

	if (turned)
		warn("%ld of %ld pictures ask to be turned or mirrored when shown: rows and columns are kept "
		     "as stored",
		        turned, n);
}

static char *read_frame(const struct frame *f, void *out, bool transpose)
{
	if (!transpose)
		return tiff_read(f->path, &f->page, out);

	const long dims[3] = {f->page.width, f->page.height, 1};
	size_t size = dtype_size(f->page.type);
	void *tmp = mem_alloc((size_t)(dims[0] * dims[1]) * size);
	char *why = tiff_read(f->path, &f->page, tmp);

	if (!why)
		transpose_frames(dims, out, tmp, size);

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

static void import_tiff(
        const char *name, struct hdr *h, const struct opt_list *files, const char *range, bool transpose)
{
	long n;
	struct frame *list = list_frames(files, &n);

	if (range)
		select_frames(list, &n, range);

	for (long i = 1; i < n; i++)
		check_same(&list[0], &list[i]);

	tell_oddities(list, n);

	const struct tiff_page *page = &list[0].page;

	hdr_set_dims(h, 3, (long[3]){page->width, page->height, n});
	h->type = page->type;

	if (transpose)
		swap_dims(h->dims);

	struct cfl *out = cfl_create(name, h);
	long pixels = page->width * page->height, bytes = pixels * (long)dtype_size(page->type);
	long batch =
	        bytes > batch_bytes / omp_get_max_threads() ? batch_bytes / bytes : omp_get_max_threads();

	if (batch < 1)
		batch = 1;

	progress_start("importing", n);

	for (long i = 0; i < n; i += batch) {
		int m = (int)(n - i < batch ? n - i : batch);

		read_batch(list + i, m, cfl_slab(out, m * pixels), bytes, transpose);
		progress_add(m);
	}

	progress_end();
	cfl_close(out);
	free(list);
}

/* ---- command line ---- */

static void select_files(struct opt_list *files, const char *range)
{
	long start, step, n;
	const char **kept;

	parse_range(range, files->n, &start, &step, &n, "--range");
	kept = mem_calloc((size_t)n, sizeof *kept);

	for (long k = 0; k < n; k++)
		kept[k] = files->v[start + k * step];

	memcpy(files->v, kept, (size_t)n * sizeof *kept);
	files->n = (int)n;
	free(kept);
}

/* "gantry import *.tif", the output forgotten: the last picture is not meant to be one. */
static void check_output(const char *out)
{
	static const char *const arrays[] = {".cfl", ".hdr", ".npy", ".ra"};
	const char *dot = strrchr(out, '.');
	struct stat st;

	for (int i = 0; dot && i < 4; i++)
		if (!strcmp(dot, arrays[i]))
			return;

	if (0 == stat(out, &st) && S_ISREG(st.st_mode))
		usage_error("%s: is a file, expected the name of the output array as the last argument", out);
}

static void check_raw_options(const struct opt_longs *size, int type, int *along)
{
	if (0 == size->n || type < 0)
		usage_error("--raw needs --size and --type");

	if (*along < 0)
		*along = size->n < DIMS ? size->n : DIMS - 1;

	if (*along < size->n - 1)
		usage_error("--along %d with --size of %d dimensions, expected %d or more", *along, size->n,
		        size->n - 1);
}

int main_import(int argc, char *argv[])
{
	struct opt_list files = {0};
	struct opt_longs size = {0};
	struct describe_opts about = {0};
	bool raw = false, no_sort = false, transpose = false;
	int type = -1, big = 0, along = -1;
	long skip = 0;
	const char *range = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG(0, "raw", &raw, "the files are plain binary elements"),
	        OPT_LONGS(0, "size", &size, "NX:NY:..", 1, 0x1p62,
	                "raw: elements of one file, fastest index first"),
	        {0, "type", OPT_KIND_TYPE, &type, "TYPE", "raw: type of the elements (uint16, float32, ...)",
	                0, 0, 0, 0},
	        OPT_CHOICE(0, "byte-order", &big, "little|big", "raw: byte order of the elements"),
	        OPT_LONG(0, "skip", &skip, "BYTES", 0, 0x1p62,
	                "raw: bytes before the elements, in every file"),
	        {0, "along", OPT_KIND_DIM, &along, "DIM",
	                "raw: stack files along this dimension (default: the one after --size)", 0, 0, 0, 0},
	        OPT_FLAG(0, "transpose", &transpose, "exchange the first two dimensions of every frame"),
	        OPT_STRING(0, "range", &range, "START:STOP[:STEP]",
	                "take these frames only, counted after sorting (raw: files)"),
	        OPT_FLAG(0, "no-sort", &no_sort,
	                "keep the files in the order given instead of that of the numbers in their names"),
	        OPT_DESCRIBE(&about),
	        ARG_FILE_MANY("FILE", &files, "TIFF pictures (stacks, several pages), or raw binary files"),
	        ARG_OUT("OUT", &out, "columns x rows x frames, or as --size says; the files' type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "import",
	                  .about = "Read TIFF pictures or raw binary data",
	                  .details = "The files are taken in the order of the numbers in their names: raw_2 "
	                             "before raw_10. Column i, row "
	                             "j of picture k becomes element (i, j, k); pages of one file count as "
	                             "pictures. Grayscale integers "
	                             "and floats of all sizes are kept as they are. Raw files must have "
	                             "exactly the size that --size, "
	                             "--type and --skip say; --size names the fastest index first (for an "
	                             "array [view][column][row] in C "
	                             "order that is rows:columns:views, and --transpose exchanges rows and "
	                             "columns).",
	                  .examples = "gantry import --quantity counts projections/*.tiff counts\n"
	                              "gantry import --raw --size 64:64:40 --type float32 --skip 12 "
	                              "--transpose object.sino proj",
	                  .opts = opts},
	        argc, argv);

	check_output(out);

	struct hdr h;

	hdr_init(&h);
	describe(&h, &about);

	if (!no_sort)
		natural_sort(files.n, files.v);

	if (raw) {
		check_raw_options(&size, type, &along);

		struct layout l = {.rank = size.n, .type = (enum dtype)type, .swap = big, .skip = skip};

		memcpy(l.dims, size.v, sizeof l.dims);
		md_set_dims(DIMS - size.n, l.dims + size.n, 1);

		if (range)
			select_files(&files, range);

		import_raw(out, &h, &files, &l, along, transpose);
	} else {
		if (size.n || type >= 0 || big || skip || along >= 0)
			usage_error("--size, --type, --byte-order, --skip and --along are for --raw only");

		import_tiff(out, &h, &files, range, transpose);
	}

	leave(EXIT_DONE);
}
