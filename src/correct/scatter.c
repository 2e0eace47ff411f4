#include "correct/scatter.h"

#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"

void scatter_create(struct scatter *s, long cols, long rows, const double pixel[2])
{
	const double pi = 3.14159265358979323846, most = fmax(s->sigma[0], s->sigma[1]);
	const long longest = (cols > rows) ? cols : rows;
	const double reach = fmin(4. * most / fmin(pixel[0], pixel[1]), 2. * (double)longest);

	s->plane = plane_create(cols, rows, (long)reach + 1);
	s->transfer = mem_alloc((size_t)plane_size(&s->plane) * sizeof *s->transfer);

	for (long b = 0; b < s->plane.high; b++)
		for (long a = 0; a < s->plane.wide; a++) {
			const double u = plane_frequency(a, s->plane.wide) / pixel[0];
			const double v = plane_frequency(b, s->plane.high) / pixel[1], f = u * u + v * v;
			const double g1 = exp(-2. * pi * pi * s->sigma[0] * s->sigma[0] * f);
			const double g2 = exp(-2. * pi * pi * s->sigma[1] * s->sigma[1] * f);

			s->transfer[b * s->plane.wide + a] =
			        s->amplitude * (g1 + s->ratio * g2) / (1. + s->ratio);
		}
}

void scatter_free(struct scatter *s)
{
	free(s->transfer);
}

/** What a pixel sends out; nothing where there is no object. A power below 1 of the line integral is
 * infinitely steep at 0, and the fixed point would run away in the air: below 0.05 it is a straight line. */
static double source(const struct scatter *s, double p)
{
	const double thin = 0.05;

	if (!(p > 0. && p < 1.))
		return 0.;

	const double l = -log(p);
	const double power = (s->beta < 1. && l < thin) ? l / thin * pow(thin, s->beta) : pow(l, s->beta);

	return pow(p, s->alpha) * power;
}

void scatter_view(struct scatter *s, double *out, const double *in)
{
	const long n = s->plane.cols * s->plane.rows;
	double *work = mem_alloc((size_t)(2 * plane_size(&s->plane)) * sizeof *work);
	double *sent = mem_alloc((size_t)n * sizeof *sent);
	long low = 0;

	for (long i = 0; i < n; i++)
		out[i] = in[i];

	for (long k = 0; k < s->iterations; k++) {
		for (long i = 0; i < n; i++)
			sent[i] = source(s, out[i]);

		plane_forward(&s->plane, work, sent);

		for (long i = 0; i < plane_size(&s->plane); i++) {
			work[2 * i] *= s->transfer[i];
			work[2 * i + 1] *= s->transfer[i];
		}

		plane_inverse(&s->plane, sent, work);
		low = 0;

		for (long i = 0; i < n; i++) {
			const double least = 0.01 * in[i], p = in[i] - sent[i];

			low += !(p >= least);
			out[i] = (p >= least) ? p : least;
		}
	}

	free(work);
	free(sent);

#pragma omp atomic
	s->low += low;
}
