/* Denoisers and wavelet transforms of arrays on the device, beside the CPU's results. */

#include <math.h>
#include <string.h>

#include "check.h"
#include "iter/denoise/denoisers.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "linops/wavelet/wavelet.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

/* Numbers between -1 and 1, of which `levels` differ (0: all). */
static void *numbers(enum dtype t, long n, unsigned long seed, int levels)
{
	const long parts = dtype_is_complex(t) ? 2 * n : n;
	void *x = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < parts; i++) {
		double v = 2. * rand_uniform(seed, (uint64_t)i) - 1.;

		v = (0 < levels) ? round(v * levels) / levels : v;

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

/* |a - b| / |a|; b lies on the device and is freed. */
static double deviation(enum dtype t, long n, const void *a, void *b)
{
	const size_t bytes = (size_t)n * dtype_size(t);
	void *d = mem_alloc(bytes);

	device_copy(d, b, bytes);
	device_free(b);
	vec_axpby(t, n, d, 1., d, -1., a);

	const double size = vec_norm(t, n, a), error = vec_norm(t, n, d) / (size > 0. ? size : 1.);

	free(d);
	return error;
}

static double tolerance(enum dtype t)
{
	return DT_FLOAT32 == dtype_real(t) ? 1e-6 : 1e-14;
}

typedef void direction(const struct linop *A, void *dst, const void *src);

static double apart(const struct linop *A, direction *apply, const void *x)
{
	const enum dtype t = linop_type(A);
	const long n = linop_domain_size(A);
	const size_t bytes = (size_t)n * dtype_size(t);
	void *here = mem_alloc(bytes), *y = device_alloc(bytes), *in = there(x, bytes);

	apply(A, here, x);
	apply(A, y, in);

	const double d = deviation(t, n, here, y);

	device_free(in);
	free(here);
	return d;
}

static void check_wavelet(enum dtype t, int D, const long dims[], unsigned long flags, long levels)
{
	void *x = numbers(t, md_calc_size(D, dims), 3, 0);

	for (int family = WAVELET_HAAR; family <= WAVELET_CDF44; family++)
		for (int boundary = WAVELET_PERIODIC; boundary <= WAVELET_SYMMETRIC; boundary++)
			for (int inverse = 0; inverse < 2; inverse++) {
				struct linop *W = (inverse ? linop_wavelet_inverse_create
				                           : linop_wavelet_create)(t, D, dims, flags,
				        (enum wavelet_family)family, (enum wavelet_boundary)boundary, levels);
				const double a = apart(W, linop_forward, x), b = apart(W, linop_adjoint, x);

				check(linop_is_anywhere(W) && a <= tolerance(t) && b <= tolerance(t),
				        "%s wavelet %d %d, %ld levels of %ld x %ld x %ld%s: %.1e, adjoint "
				        "%.1e",
				        dtype_name(t), family, boundary, levels, dims[0], dims[1],
				        (2 < D) ? dims[2] : 1, inverse ? " back" : "", a, b);
				linop_free(W);
			}

	free(x);
}

static void check_wavelets(void)
{
	static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};
	const long box[] = {13, 8, 6}, one[] = {1, 2, 3}, wide[] = {700, 3}, high[] = {3, 261};

	for (int i = 0; i < 4; i++)
		check_wavelet(types[i], 3, box, 7, 3);

	for (unsigned long flags = 1; flags < 7; flags++)
		check_wavelet(DT_FLOAT32, 3, box, flags, (flags & 3) ? 2 : 1);

	check_wavelet(DT_FLOAT32, 3, box, 7, 4);
	check_wavelet(DT_FLOAT64, 3, one, 7, 2);
	check_wavelet(DT_FLOAT32, 2, wide, 1, 9);
	check_wavelet(DT_FLOAT64, 2, high, 3, 5);
	check_wavelet(DT_COMPLEX64, 2, wide, 3, 2);
}

/* Prox at both places, in place too; deviation. */
static double prox_apart(const struct functional *g, double gamma, const void *x)
{
	const enum dtype t = functional_type(g);
	const long n = functional_size(g);
	const size_t bytes = (size_t)n * dtype_size(t);
	void *here = mem_alloc(bytes), *again = mem_alloc(bytes), *y = device_alloc(bytes),
	     *in = there(x, bytes);

	functional_prox(g, gamma, here, x);

	const struct device_crossings before = device_crossed();

	functional_prox(g, gamma, y, in);

	const struct device_crossings after = device_crossed();

	functional_prox(g, gamma, in, in);
	device_copy(again, y, bytes);
	check(after.back == before.back, "%s: nothing comes back", functional_name(g));

	const double d = deviation(t, n, here, y), e = deviation(t, n, again, in);

	check(0. == e, "%s: the same in place", functional_name(g));
	free(here);
	free(again);
	return d;
}

static void check_thresholds(void)
{
	const long dims[] = {20, 9, 5};
	void *x = numbers(DT_FLOAT32, md_calc_size(3, dims), 4, 0);

	for (int k = 0; k < 8; k++) {
		struct wavelet_conf c = {.flags = (k & 1) ? 3 : 7,
		        .family = WAVELET_DB2,
		        .boundary = WAVELET_PERIODIC,
		        .levels = 3,
		        .spins = (k & 2) ? 3 : 1,
		        .hard = k & 4};
		struct functional *g = functional_wavelet_create(DT_FLOAT32, 3, dims, &c);
		const double d = prox_apart(g, .2, x);
		void *in = there(x, (size_t)functional_size(g) * sizeof(float));
		const double a = functional_value(g, x), b = functional_value(g, in);

		check(d <= 1e-6, "wavelet threshold %d: %.1e", k, d);
		check(fabs(a - b) <= 1e-6 * a, "wavelet threshold %d: value", k);
		device_free(in);
		functional_free(g);
	}

	free(x);
}

static void check_median(enum dtype t, int D, const long dims[], unsigned long flags, long radius, int levels)
{
	const long n = md_calc_size(D, dims);
	void *x = numbers(t, n, 6, levels);
	struct functional *g = functional_median_create(t, D, dims, flags, radius);
	const double d = prox_apart(g, 1., x);

	check(0. == d && functional_is_anywhere(g), "%s median %ld x %ld x %ld, radius %ld along %lu: %.1e",
	        dtype_name(t), dims[0], dims[1], dims[2], radius, flags, d);
	functional_free(g);
	free(x);
}

static void check_medians(void)
{
	const long dims[] = {8, 6, 5, 2};

	for (unsigned long flags = 1; flags < 8; flags++)
		for (long radius = 1; radius <= 3; radius++)
			check_median(DT_FLOAT32, 3, dims, flags, radius, (1 == flags % 2) ? 0 : 4);

	check_median(DT_FLOAT64, 4, dims, 7, 1, 0);
	check_median(DT_FLOAT64, 4, dims, 7, 2, 0);
	check_median(DT_FLOAT64, 4, dims, 5, 2, 2);
	check_median(DT_FLOAT64, 4, dims, 1, 1, 0);
	check_median(DT_FLOAT32, 4, dims, 15, 1, 0);
	check_median(DT_FLOAT32, 4, dims, 2, 40, 0);

	// what is not a number spreads, infinities are numbers
	float x[] = {1.f, -INFINITY, 3.f, INFINITY, 2.f, NAN, 5.f, -0.f, 0.f}, y[9];
	void *in = there(x, sizeof x), *out = device_alloc(sizeof y);

	for (long radius = 1; radius <= 3; radius += 2) {
		struct functional *g = functional_median_create(DT_FLOAT32, 1, (const long[]){9}, 1, radius);
		float here[9];
		bool same = true;

		functional_prox(g, 1., here, x);
		functional_prox(g, 1., out, in);
		device_copy(y, out, sizeof y);

		for (int i = 0; i < 9; i++)
			same = same &&
			       (isnan(here[i]) ? isnan(y[i]) : 0 == memcmp(&here[i], &y[i], sizeof y[i]));

		check(same, "median of radius %ld of what is not finite", radius);
		functional_free(g);
	}

	device_free(in);
	device_free(out);
}

static void check_nlm(enum dtype t, int D, const long dims[], unsigned long flags, long patch, long search)
{
	void *x = numbers(t, md_calc_size(D, dims), 7, 0);
	const struct nlm_conf c = {
	        .flags = flags, .patch = patch, .search = search, .sigma = 1., .strength = .8};
	struct functional *g = functional_nlm_create(t, D, dims, &c);
	const double d = prox_apart(g, .1, x);

	check(d <= 1e-6 && functional_is_anywhere(g),
	        "%s nlm %ld x %ld x %ld, patch %ld, search %ld along %lu: %.1e", dtype_name(t), dims[0],
	        dims[1], dims[2], patch, search, flags, d);
	functional_free(g);
	free(x);
}

static void check_nlms(void)
{
	const long dims[] = {33, 4, 3}, flat[] = {37, 40, 1}, cube[] = {12, 11, 10}, small[] = {6, 6, 6};

	for (unsigned long flags = 1; flags < 8; flags++)
		check_nlm(DT_FLOAT32, 3, dims, flags, 1, 1);

	check_nlm(DT_FLOAT64, 3, dims, 7, 2, 1);
	check_nlm(DT_FLOAT32, 3, flat, 7, 3, 2);
	check_nlm(DT_FLOAT32, 3, flat, 3, 0, 2);
	check_nlm(DT_FLOAT32, 3, small, 7, 1, 5);
	check_nlm(DT_FLOAT32, 3, cube, 7, 0, 1);
}

/* Denoisers as terms: plug and play, regularisation by denoising. */
static void check_terms(void)
{
	const long dims[] = {9, 8, 7}, n = md_calc_size(3, dims);
	const size_t bytes = (size_t)n * sizeof(float);
	void *x = numbers(DT_FLOAT32, n, 8, 0), *in = there(x, bytes), *here = mem_alloc(bytes);
	const struct nlm_conf c = {.flags = 7, .patch = 1, .search = 1, .sigma = 1., .strength = 1.};
	struct functional *nlm = functional_nlm_create(DT_FLOAT32, 3, dims, &c),
	                  *plug = functional_plug_create(nlm, .1), *red = functional_red_create(.5, nlm, .1);
	void *out = device_alloc(bytes);

	check(prox_apart(plug, 1., x) <= 1e-6, "plug and play");

	const struct device_crossings before = device_crossed();

	functional_gradient(red, out, in);

	const struct device_crossings after = device_crossed();

	functional_gradient(red, here, x);
	check(after.copies == before.copies && deviation(DT_FLOAT32, n, here, out) <= 1e-5,
	        "regularisation by denoising stays on the device");
	functional_free(nlm);
	functional_free(plug);
	functional_free(red);
	device_free(in);
	free(x);
	free(here);
}

int main(void)
{
	if (0 == device_count()) {
		printf("ok gpu_denoise # skip no GPU: %s\n", device_none_reason());
		return 0;
	}

	device_use(0);
	check_wavelets();
	check_thresholds();
	check_medians();
	check_nlms();
	check_terms();
	check(0 == device_taken(), "no memory of the device is left taken: %zu bytes", device_taken());

	return checks_failed > 0;
}
