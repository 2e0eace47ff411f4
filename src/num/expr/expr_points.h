#ifndef NUM_EXPR_EXPR_POINTS_H
#define NUM_EXPR_EXPR_POINTS_H

#include "num/expr/expr.h"

/** Computes an expression at a few points per call. All operands and results are float32. */
struct expr_points;

/** Prepares a resolved expression for up to n points per call and `threads` simultaneous threads. The
 * function expr_points_expect() checks the expression for option `option`. */
extern struct expr_points *expr_points_create(const struct expr *e, const char *option, long n, int threads);
extern void expr_points_free(struct expr_points *p);

/** Checks that all terms are real and need only elements at one point. Otherwise, a usage_error() names the
 * option and the column. */
extern void expr_points_expect(const struct expr_plan *p, const char *option);

/** Computes output i at n points as out[i] from operands in[]. Operands have the order of expr_input().
 * Each thread passes its own thread index. */
extern void expr_points_run(
        const struct expr_points *p, int thread, long n, float *const out[], const float *const in[]);

/** Computes bounds of output i in float32, for operands k between lo[k] and hi[k]. The bounds are infinite
 * if unknown, or if NaN is possible. */
extern void expr_points_bounds(
        const struct expr_points *p, int i, const double lo[], const double hi[], double *low, double *high);

#endif
