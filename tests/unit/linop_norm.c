/* Norms of operators, in closed form and as bounds, against long power iterations in float64. */

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "ct/projector/xray.h"
#include "linop_case.h"
#include "linops/norm.h"
#include "linops/wavelet/wavelet.h"
#include "num/fft/fft.h"
#include "xray_scans.h"

/** The root of the largest eigenvalue of A'A. */
static double singular(const struct linop *A, long iterations)
{
	const enum dtype t = linop_type(A);
	const long n = linop_domain_size(A);
	void *x = probe_vector(t, n, 5), *y = mem_alloc((size_t)n * dtype_size(t));
	double value = 0.;

	for (long k = 0; k < iterations; k++) {
		vec_scale(t, n, x, 1. / vec_norm(t, n, x));
		linop_normal(A, y, x);
		value = vec_dot(t, n, x, y);
		vec_copy(t, n, x, y);
	}

	free(x);
	free(y);

	return sqrt(value);
}

/** A consumed. `above`: at most that part above the truth, and never below it. A short run has an eighth of
 * the iterations, which end below the truth. */
static void check_norm(struct linop *A, long iterations, double above, const char *what)
{
	const double want = singular(A, fewer(iterations)), norm = linop_norm(A), by = norm / want - 1.;

	check((short_tests() || by <= above) && by >= -1e-6, "%s: norm %.9g, by power iterations %.9g", what,
	        norm, want);
	check(short_tests() || norm == linop_norm(A), "%s: the same again", what);
	linop_free(A);
}

/** The same, known without an application of A. */
static void check_closed(struct linop *A, double above, const char *what)
{
	check(linop_closed_norm(A) == linop_norm(A), "%s: closed form", what);
	check_norm(A, 2000, above, what);
}

static void test_gradients(void)
{
	const long dims[] = {7, 6, 5}, flat[] = {9, 1, 1};
	const double h[] = {0.7, 1.1, 2.};
	const enum dtype t = DT_FLOAT64;

	check_closed(linop_grad_create(t, 3, dims, 7, h), 1e-6, "gradient");
	check_closed(linop_grad_create(t, 3, dims, 2, h), 1e-6, "gradient along y");
	check_closed(linop_grad_create(t, 3, flat, 7, h), 1e-6, "gradient of a line");
	check_closed(linop_grad_create(DT_COMPLEX128, 3, dims, 5, h), 1e-6, "gradient, complex");

	for (int boundary = GRAD_REPLICATE; boundary <= GRAD_ONE_SIDED; boundary++)
		for (int scheme = GRAD_FORWARD; scheme <= GRAD_CENTRAL; scheme++)
			check_norm(linop_gradient_create(t, 3, dims, 3, h, (enum grad_scheme)scheme,
			                   (enum grad_boundary)boundary),
			        2000, 0.02, "gradient of another kind");

	check_closed(
	        linop_gradient_create(t, 3, dims, 3, h, GRAD_BACKWARD, GRAD_PERIODIC), 1e-6, "periodic, odd");
	check_closed(
	        linop_gradient_create(t, 3, dims, 2, h, GRAD_FORWARD, GRAD_PERIODIC), 1e-6, "periodic, even");
}

static void test_closed(void)
{
	const long dims[] = {8, 4}, row[] = {8, 1};
	const double d[] = {1., -3., 0.5, 2., 0., 1., 1., 1.};
	const complex double z[] = {1., 2. + 2. * I, -2.5, 0., 1., 0., I, 1.};
	const enum dtype t = DT_FLOAT64;
	struct linop *D = linop_diag_create(t, 2, dims, row, d);

	check_closed(linop_identity_create(t, 2, dims), 1e-9, "identity");
	check_closed(linop_ref(D), 1e-9, "diagonal");
	check_closed(linop_scale(-2.5, D), 1e-9, "scaled");
	check_closed(linop_adjoint_create(D), 1e-9, "adjoint");
	check_closed(linop_diag_create(DT_COMPLEX128, 2, dims, row, z), 1e-9, "complex diagonal");
	check_closed(linop_fft_create(DT_COMPLEX128, 2, dims, 3, 0), 1e-9, "Fourier transform");
	check_closed(
	        linop_fft_create(DT_COMPLEX128, 2, dims, 1, FFT_UNITARY), 1e-9, "unitary Fourier transform");
	check_closed(linop_wavelet_create(t, 2, dims, 3, WAVELET_DB2, WAVELET_PERIODIC, 2), 1e-9, "wavelets");
	linop_free(D);
	check(1. == linop_norm(NULL), "no operator is the identity");
}

/** Transforms of every kind of scan and model: upper bounds, close ones where all voxels are seen about
 * alike. */
static void test_projections(void)
{
	const struct grid v = centred(14, 14, 5, 1., 1., 1.);

	for (int k = 0; k < KINDS; k++) {
		const bool usual =
		        PARALLEL == k || CURVED_PARALLEL == k || FAN == k || CONE == k || CURVED == k;

		for (int model = 0; model < XRAY_MODELS; model++) {
			struct geom *g = scan((enum kind)k, 14., 12, 24, 6);
			char what[80];

			snprintf(what, sizeof what, "%s, %s", kind_name[k], xray_model_name[model]);
			check_norm(linop_xray_create(g, &v, (enum xray_model)model, DT_FLOAT64, 1, 1), 60,
			        usual ? 0.02 : 0.09, what);
			geom_free(g);
		}
	}
}

int main(void)
{
	test_gradients();
	test_closed();
	test_projections();

	return checks_failed > 0;
}
