#include "iter/recon_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/fold.h"
#include "iter/noise_level.h"
#include "iter/recon_data.h"
#include "iter/recon_internal.h"
#include "misc/canvas.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/parse.h"
#include "misc/plot.h"
#include "num/flpmath.h"
#include "num/rand.h"

enum kind { DISCREPANCY, LCURVE, GCV };

static const char *const kind_names[] = {"discrepancy", "lcurve", "gcv"};

enum { EXPANSIONS = 12, STEPS = 12, SEED = 1 };

static const double close_enough = 0.005; // of the residual to that of the noise
/* Where the curve hardly moves, its direction is that of roundings. */
static const double slowest = 0.02;

/* A reconstruction with one factor. */
struct trial {
	long problem;
	double lambda, residual, penalty, score;
};

struct recon_rule {
	enum kind kind;
	double sigma; // NAN: estimated
	long n, room;
	struct trial *trial;
	double *lambda; // chosen for each problem
};

/* ---- what was asked for -------------------------------------------------- */

static bool is_least_squares(const char *data)
{
	return NULL == data || 0 == strcmp(data, "l2") || recon_data_is_weighted(data);
}

static void parse_rule(struct recon_rule *rule, const char *text)
{
	static const char *const names[] = {"discrepancy", "lcurve", "gcv", NULL};
	const size_t n = strcspn(text, ":");

	rule->sigma = NAN;

	for (int i = 0; NULL != names[i]; i++)
		if (strlen(names[i]) == n && 0 == strncmp(text, names[i], n)) {
			rule->kind = (enum kind)i;

			if (':' == text[n] && DISCREPANCY != rule->kind)
				usage_error("--rule %s: expected no number", text);

			if (':' == text[n])
				rule->sigma = parse_double(text + n + 1, "--rule");

			if (rule->sigma <= 0.)
				usage_error("--rule %s: the noise is %g, expected a number above 0", text,
				        rule->sigma);

			return;
		}

	const char *near = nearest_name(text, names);

	usage_error("--rule %s: expected discrepancy[:SIGMA], lcurve or gcv%s%s", text,
	        near ? "; did you mean " : "", near ? near : "");
}

/* x is linear in y. */
static bool is_linear(const struct recon *r)
{
	for (int i = 0; i < r->opts->terms.n; i++) {
		const char *w = r->opts->terms.v[i];

		if ((0 != strncmp(w, "l2:", 3) && 0 != strncmp(w, "smooth:", 7)) ||
		        NULL != strstr(w, ":prior"))
			return false;
	}

	return is_least_squares(r->data) && NULL == r->subsets && r->terms.n == r->opts->terms.n &&
	       0 != strcmp(r->alg->algorithm->name, "apg"); // volumes >= 0
}

static void check_rule(const struct recon_rule *rule, const struct recon *r)
{
	const struct recon_opts *o = r->opts;

	if (GCV != rule->kind && DISCREPANCY != rule->kind)
		return;

	if (!is_least_squares(o->data))
		usage_error("--rule %s: is for least squares, and --data is %s; lcurve knows all of them",
		        kind_names[rule->kind], o->data);

	if (GCV == rule->kind && !is_linear(r))
		usage_error("--rule gcv: is for penalties that are squares (--lambda, l2, smooth) without "
		            "subsets, "
		            "where the volume is linear in the projections");
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
		usage_error("--rule %s: %s takes no lambda, expected a term whose factor is auto", o->rule,
		        r->alg->algorithm->name);

	if (r->terms.automatic < 0 && 0. != o->lambda)
		usage_error("--rule %s chooses --lambda, which is %g", o->rule, o->lambda);

	if (0 < o->range.n && (2 != o->range.n || !(0. < o->range.v[0] && o->range.v[0] < o->range.v[1])))
		usage_error("--range: expected LO:HI with 0 < LO < HI");

	struct recon_rule *rule = NEW(struct recon_rule);

	parse_rule(rule, NULL == o->rule ? "discrepancy" : o->rule);
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

	return (DISCREPANCY == rule->kind)
	               ? 8.
	               : (LCURVE == rule->kind ? 1. : 2.) * (1 + RULE_DENSITY * RULE_DECADES);
}

/* ---- reconstructions ----------------------------------------------------- */

/* One problem at work: vectors of the domain x and u (that of the probe), of the codomain Ax and v (the
 * probe).
 */
struct search {
	struct recon *r;
	struct recon_rule *rule;
	long problem;
	const void *y;
	const struct weights *W;
	struct iter_conf conf;
	void *x, *u, *Ax, *v;
	double rays;      // of weight > 0
	double curvature; // of all trials
};

static void solve(struct search *s, double lambda, void *x, const void *y)
{
	struct recon *r = s->r;
	const struct algorithm *a = r->alg->algorithm;
	const bool term = r->terms.automatic >= 0;
	struct recon_data *data = recon_data_create(r->data, a, r->A, y, s->W, r->spectrum);

	if (term)
		recon_set_factor(r, lambda);

	struct iter_problem p = {.A = r->A,
	        .y = y,
	        .W = recon_data_takes_weights(data) ? NULL : s->W,
	        .lambda = term ? r->opts->lambda : lambda,
	        .back = r->back,
	        .curvature = &s->curvature,
	        .terms = r->terms.n,
	        .term = r->terms.term};
	const int talk = log_level;

	recon_data_into(data, &p);

	recon_subsets_fill(r->subsets, &p, a, r->data, s->W);
	log_level = -1;
	algorithm_solve(a, &p, &s->conf, x);
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

/* The penalty at x, without its factor. */
static double penalty_of(const struct search *s, const void *x, double lambda)
{
	const struct recon *r = s->r;
	double value = 0.;

	if (r->terms.automatic < 0)
		return 0.5 * vec_dot(r->type, r->n, x, x);

	for (int i = r->terms.automatic; i < r->terms.automatic_end; i++)
		value += value_of(r, &r->terms.term[i], x);

	return value / lambda;
}

/* |A x - y|_W; of other measures of the data the root of twice their value. Ax becomes A x. */
static double residual_of(struct search *s, const void *x)
{
	struct recon *r = s->r;

	linop_forward(r->A, s->Ax, x);

	if (!is_least_squares(r->data)) {
		struct recon_data *data =
		        recon_data_create(r->data, r->alg->algorithm, r->A, s->y, s->W, r->spectrum);
		const struct functional *g = recon_data_functional(data);
		const double value = (NULL == g) ? NAN : functional_value(g, s->Ax);

		recon_data_free(data);

		return sqrt(2. * fmax(value, 0.));
	}

	vec_axpby(r->type, r->m, s->Ax, 1., s->Ax, -1., s->y);

	return sqrt(weights_norm2(s->W, r->type, r->m, s->Ax));
}

/* The trace of y -> A x: of one vector of signs. */
static double trace(struct search *s, double lambda)
{
	struct recon *r = s->r;

	solve(s, lambda, s->u, s->v);
	linop_forward(r->A, s->Ax, s->u);
	weights_apply(s->W, r->type, r->m, s->Ax, s->Ax);

	return vec_dot(r->type, r->m, s->v, s->Ax);
}

static struct trial *try(struct search *s, double lambda)
{
	struct recon_rule *rule = s->rule;

	if (rule->n == rule->room) {
		rule->room = 2 * rule->room + 32;
		rule->trial = mem_realloc(rule->trial, (size_t)rule->room * sizeof *rule->trial);
	}

	struct trial *t = &rule->trial[rule->n++];

	solve(s, lambda, s->x, s->y);
	// from there to the next; --lambda may be a penalty on the distance to the start
	s->conf.warm = s->r->terms.automatic >= 0;
	*t = (struct trial){s->problem, lambda, residual_of(s, s->x), penalty_of(s, s->x, lambda), NAN};

	if (GCV == rule->kind) {
		const double left = s->rays - trace(s, lambda);

		t->score = s->rays * t->residual * t->residual / (left * left);
	}

	verbose("lambda %.6g: residual %.6g, penalty %.6g", lambda, t->residual, t->penalty);

	return t;
}

/* A factor with which the penalty is as large as the data: nothing is left of x there. From the best step
 * along the first gradient. */
static double largest(struct search *s)
{
	struct recon *r = s->r;
	const double y2 = weights_norm2(s->W, r->type, r->m, s->y);

	weights_apply(s->W, r->type, r->m, s->Ax, s->y);
	linop_adjoint(r->A, s->x, s->Ax);
	linop_forward(r->A, s->Ax, s->x);

	const double x2 = vec_dot(r->type, r->n, s->x, s->x), Ax2 = weights_norm2(s->W, r->type, r->m, s->Ax);

	if (!(x2 > 0. && Ax2 > 0.))
		return NAN;

	vec_scale(r->type, r->n, s->x, x2 / Ax2);

	const double g = penalty_of(s, s->x, 1.);

	return (g > 0.) ? 0.5 * y2 / g : NAN;
}

/* ---- rules --------------------------------------------------------------- */

static double discrepancy(struct search *s, double start)
{
	const struct recon_opts *o = s->r->opts;
	double sigma = s->rule->sigma;

	if (isnan(sigma)) {
		sigma = noise_level(s->r->type, linop_codomain(s->r->A), 0, s->y, s->W);

		if (!(sigma > 0.))
			error("%s: the noise cannot be estimated, expected --rule discrepancy:SIGMA",
			        s->r->proj->name);

		info("noise: standard deviation %.4g of a line integral%s", sigma,
		        NULL == s->W ? "" : " of weight 1");
	}

	const double target = sigma * sqrt(s->rays);
	const double floor_ = (0 < o->range.n) ? o->range.v[0] : 0.,
	             ceiling = (0 < o->range.n) ? o->range.v[1] : INFINITY;
	double a[2] = {NAN, NAN}, f[2] = {0., 0.}; // log lambda with f below 0, above
	double at = log(fmin(fmax(start, floor_), ceiling)), best = at, least = INFINITY;
	int last = -1;

	for (int k = 0; k < EXPANSIONS + STEPS; k++) {
		struct trial *t = try(s, exp(at));
		const double g = log(t->residual / target);
		const int side = g > 0.;

		t->score = t->residual / target;

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
		warn("no lambda gives the residual of the noise, %.4g: the nearest, %.4g, %s", target,
		        exp(best), isnan(a[0]) ? "leaves more; more iterations may help" : "leaves less");

	return exp(best);
}

/* Largest of three points of a parabola, one apart, at -1, 0, 1: where. */
static double vertex(double a, double b, double c)
{
	const double bend = a - 2. * b + c;

	return (0. == bend || !isfinite(bend)) ? 0. : fmin(fmax(0.5 * (a - c) / bend, -1.), 1.);
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
		error("--rule %s: no reconstruction is fit for it, expected another --range", name);

	if (0 == best || n - 1 == best || isnan(t[best - 1].score) || isnan(t[best + 1].score)) {
		warn("--rule %s: the best lambda, %.4g, is at the end of the range", name, t[best].lambda);

		return t[best].lambda;
	}

	const double by = vertex(t[best - 1].score, t[best].score, t[best + 1].score);

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

static double by_grid(struct search *s, double most)
{
	const struct recon_opts *o = s->r->opts;
	struct recon_rule *rule = s->rule;
	const double hi = (0 < o->range.n) ? o->range.v[1] : most,
	             lo = (0 < o->range.n) ? o->range.v[0] : most * pow(10., -RULE_DECADES);
	const long n = grid_points(o), first = rule->n;

	for (long i = 0; i < n; i++)
		try(s, hi * pow(lo / hi, (double)i / (double)(n - 1)));

	struct trial *t = rule->trial + first;

	if (LCURVE == rule->kind) {
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

/* v = W^(-1/2) times random signs, 0 where the weight is; and how many are not 0. */
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
		sum[0] += w[i] > 0.;

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

double recon_rule_choose(struct recon_rule *rule, struct recon *r, long k, const void *y,
        const struct weights *W, const struct iter_conf *conf)
{
	const size_t size = dtype_size(r->type);
	struct search s = {
	        .r = r, .rule = rule, .problem = k, .y = y, .W = W, .conf = *conf, .curvature = NAN};
	double sum[FOLD_SUMS];

	s.conf.warm = false;
	s.conf.monitor = NULL;
	s.conf.checkpoint = NULL;
	s.conf.resume = false;
	s.x = md_alloc(1, &r->n, size);
	s.Ax = md_alloc(1, &r->m, size);

	if (GCV == rule->kind) {
		s.u = md_calloc(1, &r->n, size);
		s.v = md_alloc(1, &r->m, size);
	}

	fold(r->m, sign_block, &(struct signs){W, r->type, s.v}, sum);
	s.rays = sum[0] * (dtype_is_complex(r->type) ? 2. : 1.);

	const double most = largest(&s);
	double lambda = 0.;

	if (isnan(most))
		warn("the projections are 0: lambda is 0");
	else
		lambda = (DISCREPANCY == rule->kind) ? discrepancy(&s, 1e-3 * most) : by_grid(&s, most);

	rule->lambda[k] = lambda;
	info("lambda %.6g by %s", lambda, kind_names[rule->kind]);
	md_free(s.x);
	md_free(s.Ax);
	md_free(s.u);
	md_free(s.v);

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
	static const char *const scores[] = {"over_noise", "curvature", "gcv"};
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
	p.yname = l                           ? "penalty"
	          : DISCREPANCY == rule->kind ? "residual over noise"
	                                      : "generalised cross-validation";
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

	qsort(rule->trial, (size_t)rule->n, sizeof *rule->trial, by_lambda);

	if (NULL != curve && 0 < rule->n) {
		if (canvas_knows(curve))
			draw(rule, curve);
		else
			write_csv(rule, r, curve);
	}

	free(rule->trial);
	free(rule->lambda);
	free(rule);
}
