/* [1] A. C. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, IEEE Press, 1988, chapter 3.
 */

#include "linops/xray/ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/fft.h"

const char ramp_names[] = "ramp|shepp-logan|cosine|hamming|hann";

/** [bytes] of padded lines that a thread filters at a time. */
static const long block_bytes = 1L << 18;

struct ramp {
	long n;           // samples per line
	long padded;      // of the transforms
	double *response; // padded / 2 + 1, the transform's 1 / padded included
};

/** Integral of |f| exp(2 pi i f t) over |f| <= 1/2. */
static double band_limited(double t)
{
	if (0. == t)
		return 0.25;

	double s = sin(M_PI * t / 2.) / (M_PI * t);

	return sin(M_PI * t) / (2. * M_PI * t) - s * s;
}

/** The same at an integer, where sines are 0 and 1. */
static double band_limited_at(long n)
{
	if (0 == n)
		return 0.25;

	return (n % 2) ? -1. / (M_PI * M_PI * (double)n * (double)n) : 0.;
}

double ramp_kernel(enum ramp_window w, long n)
{
	double here = band_limited_at(n), beside = band_limited_at(n - 1) + band_limited_at(n + 1),
	       t = (double)n;

	switch (w) {
	case RAMP_SHEPP_LOGAN:
		return 2. / (M_PI * M_PI * (1. - 4. * t * t));
	case RAMP_COSINE:
		return 0.5 * (band_limited(t - 0.5) + band_limited(t + 0.5));
	case RAMP_HAMMING:
		return 0.54 * here + 0.23 * beside;
	case RAMP_HANN:
		return 0.5 * here + 0.25 * beside;
	case RAMP_RAMP:
		break;
	}

	return here;
}

static double bend_factor(double angle)
{
	double f = (0. == angle) ? 1. : angle / sin(angle);

	return f * f;
}

struct ramp *ramp_create(enum ramp_window w, long n, double bend)
{
	struct ramp *r = NEW(struct ramp);

	r->n = n;
	r->padded = fft_good_size(mul_checked(2, n, "the padded detector row"));
	r->response = mem_alloc((size_t)(r->padded / 2 + 1) * sizeof *r->response);

	double *h = mem_calloc((size_t)r->padded, sizeof *h);
	double *spectrum = mem_alloc((size_t)(r->padded / 2 + 1) * 2 * sizeof *spectrum);

	for (long i = 0; i < n; i++) {
		h[i] = ramp_kernel(w, i) * bend_factor((double)i * bend) / (double)r->padded;
		h[i ? r->padded - i : 0] = h[i];
	}

	fft_r2c(r->padded, 1, DT_FLOAT64, spectrum, h);

	for (long i = 0; i <= r->padded / 2; i++)
		r->response[i] = spectrum[2 * i]; // h is even: no imaginary part

	free(spectrum);
	free(h);

	return r;
}

void ramp_free(struct ramp *r)
{
	if (!r)
		return;

	free(r->response);
	free(r);
}

#define REAL   float
#define REALDT DT_FLOAT32
#define FN(x)  x##_float
#include "linops/xray/ramp_impl.inc"

#define REAL   double
#define REALDT DT_FLOAT64
#define FN(x)  x##_double
#include "linops/xray/ramp_impl.inc"

/** Lines per block, independent of the number of threads. */
static long block_lines(const struct ramp *r, enum dtype type)
{
	long lines = block_bytes / (r->padded * (long)dtype_size(type));

	return (lines < 1) ? 1 : lines;
}

void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x)
{
	long per = block_lines(r, type);

#pragma omp parallel for schedule(dynamic)
	for (long first = 0; first < lines; first += per) {
		long n = (lines - first < per) ? lines - first : per;

		if (DT_FLOAT32 == type)
			block_float(r, n, (float *)x + first * r->n);
		else
			block_double(r, n, (double *)x + first * r->n);
	}
}
