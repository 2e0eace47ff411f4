/* Every algorithm reaches the minimiser of the same small problems; the minimum is known from elimination or
 * coordinate descent. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/functional/functionals.h"
#include "misc/file/hdr.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { M = 60, N = 24 };

static double A_[M * N], y_[M], w_[M]; // column-major
static double x_[N];

/* ---- functionals of the test -------------------------------------------- */

struct plain {
	double a;
	long n;
};

static double l1_value(const void *self, const void *x)
{
	const struct plain *p = self;
	double sum = 0;

	for (long i = 0; i < p->n; i++)
		sum += fabs(((const double *)x)[i]);

	return p->a * sum;
}

static void l1_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct plain *p = self;

	for (long i = 0; i < p->n; i++) {
		const double v = ((const double *)src)[i], s = fabs(v) - gamma * p->a;

		((double *)dst)[i] = (s > 0) ? copysign(s, v) : 0;
	}
}

static double positive_value(const void *self, const void *x)
{
	const struct plain *p = self;

	for (long i = 0; i < p->n; i++)
		if (((const double *)x)[i] < -1e-9)
			return INFINITY;

	return 0;
}

static void positive_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct plain *p = self;

	(void)gamma;

	for (long i = 0; i < p->n; i++)
		((double *)dst)[i] = fmax(0, ((const double *)src)[i]);
}

static double square_value(const void *self, const void *x)
{
	const struct plain *p = self;

	return 0.5 * p->a * vec_dot(DT_FLOAT64, p->n, x, x);
}

static void square_gradient(const void *self, void *dst, const void *src)
{
	const struct plain *p = self;

	vec_axpby(DT_FLOAT64, p->n, dst, p->a, src, 0, src);
}

static void square_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct plain *p = self;

	vec_axpby(DT_FLOAT64, p->n, dst, 1 / (1 + gamma * p->a), src, 0, src);
}

static double square_lipschitz(const void *self)
{
	return ((const struct plain *)self)->a;
}

static const struct functional_ops l1_ops = {.name = "l1",
                                           .value = l1_value,
                                           .prox = l1_prox,
                                           .destroy = free},
                                   positive_ops = {.name = "positive",
                                           .value = positive_value,
                                           .prox = positive_prox,
                                           .any_step = true,
                                           .destroy = free},
                                   square_ops = {.name = "square",
                                           .value = square_value,
                                           .prox = square_prox,
                                           .gradient = square_gradient,
                                           .lipschitz = square_lipschitz,
                                           .destroy = free};

static struct functional *make(const struct functional_ops *ops, double a, long n)
{
	struct plain *p = NEW(struct plain);

	p->a = a;
	p->n = n;

	return functional_create(ops, p, DT_FLOAT64, 1, &n);
}

/* ---- references ---------------------------------------------------------- */

/* f at x: 1/2 |A x - y|^2_W + lambda/2 |x|^2 + l1 |x|_1 */
static double objective(const double *x, const double *w, double lambda, double l1)
{
	double f = 0;

	for (int i = 0; i < M; i++) {
		double r = -y_[i];

		for (int j = 0; j < N; j++)
			r += A_[i + M * j] * x[j];

		f += 0.5 * (w ? w[i] : 1) * r * r;
	}

	for (int j = 0; j < N; j++)
		f += 0.5 * lambda * x[j] * x[j] + l1 * fabs(x[j]);

	return f;
}

/* The minimum by coordinate descent until nothing moves. */
static double minimum(const double *w, double lambda, double l1, bool positive)
{
	double r[M];

	memset(x_, 0, sizeof x_);
	memcpy(r, y_, sizeof r);

	for (int sweep = 0; sweep < 200000; sweep++) {
		double moved = 0;

		for (int j = 0; j < N; j++) {
			double c = lambda, b = 0;

			for (int i = 0; i < M; i++) {
				const double a = A_[i + M * j], v = w ? w[i] : 1;

				c += v * a * a;
				b += v * a * (r[i] + a * x_[j]);
			}

			double next = (fabs(b) > l1) ? copysign(fabs(b) - l1, b) / c : 0;

			next = (positive && next < 0) ? 0 : next;

			for (int i = 0; i < M; i++)
				r[i] -= A_[i + M * j] * (next - x_[j]);

			moved = fmax(moved, fabs(next - x_[j]));
			x_[j] = next;
		}

		if (moved < 1e-14)
			break;
	}

	return objective(x_, w, lambda, l1);
}

/* ---- problems ------------------------------------------------------------ */

static void fill(bool positive, bool consistent)
{
	for (long i = 0; i < (long)M * N; i++)
		A_[i] = positive ? rand_uniform(3, (uint64_t)i) : rand_normal(3, (uint64_t)i);

	for (int i = 0; i < M; i++) {
		w_[i] = 0.3 + rand_uniform(5, (uint64_t)i);
		y_[i] = consistent ? 0 : rand_normal(4, (uint64_t)i) + (positive ? 3 : 0);

		for (int j = 0; consistent && j < N; j++)
			y_[i] += A_[i + M * j] * (1 + rand_uniform(6, (uint64_t)j));
	}
}

static bool reaches(const char *name, const struct iter_problem *p, const double *w, double lambda, double l1,
        double best, long iterations, const char *what)
{
	double x[N];
	const struct iter_conf conf = {.iterations = iterations};
	const struct algorithm *a = algorithm_find(name);

	algorithm_solve(a, p, &conf, x);

	const double f = objective(x, w, lambda, l1), excess = (f - best) / fabs(best);
	const bool good = excess < 1e-4 && excess > -1e-6;

	check(good, "%s: %s: %.2g above the minimum %g after %ld iterations", name, what, excess, best,
	        iterations);

	return good;
}

static struct linop *matrix(void)
{
	return linop_matrix_create(DT_FLOAT64, M, N, A_, 1, (const long[]){N});
}

static void test_least_squares(void)
{
	const double lambda = 0.5;

	fill(false, false);

	struct linop *A = matrix();
	const struct iter_problem p = {.A = A, .y = y_, .lambda = lambda};
	const double best = minimum(NULL, lambda, 0, false);
	const unsigned others = NEEDS_NONNEGATIVE | STAYS_NONNEGATIVE | TAKES_NONLINEAR | DESCENDS;

	for (int i = 0; NULL != algorithms[i]; i++)
		if ((algorithms[i]->takes & TAKES_LAMBDA) && !(algorithms[i]->takes & others))
			reaches(algorithms[i]->name, &p, NULL, lambda, 0, best, 500, "least squares");

	linop_free(A);
}

static void test_weighted(void)
{
	static const char *const who[] = {"landweber", "gradient", "bb", "armijo", "fgm", "ogm", "nlcg",
	        "lbfgs", "fista", "pogm", "admm", "ladmm", "douglas-rachford", "condat-vu", "pd3o"};
	long dims[DIMS];

	md_singleton_dims(DIMS, dims);
	dims[0] = M;
	fill(false, false);

	struct weights *W = weights_create_array(dims, dims, DT_FLOAT64, w_);
	struct linop *A = matrix();
	const struct iter_problem p = {.A = A, .y = y_, .W = W};
	const double best = minimum(w_, 0, 0, false);

	for (size_t i = 0; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i], &p, w_, 0, 0, best, 500, "weighted");

	linop_free(A);
	weights_free(W);
}

static void test_terms(void)
{
	static const char *const who[] = {"ista", "fista", "pogm", "admm", "ladmm", "douglas-rachford",
	        "pdhg", "condat-vu", "pd3o", "spdhg"};
	const double l1 = 12;
	const long n = N;

	fill(false, false);

	struct linop *A = matrix(), *same = linop_identity_create(DT_FLOAT64, 1, &n);
	struct functional *g = make(&l1_ops, l1, n), *pos = make(&positive_ops, 0, n),
	                  *sq = make(&square_ops, 2, n);
	const struct iter_term lasso = {g, NULL}, moved = {g, same}, two[] = {{g, same}, {pos, NULL}},
	                       smooth[] = {{sq, same}, {g, NULL}};
	double best = minimum(NULL, 0, l1, false);

	for (size_t i = 0; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i], &(const struct iter_problem){.A = A, .y = y_, .terms = 1, .term = &lasso},
		        NULL, 0, l1, best, 600, "lasso");

	for (size_t i = 3; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i], &(const struct iter_problem){.A = A, .y = y_, .terms = 1, .term = &moved},
		        NULL, 0, l1, best, 600, "lasso through an operator");

	best = minimum(NULL, 2, l1, false);

	for (size_t i = 0; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i], &(const struct iter_problem){.A = A, .y = y_, .terms = 2, .term = smooth},
		        NULL, 2, l1, best, 600, "elastic net");

	best = minimum(NULL, 0, l1, true);

	for (size_t i = 3; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i], &(const struct iter_problem){.A = A, .y = y_, .terms = 2, .term = two}, NULL,
		        0, l1, best, 900, "nonnegative lasso");

	best = minimum(NULL, 0, 0, true);

	for (size_t i = 0; i < sizeof who / sizeof who[0]; i++)
		reaches(who[i],
		        &(const struct iter_problem){
		                .A = A, .y = y_, .terms = 1, .term = &(const struct iter_term){pos, NULL}},
		        NULL, 0, 0, best, 600, "nonnegative least squares");

	functional_free(g);
	functional_free(pos);
	functional_free(sq);
	linop_free(A);
	linop_free(same);
}

/* Every fourth row. */
static void split(struct iter_subset sub[4])
{
	static double part[4][M / 4 * N], yp[4][M / 4];

	for (int s = 0; s < 4; s++) {
		for (int i = 0; i < M / 4; i++) {
			yp[s][i] = y_[4 * i + s];

			for (int j = 0; j < N; j++)
				part[s][i + M / 4 * j] = A_[4 * i + s + M * j];
		}

		sub[s] = (struct iter_subset){
		        linop_matrix_create(DT_FLOAT64, M / 4, N, part[s], 1, (const long[]){N}), yp[s], NULL,
		        NULL};
	}
}

/* Stochastic methods, in every order of the subsets. */
static void test_stochastic(void)
{
	const double l1 = 12;
	const long n = N;
	struct iter_subset sub[4];

	fill(false, false);
	split(sub);

	struct linop *A = matrix(), *same = linop_identity_create(DT_FLOAT64, 1, &n);
	struct functional *g = make(&l1_ops, l1, n), *pos = make(&positive_ops, 0, n);
	const struct iter_term two[] = {{g, same}, {pos, NULL}};
	const struct iter_problem p = {.A = A, .y = y_, .terms = 2, .term = two, .subsets = 4, .subset = sub};
	const double best = minimum(NULL, 0, l1, true);

	for (int order = SAMPLER_DEFAULT; order <= SAMPLER_RANDOM; order++) {
		double x[N], again[N], other[N];
		struct iter_conf conf = {.iterations = 400, .order = (enum sampler)order, .seed = 3};
		const struct algorithm *a = algorithm_find("spdhg");

		algorithm_solve(a, &p, &conf, x);
		algorithm_solve(a, &p, &conf, again);
		conf.seed = 4;
		algorithm_solve(a, &p, &conf, other);

		const double excess = (objective(x, NULL, 0, l1) - best) / best;

		check(excess < 1e-4 && excess > -1e-6, "spdhg, 4 subsets in order %d: %.2g above the minimum",
		        order, excess);
		const bool random =
		        SAMPLER_DEFAULT == order || SAMPLER_SHUFFLE == order || SAMPLER_RANDOM == order;

		check(0 == memcmp(x, again, sizeof x), "spdhg, order %d: the same seed, the same bytes",
		        order);
		check(random == (0 != memcmp(x, other, sizeof x)),
		        "spdhg, order %d: the seed says what is random, and nothing else", order);
	}

	for (int s = 0; s < 4; s++)
		linop_free(sub[s].A);

	functional_free(g);
	functional_free(pos);
	linop_free(A);
	linop_free(same);
}

/* Runs that go on from the vectors of the last one: the same as one run, and to another minimum with another
 * factor, nearer than from the volume alone. */
static void test_carrying_on(void)
{
	const long n = N;
	struct iter_subset sub[4];

	fill(false, false);
	split(sub);

	struct linop *A = matrix(), *same = linop_identity_create(DT_FLOAT64, 1, &n);
	struct functional *g = make(&l1_ops, 12, n), *more = make(&l1_ops, 20, n);
	const struct iter_term one = {g, same}, other = {more, same};
	const double best = minimum(NULL, 0, 20, false);
	double huge[M / 4];

	for (int i = 0; i < M / 4; i++)
		huge[i] = 1e200;

	for (int i = 0; NULL != algorithms[i]; i++) {
		const struct algorithm *a = algorithms[i];
		const bool parts = 0 != (a->takes & TAKES_SUBSETS);
		struct iter_problem p = {.A = A,
		        .y = y_,
		        .terms = 1,
		        .term = &one,
		        .subsets = parts ? 4 : 0,
		        .subset = parts ? sub : NULL};
		struct run_state state = {NULL};
		struct iter_conf conf = {.iterations = 20, .order = SAMPLER_SEQUENTIAL};
		double x[N], whole[N], volume[N];

		if (0 == (a->takes & CARRIES_ON))
			continue;

		conf.iterations = 40;
		algorithm_solve(a, &p, &conf, whole);
		conf.iterations = 20;
		conf.state = &state;
		algorithm_solve(a, &p, &conf, x);
		conf.warm = true;
		algorithm_solve(a, &p, &conf, x);
		check(0 == memcmp(x, whole, sizeof x), "%s: 20 and 20 iterations are 40", a->name);

		memcpy(volume, x, sizeof x);
		p.term = &other;
		conf.iterations = 4;
		algorithm_solve(a, &p, &conf, x);
		conf.state = NULL;
		algorithm_solve(a, &p, &conf, volume);

		const double near = objective(x, NULL, 0, 20) - best,
		             far = objective(volume, NULL, 0, 20) - best;

		check(near < far && near >= -1e-9 * best,
		        "%s: %.3g above the minimum of another factor, %.3g from "
		        "the volume alone",
		        a->name, near, far);

		conf.state = &state;
		conf.change = 0.9;

		const struct iter_result still = algorithm_solve(a, &p, &conf, x);

		check(ITER_CHANGE == still.end && 1 == still.iterations,
		        "%s: the first of further iterations hardly changes x: end %d after %ld", a->name,
		        still.end, still.iterations);

		memcpy(volume, x, sizeof x);
		conf.change = 0.;
		conf.keep = true;
		sub[0].y = huge;

		const struct iter_result kept = algorithm_solve(a, &p, &conf, x);

		check(ITER_DIVERGED == kept.end && 0 == memcmp(x, volume, sizeof x),
		        "%s: diverging further iterations return their start: end %d", a->name, kept.end);
		run_state_free(&state);
		run_state_free(&state); // there is nothing left
	}

	for (int s = 0; s < 4; s++)
		linop_free(sub[s].A);

	functional_free(g);
	functional_free(more);
	linop_free(A);
	linop_free(same);
}

/* Operators without negative elements; data that can be met, or not. */
static void test_nonnegative(void)
{
	struct iter_subset sub[4];

	fill(true, true);
	split(sub);

	struct linop *A = matrix();
	static const char *const who[] = {
	        "sirt", "sart", "ossart", "mlem", "osem", "sqs", "sqs-momentum", "cgne"};
	const double size = 0.5 * vec_dot(DT_FLOAT64, M, y_, y_);

	for (int subsets = 0; subsets <= 4; subsets += 4)
		for (size_t i = 0; i < sizeof who / sizeof who[0]; i++) {
			const struct algorithm *a = algorithm_find(who[i]);
			double x[N];

			if (subsets && !(a->takes & TAKES_SUBSETS))
				continue;

			algorithm_solve(a,
			        &(const struct iter_problem){
			                .A = A, .y = y_, .subsets = subsets, .subset = sub},
			        &(const struct iter_conf){.iterations = 1500}, x);

			const double f = objective(x, NULL, 0, 0) / size;

			check(f < 1e-4, "%s, %d subsets: data that can be met, to %.2g", who[i], subsets, f);
		}

	fill(true, false);

	const double best = minimum(NULL, 0, 0, false);

	reaches("sqs", &(const struct iter_problem){.A = A, .y = y_}, NULL, 0, 0, best, 20000,
	        "least squares");
	reaches("sqs-momentum", &(const struct iter_problem){.A = A, .y = y_}, NULL, 0, 0, best, 1500,
	        "least squares");

	for (int s = 0; s < 4; s++)
		linop_free(sub[s].A);

	linop_free(A);
}

/* MLEM: at the optimum of the likelihood, x_j > 0 has ratio 1 and x_j = 0 at most that. */
static void test_likelihood(void)
{
	fill(true, false);

	for (int i = 0; i < M; i++)
		y_[i] = fabs(y_[i]);

	struct linop *A = matrix();
	double x[N], worst = 0;

	algorithm_solve(algorithm_find("mlem"), &(const struct iter_problem){.A = A, .y = y_},
	        &(const struct iter_conf){.iterations = 4000}, x);

	for (int j = 0; j < N; j++) {
		double slope = 0, sum = 0;

		for (int i = 0; i < M; i++) {
			double p = 0;

			for (int k = 0; k < N; k++)
				p += A_[i + M * k] * x[k];

			slope += A_[i + M * j] * (1 - y_[i] / p);
			sum += A_[i + M * j];
		}

		worst = fmax(worst, (x[j] > 1e-3) ? fabs(slope) / sum : fmax(0, -slope) / sum);
	}

	check(worst < 1e-3, "mlem: conditions of optimality to %.2g", worst);
	linop_free(A);
}

/* ---- orthogonal matching pursuit ------------------------------------------ */

enum { ROWS = 60, COLS_MOST = 1500, ATOMS = 5 };

static double wide[ROWS * COLS_MOST], b_[ROWS];

/* Columns of lengths that differ by a factor of up to 20. */
static void fill_wide(long cols)
{
	for (long j = 0; j < cols; j++)
		for (long i = 0; i < ROWS; i++)
			wide[i + ROWS * j] = rand_normal(11, (uint64_t)(i + ROWS * j)) *
			                     exp(3 * rand_uniform(12, (uint64_t)j));
}

/* The residual after so many atoms, chosen column by column; columns made orthogonal as they are chosen. */
static double pursue(long cols, int atoms, bool chosen[])
{
	double r[ROWS], q[ATOMS][ROWS];

	memcpy(r, b_, sizeof r);
	memset(chosen, 0, (size_t)cols * sizeof *chosen);

	for (int k = 0; k < atoms; k++) {
		double most = 0;
		long at = 0;

		for (long j = 0; j < cols; j++) {
			const double *a = wide + ROWS * j, c = fabs(vec_dot(DT_FLOAT64, ROWS, a, r)) /
			                                       vec_norm(DT_FLOAT64, ROWS, a);

			if (!chosen[j] && c > most) {
				most = c;
				at = j;
			}
		}

		chosen[at] = true;
		memcpy(q[k], wide + ROWS * at, sizeof q[k]);

		for (int i = 0; i < 2 * k; i++)
			vec_axpy(
			        DT_FLOAT64, ROWS, q[k], -vec_dot(DT_FLOAT64, ROWS, q[i % k], q[k]), q[i % k]);

		vec_scale(DT_FLOAT64, ROWS, q[k], 1 / vec_norm(DT_FLOAT64, ROWS, q[k]));
		vec_axpy(DT_FLOAT64, ROWS, r, -vec_dot(DT_FLOAT64, ROWS, q[k], r), q[k]);
	}

	return vec_norm(DT_FLOAT64, ROWS, r);
}

/* With few columns, whose lengths are exact, and with many, whose lengths are estimated. */
static void test_pursuit(void)
{
	static double x[COLS_MOST], truth[COLS_MOST];
	static bool chosen[COLS_MOST];
	const struct algorithm *omp = algorithm_find("omp");

	check(omp->projections_of(1 << 20, 400) > 5. * omp->projections_of(1 << 20, 100) &&
	                omp->projections_of(1 << 20, 1) < 100.,
	        "iterations of matching pursuit become dearer");

	for (long cols = 200; cols <= COLS_MOST; cols += COLS_MOST - 200) {
		fill_wide(cols);
		memset(truth, 0, sizeof truth);
		memset(b_, 0, sizeof b_);

		struct linop *A = linop_matrix_create(DT_FLOAT64, ROWS, cols, wide, 1, (const long[]){cols});
		const struct iter_problem p = {.A = A, .y = b_};

		for (int k = 0; k < ATOMS; k++) {
			const long j = 7 + 31 * k;

			truth[j] = (k % 2 ? -1 : 1) * (1. + k) / vec_norm(DT_FLOAT64, ROWS, wide + ROWS * j);
			vec_axpy(DT_FLOAT64, ROWS, b_, truth[j], wide + ROWS * j);
		}

		struct iter_result res =
		        algorithm_solve(omp, &p, &(const struct iter_conf){.iterations = 50}, x);
		double worst = 0;

		for (long j = 0; j < cols; j++)
			worst = fmax(worst, fabs(x[j] - truth[j]));

		check(ITER_MINIMUM == res.end && ATOMS == res.iterations && worst < 1e-9,
		        "omp, %ld columns: %d atoms back in %ld iterations, to %.2g", cols, ATOMS,
		        res.iterations, worst);

		for (long i = 0; i < ROWS; i++)
			b_[i] += 0.7 * rand_normal(13, (uint64_t)i);

		res = algorithm_solve(omp, &p, &(const struct iter_conf){.iterations = ATOMS}, x);

		const double expected = pursue(cols, ATOMS, chosen);
		bool same = true;

		for (long j = 0; j < cols; j++)
			same = same && chosen[j] == (0 != x[j]);

		check(fabs(res.residual - expected) < (cols > 1000 ? 0.1 : 1e-9) * expected &&
		                (same || cols > 1000),
		        "omp, %ld columns: with noise the residual %.6g, expected %.6g", cols, res.residual,
		        expected);
		linop_free(A);
	}
}

/* Stops, and what it says. */
static void test_stops(void)
{
	double x[N], none[N] = {0};

	fill(false, false);

	struct linop *A = matrix();
	const struct iter_problem p = {.A = A, .y = y_};
	struct iter_result r = algorithm_solve(algorithm_find("fgm"), &p,
	        &(const struct iter_conf){.iterations = 10000, .tolerance = 1e-3}, x);

	check(ITER_TOLERANCE == r.end && r.iterations < 1000, "stops at a small gradient");
	r = algorithm_solve(
	        algorithm_find("fgm"), &p, &(const struct iter_conf){.iterations = 10000, .change = 1e-4}, x);
	check(ITER_CHANGE == r.end && r.iterations < 1000, "stops where x hardly changes");
	r = algorithm_solve(algorithm_find("landweber"), &p,
	        &(const struct iter_conf){.iterations = 10000, .noise = 0.99 * vec_norm(DT_FLOAT64, M, y_)},
	        x);
	check(ITER_NOISE == r.end && r.iterations < 1000, "stops at the level of the noise");
	r = algorithm_solve(algorithm_find("landweber"), &p,
	        &(const struct iter_conf){.iterations = 1l << 40, .seconds = 0.05}, x);
	check(ITER_TIME == r.end, "stops after a time");
	r = algorithm_solve(algorithm_find("gradient"), &p,
	        &(const struct iter_conf){.iterations = 10000, .step = 1, .keep = true}, x);
	check(ITER_DIVERGED == r.end && objective(x, NULL, 0, 0) <= objective(none, NULL, 0, 0),
	        "a step that is too long: the best iterate");

	memset(y_, 0, sizeof y_);

	for (int i = 0; NULL != algorithms[i]; i++) {
		if (algorithms[i]->takes & NEEDS_NONNEGATIVE)
			continue;

		r = algorithm_solve(algorithms[i], &p, &(const struct iter_conf){.iterations = 5}, x);
		check(0 == memcmp(x, none, sizeof x), "%s: nothing measured gives zero", algorithms[i]->name);
	}

	linop_free(A);
}

/* Which algorithm refuses what, and what it says: NULL where it takes it. */
static void test_refusals(void)
{
	fill(false, false);

	const long n = N, m = M;
	long dims[DIMS];

	md_singleton_dims(DIMS, dims);
	dims[0] = M;

	struct weights *W = weights_create_array(dims, dims, DT_FLOAT64, w_);
	struct linop *A = matrix(), *same = linop_identity_create(DT_FLOAT64, 1, &n),
	             *longer = linop_identity_create(DT_FLOAT64, 1, &m),
	             *complex_ = linop_identity_create(DT_COMPLEX128, 1, &n);
	struct nlop *F = nlop_from_linop(A);
	struct functional *g = make(&l1_ops, 1, n), *box = functional_nonneg_create(DT_FLOAT64, 1, &n),
	                  *squares = functional_l2sq_create(DT_FLOAT64, 1, &m, NULL, NULL);
	const struct iter_term moved = {g, same}, lone = {g, NULL}, both[] = {{box, NULL}, {g, NULL}};
	const struct iter_problem plain = {.A = A, .y = y_}, weighted = {.A = A, .y = y_, .W = W},
	                          damped = {.A = A, .y = y_, .lambda = 1},
	                          data = {.A = A, .y = y_, .data = squares}, nonlinear = {.F = F, .y = y_},
	                          other = {.A = A, .y = y_, .back = A},
	                          dictionary = {.A = A, .y = y_, .dictionary = same},
	                          large = {.A = A, .y = y_, .dictionary = longer},
	                          subsets = {.A = A, .y = y_, .subsets = 2},
	                          two_parts = {.A = complex_, .y = y_},
	                          transformed = {.A = A, .y = y_, .terms = 1, .term = &moved},
	                          one = {.A = A, .y = y_, .terms = 1, .term = &lone},
	                          two = {.A = A, .y = y_, .terms = 2, .term = both};
	const struct {
		const char *name;
		const struct iter_problem *p;
		const char *says;
	} cases[] = {{"lsqr", &plain, NULL}, {"lsqr", &weighted, "takes no weights"}, {"cg", &weighted, NULL},
	        {"sirt", &damped, "takes no lambda"}, {"lsqr", &damped, NULL},
	        {"lsqr", &data,
	                "does not minimise this measure of the data (omit --algorithm to choose one "
	                "automatically)"},
	        {"gradient", &data, NULL}, {"pdhg", &data, NULL},
	        {"cg", &nonlinear, "is for linear problems"}, {"fista", &nonlinear, "is for linear problems"},
	        {"lm", &nonlinear, NULL}, {"cg", &other, "supports no back projector except the transpose"},
	        {"ab-gmres", &other, NULL}, {"cg", &dictionary, "takes no dictionary"},
	        {"omp", &dictionary, NULL},
	        {"omp", &large, "needs a dictionary of as many atoms as there are voxels"},
	        {"ml-tr", &data, "needs counts of transmission (--data poisson:I0)"},
	        {"cg", &subsets, "takes no subsets"}, {"sart", &two_parts, "takes real data only"},
	        {"fista", &transformed, "takes no term of a transformed volume that is not differentiable"},
	        {"fgm", &transformed, "needs terms that are differentiable"},
	        {"lsqr", &transformed, "takes no regularisation terms"}, {"pdhg", &transformed, NULL},
	        {"fista", &one, NULL}, {"sqs", &one, "its only terms without a gradient are bounds"},
	        {"fista", &two, "takes one term that is not differentiable"}, {"pd3o", &two, NULL}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *says = algorithm_refuses(algorithm_find(cases[i].name), cases[i].p),
		           *want = cases[i].says;

		check((NULL == want) ? NULL == says : (NULL != says && strstr(says, want)), "%s %s%s%s",
		        cases[i].name, (NULL == want) ? "takes its problem" : want,
		        (NULL == says) ? "" : ": ", (NULL == says) ? "" : says);
	}

	check(NULL == algorithm_find("nonsense"), "no algorithm of another name");
	functional_free(g);
	functional_free(box);
	functional_free(squares);
	weights_free(W);
	nlop_free(F);
	linop_free(A);
	linop_free(same);
	linop_free(longer);
	linop_free(complex_);
}

int main(void)
{
	test_least_squares();
	test_weighted();
	test_terms();
	test_stochastic();
	test_carrying_on();
	test_nonnegative();
	test_likelihood();
	test_pursuit();
	test_stops();
	test_refusals();

	return checks_failed > 0;
}
