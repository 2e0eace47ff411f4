#ifndef NUM_LINE_STENCIL_TAP_H
#define NUM_LINE_STENCIL_TAP_H

#include "num/expr/stencil.h"

/** A single step LINE_TAP (num/line/line_kern.h) replaces these steps of a program, which occur in this
 * order. */
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

/** in[] marks the steps that a program computes. Returns the next marked step after k, or the number of steps
 * if there is none. */
extern int stencil_next_operator(const struct stencil_program *p, const bool in[], int k);

/** Whether the steps of a LINE_TAP begin with step k. The steps must follow each other, and no other step may
 * need their values or the previous sums. last[]: the last step that uses the value of a step; at[]: the
 * position of a step's elements. */
extern bool stencil_tap_find(struct stencil_tap *t, const struct graph *g, const struct stencil_program *p,
        const bool in[], const int last[], const long at[], int k);

#endif
