#ifndef MISC_PLOT_CANVAS_INTERNAL_H
#define MISC_PLOT_CANVAS_INTERNAL_H

#include "misc/file.h"
#include "misc/plot/canvas.h"

enum { CANVAS_CORNERS = 8 };

struct canvas_item {
	enum { ITEM_LINE, ITEM_POLYGON, ITEM_DISC, ITEM_TEXT } kind;
	int n; // corners
	double p[CANVAS_CORNERS][2];
	double size, opacity; // size: width of a line, radius, height of letters
	unsigned colour;
	int anchor;
	char *text;
};

struct canvas {
	int width, height;
	long n, room;
	struct canvas_item *item;
};

extern void canvas_svg(const struct canvas *c, struct file_out *f);
extern void canvas_png(const struct canvas *c, struct file_out *f, const char *path);

/** Strokes of a printable ASCII character, on a grid of 4 x 6 with the baseline at y = 0. Strokes are
 * polylines "xyxy..", separated by blanks. Letters are negative y: 'a' is -1 and 'b' is -2. */
extern const char *stroke_font(char c);

#endif
