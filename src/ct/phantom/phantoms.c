/* [1] L. A. Shepp and B. F. Logan, The Fourier reconstruction of a head section, IEEE Trans. Nucl. Sci.
 * 21(3), 1974. [2] P. Toft, The Radon transform: theory and implementation, PhD thesis, DTU, 1996. The third
 * axes are the usual ones of the head phantom in three dimensions. */

#include "ct/phantom/phantoms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

const char phantom_kinds[] = "modified|shepp-logan|letter-f|cylinder|disk|ball";

static const double degree = M_PI / 180.;

/** Value, centre, half axes [R] and angles phi, psi [degrees]. */
struct entry {
	double original, modified, centre[3], half[3], phi, psi;
};

static const struct entry head_2d[] = {
        {2.00, 1.0, {0., 0., 0.}, {.69, .92, 1.}, 0., 0.},
        {-.98, -.8, {0., -.0184, 0.}, {.6624, .874, 1.}, 0., 0.},
        {-.02, -.2, {.22, 0., 0.}, {.11, .31, 1.}, -18., 0.},
        {-.02, -.2, {-.22, 0., 0.}, {.16, .41, 1.}, 18., 0.},
        {.01, .1, {0., .35, 0.}, {.21, .25, 1.}, 0., 0.},
        {.01, .1, {0., .1, 0.}, {.046, .046, 1.}, 0., 0.},
        {.01, .1, {0., -.1, 0.}, {.046, .046, 1.}, 0., 0.},
        {.01, .1, {-.08, -.605, 0.}, {.046, .023, 1.}, 0., 0.},
        {.01, .1, {0., -.606, 0.}, {.023, .023, 1.}, 0., 0.},
        {.01, .1, {.06, -.605, 0.}, {.023, .046, 1.}, 0., 0.},
};

static const struct entry head_3d[] = {
        {2.00, 1.0, {0., 0., 0.}, {.69, .92, .81}, 0., 0.},
        {-.98, -.8, {0., -.0184, 0.}, {.6624, .874, .78}, 0., 0.},
        {-.02, -.2, {.22, 0., 0.}, {.11, .31, .22}, -18., 10.},
        {-.02, -.2, {-.22, 0., 0.}, {.16, .41, .28}, 18., 10.},
        {.01, .1, {0., .35, -.15}, {.21, .25, .41}, 0., 0.},
        {.01, .1, {0., .1, .25}, {.046, .046, .05}, 0., 0.},
        {.01, .1, {0., -.1, .25}, {.046, .046, .05}, 0., 0.},
        {.01, .1, {-.08, -.605, 0.}, {.046, .023, .05}, 0., 0.},
        {.01, .1, {0., -.606, 0.}, {.023, .023, .02}, 0., 0.},
        {.01, .1, {.06, -.605, 0.}, {.023, .046, .02}, 0., 0.},
};

enum { HEAD_PARTS = sizeof head_2d / sizeof head_2d[0] };

static double unit_length(const struct grid *g)
{
	return 0.5 * (double)g->size[0] * g->spacing[0];
}

/** Half the thickness of the grid [mm]. */
static double half_depth(const struct grid *g)
{
	return 0.5 * (double)g->size[2] * g->spacing[2];
}

static bool is_flat(const struct grid *g)
{
	return 1 == g->size[2];
}

/** Adds a shape given in units of R; on a flat grid a round one becomes a cylinder through the slice. */
static void add_scaled(struct shapes *o, const struct grid *g, enum shape_kind kind, double value,
        const double centre[3], const double half[3], const double angle[3])
{
	double unit = unit_length(g), c[3], h[3];

	for (int i = 0; i < 3; i++) {
		c[i] = unit * centre[i];
		h[i] = unit * half[i];
	}

	if (is_flat(g)) {
		kind = (SHAPE_ELLIPSOID == kind) ? SHAPE_CYLINDER : kind;
		c[2] = 0.;
		h[2] = half_depth(g);
	}

	shapes_add(o, kind, value, c, h, angle);
}

static void make_head(struct shapes *o, bool original, const struct grid *g, double mu)
{
	const struct entry *list = is_flat(g) ? head_2d : head_3d;

	for (int i = 0; i < HEAD_PARTS; i++) {
		const struct entry *e = list + i;
		const double angle[3] = {e->phi * degree, 0., e->psi * degree};

		add_scaled(o, g, SHAPE_ELLIPSOID, mu * (original ? e->original : e->modified), e->centre,
		        e->half, angle);
	}
}

/** Untilted with x to the right and y upwards; in z the stem is the lower part, the upper bar the whole, the
 * middle bar the upper part, so that turning it over shows as well. */
static void make_letter_f(struct shapes *o, const struct grid *g, double mu)
{
	static const struct {
		double centre[3], half[3];
	} box[] = {
	        {{-.35, 0., -.2}, {.15, .75, .4}},
	        {{.15, .6, 0.}, {.35, .15, .6}},
	        {{.05, .1, .3}, {.25, .15, .3}},
	};
	const double angle[3] = {0., 0., 0.};

	for (int i = 0; i < 3; i++)
		add_scaled(o, g, SHAPE_BOX, mu, box[i].centre, box[i].half, angle);
}

/** Radius 0.8 R; four fifths of the grid's height. */
static void make_cylinder(struct shapes *o, const struct grid *g, double mu)
{
	double r = 0.8 * unit_length(g), h = (is_flat(g) ? 1. : 0.8) * half_depth(g);
	const double zero[3] = {0., 0., 0.};

	shapes_add(o, SHAPE_CYLINDER, mu, zero, (const double[3]){r, r, h}, zero);
}

void phantom_make(struct shapes *o, enum phantom_kind kind, const struct grid *grid, double mu)
{
	const double zero[3] = {0., 0., 0.};

	switch (kind) {
	case PHANTOM_MODIFIED:
	case PHANTOM_SHEPP_LOGAN:
		make_head(o, PHANTOM_SHEPP_LOGAN == kind, grid, mu);
		break;
	case PHANTOM_LETTER_F:
		make_letter_f(o, grid, mu);
		break;
	case PHANTOM_CYLINDER:
		make_cylinder(o, grid, mu);
		break;
	case PHANTOM_DISK:
	case PHANTOM_BALL:
		add_scaled(o, grid, SHAPE_ELLIPSOID, mu, zero, (const double[3]){.8, .8, .8}, zero);
		break;
	}
}

/** The shape that the line's first word names, *text moved behind it; an ellipsoid when the line begins with
 * a number. */
static enum shape_kind read_kind(const char **text)
{
	static const char *const names[] = {"ellipsoid", "box", "cylinder"};

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(names[i]);

		if (0 == strncmp(*text, names[i], n) && strchr(" \t,", (*text)[n]) && (*text)[n]) {
			*text += n;
			return (enum shape_kind)i;
		}
	}

	return SHAPE_ELLIPSOID;
}

/** Numbers separated by blanks or commas, at most max; -1 when there is anything else. */
static int read_values(const char *text, int max, double v[])
{
	int n = 0;

	for (;;) {
		text += strspn(text, " \t\r,");

		if (!*text)
			return n;

		char *end;
		double x = strtod(text, &end);

		if (end == text || n == max || !isfinite(x))
			return -1;

		v[n++] = x;
		text = end;
	}
}

/** One line without its comment. unit: [mm] of its lengths, changed by a line "unit mm" or "unit fov". */
static void read_line(
        struct shapes *o, const char *text, const char *path, int line, double fov, double *unit, double mu)
{
	double v[10] = {0.};

	text += strspn(text, " \t\r");

	if (!*text)
		return;

	if (0 == strncmp(text, "unit", 4)) {
		char word[8] = "";

		if (1 != sscanf(text, "unit %7s", word) || (strcmp(word, "mm") && strcmp(word, "fov")))
			error("%s: line %d: '%s', expected 'unit mm' or 'unit fov'", path, line, text);

		*unit = strcmp(word, "mm") ? fov : 1.;
		return;
	}

	enum shape_kind kind = read_kind(&text);
	int n = read_values(text, 10, v);

	if (n < 7)
		error("%s: line %d: '%s', expected [ellipsoid|box|cylinder] value x y z a b c [phi [theta "
		      "[psi]]]",
		        path, line, text);

	for (int i = 4; i < 7; i++)
		if (!(v[i] > 0.))
			error("%s: line %d: the half axis is %g, expected > 0", path, line, v[i]);

	for (int i = 1; i < 10; i++)
		v[i] *= (i < 7) ? *unit : degree;

	shapes_add(o, kind, mu * v[0], v + 1, v + 4, v + 7);
}

void phantom_read(struct shapes *o, const char *path, const struct grid *grid, double mu)
{
	char *text = file_read_text(path);
	double fov = unit_length(grid), unit = fov;
	int line = 0;

	for (char *next = text; next;) {
		char *s = strsep(&next, "\n");

		s[strcspn(s, "#\r")] = '\0';
		read_line(o, s, path, ++line, fov, &unit, mu);
	}

	if (0 == o->n)
		error("%s: no shapes, expected lines of value x y z a b c [phi [theta [psi]]]", path);

	free(text);
}
