#ifndef NUM_EXPR_EXPR_PLAN_H
#define NUM_EXPR_EXPR_PLAN_H

#include "num/expr/expr_graph.h"
#include "num/kern/kern.h"

/**
 * A bound expression as programs, one per pass over the data. A pass has one shape; values that depend on a
 * reduction are computed in a later pass. Scalars (constants, results of reductions and values computed from
 * them) are computed between the passes.
 */

/** Largest block that a step processes at a time: its number of elements, and its bytes in the widest type of
 * the pass. */
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
	int arg[3];      // steps of this pass; scalars as -1 - node
	enum dtype work; // of the operands
	enum dtype type; // of the value
	kern_fn *fn;
	long slot; // of the value in the scratch memory [bytes]
	int lane;  // of LOAD, INDEX, COORDINATE, STORE: which strided operand of the loop
	int store; // of OP: the STORE step that only passes its value on, or -1
	int check; // counter of values outside the domain, or that leave an integer type; -1 = none
	int node;
	enum reduction reduction;
	bool fused;
	enum op inner; // if fused: of the operands, what the operator or reduction is of
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
	bool neighbours;  // elements need others, or samples: num/expr/stencil.h
	bool ordered;     // element numbers matter: ARGMIN, ARGMAX
	long block;       // elements of a block
	long short_block; // the same where operands are larger than the cache
	size_t slots;     // [bytes]
};

/** A node for which values outside a real domain, or integers that do not fit into `type`, are counted.
 */
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
	int root[EXPR_OPERANDS]; // node of an output
	enum dtype type[EXPR_OPERANDS];
	double spacing[DIMS], origin[DIMS];
	int passes;
	struct expr_pass *pass;
	int checks;
	struct expr_check *check;
	int *check_of; // per node: its counter, -1
	bool *live;    // per node: some output needs it
};

/** Makes the programs of the passes from the graph. */
extern void expr_schedule(struct expr_plan *p);

#endif
