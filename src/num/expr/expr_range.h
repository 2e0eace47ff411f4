#ifndef NUM_EXPR_EXPR_RANGE_H
#define NUM_EXPR_EXPR_RANGE_H

#include "num/expr/expr_graph.h"

/** Sets `low` and `high` of an integer node from its operands. Returns true if the node can overflow, and
 * overflows must be counted. */
extern bool node_range(const struct graph *g, struct node *n);

#endif
