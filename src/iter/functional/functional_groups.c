/* Norms of groups of elements, and balls of them. */

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "iter/functional/functionals.h"

#include "iter/step/groups.h"
#include "misc/error.h"
#include "misc/mem.h"

struct grouped {
	struct groups groups;
	unsigned long flags;
	double radius; // of balls
};

static double l21_value(const void *self, const void *x)
{
	return groups_sum(&((const struct grouped *)self)->groups, GROUPS_NORM, 0., x);
}

static void l21_value_to(const void *self, double *out, const void *x)
{
	groups_sum_to(&((const struct grouped *)self)->groups, GROUPS_NORM, 0., x, out);
}

static void l21_prox(const void *self, double gamma, void *dst, const void *src)
{
	groups_scale(&((const struct grouped *)self)->groups, GROUPS_SHRINK, gamma, dst, src);
}

/** The conjugate is 0 in the ball of that radius, whatever the step. */
static void l21_prox_conjugate(const void *self, double factor, double sigma, void *dst, const void *src)
{
	(void)sigma;
	groups_scale(&((const struct grouped *)self)->groups, GROUPS_PROJECT, factor, dst, src);
}

/** 0 in that ball, with room for roundings. */
static double l21_conjugate(const void *self, double factor, const void *p)
{
	return groups_sum(&((const struct grouped *)self)->groups, GROUPS_ESCAPE, factor * (1. + 1e-5), p);
}

static bool l21_lengths(const void *self, struct functional_lengths *l)
{
	*l = (struct functional_lengths){.factor = 1., .flags = ((const struct grouped *)self)->flags};

	return true;
}

static double ball_value(const void *self, const void *x)
{
	const struct grouped *g = self;
	const double eps = (DT_FLOAT32 == g->groups.real) ? FLT_EPSILON : DBL_EPSILON;

	// what lies outside by more than roundings of the type counts
	return groups_sum(&g->groups, GROUPS_ESCAPE, g->radius * (1. + 8. * eps), x);
}

static void ball_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct grouped *g = self;

	(void)gamma;
	groups_scale(&g->groups, GROUPS_PROJECT, g->radius, dst, src);
}

static struct functional *create(const struct functional_ops *ops, enum dtype type, int D, const long dims[],
        unsigned long flags, double radius)
{
	if (!(radius >= 0. && radius < INFINITY))
		error("%s has radius %g, expected at least 0", ops->name, radius);

	if (D < DIMS && 0 != flags >> D)
		error("%s: bit mask 0x%lx contains dimensions beyond the %d dimensions of the array",
		        ops->name, flags, D);

	struct grouped *g = NEW(struct grouped);
	struct functional *f = functional_create(ops, g, type, D, dims);

	g->flags = flags;
	g->radius = radius;
	groups_init(&g->groups, type, DIMS, functional_dims(f), flags);

	return f;
}

struct functional *functional_l21_create(enum dtype type, int D, const long dims[], unsigned long flags)
{
	static const struct functional_ops ops = {.name = "l21",
	        .value = l21_value,
	        .value_to = l21_value_to,
	        .prox = l21_prox,
	        .prox_conjugate = l21_prox_conjugate,
	        .conjugate = l21_conjugate,
	        .lengths = l21_lengths,
	        .anywhere = functional_always,
	        .destroy = free};

	return create(&ops, type, D, dims, flags, 0.);
}

struct functional *functional_group_ball_create(
        enum dtype type, int D, const long dims[], unsigned long flags, double radius)
{
	static const struct functional_ops ops = {.name = "group ball",
	        .value = ball_value,
	        .prox = ball_prox,
	        .anywhere = functional_always,
	        .destroy = free};

	return create(&ops, type, D, dims, flags, radius);
}
