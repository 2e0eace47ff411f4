#ifndef NUM_EXPR_EXPR_BOUNDS_H
#define NUM_EXPR_EXPR_BOUNDS_H

#include "num/expr/expr_graph.h"

/** Bounds of the values of a node of real operators on inputs from lo[] to hi[], by interval arithmetic,
 * widened by the rounding of float32; infinite for operators without a rule. */
extern void expr_graph_bounds(
        const struct graph *g, int root, const double lo[], const double hi[], double *low, double *high);

#endif
