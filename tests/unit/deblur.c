/* What the spectrum of a blurred view says of its noise: random spectra of a known power. */

#include <math.h>

#include "check.h"
#include "correct/deblur.h"
#include "misc/mem.h"
#include "num/md/rand.h"

/* Frequencies (i / n, j / n) of a view whose power is 1e4 (|f|^-slope |H|^2 + noise) times an exponential
 * deviate. */
static double *spectrum_of(const struct deblur *d, double slope, double noise)
{
	const long wide = d->plane.wide, high = d->plane.high;
	double *x = mem_calloc((size_t)(2 * wide * high), sizeof *x);

	for (long i = 1; i < wide * high; i++) {
		const double f = 2. / M_PI *
		                 hypot(sin(M_PI * (double)(i % wide) / (double)wide),
		                         sin(M_PI * (double)(i / wide) / (double)high));
		const double h = d->transfer[2 * i], g = d->transfer[2 * i + 1];
		const double power = 1e4 * (pow(f, -slope) * (h * h + g * g) + noise);

		x[2 * i] = sqrt(power * -log(rand_uniform(3, (uint64_t)i)));
	}

	return x;
}

static void test_fit(double slope, double noise)
{
	struct deblur d = {.method = DEBLUR_WIENER};
	double n, s;

	deblur_gauss(&d, 180, 120, (const double[]){1.2, 0.8});

	double *x = spectrum_of(&d, slope, noise);

	deblur_fit(&d, x, &n, &s);
	check(fabs(s - slope) < 0.05 && fabs(log(n / noise)) < 0.1, "power %g, noise %g: found %g, %g", slope,
	        noise, s, n);

	// where next to nothing of the picture is left: the power of the noise
	const double size = (double)(d.plane.wide * d.plane.high);

	check(fabs(deblur_noise(&d, x) * size / (1e4 * noise) - 1.) < 0.1, "noise %g by itself: %g", noise,
	        deblur_noise(&d, x) * size / 1e4);
	deblur_free(&d);
	free(x);
}

int main(void)
{
	test_fit(2.3, 3e-2);
	test_fit(3., 1.);
	test_fit(1.2, 0.2);

	return checks_failed > 0;
}
