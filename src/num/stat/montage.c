/* Pictures side by side: their tiles, the size of each, the window of values, and rows of pixels. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/stat/montage.h"

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "misc/options/plan_file.h"
#include "misc/progress.h"

static const double nan_color[3] = {1., 0., 1.};

/* ---- rows ---- */

static void put_color(const struct montage *g, void *row, long x, const double rgb[3])
{
	int samples = g->format.rgb ? 3 : 1;

	for (int c = 0; c < samples; c++) {
		if (16 == g->format.bits)
			((unsigned short *)row)[x * samples + c] = (unsigned short)(rgb[c] * 65535. + 0.5);
		else
			((unsigned char *)row)[x * samples + c] = (unsigned char)(rgb[c] * 255. + 0.5);
	}
}

void montage_color(const struct montage_scale *s, double v, double rgb[3])
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

static void draw_tile_row(struct montage *g, const struct montage_tile *t, long y, long left, void *row)
{
	const struct picture *p = &t->plane;
	long line = source_index(y, g->tile_height, p->height);
	double rgb[3];

	picture_line(p, t->slice, g->up ? p->height - 1 - line : line, g->values, g->tmp);

	for (long x = 0; x < g->tile_width; x++) {
		montage_color(t->scale, g->values[source_index(x, g->tile_width, p->width)], rgb);
		put_color(g, row, left + x, rgb);
	}
}

static void draw_around(const struct montage *g, long y, void *row)
{
	const unsigned char *from = g->around + y * g->format.width * 3;

	for (long x = 0; x < g->format.width; x++)
		put_color(g, row, x,
		        (double[3]){from[3 * x] / 255., from[3 * x + 1] / 255., from[3 * x + 2] / 255.});
}

static void draw_row(void *ctx, long y, void *row)
{
	struct montage *g = ctx;
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

/* Pictures of one array: first, first + step, ... (n). */
struct series {
	struct picture plane;
	long first, step, n;
};

static void choose_pictures(struct series *s, const struct montage_choice *choice, const char *name)
{
	long n = s->plane.count;

	if ((choice->slice || choice->projection >= 0) && n < 2 && s->plane.cut < 0)
		usage_error("%s has no effect: %s is a single picture",
		        choice->slice ? "--slice" : "--projection", name);

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

static void add_tile(struct montage *g, const struct picture *p, long slice, double *values, char *label)
{
	g->tile = mem_realloc(g->tile, (size_t)(g->count + 1) * sizeof *g->tile);
	g->tile[g->count++] = (struct montage_tile){*p, slice, &g->scale, values, label};
}

/* Tiles of one array; `alone`: it is the only one. */
static void add_tiles(struct montage *g, struct cfl *x, int dim, enum picture_part part,
        const struct montage_choice *choice, bool alone)
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

static void expect_same_size(const struct montage *g, const char *first, const char *name)
{
	const struct picture *a = &g->tile[0].plane, *b = &g->tile[g->count - 1].plane;

	if (a->width != b->width || a->height != b->height)
		error("the picture of %s has %ld x %ld elements, but the picture of %s has %ld x %ld", name,
		        b->width, b->height, first, a->width, a->height);
}

void montage_add(struct montage *g, struct cfl *x, int dim, enum picture_part part,
        const struct montage_choice *choice, bool alone, const char *first)
{
	add_tiles(g, x, dim, part, choice, alone);
	expect_same_size(g, first, x->name);
}

void montage_add_differences(struct montage *g, const struct opt_list *names)
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

/* ---- layout ---- */

static long pixels(double elements, const char *name)
{
	if (!(elements < PNG_MAX_SIDE))
		error("%s: the picture would have a side of %.0f pixels, expected at most %d", name, elements,
		        PNG_MAX_SIDE);

	return elements < 1. ? 1 : (long)(elements + 0.5);
}

static bool is_decorated(const struct montage_around *d)
{
	return d->colorbar || d->label || d->labels || d->title || d->scale_bar > 0.;
}

void montage_lay_out(struct montage *g, struct montage_around *d, const struct hdr *h, long zoom, bool aspect,
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
		error("%s: the picture would have %ld x %ld pixels, too many for texts and bars (expected at "
		      "most 2e8 pixels)",
		        name, g->format.width, g->format.height);
}

/* ---- the window ---- */

/* Smallest to largest value of all tiles but differences; how many are not finite. */
static long extent(
        const struct montage *g, long tiles, const struct opt_doubles *percentile, double *lo, double *hi)
{
	double high = 2 == percentile->n ? percentile->v[1] : 100. - percentile->v[0];
	long bad = 0;

	*lo = INFINITY;
	*hi = -INFINITY;

	for (long k = 0; k < tiles;) { // slices of one array in one go
		const struct montage_tile *t = &g->tile[k];
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

void montage_choose_window(struct montage *g, long tiles, const struct opt_doubles *window,
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

void montage_write(struct montage *g, const struct montage_around *d, const char *out)
{
	const long row = g->format.width * (g->format.rgb ? 3 : 1) * (g->format.bits / 8);

	if (tool_plan())
		tool_plan_file(mem_printf("%s, %ld x %ld pixels, before compression", out, g->format.width,
		                       g->format.height),
		        row * g->format.height);

	if (is_decorated(d))
		montage_draw_around(g, d);

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
