/* [1] A. C. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, IEEE Press, 1988, chapter 3.
 * [2] A. Faridani, E. L. Ritman, K. T. Smith, Local tomography, SIAM J. Appl. Math. 52(2), 1992.
 * Windows: F. J. Harris, On the use of windows for harmonic analysis with the discrete Fourier transform,
 * Proc. IEEE 66(1), 1978. */

#include "ct/fbp/ramp.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"

const char ramp_names[] = "ramp|shepp-logan|cosine|hamming|hann|blackman|butterworth|parzen|kaiser|lambda";

static double cutoff_of(const struct ramp_filter *r)
{
	return (r->cutoff > 0.) ? r->cutoff : (RAMP_BUTTERWORTH == r->window) ? 0.5 : 1.;
}

/** Modified Bessel function of order 0. */
static double bessel_i0(double x)
{
	double term = 1., sum = 1.;

	for (int k = 1; term > 1e-17 * sum; k++) {
		term *= 0.25 * x * x / ((double)k * (double)k);
		sum += term;
	}

	return sum;
}

static double own_window(const struct ramp_filter *r, double x)
{
	double at = x * (double)(r->samples - 1);
	long i = (long)at;

	i = (i > r->samples - 2) ? r->samples - 2 : i;

	return r->own[i] + (at - (double)i) * (r->own[i + 1] - r->own[i]);
}

double ramp_window_at(const struct ramp_filter *r, double x)
{
	double order = (r->order > 0.) ? r->order : 4., beta = (r->beta > 0.) ? r->beta : 6.;

	switch (r->window) {
	case RAMP_SHEPP_LOGAN:
		return (0. == x) ? 1. : sin(M_PI * x / 2.) / (M_PI * x / 2.);
	case RAMP_COSINE:
		return cos(M_PI * x / 2.);
	case RAMP_HAMMING:
		return 0.54 + 0.46 * cos(M_PI * x);
	case RAMP_HANN:
		return 0.5 + 0.5 * cos(M_PI * x);
	case RAMP_BLACKMAN:
		return 0.42 + 0.5 * cos(M_PI * x) + 0.08 * cos(2. * M_PI * x);
	case RAMP_BUTTERWORTH:
		return 1. / sqrt(1. + pow(x, 2. * order));
	case RAMP_PARZEN:
		return (x < 0.5) ? 1. - 6. * x * x * (1. - x) : 2. * pow(1. - x, 3.);
	case RAMP_KAISER:
		return bessel_i0(beta * sqrt(fmax(0., 1. - x * x))) / bessel_i0(beta);
	case RAMP_OWN:
		return own_window(r, x);
	case RAMP_RAMP:
	case RAMP_LAMBDA:
	case RAMP_WINDOWS:
		break;
	}

	return 1.;
}

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

/** Means of neighbours, m apart. */
static double beside(long n, long m)
{
	return 0.5 * (band_limited_at(n - m) + band_limited_at(n + m));
}

/** Windows up to Nyquist's frequency that have one. */
static bool closed_form(const struct ramp_filter *r, long n, double *h)
{
	double t = (double)n;

	if (RAMP_LAMBDA == r->window) {
		*h = (0 == n) ? (1. + 0.5 * r->mean) / M_PI : (1 == n) ? -0.5 / M_PI : 0.;
		return true;
	}

	if (cutoff_of(r) < 1.)
		return false;

	switch (r->window) {
	case RAMP_RAMP:
		*h = band_limited_at(n);
		return true;
	case RAMP_SHEPP_LOGAN:
		*h = 2. / (M_PI * M_PI * (1. - 4. * t * t));
		return true;
	case RAMP_COSINE:
		*h = 0.5 * (band_limited(t - 0.5) + band_limited(t + 0.5));
		return true;
	case RAMP_HAMMING:
		*h = 0.54 * band_limited_at(n) + 0.46 * beside(n, 1);
		return true;
	case RAMP_HANN:
		*h = 0.5 * band_limited_at(n) + 0.5 * beside(n, 1);
		return true;
	case RAMP_BLACKMAN:
		*h = 0.42 * band_limited_at(n) + 0.5 * beside(n, 1) + 0.08 * beside(n, 2);
		return true;
	case RAMP_BUTTERWORTH:
	case RAMP_PARZEN:
	case RAMP_KAISER:
	case RAMP_LAMBDA:
	case RAMP_OWN:
	case RAMP_WINDOWS:
		break;
	}

	return false;
}

enum { GAUSS = 16, SIDE = 8, BLOCK = 64 };

/** Nodes and weights of Gauss' quadrature on -1..1: roots of Legendre's polynomial by Newton's method. */
static void gauss(double node[GAUSS], double weight[GAUSS])
{
	for (int i = 0; i < GAUSS; i++) {
		double x = cos(M_PI * (i + 0.75) / (GAUSS + 0.5)), slope = 1.;

		for (int step = 0; step < 20; step++) {
			double p = 1., before = 0.;

			for (int n = 1; n <= GAUSS; n++) {
				double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;

				before = p;
				p = next;
			}

			slope = GAUSS * (x * p - before) / (x * x - 1.);
			x -= p / slope;
		}

		node[i] = x;
		weight[i] = 2. / ((1. - x * x) * slope * slope);
	}
}

/** Points of quadrature: frequency times 2 pi [rad per sample], and weight times 2 f W. */
struct points {
	long n; // a multiple of SIDE
	double *angle, *weight;
};

/** Panels of at most a wavelength of the highest n wanted; no kink of W within one. */
static struct points points_create(const struct ramp_filter *r, long n)
{
	double cutoff = cutoff_of(r), top = (RAMP_BUTTERWORTH == r->window) ? 0.5 : 0.5 * cutoff;
	long pieces = (RAMP_OWN == r->window) ? r->samples - 1 : 4;
	long per = (long)ceil(top * (double)n / (double)pieces) + 2, panels = pieces * per;
	struct points p = {.n = mul_checked(panels, GAUSS, "the filter's quadrature")};
	double node[GAUSS], weight[GAUSS], width = top / (double)panels;

	gauss(node, weight);
	p.angle = mem_alloc((size_t)p.n * sizeof *p.angle);
	p.weight = mem_alloc((size_t)p.n * sizeof *p.weight);

	for (long i = 0; i < panels; i++)
		for (int j = 0; j < GAUSS; j++) {
			double f = ((double)i + 0.5 + 0.5 * node[j]) * width;

			p.angle[i * GAUSS + j] = 2. * M_PI * f;
			p.weight[i * GAUSS + j] = width * weight[j] * f * ramp_window_at(r, 2. * f / cutoff);
		}

	return p;
}

/** h[m] = sum weight cos(angle (first + m)): the cosines of the first, then turned from one m to the next. */
static void sum_cosines(const struct points *p, long first, long n, double *h)
{
	double part[BLOCK][SIDE] = {{0.}};

	for (long i = 0; i < p->n; i += SIDE) {
		double c[SIDE], s[SIDE], turn[SIDE], turned[SIDE];

		for (int j = 0; j < SIDE; j++) {
			double a = p->angle[i + j], w = p->weight[i + j];

			c[j] = w * cos(a * (double)first);
			s[j] = w * sin(a * (double)first);
			turn[j] = cos(a);
			turned[j] = sin(a);
		}

		for (long m = 0; m < n; m++)
			for (int j = 0; j < SIDE; j++) {
				double next = c[j] * turn[j] - s[j] * turned[j];

				part[m][j] += c[j];
				s[j] = s[j] * turn[j] + c[j] * turned[j];
				c[j] = next;
			}
	}

	for (long m = 0; m < n; m++) {
		h[m] = 0.;

		for (int j = 0; j < SIDE; j++)
			h[m] += part[m][j];
	}
}

void ramp_kernel(const struct ramp_filter *r, long n, double *h)
{
	double first;

	assert(n > 0 && (RAMP_OWN != r->window || r->samples >= 2));

	if (closed_form(r, 0, &first)) {
		for (long i = 0; i < n; i++)
			closed_form(r, i, h + i);

		return;
	}

	struct points p = points_create(r, n);

#pragma omp parallel for schedule(dynamic)
	for (long m = 0; m < n; m += BLOCK)
		sum_cosines(&p, m, (n - m < BLOCK) ? n - m : BLOCK, h + m);

	free(p.angle);
	free(p.weight);
}
