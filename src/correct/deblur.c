#include "correct/deblur.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"

void deblur_gauss(struct deblur *d, long cols, long rows, const double sigma[2])
{
	const double most = fmax(sigma[0], sigma[1]), pi = 3.14159265358979323846;

	d->plane =
	        plane_create(cols, rows, (long)fmin(6. * most, 2. * (double)(cols > rows ? cols : rows)) + 8);
	d->transfer = mem_calloc((size_t)(2 * plane_size(&d->plane)), sizeof *d->transfer);

	for (long b = 0; b < d->plane.high; b++)
		for (long a = 0; a < d->plane.wide; a++) {
			const double u = sigma[0] * plane_frequency(a, d->plane.wide);
			const double v = sigma[1] * plane_frequency(b, d->plane.high);

			d->transfer[2 * (b * d->plane.wide + a)] = exp(-2. * pi * pi * (u * u + v * v));
		}
}

void deblur_psf(struct deblur *d, long cols, long rows, const long size[2], const double *h, const char *name)
{
	double sum = 0.;

	d->plane = plane_create(cols, rows, (size[0] > size[1] ? size[0] : size[1]) + 8);

	const long wide = d->plane.wide, high = d->plane.high, dims[] = {wide, high};

	d->transfer = mem_calloc((size_t)(2 * plane_size(&d->plane)), sizeof *d->transfer);

	for (long i = 0; i < size[0] * size[1]; i++)
		sum += h[i];

	if (!(sum > 0. && isfinite(sum)))
		error("%s: the point spread function has the sum %g, expected a positive sum", name, sum);

	for (long b = 0; b < size[1]; b++)
		for (long a = 0; a < size[0]; a++) { // what falls outside of one row is added up
			const long i = (a - (size[0] - 1) / 2 + wide * size[0]) % wide;
			const long j = (b - (size[1] - 1) / 2 + high * size[1]) % high;

			d->transfer[2 * (j * wide + i)] += h[b * size[0] + a] / sum;
		}

	fft(2, dims, 3, 0, DT_COMPLEX128, d->transfer, d->transfer);
}

void deblur_free(struct deblur *d)
{
	free(d->transfer);
}

/** z *= H, or conj(H). */
static void times(const struct deblur *d, bool conjugate, double *z)
{
	for (long i = 0; i < plane_size(&d->plane); i++) {
		const double re = d->transfer[2 * i],
		             im = conjugate ? -d->transfer[2 * i + 1] : d->transfer[2 * i + 1];
		const double x = z[2 * i], y = z[2 * i + 1];

		z[2 * i] = x * re - y * im;
		z[2 * i + 1] = x * im + y * re;
	}
}

static void blur(const struct deblur *d, bool conjugate, double *out, const double *in, double *work)
{
	plane_forward(&d->plane, work, in);
	times(d, conjugate, work);
	plane_inverse(&d->plane, out, work);
}

static void wiener(const struct deblur *d, double *out, const double *in, double *work)
{
	const struct plane *p = &d->plane;
	double noise = d->noise, slope = d->slope;

	plane_forward(p, work, in);

	if (isnan(noise))
		deblur_fit(d, work, &noise, &slope);

	const double flat = (0. == slope) ? noise : 0.; // at frequency 0, where the result is 1

	times(d, true, work);

	for (long b = 0; b < p->high; b++)
		for (long a = 0; a < p->wide; a++) {
			const long i = b * p->wide + a;
			const double re = d->transfer[2 * i], im = d->transfer[2 * i + 1];
			const double r = deblur_radius(p, a, b);
			const double w = (1. + flat) / (re * re + im * im + noise * pow(r, slope));

			work[2 * i] *= w;
			work[2 * i + 1] *= w;
		}

	plane_inverse(&d->plane, out, work);
}

enum { MOST = 500 }; // iterations that are chosen

/** The variance of counts over their mean, in the unit of the view. */
static double noise_of_counts(const struct deblur *d, const double *in, double *work)
{
	const long n = d->plane.cols * d->plane.rows;
	double mean = 0.;

	for (long i = 0; i < n; i++)
		mean += ((in[i] > 0.) ? in[i] : 0.) / (double)n;

	plane_forward(&d->plane, work, in);

	return (mean > 0.) ? deblur_noise(d, work) / mean : INFINITY;
}

/** Mean of the squared difference over the mean that the blurred picture says. */
static double misfit(long n, const double *in, const double *blurred)
{
	double sum = 0.;

	for (long i = 0; i < n; i++) {
		const double r = ((in[i] > 0.) ? in[i] : 0.) - blurred[i];

		sum += (blurred[i] > 0.) ? r * r / blurred[i] / (double)n : 0.;
	}

	return sum;
}

static void lucy(const struct deblur *d, double *out, const double *in, double *work)
{
	const long n = d->plane.cols * d->plane.rows;
	double *ratio = mem_alloc((size_t)n * sizeof *ratio), before = INFINITY;
	const double noise = (0 == d->iterations) ? noise_of_counts(d, in, work) : 0.;
	long last = d->iterations;

	blur(d, false, out, in, work);

	for (long i = 0; i < n; i++)
		out[i] = (out[i] > 0.) ? out[i] : 0.;

	for (long k = 0; k < (last ? last : MOST); k++) {
		blur(d, false, ratio, out, work);

		if (0 == last) { // down to the noise, or hardly further down
			const double now = misfit(n, in, ratio);

			if (now <= noise || before - now < 5e-4 * now)
				last = (2 * k < MOST) ? 2 * k : MOST;

			if (now <= noise && 0 == k)
				break;

			before = now;
		}

		for (long i = 0; i < n; i++)
			ratio[i] = (ratio[i] > 0. && in[i] > 0.) ? in[i] / ratio[i] : 0.;

		blur(d, true, ratio, ratio, work);

		for (long i = 0; i < n; i++)
			out[i] *= (ratio[i] > 0.) ? ratio[i] : 0.;
	}

	free(ratio);
}

void deblur_view(const struct deblur *d, double *out, const double *in)
{
	double *work = mem_alloc((size_t)(2 * plane_size(&d->plane)) * sizeof *work);

	if (DEBLUR_WIENER == d->method)
		wiener(d, out, in, work);
	else
		lucy(d, out, in, work);

	free(work);
}
