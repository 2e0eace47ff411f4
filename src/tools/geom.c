/** Prints, draws, checks, changes and converts a geometry. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange.h"
#include "ct/geometry/geom.h"
#include "ct/geometry/geom_draw.h"
#include "ct/geometry/geom_edit.h"
#include "ct/geometry/geom_report.h"
#include "misc/error.h"
#include "misc/options/parse.h"
#include "misc/plot/canvas.h"

int main_geom(int argc, char *argv[]);

struct options {
	int from, to; // enum exchange_form, -1 = an array
	bool each, check, reverse;
	const char *draw, *views;
	double shift[2]; // [pixels]
	struct opt_doubles move, rotate, pitch;
	struct opt_longs detector, bin;
	double center;
	bool has_center;
	struct grid_opts grid;
};

static bool is_edited(const struct options *o)
{
	return o->shift[0] != 0. || o->shift[1] != 0. || o->move.n || o->rotate.n || o->bin.n || o->views ||
	       o->has_center || o->reverse;
}

static void three(double out[3], const struct opt_doubles *o, const char *what)
{
	if (o->n != 3)
		usage_error("%s has %d numbers, expected X:Y:Z", what, o->n);

	memcpy(out, o->v, 3 * sizeof *out);
}

static struct geom *edit(struct geom *g, const struct options *o, const char *name)
{
	double v[3] = {0., 0., 0.};

	if (o->views) {
		long n, *list = parse_index_list(o->views, g->views, &n, "--views");
		struct geom *some = geom_pick(g, n, list);

		free(list);
		geom_free(g);
		g = some;
	}

	if (o->reverse)
		geom_reverse(g);

	if (o->rotate.n == 1)
		v[2] = o->rotate.v[0];
	else if (o->rotate.n)
		three(v, &o->rotate, "--rotate");

	geom_rotate(g, v);

	if (o->move.n) {
		three(v, &o->move, "--shift");
		geom_move(g, v);
	}

	if (o->has_center)
		geom_shift(g, geom_axis_column(g, name) - o->center, 0.);

	geom_shift(g, o->shift[0], o->shift[1]);

	if (o->bin.n > 2)
		usage_error("--bin has %d numbers, expected U[:V]", o->bin.n);

	if (o->bin.n)
		geom_bin(g, o->bin.v[0], o->bin.v[o->bin.n > 1 ? 1 : 0]);

	return g;
}

/** Files, a folder or a pattern; in the history the files are originals. */
static struct geom *read_dicom(const char *word)
{
	struct named_file *files = NULL;
	bool plain;
	const int n = names_expand(word, &files, 0, &plain);

	tool_record_kind(NULL, 0, plain ? WORD_FILE : WORD_TEXT);
	names_sort(n, files);

	for (int k = 0; k < n && !plain; k++)
		tool_record_original(files[k].path);

	return exchange_read_dicom(n, files);
}

static struct geom *read_form(const struct options *o, const char *name)
{
	struct exchange_hints h = {.cols = o->detector.n ? o->detector.v[0] : 0,
	        .rows = o->detector.n > 1 ? o->detector.v[1] : 1};
	struct grid volume;
	bool has_volume;

	if (o->detector.n > 2)
		usage_error("--detector has %d numbers, expected COLS[:ROWS]", o->detector.n);

	if (o->pitch.n > 2)
		usage_error("--pitch has %d numbers, expected PU[:PV]", o->pitch.n);

	for (int i = 0; i < 2 && o->pitch.n; i++)
		h.pitch[i] = o->pitch.v[i < o->pitch.n ? i : 0];

	if (EXCHANGE_DICOM == o->from)
		return read_dicom(name);

	tool_record_kind(NULL, 0, WORD_FILE);

	struct geom *g = exchange_read((enum exchange_form)o->from, name, &h, &volume, &has_volume);

	if (has_volume)
		info("%s: the volume of the file is --size %ld:%ld:%ld --spacing %.9g:%.9g:%.9g --origin "
		     "%.9g:%.9g:%.9g",
		        name, volume.size[0], volume.size[1], volume.size[2], volume.spacing[0],
		        volume.spacing[1], volume.spacing[2], volume.origin[0] + 0., volume.origin[1] + 0.,
		        volume.origin[2] + 0.);

	return g;
}

static bool grid_is_given(const struct grid_opts *o)
{
	return o->like || o->size.n || o->spacing.n || o->origin.n;
}

/** The volume that the scan is for: what the options say, else the default grid without a word on what it
 * misses. */
static void choose_volume(struct grid *v, const struct options *o, const struct geom *g)
{
	if (grid_is_given(&o->grid))
		grid_choose(v, &o->grid, g);
	else
		geom_default_grid(g, v);
}

static bool show(const struct geom *g, const struct options *o, const char *out)
{
	struct grid volume;
	bool good = true;

	if (!o->each && !o->check && !o->draw && !out)
		geom_print(g);

	if (o->each)
		geom_print_views(g);

	if (o->check || o->draw)
		choose_volume(&volume, o, g);

	if (o->draw)
		geom_draw(o->draw, g, &volume);

	if (o->check)
		good = geom_report(g, &volume, grid_is_given(&o->grid));

	return good;
}

static void write_form(const struct geom *g, const struct options *o, const char *name, const char *out)
{
	const bool keeps_volume =
	        EXCHANGE_TIGRE == o->to || EXCHANGE_LEAP == o->to || EXCHANGE_LEAP_MODULAR == o->to;
	struct grid volume = {.size = {1, 1, 1}, .spacing = {1., 1., 1.}};

	if (keeps_volume)
		choose_volume(&volume, o, g);

	exchange_write((enum exchange_form)o->to, out, g, name, &volume);
}

static void check_options(const struct options *o, const char *out)
{
	if (!out && is_edited(o) && !o->draw && !o->check && !o->each)
		usage_error(
		        "OUT is missing: --shift-u, --shift-v, --shift, --rotate, --reverse, --views, --bin "
		        "and --center make a new geometry");

	if (!out && o->to >= 0)
		usage_error("OUT is missing: --to writes a file ('-' for standard output)");

	if ((o->each || o->check) && out && 0 == strcmp(out, "-"))
		usage_error(
		        "%s prints to standard output, so OUT cannot be '-'", o->each ? "--each" : "--check");

	if (o->pitch.n && o->from < 0)
		usage_error("--pitch requires --from rtk or matrix (arrays contain the pitch)");

	if (o->draw && !canvas_knows(o->draw))
		usage_error("--draw %s: expected a name that ends in .svg or .png", o->draw);

	if (grid_is_given(&o->grid) && !o->check && !o->draw && o->to < 0)
		usage_error("--size, --spacing, --origin and --like require --check, --draw or --to");
}

int main_geom(int argc, char *argv[])
{
	const char *in = NULL, *out = NULL;
	struct options o = {.from = -1, .to = -1};

	const struct opt opts[] = {OPT_FLAG(0, "each", &o.each, "print every view"),
	        OPT_FLAG(0, "check", &o.check,
	                "print field of view, coverage and sampling; exit status 1 if a given volume is not "
	                "covered"),
	        OPT_OUTFILE(0, "draw", &o.draw, "FILE", "draw the scan (FILE.svg or FILE.png)"),
	        OPT_STRING(0, "views", &o.views, "LIST", "keep these views: 0:90, ::4, 3,7,1"),
	        OPT_FLAG(0, "reverse", &o.reverse, "reverse the sense of rotation about view 0"),
	        OPT_DOUBLES(0, "shift", &o.move, "X:Y:Z", 0, 0, "shift of source and detector [mm]"),
	        OPT_DOUBLES(0, "rotate", &o.rotate, "DEG|X:Y:Z", 0, 0,
	                "rotate the scanner about z, or about x, then y, then z [degrees]"),
	        OPT_DOUBLE(0, "shift-u", &o.shift[0], "PX", -1e9, 1e9,
	                "shift of the detector along u [columns]"),
	        OPT_DOUBLE(
	                0, "shift-v", &o.shift[1], "PX", -1e9, 1e9, "shift of the detector along v [rows]"),
	        {0, "center", OPT_KIND_DOUBLE, &o.center, "C",
	                "moves the detector so that the rotation axis is seen at column C, counted from 0", 0,
	                -1e9, 1e9, &o.has_center},
	        OPT_LONGS(0, "bin", &o.bin, "U[:V]", 1, 0x7fffffff, "bin U x V pixels"),
	        OPT_DETECTOR(&o.detector, "detector size, about the same centre"),
	        OPT_CHOICE(0, "from", &o.from, EXCHANGE_FORMS "|" EXCHANGE_READ_ONLY,
	                "GEOM is a file in the form of another package or scanner"),
	        OPT_CHOICE(0, "to", &o.to, EXCHANGE_FORMS, "OUT is a file in the form of another package"),
	        OPT_DOUBLES(0, "pitch", &o.pitch, "PU[:PV]", 1e-300, 1e300,
	                "pixel size, if the file of --from has none [mm]"),
	        OPT_GRID(&o.grid), ARG_IN("GEOM", &in, "geometry, 4 x 4 x views; with --from a file"),
	        ARG_OUT_OPTIONAL(
	                "OUT", &out, "the changed geometry, with --to a file; without it GEOM is printed"),
	        OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "geom",
	                .group = GROUP_SIMULATE,
	                .synonyms = "geometry",
	                .about = "Print, draw, check, change or convert a geometry",
	                .details = "Changes are made in this order: --views, --reverse, --rotate, "
	                           "--shift, --center, --shift-u and --shift-v, --bin. Each change is the "
	                           "same in every view. If projections show the rotation axis at column "
	                           "C, use --center C (columns are counted from 0). The options --check, "
	                           "--draw, --to tigre and --to leap use the default volume of the "
	                           "geometry. The options --size, --spacing, --origin and --like set "
	                           "another volume.\n\n"
	                           "The options --from and --to have these forms:\n\n"
	                           "  astra: the dictionary of create_proj_geom as JSON, written as "
	                           "vectors\n"
	                           "  astra-plain: the same, written as parallel3d, cone, parallel or "
	                           "fanflat\n"
	                           "  cone_vec, parallel3d_vec, fanflat_vec, parallel_vec: a table of "
	                           "ASTRA's vectors\n"
	                           "  tigre: attributes of tigre.geometry as JSON\n"
	                           "  rtk: XML\n"
	                           "  cil: the Python expression of an AcquisitionGeometry\n"
	                           "  leap, leap-modular: parameter file\n"
	                           "  matrix: 3 x 4 projection matrices, pixel (0, 0) at its centre\n\n"
	                           "The option --from also has these forms:\n\n"
	                           "  nikon: settings of Nikon's scanners (.xtekct)\n"
	                           "  skyscan: settings of SkyScan's scanners (.log)\n"
	                           "  dicom: DICOM-CT-PD projections, a folder or a pattern in quotes\n\n"
	                           "The page doc/geometry-forms.md describes the conventions and the "
	                           "limits of each form.",
	                .examples = "gantry geom scan\n"
	                            "gantry geom --draw scan.svg scan\n"
	                            "gantry geom --check --like volume scan\n"
	                            "gantry geom --center 190.5 scan centred\n"
	                            "gantry geom --views ::2 --bin 2 scan smaller\n"
	                            "gantry geom --to rtk scan scan.xml\n"
	                            "gantry geom --from rtk --detector 384:384 --pitch 0.8 scan.xml again\n"
	                            "gantry geom --from dicom projections/ scan",
	                .opts = opts,
	        },
	        argc, argv);

	check_options(&o, out);

	struct cfl *f = NULL;
	struct geom *g;

	if (o.from >= 0) {
		g = read_form(&o, in);
	} else {
		f = cfl_open(in);
		g = geom_load(f, &o.detector, NULL);
	}

	if (!out || o.to >= 0)
		tool_plan_text();

	g = edit(g, &o, in);
	geom_check(g, in);

	bool good = show(g, &o, out);

	if (out && o.to >= 0)
		write_form(g, &o, in, out);
	else if (out)
		geom_write(out, g);

	if (f)
		cfl_close(f);

	geom_free(g);
	leave(good ? EXIT_DONE : EXIT_FAILED);
}
