/* Operators give the same bytes for any number of threads. */

#include <omp.h>

#include "linop_case.h"
#include "linops/block.h"
#include "linops/differences.h"
#include "linops/directions.h"
#include "linops/shapes.h"
#include "linops/wavelet/filters.h"
#include "linops/wavelet/wavelet.h"
#include "nlops/nlop.h"

static const int threads[] = {1, 2, 7};

/* Consumes A. */
static void check_threads(struct linop *A, const char *what)
{
	const enum dtype t = linop_type(A);
	const long n = linop_domain_size(A), m = linop_codomain_size(A);
	void *x = probe_vector(t, n, 1), *y = probe_vector(t, m, 2);
	char *Ax[2], *Ay[2];
	bool same = true;

	for (int k = 0; k < 2; k++) {
		Ax[k] = mem_alloc((size_t)m * dtype_size(t));
		Ay[k] = mem_alloc((size_t)n * dtype_size(t));
	}

	for (int k = 0; k < 3; k++) {
		omp_set_num_threads(threads[k]);
		linop_forward(A, Ax[k > 0], x);
		linop_adjoint(A, Ay[k > 0], y);

		if (k > 0)
			same = same && 0 == memcmp(Ax[0], Ax[1], (size_t)m * dtype_size(t)) &&
			       0 == memcmp(Ay[0], Ay[1], (size_t)n * dtype_size(t));
	}

	check(same, "%s %s: 1, 2 and 7 threads", what, dtype_name(t));

	for (int k = 0; k < 2; k++) {
		free(Ax[k]);
		free(Ay[k]);
	}

	free(x);
	free(y);
	linop_free(A);
}

int main(void)
{
	const long dims[] = {65, 34, 21}, image[] = {120, 101}, kdims[] = {3, 5, 2}, large[] = {31, 20, 1};
	const double h[] = {1., 0.5, 2.};

	for (int i = 0; i < 4; i += 2) {
		const enum dtype t = types[i];
		void *k = probe_vector(t, 31 * 20, 3);
		long at[5000];

		for (long j = 0; j < 5000; j++)
			at[j] = j * j % 65;

		check_threads(
		        linop_wavelet_create(t, 3, dims, 7, WAVELET_DB4, WAVELET_SYMMETRIC, 3), "wavelet");
		check_threads(linop_laplacian_create(t, 3, dims, 7, h, GRAD_ZERO), "laplacian");
		check_threads(
		        linop_symmetric_gradient_create(t, 3, dims, 7, h, GRAD_BACKWARD, GRAD_REPLICATE),
		        "symmetric gradient");
		check_threads(linop_sample_create(t, 3, dims, 0, 5000, at), "sample");
		check_threads(linop_sum_create(t, 3, dims, 5), "sum");
		check_threads(linop_repmat_create(t, 3, dims, (long[]){2, 1, 3}), "repmat");
		check_threads(linop_permute_create(t, 3, dims, (int[]){2, 0, 1}), "permute");
		check_threads(linop_conv_create(t, 3, dims, 7, CONV_SAME, kdims, k), "convolution");
		check_threads(linop_conv_create(t, 3, dims, 3, CONV_CYCLIC, large, k), "large convolution");
		check_threads(linop_radial_create(t, 3, dims, 3, h, true, NULL, NULL), "ramp");
		check_threads(linop_shearlet_create(t, 2, image, 0, 1, 2), "shearlet");

		void *xi = probe_vector(dtype_real(t), md_calc_size(3, dims), 6);

		check_threads(linop_directions_create(t, 3, (long[]){dims[0] * dims[1], dims[2] / 2, 2}, xi),
		        "directions");
		free(xi);
		free(k);
	}

	/* the derivative of a nonlinear operator at one point */
	struct linop *one = linop_identity_create(DT_FLOAT32, 3, dims);
	struct nlop *P =
	        nlop_polychromatic_create(one, 2, (double[]){1., 2.}, 2, (double[]){0.5, 0.3, 1.5, 0.6});
	void *x = probe_vector(DT_FLOAT32, nlop_in_size(P, 0), 4);
	void *y = mem_alloc((size_t)nlop_out_size(P, 0) * sizeof(float));

	nlop_apply(P, y, x);
	check_threads(nlop_derivative_create(P, 0, 0), "polychromatic transmission");
	free(x);
	free(y);
	nlop_free(P);
	linop_free(one);

	return checks_failed > 0;
}
