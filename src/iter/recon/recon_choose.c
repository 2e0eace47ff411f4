#include <string.h>

#include "iter/recon/recon_choose.h"

#include "iter/recon/recon_kinds.h"
#include "iter/recon/recon_data.h"
#include "misc/error.h"

struct asked {
	int terms, bounds;
	int of[RECON_PREFERENCES]; // terms of each sort
	int slow;                  // whose prox takes longer than a subset of the views
	const char *adaptive;      // a term of asd-pocs; NULL: none
	const char *data;          // NULL: least squares
};

static struct asked count(const struct recon_opts *o)
{
	const bool plain = NULL == o->data || 0 == strcmp(o->data, "l2");
	struct asked a = {.terms = o->terms.n, .data = plain ? NULL : o->data};

	for (int i = 0; i < o->terms.n; i++) {
		const struct recon_kind *kind = recon_kind_find(o->terms.v[i]);

		if (NULL == kind) // is refused where its word is read
			continue;

		a.of[kind->prefers]++;

		if (PREFERS_DESCENT == kind->prefers)
			a.adaptive = o->terms.v[i];
	}

	a.bounds = a.of[PREFERS_BOUNDS] + a.of[PREFERS_NONNEGATIVE];
	a.slow = a.of[PREFERS_WHOLE] + a.of[PREFERS_OPERATOR];

	return a;
}

static const char *nonlinear(const struct asked *a)
{
	if (0 < a->terms)
		usage_error("--data %s: no algorithm supports this model with terms of -R (remove the terms, "
		            "or use --data poisson:I0)",
		        a->data);

	return "irgnm";
}

static const char *adaptive(const struct asked *a, const struct recon_opts *o)
{
	if (NULL != a->data)
		usage_error("-R %s is for least squares, and not for --data %s (use -R tv or -R htv)",
		        a->adaptive, a->data);

	if (0. != o->lambda)
		usage_error("-R %s cannot be combined with --lambda (use -R l2 in place of --lambda)",
		        a->adaptive);

	return "asd-pocs";
}

/** The algorithm for counts of emission, whose likelihood has no bounded curvature. */
static const char *emission(const struct asked *a, const struct recon_opts *o)
{
	if (0. != o->step && a->terms == a->of[PREFERS_RED] + a->bounds)
		return "fista";

	if (0 < a->of[PREFERS_RED])
		usage_error("--data kl with -R red: no algorithm can choose the step size (give --step, or "
		            "use -R pnp)");

	if (0 < a->of[PREFERS_DENOISER])
		return "pdhg";

	return (a->terms == a->of[PREFERS_NONNEGATIVE] && 0. == o->lambda && NULL == o->rule) ? "mlem"
	                                                                                      : "spdhg";
}

/** At most one term beside differences, without operators. With terms or a penalty the minimum is wanted;
 * without them fista comes near the object slowly enough to be stopped there (doc/algorithms.md). */
static const char *simple(const struct asked *a, const struct recon_opts *o)
{
	const bool penalty = 0. != o->lambda || (a->terms == a->bounds && NULL != o->rule);
	const bool steps = 0. != o->step || 0. != o->relaxation;

	if (0 == a->terms && NULL == a->data)
		return "lsqr";

	if (0 < a->of[PREFERS_GRADIENT])
		return "lbfgs";

	if (steps || a->terms > a->bounds + a->of[PREFERS_SUM] || !(penalty || 0 < a->of[PREFERS_SUM]))
		return "fista";

	if (0 < a->terms)
		return "spdhg";

	return recon_data_is_weighted(a->data) ? "cg" : "lbfgs";
}

/** Data with a largest curvature. */
static const char *smooth(const struct asked *a, const struct recon_opts *o)
{
	const bool counts = NULL != a->data && 0 == strncmp(a->data, "poisson", 7);
	const bool squares = NULL == a->data || recon_data_is_weighted(a->data);

	if (0 < a->of[PREFERS_RED])
		return (a->terms == a->of[PREFERS_RED] + a->bounds && a->bounds <= 1) ? "fista" : "condat-vu";

	if (0 < a->of[PREFERS_DENOISER] && squares)
		return "admm";

	if (0 < a->of[PREFERS_DENOISER])
		return counts ? "condat-vu" : "pdhg";

	if (0 < a->of[PREFERS_COUNT] && 1 < a->terms && squares)
		return "admm";

	if (0 < a->slow && (1 < a->terms || 0 < a->of[PREFERS_OPERATOR]))
		return "pdhg";

	if (0 < a->of[PREFERS_EDGES] || 1 < a->terms)
		return "spdhg";

	return simple(a, o);
}

const struct algorithm *recon_choose(const struct recon_opts *o)
{
	const struct asked a = count(o);
	const char *name = recon_data_is_nonlinear(a.data)                 ? nonlinear(&a)
	                   : (NULL != a.adaptive)                          ? adaptive(&a, o)
	                   : (NULL != a.data && 0 == strcmp(a.data, "kl")) ? emission(&a, o)
	                                                                   : smooth(&a, o);

	return algorithm_find(name);
}
