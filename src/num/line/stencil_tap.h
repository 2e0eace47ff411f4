#ifndef NUM_LINE_STENCIL_TAP_H
#define NUM_LINE_STENCIL_TAP_H

#include "num/expr/stencil.h"

/** Steps of a program that the one step LINE_TAP of num/line/line_kern.h replaces, in their order. */
enum {
	TAP_DIFFERENCE,
	TAP_SQUARE,
	TAP_EXPONENT,
	TAP_LIMITED,
	TAP_POWER,
	TAP_LESS,
	TAP_WEIGHT,
	TAP_WEIGHTS,
	TAP_SUM,
	TAP_STEPS
};

struct stencil_tap {
	int step[TAP_STEPS];
	int weights, sum; // steps: the sums before
	int scalar[5];    // operands: k, f, low, tiny, 0 of LINE_TAP
};

/** Operators in `in` (of a program that leaves out others) are followed by the next of them. */
extern int stencil_next_operator(const struct stencil_program *p, const bool in[], int k);

/** Whether a tap begins with step k: its steps follow each other, and nothing else needs their values, nor
 * the sums before. last: the last use of each step; at: where its elements are. */
extern bool stencil_tap_find(struct stencil_tap *t, const struct graph *g, const struct stencil_program *p,
        const bool in[], const int last[], const long at[], int k);

#endif
