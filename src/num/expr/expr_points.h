#ifndef NUM_EXPR_EXPR_POINTS_H
#define NUM_EXPR_EXPR_POINTS_H

#include "num/expr/expr.h"

/**
 * Computes an expression at a few points at a time, for loops that compute the operands on the fly. The plan
 * is made only once. All operands and results are lines of float32.
 */
struct expr_points;

/** Prepares a resolved expression, the value of `option`, for up to n points per call and up to `threads`
 * threads at a time. Calls expr_points_expect() to check the expression. */
extern struct expr_points *expr_points_create(const struct expr *e, const char *option, long n, int threads);
extern void expr_points_free(struct expr_points *p);

/** usage_error() if a part of the expression is complex, or needs other elements than those at its point; the
 * message names the option and the column. */
extern void expr_points_expect(const struct expr_plan *p, const char *option);

/** out[i] = output i at n points, from in[] (order: expr_input()). Each thread passes its own thread index.
 */
extern void expr_points_run(
        const struct expr_points *p, int thread, long n, float *const out[], const float *const in[]);

/** Bounds of all values of output i, computed in float32, for operands k from lo[k] to hi[k]; infinite if
 * unknown, or if NaN is possible. */
extern void expr_points_bounds(
        const struct expr_points *p, int i, const double lo[], const double hi[], double *low, double *high);

#endif
