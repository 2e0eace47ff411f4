#include "iter/denoise/sure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/plot/canvas.h"
#include "misc/plot/plot.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { TRIALS = 64, HALVINGS = 12, SEED = 1 };

static const double step = 0.1;      // e over sigma
static const double accuracy = 0.05; // of gamma

struct sure {
	const struct functional *g;
	struct cfl *x;
	double sigma;
	enum dtype type, real;
	long n, numbers;                   // elements of a part; numbers in it
	long part;                         // whose y and b are there, or -1
	void *y, *b, *moved, *fy, *fmoved; // where the denoiser works
	int trials;
	double gamma[TRIALS], risk[TRIALS];
};

/** y and the random signs of a block of elements. */
static void load(struct sure *s, long part)
{
	const enum dtype from = s->x->hdr.type;
	const char *data = (const char *)cfl_map(s->x) + part * s->n * (long)dtype_size(from);
	const size_t bytes = (size_t)s->n * dtype_size(s->type);

	if (part == s->part)
		return;

	if (device_holds(s->y))
		device_load(s->type, s->y, from, data, s->n);
	else
		convert(s->type, s->y, from, data, s->n, NARROW_SATURATE);

	void *b = place_take(s->b, bytes);

#pragma omp parallel for schedule(static) num_threads(threads_for(4. * (double)s->numbers))
	for (long i = 0; i < s->numbers; i++) {
		const double v = (rand_uniform(SEED, (uint64_t)(part * s->numbers + i)) < 0.5) ? -1. : 1.;

		if (DT_FLOAT32 == s->real)
			((float *)b)[i] = (float)v;
		else
			((double *)b)[i] = v;
	}

	place_back(b, s->b, bytes);
	s->part = part;
}

static double estimate(struct sure *s, double gamma)
{
	const long parts = s->x->count / s->n;
	const double N = (double)parts * (double)s->numbers, s2 = s->sigma * s->sigma;
	double misfit = 0., spread = 0.;

	for (long k = 0; k < parts; k++) {
		load(s, k);
		vec_copy(s->real, s->numbers, s->moved, s->y);
		vec_axpy(s->real, s->numbers, s->moved, step * s->sigma, s->b);
		functional_prox(s->g, gamma, s->fy, s->y);
		functional_prox(s->g, gamma, s->fmoved, s->moved);
		vec_axpy(s->real, s->numbers, s->fmoved, -1., s->fy);
		spread += vec_dot(s->real, s->numbers, s->b, s->fmoved);
		vec_axpy(s->real, s->numbers, s->fy, -1., s->y);
		misfit += vec_dot(s->real, s->numbers, s->fy, s->fy);
	}

	const double risk = misfit / N - s2 + 2. * s2 / (N * step * s->sigma) * spread;

	verbose("strength %.6g: estimated error %.6g", gamma, sqrt(fmax(risk, 0.)));
	s->gamma[s->trials] = gamma;
	s->risk[s->trials++] = risk;
	progress_update(s->trials);

	return risk;
}

/* The least over log gamma: steps downhill by factors of 2, then golden section. */
static double search(struct sure *s, double start)
{
	const double golden = 0.6180339887498949;
	double a = log(start), fa = estimate(s, start), b = a + log(2.), fb = estimate(s, exp(b));

	if (fb > fa) { // downhill is the other way
		double t = a;

		a = b;
		b = t;
		t = fa;
		fa = fb;
		fb = t;
	}

	double c = b + (b - a), fc = estimate(s, exp(c));

	for (int k = 0; k < HALVINGS && fc < fb; k++) {
		const double next = c + (c - b);

		a = b;
		b = c;
		fb = fc;
		c = next;
		fc = estimate(s, exp(c));
	}

	double lo = fmin(a, c), hi = fmax(a, c), left = hi - golden * (hi - lo),
	       right = lo + golden * (hi - lo);
	double fl = estimate(s, exp(left)), fr = estimate(s, exp(right));

	while (hi - lo > accuracy && s->trials < TRIALS) {
		if (fl < fr) {
			hi = right;
			right = left;
			fr = fl;
			left = hi - golden * (hi - lo);
			fl = estimate(s, exp(left));
		} else {
			lo = left;
			left = right;
			fl = fr;
			right = lo + golden * (hi - lo);
			fr = estimate(s, exp(right));
		}
	}

	int best = 0;

	for (int k = 1; k < s->trials; k++)
		best = (s->risk[k] < s->risk[best]) ? k : best;

	return s->gamma[best];
}

/* ---- the curve ----------------------------------------------------------- */

static void sort(struct sure *s)
{
	for (int i = 1; i < s->trials; i++)
		for (int k = i; k > 0 && s->gamma[k] < s->gamma[k - 1]; k--) {
			const double g = s->gamma[k], r = s->risk[k];

			s->gamma[k] = s->gamma[k - 1];
			s->risk[k] = s->risk[k - 1];
			s->gamma[k - 1] = g;
			s->risk[k - 1] = r;
		}
}

static void write_curve(struct sure *s, double chosen, const char *path)
{
	double error_of[TRIALS], least = INFINITY;

	sort(s);

	for (int k = 0; k < s->trials; k++) {
		error_of[k] = sqrt(fmax(s->risk[k], 0.));
		least = fmin(least, error_of[k]);
	}

	if (canvas_knows(path)) {
		const struct plot_curve curve = {.n = s->trials, .x = s->gamma, .y = error_of, .dots = true};
		struct plot p = plot_default();

		p.xname = "strength";
		p.yname = "estimated error per element";
		p.xlog = true;
		p.n = 1;
		p.curve = &curve;
		p.mark[0] = chosen;
		p.mark[1] = least;
		plot_write(&p, path);
		return;
	}

	struct file_out *f = file_create(path);

	fprintf(file_stream(f), "lambda,error\n");

	for (int k = 0; k < s->trials; k++)
		fprintf(file_stream(f), "%.9g,%.9g\n", s->gamma[k], error_of[k]);

	file_commit(f);
}

/** A part, on the device in use or not. */
static void *room(const struct sure *s, bool there)
{
	const size_t size = dtype_size(s->type);

	return there ? device_alloc((size_t)s->n * size) : md_alloc(1, &s->n, size);
}

double sure_choose(
        const struct functional *g, struct cfl *x, bool there, double sigma, double start, const char *curve)
{
	const enum dtype type = functional_type(g);
	const long n = functional_size(g);
	struct sure s = {.g = g,
	        .x = x,
	        .sigma = sigma,
	        .type = type,
	        .real = dtype_real(type),
	        .n = n,
	        .numbers = dtype_is_complex(type) ? 2 * n : n,
	        .part = -1};

	s.y = room(&s, there);
	s.b = room(&s, there);
	s.moved = room(&s, there);
	s.fy = room(&s, there);
	s.fmoved = room(&s, there);
	progress_start("choosing the strength", 16);

	const double gamma = search(&s, start);

	progress_end();

	if (NULL != curve)
		write_curve(&s, gamma, curve);

	md_free(s.y);
	md_free(s.b);
	md_free(s.moved);
	md_free(s.fy);
	md_free(s.fmoved);

	return gamma;
}
