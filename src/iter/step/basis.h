#ifndef ITER_STEP_BASIS_H
#define ITER_STEP_BASIS_H

#include "iter/algorithm/algorithm.h"

/** An orthonormal basis that grows by one vector per iteration, on the device of the run's vectors. n: number
 * of elements of a vector, in the run's type; complex elements are pairs of real numbers. Numbers are
 * requested as in iter/algorithm/algorithm.h.
 */

/** v /= |v|, unchanged if 0; requests |v|. */
extern int basis_ask_normalise(struct run *r, long n, void *v);

/** Makes v[k] orthogonal to v[0] ... v[k-1] by classical Gram-Schmidt, repeated once because of rounding.
 * Requests 2 k + 1 numbers. basis_told_part() returns the component of v[k] along vector i, basis_told_rest()
 * the length of the remaining vector. */
extern int basis_ask_orthogonal(struct run *r, long n, long k, void *const v[]);
extern double basis_told_part(const struct run *r, int place, long k, long i);
extern double basis_told_rest(const struct run *r, int place, long k);

/** v /= the length of the remaining vector, unchanged if this length is 0. Must be called before
 * basis_told_rest(). */
extern void basis_normalise_rest(struct run *r, int place, long k, long n, void *v);

/** y = x + sign sum c[i] v[i], i < k; c on the host. */
extern void basis_combine(const struct run *r, long n, void *y, const void *x, double sign, long k,
        void *const v[], const double c[]);

#endif
