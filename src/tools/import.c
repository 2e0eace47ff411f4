#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ct/exchange/exchange.h"
#include "ct/fbp/scan_pictures.h"
#include "misc/error.h"
#include "misc/formats/dicom/dicom_folder.h"
#include "misc/formats/tiff.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/plot/png.h"
#include "num/md/multind.h"
#include "num/shape/import.h"

int main_import(int argc, char *argv[]);

/* Moves those of the range to the front; the names of the others stay after them, since the history may refer
 * to them. */
static void select_files(struct import_files *files, const char *range)
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
static void take_settings(struct import_files *files, int first, const char **settings)
{
	if (files->n != first + 1 || files->v[first].inside || scan_settings_form(files->v[first].path) < 0)
		return;

	if (*settings)
		error("%s contains the settings of another scan than %s, expected one scan at a time",
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
		info("%s: only the pictures are imported (--geometry GEOM also writes the geometry, like "
		     "'gantry geom --from %s')",
		        settings, scan_settings_name(form));
		return NULL;
	}

	struct geom *g = exchange_read((enum exchange_form)form, settings, &none, &volume, &has_volume);

	if (g->views != pictures)
		warn("%s: %ld views, but %ld pictures in its folder", settings, g->views, pictures);

	return g;
}

/* The files that the words stand for; in the history a word other than a file is a text, its files are
 * originals. */
static void expand(const struct opt_list *words, struct import_files *files, bool raw, const char **settings)
{
	for (int i = 0; i < words->n; i++) {
		const int first = files->n;
		bool plain;

		files->n = names_expand(words->v[i], &files->v, files->n, &plain);

		if (plain && !is_regular(words->v[i]))
			error("%s is a device or pipe, expected an ordinary file", words->v[i]);

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
static void drop_twins(struct import_files *files)
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
static void pick_series(struct import_files *files, const struct format *format, const char *series)
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
		usage_error("%s is a file, expected the name of the output array as the last argument", out);
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
	struct import_scan o = {.along = -1};
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
	        OPT_LONG(0, "skip", &skip, "BYTES", 0, 0x1p62, "raw: bytes before the elements of each file"),
	        {0, "along", OPT_KIND_DIM, &o.along, "DIM",
	                "stack files along this dimension (default: a new last one; slices: 2)", 0, 0, 0, 0},
	        OPT_FLAG(0, "transpose", &o.transpose, "exchange the first two dimensions of every frame"),
	        OPT_STRING(0, "range", &o.range, "START:STOP[:STEP]",
	                "only these frames, counted after sorting (raw: files)"),
	        OPT_FLAG(0, "no-sort", &o.no_sort,
	                "keep the order given, without sorting by the numbers in names"),
	        OPT_FLAG(0, "rescale", &o.rescale,
	                "apply the slope and intercept of the file (DICOM, NIfTI): float32"),
	        {0, "flats", OPT_KIND_STRING, &o.out[PART_FLATS], "OUT", "HDF5 scans: the flat fields",
	                OPT_OUTPUT, 0, 0, 0},
	        {0, "darks", OPT_KIND_STRING, &o.out[PART_DARKS], "OUT", "HDF5 scans: the dark fields",
	                OPT_OUTPUT, 0, 0, 0},
	        OPT_OUTFILE(0, "angles", &o.angles, "FILE",
	                "HDF5 scans, DICOM-CT-PD: write the angles [degrees], for gantry traj --angles"),
	        {0, "geometry", OPT_KIND_STRING, &geometry, "GEOM",
	                "geometry to write, for a scanner's settings file (.xtekct, SkyScan's .log)",
	                OPT_OUTPUT, 0, 0, 0},
	        OPT_STRING(0, "series", &series, "N|UID|list",
	                "DICOM: import one of several series, or list them"),
	        OPT_DESCRIBE(&about),
	        ARG_FILE_MANY("FILE", &words, "files, FILE:NAME, folders, patterns as raw_%04d.tif, globs"),
	        lists ? (struct opt)OPT_END
	              : (struct opt)ARG_OUT("OUT", &o.out[PART_DATA],
	                        "columns x rows x frames, or as the file or --size gives"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "import",
	                .group = GROUP_MAKE,
	                .synonyms = "load read convert open",
	                .about = "Read TIFF, PNG, HDF5, DICOM, NIfTI, NRRD, MetaImage, EDF, MATLAB, NumPy or "
	                         "raw files",
	                .details =
	                        "The format is detected from the contents of the files. The page "
	                        "doc/formats.md lists all formats, and what is imported from each format. "
	                        "Files are sorted by the numbers in their names, so that raw_2 comes "
	                        "before raw_10. DICOM slices are sorted by their positions. Column i and "
	                        "row j of picture k become element (i, j, k). Each page of a file counts "
	                        "as a picture. Element types are kept, and values are not scaled unless "
	                        "--rescale is given. Spacing and origin [mm] are read from the file if "
	                        "available. The options --spacing and --origin override the spacing and "
	                        "origin of the file.\n\n"
	                        "If a folder contains a DICOMDIR, the images listed in the DICOMDIR are "
	                        "imported. The option --series selects one of several series of DICOM "
	                        "files. If FILE is a settings file of a scanner, the pictures in the same "
	                        "folder are imported. For scan.xtekct, the imported pictures are "
	                        "scan_0001.tif and so on. For scan.log of SkyScan, the imported pictures "
	                        "are scan0000.tif and so on. For a settings file, the option --geometry "
	                        "also writes the geometry of the scan.\n\n"
	                        "FILE:NAME is an array in an HDF5, MATLAB or .npz file, as in "
	                        "scan.h5:/exchange/data. Without NAME, the file must contain a single "
	                        "array, or a scan in the Data Exchange or NXtomo layout. From a Data "
	                        "Exchange or NXtomo scan, the projections are imported. An HDF5 array of "
	                        "the shape (view, row, column) becomes an array of the dimensions (column, "
	                        "row, view). Patterns and quoted globs are expanded by 'gantry import', "
	                        "not by the shell.\n\n"
	                        "Raw files must have exactly the size that follows from --size, --type and "
	                        "--skip. The option --size has the fastest index first. For an array "
	                        "[view][column][row] in C order, --size is rows:columns:views. To exchange "
	                        "rows and columns, add --transpose.",
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
	                .memory = "64 MiB. Each array of a compressed .npz file or a MATLAB 5 file is read "
	                          "as a whole",
	                .opts = opts},
	        argc, argv);

	if (!lists)
		check_output(o.out[PART_DATA]);

	struct import_files files = {0};

	expand(&words, &files, raw, &settings);

	if (geometry && !settings)
		usage_error("--geometry is for settings of a scanner (.xtekct, SkyScan's .log)");

	if (geometry && (o.range || o.transpose))
		usage_error("--geometry needs complete pictures of all views, without --range and "
		            "--transpose");

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
		usage_error("--flats, --darks and --angles are for scans in HDF5 files, and --rescale is for "
		            "DICOM and NIfTI");

	if (pictures && o.along >= 0 && 2 != o.along)
		usage_error("--along %d: pictures are stacked along dim 2", o.along);

	if (raw) {
		struct hdr h;

		hdr_init(&h);
		describe(&h, &about);
		check_raw_options(&size, type, &o.along);

		struct import_raw l = {.rank = size.n, .type = (enum dtype)type, .swap = big, .skip = skip};

		memcpy(l.dims, size.v, sizeof l.dims);
		md_set_dims(DIMS - size.n, l.dims + size.n, 1);

		if (o.range)
			select_files(&files, o.range);

		import_raw(o.out[PART_DATA], &h, &files, &l, o.along, o.transpose);
	} else if (pictures) {
		import_pictures(o.out[PART_DATA], &about, &files, o.range, o.transpose);
	} else {
		import_scan(&o, &about, &files);
	}

	if (g)
		geom_write(geometry, g);

	geom_free(g);
	leave(EXIT_DONE);
}
