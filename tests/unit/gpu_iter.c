/* Algorithms with their vectors on the device, beside the CPU's results; operators and functionals there,
 * those that have kernels and those that are brought back for; what crosses in an iteration. */

#include <math.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/step/dual.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "linops/differences.h"
#include "linops/linop.h"
#include "linops/wavelet/filters.h"
#include "linops/shapes.h"
#include "ct/projector/xray.h"
#include "nlops/nlop.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"
#include "xray_scans.h"

enum { N = 8, VIEWS = 4 };

static void *random_vector(enum dtype t, long n, unsigned long seed)
{
	const long parts = dtype_is_complex(t) ? 2 * n : n;
	void *x = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < parts; i++) {
		const double v = 2. * rand_uniform(seed, (uint64_t)i) - 1.;

		if (DT_FLOAT32 == dtype_real(t))
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}

	return x;
}

static void *there(const void *x, size_t bytes)
{
	void *p = device_alloc(bytes);

	device_copy(p, x, bytes);
	return p;
}

/* |a - b| / |a|; b lies on the device. */
static double deviation(enum dtype t, long n, const void *a, const void *b)
{
	const size_t bytes = (size_t)n * dtype_size(t);
	void *d = mem_alloc(bytes);

	device_copy(d, b, bytes);
	vec_axpby(t, n, d, 1., d, -1., a);

	const double size = vec_norm(t, n, a), error = vec_norm(t, n, d) / (size > 0. ? size : 1.);

	free(d);
	return error;
}

static double tolerance(enum dtype t)
{
	return DT_FLOAT32 == dtype_real(t) ? 2e-6 : 1e-13;
}

/* Forward and adjoint at both places. */
static void check_linop(struct linop *A, const char *name)
{
	const enum dtype t = linop_type(A);
	const size_t size = dtype_size(t);
	const long n = linop_domain_size(A), m = linop_codomain_size(A);
	void *x = random_vector(t, n, 1), *y = random_vector(t, m, 2), *Ax = mem_alloc((size_t)m * size),
	     *Ay = mem_alloc((size_t)n * size);
	void *gx = there(x, (size_t)n * size), *gy = there(y, (size_t)m * size),
	     *gAx = device_alloc((size_t)m * size), *gAy = device_alloc((size_t)n * size);

	linop_forward(A, Ax, x);
	linop_forward(A, gAx, gx);
	linop_adjoint(A, Ay, y);
	linop_adjoint(A, gAy, gy);
	check(deviation(t, m, Ax, gAx) <= tolerance(t), "%s %s forward on the device", dtype_name(t), name);
	check(deviation(t, n, Ay, gAy) <= tolerance(t), "%s %s adjoint on the device", dtype_name(t), name);
	device_free(gx);
	device_free(gy);
	device_free(gAx);
	device_free(gAy);
	free(x);
	free(y);
	free(Ax);
	free(Ay);
	linop_free(A);
}

static struct linop *brought_back(enum dtype t, const long dims[])
{
	return linop_sample_create(t, 3, dims, 0, dims[0], (const long[]){3, 0, 0, 6, 2, 5, 1});
}

static void check_linops(enum dtype t)
{
	const long dims[] = {7, 5, 4};
	const double h[] = {1., .5, 2.};

	for (int scheme = GRAD_FORWARD; scheme <= GRAD_CENTRAL; scheme++)
		for (int boundary = GRAD_REPLICATE; boundary <= GRAD_ONE_SIDED; boundary++) {
			char name[64];

			snprintf(name, sizeof name, "gradient %d %d", scheme, boundary);
			check_linop(linop_gradient_create(t, 3, dims, 7, h, (enum grad_scheme)scheme,
			                    (enum grad_boundary)boundary),
			        name);
		}

	check_linop(linop_gradient_create(t, 3, (const long[]){1, 5, 1}, 7, h, GRAD_CENTRAL, GRAD_REPLICATE),
	        "gradient of one row");
	for (int boundary = GRAD_REPLICATE; boundary <= GRAD_PERIODIC; boundary++) {
		char name[64];

		snprintf(name, sizeof name, "Laplacian %d", boundary);
		check_linop(linop_laplacian_create(t, 3, dims, 7, h, (enum grad_boundary)boundary), name);
		check_linop(linop_laplacian_create(t, 3, dims, 6, h, (enum grad_boundary)boundary), name);
	}

	check_linop(linop_laplacian_create(t, 3, (const long[]){1, 2, 1}, 7, h, GRAD_PERIODIC),
	        "Laplacian of two elements");
	check_linop(linop_symmetric_gradient_create(t, 3, dims, 7, h, GRAD_BACKWARD, GRAD_ONE_SIDED),
	        "symmetric gradient");
	check_linop(brought_back(t, dims), "sampling, which is brought back for,");

	const long few[] = {7, 1, 4}, kernel[] = {3, 2, 1}, shift[] = {2, -3, 1};
	void *d = random_vector(t, md_calc_size(3, few), 11), *k = random_vector(t, 6, 12);
	double w[7 * 5 * 4];

	for (int i = 0; i < 7 * 5 * 4; i++)
		w[i] = 1. / (1. + i);

	check_linop(linop_diag_create(t, 3, dims, few, d), "diagonal");
	check_linop(linop_conv_create(t, 3, dims, 3, CONV_SAME, kernel, k), "convolution");
	check_linop(linop_fourier_diag_create(t, 3, dims, 5, dims, w), "Fourier diagonal");
	check_linop(linop_circshift_create(t, 3, dims, shift), "circular shift");
	check_linop(linop_flip_create(t, 3, dims, 5), "flip");
	check_linop(linop_pad_create(t, 3, dims, (const long[]){1, 0, 2}, (const long[]){0, 3, 1}), "pad");

	if (dtype_is_complex(t)) {
		check_linop(linop_fft_create(t, 3, dims, 5, FFT_UNITARY), "Fourier transform");
		check_linop(linop_real_create(t, 3, dims), "real part");
	}

	free(d);
	free(k);

	struct linop *D = linop_grad_create(t, 3, dims, 7, h), *W = brought_back(t, dims),
	             *S = linop_scale(-2., W);

	check_linop(linop_chain(D, S), "chain of both kinds");
	linop_free(D);
	linop_free(W);
	linop_free(S);
}

/* Value, prox and gradient at both places. */
static void check_functional(struct functional *g)
{
	const enum dtype t = functional_type(g);
	const long n = functional_size(g);
	const size_t bytes = (size_t)n * dtype_size(t);
	void *x = random_vector(t, n, 5), *a = mem_alloc(bytes), *gx = there(x, bytes),
	     *b = device_alloc(bytes);
	const char *name = functional_name(g);
	const double v = functional_value(g, x), w = functional_value(g, gx);

	check((isinf(v) && isinf(w)) || fabs(v - w) <= tolerance(t) * fabs(v), "%s %s: value on the device",
	        dtype_name(t), name);

	if (functional_has_prox(g)) {
		functional_prox(g, .3, a, x);
		functional_prox(g, .3, b, gx);
		check(deviation(t, n, a, b) <= tolerance(t), "%s %s: prox on the device", dtype_name(t),
		        name);
	}

	if (functional_is_smooth(g)) {
		functional_gradient(g, a, x);
		functional_gradient(g, b, gx);
		check(deviation(t, n, a, b) <= tolerance(t), "%s %s: gradient on the device", dtype_name(t),
		        name);
	}

	if (functional_has_curvature(g)) {
		functional_curvature(g, a, x);
		functional_curvature(g, b, gx);
		check(deviation(dtype_real(t), n, a, b) <= tolerance(t), "%s %s: curvature on the device",
		        dtype_name(t), name);
	}

	if (functional_has_second(g)) {
		functional_second(g, a, x);
		functional_second(g, b, gx);
		check(deviation(dtype_real(t), n, a, b) <= tolerance(t),
		        "%s %s: second derivatives on the device", dtype_name(t), name);
	}

	device_free(gx);
	device_free(b);
	free(x);
	free(a);
	functional_free(g);
}

/* Terms that have data of their own, which are brought to the device once. */
static void check_data_terms(enum dtype t, const long dims[])
{
	const long n = md_calc_size(4, dims), parts = dtype_is_complex(t) ? 2 : 1;
	void *y = random_vector(t, n, 8), *b = random_vector(t, n, 9);
	float *w = mem_alloc((size_t)n * sizeof *w);
	long wdims[DIMS];

	md_singleton_dims(DIMS, wdims);
	md_copy_dims(4, wdims, dims);

	for (long i = 0; i < n; i++)
		w[i] = (float)(1. + rand_uniform(10, (uint64_t)i));

	for (long i = 0; i < n * parts; i++) { // counts, and what lifts them above 0
		if (DT_FLOAT32 == dtype_real(t)) {
			((float *)y)[i] = 3.f * fabsf(((float *)y)[i]);
			((float *)b)[i] = 1.5f + ((float *)b)[i] / 4.f;
		} else {
			((double *)y)[i] = 3. * fabs(((double *)y)[i]);
			((double *)b)[i] = 1.5 + ((double *)b)[i] / 4.;
		}
	}

	struct weights *W = weights_create_array(wdims, wdims, DT_FLOAT32, w);

	check_functional(functional_l2sq_create(t, 4, dims, y, W));
	check_functional(functional_huber_create(t, 4, dims, .2, y, W));
	check_functional(functional_pseudo_huber_create(t, 4, dims, .2, y, W));
	check_functional(functional_l0_create(t, 4, dims, y, W));
	check_functional(functional_l1_create(t, 4, dims, y, NULL));

	if (!dtype_is_complex(t)) {
		check_functional(functional_kl_create(t, 4, dims, y, b, 0.));
		check_functional(functional_kl_create(t, 4, dims, y, NULL, 1.2));
		check_functional(functional_transmission_create(t, 4, dims, y, W, 2., 0.));
		check_functional(functional_transmission_create(t, 4, dims, y, NULL, 2., .3));
	}

	weights_free(W);
	free(y);
	free(b);
	free(w);
}

/* The prox of methods that iterate, where no vector may cross. */
static void check_prox(struct functional *g)
{
	const enum dtype t = functional_type(g);
	const long n = functional_size(g);
	const size_t bytes = (size_t)n * dtype_size(t);
	void *x = random_vector(t, n, 5), *a = mem_alloc(bytes), *gx = there(x, bytes),
	     *b = device_alloc(bytes);
	const struct device_crossings before = device_crossed();

	functional_prox(g, .3, b, gx);

	const struct device_crossings after = device_crossed();

	functional_prox(g, .3, a, x);
	check(deviation(t, n, a, b) <= 4. * tolerance(t) && after.bytes - before.bytes <= 16 * sizeof(double),
	        "%s %s: prox on the device, %.1e", dtype_name(t), functional_name(g), deviation(t, n, a, b));
	device_free(gx);
	device_free(b);
	free(x);
	free(a);
	functional_free(g);
}

static void check_functionals(enum dtype t)
{
	const long dims[] = {6, 5, 4, 3};
	struct functional *l1 = functional_l1_create(t, 4, dims, NULL, NULL);

	check_functional(functional_scale_create(.7, l1));
	check_functional(l1);
	check_functional(functional_l2sq_create(t, 4, dims, NULL, NULL));
	check_functional(functional_huber_create(t, 4, dims, .2, NULL, NULL));
	check_functional(functional_pseudo_huber_create(t, 4, dims, .2, NULL, NULL));
	check_functional(functional_l0_create(t, 4, dims, NULL, NULL));
	check_functional(functional_l2_create(t, 4, dims));
	check_functional(functional_l2_ball_create(t, 4, dims, 2.));
	check_functional(functional_l21_create(t, 4, dims, 8));
	check_functional(functional_l21_create(t, 4, dims, 5));
	check_functional(functional_group_ball_create(t, 4, dims, 8, .5));

	if (!dtype_is_complex(t))
		check_functional(functional_box_create(t, 4, dims, -.3, .6));

	check_data_terms(t, dims);

	const struct tgv_conf tgv = {.flags = 7, .first = 1., .second = 2., .iterations = 9};

	check_prox(functional_tgv_create(t, 3, dims, &tgv));
	check_prox(functional_ictv_create(t, 3, dims, &tgv));
	check_prox(functional_tv_create(t, 3, dims, &(const struct tv_conf){.flags = 7, .iterations = 9}));
	check_prox(functional_tv_create(t, 3, dims,
	        &(const struct tv_conf){
	                .flags = 7, .iterations = 40, .tolerance = 1e-2, .anisotropic = true}));
}

/* Values and the derivatives of every input at both places. */
static void check_nlop(struct nlop *F)
{
	enum { MOST = 2 };
	const enum dtype t = nlop_type(F);
	const size_t size = dtype_size(t);
	const long m = nlop_out_size(F, 0);
	const char *name = nlop_name(F);
	void *in[MOST], *gin[MOST], *y = mem_alloc((size_t)m * size), *gy = device_alloc((size_t)m * size);

	for (int i = 0; i < nlop_ins(F); i++) {
		const long n = nlop_in_size(F, i);

		in[i] = random_vector(t, n, 20 + (unsigned long)i);
		vec_scale(t, n, in[i], 0.3);
		gin[i] = there(in[i], (size_t)n * size);
	}

	nlop_forward(F, &y, (const void *const *)in);

	for (int i = 0; i < nlop_ins(F); i++) {
		const long n = nlop_in_size(F, i);
		void *back = mem_alloc((size_t)n * size), *gback = device_alloc((size_t)n * size),
		     *dy = mem_alloc((size_t)m * size), *gdy = device_alloc((size_t)m * size);

		nlop_forward(F, &y, (const void *const *)in);
		nlop_derivative(F, 0, i, dy, in[i]);
		nlop_adjoint(F, 0, i, back, y);
		nlop_forward(F, &gy, (const void *const *)gin);
		nlop_derivative(F, 0, i, gdy, gin[i]);
		nlop_adjoint(F, 0, i, gback, gy);

		const double d = deviation(t, m, y, gy), e = deviation(t, m, dy, gdy),
		             f = deviation(t, n, back, gback);

		check(fmax(d, fmax(e, f)) <= 4. * tolerance(t),
		        "%s %s: value, derivative and adjoint on the device, %.1e %.1e %.1e", dtype_name(t),
		        name, d, e, f);
		free(back);
		free(dy);
		device_free(gback);
		device_free(gdy);
	}

	for (int i = 0; i < nlop_ins(F); i++) {
		free(in[i]);
		device_free(gin[i]);
	}

	free(y);
	device_free(gy);
	nlop_free(F);
}

static void check_nlops(enum dtype t)
{
	const long dims[] = {5, 4, 3}, row[] = {5, 1, 1}, rest[] = {1, 4, 3};
	const double h[] = {1., .5, 2.}, s[] = {2., 3., 1.}, mu[] = {.5, .3, .2, 2.5, .8, .3};
	const float blank = 7.f;
	const double wide = 7.;
	long one[DIMS];
	struct linop *D = linop_grad_create(t, 3, dims, 7, h);

	md_singleton_dims(DIMS, one);
	check_nlop(nlop_exp_create(t, 3, dims));
	check_nlop(nlop_norm_create(t, 3, dims, 5, .5));
	check_nlop(nlop_mul_create(t, 3, dims, row, rest));
	check_nlop(nlop_mul_create(t, 3, row, dims, rest));
	check_nlop(nlop_div_create(t, 3, dims));

	struct nlop *mul = nlop_mul_create(t, 3, dims, dims, dims);

	check_nlop(nlop_stack_inputs(mul, 0, 1, 2));
	check_nlop(nlop_dup(mul, 0, 1));
	nlop_free(mul);

	if (!dtype_is_complex(t)) {
		check_nlop(
		        nlop_transmission_create(D, one, (DT_FLOAT32 == t) ? (const void *)&blank : &wide));
		check_nlop(nlop_polychromatic_create(D, 3, s, 2, mu));
	}

	linop_free(D);
}

static void check_fields(enum dtype t, bool apart)
{
	const struct field f = {.type = t, .n = 300, .K = 3, .apart = apart};
	const long n = f.n * f.K;
	const size_t bytes = (size_t)n * dtype_size(t);
	void *p = random_vector(t, n, 1), *q = random_vector(t, n, 2), *g = random_vector(t, n, 3);
	void *P = there(p, bytes), *Q = there(q, bytes), *G = there(g, bytes);
	double inner, Inner;
	const double a = field_measure(&f, g, p, &inner), b = field_measure(&f, G, P, &Inner);
	const double eps = DT_FLOAT32 == dtype_real(t) ? 1e-5 : 1e-12;

	check(fabs(a - b) <= eps * a && fabs(inner - Inner) <= eps * a, "%s lengths of a field%s",
	        dtype_name(t), apart ? ", components apart" : "");

	const double s = field_ascend(&f, .7, .8, .5, p, q, g), S = field_ascend(&f, .7, .8, .5, P, Q, G);

	check(fabs(s - S) <= eps * a && deviation(t, n, p, P) <= tolerance(t) &&
	                deviation(t, n, q, Q) <= tolerance(t),
	        "%s ascent of a field", dtype_name(t));
	field_climb(&f, .7, .8, p, g);
	field_climb(&f, .7, .8, P, G);
	check(deviation(t, n, p, P) <= tolerance(t), "%s climb of a field", dtype_name(t));
	device_free(P);
	device_free(Q);
	device_free(G);
	free(p);
	free(q);
	free(g);
}

/* ---- algorithms ---- */

/* A scan of positive voxels, with weights; on the host and on the device. */
enum { SUBSETS = 3, INNER = 4 };

struct scene {
	struct linop *A, *D;
	long n, m, basis;
	float *y, *w, *gy, *gw;
	struct functional *box, *l21, *tv, *counts, *row_counts[SUBSETS];
	struct iter_subset here[SUBSETS], there[SUBSETS];
	struct nlop *F;
	float *gc, *c, *rows[SUBSETS], *row_c[SUBSETS], *row_w[SUBSETS], *row_gw[SUBSETS]; // counts, weights
};

/* Every third view of projections. */
static float *every_third(const float *all, int k, long views, long size)
{
	const long n = (views - k + SUBSETS - 1) / SUBSETS;
	float *y = mem_alloc((size_t)(n * size) * sizeof *y);

	for (long i = 0; i < n; i++)
		memcpy(y + i * size, all + (k + i * SUBSETS) * size, (size_t)size * sizeof *y);

	return y;
}

static struct functional *counts_of(const struct linop *A, const float *c)
{
	return functional_transmission_create(DT_FLOAT32, DIMS, linop_codomain(A), c, NULL, 50., 0.);
}

/* Every third view, and its data at both places. */
static void create_subset(struct scene *s, int k, const struct geom *g, const struct grid *grid)
{
	const long views = (g->views - k + SUBSETS - 1) / SUBSETS, size = g->cols * g->rows;
	const size_t bytes = (size_t)(views * size) * sizeof(float);
	struct geom *part = geom_create(views, g->cols, g->rows, g->parallel);

	for (long i = 0; i < views; i++)
		part->view[i] = g->view[k + i * SUBSETS];

	s->rows[k] = every_third(s->y, k, g->views, size);
	s->row_c[k] = every_third(s->c, k, g->views, size);
	s->row_w[k] = every_third(s->w, k, g->views, size);
	s->row_gw[k] = there(s->row_w[k], bytes);
	s->here[k].A = s->there[k].A = linop_xray_create(part, grid, XRAY_JOSEPH, DT_FLOAT32, 1, 1);
	s->here[k].y = s->rows[k];
	s->there[k].y = there(s->rows[k], bytes);
	s->row_counts[k] = counts_of(s->here[k].A, s->row_c[k]);
	geom_free(part);
}

static struct scene create_scene(void)
{
	struct scene s = {.n = 0};
	const long size[3] = {N, N, N}, grad[4] = {N, N, N, 3};
	const double h[3] = {1., 1., 1.};
	const float blank = 50.f;
	long ones[DIMS];
	const struct grid grid = {.size = {N, N, N},
	        .spacing = {1., 1., 1.},
	        .origin = {-(N - 1) / 2., -(N - 1) / 2., -(N - 1) / 2.}};
	struct geom *g = scan(CONE, N, VIEWS, N, N);

	md_singleton_dims(DIMS, ones);
	s.A = linop_xray_create(g, &grid, XRAY_JOSEPH, DT_FLOAT32, 1, 1);
	s.D = linop_grad_create(DT_FLOAT32, 3, size, 7, h);
	s.n = linop_domain_size(s.A);
	s.m = linop_codomain_size(s.A);
	s.y = mem_alloc((size_t)s.m * sizeof(float));
	s.w = mem_alloc((size_t)s.m * sizeof(float));
	s.c = mem_alloc((size_t)s.m * sizeof(float));

	float *x = mem_alloc((size_t)s.n * sizeof *x);

	for (long i = 0; i < s.n; i++)
		x[i] = (float)(0.02 * rand_uniform(1, (uint64_t)i));

	linop_forward(s.A, s.y, x);

	for (long i = 0; i < s.m; i++) {
		s.w[i] = expf(-s.y[i]);
		s.c[i] = 45.f * s.w[i] + (float)(i % 5);
	}

	s.counts = counts_of(s.A, s.c);
	s.gc = there(s.c, (size_t)s.m * sizeof(float));
	s.F = nlop_transmission_create(s.A, ones, &blank);

	s.gy = there(s.y, (size_t)s.m * sizeof(float));
	s.gw = there(s.w, (size_t)s.m * sizeof(float));
	s.box = functional_nonneg_create(DT_FLOAT32, 3, size);

	struct functional *l21 = functional_l21_create(DT_FLOAT32, 4, grad, 8);
	struct functional *tv = functional_tv_create(
	        DT_FLOAT32, 3, size, &(const struct tv_conf){.flags = 7, .iterations = 5});

	s.l21 = functional_scale_create(.001, l21);
	s.tv = functional_scale_create(.001, tv);
	functional_free(l21);
	functional_free(tv);
	free(x);

	for (int k = 0; k < SUBSETS; k++)
		create_subset(&s, k, g, &grid);

	geom_free(g);

	return s;
}

static void free_scene(struct scene *s)
{
	for (int k = 0; k < SUBSETS; k++) {
		linop_free(s->here[k].A);
		device_free((void *)s->there[k].y);
		device_free(s->row_gw[k]);
		functional_free(s->row_counts[k]);
		free(s->rows[k]);
		free(s->row_c[k]);
		free(s->row_w[k]);
	}

	linop_free(s->A);
	linop_free(s->D);
	functional_free(s->box);
	functional_free(s->l21);
	functional_free(s->tv);
	functional_free(s->counts);
	nlop_free(s->F);
	device_free(s->gc);
	device_free(s->gy);
	device_free(s->gw);
	free(s->y);
	free(s->w);
	free(s->c);
}

static struct weights *weights_at(long m, const float *data)
{
	long dims[DIMS];

	md_singleton_dims(DIMS, dims);
	dims[0] = m;

	return weights_create_array(dims, dims, DT_FLOAT32, data);
}

/* Vectors on the device; on the host, with projections through the device; or nothing of it there. */
enum place { THERE, THROUGH, HERE };

static float *solve(const struct scene *s, const char *name, bool weighted, int terms,
        const struct iter_term term[], long iterations, enum place place)
{
	const bool device = THERE == place;
	const struct algorithm *a = algorithm_find(name);
	const bool counts = 0 != (a->takes & NEEDS_SECOND), nonlinear = 0 != (a->takes & TAKES_NONLINEAR);
	struct weights *W = weighted ? weights_at(s->m, device ? s->gw : s->w) : NULL,
	               *row_W[SUBSETS] = {NULL};
	struct iter_subset subset[SUBSETS];

	for (int k = 0; k < SUBSETS; k++) {
		subset[k] = device ? s->there[k] : s->here[k];
		subset[k].data = counts ? s->row_counts[k] : NULL;

		if (weighted)
			subset[k].W = row_W[k] = weights_at(
			        linop_codomain_size(subset[k].A), device ? s->row_gw[k] : s->row_w[k]);
	}

	const struct iter_problem p = {.A = s->A,
	        .F = nonlinear ? s->F : NULL,
	        .y = nonlinear ? (device ? s->gc : s->c)
	             : device  ? s->gy
	                       : s->y,
	        .W = W,
	        .data = counts ? s->counts : NULL,
	        .terms = terms,
	        .term = term,
	        .subsets = (a->takes & TAKES_SUBSETS) ? SUBSETS : 0,
	        .subset = subset};
	const size_t bytes = (size_t)s->n * sizeof(float);
	float *x = mem_calloc((size_t)s->n, sizeof *x);
	void *at = device ? there(x, bytes) : x;

	if (HERE == place)
		device_use(-1);

	algorithm_solve(a, &p,
	        &(const struct iter_conf){.iterations = iterations,
	                .basis = s->basis,
	                .newton = {.inner = {.iterations = INNER}}},
	        at);
	device_use(0);
	weights_free(W);

	for (int k = 0; k < SUBSETS; k++)
		weights_free(row_W[k]);

	if (device) {
		device_copy(x, at, bytes);
		device_free(at);
	}

	return x;
}

/* What crosses in one iteration more: so many copies of some numbers to the host. */
static void check_copies(const struct scene *s, const char *name, bool weighted, int terms,
        const struct iter_term term[], long most)
{
	long copies[2], back[2];
	size_t bytes[2];

	for (int k = 0; k < 2; k++) {
		const struct device_crossings before = device_crossed();

		free(solve(s, name, weighted, terms, term, 3 + k, THERE));

		const struct device_crossings after = device_crossed();

		copies[k] = after.copies - before.copies;
		back[k] = after.back - before.back;
		bytes[k] = after.bytes - before.bytes;
	}

	const long more = copies[1] - copies[0];

	check(1 <= more && more <= most && more == back[1] - back[0] && bytes[1] - bytes[0] <= 2048,
	        "%s%s: %ld copies in an iteration, %ld of them to the host, %zu bytes", name,
	        weighted ? " with weights" : "", copies[1] - copies[0], back[1] - back[0],
	        bytes[1] - bytes[0]);
}

static void check_crossings(
        const struct scene *s, const char *name, bool weighted, int terms, const struct iter_term term[])
{
	check_copies(s, name, weighted, terms, term, 1);
}

static void check_algorithm(
        const struct scene *s, const char *name, bool weighted, int terms, const struct iter_term term[])
{
	float *x = solve(s, name, weighted, terms, term, 4, HERE),
	      *g = solve(s, name, weighted, terms, term, 4, THERE);
	float *again = solve(s, name, weighted, terms, term, 4, THERE);
	void *at = there(g, (size_t)s->n * sizeof *g);
	const double d = deviation(DT_FLOAT32, s->n, x, at);

	check(d <= 1e-5 && vec_norm(DT_FLOAT32, s->n, x) > 0.,
	        "%s%s on the device is that on the CPU, to %.1e", name, weighted ? " with weights" : "", d);
	check(0 == memcmp(g, again, (size_t)s->n * sizeof *g), "%s gives the same bytes again", name);
	device_free(at);
	free(x);
	free(g);
	free(again);
}

static void check_through(const struct scene *s)
{
	float *x = solve(s, "cg", false, 0, NULL, 4, HERE), *g = solve(s, "cg", false, 0, NULL, 4, THROUGH);
	void *at = there(g, (size_t)s->n * sizeof *g);
	const double d = deviation(DT_FLOAT32, s->n, x, at);

	check(d <= 1e-5, "cg with projections through the device is that on the CPU, to %.1e", d);
	device_free(at);
	free(x);
	free(g);
}

/* Of so many columns that their lengths are estimated, and some measured. */
static void check_pursuit(void)
{
	enum { M = 40, COLUMNS = 1100, ATOMS = 3 };
	const struct algorithm *a = algorithm_find("omp");
	float *matrix = random_vector(DT_FLOAT32, M * COLUMNS, 30), *x = mem_calloc(COLUMNS, sizeof *x),
	      *y = mem_alloc(M * sizeof *y);
	struct linop *A = linop_matrix_create(DT_FLOAT32, M, COLUMNS, matrix, 1, (const long[]){COLUMNS});

	for (int i = 0; i < ATOMS; i++)
		x[100 + 300 * i] = 1.f + (float)i;

	linop_forward(A, y, x);

	float *gy = there(y, M * sizeof *y), *gx = there(x, COLUMNS * sizeof *x);
	const struct iter_conf conf = {.iterations = 2 * ATOMS};

	algorithm_solve(a, &(const struct iter_problem){.A = A, .y = gy}, &conf, gx);
	algorithm_solve(a, &(const struct iter_problem){.A = A, .y = y}, &conf, x);

	const double d = deviation(DT_FLOAT32, COLUMNS, x, gx);

	check(d <= 1e-5 && fabsf(x[700] - 3.f) < 1e-3f, "omp of many columns is that on the CPU, to %.1e", d);
	linop_free(A);
	free(matrix);
	free(x);
	free(y);
	device_free(gx);
	device_free(gy);
}

static void check_algorithms(void)
{
	static const char *const plain[] = {"landweber", "gradient", "bb", "armijo", "fgm", "ogm", "nlcg",
	        "lbfgs", "lsqr", "lsmr", "cgne"};
	static const char *const once[] = {"landweber", "gradient", "bb", "fgm", "ogm", "cg", "ossart",
	        "mlem", "osem", "ml-tr", "os-ml-tr", "sqs", "sqs-momentum", "apg", "lsqr", "lsmr", "cgne",
	        "ab-gmres", "ba-gmres", "hybrid-lsqr"};
	static const char *const bases[] = {"ab-gmres", "ba-gmres", "hybrid-lsqr"};
	struct scene s = create_scene();
	const struct iter_term box[] = {{s.box, NULL}}, tv[] = {{s.tv, NULL}},
	                       both[] = {{s.l21, s.D}, {s.box, NULL}};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		check_algorithm(&s, plain[i], false, 0, NULL);

	check_algorithm(&s, "cg", false, 0, NULL);
	check_algorithm(&s, "cg", true, 0, NULL);
	check_algorithm(&s, "sirt", false, 1, box);
	check_algorithm(&s, "ista", true, 1, box);
	check_algorithm(&s, "pogm", false, 1, box);
	check_algorithm(&s, "fista", false, 1, tv);
	check_algorithm(&s, "pdhg", false, 2, both);
	check_algorithm(&s, "condat-vu", false, 2, both);
	check_algorithm(&s, "admm", true, 2, both);
	check_algorithm(&s, "ladmm", false, 2, both);
	check_algorithm(&s, "douglas-rachford", false, 2, both);
	check_algorithm(&s, "ossart", false, 1, box);
	check_algorithm(&s, "mlem", false, 0, NULL);
	check_algorithm(&s, "osem", false, 0, NULL);
	check_algorithm(&s, "spdhg", false, 2, both);
	check_algorithm(&s, "sqs", true, 1, box);
	check_algorithm(&s, "sqs-momentum", false, 0, NULL);
	check_algorithm(&s, "apg", false, 0, NULL);
	check_algorithm(&s, "apg", true, 0, NULL);
	check_algorithm(&s, "ml-tr", false, 1, box);
	check_algorithm(&s, "os-ml-tr", false, 1, box);
	check_through(&s);

	for (size_t i = 0; i < sizeof once / sizeof *once; i++)
		check_crossings(&s, once[i], false, 0, NULL);

	check_algorithm(&s, "irn", false, 1, both);
	check_crossings(&s, "irn", false, 1, both);
	check_algorithm(&s, "irgnm", true, 0, NULL);
	check_algorithm(&s, "lm", false, 0, NULL);
	check_copies(&s, "irgnm", true, 0, NULL, INNER + 1);
	check_copies(&s, "lm", false, 0, NULL, INNER + 1);
	check_algorithm(&s, "omp", false, 0, NULL);
	check_copies(&s, "omp", false, 0, NULL, 18); // at most 16 steps, the choice, and the residual
	s.basis = 3;                                 // restarts, and iterations without a basis

	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		check_algorithm(&s, bases[i], false, 0, NULL);
		check_crossings(&s, bases[i], false, 0, NULL);
	}

	s.basis = 0;
	check_crossings(&s, "cg", true, 0, NULL);
	check_crossings(&s, "sirt", false, 1, box);
	check_crossings(&s, "sqs", true, 1, box);
	check_crossings(&s, "apg", true, 0, NULL);
	check_crossings(&s, "ista", true, 1, box);
	check_crossings(&s, "fista", false, 1, tv);
	check_crossings(&s, "pogm", false, 1, tv);
	check_crossings(&s, "pdhg", false, 2, both);
	check_crossings(&s, "condat-vu", false, 2, both);
	check_crossings(&s, "pd3o", false, 2, both);
	check_crossings(&s, "spdhg", false, 2, both);
	check_crossings(&s, "admm", true, 2, both);
	check_crossings(&s, "ladmm", false, 2, both);
	check_crossings(&s, "douglas-rachford", false, 2, both);
	check_copies(&s, "armijo", false, 0, NULL, 2); // one for each step that is tried
	check_copies(&s, "nlcg", true, 0, NULL, 3);    // and one for the gradient behind it
	check_copies(&s, "lbfgs", false, 0, NULL, 3);
	free_scene(&s);
}

int main(void)
{
	static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

	if (0 == device_count()) {
		printf("ok gpu_iter # skip no GPU: %s\n", device_none_reason());
		return 0;
	}

	device_use(0);

	for (int i = 0; i < 4; i++) {
		check_linops(types[i]);
		check_functionals(types[i]);
		check_nlops(types[i]);
		check_fields(types[i], 1 == i % 2);
	}

	check_algorithms();
	check_pursuit();
	check(0 == device_taken(), "no memory of the device is left taken: %zu bytes", device_taken());

	return checks_failed > 0;
}
