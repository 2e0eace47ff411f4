#include <string.h>

#include "iter/recon/recon_choose.h"

#include "iter/recon/recon_data.h"
#include "misc/error.h"

/** How many terms there are of each sort. */
struct asked {
	int terms, bounds, nonneg, differences, edges, sums, pnp, red;
	int slow;             // whose prox takes longer than a subset of the views
	int operators;        // of them with an operator
	int counts;           // of voxels: not convex
	const char *adaptive; // -R awtv; NULL: none
	const char *data;     // NULL: least squares
};

static bool is_kind(const char *word, const char *kind)
{
	const size_t n = strlen(kind);

	return 0 == strncmp(word, kind, n) && ('\0' == word[n] || ':' == word[n]);
}

static struct asked count(const struct recon_opts *o)
{
	const bool plain = NULL == o->data || 0 == strcmp(o->data, "l2");
	struct asked a = {.terms = o->terms.n, .data = plain ? NULL : o->data};

	for (int i = 0; i < o->terms.n; i++) {
		const char *w = o->terms.v[i];

		a.bounds += is_kind(w, "box") || is_kind(w, "nonneg");
		a.nonneg += is_kind(w, "nonneg");
		a.differences += is_kind(w, "htv") || is_kind(w, "smooth") || is_kind(w, "l2");
		a.edges +=
		        is_kind(w, "tv") || is_kind(w, "wavelet") || is_kind(w, "piccs") || is_kind(w, "dtv");
		a.sums += is_kind(w, "l1");
		a.slow += is_kind(w, "tgv") || is_kind(w, "ictv") || is_kind(w, "nuclear") ||
		          is_kind(w, "shearlet") || is_kind(w, "tnv");
		a.operators += is_kind(w, "shearlet") || is_kind(w, "tnv");
		a.counts += is_kind(w, "l0");
		a.pnp += is_kind(w, "pnp");
		a.red += is_kind(w, "red");

		if (is_kind(w, "awtv"))
			a.adaptive = w;
	}

	return a;
}

static const char *nonlinear(const struct asked *a)
{
	if (0 < a->terms)
		usage_error("--data %s: no algorithm takes it with terms of -R (remove them, or use --data "
		            "poisson:I0)",
		        a->data);

	return "irgnm";
}

static const char *adaptive(const struct asked *a, const struct recon_opts *o)
{
	if (NULL != a->data)
		usage_error("-R %s: it is for least squares, and not for --data %s (use -R tv or -R htv)",
		        a->adaptive, a->data);

	if (0. != o->lambda)
		usage_error("-R %s: it cannot be combined with --lambda (use -R l2)", a->adaptive);

	return "asd-pocs";
}

/** Counts of emission, whose likelihood has no largest curvature. */
static const char *emission(const struct asked *a, const struct recon_opts *o)
{
	if (0. != o->step && a->terms == a->red + a->bounds)
		return "fista";

	if (0 < a->red)
		usage_error("--data kl: no algorithm finds its steps with -R red (give --step, or use -R "
		            "pnp)");

	if (0 < a->pnp)
		return "pdhg";

	return (a->terms == a->nonneg && 0. == o->lambda && NULL == o->rule) ? "mlem" : "spdhg";
}

/** At most one term beside differences, without operators. With terms or a penalty the minimum is wanted;
 * without them fista comes near the object slowly enough to be stopped there (doc/algorithms.md). */
static const char *simple(const struct asked *a, const struct recon_opts *o)
{
	const bool penalty = 0. != o->lambda || (a->terms == a->bounds && NULL != o->rule);
	const bool steps = 0. != o->step || 0. != o->relaxation;

	if (0 == a->terms && NULL == a->data)
		return "lsqr";

	if (0 < a->differences)
		return "lbfgs";

	if (steps || a->terms > a->bounds + a->sums || !(penalty || 0 < a->sums))
		return "fista";

	if (0 < a->terms)
		return "spdhg";

	return recon_data_is_weighted(a->data) ? "cg" : "lbfgs";
}

/** Data with a largest curvature. */
static const char *smooth(const struct asked *a, const struct recon_opts *o)
{
	const bool counts = NULL != a->data && is_kind(a->data, "poisson");
	const bool squares = NULL == a->data || recon_data_is_weighted(a->data);

	if (0 < a->red)
		return (a->terms == a->red + a->bounds && a->bounds <= 1) ? "fista" : "condat-vu";

	if (0 < a->pnp && squares)
		return "admm";

	if (0 < a->pnp)
		return counts ? "condat-vu" : "pdhg";

	if (0 < a->counts && 1 < a->terms && squares)
		return "admm";

	if (0 < a->slow && (1 < a->terms || 0 < a->operators))
		return "pdhg";

	if (0 < a->edges || 1 < a->terms)
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
