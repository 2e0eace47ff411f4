#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "iter/functional.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/flpmath.h"

struct functional {
	const struct functional_ops *ops;
	void *self;
	enum dtype type;
	long dims[DIMS];
	long size;
	atomic_long *refs;
};

struct functional *functional_create(
        const struct functional_ops *ops, void *self, enum dtype type, int D, const long dims[])
{
	if (type != dtype_compute(type))
		error("functional %s of type %s, expected float32, float64, complex64 or complex128",
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

double functional_value(const struct functional *g, const void *x)
{
	return (NULL == g->ops->value) ? NAN : g->ops->value(g->self, x);
}

void functional_prox(const struct functional *g, double gamma, void *dst, const void *src)
{
	assert(NULL != g->ops->prox && 0 < gamma);
	g->ops->prox(g->self, gamma, dst, src);
}

void functional_prox_conjugate(const struct functional *g, double sigma, void *dst, const void *src)
{
	assert(dst != src);
	vec_copy(g->type, g->size, dst, src);
	vec_scale(g->type, g->size, dst, 1. / sigma);
	functional_prox(g, 1. / sigma, dst, dst);
	vec_axpby(g->type, g->size, dst, 1., src, -sigma, dst);
}

void functional_gradient(const struct functional *g, void *dst, const void *src)
{
	assert(NULL != g->ops->gradient);
	g->ops->gradient(g->self, dst, src);
}

double functional_lipschitz(const struct functional *g)
{
	return (NULL == g->ops->lipschitz) ? INFINITY : g->ops->lipschitz(g->self);
}

void functional_curvature(const struct functional *g, void *dst, const void *src)
{
	assert(NULL != g->ops->curvature);
	g->ops->curvature(g->self, dst, src);
}

void functional_second(const struct functional *g, void *dst, const void *src)
{
	assert(NULL != g->ops->second);
	g->ops->second(g->self, dst, src);
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
