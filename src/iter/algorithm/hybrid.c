/*
 * Hybrid LSQR: Tikhonov's parameter is chosen anew in every iteration for the projected problem
 *
 *     min_u |B_k u - beta_1 e_1|^2 + lambda |u|^2,    x = x0 + V_k u,
 *
 * by weighted generalised cross validation [1], or by the discrepancy principle. B_k is bidiagonal (Golub and
 * Kahan); its singular values come from num/stat/svd.h, and V is orthogonalised again. When the basis is
 * full, lambda is kept and the iteration continues as LSQR with that damping, without the basis.
 *
 * [1] J. Chung, J. G. Nagy, D. P. O'Leary, A weighted-GCV method for Lanczos-hybrid regularization,
 * Electronic Transactions on Numerical Analysis 28, 2008.
 */

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "iter/algorithm/algorithm.h"
#include "iter/algorithm/krylov.h"
#include "iter/step/basis.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/stat/svd.h"

enum { X0, BASIS }; // vectors: x0, basis[0], basis[1], ...
enum { U, AV };     // of the codomain
enum {
	LAMBDA,
	OMEGA,
	PHIBAR,
	RHOBAR,
	LOST,
	K,
	START
}; // LOST: squares of the damped residual; K: vectors used; START: |x0|
/* Once the basis is no longer needed, its first vectors are those of LSQR. */
enum { V = BASIS, TMP, W };

static double *alphas(const struct run *r) // alpha_1 ... alpha_(k + 1)
{
	return r->h;
}

static double *betas(const struct run *r) // beta_1 ... beta_(k + 1)
{
	return r->h + 2 * (r->basis + 2);
}

/** beta = |u|, alpha = |v|, both normalised on the way. */
struct asked {
	int beta, alpha;
};

static void hybrid_begin(struct run *r)
{
	struct asked a;

	vec_copy(r->type, r->n, r->v[X0], r->x);
	linop_forward(r->p->A, r->w[U], r->x);
	vec_axpby(r->type, r->m, r->w[U], 1., r->p->y, -1., r->w[U]);
	a.beta = basis_ask_normalise(r, r->m, r->w[U]);
	linop_adjoint(r->p->A, r->v[BASIS], r->w[U]);
	a.alpha = basis_ask_normalise(r, r->n, r->v[BASIS]);

	const int start = run_ask_norm(r, r->n, r->x);

	run_fetch(r);
	betas(r)[0] = run_told(r, a.beta);
	alphas(r)[0] = run_told(r, a.alpha);
	r->s[START] = run_told(r, start);
	r->s[LAMBDA] = r->p->lambda;
	r->residual = betas(r)[0];
	r->objective = 0.5 * r->residual * r->residual;
	r->gradient = alphas(r)[0] * betas(r)[0];
	r->minimum = 0. == r->gradient;
}

/* ---- the projected problem ---- */

struct projected {
	long k;
	double complex *US, *V;
	double *sigma, *b; // b = U' beta_1 e_1
	double lost;       // what of it is outside the columns
};

static struct projected decompose(const struct run *r, long k)
{
	const size_t n = (size_t)k;
	struct projected q = {.k = k,
	        .US = mem_calloc((n + 1) * n, sizeof(double complex)),
	        .V = mem_alloc(n * n * sizeof(double complex)),
	        .sigma = mem_alloc(n * sizeof(double)),
	        .b = mem_alloc(n * sizeof(double)),
	        .lost = betas(r)[0] * betas(r)[0]};
	double most = 0.;

	for (long i = 0; i < k; i++) {
		q.US[i + (k + 1) * i] = alphas(r)[i];
		q.US[i + 1 + (k + 1) * i] = betas(r)[i + 1];
	}

	svd_jacobi(k + 1, k, q.US, q.V, q.sigma);

	for (long i = 0; i < k; i++)
		most = fmax(most, q.sigma[i]);

	for (long i = 0; i < k; i++) {
		if (q.sigma[i] <= 1e-14 * most) {
			q.sigma[i] = q.b[i] = 0.;
			continue;
		}

		q.b[i] = betas(r)[0] * creal(q.US[(k + 1) * i]) / q.sigma[i];
		q.lost = fmax(0., q.lost - q.b[i] * q.b[i]);
	}

	return q;
}

static void release(struct projected *q)
{
	free(q->US);
	free(q->V);
	free(q->sigma);
	free(q->b);
}

/** |B u - beta e_1|^2 at the minimum for lambda. */
static double misfit(const struct projected *q, double lambda)
{
	double sum = q->lost;

	for (long i = 0; i < q->k; i++)
		if (q->sigma[i] > 0.) {
			const double part = lambda / (q->sigma[i] * q->sigma[i] + lambda) * q->b[i];

			sum += part * part;
		}

	return sum;
}

static double gcv(const struct projected *q, double omega, double lambda)
{
	double trace = (double)(q->k + 1);

	for (long i = 0; i < q->k; i++)
		if (q->sigma[i] > 0.)
			trace -= omega * q->sigma[i] * q->sigma[i] / (q->sigma[i] * q->sigma[i] + lambda);

	return misfit(q, lambda) / (trace * trace);
}

static void range(const struct projected *q, double *low, double *high)
{
	*low = INFINITY;
	*high = 0.;

	for (long i = 0; i < q->k; i++)
		if (q->sigma[i] > 0.) {
			*low = fmin(*low, q->sigma[i] * q->sigma[i]);
			*high = fmax(*high, q->sigma[i] * q->sigma[i]);
		}
}

/** The omega for which the square of the smallest singular value is where the function is lowest: a condition
 * of [1], section 5, solved for omega. */
static double suggested_omega(const struct projected *q)
{
	double lambda, most, slope = 0., filters = 0., squares = 0.;

	range(q, &lambda, &most);

	for (long i = 0; i < q->k; i++)
		if (q->sigma[i] > 0.) {
			const double s2 = q->sigma[i] * q->sigma[i], d = s2 + lambda;

			slope += s2 * q->b[i] * q->b[i] / (d * d * d);
			filters += s2 / d;
			squares += s2 / (d * d);
		}

	const double below = lambda * slope * filters + misfit(q, lambda) * squares;

	return (below > 0.) ? fmin(1., lambda * slope * (double)(q->k + 1) / below) : 1.;
}

/** The lowest of many, then by golden sections between its neighbours. */
static double choose_by_gcv(const struct projected *q, double omega)
{
	enum { STEPS = 120 };
	double low, high, best = INFINITY;
	int at = 0;

	range(q, &low, &high);

	const double from = log(low * 1e-6), step = (log(high * 1e2) - from) / STEPS;

	for (int i = 0; i <= STEPS; i++) {
		const double f = gcv(q, omega, exp(from + i * step));

		if (f < best) {
			best = f;
			at = i;
		}
	}

	const double golden = 0.5 * (sqrt(5.) - 1.);
	double a = from + (at - 1) * step, b = from + (at + 1) * step;

	for (int i = 0; i < 40; i++) {
		const double c = b - golden * (b - a), d = a + golden * (b - a);

		if (gcv(q, omega, exp(c)) < gcv(q, omega, exp(d)))
			b = d;
		else
			a = c;
	}

	return exp(0.5 * (a + b));
}

/** Where the misfit is that of the noise; 0 where the space is too small for it. */
static double choose_by_noise(const struct projected *q, double noise)
{
	double low, high;

	range(q, &low, &high);

	double a = log(low * 1e-16), b = log(high * 1e16);

	if (misfit(q, 0.) >= noise * noise)
		return 0.;

	for (int i = 0; i < 100; i++) {
		const double c = 0.5 * (a + b);

		if (misfit(q, exp(c)) < noise * noise)
			a = c;
		else
			b = c;
	}

	return exp(0.5 * (a + b));
}

static double choose(struct run *r, const struct projected *q)
{
	if (r->p->lambda > 0.)
		return r->p->lambda;

	if (r->conf->noise > 0.)
		return choose_by_noise(q, r->conf->noise);

	// the mean of those so far
	r->s[OMEGA] += (suggested_omega(q) - r->s[OMEGA]) / (double)q->k;

	return choose_by_gcv(q, r->s[OMEGA]);
}

/** x = x0 + V u; returns |u|^2. */
static double solve(struct run *r, const struct projected *q, double lambda)
{
	double sum = 0., reach = r->s[START], *u = mem_calloc((size_t)q->k, sizeof *u);

	for (long j = 0; j < q->k; j++) {
		for (long i = 0; i < q->k; i++)
			if (q->sigma[i] > 0.)
				u[j] += creal(q->V[j + q->k * i]) * q->sigma[i] * q->b[i] /
				        (q->sigma[i] * q->sigma[i] + lambda);

		sum += u[j] * u[j];
		reach += fabs(u[j]);
	}

	basis_combine(r, r->n, r->x, r->v[X0], 1., q->k, r->v + BASIS, u);
	run_told_bound(r, reach);
	free(u);

	return sum;
}

/* ---- the bidiagonalisation ---- */

/** u = A v - alpha u, normalised; asks for its length. */
static int ask_next_u(struct run *r, const void *v, double alpha)
{
	linop_forward(r->p->A, r->w[AV], v);
	vec_axpby(r->type, r->m, r->w[U], 1., r->w[AV], -alpha, r->w[U]);

	return basis_ask_normalise(r, r->m, r->w[U]);
}

static void within_basis(struct run *r, long k)
{
	void **basis = r->v + BASIS;
	const int beta = ask_next_u(r, basis[k], alphas(r)[k]);

	linop_adjoint(r->p->A, basis[k + 1], r->w[U]);

	const int rest = basis_ask_orthogonal(r, r->n, k + 1, basis);

	basis_normalise_rest(r, rest, k + 1, r->n, basis[k + 1]);
	run_fetch(r);
	betas(r)[k + 1] = run_told(r, beta);
	alphas(r)[k + 1] = basis_told_rest(r, rest, k + 1);

	struct projected q = decompose(r, k + 1);

	r->s[LAMBDA] = choose(r, &q);

	const double size2 = solve(r, &q, r->s[LAMBDA]), misfit2 = misfit(&q, r->s[LAMBDA]);

	release(&q);
	r->s[K] = (double)(k + 1);
	r->residual = sqrt(misfit2);
	r->objective = 0.5 * misfit2 + 0.5 * r->s[LAMBDA] * size2;
	r->minimum = 0. == alphas(r)[k + 1] * betas(r)[k + 1];
}

/* ---- without the basis: LSQR with that damping ---- */

static double rotate(struct run *r, double alpha, double beta, double *step)
{
	struct lsqr_numbers q = {r->s[RHOBAR], r->s[PHIBAR], r->s[LOST]};
	double ratio;

	*step = lsqr_rotate(&q, r->s[LAMBDA], alpha, beta, &ratio);
	r->s[RHOBAR] = q.rhobar;
	r->s[PHIBAR] = q.phibar;
	r->s[LOST] = q.lost;

	return ratio;
}

/** The state of LSQR after the iterations so far, had lambda always been what it is. */
static void leave_basis(struct run *r)
{
	const long k = (long)r->s[K];
	double step;

	r->s[PHIBAR] = betas(r)[0];
	r->s[RHOBAR] = alphas(r)[0];
	r->s[LOST] = 0.;

	// w in the place of the first vector
	for (long i = 0; i < k; i++) {
		const double ratio = rotate(r, alphas(r)[i + 1], betas(r)[i + 1], &step);

		vec_axpby(r->type, r->n, r->v[BASIS], 1., r->v[BASIS + i + 1], -ratio, r->v[BASIS]);
	}

	alphas(r)[0] = alphas(r)[k];
	vec_copy(r->type, r->n, r->v[TMP], r->v[BASIS + k]);
	vec_copy(r->type, r->n, r->v[W], r->v[BASIS]);
	vec_copy(r->type, r->n, r->v[V], r->v[TMP]);
	r->s[K] = (double)(r->basis + 1);
}

/** v = A' u - beta v, where beta, as asked for, need not have been told. */
static void next_v(struct run *r, int beta)
{
	linop_adjoint(r->p->A, r->v[TMP], r->w[U]);
	run_mix(r, r->n, r->v[V], factor_of(1.), r->v[TMP], factor_times(-1., r->asked + beta), NULL);
}

static void beyond_basis(struct run *r)
{
	double *alpha = alphas(r), step;
	struct asked a = {.beta = ask_next_u(r, r->v[V], alpha[0])};

	next_v(r, a.beta);
	a.alpha = basis_ask_normalise(r, r->n, r->v[V]);
	vec_axpby(r->type, r->n, r->v[TMP], 1., r->x, -1., r->v[X0]);

	const int way2 = run_ask_dot(r, r->n, r->v[TMP], r->v[TMP]),
	          along = run_ask_dot(r, r->n, r->v[TMP], r->v[W]),
	          w2 = run_ask_dot(r, r->n, r->v[W], r->v[W]);

	run_fetch(r);
	alpha[0] = run_told(r, a.alpha);

	const double ratio = rotate(r, alpha[0], run_told(r, a.beta), &step);

	vec_axpy(r->type, r->n, r->x, step, r->v[W]);
	vec_axpby(r->type, r->n, r->v[W], 1., r->v[V], -ratio, r->v[W]);

	const double both = r->s[PHIBAR] * r->s[PHIBAR] + r->s[LOST];
	const double size2 =
	        run_told(r, way2) + 2. * step * run_told(r, along) + step * step * run_told(r, w2);

	run_told_bound(r, r->s[START] + sqrt(run_told(r, way2)) + fabs(step) * sqrt(run_told(r, w2)));
	r->objective = 0.5 * both;
	r->residual = sqrt(fmax(0., both - r->s[LAMBDA] * size2));
	r->minimum = 0. == alpha[0] || 0. == r->s[PHIBAR];
}

static void hybrid_iterate(struct run *r)
{
	const long k = (long)r->s[K];

	if (k < r->basis) {
		within_basis(r, k);
	} else {
		if (k == r->basis)
			leave_basis(r);

		beyond_basis(r);
	}

	r->step = r->s[LAMBDA];
}

static void end(struct run *r)
{
	info("hybrid-lsqr: lambda %.6g", r->s[LAMBDA]);
}

static bool sound(const struct run *r)
{
	return run_is_count(r->s[K], r->basis + 1);
}

const struct algorithm algorithm_hybrid_lsqr = {
        .name = "hybrid-lsqr",
        .about = "LSQR that chooses lambda by weighted generalised cross validation, or so that the residual "
                 "is --noise (Chung, Nagy and O'Leary 2008). The method is reported, and lambda is logged in "
                 "the column step. From a starting point x0 the penalty is lambda/2 |x - x0|^2",
        .takes = ANYWHERE | TAKES_LAMBDA | TAKES_COMPLEX | KEEPS_VOLUMES | SETS_RESIDUAL,
        .volumes = 2,
        .projections = 2,
        .basis = 30,
        .sound = sound,
        .begin = hybrid_begin,
        .iterate = hybrid_iterate,
        .end = end,
};
