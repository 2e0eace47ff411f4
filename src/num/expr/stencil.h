#ifndef NUM_EXPR_STENCIL_H
#define NUM_EXPR_STENCIL_H

#include "num/expr/expr_pass.h"

/**
 * Passes with neighbourhoods. A stage is a value whose neighbours are needed. A pass processes tiles, slice
 * by slice along dim 2. For each stage, a ring buffer keeps the slices that later stages need. Programs
 * compute stages from other stages, line by line along dim 0 (num/kern/kern.h). Values that differ only by a
 * shift along dim 0 are computed once. Beyond the borders, a stage is filled by the edge rule. A virtual
 * stage is a partial result of a window. Beyond the borders, virtual stages are computed from the surrounding
 * values.
 *
 * Every element is computed from the same values in the same order, for any tiles and threads.
 */

/** Maximum number of stages of a pass. */
enum { STENCIL_STAGES = 1000 };

/** Input of a program: a stage, shifted along dims 1 and 2. */
struct stencil_leaf {
	int stage, shift[3]; // shift[0] = 0
};

/** Step of a program. Element i of the value depends on element `i + slide[k]` of each operand k. */
struct stencil_step {
	int leaf;   // leaf to read; -1 means an operator or conversion
	int node;   // node of the graph
	int args;   // number of operands
	int arg[3]; // steps of the operands; -1 - node for scalars
	long slide[3];
	long low, high;         // elements [low, n + high) of a block of n are computed
	long slot;              // offset in the scratch memory [bytes]
	int root;               // root that the step writes directly; -1 means none
	long size, arg_size[3]; // element sizes of the value and the operands [bytes]
	kern_fn *fn;            // kernel of an operator
	int guard;              // skip where step `guard` is 0 in all of a block; -1 means never
	bool guards;            // the step guards another step
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
	long rows;  // number of rows computed together
	size_t slots;
	struct stencil_lines *lines; // the program by num/line/line_kern.h, or NULL
	bool closed;                 // runs in bands that follow the edge rule at the ends of rows
	bool counted;                // a step counts values outside its type or domain
};

struct stencil_stage {
	int node;
	bool is_virtual, is_source;
	enum dtype type;
	struct stencil_program program; // unused for a source
	long halo[3];                   // on both sides of a tile [elements]
	long beyond;                    // halo[0] if a tile has all columns [elements]
	int readers, reader;            // number of reading programs; the last: a stage, or -1
	long span;                      // largest shift along dim 2 [slices]
	long ring;                      // number of slices that are kept
	bool in_place;                  // a source that is read in the memory of its input
	struct median *median;          // used instead of the program, or NULL
	struct box *box;                // used instead of the program, or NULL
};

struct stencil {
	const struct expr_plan *plan;
	const struct expr_pass *pass;
	const long *dims;
	int n;
	struct stencil_stage *stages; // after the stages that they read
	struct stencil_program last;  // computes stored and reduced values
	long pad;                     // padding on both sides of a line [elements]
};

extern struct stencil *stencil_create(const struct expr_plan *p, const struct expr_pass *q);
extern void stencil_free(struct stencil *s);

/** Sets the guards of the steps. In `a ? b : c` and `a && b`, step `a` guards values that only `b` needs.
 * Guarded steps are skipped in blocks where their guard is 0 everywhere. */
extern void stencil_find_guards(const struct graph *g, struct stencil_program *p);

/** Converts a program to steps that keep values in registers. Results are bit-identical. Returns NULL if
 * the program cannot be converted. */
extern struct stencil_lines *stencil_lines_create(const struct graph *g, const struct stencil_program *p);
extern void stencil_lines_free(struct stencil_lines *l);
/** Returns the scratch memory for a run over n elements [bytes]. */
extern size_t stencil_lines_room(const struct stencil_lines *l, long n);
/** Returns how many rows should be computed together, for the least cost per row. Rows have n elements and
 * begin `pitch` elements apart. The first-level cache holds `most` rows. */
extern long stencil_lines_rows(const struct stencil_lines *l, long n, long pitch, long most);
/** Fills elements [low, 0) and [n, n + high) of a row [0, n) by the edge rule. */
struct stencil_ends {
	void (*fill)(void *ctx, char *row, long low, long high);
	void *ctx;
};
/** Returns whether n elements are enough for stencil_lines_run(). */
extern bool stencil_lines_take(const struct stencil_lines *l, long n);
/** Computes which elements of a leaf are read: [*low, n + *high). */
extern void stencil_lines_reach(const struct stencil_lines *l, int leaf, long *low, long *high);
/** Returns whether rows of n elements are computed as sums of boxes. For sums of boxes,
 * stencil_lines_run() with `ends` reads no elements beyond the ends of the leaves. */
extern bool stencil_lines_is_box(const struct stencil_lines *l, long n);
/** Returns whether stencil_lines_run() can bypass the cache for n elements of `root`. */
extern bool stencil_lines_streams(const struct stencil_lines *l, const char *root, long n);
/** Computes elements [0, n) of the roots. The addresses of element 0 are leaf[] and root[]. Returns false
 * without computing if stencil_lines_take() is false. Sets *negative to true if a square root of a
 * negative number occurred, else to false. If `ends` is not NULL, `ends` fills partial sums of boxes
 * beyond the ends of the row. If `ends` is NULL, the leaves must contain elements beyond their ends.
 * `stream` requires stencil_lines_streams(). */
extern bool stencil_lines_run(const struct stencil_lines *l, const unsigned char scalars[][16], void *room,
        const char *const leaf[], char *const root[], long n, const struct stencil_ends *ends, bool stream,
        bool *negative);

/** Maximum number of rows of a band. */
enum { STENCIL_BAND = 32 };

/** Rows of n elements that are computed together. Row y of leaf k begins at leaf[k] + y * step[k]. Row y of
 * the only root begins at root + y * root_step. */
struct stencil_band {
	const char *const *leaf;
	const long *step; // [bytes]
	char *root;
	long root_step; // [bytes]
	long n, rows;
	bool open;           // leaves contain elements beyond the ends of rows
	enum expr_edge edge; // else gives these elements
	bool stream;         // bypasses the cache; requires stencil_lines_streams() for every row
	/** While row y is computed, fetch_bytes from fetch + y * fetch_step on are prefetched. The addresses
	 * may be invalid. */
	const char *fetch;
	long fetch_step, fetch_bytes; // [bytes]
};

/** Returns whether stencil_lines_run_band() computes rows of n elements. */
extern bool stencil_lines_take_bands(const struct stencil_lines *l, long n, bool open);
extern void stencil_lines_run_band(
        const struct stencil_lines *l, const unsigned char scalars[][16], const struct stencil_band *b);

/** Returns how far shift or window n reaches along dim d. Returns 0 if the operand has length 1. */
extern long stencil_reach_of(const struct graph *g, const struct node *n, int d);

/** By the edge rule, maps position i to an index from 0 to n-1. With EXPR_EDGE_ZERO, positions outside the
 * array give -1. */
extern long stencil_edge(enum expr_edge edge, long i, long n);

/** An input in memory. */
struct stencil_input {
	const char *data;
	enum dtype type;
	bool swapped;
	long strs[DIMS]; // steps [bytes]; 0 repeats elements
};

/** Returns whether the rows of an input are as programs read elements of type t. */
extern bool stencil_input_is_plain(const struct stencil_input *in, enum dtype t);

/** An output in memory, or a file that is written in blocks. */
struct stencil_output {
	char *data; // address of the first slice in memory
	struct cfl *file;
	enum dtype type;
	bool swapped, stream;
	long strs[DIMS]; // steps [bytes]
};

/** Returns whether a row of elements of type t is stored by copying it to the output. */
static inline bool stencil_output_is_plain(const struct stencil_output *o, enum dtype t)
{
	return NULL == o->file && !o->swapped && t == o->type && (long)dtype_size(t) == o->strs[0];
}

struct stencil_work {
	struct stencil_input in[EXPR_OPERANDS];
	struct stencil_output out[EXPR_OPERANDS];
	const char *what; // label of the progress bar; NULL means no bar
	/** Number of slices along dim 2 that are computed together; 0 means all. Before each group of
	 * slices, next() provides memory for outputs. */
	long window;
	void (*next)(void *ctx, long slices);
	void *ctx;
	bool shared;   // each rank computes a part; reductions cover all parts
	int cut;       // dim 1 or 2 along which only [from, to) is computed; 0 means all
	long from, to; // range of outputs and reductions along `cut`
	struct sampler *samplers[SAMPLER_METHODS * EXPR_OPERANDS]; // index: sampler_id()
};

/** Returns the dim along which an array is cut into parts for a pass. */
extern int stencil_cut_dim(const long dims[]);

/** Returns the largest distance from a result to a needed operand element along dim d. */
extern long stencil_reach(const struct expr_plan *p, const struct expr_pass *q, int d);

/** Computes the outputs of a pass, and stores reductions in r. */
extern void stencil_run(struct expr_run *r, const struct expr_pass *q, struct stencil_work *w);

#endif
