/** Table 1 of H. Choi et al., Vivaldi: a domain-specific language for volume processing and visualization on
 * distributed heterogeneous systems, IEEE TVCG 20 (2014): Volren, Bilateral, Heatflow, compared with
 * handwritten loops. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/array/array.h"
#include "num/bench/bench.h"
#include "num/expr/expr.h"
#include "num/expr/iterate.h"
#include "num/md/flpmath.h"
#include "volume/render/render.h"
#include "volume/render/ray.h"
#include "volume/render/render_kern.h"

static const char heat_text[] = "v + 0.1*laplacian(v)";

struct work {
	long n[3];
	const struct bench_settings *s;
	float *in, *out, *other;
	struct array *v, *result;
	struct render r;
	struct render_extent *extent;
	uint16_t *balls;
	float *picture, ray[4][3], (*table)[4];
};

/* ---- Bilateral, Heatflow ---- */

static void run_bilateral(void *ctx)
{
	struct work *w = ctx;
	char text[64];

	snprintf(text, sizeof text, "bilateral(v, 0.1, %g)", .5 * (double)w->s->radius);
	expr_eval(text, 1, &w->result, 1, (const char *const[]){"v"}, (const struct array *const[]){w->v},
	        array_default);
}

static void hand_bilateral(void *ctx)
{
	struct work *w = ctx;

	hand_loops()->bilateral(w->out, w->in, w->n, w->s->radius);
}

static void run_heat(void *ctx)
{
	struct work *w = ctx;
	struct expr_error err;
	struct expr *e = expr_parse(heat_text, &err);
	struct expr_operand o;

	expr_resolve(e, 1, (const char *const[]){"v"}, &err);
	expr_operand_of(&o, w->v);
	expr_iterate(e, 0, w->s->steps, 0, 0, array_default, &o, w->result,
	        (const struct array *const[]){w->v}, NULL);
	expr_free(e);
}

static void hand_heat(void *ctx)
{
	struct work *w = ctx;
	const float *from = w->in;

	for (long i = 0; i < w->s->steps; i++) {
		float *to = (w->s->steps - i) % 2 ? w->out : w->other;

		hand_loops()->diffuse(to, from, w->n);
		from = to;
	}
}

static double check_array(void *ctx)
{
	const struct work *w = ctx;

	return vec_norm(DT_FLOAT32, w->n[0] * w->n[1] * w->n[2], w->out);
}

/** updates: taps of a run; 0: not counted. */
static void two(struct bench *b, struct work *w, struct bench_case c, double updates, void (*ours)(void *),
        void (*hand)(void *))
{
	c.hand = 1;
	c.check_ctx = w;
	bench_case(b, &c, 2,
	        (const struct bench_contender[]){
	                {.name = "gantry", .run = ours, .ctx = w, .updates = updates},
	                {.name = "by hand", .run = hand, .ctx = w, .updates = updates}});
}

static void filters(struct bench *b, struct work *w)
{
	const long count = w->n[0] * w->n[1] * w->n[2];
	const long steps = w->s->steps, side = 2 * w->s->radius + 1;
	struct bench_case c = {
	        .name = "Bilateral", .bytes = 8. * (double)count, .check = check_array, .tolerance = 1e-4};

	snprintf(c.shape, sizeof c.shape, "%ld^3 float32, %ld^3 elements each", w->n[0], side);
	two(b, w, c, pow((double)side, 3.) * (double)count, run_bilateral, hand_bilateral);
	c.name = "Heatflow";
	snprintf(c.shape, sizeof c.shape, "%ld^3 float32, %ld steps", w->n[0], steps);
	c.bytes *= (double)steps;
	c.flops = 9. * (double)steps * (double)count;
	two(b, w, c, 0., run_heat, hand_heat);
}

/* ---- Volren ---- */

static void run_volren(void *ctx)
{
	struct work *w = ctx;

	render_run(&w->r, w->extent, w->picture);
}

static void hand_volren(void *ctx)
{
	struct work *w = ctx;

	hand_loops()->volren(w->picture, w->s->picture, (const float(*)[3])w->ray, w->balls, w->n,
	        (const float(*)[4])w->table);
}

static double check_picture(void *ctx)
{
	const struct work *w = ctx;
	double sum = 0.;

	for (long i = 0; i < 4 * w->s->picture[0] * w->s->picture[1]; i++)
		sum += (double)w->picture[i];

	return sum;
}

/* 2 x 2 x 2 balls, brighter towards their middles. */
static void fill(uint16_t *v, const long n[3])
{
	const double period = (double)n[0] / 2.;

#pragma omp parallel for
	for (long z = 0; z < n[2]; z++)
		for (long i = 0; i < n[0] * n[1]; i++) {
			const double x[3] = {(double)(i % n[0]), (double)(i / n[0]), (double)z};
			double square = 0.;

			for (int d = 0; d < 3; d++) {
				const double off = fmod(x[d] + .5, period) / period - .5;

				square += off * off;
			}

			v[z * n[0] * n[1] + i] = (uint16_t)fmax(60000. * (1. - sqrt(square) / .45), 0.);
		}
}

/* Opacity grows linearly from a sixth of the range on; so thin that rays go on for a while. */
static struct transfer *colors(float (**table)[4])
{
	struct transfer *t = transfer_create(TRANSFER_VALUES, 1, 0., 16. * (TRANSFER_VALUES - 1));

	*table = mem_alloc(TRANSFER_VALUES * sizeof **table);

	for (int i = 0; i < TRANSFER_VALUES; i++) {
		const double s = (double)i / (TRANSFER_VALUES - 1);

		transfer_set(t, i, fmax(s - 1. / 6., 0.) / 20., (const double[]){s, .5, 1. - s});
		(*table)[i][3] = t->opacity[i];

		for (int c = 0; c < 3; c++)
			(*table)[i][c] = (float)(t->color[i] >> 10 * c & 1023) / 1023.f;
	}

	return t;
}

/* The rays of the picture as those of the loop. */
static void set_rays(struct work *w)
{
	struct render_view v;
	struct render_ray r;

	render_view_make(&v, &w->r.camera, w->n, w->r.spacing, w->r.step);
	render_view_ray(&v, 0, 0, &r);

	for (int i = 0; i < 3; i++) {
		w->ray[0][i] = r.o[i];
		w->ray[1][i] = (float)v.right[i];
		w->ray[2][i] = (float)v.down[i];
		w->ray[3][i] = r.d[i];
	}
}

static void volren(struct bench *b, struct work *w)
{
	const double n = (double)w->n[0];
	struct transfer *t = colors(&w->table);

	w->r = (struct render){.mode = RENDER_VOLUME,
	        .shade = RENDER_FLAT,
	        .camera = {.azimuth = .5,
	                .elevation = .35,
	                .width = w->s->picture[0],
	                .height = w->s->picture[1],
	                .pixel = sqrt(3.) * n / (double)w->s->picture[1]},
	        .step = 1.,
	        .volumes = 1,
	        .volume = {{"bench", DT_UINT16, w->balls, t}},
	        .memory = 1L << 40};

	for (int i = 0; i < 3; i++) {
		w->r.n[i] = w->n[i];
		w->r.spacing[i] = 1.;
		w->r.clip[i][0] = -.5;
		w->r.clip[i][1] = n - .5;
	}

	fill(w->balls, w->n);
	set_rays(w);
	w->extent = render_extent_create(&w->r);

	struct bench_case c = {.name = "Volren", .check = check_picture, .tolerance = 1e-3};

	snprintf(c.shape, sizeof c.shape, "%ld^3 uint16, %ld x %ld pixels", w->n[0], w->s->picture[0],
	        w->s->picture[1]);
	two(b, w, c, 0., run_volren, hand_volren);
	render_extent_free(w->extent);
	transfer_free(t);
	free(w->table);
}

static void bench_vivaldi_run(struct bench *b, long size)
{
	struct work w = {.n = {size, size, size}, .s = bench_settings(b)};
	const long count = size * size * size, pixels = w.s->picture[0] * w.s->picture[1];
	char what[64];

	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(14. * (double)count + 16. * (double)pixels, what))
		return;

	w.in = bench_random(count, 1);
	w.out = bench_random(count, 2);
	w.other = bench_random(count, 3);
	w.balls = mem_alloc((size_t)count * sizeof *w.balls);
	w.picture = mem_alloc(4 * sizeof *w.picture * (size_t)pixels);
	w.v = array_borrow(DT_FLOAT32, 3, w.n, NULL, w.in);
	w.result = array_borrow(DT_FLOAT32, 3, w.n, NULL, w.out);
	bench_triad(b, count, w.other, w.in, w.in);
	volren(b, &w);
	filters(b, &w);
	array_free(w.v);
	array_free(w.result);
	free(w.in);
	free(w.out);
	free(w.other);
	free(w.balls);
	free(w.picture);
}

const struct bench_suite bench_suite_vivaldi = {
        .name = "vivaldi",
        .about = "volume rendering, bilateral filter and heat flow as in the Vivaldi paper, compared with "
                 "handwritten loops. For the bilateral filter, the unit GUP/s is 1e9 taps per second",
        .sizes = {128, 256},
        .run = bench_vivaldi_run,
};
