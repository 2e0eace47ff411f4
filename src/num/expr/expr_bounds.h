#ifndef NUM_EXPR_EXPR_BOUNDS_H
#define NUM_EXPR_EXPR_BOUNDS_H

#include "num/expr/expr_graph.h"

/** Bounds of the values of node `root` for inputs from lo[] to hi[], by interval arithmetic, widened by the
 * rounding of float32. All operators are real; for an operator without a rule, the bounds are infinite. */
extern void expr_graph_bounds(
        const struct graph *g, int root, const double lo[], const double hi[], double *low, double *high);

#endif
