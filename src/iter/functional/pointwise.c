#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/functional/pointwise.h"

#include "iter/step/fold.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/kern/convert.h"
#include "num/array/place.h"

enum { POINTS = 1024 }; // of a block: all that a kernel sees stays in the second-level cache

struct pointwise {
	struct functional_ops ops;
	const struct point_kernels *kernels;
	enum dtype type;
	long size;
	double param[POINT_PARAMS];
	double lipschitz; // for weights 1
	const void *y, *b;
	const struct weights *w;
	struct point_data there; // copies on a device, made when they are needed; NULL: not yet
};

enum action {
	VALUE = POINT_VALUE,
	PROX = POINT_PROX,
	GRADIENT = POINT_GRADIENT,
	CURVATURE = POINT_CURVATURE,
	SECOND = POINT_SECOND,
	PROX_EACH, // with a step of each element
	DUAL_EACH, // the same of the conjugate
	EXPECTED,
	CONJUGATE // of gamma g
};

struct pass {
	const struct pointwise *p;
	enum action action;
	double gamma;
	void *dst;
	const void *src;
	const void *steps; // PROX_EACH (times gamma), DUAL_EACH
};

/** Elements first .. first + n - 1 of an array, as float64 numbers or pairs of them. */
static const double *load(const struct pointwise *p, double *buf, const void *array, long first, long n)
{
	if (NULL == array)
		return NULL;

	const enum dtype wide = dtype_is_complex(p->type) ? DT_COMPLEX128 : DT_FLOAT64;

	convert(wide, buf, p->type, (const char *)array + first * (long)dtype_size(p->type), n,
	        NARROW_SATURATE);

	return buf;
}

static void store(const struct pass *a, const struct point_block *k, long first)
{
	enum dtype to = a->p->type, from = (2 == k->parts) ? DT_COMPLEX128 : DT_FLOAT64;

	if (CURVATURE == a->action || SECOND == a->action) {
		to = dtype_real(to);
		from = DT_FLOAT64;
	}

	convert(to, (char *)a->dst + first * (long)dtype_size(to), from, k->x, k->n, NARROW_SATURATE);
}

/** Element by element, x = prox_(gamma s g)(x), or of the conjugate x - s prox_(g / s)(x / s). */
static void step_each(const struct pass *a, const struct point_block *k, long first)
{
	const struct pointwise *p = a->p;
	const bool dual = DUAL_EACH == a->action;
	double buf[2 * POINTS];
	const double *step = load(p, buf, a->steps, first, k->n);

	for (long i = 0; i < k->n; i++) {
		const long at = i * k->parts;
		double old[2];

		if (dual && 0. == step[at]) // of weight 0: p stays
			continue;

		const struct point_block one = {
		        .n = 1,
		        .parts = k->parts,
		        .x = k->x + at,
		        .y = (NULL == k->y) ? NULL : k->y + at,
		        .b = (NULL == k->b) ? NULL : k->b + at,
		        .w = (NULL == k->w) ? NULL : k->w + i,
		};

		for (int c = 0; dual && c < k->parts; c++) {
			old[c] = k->x[at + c];
			k->x[at + c] /= step[at];
		}

		p->kernels->prox(p->param, dual ? 1. / step[at] : a->gamma * step[at], &one);

		for (int c = 0; dual && c < k->parts; c++)
			k->x[at + c] = old[c] - step[at] * k->x[at + c];
	}
}

/** The weights times what g of weights 1 is curved by. */
static void expect(const struct pointwise *p, const struct point_block *k)
{
	const double one = isfinite(p->lipschitz) ? p->lipschitz : 1.;

	for (long i = 0; i < k->n; i++)
		for (int c = 0; c < k->parts; c++)
			k->x[i * k->parts + c] = (NULL == k->w) ? one : one * k->w[i];
}

static void points(const struct pass *a, long first, long n, double *sum)
{
	const struct pointwise *p = a->p;
	double x[2 * POINTS], y[2 * POINTS], b[2 * POINTS], w[POINTS];
	const struct point_block k = {
	        .n = n,
	        .parts = dtype_is_complex(p->type) ? 2 : 1,
	        .x = x,
	        .y = load(p, y, p->y, first, n),
	        .b = load(p, b, p->b, first, n),
	        .w = (NULL == p->w) ? NULL : w,
	};

	if (EXPECTED != a->action)
		load(p, x, a->src, first, n);

	if (NULL != p->w)
		weights_block(p->w, DT_FLOAT64, first, n, w);

	if (VALUE == a->action) {
		*sum += p->kernels->value(p->param, &k);
		return;
	}

	if (CONJUGATE == a->action) {
		for (long i = 0; i < k.parts * n; i++)
			x[i] /= a->gamma;

		*sum += a->gamma * p->kernels->conjugate(p->param, &k);
		return;
	}

	if (PROX == a->action)
		p->kernels->prox(p->param, a->gamma, &k);
	else if (PROX_EACH == a->action || DUAL_EACH == a->action)
		step_each(a, &k, first);
	else if (EXPECTED == a->action)
		(NULL != p->kernels->expected) ? p->kernels->expected(p->param, &k) : expect(p, &k);
	else if (GRADIENT == a->action)
		p->kernels->gradient(p->param, &k);
	else if (CURVATURE == a->action)
		p->kernels->curvature(p->param, &k);
	else
		p->kernels->second(p->param, &k);

	store(a, &k, first);
}

static void block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	for (long at = 0; at < n; at += POINTS)
		points(ctx, first + at, (n - at < POINTS) ? n - at : POINTS, &sum[0]);
}

/** Per-element parameters on the device of the elements; they stay there. */
static const struct point_data *data_there(struct pointwise *p)
{
	const size_t bytes = (size_t)p->size * dtype_size(p->type);

	if (NULL != p->y && NULL == p->there.y)
		p->there.y = place_bring(p->y, bytes);

	if (NULL != p->b && NULL == p->there.b)
		p->there.b = place_bring(p->b, bytes);

	if (NULL != p->w && NULL == p->there.w) {
		double *w = mem_alloc((size_t)p->size * sizeof *w);

		for (long at = 0; at < p->size; at += POINTS)
			weights_block(p->w, DT_FLOAT64, at, (p->size - at < POINTS) ? p->size - at : POINTS,
			        w + at);

		p->there.w = place_bring(w, (size_t)p->size * sizeof *w);
		free(w);
	}

	return &p->there;
}

static void run_there(
        const struct pointwise *p, enum action action, double gamma, void *dst, const void *src, double *sum)
{
	iter_passes_gpu.point(p->kernels->rule, (enum point_action)action, p->param, gamma, p->type, p->size,
	        data_there((struct pointwise *)p), dst, src, sum);
}

static void destroy(void *self)
{
	struct pointwise *p = self;

	device_free((void *)p->there.y);
	device_free((void *)p->there.b);
	device_free((void *)p->there.w);
	free(p);
}

/** Values of what lies on the host only. */
static double pointwise_run(
        const struct pointwise *p, enum action action, double gamma, void *dst, const void *src)
{
	double sum[FOLD_SUMS];

	if (device_holds(src)) {
		run_there(p, action, gamma, dst, src, NULL);
		return 0.;
	}

	fold(p->size, block, &(struct pass){p, action, gamma, dst, src, NULL}, sum);

	return sum[0];
}

static void value_to(const void *self, double *out, const void *x)
{
	run_there(self, VALUE, 0., NULL, x, out);
}

static double value(const void *self, const void *x)
{
	if (!device_holds(x))
		return pointwise_run(self, VALUE, 0., NULL, x);

	double *there = device_alloc(sizeof *there);

	value_to(self, there, x);

	return number_take(there);
}

static double conjugate(const void *self, double factor, const void *x)
{
	return pointwise_run(self, CONJUGATE, factor, NULL, x);
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct pointwise *p = self;

	if (NULL != p->kernels->prox_all)
		p->kernels->prox_all(p->param, gamma, p->type, p->size, dst, src);
	else
		pointwise_run(p, PROX, gamma, dst, src);
}

static void prox_conjugate_each(const void *self, const void *sigma, void *dst, const void *src)
{
	const struct pointwise *p = self;
	double sum[FOLD_SUMS];

	fold(p->size, block, &(struct pass){p, DUAL_EACH, 0., dst, src, sigma}, sum);
}

static void prox_each(const void *self, double factor, const void *gamma, void *dst, const void *src)
{
	const struct pointwise *p = self;
	double sum[FOLD_SUMS];

	fold(p->size, block, &(struct pass){p, PROX_EACH, factor, dst, src, gamma}, sum);
}

static void expected_curvature(const void *self, void *dst)
{
	const struct pointwise *p = self;
	double sum[FOLD_SUMS];

	fold(p->size, block, &(struct pass){.p = p, .action = EXPECTED, .dst = dst}, sum);
}

static void gradient(const void *self, void *dst, const void *src)
{
	pointwise_run(self, GRADIENT, 0., dst, src);
}

static void curvature(const void *self, void *dst, const void *src)
{
	pointwise_run(self, CURVATURE, 0., dst, src);
}

static void second(const void *self, void *dst, const void *src)
{
	pointwise_run(self, SECOND, 0., dst, src);
}

static bool anywhere(const void *self)
{
	return POINT_ELSEWHERE != ((const struct pointwise *)self)->kernels->rule;
}

static bool bounds(const void *self, double *lo, double *hi)
{
	const struct pointwise *p = self;

	if (POINT_BOX != p->kernels->rule)
		return false;

	*lo = p->param[0];
	*hi = p->param[1];

	return true;
}

static bool lengths(const void *self, struct functional_lengths *l)
{
	const struct pointwise *p = self;

	*l = (struct functional_lengths){.factor = 1., .apart = true};

	return POINT_L1 == p->kernels->rule && NULL == p->y && NULL == p->w;
}

/** The largest weight does not depend on the order in which they are looked at. */
static double largest(const struct weights *w, long size)
{
	double most = 0.;

#pragma omp parallel for reduction(max : most) num_threads(threads_for(2. * (double)size))
	for (long first = 0; first < size; first += POINTS) {
		double buf[POINTS];
		const long n = (size - first < POINTS) ? size - first : POINTS;

		weights_block(w, DT_FLOAT64, first, n, buf);

		for (long i = 0; i < n; i++)
			most = (buf[i] > most) ? buf[i] : most;
	}

	return most;
}

static double lipschitz(const void *self)
{
	const struct pointwise *p = self;

	return (NULL == p->w || isinf(p->lipschitz)) ? p->lipschitz : p->lipschitz * largest(p->w, p->size);
}

struct functional *pointwise_create(const struct point_kernels *kernels, enum dtype type, int D,
        const long dims[], const double param[POINT_PARAMS], double lipschitz_of_one, const void *y,
        const void *b, const struct weights *w)
{
	struct pointwise *p = NEW(struct pointwise);

	*p = (struct pointwise){
	        .ops = {.name = kernels->name,
	                .value = value,
	                .value_to = value_to,
	                .prox = (NULL == kernels->prox) ? NULL : prox,
	                .conjugate = (NULL == kernels->conjugate) ? NULL : conjugate,
	                .prox_each = (NULL == kernels->prox) ? NULL : prox_each,
	                .bounds = bounds,
	                .lengths = lengths,
	                .any_step = POINT_BOX == kernels->rule,
	                .prox_conjugate_each = (NULL == kernels->prox) ? NULL : prox_conjugate_each,
	                .expected_curvature = expected_curvature,
	                .gradient = (NULL == kernels->gradient) ? NULL : gradient,
	                .lipschitz = isinf(lipschitz_of_one) ? NULL : lipschitz,
	                .curvature = (NULL == kernels->curvature) ? NULL : curvature,
	                .second = (NULL == kernels->second) ? NULL : second,
	                .anywhere = anywhere,
	                .destroy = destroy},
	        .kernels = kernels,
	        .type = type,
	        .lipschitz = lipschitz_of_one,
	        .y = y,
	        .b = b,
	        .w = w,
	};

	memcpy(p->param, param, sizeof p->param);

	struct functional *g = functional_create(&p->ops, p, type, D, dims);

	p->size = functional_size(g);

	return g;
}
