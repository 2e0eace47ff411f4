/* Steps of each ray and each voxel. */

#include <complex.h>
#include <math.h>

#include "iter/step/diagonal.h"

#include "linops/norm.h"
#include "num/md/multind.h"

/* Voxels that rays hardly touch step as if C were this part of its largest value. */
static const double least = 1e-3;

enum dtype diagonal_type(const struct run *r)
{
	return dtype_real(r->type);
}

long diagonal_numbers(const struct run *r, long n)
{
	return dtype_is_complex(r->type) ? 2 * n : n;
}

void diagonal_pass(const struct run *r, const struct md_chain *f, long n, void *dst, const void *const in[])
{
	vec_chain(f, diagonal_type(r), diagonal_numbers(r, n), dst, in);
}

void diagonal_fill(const struct run *r, long n, void *x, double value)
{
	run_fill(diagonal_type(r), diagonal_numbers(r, n), x, value);
}

double diagonal_mean(const struct run *r, const void *x)
{
	const enum dtype t = diagonal_type(r);
	const long count = diagonal_numbers(r, r->n), strs[] = {(long)dtype_size(t)};

	return creal(md_sum_t(t, 1, &count, strs, x)) / (double)count;
}

/** The largest |number| of n elements. */
static double largest(const struct run *r, long n, const void *x)
{
	const enum dtype t = diagonal_type(r);
	const long count = diagonal_numbers(r, n), strs[] = {(long)dtype_size(t)};

	return md_maxabs_t(t, 1, &count, strs, x);
}

int diagonal_primal_term(const struct run *r)
{
	int found = -1;

	for (int i = r->p->terms - 1; i >= 0; i--) {
		const struct iter_term *t = &r->p->term[i];
		const bool any = NULL == t->B && functional_takes_any_step(t->g);

		if ((r->alg->takes & TAKES_SMOOTH) && functional_is_smooth(t->g))
			continue;

		if (any || (NULL == t->B && functional_has_prox_each(t->g) &&
		                   !(0 <= found && functional_takes_any_step(r->p->term[found].g))))
			found = i;
	}

	return found;
}

void diagonal_weigh(struct run *r, void *w)
{
	for (int s = 0; s < run_subsets(r); s++) {
		const struct iter_subset part = run_subset_at(r, s);
		const long m = linop_codomain_size(part.A);
		void *rows = run_subset_rows(r, w, s);

		if (NULL != part.data) {
			functional_expected_curvature(part.data, rows);
		} else {
			diagonal_fill(r, m, rows, 1.);
			weights_apply(part.W, r->type, m, rows, rows);
		}
	}
}

/** dst = max(a, b), b NULL: max(a, floor). */
static void larger(const struct run *r, void *dst, const void *a, const void *b, double floor)
{
	const enum dtype t = diagonal_type(r);
	struct md_chain f = {0};
	const int x = chain_operand(&f, t),
	          y = (NULL != b) ? chain_operand(&f, t) : chain_constant(&f, t, floor);

	chain_op2(&f, OP_MAX, x, y);
	diagonal_pass(r, &f, r->n, dst, (const void *const[]){a, b});
}

/** dst = A'(w A 1). */
static void cover_part(
        struct run *r, const struct linop *A, const void *w, void *dst, const void *ones, void *rows)
{
	const enum dtype t = diagonal_type(r);
	const long m = linop_codomain_size(A);
	struct md_chain f = {0};

	chain_op2(&f, OP_MUL, chain_operand(&f, t), chain_operand(&f, t));
	linop_forward(A, rows, ones);
	diagonal_pass(r, &f, m, rows, (const void *const[]){rows, w});
	linop_adjoint(A, dst, rows);
}

double diagonal_cover(struct run *r, const void *w, void *C, void *ones, void *tmp, void *rows)
{
	const int n = run_subsets(r);

	vec_clear(r->type, r->n, C);
	diagonal_fill(r, r->n, ones, 1.);

	for (int s = 0; s < n; s++) {
		const struct linop *A = run_subset_at(r, s).A;
		const void *part = run_subset_rows(r, (void *)w, s);

		if (linop_is_nonnegative(A))
			cover_part(r, A, part, tmp, ones, rows);
		else
			diagonal_fill(r, r->n, tmp,
			        pow(linop_norm(A), 2.) * largest(r, linop_codomain_size(A), part));

		larger(r, C, C, tmp, 0.);
	}

	const double most = n * largest(r, r->n, C);

	vec_scale(r->type, r->n, C, n);
	larger(r, C, C, NULL, (most > 0.) ? least * most : 1.);

	return most;
}

void diagonal_voxel_steps(const struct run *r, void *step, const void *C, double kappa, double all)
{
	const enum dtype t = diagonal_type(r);
	struct md_chain f = {0};
	const int c = chain_operand(&f, t), above = chain_constant(&f, t, 0.99),
	          beside = chain_constant(&f, t, all);

	chain_op2(&f, OP_DIV, above, chain_op2(&f, OP_ADD, chain_scale(&f, c, kappa), beside));
	diagonal_pass(r, &f, r->n, step, (const void *const[]){C});
}

/** dst = step / (1 + lambda step). */
static void shrink_steps(const struct run *r, void *dst, const void *step, double lambda)
{
	const enum dtype t = diagonal_type(r);
	struct md_chain f = {0};
	const int s = chain_operand(&f, t), one = chain_constant(&f, t, 1.);

	chain_op2(&f, OP_DIV, s, chain_op2(&f, OP_ADD, chain_scale(&f, s, lambda), one));
	diagonal_pass(r, &f, r->n, dst, (const void *const[]){step});
}

void diagonal_step_voxels(struct run *r, const void *step, const void *z, double lambda, void *tmp)
{
	const enum dtype t = diagonal_type(r);
	const int primal = diagonal_primal_term(r);
	struct md_chain f = {0};
	const int x = chain_operand(&f, t), s = chain_operand(&f, t), along = chain_operand(&f, t);
	const int down = chain_op2(&f, OP_SUB, x, chain_op2(&f, OP_MUL, s, along));

	if (lambda > 0.)
		chain_op2(&f, OP_DIV, down,
		        chain_op2(&f, OP_ADD, chain_scale(&f, s, lambda), chain_constant(&f, t, 1.)));

	diagonal_pass(r, &f, r->n, r->x, (const void *const[]){r->x, step, z});

	if (primal < 0)
		return;

	if (functional_takes_any_step(r->p->term[primal].g)) {
		functional_prox(r->p->term[primal].g, 1., r->x, r->x);
	} else {
		shrink_steps(r, tmp, step, lambda);
		functional_prox_each(r->p->term[primal].g, tmp, r->x, r->x);
	}
}

/** What data are curved by everywhere whose rays cannot have steps of their own. */
static double curved(const struct functional *data)
{
	const double L = functional_lipschitz(data);

	return (isfinite(L) && L > 0.) ? L : 1.;
}

void diagonal_step_rays(const struct run *r, const struct iter_subset *s, double kappa, const void *steps,
        const void *p, void *Ax, void *next)
{
	const enum dtype t = diagonal_type(r);
	const long m = linop_codomain_size(s->A);
	struct md_chain f = {0};
	const int at = chain_operand(&f, t), step = chain_operand(&f, t), ax = chain_operand(&f, t);

	if (NULL == s->data) { // (p + step (A x - y)) / (1 + kappa) - p
		const int off = chain_op2(&f, OP_SUB, ax, chain_operand(&f, t));
		const int up = chain_op2(&f, OP_ADD, at, chain_op2(&f, OP_MUL, step, off));

		chain_op2(&f, OP_SUB, chain_scale(&f, up, 1. / (1. + kappa)), at);
		diagonal_pass(r, &f, m, next, (const void *const[]){p, steps, Ax, s->y});
		return;
	}

	chain_op2(&f, OP_ADD, at, chain_op2(&f, OP_MUL, step, ax));
	diagonal_pass(r, &f, m, next, (const void *const[]){p, steps, Ax});

	if (functional_has_steps(s->data))
		functional_prox_conjugate_each(s->data, steps, Ax, next);
	else
		functional_prox_conjugate(s->data, kappa * curved(s->data), Ax, next);

	vec_axpby(r->type, m, next, 1., Ax, -1., p);
}
