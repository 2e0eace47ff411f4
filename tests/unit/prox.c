/** Tests of proximal operators for every type: the inequality that only the prox satisfies; Moreau's identity
 * for functionals with a closed-form conjugate; bit-identical results for any number of threads. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "linops/wavelet/wavelet.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { X = 5, Y = 4, Z = 3, N = X * Y * Z };

static const long dims[3] = {X, Y, Z};
static const enum dtype types[4] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static double eps_of(enum dtype t)
{
	return (DT_FLOAT32 == dtype_real(t)) ? 2e-6 : 1e-12;
}

static int parts_of(enum dtype t)
{
	return dtype_is_complex(t) ? 2 : 1;
}

static void put(enum dtype t, void *x, long i, double v)
{
	if (DT_FLOAT32 == dtype_real(t))
		((float *)x)[i] = (float)v;
	else
		((double *)x)[i] = v;
}

static double get(enum dtype t, const void *x, long i)
{
	return (DT_FLOAT32 == dtype_real(t)) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/** Normal numbers of that deviation, about `mean`. */
static void *vector(enum dtype t, unsigned long seed, double mean, double deviation)
{
	void *x = mem_alloc(N * dtype_size(t));

	for (long i = 0; i < N * parts_of(t); i++)
		put(t, x, i, mean + deviation * rand_normal(seed, (unsigned long)i));

	return x;
}

static void *positive(enum dtype t, unsigned long seed, double largest)
{
	void *x = mem_alloc(N * dtype_size(t));

	for (long i = 0; i < N * parts_of(t); i++)
		put(t, x, i, (i % 7 == 0) ? 0. : largest * rand_uniform(seed, (unsigned long)i));

	return x;
}

/** A prox u of v: gamma g(z) >= gamma g(u) + Re <v - u, z - u> for every z. Returns by how much that fails,
 * per unit of roundings. */
static double excess(const struct functional *g, double gamma, const void *v, const void *u, const void *z)
{
	const enum dtype t = functional_type(g);
	double *d = mem_alloc(N * dtype_size(t)), *e = mem_alloc(N * dtype_size(t));

	vec_axpby(t, N, d, 1., v, -1., u);
	vec_axpby(t, N, e, 1., z, -1., u);

	const double gu = gamma * functional_value(g, u), gz = gamma * functional_value(g, z);
	const double inner = vec_dot(t, N, d, e);
	const double unit = fabs(gu) + fabs(gz) + vec_norm(t, N, d) * vec_norm(t, N, e) +
	                    vec_norm(t, N, u) * vec_norm(t, N, d) + 1.;

	free(d);
	free(e);

	if (isinf(gz) && !isinf(gu))
		return 0.;

	return (gu + inner - gz) / unit;
}

/** The worst of many z: near u, far away, along single elements, and (unless that takes long) in the image of
 * the prox. */
static double worst(const struct functional *g, double gamma, const void *v, const void *u, bool costly)
{
	const enum dtype t = functional_type(g);
	double most = -INFINITY;

	for (int k = 0; k < 30; k++) {
		void *z = vector(t, 100 + (unsigned long)k, 0., pow(10., -k % 5));

		if (k % 3)
			vec_axpy(t, N, z, 1., u);

		if (k % 4 == 0 && !costly)
			functional_prox(g, gamma, z, z);

		const double e = excess(g, gamma, v, u, z);

		most = (e <= most) ? most : e;
		free(z);
	}

	for (long i = 0; i < N * parts_of(t); i += 3)
		for (int s = -1; s <= 1; s++) {
			void *z = mem_alloc(N * dtype_size(t));

			vec_copy(t, N, z, u);
			put(t, z, i, s ? get(t, u, i) + .01 * s : 0.);

			const double e = excess(g, gamma, v, u, z);

			most = (e <= most) ? most : e;
			free(z);
		}

	return most;
}

static void test_prox(const char *name, const struct functional *g, double mean, double tolerance)
{
	const enum dtype t = functional_type(g);
	double most = -INFINITY, expansion = -INFINITY;
	bool inplace = true, threads = true;

	for (int k = 0; k < 5; k++) {
		const double gamma = (double[]){.1, .7, 3.}[k % 3];
		void *v = vector(t, (unsigned long)k, mean, (k < 3) ? 1. : 4.);
		void *u = mem_alloc(N * dtype_size(t)), *w = mem_alloc(N * dtype_size(t));

		omp_set_num_threads(1);
		functional_prox(g, gamma, u, v);

		const double e = worst(g, gamma, v, u, tolerance > 1e-4);

		most = (e <= most) ? most : e;

		vec_copy(t, N, w, v);
		omp_set_num_threads(3);
		functional_prox(g, gamma, w, w);
		omp_set_num_threads(1);
		threads &= 0 == memcmp(u, w, N * dtype_size(t));
		inplace &= threads;

		/* firmly nonexpansive: <u - u2, v - v2> >= |u - u2|^2 */
		void *v2 = vector(t, 50 + (unsigned long)k, mean, 1.);

		functional_prox(g, gamma, w, v2);
		vec_axpy(t, N, w, -1., u);
		vec_axpy(t, N, v2, -1., v);

		const double norm = vec_norm(t, N, w),
		             d = (norm * norm - vec_dot(t, N, w, v2)) / (1. + vec_norm(t, N, v2) * norm);

		expansion = (d <= expansion) ? expansion : d;
		free(v);
		free(v2);
		free(u);
		free(w);
	}

	check(most <= tolerance, "%s %s: no point has a lower objective than the prox (%.1e)", name,
	        dtype_name(t), most);
	check(expansion <= tolerance, "%s %s: firmly nonexpansive (%.1e)", name, dtype_name(t), expansion);
	check(inplace && threads, "%s %s: same bits in place and for any threads", name, dtype_name(t));
}

/** gamma times a norm, where v is within its dual ball of that radius: the prox is 0. */
static void test_vanishes(const char *name, const struct functional *g)
{
	const enum dtype t = functional_type(g);
	void *v = vector(t, 3, 0., 1.), *u = mem_alloc(N * dtype_size(t)), *in = mem_alloc(N * dtype_size(t));

	functional_prox(g, 1e4, u, v);
	vec_copy(t, N, in, v);
	functional_prox(g, 1e4, in, in);
	check(0. == vec_norm(t, N, u) && 0. == vec_norm(t, N, in) && 0. < vec_norm(t, N, v),
	        "%s %s: what is within the ball of the dual norm becomes 0", name, dtype_name(t));
	free(v);
	free(u);
	free(in);
}

/** prox of the conjugate at v, with that of g by Moreau's identity and that of gstar itself. */
static void test_moreau(const char *name, const struct functional *g, const struct functional *gstar)
{
	const enum dtype t = functional_type(g);
	double most = 0.;

	for (int k = 0; k < 6; k++) {
		const double sigma = (double[]){.2, 1., 5.}[k % 3];
		void *v = vector(t, 200 + (unsigned long)k, .3, (k < 3) ? .5 : 3.);
		void *a = mem_alloc(N * dtype_size(t)), *b = mem_alloc(N * dtype_size(t));

		functional_prox_conjugate(g, sigma, a, v);
		functional_prox(gstar, sigma, b, v);
		vec_axpy(t, N, b, -1., a);

		const double e = vec_norm(t, N, b) / vec_norm(t, N, v);

		most = (e <= most) ? most : e;
		free(v);
		free(a);
		free(b);
	}

	check(most <= 3. * eps_of(t), "%s %s: Moreau's identity with its conjugate (%.1e)", name,
	        dtype_name(t), most);
}

/** Gradient against central differences of the value, the Lipschitz constant, and the curvature bound. */
static void test_smooth(const char *name, const struct functional *g, double mean, double deviation)
{
	const enum dtype t = functional_type(g);
	const double L = functional_lipschitz(g);
	void *x = vector(t, 7, mean, deviation), *d = vector(t, 8, 0., 1.);
	void *a = mem_alloc(N * dtype_size(t)), *b = mem_alloc(N * dtype_size(t));
	const double s = (DT_FLOAT32 == dtype_real(t)) ? 2e-2 : 1e-4;

	functional_gradient(g, a, x);

	const double slope = vec_dot(t, N, a, d);

	vec_axpby(t, N, b, 1., x, s, d);
	const double up = functional_value(g, b);

	vec_axpby(t, N, b, 1., x, -s, d);
	const double down = functional_value(g, b);

	const double error = fabs((up - down) / (2. * s) - slope) / (1. + fabs(slope));

	check(error <= ((DT_FLOAT32 == dtype_real(t)) ? 2e-2 : 1e-6), "%s %s: gradient (%.1e)", name,
	        dtype_name(t), error);

	vec_axpby(t, N, b, 1., x, .3, d);
	functional_gradient(g, b, b);
	vec_axpy(t, N, b, -1., a);

	const double change = vec_norm(t, N, b) / (.3 * vec_norm(t, N, d));

	check(change <= L * (1. + 1e-4), "%s %s: Lipschitz constant %g (found %g)", name, dtype_name(t), L,
	        change);
	free(x);
	free(d);
	free(a);
	free(b);
}

/** Every parabola lies above: over u >= lowest. */
static void test_curvature(const char *name, const struct functional *g, double lowest)
{
	const enum dtype t = functional_type(g), real = dtype_real(t);
	double most = -INFINITY;

	for (unsigned long k = 0; k < 20; k++) {
		void *x = vector(t, 300 + k, 1., 1.), *u = vector(t, 400 + k, 1., (k % 2) ? 2. : .1);
		void *grad = mem_alloc(N * dtype_size(t)), *d = mem_alloc(N * dtype_size(real));

		for (long i = 0; i < N * parts_of(t); i++) {
			put(t, x, i, fmax(get(t, x, i), lowest));
			put(t, u, i, fmax(get(t, u, i), lowest));
		}

		functional_gradient(g, grad, x);
		functional_curvature(g, d, x);

		double above = functional_value(g, x);

		for (long i = 0; i < N * parts_of(t); i++) {
			const double step = get(t, u, i) - get(t, x, i);

			above += get(t, grad, i) * step + .5 * get(real, d, i / parts_of(t)) * step * step;
		}

		const double gu = functional_value(g, u), e = (gu - above) / (1. + fabs(gu));

		most = (e <= most) ? most : e;
		free(x);
		free(u);
		free(grad);
		free(d);
	}

	check(most <= 10. * eps_of(t), "%s %s: curvature bound (%.1e)", name, dtype_name(t), most);
}

static void test_sums(enum dtype t)
{
	const double tol = 10. * eps_of(t);
	const long wdims[DIMS] = {X, 1, Z, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	long all[DIMS];
	void *y = vector(t, 20, .5, 1.), *wdata = positive(dtype_real(t), 21, 2.);

	for (int i = 0; i < DIMS; i++)
		all[i] = i < 3 ? dims[i] : 1;

	struct weights *w = weights_create_array(all, wdims, dtype_real(t), wdata);
	struct functional *g;

#define EVERY(make, name, smooth)                                                                            \
	do {                                                                                                 \
		g = make;                                                                                    \
		test_prox(name, g, 0., tol);                                                                 \
		if (smooth) {                                                                                \
			test_smooth(name, g, 0., 1.);                                                        \
			test_curvature(name, g, -INFINITY);                                                  \
		}                                                                                            \
		functional_free(g);                                                                          \
	} while (0)

	EVERY(functional_zero_create(t, 3, dims), "zero", true);
	EVERY(functional_l2sq_create(t, 3, dims, NULL, NULL), "l2sq", true);
	EVERY(functional_l2sq_create(t, 3, dims, y, w), "l2sq, y, weights", true);
	EVERY(functional_l1_create(t, 3, dims, NULL, NULL), "l1", false);
	EVERY(functional_l1_create(t, 3, dims, y, w), "l1, y, weights", false);
	EVERY(functional_huber_create(t, 3, dims, .4, NULL, NULL), "huber", true);
	EVERY(functional_huber_create(t, 3, dims, .4, y, w), "huber, y, weights", true);
	EVERY(functional_pseudo_huber_create(t, 3, dims, .4, NULL, NULL), "pseudo-huber", true);
	EVERY(functional_pseudo_huber_create(t, 3, dims, .2, y, w), "pseudo-huber, y, weights", true);

	weights_free(w);
	free(wdata);
	free(y);
}

static void test_norms(enum dtype t)
{
	const double tol = 10. * eps_of(t);
	struct functional *g, *h;

#define PAIR(name, make, dual)                                                                               \
	do {                                                                                                 \
		g = make;                                                                                    \
		h = dual;                                                                                    \
		test_prox(name, g, 0., tol);                                                                 \
		test_prox(name " (conjugate)", h, 0., tol);                                                  \
		test_moreau(name, g, h);                                                                     \
		functional_free(g);                                                                          \
		functional_free(h);                                                                          \
	} while (0)

	PAIR("l2", functional_l2_create(t, 3, dims), functional_l2_ball_create(t, 3, dims, 1.));
	PAIR("linf", functional_linf_create(t, 3, dims), functional_l1_ball_create(t, 3, dims, 1.));
	PAIR("l1", functional_l1_create(t, 3, dims, NULL, NULL),
	        functional_group_ball_create(t, 3, dims, 0, 1.));
	PAIR("l21 first", functional_l21_create(t, 3, dims, 1),
	        functional_group_ball_create(t, 3, dims, 1, 1.));
	PAIR("l21 last", functional_l21_create(t, 3, dims, 4),
	        functional_group_ball_create(t, 3, dims, 4, 1.));
	PAIR("l21 two", functional_l21_create(t, 3, dims, 5),
	        functional_group_ball_create(t, 3, dims, 5, 1.));
	PAIR("l21 all", functional_l21_create(t, 3, dims, 7), functional_l2_ball_create(t, 3, dims, 1.));

	struct functional *norms[] = {functional_l2_create(t, 3, dims), functional_linf_create(t, 3, dims),
	        functional_l1_create(t, 3, dims, NULL, NULL), functional_l21_create(t, 3, dims, 1),
	        functional_l21_create(t, 3, dims, 7)};

	for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
		test_vanishes(functional_name(norms[i]), norms[i]);
		functional_free(norms[i]);
	}

	/* the conjugate of Huber's function is that of a parabola, on an interval */
	struct functional *ball = functional_group_ball_create(t, 3, dims, 0, .3);

	PAIR("huber", functional_huber_create(t, 3, dims, .3, NULL, NULL),
	        functional_quadratic_create(ball, 1., NULL));
	PAIR("l2sq", functional_l2sq_create(t, 3, dims, NULL, NULL),
	        functional_l2sq_create(t, 3, dims, NULL, NULL));
	functional_free(ball);
}

static void test_indicators(enum dtype t)
{
	const double tol = 10. * eps_of(t);
	struct functional *g, *h;

	if (!dtype_is_complex(t)) {
		PAIR("nonneg", functional_nonneg_create(t, 3, dims),
		        functional_box_create(t, 3, dims, -INFINITY, 0.));
		g = functional_box_create(t, 3, dims, -.25, .5);
		test_prox("box", g, 0., tol);
		functional_free(g);
	}

	void *M = mem_alloc(4 * N * dtype_size(t));
	void *m = vector(t, 31, 0., 1.), *b = vector(t, 32, 0., 1.);

	for (int i = 0; i < 4; i++) {
		void *row = vector(t, 40 + (unsigned long)i, .1, 1.);

		memcpy((char *)M + (size_t)i * N * dtype_size(t), row, N * dtype_size(t));
		free(row);
	}

	g = functional_affine_create(t, 3, dims, 1, m, b);
	test_prox("hyperplane", g, 0., tol);
	functional_free(g);
	g = functional_affine_create(t, 3, dims, 4, M, b);
	test_prox("affine set", g, 0., tol);

	/* M x = b holds, without conjugation */
	void *v = vector(t, 33, 0., 2.);
	double worst_row = 0.;

	functional_prox(g, 1., v, v);

	for (int i = 0; i < 4; i++) {
		double re = 0., im = 0.;

		for (long k = 0; k < N; k++) {
			const int p = parts_of(t);
			const double ar = get(t, M, (i * N + k) * p),
			             ai = p > 1 ? get(t, M, (i * N + k) * p + 1) : 0.;
			const double xr = get(t, v, k * p), xi = p > 1 ? get(t, v, k * p + 1) : 0.;

			re += ar * xr - ai * xi;
			im += ar * xi + ai * xr;
		}

		re -= get(t, b, i * parts_of(t));
		im -= (parts_of(t) > 1) ? get(t, b, i * 2 + 1) : 0.;
		worst_row = fmax(worst_row, fmax(fabs(re), fabs(im)));
	}

	check(worst_row < 20. * eps_of(t), "affine set %s: M x = b (%.1e)", dtype_name(t), worst_row);
	functional_free(g);
	free(v);
	free(M);
	free(m);
	free(b);
}

static void test_counts(enum dtype t)
{
	const double tol = 10. * eps_of(t);
	const long wdims[DIMS] = {X, Y, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	void *y = positive(t, 60, 5.), *b = positive(t, 61, 1.), *blank = vector(t, 62, 3., .2);
	long all[DIMS];

	for (int i = 0; i < DIMS; i++)
		all[i] = i < 3 ? dims[i] : 1;

	struct weights *w = weights_create_array(all, wdims, t, blank);
	struct functional *g = functional_kl_create(t, 3, dims, y, NULL, 0.);

	test_prox("kl", g, 1., tol);
	functional_free(g);
	g = functional_kl_create(t, 3, dims, y, b, 0.);
	test_prox("kl, background", g, 1., tol);
	functional_free(g);
	g = functional_kl_create(t, 3, dims, y, NULL, 2.);

	/* a gradient without a Lipschitz constant */
	check(isinf(functional_lipschitz(g)), "kl %s: no Lipschitz constant", dtype_name(t));
	functional_free(g);

	g = functional_transmission_create(t, 3, dims, y, NULL, 4., 0.);
	test_prox("transmission", g, 1., tol);
	test_smooth("transmission", g, 2., .2);
	test_curvature("transmission", g, 0.);
	functional_free(g);
	g = functional_transmission_create(t, 3, dims, y, w, 2., 0.);
	test_prox("transmission, blank scan", g, 1., tol);
	test_smooth("transmission, blank scan", g, 2., .2);
	functional_free(g);
	g = functional_transmission_create(t, 3, dims, y, w, 2., .5);
	check(!functional_has_prox(g), "transmission, background %s: no prox", dtype_name(t));
	test_smooth("transmission, background", g, 2., .2);
	test_curvature("transmission, background", g, 0.);
	functional_free(g);
	weights_free(w);
	free(y);
	free(b);
	free(blank);
}

static void test_algebra(enum dtype t)
{
	const double tol = 10. * eps_of(t);
	void *y = vector(t, 70, .2, 1.), *u = vector(t, 71, 0., 1.);
	struct functional *l1 = functional_l1_create(t, 3, dims, NULL, NULL);
	struct functional *huber = functional_huber_create(t, 3, dims, .5, NULL, NULL);
	struct functional *l21 = functional_l21_create(t, 3, dims, 2);
	struct functional *g;

	EVERY(functional_scale_create(.4, l1), "scale", false);
	EVERY(functional_scale_create(0., huber), "scale by 0", true);
	EVERY(functional_dilate_create(-2., huber), "dilate", true);
	EVERY(functional_translate_create(l21, y), "translate", false);
	EVERY(functional_translate_create(huber, y), "translate, smooth", true);
	EVERY(functional_quadratic_create(l21, .6, y), "quadratic", false);
	EVERY(functional_quadratic_create(huber, .6, y), "quadratic, smooth", true);
	EVERY(functional_quadratic_create(huber, .6, NULL), "quadratic about 0", true);
	EVERY(functional_tilt_create(huber, u), "tilt", true);

	const long half[1] = {N / 2};
	struct functional *a = functional_l1_create(t, 1, half, NULL, NULL);
	struct functional *b = functional_huber_create(t, 1, half, .3, NULL, NULL);
	struct functional *s = functional_scale_create(2., b);

	EVERY(functional_stack_create(2, (const struct functional *const[]){a, s}), "stack", false);
	EVERY(functional_stack_create(2, (const struct functional *const[]){b, s}), "stack, smooth", true);
	functional_free(a);
	functional_free(b);
	functional_free(s);
	functional_free(l1);
	functional_free(huber);
	functional_free(l21);
	free(y);
	free(u);
}

static void test_tv(enum dtype t)
{
	const double tol = 2e-4, h[3] = {.7, 1., 2.};
	struct tv_conf c = {.flags = 7, .h = h, .tolerance = 1e-5, .iterations = 2000};
	struct functional *g = functional_tv_create(t, 3, dims, &c);

	test_prox("tv", g, 0., tol);
	functional_free(g);
	c.anisotropic = true;
	c.flags = 5;
	g = functional_tv_create(t, 3, dims, &c);
	test_prox("tv, anisotropic, two dims", g, 0., tol);
	functional_free(g);

	/* from where it ended it goes on, and so does another that is given the state */
	c.tolerance = 0.;
	c.iterations = 20;
	c.warm = true;

	struct functional *a = functional_tv_create(t, 3, dims, &c),
	                  *b = functional_tv_create(t, 3, dims, &c);
	void *v = vector(t, 95, 0., 1.), *u = mem_alloc(N * dtype_size(t)), *w = mem_alloc(N * dtype_size(t));
	long bytes, same;

	functional_prox(a, .5, u, v);

	const void *from = functional_state(a, &bytes);
	void *to = functional_state(b, &same);

	memcpy(to, from, (size_t)bytes);
	functional_prox(a, .5, u, v);
	functional_prox(b, .5, w, v);
	check(bytes == same && 0 == memcmp(u, w, N * dtype_size(t)), "tv %s: state makes the same bytes",
	        dtype_name(t));
	functional_free(a);
	functional_free(b);
	free(v);
	free(u);
	free(w);
}

/** An orthonormal transform: the inequality of a prox; with spins, a shift of the input shifts the output. */
static void test_wavelet(enum dtype t)
{
	const long even[3] = {4, 8, 2}, n = 64;
	struct wavelet_conf c = {
	        .flags = 7, .family = WAVELET_HAAR, .boundary = WAVELET_PERIODIC, .levels = 1, .spins = 1};
	struct functional *g = functional_wavelet_create(t, 3, even, &c);
	void *v = mem_alloc((size_t)n * dtype_size(t)), *u = mem_alloc((size_t)n * dtype_size(t));
	void *z = mem_alloc((size_t)n * dtype_size(t)), *d = mem_alloc((size_t)n * dtype_size(t));
	double most = -INFINITY;

	for (unsigned long k = 0; k < 40; k++) {
		for (long i = 0; i < n * parts_of(t); i++) {
			put(t, v, i, rand_normal(5, (unsigned long)i));
			put(t, z, i, pow(10., -(double)(k % 5)) * rand_normal(6 + k, (unsigned long)i));
		}

		functional_prox(g, .4, u, v);
		vec_axpy(t, n, z, 1., u);
		vec_axpby(t, n, d, 1., v, -1., u);
		vec_axpy(t, n, u, -1., z);

		const double inner = -vec_dot(t, n, d, u);

		vec_axpy(t, n, u, 1., z);
		most = fmax(most, .4 * functional_value(g, u) + inner - .4 * functional_value(g, z));
	}

	check(most <= 100. * eps_of(t), "wavelet %s: no point has a lower objective than the prox (%.1e)",
	        dtype_name(t), most);
	functional_free(g);

	c.spins = 2;
	g = functional_wavelet_create(t, 3, even, &c);

	const long by[3] = {1, 1, 1};

	functional_prox(g, .4, u, v);
	md_circ_shift(3, even, by, z, u, dtype_size(t));
	md_circ_shift(3, even, by, d, v, dtype_size(t));
	functional_prox(g, .4, d, d);
	vec_axpy(t, n, d, -1., z);
	check(vec_norm(t, n, d) <= 100. * eps_of(t),
	        "wavelet %s: spins of all shifts do not depend on a shift", dtype_name(t));
	functional_free(g);
	free(v);
	free(u);
	free(z);
	free(d);
}

/** Element by element against a search: the non-convex one, and one with a Newton iteration inside. */
static void test_nuclear(enum dtype t)
{
	const double tol = 30. * eps_of(t);
	struct functional *g = functional_nuclear_create(t, 3, dims, 3, 0);

	test_prox("nuclear norm", g, 0., tol);
	functional_free(g);
	g = functional_nuclear_create(t, 3, dims, 4, 2);
	test_prox("nuclear norm, wide, in batches", g, 0., tol);
	functional_free(g);

	/* of one row it is the norm of that row */
	void *x = vector(t, 80, 0., 1.);

	g = functional_nuclear_create(t, 3, dims, 0, 0);

	const double a = functional_value(g, x), b = vec_norm(t, N, x);

	check(fabs(a - b) <= tol * b, "nuclear norm %s: of a row", dtype_name(t));
	functional_free(g);
	free(x);
}

/** Ramps come back as they are. */
static void test_second_order(enum dtype t)
{
	void *x = mem_alloc(N * dtype_size(t)), *u = mem_alloc(N * dtype_size(t));
	const double h[3] = {.5, 1., 2.};
	const struct tgv_conf c = {
	        .flags = 7, .h = h, .first = 1., .second = 2., .tolerance = 0., .iterations = 1500};
	const struct functional *g[2] = {
	        functional_tgv_create(t, 3, dims, &c), functional_ictv_create(t, 3, dims, &c)};

	for (long i = 0; i < N; i++)
		for (int p = 0; p < parts_of(t); p++)
			put(t, x, parts_of(t) * i + p,
			        .3 * (double)(i % X) - .1 * (double)(i / X % Y) + .2 * (double)(i / (X * Y)) +
			                p);

	for (int k = 0; k < 2; k++) {
		functional_prox(g[k], .3, u, x);
		vec_axpy(t, N, u, -1., x);

		const double e = vec_norm(t, N, u) / vec_norm(t, N, x);

		check(e <= 1e-2, "%s %s: a ramp stays (%.1e)", functional_name(g[k]), dtype_name(t), e);
	}

	functional_free(g[0]);
	functional_free(g[1]);
	free(x);
	free(u);
}

static void test_scalar_search(void)
{
	double v[N], u[N], most[2] = {0.};

	for (int i = 0; i < N; i++)
		v[i] = (i - N / 2) * .1;

	const struct functional *g[2] = {functional_l0_create(DT_FLOAT64, 3, dims, NULL, NULL),
	        functional_pseudo_huber_create(DT_FLOAT64, 3, dims, .3, NULL, NULL)};

	for (int k = 0; k < 2; k++) {
		functional_prox(g[k], .5, u, v);

		for (int i = 0; i < N; i++) {
			double best = INFINITY;

			for (int j = -80000; j <= 80000; j++) {
				const double z = j * 5e-5;
				const double r = z / .3, f = k ? .09 * (sqrt(1. + r * r) - 1.) : (j != 0);

				best = fmin(best, .5 * f + .5 * (z - v[i]) * (z - v[i]));
			}

			const double r = u[i] / .3, f = k ? .09 * (sqrt(1. + r * r) - 1.) : (0. != u[i]);

			most[k] = fmax(most[k], .5 * f + .5 * (u[i] - v[i]) * (u[i] - v[i]) - best);
		}

		check(most[k] <= 1e-12, "%s: no number of a fine grid is better (%.1e)",
		        functional_name(g[k]), most[k]);
		functional_free(g[k]);
	}
}

static void test_nan(void)
{
	const long one[1] = {3};
	float v[3] = {1.f, NAN, 2.f}, u[3];
	struct functional *g[] = {functional_l1_create(DT_FLOAT32, 1, one, NULL, NULL),
	        functional_l0_create(DT_FLOAT32, 1, one, NULL, NULL),
	        functional_huber_create(DT_FLOAT32, 1, one, 1., NULL, NULL),
	        functional_pseudo_huber_create(DT_FLOAT32, 1, one, 1., NULL, NULL),
	        functional_nonneg_create(DT_FLOAT32, 1, one), functional_linf_create(DT_FLOAT32, 1, one),
	        functional_l2_create(DT_FLOAT32, 1, one), functional_l21_create(DT_FLOAT32, 1, one, 1)};

	for (size_t i = 0; i < sizeof g / sizeof *g; i++) {
		functional_prox(g[i], 10., u, v);
		check(isnan(u[1]), "%s: NaN is not hidden", functional_name(g[i]));
		functional_free(g[i]);
	}
}

static void negative_delta(void)
{
	functional_huber_create(DT_FLOAT32, 3, dims, -1., NULL, NULL);
}

static void crossed_bounds(void)
{
	functional_box_create(DT_FLOAT32, 3, dims, 1., 0.);
}

static void negative_factor(void)
{
	functional_scale_create(-1., functional_zero_create(DT_FLOAT32, 3, dims));
}

static void dependent_rows(void)
{
	const float M[4] = {1, 2, 2, 4}, b[2] = {1, 1};
	const long two[1] = {2};

	functional_affine_create(DT_FLOAT32, 1, two, 2, M, b);
}

int main(void)
{
	omp_set_num_threads(1);

	for (int i = 0; i < 4; i++) {
		test_sums(types[i]);
		test_norms(types[i]);
		test_indicators(types[i]);
		test_algebra(types[i]);
		test_tv(types[i]);
		test_nuclear(types[i]);
		test_second_order(types[i]);
		test_wavelet(types[i]);

		if (!dtype_is_complex(types[i]))
			test_counts(types[i]);
	}

	test_scalar_search();
	test_nan();
	check_ends(1, "delta is -1", negative_delta, "a negative delta is refused");
	check_ends(1, "bounds 1 and 0", crossed_bounds, "crossed bounds are refused");
	check_ends(1, "multiplied by -1", negative_factor, "a negative factor is refused");
	check_ends(1, "row 1", dependent_rows, "dependent rows are refused");

	return checks_failed != 0;
}
