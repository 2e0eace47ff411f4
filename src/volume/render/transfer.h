#ifndef VOLUME_RENDER_TRANSFER_H
#define VOLUME_RENDER_TRANSFER_H

#include <stdbool.h>

/**
 * Transfer functions: the colour and opacity of a value, or of a value and the gradient magnitude, as tables.
 * Opacity is that of a layer as thick as the smallest spacing of the volume.
 */

enum {
	TRANSFER_VALUES = 4096,   // entries where the value alone decides
	TRANSFER_PAIRS = 512,     // entries of values, and
	TRANSFER_GRADIENTS = 128, // of gradients, where both do
};

struct transfer {
	int values, levels;
	double lo, hi;  // values of the first and last entry; those beyond have theirs
	double steep;   // gradient [1/mm] of the last level; level k of n: steep (k / (n - 1))^2
	float *opacity; // [levels][values], 0..1
	int *color;     // red + green << 10 + blue << 20, each 0..1023
	struct transfer_program *program; // where the place plays a part: in place of tables; else NULL
};

/** Names of transfer functions between blanks: the colour maps and a few more. */
extern const char *transfer_names(void);

/** The one of a name, from lo to hi: the colours of a map, opacity increasing from 0 to `opacity`; NULL:
 * unknown.
 */
extern struct transfer *transfer_named(const char *name, double lo, double hi, double opacity);

/** The lower end of the range of "surface", with upper end hi, for which everything up to `level` is
 * transparent. */
extern double transfer_surface_start(double level, double hi);

/**
 * Points of a text file, one per line, linearly interpolated: VALUE OPACITY RED GREEN BLUE, with increasing
 * values, the rest 0..1; '#' starts a comment. error() naming file and line.
 */
extern struct transfer *transfer_file(const char *path);

/** Whether a text contains characters that names do not have. */
extern bool transfer_is_expression(const char *text);

/**
 * "OPACITY" or "opacity = E; red = E; green = E; blue = E" (num/expr/expr.h) of v, the value, and g, the
 * length of the gradient [1/mm]; g up to `steep`; and of x, y and z, the place [mm]. Results outside 0..1 are
 * clipped; without colours everything is white. usage_error() naming the column, or the name.
 */
extern struct transfer *transfer_expression(const char *text, double lo, double hi, double steep);

/** What a program is given for each sample, and what it gives. */
enum { TRANSFER_V, TRANSFER_G, TRANSFER_X, TRANSFER_Y, TRANSFER_Z, TRANSFER_GIVEN };
enum { TRANSFER_OPACITY, TRANSFER_RED, TRANSFER_GREEN, TRANSFER_BLUE, TRANSFER_PARTS };
enum { TRANSFER_SAMPLES = 16 }; // at a time, at most

extern bool transfer_reads_gradient(const struct transfer *t);

/** Opacity and colour, each in [0, 1], of n samples; by any thread of a parallel region. */
extern void transfer_run(
        const struct transfer *t, long n, float in[][TRANSFER_SAMPLES], float out[][TRANSFER_SAMPLES]);

/** Whether samples between these bounds may have an opacity. */
extern bool transfer_may_see(const struct transfer *t, const double lo[], const double hi[]);

/** Transparent and black: tables to be filled by transfer_set(). */
extern struct transfer *transfer_create(int values, int levels, double lo, double hi);
extern void transfer_set(struct transfer *t, int i, double opacity, const double rgb[3]);

/** Colour of a value, whatever its opacity; of the largest gradient. */
extern void transfer_color(const struct transfer *t, double value, double rgb[3]);

extern void transfer_free(struct transfer *t);
extern void transfer_program_free(struct transfer_program *p);

#endif
