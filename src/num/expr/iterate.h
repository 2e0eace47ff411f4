#ifndef NUM_EXPR_ITERATE_H
#define NUM_EXPR_ITERATE_H

#include "num/expr/expr.h"

/**
 * Applies an expression n times. The result of one step is operand `input` of the next step. Several steps
 * are combined in one pass over memory [1]. The result is bit-identical to single steps.
 *
 * The expression e has one output, with the shape and type of operand `input`. An output of another shape or
 * type is an error(). The last result is written to `out`. The arrays operand[] and in[] have the order of
 * expr_input(). A pass combines at most `most` steps; 0 means an automatic choice.
 *
 * Ranks (misc/ranks/ranks.h) share the work if the following conditions hold. Otherwise every rank computes
 * all elements.
 * - A step is one pass that reads neighbours and takes no samples.
 * - The element type is float32, float64, complex64 or complex128.
 * - Values outside the domain become NaN (array_rules).
 * - `halo` is not 0.
 *
 * Each rank computes a part of `out` along dim expr_iterate_dim(), and neighbours for `halo` steps. The ranks
 * exchange neighbours every `halo` steps [2].
 *
 * [1] Wellein, Hager, Zeiser, Wittmann, Fehske, Efficient temporal blocking for stencil computations by
 *     multicore-aware wavefront parallelization, COMPSAC (2009)
 *
 * [2] Choi, Choi, Quan, Hildebrand, Beyer, Pfister, Vivaldi, IEEE TVCG 20, 2407 (2014)
 */
extern void expr_iterate(const struct expr *e, int input, long n, long most, long halo, struct array_rules r,
        const struct expr_operand operand[], struct array *out, const struct array *const in[],
        const char *what);

/** Returns the dim along which ranks divide arrays of these dims. */
extern int expr_iterate_dim(const long dims[DIMS]);

#endif
