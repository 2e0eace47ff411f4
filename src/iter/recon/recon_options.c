#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_options.h"

#include "iter/recon/recon_back.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_dictionary.h"
#include "iter/recon/recon_kinds.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

/* Masks of algorithms. */
static const unsigned all = ~0u, nobody = 0, terms_takers = TAKES_SMOOTH | TAKES_PROX | TAKES_TERMS,
                      data_takers = TAKES_WEIGHTS | TAKES_DATA | TAKES_DATA_PROX;

#define OPTS(...) ((const struct opt[]){__VA_ARGS__, OPT_END})

/** Names of the algorithms with any of the flags. malloc'd. */
static char *names_of(unsigned takes, const char *separator)
{
	struct str s = {0};

	for (int i = 0; NULL != algorithms[i]; i++)
		if (algorithms[i]->takes & takes)
			str_printf(&s, "%s%s", s.len ? separator : "", algorithms[i]->name);

	return s.data;
}

/** A row for each. malloc'd. */
static char *describe_algorithms(void)
{
	struct str s = {0};

	for (int i = 0; NULL != algorithms[i]; i++)
		str_printf(&s, "%s\t%s\n", algorithms[i]->name, algorithms[i]->about);

	str_add(&s, "\nChosen without --algorithm:\n"
	            "lsqr\tleast squares\n"
	            "cg\tweights, --lambda\n"
	            "lbfgs\tquadratic terms, and differentiable terms that use differences between voxels\n"
	            "spdhg\tterms with edges, l1, several terms; kl with terms other than nonneg\n"
	            "pdhg\t"
	            "in place of spdhg if a proximal operator is slow (see terms)\n"
	            "admm\t-R pnp\n"
	            "condat-vu\t-R red with other terms\n"
	            "mlem\tkl\n"
	            "irgnm\ttransmission, polychromatic\n"
	            "asd-pocs\tawtv\n"
	            "fista\tall others\n");

	return s.data;
}

/** Rows for the values of --rule; doc/terms.md says more. */
static const char rule_details[] =
        "auto\tthe default. Total variation: the geometric mean of 0.5n and the factor of 'views'. Other "
        "terms: the factor of 'views'\n"
        "views\tthe factor that best predicts a tenth of the views, which are left out. No noise level is "
        "needed\n"
        "dof[:SIGMA]\tthe residual is SIGMA sqrt(rays - degrees of freedom)\n"
        "discrepancy[:SIGMA]\tthe residual is SIGMA sqrt(rays)\n"
        "lcurve\tthe curve of log residual over log penalty has its largest curvature\n"
        "gcv\tminimum of generalised cross-validation; for least squares with quadratic penalties\n\n"
        "If a factor is 'auto', as in tv:auto, the rule chooses the value of this factor. If no factor is "
        "'auto', the rule chooses the value of --lambda. SIGMA is the noise of a line integral with "
        "weight 1, as a standard deviation (default: estimated). The rules 'auto', 'views' and 'dof' run "
        "20 iterations for the first factor tried, and 10 for each further factor. The other rules run "
        "one complete reconstruction for each factor tried. The option --range limits the factors that "
        "the rule may choose. The option --curve writes the factors tried to a file. The chosen factor is "
        "printed. A later run with the chosen factor in place of 'auto' gives a bit-identical result.\n";

/** --help shows those of the first section, and the others by name. */
static const struct help_section sections[] = {
        {"Options", "algorithm iterations regularise data weights nonneg lambda like mask"},
        {"Volume", "size spacing origin type init"},
        {"Projections", "views model back-model spectrum attenuation energy material2 fraction"},
        {"Terms", "prior denoiser rule range curve"},
        {"End", "tolerance noise change until seconds keep-best"},
        {"Log and state", "reference log save-every save-as checkpoint every resume"},
        {"Of single algorithms", NULL},
        {NULL, NULL},
};

/** The help of -i, which says the default; a NULL: of each algorithm. */
static char *iterations_help(const struct algorithm *a)
{
	struct str s = {0};

	str_printf(&s, "at most N iterations (default: %ld", recon_usual_iterations(a));

	for (int i = 0; NULL == a && NULL != algorithms[i]; i++)
		if (0 < algorithms[i]->iterations)
			str_printf(&s, ", %s %ld", algorithms[i]->name, algorithms[i]->iterations);

	str_printf(&s, "; with --until %d)", RECON_UNTIL);

	return s.data;
}

/** Adds options where `takes`, what the algorithm of the command takes, has one of the flags. */
static void offer(struct recon_line *l, unsigned takes, struct recon_need need, const struct opt *o)
{
	for (; (takes & need.takes) && OPT_KIND_END != o->kind; o++, l->n++) {
		l->table[l->n] = *o;
		l->need[l->n] = need;

		if (!(o->flags & OPT_IS_ARG))
			l->table[l->n].given = l->given + l->n;
	}

	l->table[l->n] = (struct opt)OPT_END;
}

static void offer_all(struct recon_line *l, const struct recon_tool *t, unsigned takes)
{
	struct recon_opts *o = &l->opts;
	const bool any_data = NULL == t->data, weighs = any_data || recon_data_is_weighted(t->data);
	enum { ALGORITHM, ITERATIONS, TERMS, PRIOR };

	const struct {
		struct recon_need need;
		const struct opt *opts;
	} rows[] = {
	        {{(NULL == t->algorithm) ? all : nobody, false},
	                OPTS(OPT_CHOICE('a', "algorithm", &l->choice, l->texts[ALGORITHM],
	                        "algorithm (default: chosen by data, terms and options)"))},
	        {{all, false}, OPTS(OPT_LONG('i', "iterations", &o->iterations, "N", 0, 1e15,
	                               l->texts[ITERATIONS]))},
	        {{TAKES_LAMBDA, false}, OPTS(OPT_DOUBLE(0, "lambda", &o->lambda, "L", 0, 1e300,
	                                        "factor of the penalty L/2 |x|^2 [mm^2]"))},
	        {{all, false}, OPTS(OPT_RECON(o))},
	        {{terms_takers, false}, OPTS(OPT_TERMS(&o->terms, l->texts[TERMS], &o->prior, l->texts[PRIOR],
	                                        &o->denoiser))},
	        {{TAKES_LAMBDA | terms_takers, false},
	                OPTS(OPT_STRING(0, "rule", &o->rule,
	                             "auto|views|dof[:SIGMA]|discrepancy[:SIGMA]|lcurve|gcv",
	                             "rule that chooses a factor (default: auto)"),
	                        OPT_DOUBLES(0, "range", &o->range, "LO:HI", 0, 0,
	                                "range of factors that the rule may choose (default: all)"),
	                        OPT_OUTFILE(0, "curve", &o->curve, "FILE",
	                                "write the factors tried (CSV, PNG, SVG)"))},
	        {{any_data ? data_takers : nobody, false}, OPTS(OPT_DATA(&o->data))},
	        {{weighs ? data_takers : nobody, false},
	                OPTS(OPT_ARRAY(0, "weights", &o->weights, "W",
	                        "weights of the projections (default: exp(-y), maximum 1)"))},
	        {{(NULL != t->nonneg) ? all : nobody, false},
	                OPTS(OPT_FLAG(0, "nonneg", &l->nonneg, "constrain the volume to values >= 0"))},
	        {{TAKES_SUBSETS, false},
	                OPTS(OPT_LONG(0, "subsets", &o->subsets, "N", 0, 1e6,
	                        "number of subsets of the views (default: chosen by the algorithm)"))},
	        {{TAKES_SUBSETS, true},
	                OPTS(OPT_CHOICE(0, "order", &o->order, SAMPLER_NAMES,
	                             "order of the subsets (default: chosen by the algorithm)"),
	                        OPT_LONG(0, "seed", &o->seed, "S", 0, 1e18, "seed of random orders"))},
	        {{TAKES_BACK, true}, OPTS(OPT_BACK_MODEL(&o->back))},
	        {{KEEPS_VOLUMES | KEEPS_PROJECTIONS, true},
	                OPTS(OPT_LONG(0, "basis", &o->basis, "N", 0, 1e5,
	                        "number of basis vectors (default: chosen by the algorithm)"))},
	        {{DESCENDS, true},
	                OPTS(OPT_LONG(0, "tv-iterations", &o->descent.steps, "N", 0, 1e6,
	                             "gradient steps of the terms after each data pass (ng; default: 20)"),
	                        OPT_DOUBLE(0, "alpha", &o->descent.alpha, "A", 0, 1e6,
	                                "first step of the terms, relative to the first pass (default: "
	                                "0.002)"),
	                        OPT_DOUBLE(0, "r-max", &o->descent.ratio, "R", 0, 1e6,
	                                "ratio of term step to data step above which term steps shrink "
	                                "(default: 0.95)"),
	                        OPT_DOUBLE(0, "alpha-red", &o->descent.shrink, "F", 0, 1,
	                                "factor by which term steps shrink (default: 0.95)"),
	                        OPT_DOUBLE(0, "beta-red", &o->descent.fade, "F", 0, 1,
	                                "factor of the relaxation after each pass (default: 0.995)"))},
	        {{TAKES_NONLINEAR, true},
	                OPTS(OPT_DOUBLE(0, "damping", &o->newton.alpha, "A", 0, 1e300,
	                        "irgnm, lm: first penalty or damping (default: from the curvature)"))},
	        {{TAKES_FACTOR, true},
	                OPTS(OPT_DOUBLE(0, "factor", &o->newton.factor, "Q", 0, 1,
	                        "irgnm: factor of the penalty from step to step (default: 1/2)"))},
	        {{TAKES_INNER, true},
	                OPTS(OPT_LONG(0, "inner", &o->newton.inner.iterations, "N", 0, 1e9,
	                        "irgnm, lm, irn: conjugate gradient iterations per step (default: 10)"))},
	        {{TAKES_NONLINEAR, false}, OPTS(OPT_SPECTRUM(&o->spectrum))},
	        {{TAKES_DICTIONARY, true}, OPTS(OPT_DICTIONARY(&o->dictionary))},
	        {{TAKES_STEP, true}, OPTS(OPT_DOUBLE(0, "step", &o->step, "S", 0, 1e300,
	                                     "step size (default: chosen by the algorithm)"))},
	        {{TAKES_STEPS, true},
	                OPTS(OPT_CHOICE(0, "steps", &o->steps, "diagonal|plain",
	                        "one step size per voxel and ray, or one for all (default: diagonal)"))},
	        {{TAKES_RELAXATION, true}, OPTS(OPT_DOUBLE(0, "relaxation", &o->relaxation, "R", 0, 2,
	                                           "factor of a step, below 2 (default: 1)"))},
	        {{all, false}, OPTS(OPT_STOPS(o, &l->until_text))},
	        {{all, false}, OPTS(ARG_RECON(o))},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		offer(l, takes, rows[i].need, rows[i].opts);
}

void recon_line_init(struct recon_line *l, const struct recon_tool *t, const struct algorithm *a)
{
	const unsigned takes = (NULL == a) ? all : a->takes;

	*l = (struct recon_line){.opts = RECON_DEFAULTS,
	        .choice = -1,
	        .texts = {names_of(all, "|"), iterations_help(a), recon_kinds_placeholder(),
	                recon_kinds_prior_help(), describe_algorithms(), recon_kinds_details()}};
	l->opts.iterations = -1;
	offer_all(l, t, takes);
	struct help_topic *k = l->topics;

	if (NULL == a)
		*k++ = (struct help_topic){"algorithms", "what each does, and its source", l->texts[4]};

	if (takes & terms_takers) {
		*k++ = (struct help_topic){"terms", "what -R takes", l->texts[5]};
		*k++ = (struct help_topic){"rules", "how a factor is chosen (tv:auto, --rule)", rule_details};
	}

	if (NULL == t->data && (takes & data_takers))
		*k++ = (struct help_topic){"data", "what --data takes", DATA_DETAILS};

	*k++ = (struct help_topic){"results", "grid, type, log and errors", RECON_DETAILS};
	l->sections = sections;
}

void recon_line_free(struct recon_line *l)
{
	for (size_t i = 0; i < sizeof l->texts / sizeof *l->texts; i++)
		free(l->texts[i]);
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

/** A seed of an order that is not random would be ignored. */
static void check_seed(const struct recon_opts *o, const struct algorithm *a)
{
	const enum sampler order = (0 <= o->order) ? (enum sampler)(o->order + 1) : a->order;

	if (0 != o->seed && SAMPLER_SHUFFLE != order && SAMPLER_RANDOM != order)
		usage_error("--seed: the order of the subsets is not random (add --order shuffle or --order "
		            "random)");
}

/** Values that no algorithm takes, alone or with others. */
static void check_values(const struct recon_opts *o, const struct algorithm *a)
{
	if (0 != o->basis && o->basis < 2)
		usage_error("--basis %ld: expected at least 2, or 0", o->basis);

	if (NULL != o->dictionary && 0 != strcmp(o->dictionary, "voxels") && NULL != o->mask)
		usage_error("--dictionary %s and --mask exclude each other (atoms extend beyond a mask)",
		        o->dictionary);

	if (0 <= o->steps && 0. != o->step)
		usage_error("--steps and --step exclude each other (--step sets the step of all voxels)");

	if (0. != o->until && (a->takes & DESCENDS))
		usage_error("--until: the objective of %s may grow (use --change)", a->name);

	check_seed(o, a);

	if (o->resume && NULL == o->checkpoint)
		usage_error("--resume needs --checkpoint FILE");

	if (2. == o->relaxation)
		usage_error("--relaxation 2: expected less than 2");

	if (NULL != o->weights && !recon_data_is_weighted(o->data))
		usage_error("--weights needs --data weighted");
}

static void check_data(const struct recon_opts *o, const struct algorithm *a)
{
	if ((a->takes & TAKES_NONLINEAR) && !recon_data_is_nonlinear(o->data))
		usage_error(
		        "%s is for counts of transmission (give --data transmission:I0 or polychromatic:I0)",
		        a->name);

	if (!(a->takes & TAKES_NONLINEAR) && recon_data_is_nonlinear(o->data))
		usage_error("--data %s is not linear in the volume, but %s is for linear problems (use "
		            "--algorithm irgnm or lm, or --data poisson)",
		        o->data, a->name);
}

void recon_line_check(struct recon_line *l, const struct algorithm *a)
{
	struct recon_opts *o = &l->opts;

	for (int i = 0; i < l->n; i++)
		if (l->need[i].alone && l->given[i] && !(a->takes & l->need[i].takes))
			usage_error("--%s: not supported by %s (valid: %s)", l->table[i].name, a->name,
			        names_of(l->need[i].takes, ", "));

	check_data(o, a);
	o->until = until_of(l->until_text);

	if (o->iterations < 0)
		o->iterations = (o->until > 0.) ? RECON_UNTIL : recon_usual_iterations(a);

	check_values(o, a);
}
