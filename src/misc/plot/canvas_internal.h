#ifndef MISC_PLOT_CANVAS_INTERNAL_H
#define MISC_PLOT_CANVAS_INTERNAL_H

#include "misc/file.h"
#include "misc/plot/canvas.h"

enum { CANVAS_CORNERS = 8 };

struct canvas_item {
	enum { ITEM_LINE, ITEM_POLYGON, ITEM_DISC, ITEM_TEXT } kind;
	int n; // number of corners
	double p[CANVAS_CORNERS][2];
	double size, opacity; // size is the line width, radius or font size [pixels]
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

/** Returns the strokes of a printable ASCII character, separated by blanks. A stroke is a polyline "xyxy.."
 * on a grid of 4 x 6 cells above the baseline. Below the baseline, 'a' means y = -1 and 'b' means y = -2.
 */
extern const char *stroke_font(char c);

#endif
