#ifndef NUM_EXPR_EXPR_PLAN_H
#define NUM_EXPR_EXPR_PLAN_H

#include "num/expr/expr_graph.h"
#include "num/kern/kern.h"

/** A plan divides a bound expression into passes over the data. All values of a pass have one shape. Values
 * that depend on a reduction are computed in a later pass. Scalars are computed between passes. */

/** Maximum size of a block in elements, and in bytes for the widest type. */
enum { EXPR_BLOCK = 2 * KERN_BLOCK, EXPR_BLOCK_BYTES = 4 * EXPR_BLOCK };

enum step_kind {
	STEP_LOAD,       // id: input
	STEP_INDEX,      // id: dim
	STEP_COORDINATE, // id: dim
	STEP_OP,         // id: enum op
	STEP_CONVERT,
	STEP_REDUCE, // id: number of the accumulator in the pass
	STEP_STORE,  // id: output
	STEP_SHIFT,
	STEP_MEDIAN,
	STEP_BOX,
	STEP_SAMPLE // id: sampler_id()
};

struct step {
	enum step_kind kind;
	int id;
	int args;
	int arg[3];      // steps of this pass; -1 - node for a scalar
	enum dtype work; // type of the operands
	enum dtype type; // type of the value
	kern_fn *fn;
	long slot; // position of the value in the scratch memory [bytes]
	int lane;  // LOAD, INDEX, COORDINATE, STORE: lane of the loop
	int store; // OP: STORE step of the value, or -1
	int check; // counter of overflows or values outside the domain, or -1
	int node;
	enum reduction reduction;
	bool fused;
	enum op inner; // if fused: operator applied to the operands first
};

static inline bool step_reads(const struct step *s, int input)
{
	return (STEP_LOAD == s->kind && input == s->id) ||
	       (STEP_SAMPLE == s->kind && input == s->id % EXPR_OPERANDS);
}

struct expr_pass {
	long dims[DIMS];
	int stage;
	int n;
	struct step *steps;
	int lanes, loads; // lanes of INPUTS come first
	int stores, reductions;
	bool neighbours;  // whether neighbours or samples are needed (num/expr/stencil.h)
	bool ordered;     // whether element numbers matter (ARGMIN, ARGMAX)
	long block;       // elements of a block
	long short_block; // elements of a block if operands exceed the cache
	size_t slots;     // [bytes] of scratch memory
};

/** A node whose overflows or values outside a real domain are counted. */
struct expr_check {
	enum node_kind kind;
	int id; // of the node
	enum dtype type;
	long column;
};

struct expr_plan {
	struct array_rules rules;
	enum expr_edge edge;
	struct graph g;
	int nin, nout;
	char *in[EXPR_OPERANDS], *out[EXPR_OPERANDS];
	struct expr_operand operand[EXPR_OPERANDS];
	int root[EXPR_OPERANDS]; // node of each output
	enum dtype type[EXPR_OPERANDS];
	double spacing[DIMS], origin[DIMS];
	int passes;
	struct expr_pass *pass;
	int checks;
	struct expr_check *check;
	int *check_of; // per node: counter, or -1
	bool *live;    // per node: whether an output needs the node
};

/** Builds the passes from the graph. */
extern void expr_schedule(struct expr_plan *p);

#endif
