#ifndef NUM_EXPR_EXPR_H
#define NUM_EXPR_EXPR_H

#include <complex.h>

#include "misc/file/hdr.h"
#include "num/array/array.h"

/**
 * Expressions over whole arrays, computed in one pass without temporary arrays. An expression is parsed once
 * into a small program, whose steps process blocks in the first-level cache. doc/expressions.md describes the
 * language.
 */
struct expr;

/** The values of neighbours beyond the borders: the nearest element (a a | a b c | c c), 0, periodic
 * continuation, or mirror images of the array including its outermost elements (NumPy: "symmetric", SciPy:
 * "reflect"). A dim of length 1 has no borders: an element is its own neighbour. */
enum expr_edge { EXPR_EDGE_CLAMP, EXPR_EDGE_ZERO, EXPR_EDGE_WRAP, EXPR_EDGE_MIRROR };

/** The maximal number of operands, and of results, of an expression. */
enum { EXPR_OPERANDS = 16 };

/** An error in a text and its position. The position is the column, or line * EXPR_LINE + column in programs;
 * column 1 is the first byte. */
#define EXPR_LINE (1L << 32)
struct expr_error {
	long column;
	char text[200];
};

/** Parses "EXPRESSION" (one unnamed output, "") or "a = EXPRESSION; b = EXPRESSION". On an error, sets *err
 * and returns NULL. */
extern struct expr *expr_parse(const char *text, struct expr_error *err);
/** Like expr_parse() for a program: each line is a statement, and # begins a comment. */
extern struct expr *expr_parse_program(const char *text, struct expr_error *err);
/** "column 3" or "line 2, column 3". Static buffer. */
extern const char *expr_place(long column);
extern void expr_free(struct expr *e);

/** Declares the operands. x, y and z that are not declared become coordinates and are removed from the list
 * of inputs. For any other undeclared name, sets *err and returns false. */
extern bool expr_resolve(struct expr *e, int n, const char *const names[], struct expr_error *err);
/** The rule for neighbours beyond the borders; default EXPR_EDGE_CLAMP. */
extern void expr_set_edge(struct expr *e, enum expr_edge edge);
/** Drops an output: parts that only this output needs are not computed. */
extern void expr_drop_output(struct expr *e, int i);

/** The names that the expression reads, in order of appearance, each once; and the names that it writes. */
extern int expr_inputs(const struct expr *e);
extern const char *expr_input(const struct expr *e, int i);
extern int expr_outputs(const struct expr *e);
extern const char *expr_output(const struct expr *e, int i);

/** The inputs (as bits) whose common quantity and unit apply to output i, because the output is a sum,
 * choice, limit, mean or extreme of these inputs. 0: the output is of another kind. */
extern unsigned long expr_kin(const struct expr *e, int i);

/** The inputs whose grid applies to output i: inputs that it reads element by element; else inputs that it
 * samples.
 */
extern unsigned long expr_placed(const struct expr *e, int i);

/** The inputs of `mask` in output i, if the output only shifts and scales their values: by sums, choices,
 * products and quotients with other terms. 0: the output uses these inputs in other ways. */
extern unsigned long expr_moved(const struct expr *e, int i, unsigned long mask);

/** Shape, type and grid of an operand, without its data. */
struct expr_operand {
	long dims[DIMS];
	enum dtype type;
	double spacing[DIMS], origin[DIMS]; // [mm]; for x, y, z; NAN origin = centred
};

/** The operand for an array: its grid has spacing 1 and is centred. */
extern void expr_operand_of(struct expr_operand *o, const struct array *a);

/** An expression bound to operands: types, shapes and steps are fixed. */
struct expr_plan;
/** Binds an expression to operands in[], in the order of expr_input(). error() naming the column if shapes or
 * types do not fit. */
extern struct expr_plan *expr_bind(
        const struct expr *e, const struct expr_operand in[], struct array_rules r);
extern void expr_plan_free(struct expr_plan *p);
/** Shape (all 1 for a reduction) and element type of an output by the rules of promotion; the caller may
 * store into another type. */
extern void expr_plan_output(const struct expr_plan *p, int i, long dims[DIMS], enum dtype *type);
extern bool expr_plan_is_reduction(const struct expr_plan *p, int i);
/** The number of passes over the operands: one, plus one for each level of parts that depend on
 * reductions. */
extern int expr_plan_passes(const struct expr_plan *p);
/** The program as text, one step per line: for -v and tests. */
extern char *expr_plan_text(const struct expr_plan *p);
/** Private memory that a run needs per thread [bytes]. */
extern size_t expr_plan_scratch(const struct expr_plan *p);

/**
 * Runs a plan. out[i] has the shape of the output, any type and any strides; values are converted by the
 * array_rules of expr_bind(). An output may be one of the inputs; in a conflict (array_conflict()), the input
 * is copied first. The result is bit-identical for any number of threads. Arrays on the GPU are processed
 * there: all arrays of a pass must be on the GPU, but scalar results may be on the host. GPU results agree
 * with the CPU to 1e-6. Sums on the GPU have another order, which is the same in every run.
 */
extern void expr_run(const struct expr_plan *p, struct array *const out[], const struct array *const in[]);

/** Like expr_run(), for passes with neighbours, but computes only rows (d = 1) or slices (d = 2) [from, to).
 * Other elements of the outputs are unchanged. */
extern void expr_run_range(const struct expr_plan *p, struct array *const out[],
        const struct array *const in[], int d, long from, long to);

/** Like expr_run() for files and streams, slab by slab. Each file is read once per pass of the plan, in a few
 * tens of MiB of private memory; a stream that is needed twice, or as a whole, is spooled. out[i] has the
 * shape of the output and any type. If out[i] is NULL, the output is a number that is not written to a file.
 * If output i is a number and values is not NULL, values[i] becomes its value, in its work type. */
extern void expr_run_files(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[],
        unsigned char (*values)[16], const char *what);
/** Shape, type and grid of a file. */
extern void expr_operand_of_file(struct expr_operand *o, const struct cfl *f);

/** Parses, binds and runs an expression; error() with the column if it is invalid. */
extern void expr_eval(const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[], struct array_rules r);

/** The value of an expression that is a reduction, e.g. "norm(1.2*x + y)". */
extern complex double expr_reduce(const char *text, int nin, const char *const names[],
        const struct array *const in[], struct array_rules r);

#endif
