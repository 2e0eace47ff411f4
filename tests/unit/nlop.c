/* Nonlinear operators: derivatives by finite differences, their adjoints, algebra, values. */

#include <complex.h>
#include <math.h>

#include "linop_case.h"
#include "nlops/nlop.h"

/* Consumes F. */
static void check_nlop(struct nlop *F, const char *what)
{
	const enum dtype t = nlop_type(F);
	const bool single = DT_FLOAT32 == dtype_real(t);

	for (unsigned long seed = 0; seed < 2; seed++) {
		const struct nlop_check c = nlop_check(F, NULL, seed);

		check(c.derivative <= (single ? 3e-3 : 1e-8) && c.dot <= bound(t) && c.linearity <= bound(t),
		        "%s %s: derivative %.2g, dot %.2g, linearity %.2g", what, dtype_name(t), c.derivative,
		        c.dot, c.linearity);
	}

	nlop_free(F);
}

static struct nlop *consume(struct nlop *made, struct nlop *F, struct nlop *G)
{
	nlop_free(F);
	nlop_free(G);

	return made;
}

static struct nlop *chained(struct nlop *G, struct nlop *F)
{
	return consume(nlop_chain(G, F), F, G);
}

static struct nlop *combined(struct nlop *F, struct nlop *G)
{
	return consume(nlop_combine(F, G), F, G);
}

static struct linop *matrix(enum dtype t, long rows, long cols, unsigned long seed)
{
	void *M = probe_vector(t, rows * cols, seed);
	struct linop *A = linop_matrix_create(t, rows, cols, M, 2, (long[]){cols, 3});

	vec_scale(t, rows * cols, M, 0.1);

	struct linop *B = linop_scale(0.2, A);

	linop_free(A);
	free(M);

	return B;
}

static void every(enum dtype t)
{
	const long dims[] = {4, 1, 3}, odims[] = {4, 1, 3, 2}, adims[] = {4, 5, 1, 2}, bdims[] = {1, 5, 3, 2};

	check_nlop(nlop_exp_create(t, 3, dims), "exp");
	check_nlop(nlop_log_create(t, 3, dims), "log");
	check_nlop(nlop_sqrt_create(t, 3, dims), "sqrt");
	check_nlop(nlop_pow_create(t, 3, dims, 2.5), "pow");
	check_nlop(nlop_pow_create(t, 3, dims, -1.), "pow -1");
	check_nlop(nlop_mul_create(t, 4, odims, adims, bdims), "tensor product");
	check_nlop(nlop_mul_create(t, 3, dims, dims, dims), "product");
	check_nlop(nlop_div_create(t, 3, dims), "quotient");
	check_nlop(nlop_norm_create(t, 3, dims, 1, 0.), "norm");
	check_nlop(nlop_norm_create(t, 3, dims, 7, 0.5), "norm of all");

	struct linop *A = matrix(t, 6, 4, 1);

	check_nlop(nlop_from_linop(A), "linear");
	linop_free(A);
}

static void real_ones(enum dtype t)
{
	const long dims[] = {4, 1, 3};
	const double s[] = {1000., 2000., 500.}, mu[] = {0.5, 0.3, 0.2, 1.5, 0.6, 0.1};
	long idims[DIMS];
	struct linop *A = matrix(t, 6, 4, 1);
	const float I0[6] = {1e3f, 2e3f, 3e3f, 1e3f, 2e3f, 3e3f};
	const double J0[6] = {1e3, 2e3, 3e3, 1e3, 2e3, 3e3};

	md_singleton_dims(DIMS, idims);
	idims[0] = 6;
	check_nlop(nlop_sigmoid_create(t, 3, dims), "sigmoid");
	check_nlop(nlop_softplus_create(t, 3, dims), "softplus");
	check_nlop(nlop_transmission_create(A, idims, (DT_FLOAT32 == t) ? (const void *)I0 : J0),
	        "transmission");
	check_nlop(nlop_polychromatic_create(A, 3, s, 2, mu), "polychromatic transmission");
	linop_free(A);
}

static void algebra(enum dtype t)
{
	const long dims[] = {4, 3};
	struct nlop *mul = nlop_mul_create(t, 2, dims, dims, dims);

	check_nlop(combined(nlop_exp_create(t, 2, dims), nlop_log_create(t, 2, dims)), "combine");
	check_nlop(chained(nlop_log_create(t, 2, dims), nlop_exp_create(t, 2, dims)), "chain");
	check_nlop(nlop_dup(mul, 0, 1), "dup");
	check_nlop(chained(nlop_ref(mul), nlop_exp_create(t, 2, dims)), "chain into the first of two");

	/* exp(x) log(x): both on one input, then linked into the product */
	struct nlop *three =
	        combined(nlop_ref(mul), combined(nlop_exp_create(t, 2, dims), nlop_log_create(t, 2, dims)));
	struct nlop *first = nlop_link(three, 1, 0), *second = nlop_link(first, 1, 0);
	struct nlop *one = nlop_dup(second, 0, 1);

	check(1 == nlop_ins(one) && 1 == nlop_outs(one), "link and dup: one input, one output");
	check_nlop(nlop_ref(one), "exp(x) log(x)");
	nlop_free(three);
	nlop_free(first);
	nlop_free(second);

	struct nlop *both = combined(nlop_ref(one), nlop_sqrt_create(t, 2, dims));

	check_nlop(nlop_stack_outputs(both, 0, 1, 1), "stack of outputs along 1");
	check_nlop(nlop_stack_outputs(both, 0, 1, 2), "stack of outputs along 2");
	check_nlop(nlop_stack_inputs(both, 0, 1, 0), "stack of inputs along 0");
	nlop_free(both);
	nlop_free(one);
	nlop_free(mul);
}

/* An operator that counts how often it is evaluated: y = x. */
static void counting_forward(void *self, void *const out[], const void *const in[])
{
	++*(int *)self;
	*(double *)out[0] = *(const double *)in[0];
}

static void counting_derivative(void *self, int o, int i, void *dst, const void *src)
{
	(void)self;
	(void)o;
	(void)i;
	*(double *)dst = *(const double *)src;
}

static const struct nlop_ops counting_ops = {.name = "counting",
        .forward = counting_forward,
        .derivative = counting_derivative,
        .adjoint = counting_derivative};

/* Four of them linked into a line, in both orders: each is evaluated once. */
static void evaluations(void)
{
	const struct nlop_shape one = {.D = 1, .dims = {1}};

	for (int order = 0; order < 2; order++) {
		int count[4] = {0};
		struct nlop *F = nlop_create(&counting_ops, &count[0], DT_FLOAT64, 1, &one, 1, &one);
		double x = 3., y = 0.;

		for (int k = 1; k < 4; k++)
			F = combined(F, nlop_create(&counting_ops, &count[k], DT_FLOAT64, 1, &one, 1, &one));

		/* output k + 1 feeds input k; the lists get shorter from the front or from the back */
		for (int k = 0; k < 3; k++) {
			struct nlop *L = (0 == order) ? nlop_link(F, 1, 0) : nlop_link(F, 3 - k, 2 - k);

			nlop_free(F);
			F = L;
		}

		nlop_apply(F, &y, &x);
		check(3. == y && 1 == count[0] && 1 == count[1] && 1 == count[2] && 1 == count[3],
		        "links: every operator is evaluated once: %d %d %d %d", count[0], count[1], count[2],
		        count[3]);
		nlop_free(F);
	}
}

static void values(void)
{
	const double x[] = {0.5, 2., -40., 800.}, s = 2.;
	double y[4], d[4];
	const long dims[] = {4};
	struct nlop *softplus = nlop_softplus_create(DT_FLOAT64, 1, dims);
	struct nlop *sigmoid = nlop_sigmoid_create(DT_FLOAT64, 1, dims);

	nlop_apply(softplus, y, x);
	check(fabs(y[0] - log1p(exp(0.5))) < 1e-15 && 800. == y[3], "softplus does not overflow");
	nlop_apply(sigmoid, y, x);
	nlop_derivative(sigmoid, 0, 0, d, (double[]){1., 1., 1., 1.});
	check(fabs(y[1] - 1. / (1. + exp(-2.))) < 1e-15 && fabs(d[2] / exp(-40.) - 1.) < 1e-12 && 0. == d[3],
	        "sigmoid and its slope far out");
	nlop_free(softplus);
	nlop_free(sigmoid);

	/* one energy, one material: Beer and Lambert */
	struct linop *A = linop_matrix_create(DT_FLOAT64, 2, 2, (double[]){1., 0.5, 2., 0.1}, 1, (long[]){2});
	struct nlop *P = nlop_polychromatic_create(A, 1, (double[]){100.}, 1, &s);
	const double x2[] = {0.1, 0.2};
	double one[1] = {100.};
	long idims[DIMS];

	md_singleton_dims(DIMS, idims);

	struct linop *twice = linop_scale(2., A);
	struct nlop *T = nlop_transmission_create(twice, idims, one);

	nlop_apply(P, y, x2);
	nlop_apply(T, d, x2);
	check(fabs(y[0] - 100. * exp(-2. * (0.1 + 2. * 0.2))) < 1e-12 && fabs(y[1] - d[1]) < 1e-12,
	        "polychromatic with one energy is Beer and Lambert");

	/* the point is kept when the input changes */
	double changed[] = {0.1, 0.2}, v[] = {1., -1.}, a[2], b[2];

	nlop_apply(T, y, changed);
	nlop_derivative(T, 0, 0, a, v);
	changed[0] = 5.;
	nlop_derivative(T, 0, 0, b, v);
	check(a[0] == b[0] && a[1] == b[1], "the derivative is that at the last point");
	nlop_free(P);
	nlop_free(T);
	linop_free(twice);
	linop_free(A);
}

static void bad_link(void)
{
	struct nlop *F = nlop_exp_create(DT_FLOAT32, 1, (long[]){4});

	nlop_link(nlop_combine(F, F), 0, 0);
}

static void bad_chain(void)
{
	nlop_chain(nlop_exp_create(DT_FLOAT32, 1, (long[]){4}), nlop_exp_create(DT_FLOAT32, 1, (long[]){5}));
}

static void bad_sigmoid(void)
{
	nlop_sigmoid_create(DT_COMPLEX64, 1, (long[]){4});
}

static void bad_intensity(void)
{
	long idims[DIMS];

	md_singleton_dims(DIMS, idims);
	nlop_transmission_create(linop_identity_create(DT_FLOAT64, 1, (long[]){4}), idims, (double[]){-1.});
}

static void bad_dup(void)
{
	nlop_dup(nlop_mul_create(DT_FLOAT32, 2, (long[]){4, 4}, (long[]){4, 1}, (long[]){1, 4}), 0, 1);
}

static void refusals(void)
{
	check_ends(1, "cannot link output 0 of operator combine to its input 0", bad_link, "a circle");
	check_ends(1, "cannot chain operators: exp gives 5, but exp takes 4", bad_chain, "chain");
	check_ends(1, "a sigmoid has type complex64, expected float32 or float64", bad_sigmoid,
	        "complex sigmoid");
	check_ends(1, "the intensity without object is -1", bad_intensity, "negative intensity");
	check_ends(1, "have shapes 4 and 1 x 4, expected ascending numbers and equal shapes", bad_dup, "dup");
}

int main(void)
{
	refusals(); // first: forks before there are threads

	for (int i = 0; i < 4; i++) {
		every(types[i]);
		algebra(types[i]);
	}

	real_ones(DT_FLOAT32);
	real_ones(DT_FLOAT64);
	evaluations();
	values();

	return checks_failed > 0;
}
