/*
 * AB- and BA-GMRES [1]: least squares where the back projector B is not the transpose of A. AB: minimises
 * |y - A B u| over u in the Krylov space of A B, x = B u; BA: |B (y - A x)|. Restarted when the basis is full
 * [2]; each new vector is orthogonalised twice.
 *
 * [1] P. C. Hansen, K. Hayami, K. Morikuni, GMRES methods for tomographic reconstruction with an unmatched
 * back projector, Journal of Computational and Applied Mathematics 413, 2022. [2] Y. Saad, M. H. Schultz,
 * GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, SIAM Journal on
 * Scientific and Statistical Computing 7, 1986.
 */

#include <math.h>

#include "iter/algorithm.h"
#include "num/flpmath.h"

/* Vectors of the basis but one; whether the last step lowered nothing; the largest of the diagonal of R. */
enum { FILLED, STUCK, LARGEST };

/** A column of the numbers of the basis: 0, 1, ... R of the QR factorisation of the Hessenberg matrix; then
 * the right-hand side, cosines, sines, and the solution of the projected problem. */
static double *column(const struct run *r, long k)
{
	return r->h + k * (r->basis + 2);
}

static double *right(const struct run *r)
{
	return column(r, r->basis);
}

/** dst = B src. */
static void back(const struct run *r, void *dst, const void *src)
{
	if (NULL != r->p->back)
		linop_forward(r->p->back, dst, src);
	else
		linop_adjoint(r->p->A, dst, src);
}

/** The basis begins with the vector of the residual; false: there is none. */
static bool start_basis(struct run *r, long n, void *first)
{
	const double norm = vec_norm(r->type, n, first);

	r->s[FILLED] = r->s[STUCK] = r->s[LARGEST] = 0.;
	right(r)[0] = norm;

	if (!(norm > 0.))
		return false;

	vec_scale(r->type, n, first, 1. / norm);

	return true;
}

/** basis[k + 1] = the operator's image of basis[k], on entry: made orthonormal to the others, and its numbers
 * rotated into R. False where that lowers nothing, and R would be singular: time for a new basis, or, where
 * it was the first vector, the minimum. */
static bool grow(struct run *r, long n, void **basis, long k)
{
	double *h = column(r, k), *g = right(r), *cosine = column(r, r->basis + 1),
	       *sine = column(r, r->basis + 2);

	for (long i = 0; i <= k; i++)
		h[i] = 0.;

	for (int pass = 0; pass < 2; pass++)
		for (long i = 0; i <= k; i++) {
			const double part = vec_dot(r->type, n, basis[i], basis[k + 1]);

			vec_axpy(r->type, n, basis[k + 1], -part, basis[i]);
			h[i] += part;
		}

	double size = 0.;

	for (long i = 0; i <= k; i++)
		size = hypot(size, h[i]);

	double next = vec_norm(r->type, n, basis[k + 1]);
	const double least = (8 == dtype_unit(r->type)) ? 1e-7 : 3e-5; // its square is lost in roundings

	if (next <= least * least * hypot(size, next))
		next = 0.;
	else
		vec_scale(r->type, n, basis[k + 1], 1. / next);

	for (long i = 0; i < k; i++) {
		const double a = h[i], b = h[i + 1];

		h[i] = cosine[i] * a + sine[i] * b;
		h[i + 1] = cosine[i] * b - sine[i] * a;
	}

	const double rho = hypot(h[k], next);

	if (!(fabs(h[k]) > least * rho && rho > least * r->s[LARGEST])) {
		r->s[STUCK] = 1.;
		r->minimum = 0 == k;
		return false;
	}

	r->s[LARGEST] = fmax(r->s[LARGEST], rho);
	cosine[k] = h[k] / rho;
	sine[k] = next / rho;
	h[k] = rho;
	g[k + 1] = -sine[k] * g[k];
	g[k] *= cosine[k];
	r->s[FILLED] = (double)(k + 1);
	r->minimum = 0. == g[k + 1];

	return true;
}

/* ---- AB: w is the basis, v[k] the directions D of x = x0 + D g with D R = B W ---- */

static void restart_ab(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	r->minimum = !start_basis(r, r->m, r->w[0]);
}

static void tell_ab(struct run *r)
{
	r->residual = fabs(right(r)[(long)r->s[FILLED]]);
	r->objective = 0.5 * r->residual * r->residual;
}

static void begin_ab(struct run *r)
{
	restart_ab(r);
	tell_ab(r);
}

static void iterate_ab(struct run *r)
{
	if (0. != r->s[STUCK] || (long)r->s[FILLED] == r->basis)
		restart_ab(r);

	const long k = (long)r->s[FILLED];

	if (!r->minimum) {
		back(r, r->v[k], r->w[k]);
		linop_forward(r->p->A, r->w[k + 1], r->v[k]);

		if (grow(r, r->m, r->w, k)) {
			const double *h = column(r, k);

			for (long i = 0; i < k; i++)
				vec_axpy(r->type, r->n, r->v[k], -h[i], r->v[i]);

			vec_scale(r->type, r->n, r->v[k], 1. / h[k]);
			vec_axpy(r->type, r->n, r->x, right(r)[k], r->v[k]);
		}
	}

	tell_ab(r);
}

const struct algorithm algorithm_ab_gmres = {
        .name = "ab-gmres",
        .about =
                "GMRES on A B u = y, x = B u, for a back projector B that is not the transpose of A (Hansen, "
                "Hayami and Morikuni 2022): the residual never grows",
        .takes = TAKES_COMPLEX | TAKES_BACK | KEEPS_VOLUMES | KEEPS_PROJECTIONS | MONOTONE,
        .projections = 1,
        .basis = 10,
        .begin = begin_ab,
        .iterate = iterate_ab,
};

/* ---- BA: v[1...] is the basis, v[0] the x that it began at ---- */

static void restart_ba(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	r->residual = vec_norm(r->type, r->m, r->w[0]);
	back(r, r->v[1], r->w[0]);
	vec_copy(r->type, r->n, r->v[0], r->x);
	r->minimum = !start_basis(r, r->n, r->v[1]);
}

static void begin_ba(struct run *r)
{
	restart_ba(r);
	r->gradient = right(r)[0];
}

/** x = v[0] + V u with R u = g. */
static void solve_ba(struct run *r)
{
	const long k = (long)r->s[FILLED];
	double *u = column(r, r->basis + 3);

	for (long i = k - 1; i >= 0; i--) {
		u[i] = right(r)[i];

		for (long j = i + 1; j < k; j++)
			u[i] -= column(r, j)[i] * u[j];

		u[i] /= column(r, i)[i];
	}

	vec_copy(r->type, r->n, r->x, r->v[0]);

	for (long i = 0; i < k; i++)
		vec_axpy(r->type, r->n, r->x, u[i], r->v[1 + i]);
}

static void iterate_ba(struct run *r)
{
	if (0. != r->s[STUCK] || (long)r->s[FILLED] == r->basis)
		restart_ba(r);

	const long k = (long)r->s[FILLED];

	if (!r->minimum) {
		linop_forward(r->p->A, r->w[0], r->v[1 + k]);
		back(r, r->v[2 + k], r->w[0]);

		if (grow(r, r->n, r->v + 1, k))
			solve_ba(r);
	}

	r->gradient = fabs(right(r)[(long)r->s[FILLED]]);
	r->residual = NAN;

	if (r->conf->noise > 0.) {
		linop_forward(r->p->A, r->w[0], r->x);
		vec_axpy(r->type, r->m, r->w[0], -1., r->p->y);
		r->residual = vec_norm(r->type, r->m, r->w[0]);
	}
}

const struct algorithm algorithm_ba_gmres = {
        .name = "ba-gmres",
        .about =
                "GMRES on B A x = B y, for a back projector B that is not the transpose of A (Hansen, Hayami "
                "and Morikuni 2022); the residual is known with --noise only, for one more projection",
        .takes = TAKES_COMPLEX | TAKES_BACK | KEEPS_VOLUMES,
        .volumes = 2,
        .projections = 1,
        .basis = 10,
        .begin = begin_ba,
        .iterate = iterate_ba,
};
