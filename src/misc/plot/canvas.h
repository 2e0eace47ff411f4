#ifndef MISC_PLOT_CANVAS_H
#define MISC_PLOT_CANVAS_H

/**
 * Drawings of lines, polygons, discs and text, written as SVG or PNG. x increases to the right, y
 * downwards, in pixels; later items are drawn on top. Colours are 0xRRGGBB.
 */
struct canvas;

extern struct canvas *canvas_create(int width, int height); // white
extern void canvas_free(struct canvas *c);

extern void canvas_line(
        struct canvas *c, const double from[2], const double to[2], double width, unsigned colour);

/** A line with an arrowhead at its end. */
extern void canvas_arrow(
        struct canvas *c, const double from[2], const double to[2], double width, unsigned colour);

/** A convex polygon, filled; opacity 0 .. 1. */
extern void canvas_polygon(
        struct canvas *c, int n, const double (*corner)[2], unsigned colour, double opacity);

extern void canvas_disc(struct canvas *c, const double centre[2], double radius, unsigned colour);

/** Text with its baseline at y. With anchor -1 the text begins at x, with 0 it is centred at x, with 1 it
 * ends at x. PNG pictures support printable ASCII only. size: 4/3 of the height of capitals [pixels]. */
extern void canvas_text(
        struct canvas *c, const double at[2], double size, int anchor, unsigned colour, const char *text);

/** Width of n characters of that size in a PNG picture [pixels]. */
extern double canvas_text_width(double size, long n);

/** Writes the drawing; NAME.svg or NAME.png chooses the format, anything else is a usage_error(). */
extern void canvas_write(const struct canvas *c, const char *path);

/** The drawing as pixels, three bytes each, row by row from the top; the caller frees it. Drawing takes 15
 * bytes of memory per pixel. */
extern unsigned char *canvas_pixels(const struct canvas *c);

/** Draws onto a picture of the size of the canvas: three bytes per pixel, row by row from the top. */
extern void canvas_paint(const struct canvas *c, unsigned char *pixels);

/** Whether the name ends in .svg or .png. */
extern int canvas_knows(const char *path);

#endif
