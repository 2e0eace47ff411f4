#include "iter/sure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "iter/fold.h"
#include "misc/canvas.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/plot.h"
#include "misc/progress.h"
#include "num/convert.h"
#include "num/flpmath.h"
#include "num/rand.h"

enum { TRIALS = 64, HALVINGS = 12, SEED = 1 };

static const double step = 0.1;      // e over sigma
static const double accuracy = 0.05; // of gamma

struct sure {
	const struct functional *g;
	struct cfl *x;
	double sigma;
	enum dtype type;
	long n, numbers; // elements of a part; numbers in it
	void *y, *moved, *fy, *fmoved;
	int trials;
	double gamma[TRIALS], risk[TRIALS];
};

/* What a pass over the numbers of a part does: moved = y + e b, or sums |y - fy|^2 and <b, fmoved - fy>. */
struct pass {
	const struct sure *s;
	long part;
	bool moves;
};

static double sign(long i)
{
	return rand_uniform(SEED, (uint64_t)i) < 0.5 ? -1. : 1.;
}

static double get(const struct sure *s, const void *v, long i)
{
	return (DT_FLOAT32 == dtype_real(s->type)) ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

static void block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	const struct sure *s = p->s;

	for (long i = first; i < first + n; i++) {
		const double b = sign(p->part * s->numbers + i), y = get(s, s->y, i);

		if (p->moves) {
			const double v = y + step * s->sigma * b;

			if (DT_FLOAT32 == dtype_real(s->type))
				((float *)s->moved)[i] = (float)v;
			else
				((double *)s->moved)[i] = v;
		} else {
			const double f = get(s, s->fy, i);

			sum[0] += (y - f) * (y - f);
			sum[1] += b * (get(s, s->fmoved, i) - f);
		}
	}
}

static double estimate(struct sure *s, double gamma)
{
	const long parts = s->x->count / s->n;
	const double N = (double)parts * (double)s->numbers, s2 = s->sigma * s->sigma;
	const char *data = cfl_map(s->x);
	double misfit = 0., spread = 0., sum[FOLD_SUMS];

	for (long k = 0; k < parts; k++) {
		convert(s->type, s->y, s->x->hdr.type, data + k * s->n * (long)dtype_size(s->x->hdr.type),
		        s->n, NARROW_SATURATE);
		fold(s->numbers, block, &(struct pass){s, k, true}, sum);
		functional_prox(s->g, gamma, s->fy, s->y);
		functional_prox(s->g, gamma, s->fmoved, s->moved);
		fold(s->numbers, block, &(struct pass){s, k, false}, sum);
		misfit += sum[0];
		spread += sum[1];
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

double sure_choose(const struct functional *g, struct cfl *x, double sigma, double start, const char *curve)
{
	const enum dtype type = functional_type(g);
	const long n = functional_size(g);
	const size_t size = dtype_size(type);
	struct sure s = {.g = g,
	        .x = x,
	        .sigma = sigma,
	        .type = type,
	        .n = n,
	        .numbers = dtype_is_complex(type) ? 2 * n : n,
	        .y = md_alloc(1, &n, size),
	        .moved = md_alloc(1, &n, size),
	        .fy = md_alloc(1, &n, size),
	        .fmoved = md_alloc(1, &n, size)};

	progress_start("choosing the strength", 16);

	const double gamma = search(&s, start);

	progress_end();

	if (NULL != curve)
		write_curve(&s, gamma, curve);

	md_free(s.y);
	md_free(s.moved);
	md_free(s.fy);
	md_free(s.fmoved);

	return gamma;
}
