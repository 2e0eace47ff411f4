/*
 * Maximum likelihood for transmission data [1]: counts with mean m(p), p = A x,
 *
 *     x += relaxation A'(m - y) / A'(m A 1)
 *
 * Newton's step on a surrogate that is a sum over voxels; over all rows or each subset, m A 1 being the
 * second derivative of the likelihood times the length of the rays in the volume [2].
 *
 * [1] J. Nuyts, B. De Man, P. Dupont, M. Defrise, P. Suetens, L. Mortelmans, Iterative reconstruction for
 * helical CT: a simulation study, Physics in Medicine and Biology 43, 1998. [2] B. De Man, J. Nuyts, P.
 * Dupont, G. Marchal, P. Suetens, An iterative maximum-likelihood polychromatic algorithm for CT, IEEE
 * Transactions on Medical Imaging 20, 2001.
 */

#include <math.h>

#include "iter/algorithm/algorithm.h"
#include "iter/step/updates.h"
#include "num/md/flpmath.h"

enum { STEP, CURVATURE };
enum { AX, SLOPE, LENGTHS };

static void mltr_begin(struct run *r)
{
	run_fill(r->type, r->n, r->v[STEP], 1.);

	for (int i = 0; i < run_subsets(r); i++)
		linop_forward(run_subset_at(r, i).A, run_subset_rows(r, r->w[LENGTHS], i), r->v[STEP]);

	linop_forward(r->p->A, r->w[AX], r->x);
	r->objective = functional_value(r->p->data, r->w[AX]);
}

/** One step, from A x of these rows; asks for two sums, of which the second is its length squared. */
static void ask_step(struct run *r, const struct iter_subset *s, const void *lengths)
{
	const long m = linop_codomain_size(s->A);
	int place, next;
	double *sum = run_ask(r, &place);

	run_ask(r, &next);
	functional_gradient(s->data, r->w[SLOPE], r->w[AX]);
	linop_adjoint(s->A, r->v[STEP], r->w[SLOPE]);
	functional_second(s->data, r->w[SLOPE], r->w[AX]);
	vec_mul(r->type, m, r->w[SLOPE], r->w[SLOPE], lengths);
	linop_adjoint(s->A, r->v[CURVATURE], r->w[SLOPE]);
	iter_updates_of(r->x)->divide(
	        r->type, r->n, r->x, NULL, r->x, r->v[STEP], r->v[CURVATURE], run_relaxation(r), sum);

	if (NULL != run_prox_term(r))
		functional_prox(run_prox_term(r), 1., r->x, r->x);
}

static int ask_likelihood(struct run *r, const struct iter_subset *s)
{
	linop_forward(s->A, r->w[AX], r->x);

	return run_ask_value(r, s->data, r->w[AX]);
}

/** With subsets the objective is that met on the way. */
static void mltr_iterate(struct run *r)
{
	const int subsets = run_subsets(r);
	double moved = 0., value = 0.;

	// of each subset its value and the sums of its step; of one alone the value is that behind the step
	for (int i = 0; i < subsets; i++) {
		const struct iter_subset s = run_subset(r, i);

		if (subsets > 1)
			ask_likelihood(r, &s);

		ask_step(r, &s, run_subset_rows(r, r->w[LENGTHS], run_subset_number(r, i)));

		if (1 == subsets)
			ask_likelihood(r, &s);
	}

	const int size = run_ask_size(r), first = size - 3 * subsets;

	run_fetch(r);
	run_told_size(r, size);

	for (int i = 0; i < subsets; i++) {
		value += run_told(r, first + 3 * i + ((1 < subsets) ? 0 : 2));
		moved += run_told(r, first + 3 * i + ((1 < subsets) ? 2 : 1));
	}

	r->objective = value;
	r->gradient = sqrt(moved);
	r->step = run_relaxation(r);
	r->minimum = 0. == moved;
}

const struct algorithm algorithm_mltr = {
        .name = "ml-tr",
        .about =
                "maximum likelihood of counts of transmission (--data poisson:I0) by Newton's steps for each "
                "voxel (Nuyts et al. 1998)",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_DATA | TAKES_PROX | BOUNDS_ONLY | NEEDS_NONNEGATIVE |
                 NEEDS_SECOND,
        .volumes = 2,
        .projections = 3,
        .distributed = true,
        .begin = mltr_begin,
        .iterate = mltr_iterate,
};

const struct algorithm algorithm_osmltr = {
        .name = "os-ml-tr",
        .about = "ml-tr with each subset of the views in turn",
        .takes = ANYWHERE | TAKES_RELAXATION | TAKES_DATA | TAKES_PROX | BOUNDS_ONLY | TAKES_SUBSETS |
                 NEEDS_NONNEGATIVE | NEEDS_SECOND,
        .volumes = 2,
        .projections = 3,
        .distributed = true,
        .begin = mltr_begin,
        .iterate = mltr_iterate,
};
