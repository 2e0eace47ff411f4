#include "iter/recon/recon_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/monitor/noise_level.h"
#include "iter/recon/recon_kinds.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_search.h"
#include "misc/plot/canvas.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "misc/plot/plot.h"
#include "num/md/flpmath.h"

enum kind { DISCREPANCY, LCURVE, GCV, VIEWS, DOF, AUTO };

static const char *const kind_names[] = {"discrepancy", "lcurve", "gcv", "views", "dof", "auto", NULL};

enum { EXPANSIONS = 12, STEPS = 12 };

static const double close_enough = 0.005; // of the residual to that of the noise
static const double hardly = 0.01;        // part by which a residual falls that no longer does
/* If the curve hardly moves, its direction is determined by rounding. */
static const double slowest = 0.02;

struct recon_rule {
	enum kind kind;
	double sigma; // NAN: estimated
	long n;
	struct trial *trial;
	double *lambda; // chosen for each problem
};

/* ---- what was asked for -------------------------------------------------- */

/* Of rules that compare the residual with the noise. */
static bool needs_noise(enum kind kind)
{
	return DISCREPANCY == kind || DOF == kind;
}

static void parse_rule(struct recon_rule *rule, const char *text)
{
	const size_t n = strcspn(text, ":");

	rule->sigma = NAN;

	for (int i = 0; NULL != kind_names[i]; i++)
		if (strlen(kind_names[i]) == n && 0 == strncmp(text, kind_names[i], n)) {
			rule->kind = (enum kind)i;

			if (':' == text[n] && !needs_noise(rule->kind))
				usage_error("--rule %s: expected no number", text);

			if (':' == text[n])
				rule->sigma = parse_double(text + n + 1, "--rule");

			if (rule->sigma <= 0.)
				usage_error("--rule %s: the noise is %g, expected a number above 0", text,
				        rule->sigma);

			return;
		}

	const char *near = nearest_name(text, kind_names);

	usage_error("--rule %s: expected auto, views, dof[:SIGMA], discrepancy[:SIGMA], lcurve or gcv%s%s",
	        text, near ? "; did you mean " : "", near ? near : "");
}

/* x is linear in y. */
static bool is_linear(const struct recon *r)
{
	for (int i = 0; i < r->opts->terms.n; i++) {
		const struct recon_kind *kind = recon_kind_find(r->opts->terms.v[i]);

		if (NULL == kind || !recon_kind_is_square(kind) ||
		        NULL != strstr(r->opts->terms.v[i], ":prior"))
			return false;
	}

	return recon_data_is_squares(r->data) && NULL == r->subsets && r->terms.n == r->opts->terms.n &&
	       0 != strcmp(r->alg->algorithm->name, "apg"); // volumes >= 0
}

static void check_rule(const struct recon_rule *rule, const struct recon *r)
{
	const struct recon_opts *o = r->opts;

	if (GCV != rule->kind && !needs_noise(rule->kind))
		return;

	if (!recon_data_is_squares(o->data))
		usage_error("--rule %s is for least squares, and not for --data %s (use views or lcurve)",
		        kind_names[rule->kind], o->data);

	if (GCV == rule->kind && !is_linear(r))
		usage_error("--rule gcv: needs quadratic penalties (--lambda, -R %s) and no subsets",
		        recon_kinds_names(recon_kind_is_square, "and"));
}

struct recon_rule *recon_rule_create(const struct recon *r)
{
	const struct recon_opts *o = r->opts;

	if (NULL == o->rule && r->terms.automatic < 0) {
		if (NULL != o->curve || 0 < o->range.n)
			usage_error("--curve and --range need --rule");

		return NULL;
	}

	if (r->terms.automatic < 0 && 0 == (r->alg->algorithm->takes & TAKES_LAMBDA))
		usage_error(
		        "--rule %s: %s does not use --lambda (give a term the factor auto, as in -R tv:auto)",
		        o->rule, r->alg->algorithm->name);

	if (r->terms.automatic < 0 && 0. != o->lambda)
		usage_error("--rule %s excludes --lambda %g (--rule chooses lambda)", o->rule, o->lambda);

	if (0 < o->range.n && (2 != o->range.n || !(0. < o->range.v[0] && o->range.v[0] < o->range.v[1])))
		usage_error("--range: expected LO:HI with 0 < LO < HI");

	struct recon_rule *rule = NEW(struct recon_rule);

	parse_rule(rule, NULL == o->rule ? "auto" : o->rule);
	check_rule(rule, r);
	rule->lambda = mem_calloc((size_t)r->problems, sizeof *rule->lambda);

	return rule;
}

static long grid_points(const struct recon_opts *o)
{
	const double decades = (0 < o->range.n) ? log10(o->range.v[1] / o->range.v[0]) : RULE_DECADES;
	const long n = 1 + lround(RULE_DENSITY * decades);

	return (n < 5) ? 5 : n;
}

double recon_rule_runs(const struct recon_rule *rule)
{
	if (NULL == rule)
		return 0.;

	static const double runs[] = {[DISCREPANCY] = 8.,
	        [LCURVE] = 1 + RULE_DENSITY * RULE_DECADES,
	        [GCV] = 2 * (1 + RULE_DENSITY * RULE_DECADES),
	        [VIEWS] = 2.,
	        [DOF] = 2.,
	        [AUTO] = 2.};

	return runs[rule->kind];
}

bool recon_rule_has_probe(const struct recon_rule *rule)
{
	return NULL != rule && DOF == rule->kind;
}

/* ---- reconstructions ----------------------------------------------------- */

/* Of gcv: a volume, and signs with weights. */
struct probe {
	void *u, *v;
};

/* The trace of y -> A x: of one vector of signs. */
static double trace(struct search *s, const struct probe *q, double lambda)
{
	struct recon *r = s->r;

	search_solve(s, &s->all, lambda, q->v, s->conf.iterations, NULL, q->u);
	linop_forward(r->A, s->Ax, q->u);
	weights_apply(s->all.W, r->type, r->m, s->Ax, s->Ax);

	return vec_dot(r->type, r->m, q->v, s->Ax);
}

/* A whole reconstruction; q NULL: no trace. */
static struct trial *try(struct search *s, const struct probe *q, double lambda)
{
	struct trial *t = search_add(s, lambda);

	search_solve(s, &s->all, lambda, s->all.y, s->conf.iterations, NULL, s->x);
	s->conf.warm = search_is_warm(s);
	t->residual = search_residual(s, &s->all, s->Ax, s->x);
	t->penalty = search_penalty(s, s->x, lambda);

	if (NULL != q) {
		const double left = s->all.count - trace(s, q, lambda);

		t->score = s->all.count * t->residual * t->residual / (left * left);
	}

	verbose("lambda %.6g: residual %.6g, penalty %.6g", lambda, t->residual, t->penalty);

	return t;
}

/* ---- rules --------------------------------------------------------------- */

static void tell_noise(double sigma, const struct weights *W)
{
	info("noise: standard deviation %.4g of a line integral%s", sigma, NULL == W ? "" : " of weight 1");
}

/* sigma of the search: what was given, or estimated. */
static void know_noise(struct search *s, const struct recon_rule *rule)
{
	s->sigma = rule->sigma;

	if (!isnan(s->sigma))
		return;

	s->sigma = noise_level(s->r->type, linop_codomain(s->r->A), 0, s->all.y, s->all.W);

	if (!(s->sigma > 0.))
		error("%s: the noise cannot be estimated (give --rule %s:SIGMA)", s->r->proj->name,
		        kind_names[rule->kind]);

	tell_noise(s->sigma, s->all.W);
}

static double discrepancy(struct search *s, double start)
{
	const struct recon_opts *o = s->r->opts;

	const double target = s->sigma * sqrt(s->all.count);
	const double floor_ = (0 < o->range.n) ? o->range.v[0] : 0.,
	             ceiling = (0 < o->range.n) ? o->range.v[1] : INFINITY;
	double a[2] = {NAN, NAN}, f[2] = {0., 0.}; // log lambda with f below 0, above
	double at = log(fmin(fmax(start, floor_), ceiling)), best = at, least = INFINITY;
	double before = INFINITY; // residual of a factor ten times as large
	int last = -1;

	for (int k = 0; k < EXPANSIONS + STEPS; k++) {
		struct trial *t = try(s, NULL, exp(at));
		const double g = log(t->residual / target);
		const int side = g > 0.;

		t->score = t->residual / target;

		if (side && isnan(a[0]) && t->residual > (1. - hardly) * before)
			break; // a smaller factor will not do

		before = t->residual;

		if (fabs(g) < least) {
			least = fabs(g);
			best = at;
		}

		if (!(least > close_enough))
			break;

		// Illinois: the end that stays loses half of its weight
		if (side == last && !isnan(a[1 - side]))
			f[1 - side] *= 0.5;

		a[side] = at;
		f[side] = g;
		last = side;

		if (isnan(a[1 - side])) {
			const double next = at + (side ? -log(10.) : log(10.));

			if ((at <= log(floor_) && side) || (at >= log(ceiling) && !side) || k >= EXPANSIONS)
				break;

			at = fmin(fmax(next, log(floor_)), log(ceiling));
		} else {
			at = a[0] - f[0] * (a[1] - a[0]) / (f[1] - f[0]);

			if (fabs(a[1] - a[0]) < 1e-3)
				break;
		}
	}

	if (least > 0.1)
		warn("no lambda gives the residual %.4g expected from the noise, and the nearest lambda %.4g "
		     "%s",
		        target, exp(best),
		        isnan(a[0]) ? "gives a larger residual (more iterations may help, or --rule views)"
		                    : "gives a smaller residual");

	return exp(best);
}

/* The trial of the largest score, laid between the neighbours; n trials one step of log lambda apart, from
 * the largest lambda on. */
static double pick(const struct trial *t, long n, const char *name)
{
	long best = -1;

	for (long i = 0; i < n; i++)
		if (!isnan(t[i].score) && (best < 0 || t[i].score > t[best].score))
			best = i;

	if (best < 0)
		error("--rule %s: the criterion cannot be computed for any lambda in this --range (give "
		      "another --range)",
		        name);

	if (0 == best || n - 1 == best || isnan(t[best - 1].score) || isnan(t[best + 1].score)) {
		warn("--rule %s: the best lambda, %.4g, is at the end of the range", name, t[best].lambda);

		return t[best].lambda;
	}

	const double by = search_vertex(t[best - 1].score, t[best].score, t[best + 1].score);

	return t[best].lambda * pow(t[best + 1].lambda / t[best].lambda, by);
}

/* Curvature of log penalty over log residual as lambda grows, by central differences. */
static void bend(struct trial *t, long n)
{
	double fastest = 0.;

	for (int pass = 0; pass < 2; pass++)
		for (long i = 1; i < n - 1; i++) {
			// trials are in the order of falling lambda
			const struct trial *lo = &t[i + 1], *hi = &t[i - 1];
			const double x1 = 0.5 * (log(hi->residual) - log(lo->residual)),
			             y1 = 0.5 * (log(hi->penalty) - log(lo->penalty));
			const double x2 = log(hi->residual) - 2. * log(t[i].residual) + log(lo->residual),
			             y2 = log(hi->penalty) - 2. * log(t[i].penalty) + log(lo->penalty);
			const double speed = hypot(x1, y1);

			if (!isfinite(speed + x2 + y2))
				continue;

			if (0 == pass)
				fastest = fmax(fastest, speed);
			else if (speed > slowest * fastest)
				t[i].score = (x1 * y2 - x2 * y1) / (speed * speed * speed);
		}
}

static double by_grid(struct search *s, const struct probe *q, double most)
{
	const struct recon_opts *o = s->r->opts;
	const double hi = (0 < o->range.n) ? o->range.v[1] : most,
	             lo = (0 < o->range.n) ? o->range.v[0] : most * pow(10., -RULE_DECADES);
	const long n = grid_points(o);

	for (long i = 0; i < n; i++)
		try(s, q, hi * pow(lo / hi, (double)i / (double)(n - 1)));

	struct trial *t = s->trial;

	if (NULL == q) {
		bend(t, n);

		return pick(t, n, "lcurve");
	}

	for (long i = 0; i < n; i++) // the smallest, in decades
		t[i].score = -log(t[i].score);

	const double lambda = pick(t, n, "gcv");

	for (long i = 0; i < n; i++)
		t[i].score = exp(-t[i].score);

	return lambda;
}

static double by_trace(struct search *s, double most)
{
	const size_t size = dtype_size(s->r->type);
	struct probe q = {md_calloc(1, &s->r->n, size), md_alloc(1, &s->r->m, size)};

	search_signs(s->all.W, s->r->type, s->r->m, q.v);

	const double lambda = by_grid(s, &q, most);

	md_free(q.u);
	md_free(q.v);

	return lambda;
}

/* Where the first trial of a search that continues from it is: 0.5 in units of the noise; of squares, whose
 * factor is that of their own size, a part of the largest. */
static double first_factor(struct search *s, double most)
{
	struct recon *r = s->r;

	if (r->terms.automatic < 0 || r->terms.square)
		return 1e-3 * most;

	recon_measure_unit(r, s->all.y, s->all.W);
	recon_set_factor(r, 1.);

	if (isnan(s->sigma) && r->unit.sigma > 0.)
		tell_noise(r->unit.sigma, s->all.W);

	return (r->terms.unit > 0.) ? 0.5 * r->terms.unit : 1e-3 * most;
}

/* Views left out; of edges, the geometric mean with the usual factor, which is known as well as what a few
 * views left out say, or the usual factor of their error where that is much more than the noise. Too few
 * views: the usual factor. */
static double by_itself(struct search *s, double start)
{
	const bool usual = s->r->terms.edges && s->r->terms.unit > 0.;

	double range[2];

	search_range(s, range);
	start = fmin(fmax(start, range[0]), range[1]);

	if (s->r->views < SEARCH_VIEWS) {
		info("found %ld view%s, but leaving views out needs at least %d (the default factor is used)",
		        s->r->views, (1 == s->r->views) ? "" : "s", SEARCH_VIEWS);

		return start;
	}

	const double lambda = search_by_views(s, start, usual ? SEARCH_REACH : INFINITY);

	if (!usual)
		return lambda;

	if (0. == s->misfit)
		return fmax(sqrt(start * s->noise * lambda), range[0]);

	if (0 == s->problem)
		info("the error of the left-out views is %.3g times the noise, so lambda is multiplied by "
		     "%.3g (check for truncation, motion or scatter)",
		        s->misfit, s->misfit);

	return fmin(fmax(lambda, range[0]), range[1]);
}

static double by_kind(struct search *s, const struct recon_rule *rule, double most)
{
	const enum kind kind = rule->kind;

	if (needs_noise(kind))
		know_noise(s, rule);

	if (DISCREPANCY == kind)
		return discrepancy(s, 1e-3 * most);

	if (LCURVE == kind)
		return by_grid(s, NULL, most);

	if (GCV == kind)
		return by_trace(s, most);

	const double start = first_factor(s, most);

	if (DOF == kind)
		return search_by_freedom(s, start);

	return (VIEWS == kind) ? search_by_views(s, start, INFINITY) : by_itself(s, start);
}

/* The trials of a search become those of the rule. */
static void keep_trials(struct recon_rule *rule, const struct search *s)
{
	if (0 == s->n)
		return;

	rule->trial = mem_realloc(rule->trial, (size_t)(rule->n + s->n) * sizeof *rule->trial);
	memcpy(rule->trial + rule->n, s->trial, (size_t)s->n * sizeof *rule->trial);
	rule->n += s->n;
	free(s->trial);
}

/* The number that is printed: a run with it typed in has the same bytes. */
static double as_told(double lambda)
{
	char text[32];

	snprintf(text, sizeof text, "%.6g", lambda);

	return strtod(text, NULL);
}

/* Why search_largest() knows no factor. */
static const char *nothing_to_fit(const struct search *s)
{
	const double y2 = weights_norm2(s->all.W, s->r->type, s->r->m, s->all.y);

	return (0. == s->all.count) ? "all weights are 0"
	       : (0. == y2)         ? "the projections are 0"
	       : (y2 < 1e60)        ? "all projection values of rays through the volume are 0"
	                            : "the projections are too large for their type";
}

double recon_rule_choose(struct recon_rule *rule, struct recon *r, long k, const void *y,
        const struct weights *W, const struct iter_conf *conf)
{
	struct search s;

	search_begin(&s, r, k, y, W, conf);

	const double most = search_largest(&s);
	double lambda = 0.;

	if (isnan(most))
		warn("%s: lambda is 0", nothing_to_fit(&s));
	else
		lambda = by_kind(&s, rule, most);

	if (isnan(lambda))
		error("%s: --rule %s finds no lambda (give a factor, or another --rule)", r->proj->name,
		        kind_names[rule->kind]);

	rule->lambda[k] = lambda = as_told(lambda);
	info("lambda %.6g by %s", lambda, kind_names[rule->kind]);
	keep_trials(rule, &s);
	search_end(&s);

	return lambda;
}

/* ---- the curve ----------------------------------------------------------- */

static int by_lambda(const void *a, const void *b)
{
	const struct trial *x = a, *y = b;

	if (x->problem != y->problem)
		return (x->problem > y->problem) - (x->problem < y->problem);

	return (x->lambda > y->lambda) - (x->lambda < y->lambda);
}

static void write_csv(const struct recon_rule *rule, const struct recon *r, const char *path)
{
	static const char *const scores[] = {
	        "over_noise", "curvature", "gcv", "left_out", "over_noise", "score"};
	struct file_out *f = file_create(path);
	FILE *out = file_stream(f);

	fprintf(out, "channel,time,lambda,residual,penalty,%s\n", scores[rule->kind]);

	for (long i = 0; i < rule->n; i++) {
		const struct trial *t = &rule->trial[i];

		fprintf(out, "%ld,%ld,%.9g,%.9g,%.9g,", t->problem % r->channels, t->problem / r->channels,
		        t->lambda, t->residual, t->penalty);

		if (isnan(t->score))
			fputc('\n', out);
		else
			fprintf(out, "%.9g\n", t->score);
	}

	file_commit(f);
}

/* Between the neighbours of lambda, on logarithmic axes. */
static double between(const struct trial *t, long n, const double *v, double lambda)
{
	for (long i = 0; i + 1 < n; i++)
		if (t[i].lambda <= lambda && lambda <= t[i + 1].lambda) {
			const double a = log(lambda / t[i].lambda) / log(t[i + 1].lambda / t[i].lambda);

			return exp((1. - a) * log(v[i]) + a * log(v[i + 1]));
		}

	return n > 0 ? v[lambda < t[0].lambda ? 0 : n - 1] : NAN;
}

static const char *const score_names[] = {[DISCREPANCY] = "residual over noise",
        [LCURVE] = "curvature",
        [GCV] = "generalised cross-validation",
        [VIEWS] = "error of views left out",
        [DOF] = "chi^2 / (rays - degrees of freedom)",
        [AUTO] = "score"};

/* Problem 0: residual and penalty, or lambda and score. */
static void draw(const struct recon_rule *rule, const char *path)
{
	struct plot p = plot_default();
	double *x = mem_alloc((size_t)(rule->n + 1) * sizeof *x),
	       *y = mem_alloc((size_t)(rule->n + 1) * sizeof *y);
	const bool l = LCURVE == rule->kind;
	long n = 0;

	for (; n < rule->n && 0 == rule->trial[n].problem; n++) {
		x[n] = l ? rule->trial[n].residual : rule->trial[n].lambda;
		y[n] = l ? rule->trial[n].penalty : rule->trial[n].score;
	}

	const double lambda = rule->lambda[0];
	const struct plot_curve curve = {.n = n, .x = x, .y = y, .dots = true};
	char *title = mem_printf("lambda %.4g by %s", lambda, kind_names[rule->kind]);

	p.title = title;
	p.xname = l ? "residual |A x - y|" : "lambda";
	p.yname = l ? "penalty" : score_names[rule->kind];
	p.xlog = p.ylog = true;
	p.n = 1;
	p.curve = &curve;
	p.mark[0] = l ? between(rule->trial, n, x, lambda) : lambda;
	p.mark[1] = between(rule->trial, n, y, lambda);
	plot_write(&p, path);
	free(title);
	free(x);
	free(y);
}

void recon_rule_close(struct recon_rule *rule, const struct recon *r)
{
	if (NULL == rule)
		return;

	const char *curve = r->opts->curve;

	if (NULL != curve && 0 < rule->n) {
		qsort(rule->trial, (size_t)rule->n, sizeof *rule->trial, by_lambda);

		if (canvas_knows(curve))
			draw(rule, curve);
		else
			write_csv(rule, r, curve);
	}

	free(rule->trial);
	free(rule->lambda);
	free(rule);
}
