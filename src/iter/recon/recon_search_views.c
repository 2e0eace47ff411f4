#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_search.h"

#include "iter/recon/recon_data.h"
#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/multind.h"

enum { TENTH = 10, TRIALS = 14, FEW_TRIALS = 8 };

/* Smaller decreases of the error than this fraction do not count. */
static const double slightest = 5e-4;

/** Some views of a problem, copied. */
struct part {
	struct search_rays rays;
	struct recon_scan scan;
	struct geom **g; // of scan
	long views, *at; // how many, and their numbers
	struct linop *A;
	void *y, *w;
};

/** Whether view k of n is one of the `out` that are left out, spread evenly. */
static bool is_out(long k, long n, long out)
{
	return (2 * k * out + n) / (2 * n) != (2 * (k + 1) * out + n) / (2 * n);
}

static struct geom *geometry_of(const struct part *p, const struct geom *g)
{
	struct geom *part = geom_create(p->views, g->cols, g->rows, g->parallel);

	part->radius = g->radius;
	part->stack = g->stack;

	for (long i = 0; i < p->views; i++)
		part->view[i] = g->view[p->at[i]];

	return part;
}

static long geometries(const struct part *p)
{
	return p->scan.own[0] * p->scan.own[1];
}

static void choose_scan(struct part *p, const struct recon *r)
{
	p->scan = r->scan;
	p->g = mem_calloc((size_t)geometries(p), sizeof(struct geom *));

	for (long i = 0; i < geometries(p); i++)
		p->g[i] = geometry_of(p, r->scan.g[i]);

	p->scan.g = p->g;
}

/** Those views of all frames, which follow each other. */
static void *chosen(const struct part *p, const struct recon *r, size_t size, const char *from)
{
	const long view = r->g[0]->cols * r->g[0]->rows, frames = recon_scan_frames(&r->scan);
	const size_t bytes = (size_t)view * size;
	char *all = md_alloc(3, (const long[]){view, p->views, frames}, size), *to = all;

	for (long f = 0; f < frames; f++)
		for (long i = 0; i < p->views; i++, to += bytes)
			memcpy(to, from + (size_t)(f * r->views + p->at[i]) * bytes, bytes);

	return all;
}

/** Weights of all rays as numbers of the real type, then those of the views. */
static void *chosen_weights(const struct part *p, const struct search *s)
{
	const enum dtype real = dtype_real(s->r->type);
	const double one = 1.;
	const float onef = 1.f;
	const long m = s->r->m;
	void *all = md_alloc(1, &m, dtype_size(real));

	md_fill(1, &m, all, (DT_FLOAT32 == real) ? (const void *)&onef : &one, dtype_size(real));
	weights_apply(s->all.W, real, m, all, all);

	void *w = chosen(p, s->r, dtype_size(real), all);

	md_free(all);

	return w;
}

static void part_create(struct part *p, const struct search *s, long out, bool left_out)
{
	const struct recon *r = s->r;
	const long wanted = r->opts->subsets;
	long dims[DIMS];

	*p = (struct part){.at = mem_alloc((size_t)r->views * sizeof *p->at)};

	for (long k = 0; k < r->views; k++)
		if (left_out == is_out(k, r->views, out))
			p->at[p->views++] = k;

	choose_scan(p, r);
	p->A = recon_scan_operator(&p->scan, 1, 0);
	p->y = chosen(p, r, dtype_size(r->type), s->all.y);
	p->rays = (struct search_rays){.A = p->A, .y = p->y, .curvature = NAN};
	md_copy_dims(DIMS, dims, linop_codomain(p->A));

	if (NULL != s->all.W) {
		p->w = chosen_weights(p, s);
		p->rays.W = weights_create_array(dims, dims, dtype_real(r->type), p->w);
	}

	if (!left_out)
		p->rays.subsets = recon_subsets_create(
		        r->alg->algorithm, (wanted < p->views) ? wanted : p->views, &p->scan);

	p->rays.count = search_signs(p->rays.W, r->type, linop_codomain_size(p->A), NULL);
}

static void part_free(struct part *p)
{
	recon_subsets_free(p->rays.subsets);
	weights_free((struct weights *)p->rays.W);
	linop_free(p->A);

	for (long i = 0; i < geometries(p); i++)
		geom_free(p->g[i]);

	free(p->g);
	md_free(p->y);
	md_free(p->w);
	free(p->at);
}

/** A search over views left out. */
struct leaving {
	struct search *s;
	struct part fit, out;
	struct run_state state;
	double step, range[2];
	bool limited; // to near the start, which is as good a guess
	int trials;
	double least; // error
};

struct counts {
	enum dtype type;
	const void *y, *mean;
};

static double real_at(enum dtype type, const void *x, long i)
{
	return (DT_FLOAT32 == type) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/** Squares of deviates of Freeman and Tukey (1950) of counts of these means, each about 1. */
static void deviate_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct counts *c = ctx;

	for (long i = first; i < first + n; i++) {
		const double y = real_at(c->type, c->y, i), mean = fmax(real_at(c->type, c->mean, i), 0.);
		const double d = sqrt(y) + sqrt(y + 1.) - sqrt(4. * mean + 1.);

		sum[0] += d * d;
	}
}

/** |A x - y|_W of the views left out, of counts of emission the root of the sum of squares of their deviates:
 * finite where no count was predicted, too. */
static double error_of(struct search *s, const struct search_rays *rays)
{
	const struct recon *r = s->r;
	double sum[FOLD_SUMS];

	if (!recon_data_is_emission(r->data))
		return search_residual(s, rays, s->Ax, s->x);

	linop_forward(rays->A, s->Ax, s->x);
	fold(linop_codomain_size(rays->A), deviate_block, &(struct counts){r->type, rays->y, s->Ax}, sum);

	return sqrt(sum[0]);
}

/** What is left of the views left out with a factor, per ray. */
static double predict(struct leaving *v, double log_lambda)
{
	struct search *s = v->s;
	const double lambda = exp(log_lambda);
	const bool warm = search_is_warm(s), first = 0 == v->trials++;
	const long asked = s->conf.iterations,
	           most = (first || NULL == v->state.run) ? SEARCH_FIRST : SEARCH_NEXT;

	search_solve(s, &v->fit.rays, lambda, v->fit.y, (warm && most < asked) ? most : asked,
	        warm ? &v->state : NULL, s->x);
	s->conf.warm = warm;

	struct trial *t = search_add(s, lambda);

	t->residual = error_of(s, &v->out.rays);
	t->penalty = search_penalty(s, s->x, lambda);
	t->score = t->residual / sqrt(v->out.rays.count);

	v->least = fmin(v->least, t->score);

	if (first && t->score > SEARCH_MISFIT * s->r->unit.sigma)
		s->misfit = t->score / s->r->unit.sigma;

	verbose("lambda %.6g: error of the views left out %.6g per ray, penalty %.6g", lambda, t->score,
	        t->penalty);

	return t->score;
}

/** What part of the estimated noise is noise at most: views left out are off by all of it. */
static double noise_part(const struct leaving *v)
{
	const double part = v->least / v->s->r->unit.sigma;

	return (part < 1.) ? fmax(part, 1. / SEARCH_REACH) : 1.;
}

/** The next factor in a direction, NAN where there is none. */
static double beyond(const struct leaving *v, double at, int direction)
{
	const double next = at + direction * v->step;
	const bool lower = v->limited && 0 == v->s->r->opts->range.n;
	const double least = v->range[0] * (lower ? noise_part(v) : 1.);

	if (v->trials >= (v->limited ? FEW_TRIALS : TRIALS) || exp(next) < least || exp(next) > v->range[1])
		return NAN;

	return next;
}

/** The end of what was tried is the best; says so unless the start is as good a guess. */
static double end(const struct leaving *v, double at, int direction)
{
	if (!v->limited)
		warn("the %s lambda of --range, %.4g, predicts the views left out best (give another "
		     "--range)",
		        (direction < 0) ? "smallest" : "largest", exp(at));

	return at;
}

/** The smallest error, going on from `b` away from `a` until it grows. */
static double descend(struct leaving *v, double a, double fa, double b, double fb)
{
	const int direction = (b > a) ? 1 : -1;

	for (;;) {
		const double c = beyond(v, b, direction);

		if (isnan(c))
			return end(v, b, direction);

		const double fc = predict(v, c);

		if (!(fc < (1. - slightest) * fb))
			return isinf(fa) ? end(v, b, -direction) : b + (c - b) * search_vertex(fa, fb, fc);

		a = b;
		fa = fb;
		b = c;
		fb = fc;
	}
}

static double search_between(struct leaving *v, double a)
{
	const double fa = predict(v, a);

	if (v->limited && v->s->misfit > 0.)
		return a + log(v->s->misfit);

	const double b = beyond(v, a, -1), fb = isnan(b) ? INFINITY : predict(v, b);

	if (fb < (1. - slightest) * fa)
		return descend(v, a, fa, b, fb);

	return isnan(b) ? descend(v, a - v->step, INFINITY, a, fa) : descend(v, b, fb, a, fa);
}

double search_by_views(struct search *s, double start, double reach)
{
	const struct recon *r = s->r;
	const long n = r->views, out = (n + TENTH / 2) / TENTH;
	struct leaving v = {
	        .s = s, .step = log(r->terms.square || !search_is_warm(s) ? 4. : 2.), .least = INFINITY};

	if (n < SEARCH_VIEWS) {
		warn("found %ld view%s, but leaving views out needs at least %d (give a factor)", n,
		        (1 == n) ? "" : "s", SEARCH_VIEWS);

		return NAN;
	}

	part_create(&v.fit, s, (out > 0) ? out : 1, false);
	part_create(&v.out, s, (out > 0) ? out : 1, true);
	search_range(s, v.range);
	v.limited = isfinite(reach);

	if (v.limited && 0 == r->opts->range.n) {
		v.range[0] = start / reach * 0.99;
		v.range[1] = start * reach * 1.01;
	}

	s->conf.warm = false;

	const double best = search_between(&v, log(fmin(fmax(start, v.range[0]), v.range[1])));

	s->noise = noise_part(&v);
	run_state_free(&v.state);
	part_free(&v.fit);
	part_free(&v.out);

	return exp(best);
}
