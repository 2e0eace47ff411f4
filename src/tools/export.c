/** Writes an array as a file, or a series of files, of another program. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/names.h"
#include "misc/formats/target.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/progress.h"

int main_export(int argc, char *argv[]);

static const long piece_bytes = 8L << 20;

/* Elements of one file, from the input, in order. */
static void copy_elements(struct cfl *in, struct target *t, long count)
{
	const long piece = piece_bytes / (long)dtype_size(in->hdr.type);

	for (long i = 0; i < count; i += piece) {
		const long n = count - i < piece ? count - i : piece;

		t->write(t, cfl_next(in, n), n);
		progress_add(n);
	}
}

/* The header of slice k along the last dimension d, in its place. */
static void slice_header(struct hdr *h, const struct hdr *whole, int d, long k)
{
	hdr_init(h);
	hdr_copy(h, whole);

	if (!h->has_spacing && !h->has_origin) {
		h->dims[d] = 1;
		return;
	}

	double c[3][3], origin[3];
	const bool turned = hdr_turned(whole, c, origin);

	// every slice says where it lies when the array does
	for (int i = 0; i <= d || (turned && i < 3); i++)
		hdr_set_grid(h, i, h->spacing[i], turned && i < 3 ? origin[i] : hdr_origin(whole, i));

	hdr_subrange(h, d, k, 1, 1);
}

/* A name that was meant as a number pattern and is none. */
static void check_pattern(const char *out)
{
	for (const char *p = strchr(out, '%'); p; p = strchr(p + 1, '%')) {
		const char *q = p + 1 + strspn(p + 1, "+-# .0123456789");

		if (*q && strchr("aAcdeEfFgGiosuxX", *q))
			usage_error("%s: '%.*s' is not a number pattern, expected %%d, or %%04d for leading "
			            "zeros",
			        out, (int)(q + 1 - p), p);
	}
}

static char *slice_name(const char *before, int length, int digits, long number, const char *after)
{
	return mem_printf("%.*s%0*ld%s", length, before, digits, number, after);
}

struct series {
	int before, digits;
	const char *after;
	long first;
};

/* Under --no-clobber no file is written when one of them exists. */
static void refuse_existing(const char *out, const struct series *p, long n)
{
	for (long i = 0; tool_no_clobber() && i < n; i++) {
		char *name = slice_name(out, p->before, p->digits, p->first + i, p->after);

		file_refuse_existing(name);
		free(name);
	}
}

static void export_series(struct cfl *in, const struct target_kind *k, const char *out,
        const struct series *p, const struct target_opts *o)
{
	const int d = hdr_rank(&in->hdr) > 2 ? hdr_rank(&in->hdr) - 1 : 2;
	const long n = in->hdr.dims[d];
	struct target_opts one = *o;
	struct hdr h;

	slice_header(&h, &in->hdr, d, 0);
	target_check(k, &h, out);
	hdr_free(&h);
	one.slices = n;
	refuse_existing(out, p, n);
	progress_start("exporting", in->count);

	for (long i = 0; i < n; i++) {
		char *name = slice_name(out, p->before, p->digits, p->first + i, p->after);

		one.slice = i;
		slice_header(&h, &in->hdr, d, i);

		struct target *t = target_create(k, name, &h, &one);

		copy_elements(in, t, in->count / n);
		target_finish(t);
		hdr_free(&h);
		free(name);
	}

	progress_end();
}

static void export_file(
        struct cfl *in, const struct target_kind *k, const char *out, const struct target_opts *o)
{
	target_check(k, &in->hdr, out);

	struct target *t = target_create(k, out, &in->hdr, o);

	progress_start("exporting", in->count);
	copy_elements(in, t, in->count);
	progress_end();
	target_finish(t);
}

int main_export(int argc, char *argv[])
{
	const char *in_name = NULL, *out = NULL;
	struct target_opts o = {.slices = 1};
	struct series p = {.first = -1};
	int big = 0;

	const struct opt opts[] = {
	        OPT_FLAG(0, "compress", &o.compress, "deflate the elements, if the format can"),
	        OPT_CHOICE(0, "byte-order", &big, "little|big", "raw: byte order of the elements"),
	        OPT_LONG(0, "first", &p.first, "N", 0, 1000000000,
	                "number of the first file of a series (default: 0)"),
	        ARG_IN("IN", &in_name, "any array"),
	        ARG_OUTFILE("OUT", &out,
	                "file; the extension gives the format; FILE.h5:/path names an array; slice_%04d.tif: "
	                "a file per slice"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "export",
	                .group = GROUP_MAKE,
	                .synonyms = "save write convert",
	                .about =
	                        "Write TIFF, PNG, HDF5, DICOM, NIfTI, NRRD, MetaImage, EDF, MATLAB, NumPy or "
	                        "raw files",
	                .details = "The extension of OUT gives the format. The page doc/formats.md lists "
	                           "what each format keeps. Element types are kept, and values are not "
	                           "scaled. A type that the format cannot hold is an error; use 'gantry "
	                           "cast' first. Other losses are reported. If the format has fields for "
	                           "spacing, origin, quantity and unit, the command fills these fields. "
	                           "Spacing, origin, quantity and unit are also written to a comment, which "
	                           "'gantry import' reads. Element (i, j, k) is written to column i of row j "
	                           "of page k. In HDF5, an array of the dimensions (column, row, view) gets "
	                           "the shape (view, row, column).\n\n"
	                           "TIFF files over 4 GiB are written as BigTIFF. A series of files is "
	                           "written along the last dimension. Each file gets its name when the file "
	                           "is complete.",
	                .examples = "gantry export volume volume.tif\n"
	                            "gantry export --compress volume 'slices/slice_%04d.tif'\n"
	                            "gantry export volume scan.h5:/exchange/data",
	                .opts = opts},
	        argc, argv);

	const char *colon = strrchr(out, ':');
	char *path = mem_strdup(out);

	if (colon && colon > out) {
		path[colon - out] = '\0';

		if (target_kind(path))
			o.inside = colon + 1;
		else
			path[colon - out] = ':';
	}

	const struct target_kind *k = target_kind(path);

	if (!k)
		usage_error("%s: unknown file type, expected a name that ends in one of %s", out,
		        target_extensions());

	if (o.inside && (!*o.inside || !target_has_names(k)))
		usage_error("%s: %s files have no named arrays", out, k->name);

	if (o.compress && !k->can_compress)
		usage_error("--compress: %s files cannot be compressed", k->name);

	o.big_endian = big;

	if (big && 0 != strcmp("raw", k->name))
		usage_error("--byte-order is for raw files");

	const bool series = names_pattern(path, &p.before, &p.digits, &p.after);

	if (!series)
		check_pattern(path);

	if (!series && p.first >= 0)
		usage_error("--first: %s is a single file, expected a name with a number pattern, as "
		            "slice_%%04d.tif",
		        out);

	p.first = p.first < 0 ? 0 : p.first;

	struct cfl *in = cfl_open(in_name);

	o.series = mem_printf("%s\n%s", path, in->hdr.history ? in->hdr.history : in_name);
	tool_plan_text();

	if (series)
		export_series(in, k, path, &p, &o);
	else
		export_file(in, k, path, &o);

	cfl_close(in);
	free(path);
	leave(EXIT_DONE);
}
