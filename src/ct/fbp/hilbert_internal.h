#ifndef CT_FBP_HILBERT_INTERNAL_H
#define CT_FBP_HILBERT_INTERNAL_H

#include <math.h>
#include <stdbool.h>

#include "ct/fbp/hilbert.h"

enum { ROOM = 2 }; // least distance between the support and the ends of a line [samples]

/** The samples [from, to) of a line are seen from all directions. These samples are half-way between the
 * samples of f. */
struct chord {
	long from, to;
	double support[2]; // first and last position in the support [samples of f]; empty if first > last
};

struct hilbert {
	const struct geom *g;
	struct grid grid;
	struct hilbert_settings set;
	double e[2]; // direction of the lines

	/* data of the geometry; a ray is (phi, s): x cos phi + y sin phi = s */
	bool even;     // parallel rays at equal distances
	double *place; // [cols] s, ascending [mm]
	double *fan;   // [cols] phi minus phi of the middle column [rad]
	long angles;   // number of different angles of the views
	double *turn;  // [angles] phi of the middle column, ascending within a turn from any angle [rad]
	long *order;   // [views] view numbers by ascending phi
	long *start;   // [angles + 1] views order[start[i]] to order[start[i + 1] - 1] are at turn[i]
	bool flip;     // s decreases with the column number
	bool whole;    // the views cover 360 degrees

	/* parallel rays to which the views are interpolated */
	long n, dirs;          // rays in a direction, directions
	double s0, ds;         // first s and its step [mm]
	double *phi;           // [dirs] angles of the directions [rad]
	double *signed_weight; // [dirs] angular weights times sgn(n.e) [rad]
	double *redundancy;    // [n - 1] weights for rays that are measured twice
	long *next;            // [dirs] direction numbers by ascending psi
	double *psi;           // [dirs] phi minus phi of rays along the lines, in the order of `next` [rad]

	/* lines along e */
	double t0, dt, y0, dy; // first sample and its step, first line and its step [mm]
	long samples, lines;   // samples on a line, number of lines
	struct chord *chord;
	long padded;
	double *spectrum;
	double top;  // largest |C| of all lines so far
	float *ends; // [open] of lines that may be open: the largest value at the ends
	long open, room;
	struct hilbert_count count;
	char text[160];
};

/** Returns whether the object seems to extend beyond the ends of a line. */
static inline bool hilbert_is_open(float ends, double top)
{
	return (double)ends > 0.1 * top;
}

/** Returns x modulo `period`, in [0, period). */
static inline double wrap(double x, double period)
{
	x = fmod(x, period);
	x = (x < 0.) ? x + period : x;

	return (x < period) ? x : 0.;
}

#endif
