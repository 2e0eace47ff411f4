/* Separable sums over the parts of one vector. */

#include <math.h>
#include <stdlib.h>

#include "iter/functional/functionals.h"

#include "misc/error.h"
#include "misc/mem.h"

struct stack {
	struct functional_ops ops;
	int n;
	const struct functional **g;
	long step; // bytes of an element, and of a real one
	long real;
};

static long next(const struct stack *s, int i, long step)
{
	return functional_size(s->g[i]) * step;
}

static double value(const void *self, const void *x)
{
	const struct stack *s = self;
	const char *p = x;
	double sum = 0.;

	for (int i = 0; i < s->n; p += next(s, i++, s->step))
		sum += functional_value(s->g[i], p);

	return sum;
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct stack *s = self;
	const char *p = src;
	char *q = dst;

	for (int i = 0; i < s->n; p += next(s, i, s->step), q += next(s, i, s->step), i++)
		functional_prox(s->g[i], gamma, q, p);
}

static void gradient(const void *self, void *dst, const void *src)
{
	const struct stack *s = self;
	const char *p = src;
	char *q = dst;

	for (int i = 0; i < s->n; p += next(s, i, s->step), q += next(s, i, s->step), i++)
		functional_gradient(s->g[i], q, p);
}

static void curvature(const void *self, void *dst, const void *src)
{
	const struct stack *s = self;
	const char *p = src;
	char *q = dst;

	for (int i = 0; i < s->n; p += next(s, i, s->step), q += next(s, i, s->real), i++)
		functional_curvature(s->g[i], q, p);
}

static double lipschitz(const void *self)
{
	const struct stack *s = self;
	double most = 0.;

	for (int i = 0; i < s->n; i++)
		most = fmax(most, functional_lipschitz(s->g[i]));

	return most;
}

static void destroy(void *self)
{
	struct stack *s = self;

	for (int i = 0; i < s->n; i++)
		functional_free(s->g[i]);

	free(s->g);
	free(s);
}

static bool all(int n, const struct functional *const g[], bool (*has)(const struct functional *g))
{
	for (int i = 0; i < n; i++)
		if (!has(g[i]))
			return false;

	return true;
}

struct functional *functional_stack_create(int n, const struct functional *const g[])
{
	if (n < 1)
		error("a stack has %d functionals, expected at least one", n);

	struct stack *s = NEW(struct stack);
	const enum dtype type = functional_type(g[0]);
	const bool smooth = all(n, g, functional_is_smooth);
	long size = 0;

	*s = (struct stack){
	        .ops = {.name = "stack",
	                .value = all(n, g, functional_has_value) ? value : NULL,
	                .prox = all(n, g, functional_has_prox) ? prox : NULL,
	                .gradient = smooth ? gradient : NULL,
	                .lipschitz = smooth ? lipschitz : NULL,
	                .curvature = all(n, g, functional_has_curvature) ? curvature : NULL,
	                .destroy = destroy},
	        .n = n,
	        .g = mem_calloc((size_t)n, sizeof *s->g),
	        .step = (long)dtype_size(type),
	        .real = (long)dtype_size(dtype_real(type)),
	};

	for (int i = 0; i < n; i++) {
		if (type != functional_type(g[i]))
			error("a stack has functionals of types %s and %s, expected one type",
			        dtype_name(type), dtype_name(functional_type(g[i])));

		s->g[i] = functional_ref(g[i]);
		size = add_checked(size, functional_size(g[i]), "the argument of stacked functionals");
	}

	return functional_create(&s->ops, s, type, 1, &size);
}
