#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "iter/functional/functional.h"
#include "misc/error.h"
#include "linops/scratch.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/distributed.h"
#include "num/md/flpmath.h"
#include "num/array/place.h"

struct functional {
	const struct functional_ops *ops;
	void *self;
	enum dtype type;
	long dims[DIMS];
	long size;
	struct scratch *apart; // operand and result of what does not work on a device
	atomic_long *refs;
};

enum { IN, OUT, SCRATCHES };

struct functional *functional_create(
        const struct functional_ops *ops, void *self, enum dtype type, int D, const long dims[])
{
	if (type != dtype_compute(type))
		error("functional %s has type %s, expected float32, float64, complex64 or complex128",
		        ops->name, dtype_name(type));

	struct functional *g = NEW(struct functional);

	g->ops = ops;
	g->self = self;
	g->type = type;
	g->size = 1;

	for (int i = 0; i < DIMS; i++) {
		g->dims[i] = (i < D) ? dims[i] : 1;
		g->size = mul_checked(g->size, g->dims[i], "the argument of a functional");
	}

	g->apart = mem_calloc(SCRATCHES, sizeof *g->apart);
	g->refs = NEW(atomic_long);
	atomic_init(g->refs, 1);

	return g;
}

struct functional *functional_ref(const struct functional *g)
{
	atomic_fetch_add(g->refs, 1);

	return (struct functional *)g;
}

void functional_free(const struct functional *g)
{
	if (NULL == g || 1 < atomic_fetch_sub(g->refs, 1))
		return;

	if (NULL != g->ops->destroy)
		g->ops->destroy(g->self);

	for (int i = 0; i < SCRATCHES; i++)
		scratch_free(&g->apart[i]);

	free(g->apart);
	free(g->refs);
	free((struct functional *)g);
}

const char *functional_name(const struct functional *g)
{
	return g->ops->name;
}

enum dtype functional_type(const struct functional *g)
{
	return g->type;
}

const long *functional_dims(const struct functional *g)
{
	return g->dims;
}

long functional_size(const struct functional *g)
{
	return g->size;
}

bool functional_has_prox(const struct functional *g)
{
	return NULL != g->ops->prox;
}

bool functional_has_value(const struct functional *g)
{
	return NULL != g->ops->value;
}

bool functional_is_smooth(const struct functional *g)
{
	return NULL != g->ops->gradient;
}

bool functional_has_second(const struct functional *g)
{
	return NULL != g->ops->second;
}

bool functional_has_curvature(const struct functional *g)
{
	return NULL != g->ops->curvature;
}

bool functional_always(const void *self)
{
	(void)self;

	return true;
}

bool functional_is_anywhere(const struct functional *g)
{
	return NULL != g->ops->anywhere && g->ops->anywhere(g->self);
}

/** Ends the command: an operand is on a device that the functional does not support. */
static bool is_apart(const struct functional *g, const void *x)
{
	return device_holds(x) && !functional_is_anywhere(g);
}

/** The operand on the host. */
static void *cross(const struct functional *g, const void *x)
{
	void *here = scratch_get(&g->apart[IN], g->type, g->size, NULL);

	device_copy(here, x, (size_t)g->size * dtype_size(g->type));

	return here;
}

/** Room for a result of that type there. */
static void *room(const struct functional *g, enum dtype type)
{
	return scratch_get(&g->apart[OUT], type, g->size, NULL);
}

static void cross_back(const struct functional *g, enum dtype type, void *dst)
{
	device_copy(dst, g->apart[OUT].p, (size_t)g->size * dtype_size(type));
}

double functional_value(const struct functional *g, const void *x)
{
	if (NULL == g->ops->value)
		return NAN;

	return g->ops->value(g->self, is_apart(g, x) ? cross(g, x) : x);
}

void functional_value_to(const struct functional *g, double *out, const void *x)
{
	if (device_holds(x) && NULL != g->ops->value_to && functional_is_anywhere(g))
		g->ops->value_to(g->self, out, x);
	else
		number_put(out, functional_value(g, x));
}

void functional_prox(const struct functional *g, double gamma, void *dst, const void *src)
{
	assert(NULL != g->ops->prox && 0 < gamma);

	if (is_apart(g, src)) {
		g->ops->prox(g->self, gamma, room(g, g->type), cross(g, src));
		cross_back(g, g->type, dst);
	} else {
		g->ops->prox(g->self, gamma, dst, src);
	}
}

typedef void map_fn(const void *self, void *dst, const void *src);

/** One of gradient, curvature and second, whose result is of that type. */
static void map(const struct functional *g, map_fn *fn, enum dtype type, void *dst, const void *src)
{
	assert(NULL != fn);

	if (is_apart(g, src)) {
		fn(g->self, room(g, type), cross(g, src));
		cross_back(g, type, dst);
	} else {
		fn(g->self, dst, src);
	}
}

void functional_prox_conjugate_scaled(
        const struct functional *g, double factor, double sigma, void *dst, const void *src)
{
	assert(dst != src && 0. < factor);

	if (NULL != g->ops->prox_conjugate && !is_apart(g, src)) {
		g->ops->prox_conjugate(g->self, factor, sigma, dst, src);
		return;
	}

	vec_axpby(g->type, g->size, dst, 1. / sigma, src, 0., src);
	functional_prox(g, factor / sigma, dst, dst);
	vec_axpby(g->type, g->size, dst, 1., src, -sigma, dst);
}

void functional_prox_conjugate(const struct functional *g, double sigma, void *dst, const void *src)
{
	functional_prox_conjugate_scaled(g, 1., sigma, dst, src);
}

double functional_conjugate_scaled(const struct functional *g, double factor, const void *p)
{
	if (NULL == g->ops->conjugate)
		return NAN;

	return g->ops->conjugate(g->self, factor, device_holds(p) ? cross(g, p) : p);
}

double functional_conjugate(const struct functional *g, const void *p)
{
	return functional_conjugate_scaled(g, 1., p);
}

bool functional_has_prox_each(const struct functional *g)
{
	return NULL != g->ops->prox_each;
}

bool functional_takes_any_step(const struct functional *g)
{
	return g->ops->any_step;
}

bool functional_is_bounds(const struct functional *g, double *lo, double *hi)
{
	return NULL != g->ops->bounds && g->ops->bounds(g->self, lo, hi);
}

bool functional_is_lengths(const struct functional *g, struct functional_lengths *l)
{
	return NULL != g->ops->lengths && g->ops->lengths(g->self, l);
}

void functional_prox_each(const struct functional *g, const void *gamma, void *dst, const void *src)
{
	functional_prox_each_scaled(g, 1., gamma, dst, src);
}

void functional_prox_each_scaled(
        const struct functional *g, double factor, const void *gamma, void *dst, const void *src)
{
	assert(NULL != g->ops->prox_each && 0. < factor);

	const size_t bytes = (size_t)g->size * dtype_size(g->type);
	void *out = place_take(dst, bytes), *in = place_take(src, bytes), *steps = place_take(gamma, bytes);

	g->ops->prox_each(g->self, factor, steps, out, in);
	place_done(steps, gamma);
	place_done(in, src);
	place_back(out, dst, bytes);
}

bool functional_has_steps(const struct functional *g)
{
	return NULL != g->ops->prox_conjugate_each;
}

void functional_prox_conjugate_each(const struct functional *g, const void *sigma, void *dst, const void *src)
{
	assert(NULL != g->ops->prox_conjugate_each);

	const size_t bytes = (size_t)g->size * dtype_size(g->type);
	void *out = place_take(dst, bytes), *in = place_take(src, bytes), *steps = place_take(sigma, bytes);

	g->ops->prox_conjugate_each(g->self, steps, out, in);
	place_done(steps, sigma);
	place_done(in, src);
	place_back(out, dst, bytes);
}

void functional_expected_curvature(const struct functional *g, void *dst)
{
	const size_t bytes = (size_t)g->size * dtype_size(g->type);
	const enum dtype real = dtype_real(g->type);
	const double L = functional_lipschitz(g), curved = (isfinite(L) && L > 0.) ? L : 1.;
	void *out = place_take(dst, bytes);
	long first, end;

	distributed_part(dtype_is_complex(g->type) ? 2 * g->size : g->size, &first, &end);

	const long n = end - first;

	if (NULL != g->ops->expected_curvature)
		g->ops->expected_curvature(g->self, out);
	else if (DT_FLOAT32 == real)
		md_fill(1, &n, (float *)out + first, &(const float){(float)curved}, sizeof(float));
	else
		md_fill(1, &n, (double *)out + first, &curved, sizeof curved);

	place_back(out, dst, bytes);
}

void functional_gradient(const struct functional *g, void *dst, const void *src)
{
	map(g, g->ops->gradient, g->type, dst, src);
}

double functional_lipschitz(const struct functional *g)
{
	return (NULL == g->ops->lipschitz) ? INFINITY : g->ops->lipschitz(g->self);
}

void functional_curvature(const struct functional *g, void *dst, const void *src)
{
	map(g, g->ops->curvature, dtype_real(g->type), dst, src);
}

void functional_second(const struct functional *g, void *dst, const void *src)
{
	map(g, g->ops->second, dtype_real(g->type), dst, src);
}

void *functional_state(const struct functional *g, long *bytes)
{
	*bytes = 0;

	return (NULL == g->ops->state) ? NULL : g->ops->state(g->self, bytes);
}

long functional_memory(const struct functional *g)
{
	return (NULL == g->ops->memory) ? 0 : g->ops->memory(g->self);
}
