#ifndef VOLUME_RENDER_TRANSFER_H
#define VOLUME_RENDER_TRANSFER_H

#include <stdbool.h>

/**
 * Transfer functions: the colour and opacity of a value, or of a value and the gradient magnitude, as tables.
 * Opacities are those of a layer as thick as the smallest spacing of the volume.
 */

enum {
	TRANSFER_VALUES = 4096,   // entries of tables over the value only
	TRANSFER_PAIRS = 512,     // entries along the value, and
	TRANSFER_GRADIENTS = 128, // along the gradient, of tables over both
};

struct transfer {
	int values, levels;
	double lo, hi;  // values of the first and last entry, which also apply to values beyond
	double steep;   // gradient [1/mm] of the last level; level k of n: steep (k / (n - 1))^2
	float *opacity; // [levels][values], 0..1
	int *color;     // red + green << 10 + blue << 20, each 0..1023
	struct transfer_program *program; // for functions of position; NULL: tables
};

/** Names of transfer functions, separated by blanks: the colour maps and a few others. */
extern const char *transfer_names(void);

/** The transfer function of a name, from lo to hi: the colours of a map, with opacity increasing from 0 to
 * `opacity`; NULL if the name is unknown.
 */
extern struct transfer *transfer_named(const char *name, double lo, double hi, double opacity);

/** For the transfer function "surface": the lower end of a range in which all values up to `level` are
 * transparent. hi: upper end of this range. */
extern double transfer_surface_start(double level, double hi);

/**
 * Reads points from a text file and interpolates linearly between them. Each line contains VALUE OPACITY RED
 * GREEN BLUE, with increasing values and the other numbers in 0..1; '#' starts a comment. error() naming file
 * and line.
 */
extern struct transfer *transfer_file(const char *path);

/** Whether a text is an expression: it is a number, or contains characters that names do not contain. */
extern bool transfer_is_expression(const char *text);

/**
 * Parses "OPACITY" or "opacity = E; red = E; green = E; blue = E". These are expressions (num/expr/expr.h) of
 * the value v, the length g of the gradient [1/mm], and the position x, y, z [mm]. Tables contain g up to
 * `steep`. Results outside 0..1 are clipped. Without red, green and blue the colour is white; if some are
 * given, the missing ones are 0. usage_error() if the text is invalid, with the column of the error or the
 * name of an unknown output. Texts without opacity or with a complex result are also invalid.
 */
extern struct transfer *transfer_expression(const char *text, double lo, double hi, double steep);

/** Inputs and outputs of a program for each sample. */
enum { TRANSFER_V, TRANSFER_G, TRANSFER_X, TRANSFER_Y, TRANSFER_Z, TRANSFER_GIVEN };
enum { TRANSFER_OPACITY, TRANSFER_RED, TRANSFER_GREEN, TRANSFER_BLUE, TRANSFER_PARTS };
enum { TRANSFER_SAMPLES = 16 }; // at a time, at most

extern bool transfer_reads_gradient(const struct transfer *t);

/** Computes opacity and colour, each in [0, 1], of n samples; any thread of a parallel region may call it. */
extern void transfer_run(
        const struct transfer *t, long n, float in[][TRANSFER_SAMPLES], float out[][TRANSFER_SAMPLES]);

/** Whether samples within these bounds can have an opacity above 0. */
extern bool transfer_may_see(const struct transfer *t, const double lo[], const double hi[]);

/** Creates transparent black tables, to be filled by transfer_set(). */
extern struct transfer *transfer_create(int values, int levels, double lo, double hi);
extern void transfer_set(struct transfer *t, int i, double opacity, const double rgb[3]);

/** The colour of a value at the largest gradient, regardless of the opacity. */
extern void transfer_color(const struct transfer *t, double value, double rgb[3]);

extern void transfer_free(struct transfer *t);
extern void transfer_program_free(struct transfer_program *p);

#endif
