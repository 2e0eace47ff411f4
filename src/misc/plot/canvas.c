#include "misc/plot/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/plot/canvas_internal.h"

struct canvas *canvas_create(int width, int height)
{
	struct canvas *c = NEW(struct canvas);

	c->width = width;
	c->height = height;
	return c;
}

void canvas_free(struct canvas *c)
{
	if (!c)
		return;

	for (long i = 0; i < c->n; i++)
		free(c->item[i].text);

	free(c->item);
	free(c);
}

static struct canvas_item *add(struct canvas *c, int kind, unsigned colour, double size)
{
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->item = mem_realloc(c->item, (size_t)c->room * sizeof *c->item);
	}

	struct canvas_item *i = c->item + c->n++;

	*i = (struct canvas_item){.kind = kind, .colour = colour, .size = size, .opacity = 1.};
	return i;
}

void canvas_line(struct canvas *c, const double from[2], const double to[2], double width, unsigned colour)
{
	struct canvas_item *i = add(c, ITEM_LINE, colour, width);

	i->n = 2;
	memcpy(i->p[0], from, sizeof i->p[0]);
	memcpy(i->p[1], to, sizeof i->p[1]);
}

void canvas_arrow(struct canvas *c, const double from[2], const double to[2], double width, unsigned colour)
{
	const double x = to[0] - from[0], y = to[1] - from[1], length = hypot(x, y);
	const double head = fmin(6. + 2. * width, length), side = 0.4 * head;

	if (!(length > 0.))
		return;

	const double ux = x / length, uy = y / length;
	const double neck[2] = {to[0] - head * ux, to[1] - head * uy};
	const double corner[3][2] = {{to[0], to[1]}, {neck[0] - side * uy, neck[1] + side * ux},
	        {neck[0] + side * uy, neck[1] - side * ux}};

	canvas_line(c, from, neck, width, colour);
	canvas_polygon(c, 3, corner, colour, 1.);
}

void canvas_polygon(struct canvas *c, int n, const double (*corner)[2], unsigned colour, double opacity)
{
	struct canvas_item *i = add(c, ITEM_POLYGON, colour, 0.);

	i->n = n;
	i->opacity = opacity;
	memcpy(i->p, corner, (size_t)n * sizeof *corner);
}

void canvas_disc(struct canvas *c, const double centre[2], double radius, unsigned colour)
{
	memcpy(add(c, ITEM_DISC, colour, radius)->p[0], centre, 2 * sizeof *centre);
}

void canvas_text(
        struct canvas *c, const double at[2], double size, int anchor, unsigned colour, const char *text)
{
	struct canvas_item *i = add(c, ITEM_TEXT, colour, size);

	i->anchor = anchor;
	i->text = mem_strdup(text);
	memcpy(i->p[0], at, 2 * sizeof *at);
}

static int ends_in(const char *path, const char *end)
{
	const size_t n = strlen(path), m = strlen(end);

	return n > m && 0 == strcasecmp(path + n - m, end);
}

int canvas_knows(const char *path)
{
	return ends_in(path, ".svg") || ends_in(path, ".png");
}

long canvas_memory(int width, int height, const char *path)
{
	return ends_in(path, ".png") ? 15L * width * height : 0;
}

void canvas_write(const struct canvas *c, const char *path)
{
	if (!canvas_knows(path))
		usage_error("%s: expected a name that ends in .svg or .png", path);

	struct file_out *f = file_create(path);

	if (ends_in(path, ".svg"))
		canvas_svg(c, f);
	else
		canvas_png(c, f, path);

	file_commit(f);
}
