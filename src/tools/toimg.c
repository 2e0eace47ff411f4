#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/stat/montage.h"

int main_toimg(int argc, char *argv[]);

/* Words between commas. */
static long count_words(const char *words)
{
	long n = 1;

	for (; *words; words++)
		n += ',' == *words;

	return n;
}

static void check_window(const struct opt_doubles *window, const struct opt_doubles *percentile)
{
	double high = 2 == percentile->n ? percentile->v[1] : 100. - percentile->v[0];

	if (percentile->n > 0 && (percentile->n > 2 || !(percentile->v[0] < high)))
		usage_error("--percentile: expected LO:HI with LO < HI, or one number P below 50 (LO = P, HI "
		            "= 100 - P)");

	if (percentile->n > 0 && window->n > 0)
		usage_error("expected one of --window and --percentile");

	if (window->n > 0 && (2 != window->n || !(window->v[0] < window->v[1])))
		usage_error("--window: expected LO:HI with LO < HI (--invert exchanges dark and bright)");
}

static void check_output(const char *out)
{
	static const char *const others[] = {
	        ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".pdf", ".svg", ".npy", ".ra"};
	const char *dot = strrchr(out, '.');

	if (!strcmp(out, "-") && isatty(STDOUT_FILENO))
		usage_error("-: a picture is not written to a terminal, expected a name or a pipe");

	for (unsigned i = 0; dot && i < sizeof others / sizeof others[0]; i++)
		if (!strcasecmp(dot, others[i]))
			usage_error(
			        "%s: pictures are written as PNG, expected a name that ends in .png", out);
}

int main_toimg(int argc, char *argv[])
{
	struct opt_doubles window = {0}, percentile = {0};
	struct opt_list names = {0};
	struct montage_choice choice = {.projection = -1};
	struct montage_around around = {0};
	bool up = false, invert = false, aspect = false, difference = false, projected = false;
	int dim = -1, map = CM_GRAY, part = PART_MAGNITUDE, projection = PROJECTION_MAX;
	long columns = 0, bits = 8, zoom = 1;
	double difference_window = 0.;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES('w', "window", &window, "LO:HI", 0, 0,
	                "values drawn black and white (default: smallest and largest)"),
	        OPT_DOUBLES(0, "percentile", &percentile, "P[:Q]", 0, 100,
	                "window from percentile P to Q (default of Q: 100-P)"),
	        {0, "dim", OPT_KIND_DIM, &dim, "DIM",
	                "cut across this dimension (default: the third one larger than 1)", 0, 0, 0, 0},
	        OPT_STRING('s', "slice", &choice.slice, "N",
	                "index of the slice, negative from the end (default: the middle)"),
	        OPT_FLAG('m', "montage", &choice.montage, "all slices side by side"),
	        OPT_STRING(0, "range", &choice.range, "START:STOP[:STEP]",
	                "a montage of these slices, or a projection over them"),
	        {0, "projection", OPT_KIND_CHOICE, &projection, PICTURE_PROJECTIONS,
	                "the largest, smallest or mean value along --dim, instead of a slice", 0, 0, 0,
	                &projected},
	        OPT_LONG(0, "columns", &columns, "N", 1, 0x1p31,
	                "tiles per row of a montage (default: about square)"),
	        OPT_FLAG('d', "difference", &difference,
	                "also draw the differences of the other arrays from the first"),
	        OPT_DOUBLE(0, "difference-window", &difference_window, "D", 0, 1e300,
	                "differences from -D to D (default: the largest)"),
	        OPT_FLAG('u', "up", &up, "draw the second dimension upwards"),
	        OPT_CHOICE('c', "colormap", &map, COLORMAP_CHOICES, "colour map"),
	        OPT_FLAG(0, "invert", &invert, "invert the colour map"),
	        OPT_FLAG('b', "colorbar", &around.colorbar, "colour bar with values and unit on the right"),
	        OPT_FLAG('l', "label", &around.label,
	                "names of arrays or positions of slices above the tiles"),
	        OPT_STRING(0, "labels", &around.labels, "TEXT,TEXT..", "texts above the tiles"),
	        OPT_STRING(0, "title", &around.title, "TEXT", "text above the picture"),
	        OPT_DOUBLE(0, "scale-bar", &around.scale_bar, "MM", 0, 1e300,
	                "scale bar of this length below the picture"),
	        OPT_LONG(0, "bits", &bits, "8|16", 8, 16, "bits per sample"),
	        OPT_CHOICE(0, "part", &part, PICTURE_PARTS, "part of complex elements that is drawn"),
	        OPT_LONG(0, "zoom", &zoom, "N", 1, 1024, "pixels per element"),
	        OPT_FLAG(0, "aspect", &aspect, "stretch the coarser direction to equal scales"),
	        ARG_IN_MANY("IN", &names, "arrays of the same size, one tile each"),
	        ARG_OUTFILE("OUT.png", &out, "the picture; - for standard output"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "toimg",
	                  .group = GROUP_LOOK,
	                  .synonyms = "png picture image montage",
	                  .about = "Draw slices, projections and differences as a PNG picture",
	                  .details = "The first dimension larger than 1 runs to the right, and the second "
	                             "one runs down. Element (0, 0) is the top left pixel. With --up, the "
	                             "second dimension runs up. If an array has three dimensions, the "
	                             "middle slice along the third dimension is drawn. With --projection "
	                             "max, the maximum intensity projection is drawn in place of a slice. "
	                             "Values outside the window get the colour of the nearer end of the "
	                             "window. NaN and infinite values are magenta, and a message gives "
	                             "their number. Several arrays share one window, so that their grey "
	                             "values are comparable. Differences are drawn in blue (negative), "
	                             "white (zero) and red (positive). Texts are ASCII.",
	                  .examples =
	                          "gantry toimg --window 0:0.03 volume slice.png\n"
	                          "gantry toimg --dim y --up --colormap viridis volume coronal.png\n"
	                          "gantry toimg --montage --columns 8 --percentile 0.5 volume all.png\n"
	                          "gantry toimg --difference --colorbar --label truth fdk wls side.png\n"
	                          "gantry toimg --projection max --dim y --up --scale-bar 10 volume mip.png",
	                  .memory = "15 bytes per pixel of a picture with texts and bars. A projection or "
	                            "difference needs 8 bytes per element",
	                  .opts = opts},
	        argc, argv);

	check_output(out);
	check_window(&window, &percentile);
	choice.projection = projected ? projection : -1;

	if (8 != bits && 16 != bits)
		usage_error("--bits %ld, expected 8 or 16", bits);

	if (choice.slice && (choice.montage || choice.range || projected))
		usage_error("--slice excludes --montage, --range and --projection");

	if (names.n > 1 && (choice.montage || (choice.range && !projected)))
		usage_error("--montage and --range draw slices of one array, found %d arrays", names.n);

	if (choice.montage && projected)
		usage_error("--projection draws one picture: it excludes --montage");

	if (columns > 0 && names.n < 2 && !choice.montage && (!choice.range || projected))
		usage_error("--columns %ld has no effect on a single picture (give --montage, --range or "
		            "several arrays)",
		        columns);

	if (names.n < 2 && (difference || difference_window > 0.))
		usage_error("--difference needs at least two arrays, found one");

	struct montage g = {.up = up,
	        .scale = {.map = (enum colormap)map, .invert = invert},
	        .difference = {.hi = difference_window},
	        .format = {.bits = (int)bits, .rgb = CM_GRAY != map}};
	struct cfl **x = mem_alloc((size_t)names.n * sizeof(struct cfl *));

	for (int k = 0; k < names.n; k++)
		x[k] = cfl_open(names.v[k]);

	for (int k = 0; k < names.n; k++)
		montage_add(&g, x[k], dim, (enum picture_part)part, &choice, 1 == names.n, names.v[0]);

	const long shown = g.count;

	if (difference || difference_window > 0.) {
		montage_add_differences(&g, &names);
		g.format.rgb = true;
	}

	if (around.labels && count_words(around.labels) > g.count)
		usage_error("--labels: %ld labels separated by commas for %ld tile%s",
		        count_words(around.labels), g.count, 1 == g.count ? "" : "s");

	around.unit = x[0]->hdr.unit;
	montage_lay_out(&g, &around, &x[0]->hdr, zoom, aspect,
	        names.n > 1 && 0 == columns ? g.count : columns, names.v[0]);
	montage_choose_window(&g, shown, &window, &percentile, names.v[0]);
	montage_write(&g, &around, out);

	for (int k = 0; k < names.n; k++)
		cfl_close(x[k]);

	free(x);
	leave(EXIT_DONE);
}
