/*
 * ASD-POCS: min g(x) subject to |A x - y| <= epsilon and a constraint, g being total variation or any other
 * terms with a (sub)gradient. A pass of SART or OS-SART is followed by steps along the normalised gradient of
 * g with adaptive length: the length shrinks if these steps move x by more than a fraction of the pass's
 * change while |A x - y| > epsilon. E. Y. Sidky and X. Pan, Image reconstruction in circular cone-beam
 * computed tomography by constrained, total-variation minimization, Phys. Med. Biol. 53, 2008 (its names:
 * beta, alpha, alpha_red, r_max, beta_red).
 */

#include <math.h>

#include "iter/algorithm/sirt.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

enum { BEFORE = SIRT_VOLUMES, SLOPE, NEXT, VOLUMES }; // x before the pass; where the next one begins
enum { BETA, LENGTH };

/** The angle between two moves that undo each other, as its cosine: the paper's sign of a solution. */
static const double opposed = -0.99;

static double given(double value, double otherwise)
{
	return (value > 0.) ? value : otherwise;
}

static void asd_pocs_begin(struct run *r)
{
	bool descends = false;

	for (int i = 0; i < r->p->terms; i++)
		descends = descends || functional_is_smooth(r->p->term[i].g);

	if (!descends)
		error("%s needs a term with a gradient, such as tv", r->alg->name);

	sirt_begin(r);
	vec_copy(r->type, r->n, r->v[NEXT], r->x);
	r->s[BETA] = run_relaxation(r);
	r->minimum = 0. == r->residual;
}

/** v[NEXT] = x after the steps along the gradients. */
static void descend(struct run *r)
{
	const long steps = (r->conf->descent.steps > 0) ? r->conf->descent.steps : 20;

	vec_copy(r->type, r->n, r->v[NEXT], r->x);

	for (long k = 0; k < steps; k++) {
		vec_clear(r->type, r->n, r->v[SLOPE]);
		run_penalty_slope(r, r->v[SLOPE], r->v[NEXT]);

		const double size = vec_norm(r->type, r->n, r->v[SLOPE]);

		if (!(size > 0.))
			break;

		vec_axpy(r->type, r->n, r->v[NEXT], -r->s[LENGTH] / size, r->v[SLOPE]);
	}
}

/** x is the end of the pass, where the constraint holds. */
static void asd_pocs_iterate(struct run *r)
{
	const struct iter_descent *c = &r->conf->descent;
	double moved;

	vec_copy(r->type, r->n, r->x, r->v[NEXT]);
	vec_copy(r->type, r->n, r->v[BEFORE], r->x);
	sirt_pass(r, r->s[BETA], &moved);
	r->residual = sqrt(sirt_residual(r, r->p->A, r->p->y));
	vec_axpby(r->type, r->n, r->v[BEFORE], 1., r->x, -1., r->v[BEFORE]);

	const double pass = vec_norm(r->type, r->n, r->v[BEFORE]);

	if (0 == r->k)
		r->s[LENGTH] = given(c->alpha, 0.002) * pass;

	r->objective = run_terms(r, r->x, true);
	descend(r);
	vec_axpby(r->type, r->n, r->v[SLOPE], 1., r->v[NEXT], -1., r->x);

	const double down = vec_norm(r->type, r->n, r->v[SLOPE]);
	const double cosine = vec_dot(r->type, r->n, r->v[SLOPE], r->v[BEFORE]) / (down * pass);
	const bool met = r->residual <= r->conf->noise;

	r->step = r->s[LENGTH];
	r->gradient = pass;
	r->minimum = (0. == pass && 0. == down) || (met && cosine < opposed);

	if (!met && down > given(c->ratio, 0.95) * pass)
		r->s[LENGTH] *= given(c->shrink, 0.95);

	r->s[BETA] *= given(c->fade, 0.995);
}

#define ASD_POCS(...)                                                                                        \
	.takes = ANYWHERE | TAKES_RELAXATION | TAKES_SMOOTH | TAKES_PROX | TAKES_SUBSETS |                   \
	         NEEDS_NONNEGATIVE | SETS_RESIDUAL | KEEPS_SUMS | DESCENDS,                                  \
	.volumes = VOLUMES, .projections = SIRT_PROJECTIONS, .begin = asd_pocs_begin,                        \
	.iterate = asd_pocs_iterate, .words = (const char *const[])                                          \
	{                                                                                                    \
		__VA_ARGS__, "nonneg", NULL                                                                  \
	}

const struct algorithm algorithm_asd_pocs = {
        .name = "asd-pocs",
        .about = "least total variation with |A x - y| <= --noise: passes of SART alternate with gradient "
                 "steps of the total variation (Sidky and Pan 2008)",
        .by_view = true,
        ASD_POCS("tv:1"),
};

const struct algorithm algorithm_os_asd_pocs = {
        .name = "os-asd-pocs",
        .about = "asd-pocs with OS-SART in place of SART",
        ASD_POCS("tv:1"),
};

const struct algorithm algorithm_aw_asd_pocs = {
        .name = "aw-asd-pocs",
        .about = "asd-pocs with adaptive weights that preserve edges, -R awtv:1:delta=D (Liu et al. 2012)",
        .by_view = true,
        ASD_POCS("awtv:1"),
};

const struct algorithm algorithm_piccs = {
        .name = "piccs",
        .about = "prior image constrained compressed sensing: os-asd-pocs with -R piccs:1 and --prior (Chen, "
                 "Tang and Leng 2008)",
        ASD_POCS("piccs:1"),
};
