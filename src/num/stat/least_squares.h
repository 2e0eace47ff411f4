#ifndef NUM_STAT_LEAST_SQUARES_H
#define NUM_STAT_LEAST_SQUARES_H

#include <stdbool.h>

/** Solves A x = b for a symmetric positive definite A (n x n), by Cholesky's method, in place. If `inverse`
 * is not NULL, it gets the diagonal of the inverse of A. Returns false if A is not positive definite. */
extern bool cholesky_solve(long n, double *A, double *b, double *inverse);

/** Fits a few unknowns x to many residuals r(x), whose derivatives are finite differences with steps
 * `step[]`. */
struct least_squares {
	long n, m; // residuals, unknowns
	void (*residuals)(void *ctx, const double *x, double *r);
	void *ctx;
	const double *step; // m
};

/** Minimises |r(x)|^2 starting at x by Levenberg and Marquardt's method (D. W. Marquardt, J. SIAM 11(2),
 * 1963). error[m]: standard deviations of x, from the residuals; *rms: root mean square of the residuals.
 * Returns false, without errors, if the equations have no unique solution. */
extern bool least_squares_fit(const struct least_squares *p, double *x, double *error, double *rms);

/** Standard deviations of a solution x. The residuals form `blocks` blocks of equal length and are correlated
 * within each block. The covariance is (J'J)^-1 (sum g g') (J'J)^-1 with the gradients g = J'r of the blocks
 * (K.-Y. Liang, S. L. Zeger, Biometrika 73(1), 1986). Returns false if the equations have no unique solution.
 */
extern bool least_squares_block_errors(
        const struct least_squares *p, const double *x, long blocks, double *error);

#endif
