#ifndef NUM_EXPR_EXPR_BOUNDS_H
#define NUM_EXPR_EXPR_BOUNDS_H

#include "num/expr/expr_graph.h"

/** Computes bounds of the values of node `root` for inputs between lo[] and hi[]. The bounds include
 * float32 rounding. All operators are real. For an operator without a rule, the bounds are infinite. */
extern void expr_graph_bounds(
        const struct graph *g, int root, const double lo[], const double hi[], double *low, double *high);

#endif
