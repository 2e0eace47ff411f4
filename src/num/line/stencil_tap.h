#ifndef NUM_LINE_STENCIL_TAP_H
#define NUM_LINE_STENCIL_TAP_H

#include "num/expr/stencil.h"

/** A single step LINE_TAP (num/line/line_kern.h) replaces this sequence of steps. */
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
	int weights, sum; // steps that compute the previous sums
	int scalar[5];    // operands k, f, low, tiny and 0 of LINE_TAP
};

/** Returns the next marked step after k, or p->n if there is none. The array in[] marks the steps that a
 * program computes. */
extern int stencil_next_operator(const struct stencil_program *p, const bool in[], int k);

/** Returns whether LINE_TAP can replace the marked steps from step k on. No other step may need the values of
 * these steps or the previous sums. Step last[i] is the last step that uses the value of step i. The
 * elements of step i are at position at[i]. */
extern bool stencil_tap_find(struct stencil_tap *t, const struct graph *g, const struct stencil_program *p,
        const bool in[], const int last[], const long at[], int k);

#endif
