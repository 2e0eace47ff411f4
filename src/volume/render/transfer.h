#ifndef VOLUME_RENDER_TRANSFER_H
#define VOLUME_RENDER_TRANSFER_H

#include <stdbool.h>

/** Transfer functions as tables: the colour and opacity of a value, or of a value and a gradient magnitude.
 * Opacities hold for a layer as thick as the volume's smallest spacing. */

enum {
	TRANSFER_VALUES = 4096,   // entries of a table over values alone
	TRANSFER_PAIRS = 512,     // value entries of a table with gradients
	TRANSFER_GRADIENTS = 128, // gradient entries of the table
};

struct transfer {
	int values, levels;
	double lo, hi;  // values of the first and last entry, also used beyond
	double steep;   // gradient [1/mm] of the last level; level k of n: steep (k / (n - 1))^2
	float *opacity; // [levels][values], from 0 to 1
	int *color;     // red + green << 10 + blue << 20, each 0 to 1023
	struct transfer_program *program; // for functions of position; NULL means tables
};

/** Returns the names of the predefined transfer functions, separated by blanks. */
extern const char *transfer_names(void);

/** Returns the transfer function `name` for values from lo to hi. The opacity of a colour map increases from
 * 0 to `opacity`. Returns NULL if the name is unknown. */
extern struct transfer *transfer_named(const char *name, double lo, double hi, double opacity);

/** For the value range [x, hi], transfer function "surface" is transparent up to `level`. Returns x. */
extern double transfer_surface_start(double level, double hi);

/** Reads points from a text file and interpolates linearly between them. Each line contains VALUE OPACITY RED
 * GREEN BLUE. VALUE increases from line to line, and the other numbers are 0 to 1. '#' starts a comment. A
 * malformed file is an error() naming file and line. */
extern struct transfer *transfer_file(const char *path);

/** Returns whether a text is an expression, not a name. Numbers are expressions. */
extern bool transfer_is_expression(const char *text);

/** Parses "OPACITY" or "opacity = E; red = E; green = E; blue = E". E is an expression (num/expr/expr.h) of
 * value v, gradient magnitude g [1/mm] and position x, y, z [mm]. `steep` is the largest g in tables. Results
 * are clipped to 0..1. Without any colour, the result is white. If some colours are given, the others are 0.
 * Invalid texts, texts without opacity and complex results are a usage_error(). */
extern struct transfer *transfer_expression(const char *text, double lo, double hi, double steep);

/** Indices of the inputs and outputs of transfer_run(). */
enum { TRANSFER_V, TRANSFER_G, TRANSFER_X, TRANSFER_Y, TRANSFER_Z, TRANSFER_GIVEN };
enum { TRANSFER_OPACITY, TRANSFER_RED, TRANSFER_GREEN, TRANSFER_BLUE, TRANSFER_PARTS };
enum { TRANSFER_SAMPLES = 16 }; // largest n of transfer_run()

extern bool transfer_reads_gradient(const struct transfer *t);

/** Computes opacity and colour (0 to 1) of n samples. Any thread of a parallel region may call this function.
 */
extern void transfer_run(
        const struct transfer *t, long n, float in[][TRANSFER_SAMPLES], float out[][TRANSFER_SAMPLES]);

/** Returns whether inputs between lo and hi can have an opacity above 0. */
extern bool transfer_may_see(const struct transfer *t, const double lo[], const double hi[]);

/** Creates transparent black tables, to be filled with transfer_set(). */
extern struct transfer *transfer_create(int values, int levels, double lo, double hi);
extern void transfer_set(struct transfer *t, int i, double opacity, const double rgb[3]);

/** Computes the colour of a value at the largest gradient, without the opacity. */
extern void transfer_color(const struct transfer *t, double value, double rgb[3]);

extern void transfer_free(struct transfer *t);
extern void transfer_program_free(struct transfer_program *p);

#endif
