#ifndef NUM_STAT_MONTAGE_H
#define NUM_STAT_MONTAGE_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/plot/colormap.h"
#include "misc/plot/png.h"
#include "num/stat/picture.h"

/** Slices, projections and differences of arrays side by side in one PNG picture, with text, bars and scales
 * around them. */

/** Maps values from lo to hi to the colours of a colour map. */
struct montage_scale {
	double lo, hi;
	enum colormap map;
	bool invert;
};

/** A tile: one slice of an array, or values computed from slices. */
struct montage_tile {
	struct picture plane;
	long slice;
	const struct montage_scale *scale;
	double *values; // owned; NULL: the plane is that of an array
	char *label;    // owned; NULL: none
};

/** The tiles and settings from which the picture is drawn. */
struct montage {
	struct montage_tile *tile;
	long count, columns;
	long tile_width, tile_height; // [pixels]
	long gap, top, band;          // between columns; above all tiles; above each row of tiles
	bool up;
	struct montage_scale scale, difference;
	struct png_format format;
	unsigned char *around; // words and colour bars, three bytes per pixel of the whole picture, or NULL
	double *values;        // of a line
	void *tmp;
};

struct montage_choice {
	bool montage;
	const char *slice, *range;
	int projection; // or -1
};

/** What is drawn around the tiles. */
struct montage_around {
	bool colorbar, label;
	const char *title, *labels;
	double scale_bar; // [mm], 0: none
	const char *unit;
	double mm; // per pixel across, for the scale bar
	long size, bottom, right;
};

/** Adds the tiles of an array, cut across dimension `dim` (-1: the third dim larger than 1). `alone`: there
 * is no other array. error() if the pictures of x differ in size from those of the first array, whose name is
 * `first`. */
extern void montage_add(struct montage *g, struct cfl *x, int dim, enum picture_part part,
        const struct montage_choice *choice, bool alone, const char *first);

/** Adds a tile for each array after the first: its difference from the first array. names: the names of all
 * arrays. */
extern void montage_add_differences(struct montage *g, const struct opt_list *names);

/** Sets the sizes of the tiles and of the picture. columns 0: the picture is about square. h: header of the
 * first array, which is named `name`. error() if the picture would be too large. */
extern void montage_lay_out(struct montage *g, struct montage_around *d, const struct hdr *h, long zoom,
        bool aspect, long columns, const char *name);

/** Chooses the window of values, from `window` or from the values of the first `tiles` tiles, and reports it.
 */
extern void montage_choose_window(struct montage *g, long tiles, const struct opt_doubles *window,
        const struct opt_doubles *percentile, const char *name);

/** Draws the montage into a file, and releases its memory. */
extern void montage_write(struct montage *g, const struct montage_around *d, const char *out);

/** Draws text and bars into g->around. */
extern void montage_draw_around(struct montage *g, const struct montage_around *d);

/** The colour of a value; magenta for NaN and infinite values. */
extern void montage_color(const struct montage_scale *s, double v, double rgb[3]);

#endif
