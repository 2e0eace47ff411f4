/* Algorithms on small dense problems: exact minimisers, counts of operator applications, stopping, the
 * constraint. */

#include <math.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/algorithm/apg.h"
#include "iter/algorithm/cg.h"
#include "iter/step/mean_weight.h"
#include "linops/linop.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { M = 40, N = 12 };

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

/* An operator that counts. */
struct counted {
	const struct linop *A;
	long forwards, adjoints;
};

static void counted_forward(const void *self, void *dst, const void *src)
{
	((struct counted *)self)->forwards++;
	linop_forward(((const struct counted *)self)->A, dst, src);
}

static void counted_adjoint(const void *self, void *dst, const void *src)
{
	((struct counted *)self)->adjoints++;
	linop_adjoint(((const struct counted *)self)->A, dst, src);
}

static void counted_destroy(void *self)
{
	linop_free(((struct counted *)self)->A);
	free(self);
}

static const struct linop_ops counted_ops = {.name = "counted",
        .forward = counted_forward,
        .adjoint = counted_adjoint,
        .destroy = counted_destroy};

static void put(enum dtype t, void *x, long i, double re, double im)
{
	if (t == DT_FLOAT32)
		((float *)x)[i] = (float)re;
	else if (t == DT_FLOAT64)
		((double *)x)[i] = re;
	else if (t == DT_COMPLEX64)
		((float *)x)[2 * i] = (float)re, ((float *)x)[2 * i + 1] = (float)im;
	else
		((double *)x)[2 * i] = re, ((double *)x)[2 * i + 1] = im;
}

/* n deviates, or their magnitudes. */
static void *vector(enum dtype t, long n, unsigned long seed, bool positive)
{
	void *x = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < n; i++) {
		double re = rand_normal(seed, (uint64_t)(2 * i));
		double im = rand_normal(seed, (uint64_t)(2 * i + 1));

		put(t, x, i, positive ? fabs(re) : re, positive ? 0. : im);
	}

	return x;
}

struct setup {
	enum dtype type;
	struct counted *count;
	struct linop *A;
	void *y;
	double *w;
	struct weights *W;
};

static struct setup setup(enum dtype t, bool positive)
{
	struct setup s = {.type = t, .count = NEW(struct counted)};
	void *matrix = vector(t, M * N, 1, positive);
	const long dims[DIMS] = {M, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

	s.count->A = linop_matrix_create(t, M, N, matrix, 1, (long[]){N});
	s.A = linop_create(&counted_ops, s.count, t, 1, (long[]){M}, 1, (long[]){N});
	s.y = vector(t, M, 2, false);
	void *truth = vector(t, N, 7, false); // of both signs
	void *clean = mem_alloc(M * dtype_size(t));

	linop_forward(s.count->A, clean, truth);
	vec_axpby(t, M, s.y, 0.3, s.y, 1., clean);
	free(truth);
	free(clean);
	s.w = vector(DT_FLOAT64, M, 3, true);
	s.W = weights_create_array(dims, dims, DT_FLOAT64, s.w);
	free(matrix);

	return s;
}

static void end(struct setup *s)
{
	linop_free(s->A);
	weights_free(s->W);
	free(s->y);
	free(s->w);
}

/* g = A'W (A x - y) + lambda x; norm of A'W y. */
static double gradient(const struct iter_problem *p, const void *x, void *g)
{
	enum dtype t = linop_type(p->A);
	long n = linop_domain_size(p->A), m = linop_codomain_size(p->A);
	void *r = mem_alloc((size_t)m * dtype_size(t));

	weights_apply(p->W, t, m, r, p->y);
	linop_adjoint(p->A, g, r);

	double zero = vec_norm(t, n, g);

	linop_forward(p->A, r, x);
	vec_axpy(t, m, r, -1., p->y);
	weights_apply(p->W, t, m, r, r);
	linop_adjoint(p->A, g, r);
	vec_axpy(t, n, g, p->lambda, x);
	free(r);

	return zero;
}

static void reaches_minimum(enum dtype t, bool weighted, double lambda)
{
	struct setup s = setup(t, weighted);
	struct iter_problem p = {.A = s.A, .y = s.y, .W = weighted ? s.W : NULL, .lambda = lambda};
	void *x = mem_alloc(N * dtype_size(t));
	void *g = mem_alloc(N * dtype_size(t));
	long steps = dtype_is_complex(t) ? 2 * N : N; // as many as there are unknowns

	struct iter_result r = cg(&p, &(struct iter_conf){.iterations = 2 * steps, .tolerance = 1e-6}, x);
	double zero = gradient(&p, x, g);

	double rel = vec_norm(t, N, g) / zero;
	check(rel < 1e-5 && r.iterations <= steps + 8, "cg %s%s lambda %g: gradient %.1e after %ld steps",
	        dtype_name(t), weighted ? " weighted" : "", lambda, rel, r.iterations);
	check(r.end == ITER_TOLERANCE, "cg %s: says that the tolerance was met", dtype_name(t));

	free(x);
	free(g);
	end(&s);
}

extern const struct algorithm algorithm_cg;

static void two_applications(void)
{
	struct setup s = setup(DT_FLOAT32, true);
	struct iter_problem p = {.A = s.A, .y = s.y};
	float x[N];

	cg(&p, &(struct iter_conf){.iterations = 7}, x);
	check(s.count->forwards == 7 && s.count->adjoints == 7,
	        "cg: one forward and one adjoint per iteration");

	for (int weighted = 0; weighted < 2; weighted++)
		check(algorithm_volumes(&algorithm_cg, 0, weighted) == 2 + weighted &&
		                algorithm_projections(&algorithm_cg, 0) == 2,
		        "cg%s: %d volumes and 2 projections", weighted ? " weighted" : "", 2 + weighted);

	cg(&p, &(struct iter_conf){.iterations = 7, .warm = true}, x);
	check(s.count->forwards == 15 && s.count->adjoints == 14, "cg: one more forward for a warm start");

	s.count->forwards = s.count->adjoints = 0;
	apg(&p, &(struct iter_conf){.iterations = 7}, x);
	check(s.count->forwards == 8 && s.count->adjoints == 8,
	        "apg: one of each per iteration and one before");
	end(&s);
}

/* f after 1, 2, ... iterations never grows; the reported numbers are those of x. */
static void monotone(
        struct iter_result (*solve)(const struct iter_problem *, const struct iter_conf *, void *),
        const char *name)
{
	struct setup s = setup(DT_FLOAT64, true);
	struct iter_problem p = {.A = s.A, .y = s.y, .W = s.W, .lambda = 0.1};
	double x[N], r[M];
	double last = INFINITY;
	bool good = true;
	bool true_numbers = true;

	for (long i = 0; i <= 40; i++) {
		struct iter_result res = solve(&p, &(struct iter_conf){.iterations = i}, x);

		linop_forward(s.A, r, x);
		vec_axpy(DT_FLOAT64, M, r, -1., s.y);

		double r2 = weights_norm2(s.W, DT_FLOAT64, M, r);
		double f = 0.5 * r2 + 0.05 * vec_dot(DT_FLOAT64, N, x, x);

		good = good && f <= last * (1. + 1e-13);
		true_numbers = true_numbers && fabs(f - res.objective) < 1e-12 * f &&
		               fabs(sqrt(r2) - res.residual) < 1e-12 * res.residual;
		last = f;
	}

	check(good, "%s: the objective never grows", name);
	check(true_numbers, "%s: residual and objective are those of x", name);
	end(&s);
}

static void warm_start_at_minimum(void)
{
	struct setup s = setup(DT_FLOAT64, false);
	struct iter_problem p = {.A = s.A, .y = s.y};
	double x[N], x2[N];

	cg(&p, &(struct iter_conf){.iterations = 100, .tolerance = 1e-13}, x);
	memcpy(x2, x, sizeof x);

	struct iter_result r =
	        cg(&p, &(struct iter_conf){.iterations = 100, .tolerance = 1e-12, .warm = true}, x2);

	check(r.iterations == 0 && memcmp(x, x2, sizeof x) == 0,
	        "cg: a start at the minimum makes no step (%ld)", r.iterations);
	end(&s);
}

static void zero_data(void)
{
	struct setup s = setup(DT_FLOAT32, true);
	float y[M] = {0.f};
	struct iter_problem p = {.A = s.A, .y = y};
	float x[N];

	struct iter_result r = cg(&p, &(struct iter_conf){.iterations = 5}, x);

	check(r.end == ITER_MINIMUM && r.iterations == 0 && vec_norm(DT_FLOAT32, N, x) == 0.,
	        "cg: zero data end at 0");

	r = apg(&p, &(struct iter_conf){.iterations = 5}, x);
	check(r.end == ITER_MINIMUM && vec_norm(DT_FLOAT32, N, x) == 0., "apg: zero data end at 0");
	end(&s);
}

/* Gradient 0 where x > 0, >= 0 where x = 0; and the constraint is active somewhere. */
static void nonnegative(enum dtype t, double lambda, bool weighted)
{
	struct setup s = setup(t, true);
	struct iter_problem p = {.A = s.A, .y = s.y, .W = weighted ? s.W : NULL, .lambda = lambda};
	void *xt = mem_alloc(N * dtype_size(t));
	void *gt = mem_alloc(N * dtype_size(t));
	struct iter_result r = apg(
	        &p, &(struct iter_conf){.iterations = 5000, .tolerance = t == DT_FLOAT32 ? 1e-6 : 1e-12}, xt);
	double scale = gradient(&p, xt, gt);
	double worst = 0.;
	int at_bound = 0;

	for (int i = 0; i < N; i++) {
		double x = t == DT_FLOAT32 ? ((float *)xt)[i] : ((double *)xt)[i];
		double g = t == DT_FLOAT32 ? ((float *)gt)[i] : ((double *)gt)[i];

		at_bound += x == 0.;
		worst = fmax(worst, x < 0. ? INFINITY : x > 0. ? fabs(g) : fmax(0., -g));
	}

	check(worst <= (t == DT_FLOAT32 ? 1e-5 : 1e-10) * scale && at_bound > 0 && at_bound < N &&
	                r.end != ITER_DIVERGED,
	        "apg %s%s lambda %g: KKT to %.1e with %d of %d at 0 after %ld steps", dtype_name(t),
	        weighted ? " weighted" : "", lambda, worst / scale, at_bound, N, r.iterations);
	free(xt);
	free(gt);
	end(&s);
}

/* Weights of length 1 along a dim are repeated. */
static void broadcast(void)
{
	const long dims[DIMS] = {3, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	const long wdims[DIMS] = {1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	const unsigned char w[4] = {1, 2, 0, 5};
	float x[24], y[24];
	bool good = true;
	struct weights *W = weights_create_array(dims, wdims, DT_UINT8, w);

	for (int i = 0; i < 24; i++)
		x[i] = (float)(i + 1);

	weights_apply(W, DT_FLOAT32, 24, y, x);

	for (int i = 0; i < 24; i++)
		good = good && y[i] == x[i] * w[i / 3 % 4];

	check(good, "weights: repeated along dims of length 1, of any type");
	weights_free(W);
}

/* The inverse of the mean weight of the rays through a voxel: of two rays here, with a_ij > 0. */
static void mean_weights(void)
{
	const double matrix[] = {1, 3, 0, 2, 1, 0}; // 2 x 3: columns (1,3) (0,2) (1,0)
	const double w[] = {1, 0.5};
	const double tiny[] = {1, 1e-6};
	const long wdims[DIMS] = {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct linop *A = linop_matrix_create(DT_FLOAT64, 2, 3, matrix, 1, (long[]){3});
	struct weights *W = weights_create_array(wdims, wdims, DT_FLOAT64, w);
	struct weights *T = weights_create_array(wdims, wdims, DT_FLOAT64, tiny);
	double inverse[3], a[3], b[3], r[2];

	mean_weight_inverse(inverse, &(struct iter_problem){.A = A, .W = W}, a, b, r);
	check(fabs(inverse[0] - 4. / 2.5) < 1e-15 && inverse[1] == 2. && inverse[2] == 1.,
	        "mean weight: (a.w) / (a.1), inverted");
	mean_weight_inverse(inverse, &(struct iter_problem){.A = A, .W = T}, a, b, r);
	check(inverse[2] == 1. && fabs(inverse[1] - 100.) < 1e-12,
	        "mean weight: at least a hundredth of the largest");
	linop_free(A);
	weights_free(W);
	weights_free(T);
}

/* The adjoint has the wrong sign on half of the domain. */
static void wrong_adjoint(const void *self, void *dst, const void *src)
{
	linop_adjoint(((const struct counted *)self)->A, dst, src);
	vec_scale(DT_FLOAT32, N, dst, -1.);
	vec_axpy(DT_FLOAT32, N / 2, dst, 0., dst);
}

static void divergence(void)
{
	const struct linop_ops ops = {.name = "wrong",
	        .forward = counted_forward,
	        .adjoint = wrong_adjoint,
	        .destroy = counted_destroy};
	struct setup s = setup(DT_FLOAT32, true);
	struct counted *c = NEW(struct counted);
	float x[N];

	c->A = linop_ref(s.A);

	struct linop *wrong = linop_create(&ops, c, DT_FLOAT32, 1, (long[]){M}, 1, (long[]){N});
	struct iter_problem p = {.A = wrong, .y = s.y};
	struct iter_result r = cg(&p, &(struct iter_conf){.iterations = 50}, x);

	check(r.end == ITER_DIVERGED, "cg: a wrong adjoint is reported, not iterated on");

	// the step that grew is taken back: x is that of a run without it, up to roundings
	float good[N];

	cg(&p, &(struct iter_conf){.iterations = r.iterations}, good);
	vec_axpy(DT_FLOAT32, N, x, -1., good);
	check(vec_norm(DT_FLOAT32, N, x) <= 1e-4 * (1e-3 + vec_norm(DT_FLOAT32, N, good)),
	        "cg: after %ld good steps x is that of the last of them", r.iterations);
	linop_free(wrong);
	end(&s);
}

/* Enough elements for several chunks. */
static void computed_weights(void)
{
	enum { LONG = 300000 };
	float *x = vector(DT_FLOAT32, LONG, 8, false);
	float *y = vector(DT_FLOAT32, LONG, 9, true);
	struct weights *W = weights_create_exp(DT_FLOAT32, y, 0.);
	double expected = 0.;

	for (int i = 0; i < LONG; i++)
		expected += (double)expf(-y[i]) * x[i] * x[i];

	check(fabs(weights_norm2(W, DT_FLOAT32, LONG, x) - expected) < 1e-10 * expected,
	        "weights: exp(ymin - y)");
	weights_free(W);
	free(x);
	free(y);
}

static void overflow(void)
{
	struct setup s = setup(DT_FLOAT32, true);
	float y[M], x[N];

	for (int i = 0; i < M; i++)
		y[i] = 3e38f;

	cg(&(struct iter_problem){.A = s.A, .y = y}, &(struct iter_conf){.iterations = 3}, x);
}

static void complex_nonneg(void)
{
	struct setup s = setup(DT_COMPLEX64, true);
	complex float x[N];

	apg(&(struct iter_problem){.A = s.A, .y = s.y}, &(struct iter_conf){.iterations = 3}, x);
}

int main(void)
{
	check_ends(1, "expected a finite value", overflow, "cg: overflow is an error");
	check_ends(1, "a solution >= 0 needs a real type", complex_nonneg, "apg: complex types are refused");

	for (int i = 0; i < 4; i++) {
		reaches_minimum(types[i], false, 0.);
		reaches_minimum(types[i], true, 0.);
		reaches_minimum(types[i], true, 3.);
	}

	for (int i = 0; i < 2; i++) {
		nonnegative(types[i], 0., false);
		nonnegative(types[i], 0.5, true);
	}

	two_applications();
	monotone(cg, "cg");
	monotone(apg, "apg");
	warm_start_at_minimum();
	zero_data();
	broadcast();
	mean_weights();
	divergence();
	computed_weights();

	return checks_failed > 0;
}
