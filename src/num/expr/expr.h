#ifndef NUM_EXPR_EXPR_H
#define NUM_EXPR_EXPR_H

#include <complex.h>

#include "misc/file/hdr.h"
#include "num/array/array.h"

/** An expression computes arrays element by element, without temporary arrays. The language is described in
 * doc/expressions.md. */
struct expr;

/**
 * Selects the values of neighbours beyond the borders of an array. In a dim of length 1, an element is its
 * own neighbour.
 *
 * - EXPR_EDGE_CLAMP: repeats the nearest element (a a | a b c | c c).
 * - EXPR_EDGE_ZERO: uses the value 0.
 * - EXPR_EDGE_WRAP: continues the array periodically.
 * - EXPR_EDGE_MIRROR: mirrors the array, including the outermost elements (NumPy "symmetric", SciPy
 *   "reflect").
 */
enum expr_edge { EXPR_EDGE_CLAMP, EXPR_EDGE_ZERO, EXPR_EDGE_WRAP, EXPR_EDGE_MIRROR };

/** Maximum number of operands of an expression, and of results. */
enum { EXPR_OPERANDS = 16 };

/** An error in the text of an expression. Column 1 is the first byte. In programs, the member `column` is
 * EXPR_LINE times the line number, plus the column. */
#define EXPR_LINE (1L << 32)
struct expr_error {
	long column;
	char text[200];
};

/** Parses "a = EXPRESSION; b = EXPRESSION", or "EXPRESSION" with one output named "". On an error, sets
 * *err and returns NULL. The caller frees the result with expr_free(). */
extern struct expr *expr_parse(const char *text, struct expr_error *err);
/** Parses a program like expr_parse(). Each line is a statement, and # begins a comment. */
extern struct expr *expr_parse_program(const char *text, struct expr_error *err);
/** Returns a position as text, e.g. "line 2, column 3", in a static buffer. */
extern const char *expr_place(long column);
extern void expr_free(struct expr *e);

/** Declares the operands. Undeclared names x, y and z become coordinates and are removed from the inputs.
 * For any other undeclared name, sets *err and returns false. */
extern bool expr_resolve(struct expr *e, int n, const char *const names[], struct expr_error *err);
/** Sets the rule for neighbours beyond the borders. The default is EXPR_EDGE_CLAMP. */
extern void expr_set_edge(struct expr *e, enum expr_edge edge);
/** Returns whether an element of a result may depend on other positions of an operand. */
extern bool expr_has_neighbours(const struct expr *e);
/** Drops output i. Terms that only output i needs are not computed. */
extern void expr_drop_output(struct expr *e, int i);

/** These functions return the numbers and names of inputs and outputs. Inputs have the order of first
 * appearance. */
extern int expr_inputs(const struct expr *e);
extern const char *expr_input(const struct expr *e, int i);
extern int expr_outputs(const struct expr *e);
extern const char *expr_output(const struct expr *e, int i);

/** Returns a bit mask of the inputs whose common quantity and unit apply to output i. The output must be a
 * sum, choice, limit, mean or extreme of inputs. For other outputs, returns 0. */
extern unsigned long expr_kin(const struct expr *e, int i);

/** Returns a bit mask of the inputs whose spacing and origin apply to output i. Output i reads these inputs
 * element by element. If there are none, returns the inputs that output i samples. */
extern unsigned long expr_placed(const struct expr *e, int i);

/** Returns a bit mask of the inputs in `mask` that output i only shifts and scales. Sums, choices, products
 * and quotients with other terms are allowed. Returns 0 if output i uses inputs of `mask` in other ways. */
extern unsigned long expr_moved(const struct expr *e, int i, unsigned long mask);

/** Shape, type and grid of an operand, without data. */
struct expr_operand {
	long dims[DIMS];
	enum dtype type;
	double spacing[DIMS], origin[DIMS]; // along x, y, z [mm]; an origin of NAN means centred
};

/** Describes array a as an operand with a centred grid of spacing 1. */
extern void expr_operand_of(struct expr_operand *o, const struct array *a);

/** An expression bound to operands of fixed types and shapes. */
struct expr_plan;
/** Binds an expression to operands in[], in the order of expr_input(). If shapes or types do not fit, error()
 * names the column. */
extern struct expr_plan *expr_bind(
        const struct expr *e, const struct expr_operand in[], struct array_rules r);
extern void expr_plan_free(struct expr_plan *p);
/** Sets dims to the shape of output i and *type to the promoted element type. All dims of a single number
 * are 1. The output may be stored in another type. */
extern void expr_plan_output(const struct expr_plan *p, int i, long dims[DIMS], enum dtype *type);
extern bool expr_plan_is_reduction(const struct expr_plan *p, int i);
/** Returns the number of passes over the operands. Terms that depend on reductions need further passes. */
extern int expr_plan_passes(const struct expr_plan *p);
/** Returns the program as text with one line per step, for -v and tests. The caller frees the text. */
extern char *expr_plan_text(const struct expr_plan *p);
/** Warns of offsets, as in `v[40]`, that lead beyond the border from every element. With EXPR_EDGE_WRAP,
 * there are none. */
extern void expr_plan_warn(const struct expr_plan *p);
/** Returns the private memory that a run needs per thread [bytes]. */
extern size_t expr_plan_scratch(const struct expr_plan *p);

/**
 * Runs a plan on arrays. Each out[i] has the shape of output i, any type and any strides. Values are
 * converted by the array_rules of expr_bind(). An output may be one of the inputs. Results are bit-identical
 * for any number of threads.
 *
 * If the arrays of a pass reside on the GPU, the pass runs on the GPU. All arrays of a pass must then be
 * on the GPU. Single-number results may be on the host. GPU results agree with the CPU to 1e-6. GPU sums
 * have another order, which is the same in every run.
 */
extern void expr_run(const struct expr_plan *p, struct array *const out[], const struct array *const in[]);

/** Runs a plan like expr_run(), but passes with neighbours compute only positions [from, to) of dim d. Dim
 * d is 1 for rows or 2 for slices. Other elements of the outputs are unchanged. */
extern void expr_run_range(const struct expr_plan *p, struct array *const out[],
        const struct array *const in[], int d, long from, long to);

/** Runs a plan on files and streams, slab by slab. Each file is read once per pass. The run needs a few
 * tens of MiB of private memory. A stream that is needed twice, or as a whole, is spooled. Each out[i] has
 * the shape of output i and any type. If output i is a number, out[i] may be NULL. If `values` is not
 * NULL, values[i] receives the number in the type of the computation. */
extern void expr_run_files(const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[],
        unsigned char (*values)[16], const char *what);
/** Describes shape, type and grid of file f as an operand. */
extern void expr_operand_of_file(struct expr_operand *o, const struct cfl *f);

/** Parses, binds and runs an expression. If the expression is invalid, error() names the column. */
extern void expr_eval(const char *text, int nout, struct array *const out[], int nin,
        const char *const names[], const struct array *const in[], struct array_rules r);

/** Returns the value of an expression that is a single number, e.g. "norm(1.2*x + y)". */
extern complex double expr_reduce(const char *text, int nin, const char *const names[],
        const struct array *const in[], struct array_rules r);

#endif
