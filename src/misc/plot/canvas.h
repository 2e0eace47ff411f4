#ifndef MISC_PLOT_CANVAS_H
#define MISC_PLOT_CANVAS_H

/**
 * A canvas collects lines, polygons, discs and text for an SVG or PNG picture. Coordinates are pixels,
 * with x to the right and y downwards. Later items cover earlier items. Colours are 0xRRGGBB.
 */
struct canvas;

extern struct canvas *canvas_create(int width, int height); // white background
extern void canvas_free(struct canvas *c);

extern void canvas_line(
        struct canvas *c, const double from[2], const double to[2], double width, unsigned colour);

/** Adds a line with an arrowhead at `to`. */
extern void canvas_arrow(
        struct canvas *c, const double from[2], const double to[2], double width, unsigned colour);

/** Adds a filled convex polygon of at most 8 corners. The opacity is 0 to 1. */
extern void canvas_polygon(
        struct canvas *c, int n, const double (*corner)[2], unsigned colour, double opacity);

extern void canvas_disc(struct canvas *c, const double centre[2], double radius, unsigned colour);

/** Adds text with the baseline at y. The text begins at x for anchor -1, and ends at x for anchor 1. For
 * anchor 0, the text is centred at x. `size` is the font size [pixels]. PNG pictures support printable
 * ASCII only. */
extern void canvas_text(
        struct canvas *c, const double at[2], double size, int anchor, unsigned colour, const char *text);

/** Returns the width of n characters in a PNG picture [pixels]. */
extern double canvas_text_width(double size, long n);

/** Writes the drawing to NAME.svg or NAME.png. Other names are a usage_error(). */
extern void canvas_write(const struct canvas *c, const char *path);

/** Returns the memory that canvas_write() needs for a canvas of that size [bytes]. */
extern long canvas_memory(int width, int height, const char *path);

/** Returns the drawing as three bytes per pixel, row by row from the top. The caller frees the pixels.
 * Drawing needs 15 bytes of memory per pixel. */
extern unsigned char *canvas_pixels(const struct canvas *c);

/** Draws onto a picture as large as the canvas. The picture has the format of canvas_pixels(). */
extern void canvas_paint(const struct canvas *c, unsigned char *pixels);

/** Returns whether the name ends in .svg or .png. */
extern int canvas_knows(const char *path);

#endif
