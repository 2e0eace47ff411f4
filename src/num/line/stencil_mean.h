#ifndef NUM_LINE_STENCIL_MEAN_H
#define NUM_LINE_STENCIL_MEAN_H

#include "num/expr/stencil.h"

/**
 * Means of small boxes of a float32 input, with sums in float64: the function `mean(v, r)` of expressions for
 * radii of at most MEAN_RADIUS (num/line/sum_kern.h). The sums along dims 1, 0 and 2 are formed in the order
 * of the steps of the pass, so the results are bit-identical to those of the steps.
 */
struct stencil_mean {
	long r[3];
	int divisor; // node of the number of elements
};

/** Whether a pass computes such means and nothing else. */
extern bool stencil_mean_find(const struct stencil *s, struct stencil_mean *m);

#endif
