#include "iter/recon/recon_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_data.h"
#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { SEED = 1 };

void search_begin(struct search *s, struct recon *r, long problem, const void *y, const struct weights *W,
        const struct iter_conf *conf)
{
	*s = (struct search){.r = r,
	        .problem = problem,
	        .all = {.A = r->A, .y = y, .W = W, .subsets = r->subsets, .curvature = NAN},
	        .conf = *conf,
	        .sigma = NAN};
	s->conf.warm = false;
	s->conf.monitor = NULL;
	s->conf.checkpoint = NULL;
	s->conf.resume = false;
	s->conf.keep = false;
	s->conf.until = 0.;
	s->all.count = search_signs(W, r->type, r->m, NULL);
	s->x = md_calloc(1, &r->n, dtype_size(r->type));
	s->Ax = md_alloc(1, &r->m, dtype_size(r->type));
}

void search_end(struct search *s)
{
	md_free(s->x);
	md_free(s->Ax);
}

struct trial *search_add(struct search *s, double lambda)
{
	if (s->n == s->room) {
		s->room = 2 * s->room + 32;
		s->trial = mem_realloc(s->trial, (size_t)s->room * sizeof *s->trial);
	}

	struct trial *t = &s->trial[s->n++];

	*t = (struct trial){s->problem, lambda, NAN, NAN, NAN};

	return t;
}

/* ---- reconstructions ----------------------------------------------------- */

bool search_is_warm(const struct search *s)
{
	return s->r->terms.automatic >= 0;
}

void search_solve(struct search *s, struct search_rays *rays, double lambda, const void *y, long iterations,
        struct run_state *state, void *x)
{
	struct recon *r = s->r;
	const struct algorithm *a = r->alg->algorithm;
	const bool term = r->terms.automatic >= 0;
	struct recon_data *data = recon_data_create(r->data, a, rays->A, y, rays->W, r->spectrum);
	struct iter_conf conf = s->conf;

	recon_set_factor(r, term ? lambda : 0.);
	conf.iterations = iterations;
	conf.state = state;

	struct iter_problem p = {.A = rays->A,
	        .y = y,
	        .W = recon_data_takes_weights(data) ? NULL : rays->W,
	        .lambda = term ? r->opts->lambda : lambda,
	        .back = r->back,
	        .curvature = &rays->curvature,
	        .terms = r->terms.n,
	        .term = r->terms.term};
	const int talk = log_level;

	recon_data_into(data, &p);
	recon_subsets_fill(rays->subsets, &p, a, r->data, rays->W);
	log_level = -1;
	algorithm_solve(a, &p, &conf, x);
	log_level = talk;
	recon_data_free(data);
}

static double value_of(const struct recon *r, const struct iter_term *t, const void *x)
{
	if (NULL == t->B)
		return functional_value(t->g, x);

	const long n = functional_size(t->g);
	void *z = md_alloc(1, &n, dtype_size(r->type));

	linop_forward(t->B, z, x);

	const double value = functional_value(t->g, z);

	md_free(z);

	return value;
}

double search_penalty(const struct search *s, const void *x, double lambda)
{
	const struct recon *r = s->r;
	double value = 0.;

	if (r->terms.automatic < 0)
		return 0.5 * vec_dot(r->type, r->n, x, x);

	for (int i = r->terms.automatic; i < r->terms.automatic_end; i++)
		value += value_of(r, &r->terms.term[i], x);

	return value / lambda;
}

double search_residual(struct search *s, const struct search_rays *rays, void *Ax, const void *x)
{
	struct recon *r = s->r;
	const long m = linop_codomain_size(rays->A);

	linop_forward(rays->A, Ax, x);

	if (!recon_data_is_squares(r->data)) {
		struct recon_data *data =
		        recon_data_create(r->data, r->alg->algorithm, rays->A, rays->y, rays->W, r->spectrum);
		const struct functional *g = recon_data_functional(data);
		const double value = (NULL == g) ? NAN : functional_value(g, Ax);

		recon_data_free(data);

		return sqrt(2. * fmax(value, 0.));
	}

	vec_axpby(r->type, m, Ax, 1., Ax, -1., rays->y);

	return sqrt(weights_norm2(rays->W, r->type, m, Ax));
}

double search_largest(struct search *s)
{
	struct recon *r = s->r;
	const struct search_rays *all = &s->all;
	const double y2 = weights_norm2(all->W, r->type, r->m, all->y);

	weights_apply(all->W, r->type, r->m, s->Ax, all->y);
	linop_adjoint(r->A, s->x, s->Ax);
	linop_forward(r->A, s->Ax, s->x);

	const double x2 = vec_dot(r->type, r->n, s->x, s->x),
	             Ax2 = weights_norm2(all->W, r->type, r->m, s->Ax);

	if (!(x2 > 0. && Ax2 > 0.))
		return NAN;

	vec_scale(r->type, r->n, s->x, x2 / Ax2);

	const double g = search_penalty(s, s->x, 1.);

	return (g > 0.) ? 0.5 * y2 / g : NAN;
}

/* ---- numbers ------------------------------------------------------------- */

void search_range(const struct search *s, double range[2])
{
	const struct opt_doubles *given = &s->r->opts->range;

	range[0] = (0 < given->n) ? given->v[0] : 0.;
	range[1] = (0 < given->n) ? given->v[1] : INFINITY;
}

double search_vertex(double a, double b, double c)
{
	const double bend = a - 2. * b + c;

	return (0. == bend || !isfinite(bend)) ? 0. : fmin(fmax(0.5 * (a - c) / bend, -1.), 1.);
}

struct signs {
	const struct weights *W;
	enum dtype type;
	void *v;
};

static void sign_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct signs *p = ctx;
	const long parts = dtype_is_complex(p->type) ? 2 : 1;
	double w[FOLD_BLOCK];

	for (long i = 0; i < n; i++)
		w[i] = 1.;

	if (NULL != p->W)
		weights_block(p->W, DT_FLOAT64, first, n, w);

	for (long i = 0; i < n; i++) {
		sum[0] += (w[i] > 0.) ? (double)parts : 0.;

		for (long k = (first + i) * parts; NULL != p->v && k < (first + i + 1) * parts; k++) {
			const double sign = rand_uniform(SEED, (uint64_t)k) < 0.5 ? -1. : 1.;
			const double v = (w[i] > 0.) ? sign / sqrt(w[i]) : 0.;

			if (DT_FLOAT32 == dtype_real(p->type))
				((float *)p->v)[k] = (float)v;
			else
				((double *)p->v)[k] = v;
		}
	}
}

double search_signs(const struct weights *W, enum dtype type, long m, void *v)
{
	double sum[FOLD_SUMS];

	fold(m, sign_block, &(struct signs){W, type, v}, sum);

	return sum[0];
}
