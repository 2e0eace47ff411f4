#ifndef NUM_EXPR_ITERATE_H
#define NUM_EXPR_ITERATE_H

#include "num/expr/expr.h"

/**
 * Uses the result of an expression as the operand of the next step, n times. Several steps are combined in
 * one pass over memory. A thread computes all of these steps for its band of rows, slice by slice, with the
 * surrounding rows that the steps need [1]. The result is bit-identical to single steps.
 *
 * e has one output, with the shape and type of operand `input`, else error(). The result is written to `out`.
 * `operand` and in[] are in the order of expr_input(). `most` is the largest number of steps per pass; 0
 * means chosen automatically.
 *
 * Ranks (misc/ranks/ranks.h) share the work if each step is one pass that reads neighbours and takes no
 * samples. Elements must have a floating-point work type, and values outside the domain must become NaN
 * (array_rules), so that no values are counted. Each rank computes its part of out along expr_iterate_dim(),
 * and the neighbours of this part that `halo` steps need. Every `halo` steps the ranks exchange neighbours
 * [2]. For other expressions, and with `halo` 0, every rank computes all elements.
 *
 * [1] Wellein, Hager, Zeiser, Wittmann, Fehske: Efficient temporal blocking for stencil computations by
 * multicore-aware wavefront parallelization. COMPSAC (2009)
 * [2] Choi, Choi, Quan, Hildebrand, Beyer, Pfister: Vivaldi, IEEE TVCG 20, 2407 (2014): in-and-out halos
 */
extern void expr_iterate(const struct expr *e, int input, long n, long most, long halo, struct array_rules r,
        const struct expr_operand operand[], struct array *out, const struct array *const in[],
        const char *what);

/** The dim along which arrays of these dims are divided between ranks. */
extern int expr_iterate_dim(const long dims[DIMS]);

#endif
