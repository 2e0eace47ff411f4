#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/plot/canvas.h"
#include "misc/plot/colormap.h"
#include "misc/plot/png.h"
#include "misc/plot/ticks.h"
#include "misc/progress.h"
#include "num/stat/picture.h"

int main_toimg(int argc, char *argv[]);

/* Values from lo to hi as the colours of a map. */
struct scale {
	double lo, hi;
	enum colormap map;
	bool invert;
};

/* A tile: one slice of an array, or values computed from slices. */
struct tile {
	struct picture plane;
	long slice;
	const struct scale *scale;
	double *values; // owned; NULL: the plane is that of an array
	char *label;    // owned; NULL: none
};

/* Everything that a row of the picture depends on. */
struct drawing {
	struct tile *tile;
	long count, columns;
	long tile_width, tile_height; // [pixels]
	long gap, top, band;          // between columns; above all tiles; above each row of tiles
	bool up;
	struct scale scale, difference;
	struct png_format format;
	unsigned char *around; // words and colour bars, three bytes per pixel of the whole picture, or NULL
	double *values;        // of a line
	void *tmp;
};

static const double nan_color[3] = {1., 0., 1.};

/* ---- rows ---- */

static void put_color(const struct drawing *g, void *row, long x, const double rgb[3])
{
	int samples = g->format.rgb ? 3 : 1;

	for (int c = 0; c < samples; c++) {
		if (16 == g->format.bits)
			((unsigned short *)row)[x * samples + c] = (unsigned short)(rgb[c] * 65535. + 0.5);
		else
			((unsigned char *)row)[x * samples + c] = (unsigned char)(rgb[c] * 255. + 0.5);
	}
}

static void scale_color(const struct scale *s, double v, double rgb[3])
{
	double t = (v - s->lo) / (s->hi - s->lo);

	if (isfinite(v))
		colormap_color(s->map, s->invert ? 1. - t : t, rgb);
	else
		memcpy(rgb, nan_color, sizeof nan_color);
}

/* The element that pixel i of `pixels` shows of n: the nearest. */
static long source_index(long i, long pixels, long n)
{
	long k = (long)(((double)i + 0.5) * (double)n / (double)pixels);

	return k < n ? k : n - 1;
}

static void draw_tile_row(struct drawing *g, const struct tile *t, long y, long left, void *row)
{
	const struct picture *p = &t->plane;
	long line = source_index(y, g->tile_height, p->height);
	double rgb[3];

	picture_line(p, t->slice, g->up ? p->height - 1 - line : line, g->values, g->tmp);

	for (long x = 0; x < g->tile_width; x++) {
		scale_color(t->scale, g->values[source_index(x, g->tile_width, p->width)], rgb);
		put_color(g, row, left + x, rgb);
	}
}

static void draw_around(const struct drawing *g, long y, void *row)
{
	const unsigned char *from = g->around + y * g->format.width * 3;

	for (long x = 0; x < g->format.width; x++)
		put_color(g, row, x,
		        (double[3]){from[3 * x] / 255., from[3 * x + 1] / 255., from[3 * x + 2] / 255.});
}

static void draw_row(void *ctx, long y, void *row)
{
	struct drawing *g = ctx;
	long high = g->band + g->tile_height, at = y - g->top;

	if (g->around != NULL)
		draw_around(g, y, row);
	else
		memset(row, 0,
		        (size_t)g->format.width * (g->format.rgb ? 3 : 1) * (size_t)(g->format.bits / 8));

	for (long c = 0; at >= 0 && at % high >= g->band && c < g->columns; c++) {
		long k = at / high * g->columns + c;

		if (k < g->count)
			draw_tile_row(g, &g->tile[k], at % high - g->band, c * (g->tile_width + g->gap), row);
	}

	progress_update(y + 1);
}

/* ---- what is shown ---- */

struct choice {
	bool montage;
	const char *slice, *range;
	int projection; // or -1
};

/* Pictures of one array: first, first + step, ... (n). */
struct series {
	struct picture plane;
	long first, step, n;
};

static void choose_pictures(struct series *s, const struct choice *choice, const char *name)
{
	long n = s->plane.count;

	if ((choice->slice || choice->projection >= 0) && n < 2 && s->plane.cut < 0)
		usage_error("%s: %s has a single picture", choice->slice ? "--slice" : "--projection", name);

	if (s->plane.rest)
		info("%s: shown at index 0 of %d further dimension%s (gantry slice picks others)", name,
		        s->plane.rest, 1 == s->plane.rest ? "" : "s");

	s->first = n / 2;
	s->step = 1;
	s->n = 1;

	if (choice->slice) {
		long i = parse_long(choice->slice, "--slice");

		if (i < -n || i >= n)
			usage_error("--slice %ld, expected 0..%ld (or -%ld..-1 from the end)", i, n - 1, n);

		s->first = i < 0 ? i + n : i;
	} else if (choice->range) {
		parse_range(choice->range, n, &s->first, &s->step, &s->n, "--range");
	} else if (choice->montage || choice->projection >= 0) {
		s->first = 0;
		s->n = n;
	}
}

static char *slice_label(const struct hdr *h, const struct picture *p, long slice)
{
	static const char *const names[] = {"x", "y", "z"};

	if (p->cut < 0)
		return NULL;

	if (p->cut < 3 && h->has_spacing)
		return mem_printf("%s %.4g mm", names[p->cut],
		        hdr_origin(h, p->cut) + (double)slice * h->spacing[p->cut]);

	return p->cut < 3 ? mem_printf("%s %ld", names[p->cut], slice) : mem_printf("%ld", slice);
}

static double *new_values(const struct picture *p)
{
	return mem_alloc((size_t)(p->width * p->height) * sizeof(double));
}

static void add_tile(struct drawing *g, const struct picture *p, long slice, double *values, char *label)
{
	g->tile = mem_realloc(g->tile, (size_t)(g->count + 1) * sizeof *g->tile);
	g->tile[g->count++] = (struct tile){*p, slice, &g->scale, values, label};
}

/* Tiles of one array; `alone`: it is the only one. */
static void add_array(struct drawing *g, struct cfl *x, int dim, enum picture_part part,
        const struct choice *choice, bool alone)
{
	struct series s;

	picture_init(&s.plane, &x->hdr, dim, part, cfl_map(x));
	choose_pictures(&s, choice, x->name);

	if (choice->projection >= 0) {
		double *values = new_values(&s.plane);

		picture_project(
		        &s.plane, s.first, s.step, s.n, (enum picture_projection)choice->projection, values);
		picture_of_values(&s.plane, &s.plane, values);
		add_tile(g, &s.plane, 0, values, alone ? NULL : mem_strdup(x->name));
		return;
	}

	for (long k = 0; k < s.n; k++)
		add_tile(g, &s.plane, s.first + k * s.step, NULL,
		        alone ? slice_label(&x->hdr, &s.plane, s.first + k * s.step) : mem_strdup(x->name));
}

static void expect_same_size(const struct drawing *g, const char *first, const char *name)
{
	const struct picture *a = &g->tile[0].plane, *b = &g->tile[g->count - 1].plane;

	if (a->width != b->width || a->height != b->height)
		error("the picture of %s has %ld x %ld elements and that of %s %ld x %ld, expected the same",
		        name, b->width, b->height, first, a->width, a->height);
}

/* Tiles of what the others differ by from the first. */
static void add_differences(struct drawing *g, const struct opt_list *names)
{
	const long others = g->count;
	const struct picture *p = &g->tile[0].plane;
	double *line = mem_alloc((size_t)p->width * sizeof *line), largest = 0.;
	void *tmp = mem_alloc((size_t)p->width * 16);

	for (long k = 1; k < others; k++) {
		double *values = new_values(p);
		struct picture plane;

		for (long y = 0; y < p->height; y++) {
			picture_line(&g->tile[k].plane, g->tile[k].slice, y, values + y * p->width, tmp);
			picture_line(&g->tile[0].plane, g->tile[0].slice, y, line, tmp);

			for (long x = 0; x < p->width; x++) {
				double d = values[y * p->width + x] -= line[x];

				largest = isfinite(d) && fabs(d) > largest ? fabs(d) : largest;
			}
		}

		picture_of_values(&plane, p, values);
		add_tile(g, &plane, 0, values, mem_printf("%s - %s", names->v[k], names->v[0]));
		g->tile[g->count - 1].scale = &g->difference;
		p = &g->tile[0].plane;
	}

	if (!(g->difference.hi > 0.))
		g->difference.hi = largest > 0. ? largest : 1.;

	g->difference.lo = -g->difference.hi;
	g->difference.map = CM_COOLWARM;
	free(line);
	free(tmp);
}

/* Words between commas. */
static long count_words(const char *words)
{
	long n = 1;

	for (; *words; words++)
		n += ',' == *words;

	return n;
}

/* ---- layout ---- */

static long pixels(double elements, const char *name)
{
	if (!(elements < PNG_MAX_SIDE))
		error("%s: the picture would have a side of %.0f pixels, expected at most %d", name, elements,
		        PNG_MAX_SIDE);

	return elements < 1. ? 1 : (long)(elements + 0.5);
}

/* What is drawn around the tiles. */
struct decoration {
	bool colorbar, label;
	const char *title, *labels;
	double scale_bar; // [mm], 0: none
	const char *unit;
	double mm; // per pixel across, for the scale bar
	long size, bottom, right;
};

static bool is_decorated(const struct decoration *d)
{
	return d->colorbar || d->label || d->labels || d->title || d->scale_bar > 0.;
}

/* Sizes of the tiles and of the picture; without --columns about as wide as high. */
static void lay_out(struct drawing *g, struct decoration *d, const struct hdr *h, long zoom, bool aspect,
        long columns, const char *name)
{
	const struct picture *p = &g->tile[0].plane;
	double sx = fabs(h->spacing[p->across]), sy = fabs(h->spacing[p->down]);
	double unit = sx < sy ? sx : sy;

	if (!aspect)
		sx = sy = unit;

	g->tile_width = pixels((double)p->width * (double)zoom * sx / unit, name);
	g->tile_height = pixels((double)p->height * (double)zoom * sy / unit, name);

	if (0 == columns)
		columns = (long)ceil(sqrt((double)g->count * (double)g->tile_height / (double)g->tile_width));

	g->columns = columns < 1 ? 1 : (columns > g->count ? g->count : columns);

	if (is_decorated(d)) {
		d->size =
		        g->tile_height / 18 < 11 ? 11 : (g->tile_height / 18 > 40 ? 40 : g->tile_height / 18);
		d->mm = fabs(h->spacing[p->across]) * (double)p->width / (double)g->tile_width;
		g->gap = d->size / 2;
		g->top = d->title ? 2 * d->size : 0;
		g->band = d->label || d->labels ? 2 * d->size : (g->count > g->columns ? d->size / 2 : 0);
		d->bottom = d->scale_bar > 0. ? 5 * d->size / 2 : 0;
		d->right = d->colorbar ? (g->difference.hi > 0. ? 17 : 9) * d->size : 0;
		g->format.rgb = true;
	}

	long rows = (g->count - 1) / g->columns + 1;

	g->format.width = pixels((double)g->columns * (double)g->tile_width +
	                                 (double)(g->columns - 1) * (double)g->gap + (double)d->right,
	        name);
	g->format.height = pixels(
	        (double)rows * (double)(g->tile_height + g->band) + (double)(g->top + d->bottom), name);

	if (is_decorated(d) && (double)g->format.width * (double)g->format.height > 2e8)
		error("%s: the picture would have %ld x %ld pixels, expected at most 2e8 with words and bars "
		      "around "
		      "it",
		        name, g->format.width, g->format.height);
}

/* ---- words and bars ---- */

static const unsigned ink = 0x202020;

static void draw_colorbar(struct canvas *c, const struct scale *s, const struct decoration *d, double left,
        double top, double height)
{
	const double size = (double)d->size, width = 1.2 * size;
	double first, step, rgb[3];
	int n = ticks(s->lo, s->hi, (int)fmax(2., fmin(9., height / size / 2.)), &first, &step);

	for (double y = 0.; y < height; y += 1.) {
		scale_color(s, s->hi + (s->lo - s->hi) * (y + 0.5) / height, rgb);

		unsigned colour = (unsigned)(rgb[0] * 255. + 0.5) << 16 |
		                  (unsigned)(rgb[1] * 255. + 0.5) << 8 | (unsigned)(rgb[2] * 255. + 0.5);

		canvas_polygon(c, 4,
		        (const double[4][2]){{left, top + y}, {left + width, top + y},
		                {left + width, top + y + 1.}, {left, top + y + 1.}},
		        colour, 1.);
	}

	for (int k = 0; k < n; k++) {
		double v = first + k * step, y = top + height * (s->hi - v) / (s->hi - s->lo);
		char *text = mem_printf("%.4g", fabs(v) < 1e-9 * step ? 0. : v);

		canvas_line(
		        c, (double[2]){left + width, y}, (double[2]){left + width + 0.3 * size, y}, 1., ink);
		canvas_text(c,
		        (double[2]){left + width + 0.6 * size,
		                fmin(fmax(y + 0.35 * size, top + size), top + height)},
		        size, -1, ink, text);
		free(text);
	}
}

/* The n-th of the words between commas, or NULL. */
static char *nth_word(const char *words, long n)
{
	for (; words != NULL && n > 0; n--) {
		words = strchr(words, ',');
		words = words != NULL ? words + 1 : NULL;
	}

	return words != NULL ? strndup(words, strcspn(words, ",")) : NULL;
}

/* The text within so many pixels: smaller letters first, then an end in "..", then nothing. */
static char *fit_label(const char *text, double room, double *size)
{
	const double least = fmin(*size, 8.);
	const long n = (long)strlen(text);

	if (canvas_text_width(*size, n) > room)
		*size = fmax(least, *size * room / canvas_text_width(*size, n));

	long shown = n;

	while (shown > 0 && canvas_text_width(*size, shown < n ? shown + 2 : n) > room)
		shown--;

	return shown == n ? mem_strdup(text) : shown > 0 ? mem_printf("%.*s..", (int)shown, text) : NULL;
}

static void draw_label(struct canvas *c, const struct drawing *g, const struct decoration *d,
        const double at[2], const char *text)
{
	double size = (double)d->size;
	char *shown = fit_label(text, (double)g->tile_width, &size);

	if (shown != NULL)
		canvas_text(c, at, size, 0, ink, shown);

	free(shown);
}

static void draw_labels(struct canvas *c, const struct drawing *g, const struct decoration *d)
{
	for (long k = 0; k < g->count; k++) {
		double x = ((double)(k % g->columns) + 0.5) * (double)g->tile_width +
		           (double)(k % g->columns * g->gap);
		double y = (double)(g->top + k / g->columns * (g->band + g->tile_height) + g->band) -
		           0.5 * (double)d->size;
		char *word = d->labels ? nth_word(d->labels, k) : NULL;
		const char *text = word != NULL ? word : g->tile[k].label;

		if (text != NULL)
			draw_label(c, g, d, (double[2]){x, y}, text);

		free(word);
	}
}

static void draw_scale_bar(struct canvas *c, const struct drawing *g, const struct decoration *d)
{
	const double y = (double)(g->format.height - d->bottom) + 0.9 * (double)d->size,
	             size = (double)d->size;
	const double length = d->scale_bar / d->mm;
	char *text = mem_printf("%.4g mm", d->scale_bar);

	if (length > (double)g->tile_width)
		usage_error("--scale-bar %g: longer than the %g mm that are shown", d->scale_bar,
		        d->mm * (double)g->tile_width);

	canvas_line(c, (double[2]){0.3 * size, y}, (double[2]){0.3 * size + length, y}, 0.3 * size, ink);
	canvas_text(c, (double[2]){0.3 * size, y + 1.4 * size}, size, -1, ink, text);
	free(text);
}

static void decorate(struct drawing *g, const struct decoration *d)
{
	struct canvas *c = canvas_create((int)g->format.width, (int)g->format.height);
	double left = (double)(g->format.width - d->right + d->size);
	double top = (double)(g->top + g->band), height = (double)g->tile_height;

	if (d->title)
		canvas_text(c, (double[2]){0.3 * (double)d->size, 1.4 * (double)d->size},
		        1.2 * (double)d->size, -1, ink, d->title);

	if (d->label || d->labels)
		draw_labels(c, g, d);

	if (d->scale_bar > 0.)
		draw_scale_bar(c, g, d);

	if (d->colorbar)
		draw_colorbar(c, &g->scale, d, left, top, height);

	if (d->colorbar && g->difference.hi > 0.)
		draw_colorbar(c, &g->difference, d, left + 8. * (double)d->size, top, height);

	if (d->colorbar && d->unit[0] != '\0')
		canvas_text(
		        c, (double[2]){left, top - 0.5 * (double)d->size}, (double)d->size, -1, ink, d->unit);

	g->around = canvas_pixels(c);
	canvas_free(c);
}

/* ---- the window ---- */

/* Smallest to largest value of all tiles but differences; how many are not finite. */
static long extent(
        const struct drawing *g, long tiles, const struct opt_doubles *percentile, double *lo, double *hi)
{
	double high = 2 == percentile->n ? percentile->v[1] : 100. - percentile->v[0];
	long bad = 0;

	*lo = INFINITY;
	*hi = -INFINITY;

	for (long k = 0; k < tiles;) { // slices of one array in one go
		const struct tile *t = &g->tile[k];
		long step = k + 1 < tiles && t[1].plane.data == t->plane.data ? t[1].slice - t->slice : 1,
		     n = 1;
		double a, b;

		while (k + n < tiles && t[n].plane.data == t->plane.data && t[n].slice == t->slice + n * step)
			n++;

		bad += picture_extent(&t->plane, t->slice, step, n, &a, &b);

		if (percentile->n) {
			a = picture_percentile(&t->plane, t->slice, step, n, percentile->v[0]);
			b = picture_percentile(&t->plane, t->slice, step, n, high);
		}

		*lo = fmin(*lo, a);
		*hi = fmax(*hi, b);
		k += n;
	}

	return bad;
}

static void choose_window(struct drawing *g, long tiles, const struct opt_doubles *window,
        const struct opt_doubles *percentile, const char *name)
{
	const struct picture *p = &g->tile[0].plane;
	long bad = extent(g, tiles, percentile, &g->scale.lo, &g->scale.hi);

	if (window->n) {
		g->scale.lo = window->v[0];
		g->scale.hi = window->v[1];
	}

	info("%s: window %.6g:%.6g", name, g->scale.lo, g->scale.hi);

	if (g->difference.hi > 0.)
		info("differences: window %.6g:%.6g", g->difference.lo, g->difference.hi);

	if (!(g->scale.lo < g->scale.hi))
		g->scale.hi = g->scale.lo + fmax(1., fabs(g->scale.lo)); // a constant picture

	if (bad) {
		warn("%s: %ld of %ld values are not finite, drawn in magenta", name, bad,
		        tiles * p->width * p->height);
		g->format.rgb = true;
	}
}

static void check_window(const struct opt_doubles *window, const struct opt_doubles *percentile)
{
	double high = 2 == percentile->n ? percentile->v[1] : 100. - percentile->v[0];

	if (percentile->n > 0 && (percentile->n > 2 || !(percentile->v[0] < high)))
		usage_error("--percentile: expected LO:HI with LO < HI, or P below 50 for P:100-P");

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

static void draw(struct drawing *g, const struct decoration *d, const char *out)
{
	const long row = g->format.width * (g->format.rgb ? 3 : 1) * (g->format.bits / 8);

	if (tool_plan())
		tool_print_plan(mem_printf("%s, %ld x %ld pixels, before compression", out, g->format.width,
		                        g->format.height),
		        row * g->format.height);

	if (is_decorated(d))
		decorate(g, d);

	g->values = mem_alloc((size_t)g->tile[0].plane.width * sizeof *g->values);
	g->tmp = mem_alloc((size_t)g->tile[0].plane.width * 16);

	struct file_out *f = file_create(out);

	progress_start("drawing", g->format.height);
	png_write(f, out, &g->format, draw_row, g);
	progress_end();
	file_commit(f);

	for (long k = 0; k < g->count; k++) {
		free(g->tile[k].values);
		free(g->tile[k].label);
	}

	free(g->tile);
	free(g->around);
	free(g->values);
	free(g->tmp);
}

int main_toimg(int argc, char *argv[])
{
	struct opt_doubles window = {0}, percentile = {0};
	struct opt_list names = {0};
	struct choice choice = {.projection = -1};
	struct decoration around = {0};
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
	                "index along that dimension, negative from the end (default: the middle)"),
	        OPT_FLAG('m', "montage", &choice.montage, "all slices side by side"),
	        OPT_STRING(0, "range", &choice.range, "START:STOP[:STEP]",
	                "a montage of these slices, or the projection over them"),
	        {0, "projection", OPT_KIND_CHOICE, &projection, PICTURE_PROJECTIONS,
	                "the largest, smallest or mean value along that dimension, instead of a slice", 0, 0,
	                0, &projected},
	        OPT_LONG(0, "columns", &columns, "N", 1, 0x1p31,
	                "slices per row of a montage (default: about square)"),
	        OPT_FLAG('d', "difference", &difference,
	                "with several arrays: what the others differ by from the first, too"),
	        OPT_DOUBLE(0, "difference-window", &difference_window, "D", 0, 1e300,
	                "differences drawn from -D to D (default: the largest)"),
	        OPT_FLAG('u', "up", &up, "draw the second dimension upwards"),
	        OPT_CHOICE('c', "colormap", &map, COLORMAP_CHOICES, "colours"),
	        OPT_FLAG(0, "invert", &invert, "exchange the ends of the colours"),
	        OPT_FLAG('b', "colorbar", &around.colorbar, "a bar with values and unit to the right"),
	        OPT_FLAG('l', "label", &around.label,
	                "names of arrays or positions of slices above the tiles"),
	        OPT_STRING(0, "labels", &around.labels, "TEXT,TEXT..", "words above the tiles"),
	        OPT_STRING(0, "title", &around.title, "TEXT", "words above the picture"),
	        OPT_DOUBLE(0, "scale-bar", &around.scale_bar, "MM", 0, 1e300, "a bar of this length below"),
	        OPT_LONG(0, "bits", &bits, "8|16", 8, 16, "bits per sample"),
	        OPT_CHOICE(0, "part", &part, PICTURE_PARTS, "what of complex elements is drawn"),
	        OPT_LONG(0, "zoom", &zoom, "N", 1, 1024, "pixels per element"),
	        OPT_FLAG(0, "aspect", &aspect,
	                "stretch the coarser direction so that a mm is as long across as down"),
	        ARG_IN_MANY("IN", &names, "any arrays; several: one tile each, of the same size"),
	        ARG_OUTFILE("OUT.png", &out, "the picture; - for standard output"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "toimg",
	                  .group = GROUP_LOOK,
	                  .synonyms = "png picture image montage",
	                  .about = "Draw slices, projections and differences as a PNG picture",
	                  .details = "The first dimension larger than 1 runs to the right, the second down "
	                             "(up with --up): element (0, 0) is "
	                             "the top left pixel. Arrays of three dimensions are cut across the "
	                             "third, in the middle; --projection max is the maximum intensity "
	                             "projection. Values "
	                             "outside the window are drawn like its ends; NaN and infinite ones in "
	                             "magenta, with their count. Several arrays share one window, so that "
	                             "grey values compare; differences are drawn from blue (less) over "
	                             "white to red (more). Words are ASCII.",
	                  .examples =
	                          "gantry toimg --window 0:0.03 volume slice.png\n"
	                          "gantry toimg --dim y --up --colormap viridis volume coronal.png\n"
	                          "gantry toimg --montage --columns 8 --percentile 0.5 volume all.png\n"
	                          "gantry toimg --difference --colorbar --label truth fdk wls side.png\n"
	                          "gantry toimg --projection max --dim y --up --scale-bar 10 volume mip.png",
	                  .memory = "with words and bars 15 bytes per pixel, a projection or difference 8 "
	                            "per element",
	                  .opts = opts},
	        argc, argv);

	check_output(out);
	check_window(&window, &percentile);
	choice.projection = projected ? projection : -1;

	if (8 != bits && 16 != bits)
		usage_error("--bits %ld, expected 8 or 16", bits);

	if (choice.slice && (choice.montage || choice.range || projected))
		usage_error("--slice draws one slice: it excludes --montage, --range and --projection");

	if (names.n > 1 && (choice.montage || (choice.range && !projected)))
		usage_error("--montage and --range draw slices of one array, found %d arrays", names.n);

	if (choice.montage && projected)
		usage_error("--projection draws one picture: it excludes --montage");

	if (columns > 0 && names.n < 2 && !choice.montage && (!choice.range || projected))
		usage_error("--columns %ld: a single picture, expected --montage, --range or several arrays",
		        columns);

	if (names.n < 2 && (difference || difference_window > 0.))
		usage_error("--difference compares arrays with the first one, found one array");

	struct drawing g = {.up = up,
	        .scale = {.map = (enum colormap)map, .invert = invert},
	        .difference = {.hi = difference_window},
	        .format = {.bits = (int)bits, .rgb = CM_GRAY != map}};
	struct cfl **x = mem_alloc((size_t)names.n * sizeof(struct cfl *));

	for (int k = 0; k < names.n; k++)
		x[k] = cfl_open(names.v[k]);

	for (int k = 0; k < names.n; k++) {
		add_array(&g, x[k], dim, (enum picture_part)part, &choice, 1 == names.n);
		expect_same_size(&g, names.v[0], names.v[k]);
	}

	const long shown = g.count;

	if (difference || difference_window > 0.) {
		add_differences(&g, &names);
		g.format.rgb = true;
	}

	if (around.labels && count_words(around.labels) > g.count)
		usage_error("--labels: %ld words between commas for %ld tile%s", count_words(around.labels),
		        g.count, 1 == g.count ? "" : "s");

	around.unit = x[0]->hdr.unit;
	lay_out(&g, &around, &x[0]->hdr, zoom, aspect, names.n > 1 && 0 == columns ? g.count : columns,
	        names.v[0]);
	choose_window(&g, shown, &window, &percentile, names.v[0]);
	draw(&g, &around, out);

	for (int k = 0; k < names.n; k++)
		cfl_close(x[k]);

	free(x);
	leave(EXIT_DONE);
}
