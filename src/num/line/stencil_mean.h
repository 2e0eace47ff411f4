#ifndef NUM_LINE_STENCIL_MEAN_H
#define NUM_LINE_STENCIL_MEAN_H

#include "num/expr/stencil.h"

/** A pass that computes the mean over a box around every element of a float32 input. Expressions call this
 * filter `mean(v, r)`. Each radius is at most MEAN_RADIUS of num/line/sum_kern.h. Sums are computed in
 * float64. Results are bit-identical to those of the steps of the pass. */
struct stencil_mean {
	long r[3];   // radii [elements]
	int divisor; // node that holds the number of elements of the box
};

/** Returns whether a pass computes only such a mean. Describes the mean in *m. */
extern bool stencil_mean_find(const struct stencil *s, struct stencil_mean *m);

#endif
