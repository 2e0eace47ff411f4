#ifndef ITER_STEP_BASIS_H
#define ITER_STEP_BASIS_H

#include "iter/algorithm/algorithm.h"

/** Functions for an orthonormal basis that grows by one vector per iteration. The vectors have n elements of
 * the type of the run r. Complex elements are treated as pairs of real numbers. The vectors reside on the
 * device of the run. Results are requested first and read later, as explained in iter/algorithm/algorithm.h.
 */

/** Divides v by |v| and requests the number |v|. A zero vector remains unchanged. */
extern int basis_ask_normalise(struct run *r, long n, void *v);

/** Makes v[k] orthogonal to all v[i] with i < k. Classical Gram-Schmidt is applied twice because of rounding
 * errors. Requests `2 k + 1` numbers and returns their position. */
extern int basis_ask_orthogonal(struct run *r, long n, long k, void *const v[]);

/** Returns the component along v[i] that basis_ask_orthogonal() removed from v[k]. */
extern double basis_told_part(const struct run *r, int place, long k, long i);

/** Returns the length of v[k] after basis_ask_orthogonal(). */
extern double basis_told_rest(const struct run *r, int place, long k);

/** Normalises the vector v that basis_ask_orthogonal() has made orthogonal. A vector of length 0 remains
 * unchanged. Call this function before basis_told_rest(). */
extern void basis_normalise_rest(struct run *r, int place, long k, long n, void *v);

/** Computes `y = x + sign sum_i c[i] v[i]` over 0 <= i < k. The coefficients c are on the host. */
extern void basis_combine(const struct run *r, long n, void *y, const void *x, double sign, long k,
        void *const v[], const double c[]);

#endif
