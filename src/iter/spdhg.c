/*
 * The stochastic primal-dual hybrid gradient method for sum_s d_s(A_s x) + lambda/2 |x|^2 + sum_i g_i(B_i x):
 * each step looks at every term and at one of n subsets of the views, all of them in turn in the order asked
 * for. A. Chambolle, M. J. Ehrhardt, P. Richtarik, C.-B. Schoenlieb, Stochastic primal-dual hybrid gradient
 * algorithm with arbitrary sampling and imaging applications, SIAM J. Optim. 28(4), 2018, algorithm 1; terms
 * are blocks of probability 1.
 *
 * Steps are diagonal (T. Pock, A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms,
 * ICCV 2011) and known without norms of A: w being what d is curved by at each ray and C = n max_s A_s'(w A_s
 * 1), rays step by kappa w, terms by c / |B_i|^2 with c = theta kappa mean(C), and voxels by 0.99 / (kappa C
 * + sum_i c). kappa has no unit, so that one value serves all data.
 */

#include <complex.h>
#include <math.h>
#include <string.h>

#include "iter/primal_dual.h"
#include "linops/norm.h"
#include "misc/error.h"
#include "num/flpmath.h"
#include "num/multind.h"

enum {
	SUM,
	AHEAD,
	STEP,
	PROX,
	LAST,
	TMP,
	VOLUMES
};                                          // z = A'p + sum B_i'q_i and what extrapolates it; steps of
                                            // x, and with lambda; x of before
enum { DUAL, RAYS, AX, NEXT, PROJECTIONS }; // subset after subset; RAYS: steps of the dual
enum { KAPPA, MEAN, TERMS }; // numbers: kappa; the mean step of voxels; from TERMS on the steps of terms

/* kappa where subsets have several views, or one: measured on sparse views, low counts, limited angles and a
 * measured scan, as theta is. */
static const double several = 0.15, single = 0.1, theta = 0.15;
/* Voxels that rays hardly touch step as if C were this part of its largest value. */
static const double least = 1e-3;

/** Vectors as numbers of a real type: all steps are real, and the same for both parts of an element. */
static enum dtype real_type(const struct run *r)
{
	return dtype_real(r->type);
}

static long numbers(const struct run *r, long n)
{
	return dtype_is_complex(r->type) ? 2 * n : n;
}

static void fill(const struct run *r, long n, void *x, double value)
{
	run_fill(real_type(r), numbers(r, n), x, value);
}

static void *rows(const struct run *r, int vector, int subset)
{
	return run_subset_rows(r, r->w[vector], subset);
}

/** dst = f of up to CHAIN_OPERANDS vectors of n elements. */
static void pass(const struct run *r, const struct md_chain *f, long n, void *dst, const void *const in[])
{
	const long count = numbers(r, n), strs[] = {(long)dtype_size(real_type(r))};

	md_chain(f, real_type(r), 1, &count, strs, dst, (const long *const[]){strs, strs, strs, strs}, in);
}

/** The term that the step of x takes: whose prox is the same for every step, as that of bounds; else one that
 * takes a step of each voxel; -1: none. */
static int primal_term(const struct run *r)
{
	int found = -1;

	for (int i = r->p->terms - 1; i >= 0; i--) {
		const struct iter_term *t = &r->p->term[i];
		const bool any = NULL == t->B && functional_takes_any_step(t->g);

		if (any || (NULL == t->B && functional_has_prox_each(t->g) &&
		                   !(0 <= found && functional_takes_any_step(r->p->term[found].g))))
			found = i;
	}

	return found;
}

static int count_duals(const struct run *r)
{
	return r->p->terms - ((0 <= primal_term(r)) ? 1 : 0);
}

/* ---- how large steps are ---- */

/** What d is curved by everywhere, of data whose rays cannot have steps of their own. */
static double curved(const struct functional *data)
{
	const double L = functional_lipschitz(data);

	return (isfinite(L) && L > 0.) ? L : 1.;
}

/** w[RAYS] = what d is curved by at each ray. */
static void weigh(struct run *r)
{
	for (int s = 0; s < run_subsets(r); s++) {
		const struct iter_subset part = run_subset_at(r, s);
		const long m = linop_codomain_size(part.A);
		void *w = rows(r, RAYS, s);

		if (NULL != part.data) {
			functional_expected_curvature(part.data, w);
		} else {
			fill(r, m, w, 1.);
			weights_apply(part.W, r->type, m, w, w);
		}
	}
}

/** dst = max(a, b), b NULL: max(a, floor). */
static void larger(const struct run *r, void *dst, const void *a, const void *b, double floor)
{
	const enum dtype t = real_type(r);
	struct md_chain f = {0};
	const int x = chain_operand(&f, t),
	          y = (NULL != b) ? chain_operand(&f, t) : chain_constant(&f, t, floor);

	chain_op2(&f, OP_MAX, x, y);
	pass(r, &f, r->n, dst, (const void *const[]){a, b});
}

/** v[STEP] = A_s'(w A_s 1) of the subset with most, in v[TMP] that of one; 1 in v[LAST]. Of operators with
 * negative elements |A_s|^2 max w. */
static void cover(struct run *r)
{
	vec_clear(r->type, r->n, r->v[STEP]);
	fill(r, r->n, r->v[LAST], 1.);

	for (int s = 0; s < run_subsets(r); s++) {
		const struct linop *A = run_subset_at(r, s).A;
		const long m = linop_codomain_size(A);
		const long count = numbers(r, m), strs[] = {(long)dtype_size(real_type(r))};
		const void *w = rows(r, RAYS, s);

		if (linop_is_nonnegative(A)) {
			struct md_chain f = {0};

			chain_op2(
			        &f, OP_MUL, chain_operand(&f, real_type(r)), chain_operand(&f, real_type(r)));
			linop_forward(A, r->w[AX], r->v[LAST]);
			pass(r, &f, m, r->w[AX], (const void *const[]){r->w[AX], w});
			linop_adjoint(A, r->v[TMP], r->w[AX]);
		} else {
			const double norm = linop_norm(A);

			fill(r, r->n, r->v[TMP], norm * norm * md_maxabs_t(real_type(r), 1, &count, strs, w));
		}

		larger(r, r->v[STEP], r->v[STEP], r->v[TMP], 0.);
	}
}

/** Whether every subset is one view. */
static bool by_view(const struct run *r)
{
	for (int s = 0; s < run_subsets(r); s++)
		if (1 < linop_codomain(run_subset_at(r, s).A)[2])
			return false;

	return true;
}

/** v[STEP] = 0.99 / (kappa C + all), C being there. */
static void voxel_steps(struct run *r, double kappa, double all)
{
	const enum dtype t = real_type(r);
	struct md_chain f = {0};
	const int C = chain_operand(&f, t), above = chain_constant(&f, t, 0.99),
	          beside = chain_constant(&f, t, all);

	chain_op2(&f, OP_DIV, above, chain_op2(&f, OP_ADD, chain_scale(&f, C, kappa), beside));
	pass(r, &f, r->n, r->v[STEP], (const void *const[]){r->v[STEP]});
}

/** v[PROX] = step / (1 + lambda step). */
static void shrink_steps(struct run *r)
{
	const enum dtype t = real_type(r);
	struct md_chain f = {0};
	const int step = chain_operand(&f, t), one = chain_constant(&f, t, 1.);

	chain_op2(&f, OP_DIV, step, chain_op2(&f, OP_ADD, chain_scale(&f, step, r->p->lambda), one));
	pass(r, &f, r->n, r->v[PROX], (const void *const[]){r->v[STEP]});
}

/** Steps of voxels, rays and terms; C / n is in v[STEP]. With --step, that of all voxels is given, and kappa
 * as large as it allows. */
static void choose_steps(struct run *r)
{
	const enum dtype t = real_type(r);
	const long count = numbers(r, r->n), strs[] = {(long)dtype_size(t)};
	const int n = run_subsets(r), duals = count_duals(r);
	const double most = n * md_maxabs_t(t, 1, &count, strs, r->v[STEP]), given = r->conf->step;

	r->minimum = 0. == most && 0 == duals && 0. == r->p->lambda;
	vec_scale(r->type, r->n, r->v[STEP], n);
	larger(r, r->v[STEP], r->v[STEP], NULL, (most > 0.) ? least * most : 1.);

	const double mean = creal(md_sum_t(t, 1, &count, strs, r->v[STEP])) / (double)count;
	const double kappa = (given > 0.) ? 0.99 / (given * (fmax(most, mean) + duals * theta * mean))
	                     : by_view(r) ? single
	                                  : several;
	const double each = theta * kappa * mean;

	for (int i = 0; i < r->p->terms; i++) {
		const double norm = linop_norm(r->p->term[i].B);

		r->s[TERMS + i] = each / ((norm > 0.) ? norm * norm : 1.);
	}

	r->s[KAPPA] = kappa;
	vec_scale(r->type, r->m, r->w[RAYS], kappa);

	if (given > 0.)
		fill(r, r->n, r->v[STEP], given);
	else
		voxel_steps(r, kappa, duals * each);

	shrink_steps(r);
	r->s[MEAN] = creal(md_sum_t(t, 1, &count, strs, r->v[STEP])) / (double)count;
}

/* ---- steps ---- */

/** The prox of lambda/2 |x|^2 and the primal term at x - step z, z extrapolated. */
static void step_voxels(struct run *r)
{
	const enum dtype t = real_type(r);
	const double lambda = r->p->lambda;
	const int primal = primal_term(r);
	struct md_chain f = {0};
	const int x = chain_operand(&f, t), step = chain_operand(&f, t), z = chain_operand(&f, t);
	const int down = chain_op2(&f, OP_SUB, x, chain_op2(&f, OP_MUL, step, z));

	if (lambda > 0.)
		chain_op2(&f, OP_DIV, down,
		        chain_op2(&f, OP_ADD, chain_scale(&f, step, lambda), chain_constant(&f, t, 1.)));

	pass(r, &f, r->n, r->x, (const void *const[]){r->x, r->v[STEP], r->v[AHEAD]});

	if (0 <= primal && functional_takes_any_step(r->p->term[primal].g))
		functional_prox(r->p->term[primal].g, 1., r->x, r->x);
	else if (0 <= primal)
		functional_prox_each(r->p->term[primal].g, r->v[PROX], r->x, r->x);
}

/** w[AX] = A_s x; asks for d_s of it. */
static int ask_project(struct run *r, const struct iter_subset *s)
{
	const long m = linop_codomain_size(s->A);

	linop_forward(s->A, r->w[AX], r->x);

	if (NULL != s->data)
		return run_ask_value(r, s->data, r->w[AX]);

	vec_axpby(r->type, m, r->w[NEXT], 1., r->w[AX], -1., s->y);

	return run_ask_weighted(r, s->W, m, r->w[NEXT]);
}

static double told_project(const struct run *r, const struct iter_subset *s, int place)
{
	const double d = run_told(r, place);

	return (NULL == s->data) ? 0.5 * d : isinf(d) ? NAN : d; // allowed in the limit only
}

/** p + step A_s x, the prox of the conjugate of d_s there less p: how p moves, into w[NEXT]. */
static void step_rays(struct run *r, const struct iter_subset *s, const void *dual, const void *steps)
{
	const enum dtype t = real_type(r);
	const long m = linop_codomain_size(s->A);
	struct md_chain f = {0};
	const int p = chain_operand(&f, t), step = chain_operand(&f, t), ax = chain_operand(&f, t);

	if (NULL == s->data) { // (p + step (A x - y)) / (1 + kappa) - p
		const int off = chain_op2(&f, OP_SUB, ax, chain_operand(&f, t));
		const int up = chain_op2(&f, OP_ADD, p, chain_op2(&f, OP_MUL, step, off));

		chain_op2(&f, OP_SUB, chain_scale(&f, up, 1. / (1. + r->s[KAPPA])), p);
		pass(r, &f, m, r->w[NEXT], (const void *const[]){dual, steps, r->w[AX], s->y});
		return;
	}

	chain_op2(&f, OP_ADD, p, chain_op2(&f, OP_MUL, step, ax));
	pass(r, &f, m, r->w[NEXT], (const void *const[]){dual, steps, r->w[AX]});

	if (functional_has_steps(s->data))
		functional_prox_conjugate_each(s->data, steps, r->w[AX], r->w[NEXT]);
	else
		functional_prox_conjugate(s->data, r->s[KAPPA] * curved(s->data), r->w[AX], r->w[NEXT]);

	vec_axpby(r->type, m, r->w[NEXT], 1., r->w[AX], -1., dual);
}

/** A step of the dual of the i-th subset of this iteration; asks for the value of its data. */
static int ask_data_step(struct run *r, int i)
{
	const struct iter_subset s = run_subset(r, i);
	const int number = run_subset_number(r, i), place = ask_project(r, &s);
	const long m = linop_codomain_size(s.A);
	void *dual = rows(r, DUAL, number);

	step_rays(r, &s, dual, rows(r, RAYS, number));
	vec_axpy(r->type, m, dual, 1., r->w[NEXT]);
	linop_adjoint(s.A, r->v[TMP], r->w[NEXT]);
	vec_axpby(r->type, r->n, r->v[AHEAD], 1., r->v[SUM], run_subsets(r) + 1., r->v[TMP]);
	vec_axpy(r->type, r->n, r->v[SUM], 1., r->v[TMP]);

	return place;
}

/** A step of the dual of term i. */
static void step_term(struct run *r, int i)
{
	const struct iter_term *t = &r->p->term[i];
	const long n = functional_size(t->g);
	const double sigma = r->s[TERMS + i];
	void **q = pd_of_term(r, PD_DUAL, i), **next = pd_of_term(r, PD_NEXT, i);
	void *tmp = r->z[r->alg->terms * r->p->terms + i];

	if (NULL != t->B)
		linop_forward(t->B, tmp, r->x);

	vec_axpby(r->type, n, tmp, 1., *q, sigma, (NULL == t->B) ? r->x : tmp);
	functional_prox_conjugate(t->g, sigma, *next, tmp);
	vec_axpby(r->type, n, *q, 1., *next, -1., *q);

	if (NULL == t->B)
		vec_copy(r->type, n, r->v[TMP], *q);
	else
		linop_adjoint(t->B, r->v[TMP], *q);

	pd_swap(q, next);
	vec_axpy(r->type, r->n, r->v[SUM], 1., r->v[TMP]);
	vec_axpy(r->type, r->n, r->v[AHEAD], 2., r->v[TMP]);
}

/* ---- values ---- */

struct asked {
	int penalty, terms, size;
};

static struct asked ask_evaluate(struct run *r)
{
	struct asked a = {.penalty = run_ask_penalty(r, r->x)};

	a.terms = run_ask_terms(r, r->x, false);
	a.size = run_ask_size(r);

	return a;
}

static void told_evaluate(struct run *r, const struct asked *a, double data)
{
	r->objective = data + run_told_penalty(r, a->penalty) + run_told_terms(r, a->terms, false);
	r->residual = (NULL == r->p->data) ? sqrt(2. * data) : NAN;
	r->step = r->s[MEAN];
	run_told_size(r, a->size);
}

static void begin(struct run *r)
{
	double data = 0.;

	if (r->p->terms > RUN_NUMBERS - TERMS)
		error("%s takes up to %d terms, found %d", r->alg->name, RUN_NUMBERS - TERMS, r->p->terms);

	weigh(r);
	cover(r);
	choose_steps(r);

	for (int i = 0; i < run_subsets(r); i++) {
		const struct iter_subset s = run_subset_at(r, i);
		const int place = ask_project(r, &s);

		run_fetch(r);
		data += told_project(r, &s, place);
	}

	const struct asked value = ask_evaluate(r);

	run_fetch(r);
	told_evaluate(r, &value, data);
}

/** The data's part of the objective is what the steps met on their way. */
static void iterate(struct run *r)
{
	const int n = run_subsets(r), primal = primal_term(r);
	double data = 0.;
	int place = -1;

	run_ask_up_to(r, n + 4 + r->p->terms);
	vec_copy(r->type, r->n, r->v[LAST], r->x);

	for (int s = 0; s < n; s++) {
		step_voxels(r);

		const int asked = ask_data_step(r, s);

		place = (place < 0) ? asked : place;

		for (int i = 0; i < r->p->terms; i++)
			if (i != primal)
				step_term(r, i);
	}

	const struct asked value = ask_evaluate(r);
	const int moved = pd_ask_moved(r, r->n, r->v[LAST], r->x);

	run_fetch(r);

	for (int s = 0; s < n; s++) { // in the order in which they were asked for
		const struct iter_subset part = run_subset_at(r, run_subset_number(r, s));

		data += told_project(r, &part, place++);
	}

	told_evaluate(r, &value, data);
	r->gradient = sqrt(run_told(r, moved)) / r->s[MEAN];
}

const struct algorithm algorithm_spdhg = {
        .name = "spdhg",
        .about = "the stochastic primal-dual hybrid gradient method: a subset of the views at a time "
                 "(Chambolle "
                 "et al. 2018)",
        .takes = ANYWHERE | TAKES_STEP | TAKES_LAMBDA | TAKES_WEIGHTS | TAKES_DATA_PROX | TAKES_TERMS |
                 TAKES_SUBSETS | TAKES_COMPLEX,
        .volumes = VOLUMES,
        .projections = PROJECTIONS,
        .terms = PD_TERMS,
        .iterations = 50,
        .subsets = 30,
        .order = SAMPLER_SHUFFLE,
        .begin = begin,
        .iterate = iterate,
};
