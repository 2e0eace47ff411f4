/*
 * AB- and BA-GMRES [1]: least squares with a back projector B that is not the transpose of A. AB: minimises
 * |y - A B u| over u in the Krylov space of A B, x = B u; BA: |B (y - A x)|. Restarted when the basis is full
 * [2].
 *
 * [1] P. C. Hansen, K. Hayami, K. Morikuni, GMRES methods for tomographic reconstruction with an unmatched
 * back projector, Journal of Computational and Applied Mathematics 413, 2022. [2] Y. Saad, M. H. Schultz,
 * GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, SIAM Journal on
 * Scientific and Statistical Computing 7, 1986.
 */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "iter/step/basis.h"
#include "num/md/flpmath.h"

/* Vectors of the basis but one; whether the last step lowered nothing; the largest of the diagonal of R; |x|
 * at most, now and where the basis began. */
enum { FILLED, STUCK, LARGEST, REACH, FROM };

/** A column of the numbers of the basis: 0, 1, ... R of the QR factorisation of the Hessenberg matrix; then
 * the right-hand side, cosines, sines, and the solution of the projected problem (AB: how long directions are
 * at most). */
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

/** The basis begins with the vector of the residual, normalised; asks for its length. */
static int ask_start(struct run *r, long n, void *first)
{
	r->s[FILLED] = r->s[STUCK] = r->s[LARGEST] = 0.;
	r->s[FROM] = r->s[REACH];

	return basis_ask_normalise(r, n, first);
}

/** False: there is no residual. */
static bool told_start(struct run *r, int place)
{
	right(r)[0] = run_told(r, place);
	r->minimum = !(right(r)[0] > 0.);

	return !r->minimum;
}

/** Column k of R, from what makes basis[k + 1], the operator's image of basis[k], orthogonal to the others,
 * and that vector normalised. False where it lowers nothing, and R would be singular: time for a new basis,
 * or, where it was the first vector, the minimum. */
static bool grow(struct run *r, long n, void **basis, long k, int asked)
{
	double *h = column(r, k), *g = right(r), *cosine = column(r, r->basis + 1),
	       *sine = column(r, r->basis + 2);
	double size = 0.;

	for (long i = 0; i <= k; i++) {
		h[i] = basis_told_part(r, asked, k + 1, i);
		size = hypot(size, h[i]);
	}

	double next = basis_told_rest(r, asked, k + 1);
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

static bool is_over(const struct run *r)
{
	return 0. != r->s[STUCK] || (long)r->s[FILLED] == r->basis;
}

/* ---- AB: w is the basis, v[k] the directions D of x = x0 + D g with D R = B W ---- */

static int ask_restart_ab(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);

	return ask_start(r, r->m, r->w[0]);
}

static void tell_ab(struct run *r)
{
	r->residual = fabs(right(r)[(long)r->s[FILLED]]);
	r->objective = 0.5 * r->residual * r->residual;
}

static void begin_ab(struct run *r)
{
	const int size = run_ask_norm(r, r->n, r->x), start = ask_restart_ab(r);

	run_fetch(r);
	r->s[REACH] = run_told(r, size);
	told_start(r, start);
	tell_ab(r);
}

/** Along v[k], of that length, made the direction that column k of R asks for. */
static void step_ab(struct run *r, long k, double length)
{
	const double *h = column(r, k);
	double *lengths = column(r, r->basis + 3);

	for (long i = 0; i < k; i++)
		length += fabs(h[i]) * lengths[i];

	lengths[k] = length / fabs(h[k]);
	basis_combine(r, r->n, r->v[k], r->v[k], -1., k, r->v, h);
	vec_scale(r->type, r->n, r->v[k], 1. / h[k]);
	vec_axpy(r->type, r->n, r->x, right(r)[k], r->v[k]);
	r->s[REACH] += fabs(right(r)[k]) * lengths[k];
}

static void iterate_ab(struct run *r)
{
	const bool again = is_over(r);
	const int start = again ? ask_restart_ab(r) : 0;
	const long k = (long)r->s[FILLED];

	back(r, r->v[k], r->w[k]);
	linop_forward(r->p->A, r->w[k + 1], r->v[k]);

	const int asked = basis_ask_orthogonal(r, r->m, k + 1, r->w), length = run_ask_norm(r, r->n, r->v[k]);

	run_fetch(r);

	if ((!again || told_start(r, start)) && grow(r, r->m, r->w, k, asked))
		step_ab(r, k, run_told(r, length));

	run_told_bound(r, r->s[REACH]);
	tell_ab(r);
}

static bool sound(const struct run *r)
{
	return run_is_count(r->s[FILLED], r->basis);
}

const struct algorithm algorithm_ab_gmres = {
        .name = "ab-gmres",
        .about =
                "GMRES on A B u = y, x = B u, for a back projector B that is not the transpose of A (Hansen, "
                "Hayami and Morikuni 2022): the residual never grows",
        .takes = ANYWHERE | TAKES_COMPLEX | TAKES_BACK | KEEPS_VOLUMES | KEEPS_PROJECTIONS | MONOTONE,
        .projections = 1,
        .basis = 10,
        .sound = sound,
        .begin = begin_ab,
        .iterate = iterate_ab,
};

/* ---- BA: v[1...] is the basis, v[0] the x that it began at ---- */

static int ask_restart_ba(struct run *r)
{
	linop_forward(r->p->A, r->w[0], r->x);
	vec_axpby(r->type, r->m, r->w[0], 1., r->p->y, -1., r->w[0]);
	back(r, r->v[1], r->w[0]);
	vec_copy(r->type, r->n, r->v[0], r->x);

	return ask_start(r, r->n, r->v[1]);
}

static void begin_ba(struct run *r)
{
	const int size = run_ask_norm(r, r->n, r->x);
	const int start = ask_restart_ba(r), residual = run_ask_norm(r, r->m, r->w[0]);

	run_fetch(r);
	r->s[REACH] = r->s[FROM] = run_told(r, size);
	r->residual = run_told(r, residual);
	told_start(r, start);
	r->gradient = right(r)[0];
}

/** x = v[0] + V u with R u = g. */
static void solve_ba(struct run *r)
{
	const long k = (long)r->s[FILLED];
	double *u = column(r, r->basis + 3);

	r->s[REACH] = r->s[FROM];

	for (long i = k - 1; i >= 0; i--) {
		u[i] = right(r)[i];

		for (long j = i + 1; j < k; j++)
			u[i] -= column(r, j)[i] * u[j];

		u[i] /= column(r, i)[i];
		r->s[REACH] += fabs(u[i]);
	}

	basis_combine(r, r->n, r->x, r->v[0], 1., k, r->v + 1, u);
}

static void iterate_ba(struct run *r)
{
	const bool again = is_over(r);
	const int start = again ? ask_restart_ba(r) : 0;
	const long k = (long)r->s[FILLED];

	linop_forward(r->p->A, r->w[0], r->v[1 + k]);
	back(r, r->v[2 + k], r->w[0]);

	const int asked = basis_ask_orthogonal(r, r->n, k + 1, r->v + 1);

	run_fetch(r);

	if ((!again || told_start(r, start)) && grow(r, r->n, r->v + 1, k, asked))
		solve_ba(r);

	run_told_bound(r, r->s[REACH]);
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
                "and Morikuni 2022); the residual is computed only with --noise, by one more projection",
        .takes = ANYWHERE | TAKES_COMPLEX | TAKES_BACK | KEEPS_VOLUMES,
        .volumes = 2,
        .projections = 1,
        .basis = 10,
        .sound = sound,
        .begin = begin_ba,
        .iterate = iterate_ba,
};
