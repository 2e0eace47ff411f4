/* The command line of reconstructions by name: only what the algorithm can take is there to be given. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_tool.h"

#include "iter/recon/recon.h"
#include "iter/recon/recon_kinds.h"
#include "iter/recon/recon_back.h"
#include "iter/recon/recon_choose.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_dictionary.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

enum { OPTIONS_MAX = 96 };

static struct opt table[OPTIONS_MAX];

static void add(int *n, const struct opt *o)
{
	for (; OPT_KIND_END != o->kind; o++)
		table[(*n)++] = *o;

	table[*n] = *o;
}

static void drop(int *n, const char *name)
{
	for (int i = 0; i < *n; i++)
		if (NULL != table[i].name && 0 == strcmp(name, table[i].name)) {
			memmove(table + i, table + i + 1, (size_t)(*n - i) * sizeof *table);
			(*n)--;
			return;
		}
}

static char *list_algorithms(void)
{
	struct str s = {0};

	str_add(&s, "Algorithms:");

	for (int i = 0; NULL != algorithms[i]; i++)
		str_printf(&s, "%s %s (%s)", i ? ";" : "", algorithms[i]->name, algorithms[i]->about);

	str_add(&s, ".");

	return s.data;
}

static char *names(void)
{
	struct str s = {0};

	for (int i = 0; NULL != algorithms[i]; i++)
		str_printf(&s, "%s%s", i ? "|" : "", algorithms[i]->name);

	return s.data;
}

/** Refuses an option that the algorithm would ignore; names those with any of the flags. */
static void expect_taker(bool given, const char *option, const struct algorithm *a, unsigned flags)
{
	if (!given || (a->takes & flags))
		return;

	struct str s = {0};

	for (int i = 0; NULL != algorithms[i]; i++)
		if (algorithms[i]->takes & flags)
			str_printf(&s, "%s%s", s.len ? ", " : "", algorithms[i]->name);

	usage_error("%s: %s takes none, expected one of %s", option, a->name, s.data);
}

/** Options of recon that only some algorithms read. */
static void check_takers(const struct recon_opts *o, const struct algorithm *a)
{
	const struct iter_descent *d = &o->descent;
	const struct newton_conf *w = &o->newton;
	const bool newton = 0 != (a->takes & TAKES_NONLINEAR);

	expect_taker(0. != o->step, "--step", a, TAKES_STEP);
	expect_taker(0 <= o->steps, "--steps", a, TAKES_STEPS);
	expect_taker(0. != o->relaxation, "--relaxation", a, TAKES_RELAXATION);
	expect_taker(0 <= o->order, "--order", a, TAKES_SUBSETS);
	expect_taker(0 != o->seed, "--seed", a, TAKES_SUBSETS);
	expect_taker(0 != d->steps, "--descents", a, DESCENDS);
	expect_taker(0. != d->alpha, "--alpha", a, DESCENDS);
	expect_taker(0. != d->ratio, "--ratio", a, DESCENDS);
	expect_taker(0. != d->shrink, "--shrink", a, DESCENDS);
	expect_taker(0. != d->fade, "--fade", a, DESCENDS);
	expect_taker(0. != w->alpha, "--damping", a, TAKES_NONLINEAR);

	if (0 <= o->steps && 0. != o->step)
		usage_error("--steps: --step gives the step of all voxels (omit one of them)");

	if (0. != o->until && (a->takes & DESCENDS))
		usage_error(
		        "--until: %s seeks the data first, and its objective need not fall (use --change)",
		        a->name);

	if (0. != w->factor && 0 != strcmp("irgnm", a->name))
		usage_error("--factor: %s takes none, expected irgnm", a->name);

	if (0 != w->inner.iterations && !newton && 0 != strcmp("irn", a->name))
		usage_error("--inner: %s takes none, expected irgnm, lm or irn", a->name);
}

/** A seed of an order that is not random would be ignored. */
static void check_seed(const struct recon_opts *o, const struct algorithm *a)
{
	const enum sampler order = (0 <= o->order) ? (enum sampler)(o->order + 1) : a->order;

	if (0 != o->seed && SAMPLER_SHUFFLE != order && SAMPLER_RANDOM != order)
		usage_error("--seed: the order of the subsets is not random (add --order shuffle or --order "
		            "random)");
}

static long usual_iterations(const struct algorithm *a)
{
	return (0 < a->iterations) ? a->iterations : RECON_ITERATIONS;
}

/** The default of -i, which the help says; a NULL: of each algorithm. */
static void tell_iterations(int n, const struct algorithm *a)
{
	static char text[160];
	struct str s = {0};

	for (int i = 0; NULL == a && NULL != algorithms[i]; i++)
		if (0 < algorithms[i]->iterations)
			str_printf(&s, ", %s %ld", algorithms[i]->name, algorithms[i]->iterations);

	snprintf(text, sizeof text, "at most N iterations (default: %ld%s; with --until %d)",
	        (NULL == a) ? RECON_ITERATIONS : usual_iterations(a), (NULL == s.data) ? "" : s.data,
	        RECON_UNTIL);
	free(s.data);

	for (int i = 0; i < n; i++)
		if (NULL != table[i].name && 0 == strcmp("iterations", table[i].name))
			table[i].help = text;
}

/** A part of 1 from "0.1%" or "0.001"; NULL: 0. */
static double until_of(const char *text)
{
	if (NULL == text)
		return 0.;

	const size_t n = strlen(text);
	const bool percent = n > 0 && '%' == text[n - 1];
	char *digits = mem_printf("%.*s", (int)(n - percent), text);
	const double v = parse_double(digits, "--until") / (percent ? 100. : 1.);

	free(digits);

	if (!(v > 0. && v < 1.))
		usage_error(
		        "--until %s: expected more than 0%% and less than 100%%, as in --until 0.1%%", text);

	return v;
}

/** Whether a command of any algorithm has no option that says what to minimise or how. */
static bool is_by_itself(const struct recon_tool *t, const struct recon_opts *o, int choice)
{
	const bool method = NULL != t->algorithm || 0 <= choice || 0 < o->terms.n || NULL != o->data;
	const bool penalty = 0. != o->lambda || NULL != o->rule || NULL != o->prior || NULL != o->denoiser;
	const bool stops = 0. != o->noise || 0. != o->tolerance;
	const bool others = 0 <= o->back || 0 != o->basis || NULL != o->dictionary || NULL != o->curve ||
	                    0 < o->range.n || 0 < o->subsets || 0 <= o->order;

	return !(method || penalty || stops || others);
}

int recon_tool(const struct recon_tool *t, int argc, char *argv[])
{
	struct recon_opts o = RECON_DEFAULTS;
	const struct algorithm *a = (NULL != t->algorithm) ? algorithm_find(t->algorithm) : NULL;
	const unsigned takes = (NULL != a) ? a->takes : ~0u;
	const bool asks_data = 0 != (takes & (TAKES_WEIGHTS | TAKES_DATA | TAKES_DATA_PROX));
	const char *until = NULL;
	bool nonneg = false;
	int choice = -1, n = 0;
	char *list = names(), *described = list_algorithms();

	o.iterations = -1;

	const struct opt common[] = {OPT_RECON(&o), OPT_END};
	const struct opt chooses[] = {
	        OPT_CHOICE('a', "algorithm", &choice, list, "how to minimise (default: by what is asked)"),
	        OPT_END};
	char *placeholder = recon_kinds_placeholder(), *priors = recon_kinds_prior_help();
	char *term_details = recon_kinds_details();
	const struct opt terms[] = {OPT_TERMS(&o.terms, placeholder, &o.prior, priors, &o.denoiser), OPT_END};
	const struct opt rules[] = {
	        OPT_STRING(0, "rule", &o.rule, "auto|views|dof[:SIGMA]|discrepancy[:SIGMA]|lcurve|gcv",
	                "choose the factor that is auto (default: auto), or --lambda"),
	        OPT_DOUBLES(0, "range", &o.range, "LO:HI", 0, 0,
	                "factors that the rule may choose (default: found)"),
	        OPT_OUTFILE(0, "curve", &o.curve, "FILE",
	                "write what the rule tried, as CSV, or draw it into NAME.png or NAME.svg"),
	        OPT_END};
	const struct opt data[] = {OPT_DATA(&o.data), OPT_END};
	const struct opt weights[] = {OPT_ARRAY(0, "weights", &o.weights, "W",
	                                      "weights of the projections, >= 0, as of normalize --weights "
	                                      "(default: exp(-y) scaled to maximum 1)"),
	        OPT_END};
	const struct opt subsets[] = {OPT_LONG(0, "subsets", &o.subsets, "N", 0, 1e6,
	                                      "subsets of the views (0: as the algorithm likes)"),
	        OPT_CHOICE(0, "order", &o.order, SAMPLER_NAMES,
	                "of the subsets (default: as the algorithm likes)"),
	        OPT_LONG(0, "seed", &o.seed, "S", 0, 1e18, "of random orders"), OPT_END};
	const struct opt back[] = {OPT_BACK_MODEL(&o.back), OPT_END};
	const struct opt basis[] = {OPT_LONG(0, "basis", &o.basis, "N", 0, 1e5,
	                                    "vectors of the basis that the algorithm keeps (0: as it likes)"),
	        OPT_END};
	const struct opt newton[] = {
	        OPT_DOUBLE(0, "damping", &o.newton.alpha, "A", 0, 1e300,
	                "irgnm, lm: first penalty or damping of a step (0: found by itself)"),
	        OPT_DOUBLE(0, "factor", &o.newton.factor, "Q", 0, 1,
	                "irgnm: what the penalty is multiplied with from step to step (0: 1/2)"),
	        OPT_LONG(0, "inner", &o.newton.inner.iterations, "N", 0, 1e9,
	                "irgnm, lm, irn: conjugate gradients in a step (0: 10)"),
	        OPT_END};
	const struct opt spectrum[] = {OPT_SPECTRUM(&o.spectrum), OPT_END};
	const struct opt dictionary[] = {OPT_DICTIONARY(&o.dictionary), OPT_END};
	const struct opt bounded[] = {OPT_FLAG(0, "nonneg", &nonneg, "only volumes >= 0"), OPT_END};
	const struct opt descent[] = {
	        OPT_LONG(0, "descents", &o.descent.steps, "N", 0, 1e6,
	                "steps along the gradient of the terms after each pass (0: 20)"),
	        OPT_DOUBLE(0, "alpha", &o.descent.alpha, "A", 0, 1e6,
	                "their first length, as a part of the first pass (0: 0.002)"),
	        OPT_DOUBLE(0, "ratio", &o.descent.ratio, "R", 0, 1e6,
	                "they shorten where they move more than this part of the pass (0: 0.95)"),
	        OPT_DOUBLE(0, "shrink", &o.descent.shrink, "F", 0, 1, "by this factor (0: 0.95)"),
	        OPT_DOUBLE(0, "fade", &o.descent.fade, "F", 0, 1,
	                "factor of the relaxation after each pass (0: 0.995)"),
	        OPT_END};
	const struct opt stops[] = {
	        OPT_DOUBLE(0, "step", &o.step, "S", 0, 1e300, "step of the algorithm (0: found by itself)"),
	        OPT_CHOICE(0, "steps", &o.steps, "diagonal|plain",
	                "of each voxel and ray, or one for all from norms (default: diagonal)"),
	        OPT_DOUBLE(0, "relaxation", &o.relaxation, "R", 0, 2, "factor of a step, below 2 (0: 1)"),
	        OPT_DOUBLE(0, "noise", &o.noise, "N", 0, 1e300,
	                "stop at a residual |A x - y| of N (0: never); asd-pocs: what it may be"),
	        OPT_DOUBLE(0, "change", &o.change, "C", 0, 1, "stop where |x - last x| <= C |x| (0: never)"),
	        OPT_STRING(0, "until", &until, "P%",
	                "stop at an objective P % above its minimum, by an estimate"),
	        OPT_DOUBLE(0, "seconds", &o.seconds, "T", 0, 1e15, "stop after T seconds (0: never)"),
	        {0, "checkpoint", OPT_KIND_OUTFILE, &o.checkpoint, "FILE",
	                "keep the state of the iteration in FILE (FILE.K of channel and time number K)",
	                OPT_NO_HISTORY | OPT_STATE, 0, 0, NULL},
	        {0, "every", OPT_KIND_LONG, &o.every, "K", "write it after every K iterations",
	                OPT_NO_HISTORY, 1, 1e15, NULL},
	        {0, "resume", OPT_KIND_FLAG, &o.resume, NULL,
	                "go on from --checkpoint, to the same bytes; from the start where there is none yet",
	                OPT_NO_HISTORY, 0, 0, NULL},
	        OPT_FLAG(0, "keep-best", &o.keep,
	                "where the objective grows without a limit, give the best volume"),
	        OPT_END};
	const struct opt arguments[] = {ARG_RECON(&o), OPT_END};

	if (NULL == a)
		add(&n, chooses);

	add(&n, common);
	tell_iterations(n, a);

	if (!(takes & TAKES_LAMBDA))
		drop(&n, "lambda");

	if (takes & (TAKES_SMOOTH | TAKES_PROX | TAKES_TERMS))
		add(&n, terms);

	if (takes & (TAKES_LAMBDA | TAKES_SMOOTH | TAKES_PROX | TAKES_TERMS))
		add(&n, rules);

	if (NULL == t->data && asks_data)
		add(&n, data);

	if (asks_data && (NULL == t->data || recon_data_is_weighted(t->data)))
		add(&n, weights);

	if (NULL != t->nonneg)
		add(&n, bounded);

	if (takes & TAKES_SUBSETS)
		add(&n, subsets);

	if (takes & TAKES_BACK)
		add(&n, back);

	if (takes & (KEEPS_VOLUMES | KEEPS_PROJECTIONS))
		add(&n, basis);

	if (takes & DESCENDS)
		add(&n, descent);

	if (takes & TAKES_NONLINEAR)
		add(&n, newton);

	if (takes & TAKES_NONLINEAR)
		add(&n, spectrum);

	if (takes & TAKES_DICTIONARY)
		add(&n, dictionary);

	add(&n, stops);

	if (!(takes & TAKES_STEP)) // steps are what they are
		drop(&n, "step");

	if (!(takes & TAKES_STEPS))
		drop(&n, "steps");

	if (!(takes & TAKES_RELAXATION))
		drop(&n, "relaxation");

	add(&n, arguments);

	char *details = mem_printf("%s\n\n%s%s%s%s" RECON_DETAILS, t->details, (NULL == a) ? described : "",
	        (NULL == a) ? "\n\n" : "",
	        (takes & (TAKES_SMOOTH | TAKES_PROX | TAKES_TERMS)) ? term_details : "",
	        (NULL == t->data && asks_data) ? DATA_DETAILS "\n\n" : "");

	tool_init(&(struct tool){.name = t->name,
	                  .group = t->group,
	                  .synonyms = t->synonyms,
	                  .about = t->about,
	                  .details = details,
	                  .examples = t->examples,
	                  .memory = "the vectors of the algorithm (--plan tells) beside the mapped files; "
	                            "those that do not fit "
	                            "into GANTRY_MEM lie in temporary files",
	                  .opts = table},
	        argc, argv);

	if (nonneg)
		a = algorithm_find(t->nonneg);

	o.by_itself = is_by_itself(t, &o, nonneg ? 0 : choice);

	if (NULL != t->data)
		o.data = t->data;
	else if (NULL == o.data && NULL != o.weights)
		o.data = "weighted";

	if (NULL == a)
		a = o.by_itself    ? algorithm_find("spdhg")
		    : (choice < 0) ? recon_choose(&o)
		                   : algorithms[choice];

	if (o.back >= 0 && !(a->takes & TAKES_BACK))
		usage_error(
		        "--back-model: %s needs the transpose of A, expected ab-gmres or ba-gmres", a->name);

	if (0 != o.basis && (0 == a->basis || o.basis < 2))
		usage_error("--basis %ld: %s", o.basis,
		        (0 == a->basis) ? "this algorithm keeps none" : "expected at least 2, or 0");

	if (NULL != o.dictionary && !(a->takes & TAKES_DICTIONARY))
		usage_error("--dictionary: %s has none, expected omp", a->name);

	if (NULL != o.dictionary && 0 != strcmp(o.dictionary, "voxels") && NULL != o.mask)
		usage_error(
		        "--dictionary %s: atoms reach out of a --mask, expected one of them", o.dictionary);

	if ((a->takes & TAKES_NONLINEAR) && !recon_data_is_nonlinear(o.data))
		usage_error("%s is for counts of transmission, expected --data transmission:I0 or "
		            "polychromatic:I0",
		        a->name);

	if (!(a->takes & TAKES_NONLINEAR) && recon_data_is_nonlinear(o.data))
		usage_error("--data %s is not linear in the volume, and %s is for linear problems; expected "
		            "irgnm or "
		            "lm, or --data poisson",
		        o.data, a->name);

	o.until = until_of(until);

	if (o.iterations < 0)
		o.iterations = (o.until > 0.) ? RECON_UNTIL : usual_iterations(a);

	check_takers(&o, a);
	check_seed(&o, a);

	if (o.resume && NULL == o.checkpoint)
		usage_error("--resume needs --checkpoint FILE");

	if (2. == o.relaxation)
		usage_error("--relaxation 2: expected less than 2");

	if (NULL != o.weights && !recon_data_is_weighted(o.data))
		usage_error("--weights needs --data weighted");

	tool_record("algorithm", (NULL == t->algorithm) ? "%s" : NULL, a->name);
	recon_run(
	        &o, &(struct recon_algorithm){.algorithm = a,
	                    .weights = recon_data_is_weighted(o.data) ? RECON_STATISTICAL : RECON_UNWEIGHTED,
	                    .volumes = algorithm_volumes(a, o.basis, recon_data_is_weighted(o.data)),
	                    .projections = algorithm_projections(a, o.basis)});
	free(details);
	free(list);
	free(described);
	free(placeholder);
	free(priors);
	free(term_details);
	leave(EXIT_DONE);
}
