#ifndef NUM_EXPR_STENCIL_H
#define NUM_EXPR_STENCIL_H

#include "num/expr/expr_pass.h"

/**
 * Passes with neighbourhoods. A value whose neighbours are needed is called a stage. While the work proceeds
 * along dim 2, a tile of each stage, with the neighbours that later stages need, is kept in a ring buffer of
 * slices. The operations between stages run as programs over lines, by the kernels of num/kern/kern.h. Values
 * that differ only by a shift along dim 0 are computed once. Beyond the borders, a stage is filled by the
 * edge rule. Only a virtual stage (a partial result of a window) is computed there from the surrounding
 * values.
 *
 * Every element is computed from the same values in the same order, for any tiles and threads.
 */

/** The maximal number of stages of a pass. */
enum { STENCIL_STAGES = 1000 };

/** An input of a program: a stage, shifted along dims 1 and 2. */
struct stencil_leaf {
	int stage, shift[3]; // shift[0] = 0
};

/** A step of a program; element i of its value is computed from elements i + slide[k] of its operands. */
struct stencil_step {
	int leaf;   // what it reads; -1: an operator or conversion
	int node;   // of the graph
	int args;   // operands
	int arg[3]; // steps; scalars as -1 - node
	long slide[3];
	long low, high;         // how far it is computed beyond a block's ends
	long slot;              // in the scratch memory [bytes]
	int root;               // written there at once; -1
	long size, arg_size[3]; // of elements of the value and the operands [bytes]
	kern_fn *fn;            // of an operator
	int guard;              // a step: where it is 0 in all of a block, this one is not needed; -1
	bool guards;            // some other
};

/** A result of a program. */
struct stencil_root {
	int node, step;
	long slide;
};

struct stencil_program {
	int n, leaves, roots;
	struct stencil_step *steps;
	struct stencil_leaf *leaf;
	struct stencil_root *root;
	long block; // [elements]
	long rows;  // that are computed together
	size_t slots;
	struct stencil_lines *lines; // the same by the steps of num/line/line_kern.h; NULL
	bool counted;                // some step counts what its type or domain does not hold
};

struct stencil_stage {
	int node;
	bool is_virtual, is_source;
	enum dtype type;
	struct stencil_program program; // unless it is a source
	long halo[3];                   // on both sides [elements]
	long beyond;                    // along dim 0 where a tile has all columns [elements]
	int readers, reader;            // programs that read it; the last of them (a stage, or -1)
	long span;                      // of slices that one slice of the reader needs
	long ring;                      // slices that are kept
	struct median *median;          // instead of a program's steps
	struct box *box;                // the same
};

struct stencil {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const long *dims;
	int n;
	struct stencil_stage *stages; // each after those that it reads
	struct stencil_program last;  // what is stored and reduced
	long pad;                     // of lines, on both sides [elements]
};

extern struct stencil *stencil_create(const struct expr_plan *p, const struct expr_pass *q);
extern void stencil_free(struct stencil *s);

/** Sets the guards of the steps. A value needed only for b in a ? b : c, or in a && b, has the guard a. It is
 * skipped in blocks in which the guard is 0 everywhere. */
extern void stencil_find_guards(const struct graph *g, struct stencil_program *p);

/** Converts a program to steps that keep values in registers, with bit-identical results; NULL if this is not
 * possible. */
extern struct stencil_lines *stencil_lines_create(const struct graph *g, const struct stencil_program *p);
extern void stencil_lines_free(struct stencil_lines *l);
/** Bytes of scratch memory that a run over n elements needs. */
extern size_t stencil_lines_room(const struct stencil_lines *l, long n);
/** The number of rows to compute together for the least cost per row. Rows have n elements and begin `pitch`
 * elements apart. `most`: the number of rows that fit into the first-level cache. */
extern long stencil_lines_rows(const struct stencil_lines *l, long n, long pitch, long most);
/** Fills elements [low, 0) and [n, n + high) of a row of n elements by the edge rule. */
struct stencil_ends {
	void (*fill)(void *ctx, char *row, long low, long high);
	void *ctx;
};
/** Whether lines of n elements are long enough for stencil_lines_run(). */
extern bool stencil_lines_take(const struct stencil_lines *l, long n);
/** The elements of a leaf that are read: [*low, n + *high). */
extern void stencil_lines_reach(const struct stencil_lines *l, int leaf, long *low, long *high);
/** Whether rows of n elements are computed as sums of boxes. If so, and if stencil_lines_run() is called with
 * `ends`, no elements beyond the ends of the leaves are read. */
extern bool stencil_lines_is_box(const struct stencil_lines *l, long n);
/** Computes elements [0, n) of the roots. leaf, root: addresses of their elements 0. Returns false, and
 * computes nothing, if stencil_lines_take() is false. Sets *negative to whether a square root of a negative
 * number occurred. If `ends` is not NULL, it fills partial sums of boxes beyond the ends of the row. If
 * `ends` is NULL, the leaves must contain elements beyond the ends. */
extern bool stencil_lines_run(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], char *const root[], long n, const struct stencil_ends *ends,
        bool *negative);

/** The index in 0..n-1 of position i by the edge rule; -1: outside, where values are 0. */
extern long stencil_edge(enum expr_edge edge, long i, long n);

/** An input in memory. */
struct stencil_input {
	const char *data;
	enum dtype type;
	bool swapped;
	long strs[DIMS]; // [bytes], 0 where repeated
};

/** An output: memory, or a file that takes blocks. */
struct stencil_output {
	char *data; // of the first slice of a window
	struct cfl *file;
	enum dtype type;
	bool swapped, stream;
	long strs[DIMS]; // [bytes]
};

struct stencil_work {
	struct stencil_input in[EXPR_OPERANDS];
	struct stencil_output out[EXPR_OPERANDS];
	const char *what; // for the progress bar; NULL: none
	/** Number of slices of dim 2 that are computed together; 0 means all. Before each such group of
	 * slices, `next` provides memory for outputs. */
	long window;
	void (*next)(void *ctx, long slices);
	void *ctx;
	bool shared;   // ranks compute a part each; reductions are those of all
	int cut;       // dim 1 or 2 along which only [from, to) is computed; 0: everything
	long from, to; // outputs and reductions alone have to be in it
	struct sampler *samplers[SAMPLER_METHODS * EXPR_OPERANDS]; // by sampler_id()
};

/** The dim along which passes over arrays of these dims are divided. */
extern int stencil_cut_dim(const long dims[]);

/** The largest distance along dim d between a result and an element of an operand that the result needs. */
extern long stencil_reach(const struct expr_plan *p, const struct expr_pass *q, int d);

/** Computes the outputs of a pass and, in r, its reductions. */
extern void stencil_run(struct expr_run *r, const struct expr_pass *q, struct stencil_work *w);

#endif
