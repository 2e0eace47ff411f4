/* Terms that are no functionals with a prox and a value: lengths of differences to be descended, denoisers.
 */

#include <math.h>

#include "check.h"
#include "iter/denoise/denoisers.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "misc/file/hdr.h"
#include "num/md/rand.h"

enum { N = 5000, K = 3 };

static double z[N * K], g[N * K];
static float zf[N * K], gf[N * K];

/* Against the formula, place by place. */
static double worst(double delta, bool single, double *value)
{
	double sum = 0., far = 0.;

	for (long i = 0; i < N; i++) {
		double w[K], length = 0.;

		for (int d = 0; d < K; d++) {
			const double v = z[i + d * N];

			w[d] = (delta > 0.) ? exp(-v * v / (delta * delta)) : 1.;
			length += w[d] * v * v;
		}

		length = sqrt(length);
		sum += length;

		for (int d = 0; d < K; d++) {
			const double got = single ? (double)gf[i + d * N] : g[i + d * N],
			             want = (length > 0.) ? w[d] * z[i + d * N] / length : 0.;

			far = fmax(far, fabs(got - want));
		}
	}

	far = fmax(far, fabs(*value - sum) / sum);

	return far;
}

static void test_edges(void)
{
	for (long i = 0; i < N * K; i++)
		zf[i] = (float)(z[i] = (double)(float)((i % N < 9) ? 0. : rand_normal(1, (uint64_t)i)));

	for (int adaptive = 0; adaptive < 2; adaptive++) {
		const double delta = adaptive ? 0.7 : 0.;
		struct functional *f = functional_edges_create(DT_FLOAT64, 2, (const long[]){N, K}, delta),
		                  *s = functional_edges_create(DT_FLOAT32, 2, (const long[]){N, K}, delta);
		double value = functional_value(f, z), single = functional_value(s, zf);

		functional_gradient(f, g, z);
		functional_gradient(s, gf, zf);
		check(worst(delta, false, &value) < 1e-12, "edges, delta %g: value and gradient", delta);
		check(worst(delta, true, &single) < 1e-6, "edges, delta %g: in float32", delta);

		if (!adaptive) { // a step against the gradient lowers the value as it says
			double slope = 0., before = value;

			for (long i = 0; i < N * K; i++) {
				slope += g[i] * g[i];
				z[i] -= 1e-6 * g[i];
			}

			check(fabs((before - functional_value(f, z)) / (1e-6 * slope) - 1.) < 1e-4,
			        "edges: the gradient is that of the value");

			for (long i = 0; i < N * K; i++)
				z[i] = (double)zf[i];
		}

		functional_free(f);
		functional_free(s);
	}
}

static void test_denoisers(void)
{
	const long n = 3;
	const double x[] = {4., -1., 0.5};
	double a[3], b[3];
	struct functional *l1 = functional_l1_create(DT_FLOAT64, 1, &n, NULL, NULL),
	                  *plug = functional_plug_create(l1, 0.75),
	                  *red = functional_red_create(2., l1, 0.75);

	functional_prox(l1, 0.75, a, x);
	functional_prox(plug, 123., b, x);
	check(a[0] == b[0] && a[1] == b[1] && a[2] == b[2], "plug: the denoiser, whatever gamma");
	memcpy(b, x, sizeof b);
	functional_prox(plug, 1e-3, b, b);
	check(a[0] == b[0] && a[1] == b[1] && a[2] == b[2], "plug: in place");
	functional_gradient(red, b, x);
	check(b[0] == 1.5 && b[1] == -1.5 && b[2] == 1., "red: L times what is taken away");
	memcpy(b, x, sizeof b);
	functional_gradient(red, b, b);
	check(b[0] == 1.5 && b[1] == -1.5 && b[2] == 1., "red: in place");
	check(functional_has_prox(plug) && !functional_is_smooth(plug) && !functional_has_value(plug) &&
	                !functional_has_prox(red) && functional_is_smooth(red) &&
	                !functional_has_value(red) && 2. == functional_lipschitz(red),
	        "plug and red: what is known of them");
	functional_free(l1);
	functional_free(plug);
	functional_free(red);
}

int main(void)
{
	test_edges();
	test_denoisers();

	return checks_failed > 0;
}
