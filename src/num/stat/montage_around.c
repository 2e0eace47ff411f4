/* Text, colour bars and scale bars around the tiles of a montage. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/stat/montage.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/plot/canvas.h"
#include "misc/plot/ticks.h"

static const unsigned ink = 0x202020;

static void draw_colorbar(struct canvas *c, const struct montage_scale *s, const struct montage_around *d,
        double left, double top, double height)
{
	const double size = (double)d->size, width = 1.2 * size;
	double first, step, rgb[3];
	int n = ticks(s->lo, s->hi, (int)fmax(2., fmin(9., height / size / 2.)), &first, &step);

	for (double y = 0.; y < height; y += 1.) {
		montage_color(s, s->hi + (s->lo - s->hi) * (y + 0.5) / height, rgb);

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

static void draw_label(struct canvas *c, const struct montage *g, const struct montage_around *d,
        const double at[2], const char *text)
{
	double size = (double)d->size;
	char *shown = fit_label(text, (double)g->tile_width, &size);

	if (shown != NULL)
		canvas_text(c, at, size, 0, ink, shown);

	free(shown);
}

static void draw_labels(struct canvas *c, const struct montage *g, const struct montage_around *d)
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

static void draw_scale_bar(struct canvas *c, const struct montage *g, const struct montage_around *d)
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

void montage_draw_around(struct montage *g, const struct montage_around *d)
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
