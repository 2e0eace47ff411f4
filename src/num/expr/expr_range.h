#ifndef NUM_EXPR_EXPR_RANGE_H
#define NUM_EXPR_EXPR_RANGE_H

#include "num/expr/expr_graph.h"

/** Sets low and high of a node of an integer type from low and high of its operands. Returns true if its
 * operator or conversion can exceed the node's work type, so that overflows have to be counted. */
extern bool node_range(const struct graph *g, struct node *n);

#endif
