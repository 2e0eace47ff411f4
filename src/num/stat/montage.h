#ifndef NUM_STAT_MONTAGE_H
#define NUM_STAT_MONTAGE_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/plot/colormap.h"
#include "misc/plot/png.h"
#include "num/stat/picture.h"

/** These functions draw slices, projections and differences of arrays side by side in one PNG picture. Text,
 * colour bars and a scale bar may be drawn around the tiles. */

/** Maps values from lo to hi to the colours of a colour map. */
struct montage_scale {
	double lo, hi;
	enum colormap map;
	bool invert;
};

/** A tile of the picture shows one slice of an array, or values computed from slices. */
struct montage_tile {
	struct picture plane;
	long slice;
	const struct montage_scale *scale;
	double *values; // owned; NULL if the tile shows a slice
	char *label;    // owned, or NULL
};

/** Contains the tiles and settings from which the picture is drawn. */
struct montage {
	struct montage_tile *tile;
	long count, columns;
	long tile_width, tile_height; // [pixels]
	long gap, top, band;          // [pixels] between columns, above all tiles, above every row of tiles
	bool up;
	struct montage_scale scale, difference;
	struct png_format format;
	unsigned char *around; // text and bars, as RGB bytes of the whole picture, or NULL
	double *values;        // one line of a tile
	void *tmp;
};

struct montage_choice {
	bool montage;
	const char *slice, *range;
	int projection; // enum picture_projection, or -1
};

/** Describes the text and bars around the tiles. */
struct montage_around {
	bool colorbar, label;
	const char *title, *labels;
	double scale_bar; // [mm], 0 for no bar
	const char *unit;
	double mm; // width of a pixel, for the scale bar
	long size, bottom, right;
};

/** Adds tiles with slices of the array x, which are numbered along dim `dim`. A `dim` of -1 means the third
 * dim longer than 1. `alone` means that there is no other array. The picture sizes of x and of array `first`
 * must be equal, else error(). */
extern void montage_add(struct montage *g, struct cfl *x, int dim, enum picture_part part,
        const struct montage_choice *choice, bool alone, const char *first);

/** For every array after the first, adds a tile with the difference from the first array. `names` contains
 * the names of all arrays. */
extern void montage_add_differences(struct montage *g, const struct opt_list *names);

/** Sets the sizes of the tiles and of the picture. If `columns` is 0, the picture is about square. The header
 * h and `name` belong to the first array. A picture that is too large is an error(). */
extern void montage_lay_out(struct montage *g, struct montage_around *d, const struct hdr *h, long zoom,
        bool aspect, long columns, const char *name);

/** Chooses and reports the range of values that is shown. The range is `window` if given, or comes from the
 * values of the first `tiles` tiles. */
extern void montage_choose_window(struct montage *g, long tiles, const struct opt_doubles *window,
        const struct opt_doubles *percentile, const char *name);

/** Draws the montage into the file `out` and frees the memory of g. */
extern void montage_write(struct montage *g, const struct montage_around *d, const char *out);

/** Draws text and bars into g->around. */
extern void montage_draw_around(struct montage *g, const struct montage_around *d);

/** Computes the colour of a value. NaN and infinite values are magenta. */
extern void montage_color(const struct montage_scale *s, double v, double rgb[3]);

#endif
