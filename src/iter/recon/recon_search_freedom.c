#include <math.h>

#include "iter/recon/recon_search.h"

#include "misc/error.h"
#include "num/md/flpmath.h"

enum { TRIALS = 8 };

static const double probe = 0.1;          // of the noise
static const double enough = 0.01;        // of log chi^2 / (1 - dof)
static const double near = 0.1;           // of log lambda
static const double far = 2.;             // chi^2 per ray from which it is no question of dof
static const double response = 0.05;      // of log chi^2 / (1 - dof)
static const double least_freedom = 0.05; // of 1 - dof

/** Two runs in parallel: one with the projections, one with the projections plus a probe. */
struct freedom {
	struct search *s;
	struct run_state state[2];
	void *u, *v, *moved; // x of the second; the probe; projections with it
	double energy;       // |v|^2_W
	bool begun[2];
};

static void freedom_run(struct freedom *f, int which, double lambda, const void *y, void *x)
{
	struct search *s = f->s;
	const bool warm = search_is_warm(s);
	const long asked = s->conf.iterations,
	           most = (NULL == f->state[which].run) ? SEARCH_FIRST : SEARCH_NEXT;

	s->conf.warm = warm && f->begun[which];
	search_solve(s, &s->all, lambda, y, (warm && most < asked) ? most : asked,
	        warm ? &f->state[which] : NULL, x);
	f->begun[which] = true;
}

/** chi^2 per ray at a factor; s->Ax becomes A x - y. */
static double misfit(struct freedom *f, double lambda)
{
	struct search *s = f->s;

	freedom_run(f, 0, lambda, s->all.y, s->x);

	struct trial *t = search_add(s, lambda);

	t->residual = search_residual(s, &s->all, s->Ax, s->x);
	t->penalty = search_penalty(s, s->x, lambda);

	return t->residual * t->residual / (s->sigma * s->sigma * s->all.count);
}

/** Degrees of freedom per ray, after misfit(). */
static double freedom(struct freedom *f, double lambda)
{
	struct search *s = f->s;
	const struct recon *r = s->r;

	freedom_run(f, 1, lambda, f->moved, f->u);
	vec_axpy(r->type, r->n, f->u, -1., s->x);
	linop_forward(r->A, s->Ax, f->u);
	vec_axpy(r->type, r->n, f->u, 1., s->x);
	weights_apply(s->all.W, r->type, r->m, s->Ax, s->Ax);

	return vec_dot(r->type, r->m, f->v, s->Ax) / f->energy;
}

/** log chi^2 / (1 - dof), a trial that is noted. */
static double measure(struct freedom *f, double log_lambda)
{
	const double lambda = exp(log_lambda), chi2 = misfit(f, lambda), dof = freedom(f, lambda);
	const double v = log(chi2 / fmax(1. - dof, least_freedom));

	f->s->trial[f->s->n - 1].score = exp(v);
	verbose("lambda %.6g: chi^2 %.4g and %.4g degrees of freedom per ray", lambda, chi2, dof);

	return v;
}

/** Whether the residual is near the noise, or falls with a third of the factor; from a start on, which is
 * moved. */
static bool responds(struct freedom *f, double *log_lambda)
{
	double before = misfit(f, exp(*log_lambda));

	for (int k = 0; k < TRIALS && before > far; k++) {
		*log_lambda -= log(3.);

		const double chi2 = misfit(f, exp(*log_lambda));

		if (chi2 > (1. - response) * before) {
			info("the residual is larger than the noise explains (chi^2 per ray is %.3g, "
			     "expected at most 1)",
			        chi2);

			return false;
		}

		before = chi2;
	}

	return true;
}

/** The root by secants that are not too steep or too long. */
static double root(struct freedom *f, double at)
{
	double last = NAN, last_v = NAN, range[2];

	search_range(f->s, range);

	for (int k = 0; k < TRIALS; k++) {
		const double v = measure(f, at);
		const double slope = isnan(last) ? 0.25 : (v - last_v) / (at - last);
		const double by = v / fmax(slope, 0.05), most = isnan(last) ? 1. : 0.7;
		const double next =
		        fmin(fmax(at - fmin(fmax(by, -most), most), log(range[0])), log(range[1]));

		if (fabs(v) < enough || fabs(next - at) < near)
			return (fabs(v) < enough) ? at : next;

		if (v > response && last - at > 0.5 && last_v - v < response) {
			info("the residual is larger than the noise explains (chi^2 per ray exceeds 1 - dof "
			     "by a factor of %.3g)",
			        exp(v));

			return NAN;
		}

		last = at;
		last_v = v;
		at = next;
	}

	warn("no trial reaches chi^2 = 1 - dof per ray (the last lambda %.4g differs by a factor of %.3g)",
	        exp(last), exp(last_v));

	return last;
}

double search_by_freedom(struct search *s, double start)
{
	struct recon *r = s->r;
	const size_t size = dtype_size(r->type);
	struct freedom f = {.s = s};
	double range[2];

	f.u = md_calloc(1, &r->n, size);
	f.v = md_alloc(1, &r->m, size);
	f.moved = md_alloc(1, &r->m, size);
	search_signs(s->all.W, r->type, r->m, f.v);
	vec_scale(r->type, r->m, f.v, probe * s->sigma);
	f.energy = weights_norm2(s->all.W, r->type, r->m, f.v);
	vec_copy(r->type, r->m, f.moved, s->all.y);
	vec_axpy(r->type, r->m, f.moved, 1., f.v);
	search_range(s, range);

	double at = log(fmin(fmax(start, range[0]), range[1]));
	const double best = responds(&f, &at) ? root(&f, at) : NAN;

	run_state_free(&f.state[0]);
	run_state_free(&f.state[1]);
	md_free(f.u);
	md_free(f.v);
	md_free(f.moved);

	return exp(best);
}
