#include "volume/render/transfer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/plot/colormap.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

struct point {
	double value, opacity, rgb[3];
};

struct transfer *transfer_create(int values, int levels, double lo, double hi)
{
	struct transfer *t = NEW(struct transfer);

	t->values = values;
	t->levels = levels;
	t->lo = lo;
	t->hi = hi;
	t->opacity = mem_calloc((size_t)values * (size_t)levels, sizeof *t->opacity);
	t->color = mem_calloc((size_t)values * (size_t)levels, sizeof *t->color);
	return t;
}

void transfer_free(struct transfer *t)
{
	if (!t)
		return;

	transfer_program_free(t->program);
	free(t->opacity);
	free(t->color);
	free(t);
}

/* Fraction of the range of "surface" that is transparent. */
#define SURFACE_CLEAR .25

double transfer_surface_start(double level, double hi)
{
	return (level - SURFACE_CLEAR * hi) / (1. - SURFACE_CLEAR);
}

static double unit(double a)
{
	return a > 0. ? (a < 1. ? a : 1.) : 0.;
}

void transfer_set(struct transfer *t, int i, double opacity, const double rgb[3])
{
	t->opacity[i] = (float)unit(opacity);
	t->color[i] = 0;

	for (int c = 0; c < 3; c++)
		t->color[i] |= (int)(unit(rgb[c]) * 1023. + 0.5) << 10 * c;
}

void transfer_color(const struct transfer *t, double value, double rgb[3])
{
	const double s = unit((value - t->lo) / (t->hi - t->lo)) * (t->values - 1);
	const int color = t->color[(long)(t->levels - 1) * t->values + (long)(s + .5)];

	for (int c = 0; c < 3; c++)
		rgb[c] = (color >> 10 * c & 1023) / 1023.;
}

/* Linear between n points of growing values, constant beyond. */
static void interpolate(struct transfer *t, const struct point *p, long n)
{
	long k = 0;

	for (int i = 0; i < t->values; i++) {
		const double v = t->lo + (t->hi - t->lo) * i / (t->values - 1);
		double rgb[3];

		while (k < n - 2 && v > p[k + 1].value)
			k++;

		const double f = unit((v - p[k].value) / (p[k + 1].value - p[k].value));

		for (int c = 0; c < 3; c++)
			rgb[c] = p[k].rgb[c] + f * (p[k + 1].rgb[c] - p[k].rgb[c]);

		transfer_set(t, i, p[k].opacity + f * (p[k + 1].opacity - p[k].opacity), rgb);
	}
}

/* ---- names ---- */

/* Values from 0 to 1 within the range, opacities as shares of --opacity. */
static const struct preset {
	const char *name;
	int n;
	struct point point[5];
} presets[] = {
        {"surface", 4,
                {{0., 0., {.55, .3, .2}}, {SURFACE_CLEAR, 0., {.8, .55, .4}}, {.45, 1., {.95, .85, .7}},
                        {1., 1., {1., 1., 1.}}}},
        {"fog", 2, {{0., 0., {1., 1., 1.}}, {1., .05, {1., 1., 1.}}}},
        {"shells", 5,
                {{0., 0., {.2, .4, .9}}, {.15, .02, {.3, .6, .9}}, {.4, .06, {.9, .8, .5}},
                        {.7, .5, {.95, .75, .5}}, {1., 1., {1., 1., .95}}}},
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const char *transfer_names(void)
{
	return "gray viridis magma inferno hot bone jet coolwarm surface fog shells";
}

static int colormap_of(const char *name)
{
	const char *word = COLORMAP_CHOICES;

	for (int i = 0; i < CM_COUNT; i++) {
		const size_t n = strcspn(word, "|");

		if (n == strlen(name) && 0 == strncmp(word, name, n))
			return i;

		word += n + 1;
	}

	return -1;
}

static struct transfer *of_colormap(enum colormap map, double lo, double hi, double opacity)
{
	struct transfer *t = transfer_create(TRANSFER_VALUES, 1, lo, hi);

	for (int i = 0; i < t->values; i++) {
		const double s = (double)i / (t->values - 1);
		double rgb[3];

		colormap_color(map, s, rgb);
		transfer_set(t, i, opacity * s, rgb);
	}

	return t;
}

struct transfer *transfer_named(const char *name, double lo, double hi, double opacity)
{
	const int map = colormap_of(name);

	if (0 <= map)
		return of_colormap((enum colormap)map, lo, hi, opacity);

	for (int i = 0; i < PRESETS; i++) {
		if (0 != strcmp(presets[i].name, name))
			continue;

		struct transfer *t = transfer_create(TRANSFER_VALUES, 1, lo, hi);
		struct point p[5];

		for (int k = 0; k < presets[i].n; k++) {
			p[k] = presets[i].point[k];
			p[k].value = lo + (hi - lo) * p[k].value;
			p[k].opacity *= opacity;
		}

		interpolate(t, p, presets[i].n);
		return t;
	}

	return NULL;
}

/* ---- files ---- */

/* Five numbers of a line, or an error; false: the line is empty. */
static bool read_point(struct point *p, char *line, const char *path, long number)
{
	double v[5];
	int n = 0;

	line[strcspn(line, "#\r")] = '\0';

	for (char *s = line; *(s += strspn(s, " \t,")) != '\0';) {
		char *end;
		const double a = strtod(s, &end);

		if (end == s || !isfinite(a) || (*end != '\0' && !strchr(" \t,", *end)))
			error("%s: line %ld: '%.*s' is not a number", path, number, (int)strcspn(s, " \t,"),
			        s);

		if (n < 5)
			v[n] = a;

		n++;
		s = end;
	}

	if (0 == n)
		return false;

	if (5 != n)
		error("%s: line %ld has %d numbers, expected 5: VALUE OPACITY RED GREEN BLUE", path, number,
		        n);

	for (int i = 1; i < 5; i++)
		if (v[i] < 0. || v[i] > 1.)
			error("%s: line %ld contains %g, expected opacity and colours from 0 to 1", path,
			        number, v[i]);

	*p = (struct point){v[0], v[1], {v[2], v[3], v[4]}};
	return true;
}

struct transfer *transfer_file(const char *path)
{
	char *text = file_read_text(path);
	struct point *p = NULL;
	long n = 0, number = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');

		if (next)
			*next++ = '\0';

		p = mem_realloc(p, (size_t)(n + 1) * sizeof *p);

		if (!read_point(&p[n], line, path, ++number))
			continue;

		if (0 < n && !(p[n].value > p[n - 1].value))
			error("%s: line %ld has value %g after %g, expected ascending values", path, number,
			        p[n].value, p[n - 1].value);

		n++;
	}

	if (n < 2)
		error("%s has %ld point%s, expected at least 2 lines of VALUE OPACITY RED GREEN BLUE", path,
		        n, 1 == n ? "" : "s");

	struct transfer *t = transfer_create(TRANSFER_VALUES, 1, p[0].value, p[n - 1].value);

	interpolate(t, p, n);
	free(p);
	free(text);
	return t;
}
