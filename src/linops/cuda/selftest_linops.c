/** Self-tests of the kernels of differences and wavelets. */

#include "linops/cuda/selftest_linops.h"

#include "linops/differences.h"
#include "linops/wavelet/wavelet.h"

enum { N = SELFTEST_NUMBERS };

/** out = A x, or A' x; A is freed. */
static void apply(struct linop *A, bool adjoint, float *out, const float *x)
{
	if (adjoint)
		linop_adjoint(A, out, x);
	else
		linop_forward(A, out, x);

	linop_free(A);
}

static void differences(float *out, const float *x, const float *y)
{
	const long dims[3] = {16, 8, 8};
	const double h[3] = {1., .5, 2.};

	apply(linop_gradient_create(DT_FLOAT32, 3, dims, 7, h, GRAD_CENTRAL, GRAD_ONE_SIDED), false, out, x);
	apply(linop_gradient_create(DT_FLOAT32, 3, dims, 7, h, GRAD_CENTRAL, GRAD_ONE_SIDED), true, out + N,
	        y);
	apply(linop_gradient_create(DT_FLOAT32, 3, dims, 5, h, GRAD_FORWARD, GRAD_PERIODIC), false,
	        out + 2 * N, y);
	apply(linop_gradient_create(DT_FLOAT32, 3, dims, 5, h, GRAD_FORWARD, GRAD_PERIODIC), true,
	        out + 3 * N, x);
	apply(linop_laplacian_create(DT_FLOAT32, 3, dims, 7, h, GRAD_REPLICATE), false, out + 3 * N + N / 2,
	        x);
}

static bool differences_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "differences of neighbours", differences, 1e-5);
}

GPU_SELFTEST(differences, differences_work);

static void wavelets(float *out, const float *x, const float *y)
{
	const long dims[3] = {31, 11, 12};

	apply(linop_wavelet_create(DT_FLOAT32, 3, dims, 7, WAVELET_CDF44, WAVELET_SYMMETRIC, 2), false, out,
	        x);
	apply(linop_wavelet_inverse_create(DT_FLOAT32, 3, dims, 7, WAVELET_CDF44, WAVELET_SYMMETRIC, 2),
	        false, out + N, y);
	apply(linop_wavelet_create(DT_FLOAT32, 3, dims, 7, WAVELET_DB4, WAVELET_PERIODIC, 1), false,
	        out + 2 * N, y);
	apply(linop_wavelet_create(DT_FLOAT32, 3, dims, 7, WAVELET_HAAR, WAVELET_PERIODIC, 3), true,
	        out + 3 * N, x);
}

static bool wavelets_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "wavelet transforms", wavelets, 1e-5);
}

GPU_SELFTEST(wavelets, wavelets_work);
