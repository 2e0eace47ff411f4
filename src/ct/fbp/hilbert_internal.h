#ifndef CT_FBP_HILBERT_INTERNAL_H
#define CT_FBP_HILBERT_INTERNAL_H

#include <math.h>
#include <stdbool.h>

#include "ct/fbp/hilbert.h"

enum { ROOM = 2 }; // samples between the support and the ends of a line

/** The samples [from, to) of a line that are seen from all directions. These samples are half a step away
 * from the samples of f. */
struct chord {
	long from, to;
	double support[2]; // from, to [samples of f]; empty: from > to
};

struct hilbert {
	const struct geom *g;
	struct grid grid;
	struct hilbert_settings set;
	double e[2]; // direction of the lines

	/* measured */
	bool even;     // columns lie evenly: no interpolation
	double *place; // cols: s, rising
	double *fan;   // cols: phi less that of the middle column
	double *turn;  // views: phi of the middle column, in the order of the file
	long *order;   // views: ascending turn
	bool flip;     // columns in falling order of s
	bool whole;    // 360 degrees

	/* parallel rays */
	long n, dirs;
	double s0, ds;
	double *phi;           // dirs
	double *signed_weight; // dirs
	double *redundancy;    // n - 1
	long *next;            // dirs: ascending from the direction along the lines
	double *psi;           // dirs: angle from there, in that order

	/* lines */
	double t0, dt, y0, dy; // first sample and line, steps [mm]
	long samples, lines;
	struct chord *chord;
	long padded;
	double *spectrum;
	double top; // largest C of any line
	struct hilbert_count count;
	char text[160];
};

/** x modulo period, in [0, period). */
static inline double wrap(double x, double period)
{
	x = fmod(x, period);
	x = (x < 0.) ? x + period : x;

	return (x < period) ? x : 0.;
}

#endif
