/** A drawing as pixels: the coverage of a pixel depends on the distance of its centre from the edge of the
 * shape, from half a pixel outside to half a pixel inside. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/plot/canvas_internal.h"
#include "misc/plot/png.h"

struct raster {
	int width, height;
	float *rgb;
};

/** Distance of (x, y) to the edge of a shape, positive inside [pixels]. */
typedef double inside_fn(const struct canvas_item *i, double x, double y);

static double inside_line(const struct canvas_item *i, double x, double y)
{
	const double dx = i->p[1][0] - i->p[0][0], dy = i->p[1][1] - i->p[0][1], l2 = dx * dx + dy * dy;
	double t = (l2 > 0.) ? ((x - i->p[0][0]) * dx + (y - i->p[0][1]) * dy) / l2 : 0.;

	t = fmin(fmax(t, 0.), 1.);
	return 0.5 * i->size - hypot(x - i->p[0][0] - t * dx, y - i->p[0][1] - t * dy);
}

static double inside_disc(const struct canvas_item *i, double x, double y)
{
	return i->size - hypot(x - i->p[0][0], y - i->p[0][1]);
}

static double twice_area(const struct canvas_item *i)
{
	double a = 0.;

	for (int k = 0; k < i->n; k++) {
		const double *p = i->p[k], *q = i->p[(k + 1) % i->n];

		a += p[0] * q[1] - p[1] * q[0];
	}

	return a;
}

static double inside_polygon(const struct canvas_item *i, double x, double y)
{
	const double sign = (twice_area(i) < 0.) ? -1. : 1.;
	double least = INFINITY;

	for (int k = 0; k < i->n; k++) {
		const double *p = i->p[k], *q = i->p[(k + 1) % i->n];
		const double dx = q[0] - p[0], dy = q[1] - p[1], length = hypot(dx, dy);

		if (length > 0.)
			least = fmin(least, sign * (dx * (y - p[1]) - dy * (x - p[0])) / length);
	}

	return least;
}

static void mix(float *rgb, unsigned colour, double part)
{
	for (int c = 0; c < 3; c++) {
		const double v = (double)(colour >> (16 - 8 * c) & 0xff);

		rgb[c] = (float)(rgb[c] + part * (v - rgb[c]));
	}
}

static void fill(struct raster *r, const struct canvas_item *i, int points, double reach, inside_fn *inside)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

	for (int k = 0; k < points; k++)
		for (int d = 0; d < 2; d++) {
			low[d] = fmin(low[d], i->p[k][d] - reach - 1.);
			high[d] = fmax(high[d], i->p[k][d] + reach + 1.);
		}

	const int x0 = (int)fmax(low[0], 0.), x1 = (int)fmin(high[0], r->width - 1.);
	const int y0 = (int)fmax(low[1], 0.), y1 = (int)fmin(high[1], r->height - 1.);

	for (int y = y0; y <= y1; y++)
		for (int x = x0; x <= x1; x++) {
			const double part = inside(i, x + 0.5, y + 0.5) + 0.5;

			if (part > 0.)
				mix(r->rgb + 3 * ((size_t)y * (size_t)r->width + (size_t)x), i->colour,
				        i->opacity * fmin(part, 1.));
		}
}

static double grid_y(char c)
{
	return ('a' == c) ? -1. : ('b' == c) ? -2. : c - '0';
}

/** One stroke of a letter whose grid begins at (x, y) with cells of that size; the next stroke, or its end.
 */
static const char *stroke(
        struct raster *r, const struct canvas_item *text, const char *s, double x, double y, double cell)
{
	struct canvas_item line = {.colour = text->colour, .size = fmax(1.1, 0.62 * cell), .opacity = 1.};

	for (int k = 0; *s && ' ' != *s; s += 2, k++) {
		const double p[2] = {x + cell * (s[0] - '0'), y - cell * grid_y(s[1])};

		memcpy(line.p[0], k ? line.p[1] : p, sizeof p);
		memcpy(line.p[1], p, sizeof p);

		if (k)
			fill(r, &line, 2, line.size, inside_line);
	}

	return *s ? s + 1 : s;
}

/* Cells from a letter to the next, and those that are blank behind the last. */
enum { ADVANCE = 6, BLANK = 2 };

static double cell_of(double size)
{
	return size / 8.4;
}

double canvas_text_width(double size, long n)
{
	return cell_of(size) * (double)(ADVANCE * n - BLANK);
}

static void draw_text(struct raster *r, const struct canvas_item *i)
{
	const double cell = cell_of(i->size), width = canvas_text_width(i->size, (long)strlen(i->text));
	double x = i->p[0][0] - 0.5 * (i->anchor + 1) * width;

	for (const char *c = i->text; *c; c++, x += ADVANCE * cell)
		for (const char *s = stroke_font(*c); *s;)
			s = stroke(r, i, s, x, i->p[0][1], cell);
}

static void draw(struct raster *r, const struct canvas *c)
{
	for (long k = 0; k < c->n; k++) {
		const struct canvas_item *i = c->item + k;

		if (ITEM_LINE == i->kind)
			fill(r, i, 2, i->size, inside_line);
		else if (ITEM_POLYGON == i->kind)
			fill(r, i, i->n, 0., inside_polygon);
		else if (ITEM_DISC == i->kind)
			fill(r, i, 1, i->size, inside_disc);
		else
			draw_text(r, i);
	}
}

void canvas_paint(const struct canvas *c, unsigned char *pixels)
{
	const size_t samples = (size_t)c->width * (size_t)c->height * 3;
	struct raster r = {c->width, c->height, mem_alloc(samples * sizeof(float))};

	for (size_t i = 0; i < samples; i++)
		r.rgb[i] = pixels[i];

	draw(&r, c);

	for (size_t i = 0; i < samples; i++)
		pixels[i] = (unsigned char)lrintf(r.rgb[i]);

	free(r.rgb);
}

unsigned char *canvas_pixels(const struct canvas *c)
{
	const size_t samples = (size_t)c->width * (size_t)c->height * 3;
	unsigned char *pixels = mem_alloc(samples);

	memset(pixels, 255, samples);
	canvas_paint(c, pixels);

	return pixels;
}

struct pixels {
	size_t row; // bytes
	unsigned char *rgb;
};

static void png_line(void *ctx, long y, void *row)
{
	const struct pixels *p = ctx;

	memcpy(row, p->rgb + (size_t)y * p->row, p->row);
}

void canvas_png(const struct canvas *c, struct file_out *f, const char *path)
{
	const struct png_format format = {.width = c->width, .height = c->height, .bits = 8, .rgb = true};
	struct pixels p = {3 * (size_t)c->width, canvas_pixels(c)};

	png_write(f, path, &format, png_line, &p);
	free(p.rgb);
}
