#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/cfl.h"
#include "misc/colormap.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/opt.h"
#include "misc/parse.h"
#include "misc/png.h"
#include "misc/progress.h"
#include "num/picture.h"

int main_toimg(int argc, char *argv[]);

/* Everything that a row of the picture depends on. */
struct drawing {
	struct picture plane;
	long first, step, count;      // of the pictures tiled
	long columns;                 // of tiles
	long tile_width, tile_height; // [pixels]
	double lo, hi;                // values of the first and the last colour
	bool up, invert;
	enum colormap map;
	struct png_format format;
	double *values; // of a line
	void *tmp;
};

static const double nan_color[3] = {1., 0., 1.};

static void put_pixel(const struct drawing *g, void *row, long x, double v)
{
	double t = (v - g->lo) / (g->hi - g->lo), rgb[3];
	int samples = g->format.rgb ? 3 : 1;

	colormap_color(g->map, g->invert ? 1. - t : t, rgb);

	for (int c = 0; c < samples; c++) {
		double s = isfinite(v) ? rgb[c] : nan_color[c];

		if (16 == g->format.bits)
			((unsigned short *)row)[x * samples + c] = (unsigned short)(s * 65535. + 0.5);
		else
			((unsigned char *)row)[x * samples + c] = (unsigned char)(s * 255. + 0.5);
	}
}

/* The element that pixel i of `pixels` shows of n: the nearest. */
static long source_index(long i, long pixels, long n)
{
	long k = (long)(((double)i + 0.5) * (double)n / (double)pixels);

	return k < n ? k : n - 1;
}

static void draw_row(void *ctx, long y, void *row)
{
	struct drawing *g = ctx;
	const struct picture *p = &g->plane;
	long line = source_index(y % g->tile_height, g->tile_height, p->height);

	memset(row, 0, (size_t)g->format.width * (g->format.rgb ? 3 : 1) * (size_t)(g->format.bits / 8));

	for (long c = 0; c < g->columns; c++) {
		long k = y / g->tile_height * g->columns + c;

		if (k >= g->count)
			break;

		picture_line(
		        p, g->first + k * g->step, g->up ? p->height - 1 - line : line, g->values, g->tmp);

		for (long x = 0; x < g->tile_width; x++)
			put_pixel(g, row, c * g->tile_width + x,
			        g->values[source_index(x, g->tile_width, p->width)]);
	}

	progress_update(y + 1);
}

/* ---- what is shown ---- */

static void choose_pictures(
        struct drawing *g, bool montage, const char *slice, const char *range, const char *name)
{
	long n = g->plane.count;

	if (slice && n < 2 && g->plane.cut < 0)
		usage_error("--slice: %s has a single picture", name);

	if (g->plane.rest)
		info("%s: shown at index 0 of %d further dimension%s (gantry slice picks others)", name,
		        g->plane.rest, 1 == g->plane.rest ? "" : "s");

	g->first = n / 2;
	g->step = 1;
	g->count = 1;

	if (slice) {
		long i = parse_long(slice, "--slice");

		if (i < -n || i >= n)
			usage_error("--slice %ld, expected 0..%ld (or -%ld..-1 from the end)", i, n - 1, n);

		g->first = i < 0 ? i + n : i;
	} else if (range) {
		parse_range(range, n, &g->first, &g->step, &g->count, "--range");
	} else if (montage) {
		g->first = 0;
		g->count = n;
	}
}

static long pixels(double elements, const char *name)
{
	if (!(elements < PNG_MAX_SIDE))
		error("%s: the picture would have a side of %.0f pixels, expected at most %d", name, elements,
		        PNG_MAX_SIDE);

	return elements < 1. ? 1 : (long)(elements + 0.5);
}

/* Sizes of the tiles and of the picture; without --columns about as wide as high. */
static void lay_out(
        struct drawing *g, const struct hdr *h, long zoom, bool aspect, long columns, const char *name)
{
	const struct picture *p = &g->plane;
	double sx = aspect ? fabs(h->spacing[p->across]) : 1., sy = aspect ? fabs(h->spacing[p->down]) : 1.;
	double unit = sx < sy ? sx : sy;

	g->tile_width = pixels((double)p->width * (double)zoom * sx / unit, name);
	g->tile_height = pixels((double)p->height * (double)zoom * sy / unit, name);

	if (0 == columns)
		columns = (long)ceil(sqrt((double)g->count * (double)g->tile_height / (double)g->tile_width));

	g->columns = columns < 1 ? 1 : (columns > g->count ? g->count : columns);

	long rows = (g->count - 1) / g->columns + 1;

	g->format.width = pixels((double)g->columns * (double)g->tile_width, name);
	g->format.height = pixels((double)rows * (double)g->tile_height, name);
}

/* ---- the window ---- */

static void choose_window(struct drawing *g, const struct opt_doubles *window,
        const struct opt_doubles *percentile, const char *name)
{
	const struct picture *p = &g->plane;
	long bad = picture_extent(p, g->first, g->step, g->count, &g->lo, &g->hi);

	if (percentile->n) {
		double low = percentile->v[0], high = 2 == percentile->n ? percentile->v[1] : 100. - low;

		if (percentile->n > 2 || !(low < high))
			usage_error("--percentile: expected LO:HI with LO < HI, or P below 50 for P:100-P");

		g->lo = picture_percentile(p, g->first, g->step, g->count, low);
		g->hi = picture_percentile(p, g->first, g->step, g->count, high);
	}

	if (window->n) {
		if (2 != window->n || !(window->v[0] < window->v[1]))
			usage_error(
			        "--window: expected LO:HI with LO < HI (--invert exchanges dark and bright)");

		g->lo = window->v[0];
		g->hi = window->v[1];
	}

	info("%s: window %.6g:%.6g", name, g->lo, g->hi);

	if (!(g->lo < g->hi))
		g->hi = g->lo + fmax(1., fabs(g->lo)); // a constant picture

	if (bad) {
		warn("%s: %ld of %ld values are not finite, drawn in magenta", name, bad,
		        g->count * p->width * p->height);
		g->format.rgb = true;
	}
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

static void draw(struct drawing *g, const char *out)
{
	const long row = g->format.width * (g->format.rgb ? 3 : 1) * (g->format.bits / 8);

	if (tool_plan())
		tool_print_plan(mem_printf("%s, %ld x %ld pixels, before compression", out, g->format.width,
		                        g->format.height),
		        row * g->format.height);

	g->values = mem_alloc((size_t)g->plane.width * sizeof *g->values);
	g->tmp = mem_alloc((size_t)g->plane.width * 16);

	struct file_out *f = file_create(out);

	progress_start("drawing", g->format.height);
	png_write(f, out, &g->format, draw_row, g);
	progress_end();
	file_commit(f);

	free(g->values);
	free(g->tmp);
}

int main_toimg(int argc, char *argv[])
{
	struct opt_doubles window = {0}, percentile = {0};
	bool montage = false, up = false, invert = false, aspect = false;
	int dim = -1, map = CM_GRAY, part = PART_MAGNITUDE;
	long columns = 0, bits = 8, zoom = 1;
	const char *slice = NULL, *range = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES('w', "window", &window, "LO:HI", 0, 0,
	                "values drawn black and white (default: smallest and largest)"),
	        OPT_DOUBLES(0, "percentile", &percentile, "P[:Q]", 0, 100,
	                "window from percentile P to Q (default of Q: 100-P)"),
	        {0, "dim", OPT_KIND_DIM, &dim, "DIM",
	                "cut across this dimension (default: the third one larger than 1)", 0, 0, 0, 0},
	        OPT_STRING('s', "slice", &slice, "N",
	                "index along that dimension, negative from the end (default: the middle)"),
	        OPT_FLAG('m', "montage", &montage, "all slices side by side"),
	        OPT_STRING(0, "range", &range, "START:STOP[:STEP]", "a montage of these slices"),
	        OPT_LONG(0, "columns", &columns, "N", 1, 0x1p31,
	                "slices per row of a montage (default: about square)"),
	        OPT_FLAG('u', "up", &up, "draw the second dimension upwards"),
	        OPT_CHOICE('c', "colormap", &map, COLORMAP_CHOICES, "colours"),
	        OPT_FLAG(0, "invert", &invert, "exchange the ends of the colours"),
	        OPT_LONG(0, "bits", &bits, "8|16", 8, 16, "bits per sample"),
	        OPT_CHOICE(0, "part", &part, PICTURE_PARTS, "what of complex elements is drawn"),
	        OPT_LONG(0, "zoom", &zoom, "N", 1, 1024, "pixels per element"),
	        OPT_FLAG(0, "aspect", &aspect,
	                "stretch the coarser direction so that a mm is as long across as down"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUTFILE("OUT.png", &out, "the picture; - for standard output"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "toimg",
	                  .about = "Draw a slice or a montage as a PNG picture",
	                  .details = "The first dimension larger than 1 runs to the right, the second down "
	                             "(up with --up): element (0, 0) is "
	                             "the top left pixel. Arrays of three dimensions are cut across the "
	                             "third, in the middle. Values "
	                             "outside the window are drawn like its ends; NaN and infinite ones in "
	                             "magenta, with their count.",
	                  .examples = "gantry toimg --window 0:0.03 volume slice.png\n"
	                              "gantry toimg --dim y --up --colormap viridis volume coronal.png\n"
	                              "gantry toimg --montage --columns 8 --percentile 0.5 volume all.png",
	                  .opts = opts},
	        argc, argv);

	check_output(out);

	if (8 != bits && 16 != bits)
		usage_error("--bits %ld, expected 8 or 16", bits);

	if (slice && (montage || range))
		usage_error("--slice draws one slice: it excludes --montage and --range");

	struct cfl *x = cfl_open(in);
	struct drawing g = {.up = up,
	        .invert = invert,
	        .map = (enum colormap)map,
	        .format = {.bits = (int)bits, .rgb = CM_GRAY != map}};

	picture_init(&g.plane, &x->hdr, dim, (enum picture_part)part, cfl_map(x));
	choose_pictures(&g, montage, slice, range, in);
	lay_out(&g, &x->hdr, zoom, aspect, columns, in);
	choose_window(&g, &window, &percentile, in);
	draw(&g, out);

	cfl_close(x);
	leave(EXIT_DONE);
}
