#ifndef NUM_STAT_LEAST_SQUARES_H
#define NUM_STAT_LEAST_SQUARES_H

#include <stdbool.h>

/** Solves A x = b by Cholesky's method for a symmetric positive definite A (n x n). The result x replaces b,
 * and A is overwritten. If `inverse` is not NULL, it gets the diagonal of the inverse matrix. Returns false
 * if A is not positive definite. */
extern bool cholesky_solve(long n, double *A, double *b, double *inverse);

/**
 * Least-squares problem with few unknowns x and many residuals r(x). Derivatives are finite differences with
 * steps `step[]`.
 *
 * [1] D. W. Marquardt, An algorithm for least-squares estimation of nonlinear parameters, J. SIAM 11(2),
 * 1963.
 * [2] K.-Y. Liang, S. L. Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73(1),
 * 1986.
 */
struct least_squares {
	long n, m; // numbers of residuals and unknowns
	void (*residuals)(void *ctx, const double *x, double *r);
	void *ctx;
	const double *step; // [m]
};

/** Minimises |r(x)|^2 by the Levenberg-Marquardt method [1], starting at x. Sets error[m] to the standard
 * deviations of x, and *rms to the root mean square residual. If the solution is not unique, returns false
 * and `error` is not valid. */
extern bool least_squares_fit(const struct least_squares *p, double *x, double *error, double *rms);

/**
 * Computes standard deviations of a solution x if residuals are correlated within blocks [2]. The residuals
 * form B = `blocks` blocks of equal length. The covariance uses the gradients g = J'r of the blocks:
 *
 *   covariance = B / (B - 1) (J'J)^-1 (sum g g') (J'J)^-1
 *
 * Returns false if the solution is not unique.
 */
extern bool least_squares_block_errors(
        const struct least_squares *p, const double *x, long blocks, double *error);

#endif
