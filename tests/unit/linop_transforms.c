/* Wavelets, shearlets, convolutions, Fourier diagonals, second differences, inverses: identities. */

#include <math.h>

#include "linop_case.h"
#include "linops/differences.h"
#include "linops/directions.h"
#include "linops/shapes.h"
#include "linops/wavelet/filters.h"
#include "linops/wavelet/wavelet.h"

static const double h[] = {0.5, 2., 1., 3.};

static void wavelets(enum dtype t)
{
	static const long shapes[][3] = {{16, 1, 8}, {7, 5, 1}, {2, 3, 33}, {40, 37, 1}};

	for (int s = 0; s < 4; s++)
		for (int f = WAVELET_HAAR; f <= WAVELET_CDF44; f++)
			for (int b = WAVELET_PERIODIC; b <= WAVELET_SYMMETRIC; b++) {
				const long *dims = shapes[s];
				const unsigned long flags = (s == 1) ? 2 : 5;
				const long levels = wavelet_max_levels(3, dims, flags) - (s > 2);
				const enum wavelet_family family = (enum wavelet_family)f;
				const enum wavelet_boundary boundary = (enum wavelet_boundary)b;
				char what[60];
				struct linop *W =
				        linop_wavelet_create(t, 3, dims, flags, family, boundary, levels);
				struct linop *V = linop_wavelet_inverse_create(
				        t, 3, dims, flags, family, boundary, levels);

				snprintf(what, sizeof what, "wavelet %d, boundary %d, shape %d", f, b, s);
				check_operator(linop_ref(W), what);
				check_operator(linop_ref(V), what);
				check_equal(linop_chain(V, W), 1., linop_identity_create(t, 3, dims), what);
				check_equal(linop_chain(W, V), 1., linop_identity_create(t, 3, dims), what);

				if (WAVELET_CDF44 != family && WAVELET_PERIODIC == boundary)
					check_equal(linop_adjoint_create(W), 1., linop_ref(V), what);

				linop_free(W);
				linop_free(V);
			}
}

/* Details of polynomials of degree below the number of vanishing moments are 0, away from the ends. */
static void moments(void)
{
	static const int vanishing[] = {1, 2, 4, 4};

	for (int f = WAVELET_HAAR; f <= WAVELET_CDF44; f++) {
		enum { N = 64 };
		double x[N], y[N], worst = 0.;
		struct linop *W = linop_wavelet_create(
		        DT_FLOAT64, 1, (long[]){N}, 1, (enum wavelet_family)f, WAVELET_PERIODIC, 1);

		for (int i = 0; i < N; i++)
			x[i] = pow((i - 30.) / 10., vanishing[f] - 1);

		linop_forward(W, y, x);

		for (int i = N / 2 + 5; i < N - 5; i++)
			worst = fmax(worst, fabs(y[i]));

		check(worst < 1e-12, "wavelet %d: %d vanishing moments: %.2g", f, vanishing[f], worst);

		for (int i = 0; i < N; i++)
			x[i] = 1.;

		linop_forward(W, y, x);
		check(fabs(y[3] - sqrt(2.)) < 1e-12, "wavelet %d: the coarse part of 1 is sqrt 2", f);
		linop_free(W);
	}
}

static void differences(enum dtype t)
{
	const long dims[] = {6, 5, 1, 4}, field[] = {6, 5, 1, 4, 3};
	const unsigned long flags = 1 | 2 | 8;

	for (int b = GRAD_REPLICATE; b <= GRAD_PERIODIC; b++) {
		const enum grad_boundary boundary = (enum grad_boundary)b;

		check_operator(linop_laplacian_create(t, 4, dims, flags, h, boundary), "laplacian");
		check_operator(
		        linop_laplacian_create(t, 4, dims, 8 | 4, h, boundary), "laplacian along 2, 3");

		if (GRAD_ZERO != boundary)
			for (int s = GRAD_FORWARD; s <= GRAD_BACKWARD; s++)
				check_equal(squared(linop_gradient_create(
				                    t, 4, dims, flags, h, (enum grad_scheme)s, boundary)),
				        -1., linop_laplacian_create(t, 4, dims, flags, h, boundary),
				        "D'D = -Laplacian");
	}

	for (int b = GRAD_REPLICATE; b <= GRAD_ONE_SIDED; b++)
		check_operator(linop_symmetric_gradient_create(
		                       t, 4, dims, flags, h, GRAD_BACKWARD, (enum grad_boundary)b),
		        "symmetric gradient");

	/* Of a gradient (periodic, one scheme) e is the Hessian: the diagonal sums to the trace. */
	struct linop *G = linop_gradient_create(t, 4, dims, flags, h, GRAD_FORWARD, GRAD_PERIODIC);
	struct linop *E = linop_symmetric_gradient_create(t, 4, dims, flags, h, GRAD_BACKWARD, GRAD_PERIODIC);
	struct linop *diagonal = linop_resize_create(t, 5, field, linop_codomain(E), RESIZE_END);
	struct linop *trace = linop_sum_create(t, 5, field, 16);

	check(6 == linop_codomain(E)[4], "symmetric gradient: six components of three");
	check_equal(after(trace, after(diagonal, after(E, G))), 1.,
	        linop_laplacian_create(t, 4, dims, flags, h, GRAD_PERIODIC), "trace of E grad = Laplacian");
}

/* Rows that are longer than a piece, and an array of one row. */
static void long_rows(void)
{
	static const long shapes[][3] = {{20000, 1, 3}, {5, 9000, 1}, {1, 1, 40000}};

	for (int s = 0; s < 3; s++)
		for (int b = GRAD_REPLICATE; b <= GRAD_PERIODIC; b += 2)
			for (unsigned long flags = 1; flags < 8; flags += 3)
				check_equal(squared(linop_gradient_create(DT_FLOAT64, 3, shapes[s], flags, h,
				                    GRAD_FORWARD, (enum grad_boundary)b)),
				        -1.,
				        linop_laplacian_create(
				                DT_FLOAT64, 3, shapes[s], flags, h, (enum grad_boundary)b),
				        "D'D = -Laplacian of long rows");
}

/* v = (x y, x^2 / 2): e_xy = x, stored with sqrt 2; the antisymmetric part goes. */
static void symmetric_values(void)
{
	enum { N = 8 };
	double v[2][N][N], e[3][N][N];
	struct linop *E = linop_symmetric_gradient_create(
	        DT_FLOAT64, 2, (long[]){N, N}, 3, (double[]){1., 1.}, GRAD_CENTRAL, GRAD_ZERO);

	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			v[0][y][x] = x * y - 5. * y;
			v[1][y][x] = 0.5 * x * x + 5. * x;
		}

	linop_forward(E, e, v);
	check(fabs(e[0][3][4] - 3.) < 1e-12 && fabs(e[1][3][4]) < 1e-12 &&
	                fabs(e[2][3][4] - 4. * sqrt(2.)) < 1e-12,
	        "symmetric gradient: e_xx, e_yy, sqrt 2 e_xy: %g %g %g", e[0][3][4], e[1][3][4], e[2][3][4]);
	linop_free(E);
}

static double gauss(void *ctx, double f)
{
	const double w = *(double *)ctx;

	return exp(-f * f / (w * w));
}

static void filters(enum dtype t)
{
	const long dims[] = {12, 1, 9, 3}, kdims[] = {5, 1, 4, 1}, large[] = {12, 1, 9, 1};
	void *k = probe_vector(t, 108, 4);
	double w[12], width = 0.3;

	for (int i = 0; i < 12; i++)
		w[i] = 1. / (1. + i * i % 7); // not symmetric

	for (int mode = CONV_FULL; mode <= CONV_CYCLIC; mode++) {
		check_operator(
		        linop_conv_create(t, 4, dims, 5, (enum conv_mode)mode, kdims, k), "convolution");
		check_operator(linop_conv_create(t, 4, dims, 5, (enum conv_mode)mode, large, k),
		        "convolution with a large kernel");
	}

	check_operator(
	        linop_fourier_diag_create(t, 4, dims, 1, (long[]){12, 1, 1, 1}, w), "fourier diagonal");
	check_operator(linop_radial_create(t, 4, dims, 1 | 4, h, true, NULL, NULL), "ramp, padded");
	check_operator(linop_radial_create(t, 4, dims, 1 | 4, h, false, gauss, &width), "radial");

	/* of |f|^2 (2 pi)^2 it is minus the second derivative: on a plane wave an eigenvalue; here: inverse
	 */
	struct linop *F = linop_radial_create(t, 4, dims, 1 | 4, h, false, gauss, &width);
	struct linop *inverse = linop_regularised_inverse_create(F, 0.5, 0., 1);
	struct linop *one = linop_identity_create(t, 4, dims), *half = linop_scale(0.5, one);
	struct linop *N = linop_normal_create(F), *sum = linop_plus(N, half);

	check_equal(linop_chain(sum, inverse), 1., one, "(F'F + 1/2) times its inverse");
	linop_free(F);
	linop_free(inverse);
	linop_free(half);
	linop_free(N);
	linop_free(sum);
	free(k);
}

static void shearlets(enum dtype t)
{
	static const long shapes[][3] = {{16, 3, 12}, {15, 1, 9}, {32, 1, 32}};

	for (int s = 0; s < 3; s++)
		for (int scales = 1; scales <= 3; scales++) {
			struct linop *S = linop_shearlet_create(t, 3, shapes[s], 0, 2, scales);

			check(shearlet_count(scales) == linop_codomain(S)[3], "shearlet: filters");
			check_operator(linop_ref(S), "shearlet");
			check_equal(
			        squared(S), 1., linop_identity_create(t, 3, shapes[s]), "shearlet: S'S = 1");
		}
}

static void directions(enum dtype t)
{
	const long dims[3] = {7, 6, 3}, n = 7 * 6 * 3, m = n / 3;
	const enum dtype real = dtype_real(t);
	void *xi = probe_vector(real, n, 5), *none = mem_calloc((size_t)n, dtype_size(real));

	check_operator(linop_directions_create(t, 3, dims, xi), "directions");
	check_equal(linop_directions_create(t, 3, dims, none), 1., linop_identity_create(t, 3, dims),
	        "directions: no part is lost along none");

	/* along axis 1 all of component 1 is lost, and nothing else */
	for (long i = 0; i < m; i++)
		if (DT_FLOAT32 == real)
			((float *)none)[m + i] = 1.f;
		else
			((double *)none)[m + i] = 1.;

	const long one[3] = {1, 1, 3};
	const float maskf[6] = {1, 0, 1}, maskzf[6] = {1, 0, 0, 0, 1, 0};
	const double mask[6] = {1, 0, 1}, maskz[6] = {1, 0, 0, 0, 1, 0};
	const void *const of[] = {maskf, mask, maskzf, maskz};
	const int which = (dtype_is_complex(t) ? 2 : 0) + (DT_FLOAT64 == real);

	check_equal(linop_directions_create(t, 3, dims, none), 1.,
	        linop_diag_create(t, 3, dims, one, of[which]),
	        "directions: what lies along them is taken off");
	free(xi);
	free(none);
}

/* A wave in the direction of a filter of the finest scale is in that one's coefficients alone. */
static void shearlet_direction(void)
{
	enum { N = 64, SCALES = 3 };
	static double x[N][N], y[64][N][N];
	struct linop *S = linop_shearlet_create(DT_FLOAT64, 2, (long[]){N, N}, 0, 1, SCALES);
	const long fine = shearlet_count(SCALES - 1);

	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			x[j][i] = cos(2. * M_PI * 32. * i / N);

	linop_forward(S, y, x);

	const double all = vec_norm(DT_FLOAT64, N * N, x), one = vec_norm(DT_FLOAT64, N * N, y[fine]);

	check(fabs(one / all - 1.) < 1e-12, "shearlet: a wave along x is in the filter along x: %g",
	        one / all);
	linop_free(S);
}

static void inverses(enum dtype t)
{
	void *M = probe_vector(t, 9 * 5, 3), *d = probe_vector(t, 15, 4);
	const long dims[] = {5, 3};
	struct linop *A = linop_matrix_create(t, 9, 5, M, 2, dims);
	struct linop *D = linop_diag_create(t, 2, dims, dims, d);
	struct linop *one = linop_identity_create(t, 2, dims), *lambda = linop_scale(0.3, one);
	const struct linop *both[] = {A, D, one};

	for (int i = 0; i < 3; i++) {
		struct linop *N = linop_normal_create(both[i]), *sum = linop_plus(N, lambda);
		struct linop *inverse = linop_regularised_inverse_create(both[i], 0.3, 0.1 * bound(t), 100);

		check_operator(linop_ref(N), "normal");
		check_equal(
		        linop_chain(sum, inverse), 1., linop_ref(one), "(A'A + lambda) times its inverse");
		linop_free(N);
		linop_free(sum);

		const struct linop_check c = linop_check(inverse, 3);

		check(c.dot <= bound(t) && c.linearity <= bound(t) && c.repeatable,
		        "regularised inverse %s: dot %.2g, linearity %.2g", dtype_name(t), c.dot,
		        c.linearity);
		linop_free(inverse);
	}

	linop_free(A);
	linop_free(D);
	linop_free(one);
	linop_free(lambda);
	free(M);
	free(d);
}

static void bad_levels(void)
{
	linop_wavelet_create(DT_FLOAT32, 1, (long[]){8}, 1, WAVELET_HAAR, WAVELET_PERIODIC, 4);
}

static void bad_laplacian(void)
{
	linop_laplacian_create(DT_FLOAT32, 1, (long[]){8}, 1, (double[]){NAN}, GRAD_ZERO);
}

static void bad_kernel(void)
{
	linop_conv_create(DT_FLOAT32, 2, (long[]){8, 8}, 1, CONV_SAME, (long[]){3, 2}, (float[6]){0});
}

static void bad_scales(void)
{
	linop_shearlet_create(DT_FLOAT32, 2, (long[]){8, 8}, 0, 1, 0);
}

static void bad_lambda(void)
{
	linop_regularised_inverse_create(linop_identity_create(DT_FLOAT32, 1, (long[]){8}), -1., 0., 1);
}

static void refusals(void)
{
	check_ends(1, "4 levels, expected 1 to 3", bad_levels, "levels");
	check_ends(1, "expected more than 0", bad_laplacian, "voxel of NaN");
	check_ends(1, "the kernel has 2 elements along dimension 1, expected 1", bad_kernel, "kernel");
	check_ends(1, "a shearlet transform has 0 scales", bad_scales, "scales");
	check_ends(1, "expected a finite number of at least 0", bad_lambda, "lambda");
}

int main(void)
{
	refusals(); // first: forks before there are threads

	for (int i = 0; i < 4; i++) {
		wavelets(types[i]);
		differences(types[i]);
		filters(types[i]);
		shearlets(types[i]);
		directions(types[i]);
		inverses(types[i]);
	}

	long_rows();
	moments();
	symmetric_values();
	shearlet_direction();

	return checks_failed > 0;
}
