/* Gauss-Newton and Levenberg-Marquardt: known solutions, weights, stopping. */

#include <math.h>

#include "iter/algorithm/irgnm.h"
#include "iter/algorithm/lm.h"
#include "linop_case.h"
#include "linops/shapes.h"
#include "nlops/nlop.h"

static struct nlop *chained(struct nlop *G, struct nlop *F)
{
	struct nlop *GF = nlop_chain(G, F);

	nlop_free(G);
	nlop_free(F);

	return GF;
}

static struct nlop *linear(struct linop *A)
{
	struct nlop *L = nlop_from_linop(A);

	linop_free(A);

	return L;
}

/* x -> exp(-A x), a random A of rows x cols. */
static struct nlop *exponential(enum dtype t, long rows, long cols)
{
	void *M = probe_vector(t, rows * cols, 3);
	long one[DIMS];
	const double intensity = 1.;
	const float intensity_single = 1.f;

	vec_scale(t, rows * cols, M, 0.3);

	struct linop *A = linop_matrix_create(t, rows, cols, M, 1, &cols);

	md_singleton_dims(DIMS, one);

	struct nlop *F = nlop_transmission_create(
	        A, one, (DT_FLOAT32 == t) ? (const void *)&intensity_single : &intensity);

	linop_free(A);
	free(M);

	return F;
}

static double distance(enum dtype t, long n, const void *a, const void *b)
{
	return probe_distance(t, n, a, b, vec_norm(t, n, b));
}

static void recovers(enum dtype t)
{
	enum { ROWS = 30, COLS = 8 };
	struct nlop *F = exponential(t, ROWS, COLS);
	void *truth = probe_vector(t, COLS, 5), *x = mem_calloc(COLS, sizeof(double));
	void *y = mem_alloc(ROWS * sizeof(double));

	nlop_apply(F, y, truth);

	const struct newton_problem p = {.F = F, .y = y};
	const struct irgnm_conf conf = {.iterations = 20,
	        .alpha = 1.,
	        .factor = 0.25,
	        .inner = {.iterations = 30, .tolerance = 1e-8}};
	struct iter_result res = irgnm(&p, &conf, x);

	check(distance(t, COLS, x, truth) < 1e3 * bound(t), "irgnm %s: the solution: %.2g", dtype_name(t),
	        distance(t, COLS, x, truth));

	vec_clear(t, COLS, x);

	struct irgnm_conf early = conf;

	early.noise = 0.1;
	res = irgnm(&p, &early, x);
	check(ITER_NOISE == res.end && res.residual <= 0.1 && res.iterations < 20,
	        "irgnm %s: stops at the noise", dtype_name(t));

	vec_clear(t, COLS, x);
	res = lm(&p,
	        &(struct lm_conf){.iterations = 50,
	                .tolerance = (DT_FLOAT32 == t) ? 1e-6 : 1e-12,
	                .inner = {.iterations = 30, .tolerance = 1e-8}},
	        x);
	check(distance(t, COLS, x, truth) < 1e3 * bound(t) && res.iterations < 30,
	        "lm %s: the solution after %ld steps: %.2g", dtype_name(t), res.iterations,
	        distance(t, COLS, x, truth));
	free(truth);
	free(x);
	free(y);
	nlop_free(F);
}

/* (10 (x1 - x0^2), 1 - x0): from its pieces. */
static struct nlop *rosenbrock(void)
{
	const long two = 2, one = 1, three = 3;
	struct linop *first = linop_pad_create(DT_FLOAT64, 1, &two, (long[]){0}, (long[]){-1});
	struct linop *all = linop_identity_create(DT_FLOAT64, 1, &two);
	struct nlop *mul = nlop_mul_create(DT_FLOAT64, 1, &one, &one, &one), *square = nlop_dup(mul, 0, 1);
	struct nlop *squared = chained(square, linear(first)), *x = linear(all);
	struct nlop *both = nlop_combine(x, squared), *joined = nlop_stack_outputs(both, 0, 1, 0);
	struct nlop *same = nlop_dup(joined, 0, 1);
	struct nlop *F = chained(linear(linop_matrix_create(DT_FLOAT64, 2, 3,
	                                 (double[]){0., -1., 10., 0., -10., 0.}, 1, &three)),
	        same);

	nlop_free(mul);
	nlop_free(x);
	nlop_free(squared);
	nlop_free(both);
	nlop_free(joined);

	return F;
}

static void valley(void)
{
	struct nlop *F = rosenbrock();
	double x[2] = {-1.2, 1.}, y[2] = {0., -1.}, Fx[2];

	nlop_apply(F, Fx, x);
	check(fabs(Fx[0] + 4.4) < 1e-12 && fabs(Fx[1] - 1.2) < 1e-12, "Rosenbrock's function of pieces");

	const struct iter_result res = lm(&(struct newton_problem){.F = F, .y = y},
	        &(struct lm_conf){.iterations = 100, .tolerance = 1e-12, .inner = {.iterations = 2}}, x);

	check(fabs(x[0] - 1.) < 1e-8 && fabs(x[1] - 1.) < 1e-8, "lm: Rosenbrock's valley, %ld steps: %g %g",
	        res.iterations, x[0], x[1]);
	nlop_free(F);
}

/* A linear problem with weights: the weighted least-squares solution by the normal equations. */
static void weighted(void)
{
	enum { N = 6 };
	const double M[2 * N] = {1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1};
	const double y[N] = {1, 3, 2, 5, 4, 7}, w[N] = {1, 0.5, 2, 1, 0, 3};
	double a = 0., b = 0., c = 0., u = 0., v = 0., x[2] = {0., 0.};
	long dims[DIMS];

	for (int i = 0; i < N; i++) {
		a += w[i] * M[i] * M[i];
		b += w[i] * M[i];
		c += w[i];
		u += w[i] * M[i] * y[i];
		v += w[i] * y[i];
	}

	const double slope = (u * c - b * v) / (a * c - b * b), level = (v - b * slope) / c;

	md_singleton_dims(DIMS, dims);
	dims[0] = N;

	struct weights *W = weights_create_array(dims, dims, DT_FLOAT64, w);
	struct nlop *F = linear(linop_matrix_create(DT_FLOAT64, N, 2, M, 1, (long[]){2}));

	lm(&(struct newton_problem){.F = F, .y = y, .W = W},
	        &(struct lm_conf){.iterations = 60, .inner = {.iterations = 4}}, x);
	check(fabs(x[0] - slope) < 1e-8 && fabs(x[1] - level) < 1e-8, "lm: weighted least squares");

	/* with a reference and much regularisation: the reference */
	const double ref[2] = {3., -1.};

	irgnm(&(struct newton_problem){.F = F, .y = y, .W = W},
	        &(struct irgnm_conf){.iterations = 2,
	                .alpha = 1e12,
	                .factor = 1.,
	                .inner = {.iterations = 4},
	                .reference = ref},
	        x);
	check(fabs(x[0] - 3.) < 1e-8 && fabs(x[1] + 1.) < 1e-8, "irgnm: strong regularisation");
	weights_free(W);
	nlop_free(F);
}

/* Two materials from a spectrum: both amounts, from rays of different mixtures. */
static void materials(void)
{
	enum { ROWS = 40, COLS = 5 };
	const double s[3] = {1e4, 2e4, 1e4}, mu[6] = {0.5, 0.3, 0.2, 2.5, 0.8, 0.3};
	double *M = probe_vector(DT_FLOAT64, ROWS * COLS, 8), truth[2 * COLS], x[2 * COLS], y[ROWS];

	for (int i = 0; i < ROWS * COLS; i++)
		M[i] = fabs(M[i]);

	for (int i = 0; i < 2 * COLS; i++) {
		truth[i] = 0.2 + 0.05 * i;
		x[i] = 0.1;
	}

	struct linop *A = linop_matrix_create(DT_FLOAT64, ROWS, COLS, M, 1, (long[]){COLS});
	struct nlop *P = nlop_polychromatic_create(A, 3, s, 2, mu);

	nlop_apply(P, y, truth);

	const struct iter_result res = lm(&(struct newton_problem){.F = P, .y = y},
	        &(struct lm_conf){.iterations = 200, .tolerance = 1e-13, .inner = {.iterations = 40}}, x);

	check(distance(DT_FLOAT64, 2 * COLS, x, truth) < 1e-5, "lm: two materials after %ld steps: %.2g",
	        res.iterations, distance(DT_FLOAT64, 2 * COLS, x, truth));
	linop_free(A);
	nlop_free(P);
	free(M);
}

static void bad_start(void)
{
	struct nlop *F = nlop_log_create(DT_FLOAT64, 1, (long[]){2});
	double x[2] = {-1., 1.}, y[2] = {0., 0.};

	lm(&(struct newton_problem){.F = F, .y = y},
	        &(struct lm_conf){.iterations = 1, .inner = {.iterations = 1}}, x);
}

static void bad_factor(void)
{
	struct nlop *F = nlop_exp_create(DT_FLOAT64, 1, (long[]){2});
	double x[2] = {-1., 1.}, y[2] = {0., 0.};

	irgnm(&(struct newton_problem){.F = F, .y = y},
	        &(struct irgnm_conf){.alpha = 1., .factor = 2., .inner = {.iterations = 1}}, x);
}

static void two_inputs(void)
{
	struct nlop *F = nlop_div_create(DT_FLOAT64, 1, (long[]){2});
	double x[2] = {-1., 1.}, y[2] = {0., 0.};

	lm(&(struct newton_problem){.F = F, .y = y},
	        &(struct lm_conf){.iterations = 1, .inner = {.iterations = 1}}, x);
}

int main(void)
{
	check_ends(1, "the misfit at the start is nan", bad_start, "a start outside the domain");
	check_ends(1, "the regularisation factor per iteration is 2", bad_factor, "factor");
	check_ends(1, "has 2 inputs and 1 outputs", two_inputs, "two inputs");

	recovers(DT_FLOAT32);
	recovers(DT_FLOAT64);
	valley();
	weighted();
	materials();

	return checks_failed > 0;
}
