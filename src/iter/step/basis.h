#ifndef ITER_STEP_BASIS_H
#define ITER_STEP_BASIS_H

#include "iter/algorithm/algorithm.h"

/** An orthonormal basis that grows by a vector in each iteration, where the run's vectors lie; n: elements of
 * its vectors, of the run's type, complex ones being pairs of real numbers. Numbers are asked for. */

/** v /= |v|, 0 leaving it alone; asks for |v|. */
extern int basis_ask_normalise(struct run *r, long n, void *v);

/** v[k] made orthogonal to v[0] ... v[k-1], by Gram and Schmidt's classical method twice, since once leaves
 * roundings. Asks for 2 k + 1 numbers: told by basis_told_part(), what it had of vector i, and
 * basis_told_rest(), the length that is left. */
extern int basis_ask_orthogonal(struct run *r, long n, long k, void *const v[]);
extern double basis_told_part(const struct run *r, int place, long k, long i);
extern double basis_told_rest(const struct run *r, int place, long k);

/** v /= the length that is left, 0 leaving it alone; before that is told. */
extern void basis_normalise_rest(struct run *r, int place, long k, long n, void *v);

/** y = x + sign sum c[i] v[i], i < k; c on the host. */
extern void basis_combine(const struct run *r, long n, void *y, const void *x, double sign, long k,
        void *const v[], const double c[]);

#endif
