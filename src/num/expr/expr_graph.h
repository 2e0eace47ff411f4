#ifndef NUM_EXPR_EXPR_GRAPH_H
#define NUM_EXPR_EXPR_GRAPH_H

#include "num/expr/expr_type.h"

/** A graph lists the operations of a bound expression as nodes. Each node comes after its operands. Equal
 * nodes are shared. The function graph_build() also evaluates constants and simplifies operators. */

/** Powers up to this exponent are computed as products. */
enum { GRAPH_POWER_MAX = 16 };

enum node_kind {
	NODE_CONSTANT,
	NODE_INPUT,      // id: number of the input, loaded as `type`
	NODE_INDEX,      // id: dim
	NODE_COORDINATE, // id: dim
	NODE_OP,         // id: enum op
	NODE_CONVERT,    // from type `work` to `type`
	NODE_REDUCTION,  // id: enum reduction
	NODE_SHIFT,  // element i + shift of the operand; id 0: the edge rule extends the operand; id 1: the
	             // edge rule extends the arrays, and the operand is computed beyond their borders
	NODE_MEDIAN, // median of a window; id: 1 for a ball, 0 for a box; shift: radii
	NODE_BOX,    // mean or extreme of a box; id: enum box_function; shift: radii
	NODE_SAMPLE, // samples an input at a point [mm], given by three nodes; id: sampler_id()
};

struct node {
	enum node_kind kind;
	int id;
	bool fused;
	enum op inner; // if fused: operator applied to the operands first
	int args;
	int arg[3];
	enum dtype work; // type of the operands
	enum dtype type; // type of the value
	bool scalar;     // one value for the whole run
	bool counted;    // whether overflows or values outside the real domain are counted
	int stage;       // number of reductions that must end before, one after another
	long column;
	long dims[DIMS]; // shape; for a reduction, of the operands
	unsigned char value[16];
	int shift[3];
	__int128 low, high; // limits of the values, for integer types
};

struct graph {
	const struct expr_operand *in; // inputs, only during graph_build()
	int n, room;
	struct node *nodes;
	int *buckets; // hash table: first node of a bucket, or -1
	int *next;    // next node of the bucket, or -1
	int nbuckets;
};

/** Adds node n, or finds an equal node, and returns the number of the node. Sets stage, dims and scalar. */
extern int graph_node(struct graph *g, struct node n);
extern int graph_constant(struct graph *g, enum dtype type, const void *value);
extern int graph_convert(struct graph *g, int node, enum dtype type);

/** Returns the node for `node` shifted by shift[]. A single value is returned unchanged. */
extern int graph_shift(struct graph *g, int node, bool is_virtual, const int shift[3], long column);

/** Returns a NODE_MEDIAN or NODE_BOX for windows with radii r. A single value is returned unchanged. */
extern int graph_window(struct graph *g, enum node_kind kind, int node, int id, const int r[3], long column);

/** Returns the simplest node that applies `op` to operands of type `types->work`. */
extern int graph_op(struct graph *g, enum op op, const struct op_types *types, const int args[], bool domain,
        long column);
/** Returns whether a power of an integer may exceed type `work`. One operator must compute such a power,
 * because products would count an overflow several times. */
extern bool graph_power_leaves(const struct graph *g, int x, int exponent, enum dtype work);
/** Returns the node for `x^k` with `k >= 0`, computed by products. */
extern int graph_power(struct graph *g, int x, long k, const struct op_types *types, long column);
/** Fuses two nodes if the first value is used once and a kernel exists. Kernels exist for `a b + c` and for
 * the pairs of kern_op_of() and kern_reduce_of(). The nodes roots[] belong to the n outputs. */
extern void graph_fuse(struct graph *g, int n, const int roots[]);

/** Builds all nodes that the outputs of b need. Sets root[i] to the node of output i. */
extern void graph_build(struct graph *g, const struct binding *b, int root[]);
extern void graph_free(struct graph *g);

#endif
