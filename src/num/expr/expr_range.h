#ifndef NUM_EXPR_EXPR_RANGE_H
#define NUM_EXPR_EXPR_RANGE_H

#include "num/expr/expr_graph.h"

/** Sets low and high of a node of an integer type from those of its operands; true where its operator or
 * conversion can give what the node's work type does not hold, so that results have to be counted. */
extern bool node_range(const struct graph *g, struct node *n);

#endif
