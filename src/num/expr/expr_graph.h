#ifndef NUM_EXPR_EXPR_GRAPH_H
#define NUM_EXPR_EXPR_GRAPH_H

#include "num/expr/expr_type.h"

/**
 * The computation of a bound expression as a list of nodes in work types. Each node comes after its operands,
 * and each value occurs once. graph_build() makes the nodes from the terms: it shares equal nodes, evaluates
 * constants and simplifies.
 */

/** Powers up to this exponent are computed as products: their error stays below a few roundings. */
enum { GRAPH_POWER_MAX = 16 };

enum node_kind {
	NODE_CONSTANT,
	NODE_INPUT,      // id: number of the input, loaded as `type`
	NODE_INDEX,      // id: dim
	NODE_COORDINATE, // id: dim
	NODE_OP,         // id: enum op
	NODE_CONVERT,    // from work type `work` to `type`
	NODE_REDUCTION,  // id: enum reduction
	NODE_SHIFT,  // element i + shift of the operand; id: 0: of the array with what the edges' rule puts
	             // around it, 1: virtual, the operand as computed there from what is around its own
	             // operands
	NODE_MEDIAN, // of a window of the operand; id: whether a ball; shift: its radii
	NODE_BOX,    // joined elements of a box; id: enum box_function; shift: its radii
	NODE_SAMPLE, // values of an input at three nodes' places [mm]; id: sampler_id()
};

struct node {
	enum node_kind kind;
	int id;
	bool fused;
	enum op inner; // if fused: what is applied to the operands first
	int args;
	int arg[3];
	enum dtype work; // of the operands
	enum dtype type; // work type of the value
	bool scalar;     // one value for the whole run
	bool counted;    // values outside the operator's real domain, or integers that leave the type, are
	                 // counted
	int stage;       // reductions that must have ended before, one after another
	long column;
	long dims[DIMS]; // of a reduction: those of its operands
	unsigned char value[16];
	int shift[3];
	__int128 low, high; // of integer types: between which the values are
};

struct graph {
	const struct expr_operand *in; // the inputs
	int n, room;
	struct node *nodes;
	int *buckets; // hash table of nodes: first of a bucket, -1
	int *next;    // and the following ones
	int nbuckets;
};

/** Adds a node or finds an equal one; returns its number. Stage, dims and scalar are set here. */
extern int graph_node(struct graph *g, struct node n);
extern int graph_constant(struct graph *g, enum dtype type, const void *value);
extern int graph_convert(struct graph *g, int node, enum dtype type);

/** Node `node` shifted; the node itself if it is a single value. */
extern int graph_shift(struct graph *g, int node, bool is_virtual, const int shift[3], long column);

/** NODE_MEDIAN or NODE_BOX of windows of radii r; the node itself if it is a single value. */
extern int graph_window(struct graph *g, enum node_kind kind, int node, int id, const int r[3], long column);

/** The simplest node for an operator on operands in its work type. */
extern int graph_op(struct graph *g, enum op op, const struct op_types *types, const int args[], bool domain,
        long column);
/** Whether a power of an integer may exceed its work type. Such a power is computed by one operator: products
 * would count an overflow several times. */
extern bool graph_power_leaves(const struct graph *g, int x, int exponent, enum dtype work);
/** The node for x^k, k >= 0, computed by products. */
extern int graph_power(struct graph *g, int x, long k, const struct op_types *types, long column);
/** Fuses two nodes if the value of the first is used once and a kernel exists. Kernels exist for a b + c and
 * for the pairs of kern_op_of() and kern_reduce_of(). `roots`: nodes that outputs need. */
extern void graph_fuse(struct graph *g, int n, const int roots[]);

/** Builds all nodes that the outputs of b need; root[i] is the node of output i. */
extern void graph_build(struct graph *g, const struct binding *b, int root[]);
extern void graph_free(struct graph *g);

#endif
