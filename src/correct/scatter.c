#include "correct/scatter.h"

#include <math.h>
#include <stdlib.h>

#include "correct/view_kernels.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

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
	device_free(s->there);
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
			sent[i] = scatter_source(s->alpha, s->beta, out[i]);

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

void scatter_views(void *ctx, const struct view_batch *b)
{
	struct scatter *s = ctx;
	const long n = b->n * s->plane.cols * s->plane.rows;

	if (NULL == s->there)
		s->there = place_bring(s->transfer, (size_t)plane_size(&s->plane) * sizeof *s->there);

	double *sent = device_alloc((size_t)n * sizeof *sent);
	double *z = device_alloc((size_t)(2 * b->n * plane_size(&s->plane)) * sizeof *z);
	long low = 0;

	vec_copy(DT_FLOAT64, n, b->out, b->in[0]);

	for (long k = 0; k < s->iterations; k++) {
		view_kernels_gpu.sources(s, n, sent, b->out);
		views_filter(&s->plane, b->n, sent, sent, s->there, z);
		low = view_kernels_gpu.subtract(n, b->out, b->in[0], sent, k + 1 == s->iterations);
	}

	s->low += low;
	device_free(sent);
	device_free(z);
}
