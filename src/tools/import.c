#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <omp.h>

#include "ct/exchange/exchange.h"
#include "ct/fbp/scan_pictures.h"
#include "misc/describe.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/formats/dicom/dicom_folder.h"
#include "misc/formats/hdf5/hdf5.h"
#include "misc/formats/names.h"
#include "misc/formats/pictures.h"
#include "misc/formats/tiff.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/plot/png.h"
#include "misc/progress.h"
#include "num/md/multind.h"
#include "num/shape/shaping.h"
#include "num/shape/stack.h"

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
	bool png;
};

struct files {
	int n;
	struct named_file *v;
};

static void swap_dims(long dims[])
{
	long d = dims[0];

	dims[0] = dims[1];
	dims[1] = d;
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
			stack_transpose((long[3]){l->dims[0], l->dims[1], n / frame}, dst, src, size);
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

static void import_raw(const char *name, struct hdr *h, const struct files *files, const struct layout *l,
        int along, bool transpose)
{
	long count = 1;

	for (int d = 0; d < l->rank; d++)
		count = mul_checked(count, l->dims[d], "--size");

	long want = add_checked(l->skip, mul_checked(count, (long)dtype_size(l->type), "--size"), "--skip");

	for (int k = 0; k < files->n; k++)
		check_raw(files->v[k].path, l, want);

	hdr_set_dims(h, l->rank, l->dims);
	h->dims[along] *= files->n;
	h->type = l->type;

	if (transpose)
		swap_dims(h->dims);

	struct cfl *out = cfl_create(name, h);

	progress_start("importing", out->count);

	for (int k = 0; k < files->n; k++)
		read_raw(out, files->v[k].path, l, transpose);

	progress_end();
	cfl_close(out);
}

/* ---- pictures: TIFF and PNG ---- */

static void check_same(const struct frame *a, const struct frame *b)
{
	if (a->page.width != b->page.width || a->page.height != b->page.height)
		error("%s: %ld x %ld pixels, expected %ld x %ld as in %s", b->path, b->page.width,
		        b->page.height, a->page.width, a->page.height, a->path);

	if (a->page.type != b->page.type)
		error("%s: %s pixels, expected %s as in %s", b->path, dtype_name(b->page.type),
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
static struct frame *list_frames(const struct files *files, long *count)
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

			error("%s: %s%s%s, expected TIFF or PNG as %s: files of one kind at a time", path,
			        f ? "a " : "of no format known here", f ? f->name : "", f ? " file" : "",
			        files->v[0].path);
		}

		if (files->v[k].inside)
			error("%s: a picture holds no array named %s", path, files->v[k].inside);

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
		warn("%ld of %ld pictures are stored with white as zero: the numbers are kept as they are",
		        white, n);

	if (turned)
		warn("%ld of %ld pictures ask to be turned or mirrored when shown: rows and columns are kept "
		     "as stored",
		        turned, n);

	if (cut)
		warn("%ld of %ld pictures are the first of a stack by the file's comment, but the others are "
		     "not in the file: is it cut short?",
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

static void import_pictures(const char *name, const struct describe_opts *about, const struct files *files,
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
			check_bools(name, slab, m * pixels);

		progress_add(m);
	}

	progress_end();
	cfl_close(out);
	hdr_free(&h);
	free(list);
}

/* ---- everything else ---- */

struct scan {
	const char *out[PART_COUNT]; // names of outputs, NULL = not wanted
	const char *angles;
	const char *range;
	int along;
	bool transpose, rescale, no_sort;
};

static struct stack *open_part(const struct files *files, const struct scan *o, enum part part)
{
	struct stack *s = stack_open(files->n, files->v, part, o->along, o->no_sort);

	if (!s)
		error("%s: holds no %s, or none that are recognised (FILE.h5:/path names any array)",
		        files->v[0].path, part_name(part));

	if (PART_DATA == part && o->range)
		parse_range(o->range, s->first[s->n], &s->start, &s->step, &s->count, "--range");

	for (int k = 1; k < s->n && !o->rescale; k++)
		if (0 != memcmp(s->rescale[k], s->rescale[0], sizeof s->rescale[0]))
			error("%s: the values are to be multiplied by %g and raised by %g, in %s by %g and "
			      "%g: "
			      "--rescale does that",
			        files->v[k].path, s->rescale[k][0], s->rescale[k][1], files->v[0].path,
			        s->rescale[0][0], s->rescale[0][1]);

	return s;
}

/* Angles [degrees] of the projections (malloc'd): in the file, or one in each file. */
static double *find_angles(const struct files *files, const struct stack *s, long *n)
{
	double *v = NULL;

	if (s->angle) {
		*n = s->n;
		v = mem_alloc((size_t)s->n * sizeof *v);
		memcpy(v, s->angle, (size_t)s->n * sizeof *v);
	} else if (&format_hdf5 == s->format) {
		v = hdf5_angles(files->v[0].path, NULL, n);
	}

	if (!v)
		error("%s: holds no angles that are recognised (FILE.h5:/path/to/angles imports any array)",
		        files->v[0].path);

	return v;
}

static void import_angles(const struct files *files, const struct stack *s, const struct scan *o)
{
	long n = 0, start = 0, step = 1, count;
	double *v = find_angles(files, s, &n);

	bool found = false;

	for (int d = 0; d < DIMS; d++) // views are not the last dimension everywhere
		found |= n == s->h.dims[d];

	if (!found)
		warn("%s: %ld angles of %ld projections", files->v[0].path, n, s->first[s->n]);

	count = n;

	if (o->range)
		parse_range(o->range, n, &start, &step, &count, "--range");

	struct file_out *f = file_create(o->angles);
	struct str text = {0};

	for (long i = 0; i < count; i++) {
		str_add_double(&text, v[start + i * step], 15);
		str_add(&text, "\n");
	}

	if (1 != fwrite(text.data, text.len, 1, file_stream(f)))
		file_failed(f, NULL);

	file_commit(f);
	free(text.data);
	free(v);
}

static void import_stack(const struct scan *o, const struct describe_opts *about, const struct files *files)
{
	struct stack *s[PART_COUNT] = {0};
	struct cfl *out[PART_COUNT] = {0};

	for (int p = 0; p < PART_COUNT; p++)
		if (o->out[p])
			s[p] = open_part(files, o, (enum part)p);

	if (&format_hdf5 == s[PART_DATA]->format && !files->v[0].inside && !o->out[PART_FLATS] &&
	        !o->out[PART_DARKS] && !o->angles)
		hdf5_tell_scan(files->v[0].path);

	for (int p = 0; p < PART_COUNT; p++) {
		struct hdr h;

		if (!s[p])
			continue;

		stack_header(s[p], o->transpose, o->rescale, &h);
		describe(&h, about);

		if (PART_DATA == p)
			source_tell_unknown(&h, files->v[0].path);

		out[p] = cfl_create(o->out[p], &h);
		hdr_free(&h);
	}

	if (s[PART_DATA]->has_rescale && !o->rescale)
		info("%s: values as stored; times %g plus %g is what they mean (--rescale applies it)",
		        files->v[0].path, s[PART_DATA]->rescale[0][0], s[PART_DATA]->rescale[0][1]);

	for (int p = 0; p < PART_COUNT; p++)
		if (s[p])
			stack_read(s[p], o->transpose, o->rescale, out[p]);

	if (o->angles)
		import_angles(files, s[PART_DATA], o);

	for (int p = 0; p < PART_COUNT; p++) {
		if (!s[p])
			continue;

		cfl_close(out[p]);
		stack_free(s[p]);
	}
}

/* ---- command line ---- */

/* Those of the range first; the names of the others stay behind them, since the history may refer to them. */
static void select_files(struct files *files, const char *range)
{
	long start, step, n;

	parse_range(range, files->n, &start, &step, &n, "--range");

	struct named_file *kept = mem_calloc((size_t)files->n, sizeof *kept);
	long others = n;

	for (long i = 0; i < files->n; i++) {
		const long k = (i - start) / step;

		kept[(i - start) % step == 0 && k >= 0 && k < n ? k : others++] = files->v[i];
	}

	free(files->v);
	files->v = kept;
	files->n = (int)n;
}

static bool is_regular(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && S_ISREG(st.st_mode);
}

/* The pictures in the place of their scanner's settings; the settings stay in the history. */
static void take_settings(struct files *files, int first, const char **settings)
{
	if (files->n != first + 1 || files->v[first].inside || scan_settings_form(files->v[first].path) < 0)
		return;

	if (*settings)
		error("%s: settings of another scan than %s, expected one scan at a time",
		        files->v[first].path, *settings);

	*settings = files->v[first].path;
	files->n = scan_pictures(*settings, &files->v, first);
}

/* The geometry of the pictures; NULL, and how to get it, where it is not asked for. */
static struct geom *read_geometry(const char *settings, const char *out, long pictures)
{
	const int form = scan_settings_form(settings);
	const struct exchange_hints none = {0};
	struct grid volume;
	bool has_volume;

	if (!out) {
		info("%s: the pictures alone (--geometry GEOM writes the geometry, as 'gantry geom --from "
		     "%s' "
		     "does)",
		        settings, scan_settings_name(form));
		return NULL;
	}

	struct geom *g = exchange_read((enum exchange_form)form, settings, &none, &volume, &has_volume);

	if (g->views != pictures)
		warn("%s: %ld views, but %ld pictures are beside it", settings, g->views, pictures);

	return g;
}

/* The files that the words stand for; in the history a word that is no file is a text, its files are
 * originals. */
static void expand(const struct opt_list *words, struct files *files, bool raw, const char **settings)
{
	for (int i = 0; i < words->n; i++) {
		const int first = files->n;
		bool plain;

		files->n = names_expand(words->v[i], &files->v, files->n, &plain);

		if (plain && !is_regular(words->v[i]))
			error("%s: a device or pipe, expected an ordinary file", words->v[i]);

		if (!raw && plain)
			take_settings(files, first, settings);

		if (!raw)
			files->n = dicom_folder_expand(&files->v, first, files->n);

		if (!plain)
			tool_record_kind(NULL, i, WORD_TEXT);

		for (int k = first; k < files->n; k++)
			if (!plain || 0 != strcmp(files->v[k].path, words->v[i]))
				tool_record_original(files->v[k].path);
	}
}

/* The two files of a NIfTI pair are one volume: the header stands for it. */
static void drop_twins(struct files *files)
{
	int n = 0;

	for (int i = 0; i < files->n; i++) {
		char *header = names_header_of(files->v[i].path);
		bool twin = false;

		for (int k = 0; k < files->n && header && !twin; k++)
			twin = 0 == strcmp(header, files->v[k].path);

		if (!twin)
			files->v[n++] = files->v[i];

		free(header);
	}

	files->n = n;
}

/* --series list: then the command line ends without an output. */
static bool asks_for_list(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		if (0 == strcmp(argv[i], "--series=list") ||
		        (0 == strcmp(argv[i], "--series") && i + 1 < argc &&
		                0 == strcmp(argv[i + 1], "list")))
			return true;

	return false;
}

/* Of DICOM files those of one series. */
static void pick_series(struct files *files, const struct format *format, const char *series)
{
	if (series && &format_dicom != format)
		usage_error("--series is for DICOM files, found %s", files->v[0].path);

	if (series && 0 == strcmp("list", series)) {
		dicom_folder_print(files->v, files->n);
		leave(EXIT_DONE);
	}

	if (&format_dicom == format && (files->n > 1 || series))
		files->n = dicom_folder_pick(files->v, files->n, series);
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
	struct opt_list words = {0};
	struct opt_longs size = {0};
	struct describe_opts about = {0};
	struct scan o = {.along = -1};
	bool raw = false;
	int type = -1, big = 0;
	long skip = 0;
	const char *series = NULL, *geometry = NULL, *settings = NULL;
	const bool lists = asks_for_list(argc, argv);

	const struct opt opts[] = {
	        OPT_FLAG(0, "raw", &raw, "the files are plain binary elements"),
	        OPT_LONGS(0, "size", &size, "NX:NY:..", 1, 0x1p62,
	                "raw: elements of one file, fastest index first"),
	        {0, "type", OPT_KIND_TYPE, &type, "TYPE", "raw: type of the elements (uint16, float32, ...)",
	                0, 0, 0, 0},
	        OPT_CHOICE(0, "byte-order", &big, "little|big", "raw: byte order of the elements"),
	        OPT_LONG(0, "skip", &skip, "BYTES", 0, 0x1p62,
	                "raw: bytes before the elements, in every file"),
	        {0, "along", OPT_KIND_DIM, &o.along, "DIM",
	                "stack files along this dimension (default: the one after their last; slices: 2)", 0,
	                0, 0, 0},
	        OPT_FLAG(0, "transpose", &o.transpose, "exchange the first two dimensions of every frame"),
	        OPT_STRING(0, "range", &o.range, "START:STOP[:STEP]",
	                "take these frames only, counted after sorting (raw: files)"),
	        OPT_FLAG(0, "no-sort", &o.no_sort,
	                "keep the files in the order given instead of that of the numbers in their names"),
	        OPT_FLAG(0, "rescale", &o.rescale,
	                "apply the slope and intercept of the file (DICOM, NIfTI): float32"),
	        {0, "flats", OPT_KIND_STRING, &o.out[PART_FLATS], "OUT", "HDF5 scans: the flat fields",
	                OPT_OUTPUT, 0, 0, 0},
	        {0, "darks", OPT_KIND_STRING, &o.out[PART_DARKS], "OUT", "HDF5 scans: the dark fields",
	                OPT_OUTPUT, 0, 0, 0},
	        OPT_OUTFILE(0, "angles", &o.angles, "FILE",
	                "HDF5 scans, DICOM-CT-PD: the angles of the projections [degrees], one per line, for "
	                "gantry traj --angles"),
	        {0, "geometry", OPT_KIND_STRING, &geometry, "GEOM",
	                "settings of a scanner (.xtekct, SkyScan's .log): the geometry of the pictures",
	                OPT_OUTPUT, 0, 0, 0},
	        OPT_STRING(0, "series", &series, "N|UID|list",
	                "DICOM: take one of several series, or list them all"),
	        OPT_DESCRIBE(&about),
	        ARG_FILE_MANY("FILE", &words, "files, FILE:NAME, folders, patterns as raw_%04d.tif, globs"),
	        lists ? (struct opt)OPT_END
	              : (struct opt)ARG_OUT("OUT", &o.out[PART_DATA],
	                        "columns x rows x frames, or as the file or --size says; the files' type"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "import",
	                .group = GROUP_MAKE,
	                .synonyms = "load read convert open",
	                .about = "Read TIFF, PNG, HDF5, DICOM, NIfTI, NRRD, MetaImage, EDF, MATLAB, NumPy or "
	                         "raw files",
	                .details =
	                        "The format is found by looking into the files; doc/formats.md lists all "
	                        "with what is carried over. The files are taken in the order of the "
	                        "numbers in their names: raw_2 before raw_10; DICOM slices in the order "
	                        "of their positions. Column i, row j of picture k becomes element "
	                        "(i, j, k); pages of one file count as pictures. Types are kept: "
	                        "nothing is scaled. Spacing and origin [mm] come from the file where it "
	                        "says them; --spacing and --origin override. A folder with a "
	                        "DICOMDIR stands for the images it refers to; --series takes one of "
	                        "several series of DICOM files. Settings of a scanner stand for the pictures "
	                        "beside them: scan.xtekct for scan_0001.tif and so on, scan.log of SkyScan "
	                        "for scan0000.tif; --geometry writes their geometry as well.\n\n"
	                        "FILE:NAME is an array in an HDF5, MATLAB or .npz file, as "
	                        "scan.h5:/exchange/data; without a name the only array, or the "
	                        "projections of a scan in the Data Exchange or NXtomo layout. An HDF5 "
	                        "array of shape (view, row, column) becomes (column, row, view). "
	                        "Patterns and globs that the shell does not expand are expanded here.\n\n"
	                        "Raw files must have "
	                        "exactly the size that --size, "
	                        "--type and --skip say; --size names the fastest index first (for an "
	                        "array [view][column][row] in C "
	                        "order that is rows:columns:views, and --transpose exchanges rows and "
	                        "columns).",
	                .examples = "gantry import --quantity counts projections/*.tiff counts\n"
	                            "gantry import --range 0:100 'projections/raw_%05d.tiff' counts\n"
	                            "gantry import --flats flats --darks darks --angles angles.txt scan.h5 "
	                            "counts\n"
	                            "gantry import scan.nxs:/entry1/tomo_entry/data/data proj\n"
	                            "gantry import --rescale --quantity hounsfield dicom-folder/ volume\n"
	                            "gantry import --series 2 dicom-folder/ volume\n"
	                            "gantry import --geometry geom scan.xtekct counts\n"
	                            "gantry import --raw --size 64:64:40 --type float32 --skip 12 "
	                            "--transpose object.sino proj",
	                .memory = "64 MiB; compressed .npz and MATLAB 5 arrays whole",
	                .opts = opts},
	        argc, argv);

	if (!lists)
		check_output(o.out[PART_DATA]);

	struct files files = {0};

	expand(&words, &files, raw, &settings);

	if (geometry && !settings)
		usage_error("--geometry is for settings of a scanner (.xtekct, SkyScan's .log)");

	if (geometry && (o.range || o.transpose))
		usage_error("--geometry takes whole pictures of all views, without --range and --transpose");

	struct geom *g = settings ? read_geometry(settings, geometry, files.n) : NULL;

	if (!raw)
		drop_twins(&files);

	if (!o.no_sort)
		names_sort(files.n, files.v);

	const struct format *format = raw ? NULL : format_find(files.v[0].path);

	pick_series(&files, format, series);

	if (!o.no_sort && !(format && format->placed)) // places say more than names
		names_tell_gaps(files.n, files.v);

	if (!raw && (size.n || type >= 0 || big || skip))
		usage_error("--size, --type, --byte-order and --skip are for --raw only");

	const bool pictures = !raw && (tiff_probe(files.v[0].path) || png_probe(files.v[0].path));

	if ((raw || pictures) && (o.out[PART_FLATS] || o.out[PART_DARKS] || o.angles || o.rescale))
		usage_error("--flats, --darks and --angles are for scans in HDF5 files, --rescale is for "
		            "DICOM and NIfTI");

	if (pictures && o.along >= 0 && 2 != o.along)
		usage_error("--along %d: pictures are stacked along dim 2", o.along);

	if (raw) {
		struct hdr h;

		hdr_init(&h);
		describe(&h, &about);
		check_raw_options(&size, type, &o.along);

		struct layout l = {.rank = size.n, .type = (enum dtype)type, .swap = big, .skip = skip};

		memcpy(l.dims, size.v, sizeof l.dims);
		md_set_dims(DIMS - size.n, l.dims + size.n, 1);

		if (o.range)
			select_files(&files, o.range);

		import_raw(o.out[PART_DATA], &h, &files, &l, o.along, o.transpose);
	} else if (pictures) {
		import_pictures(o.out[PART_DATA], &about, &files, o.range, o.transpose);
	} else {
		import_stack(&o, &about, &files);
	}

	if (g)
		geom_write(geometry, g);

	geom_free(g);
	leave(EXIT_DONE);
}
