/* Functionals of functionals, by the rules of proximal calculus [1].
 *
 * [1] N. Parikh, S. Boyd, Proximal algorithms, Foundations and Trends in Optimization 1, 2014, section 2. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "iter/functional/functionals.h"

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/** f(x) = a g(c (x - t)) + q/2 |x - y|^2 + Re <u, x>, of which each constructor sets some. */
struct composed {
	struct functional_ops ops;
	const struct functional *g;
	double a, c, q;
	const void *t, *y, *u;
	enum dtype type;
	long n;
	struct scratch arg, copy;
};

/** dst = c (x - t); dst may be x. */
static const void *argument(const struct composed *f, void *dst, const void *x)
{
	if (NULL != f->t)
		vec_axpby(f->type, f->n, dst, f->c, x, -f->c, f->t);
	else if (1. != f->c && dst == x)
		vec_scale(f->type, f->n, dst, f->c);
	else if (1. != f->c || dst != x) {
		vec_copy(f->type, f->n, dst, x);

		if (1. != f->c)
			vec_scale(f->type, f->n, dst, f->c);
	}

	return dst;
}

static bool is_shifted(const struct composed *f)
{
	return NULL != f->t || 1. != f->c;
}

/** Memory that a call may use is no part of the functional's value. */
static void *memory(const struct scratch *s, const struct composed *f, const void *ref)
{
	return scratch_get((struct scratch *)s, f->type, f->n, ref);
}

static double value(const void *self, const void *x)
{
	const struct composed *f = self;
	const void *at = is_shifted(f) ? argument(f, memory(&f->arg, f, x), x) : x;
	double v = (0. == f->a) ? 0. : f->a * functional_value(f->g, at);

	if (0. < f->q) {
		double r = vec_norm(f->type, f->n, x);

		if (NULL != f->y) {
			void *d = memory(&f->arg, f, x);

			vec_axpby(f->type, f->n, d, 1., x, -1., f->y);
			r = vec_norm(f->type, f->n, d);
		}

		v += .5 * f->q * r * r;
	}

	return (NULL == f->u) ? v : v + vec_dot(f->type, f->n, x, f->u);
}

/** Of what is multiples of g at multiples of x alone. */
static void value_to(const void *self, double *out, const void *x)
{
	const struct composed *f = self;
	const void *at = is_shifted(f) ? argument(f, memory(&f->arg, f, x), x) : x;

	functional_value_to(f->g, out, at);
	vec_scale(DT_FLOAT64, 1, out, f->a);
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct composed *f = self;
	const double shrink = 1. / (1. + gamma * f->q);

	if (dst != src)
		vec_copy(f->type, f->n, dst, src);

	if (NULL != f->u)
		vec_axpy(f->type, f->n, dst, -gamma, f->u);

	if (NULL != f->y)
		vec_axpy(f->type, f->n, dst, gamma * f->q, f->y);

	if (1. != shrink)
		vec_scale(f->type, f->n, dst, shrink);

	argument(f, dst, dst);

	const double inner = gamma * shrink * f->a * f->c * f->c;

	if (0. < inner)
		functional_prox(f->g, inner, dst, dst);

	if (1. != f->c)
		vec_scale(f->type, f->n, dst, 1. / f->c);

	if (NULL != f->t)
		vec_axpy(f->type, f->n, dst, 1., f->t);
}

/** Of multiples of g. */
static void prox_conjugate(const void *self, double factor, double sigma, void *dst, const void *src)
{
	const struct composed *f = self;

	functional_prox_conjugate_scaled(f->g, factor * f->a, sigma, dst, src);
}

/** Of multiples of g(c (x - t)): that of g at p / c, and <p, t>. */
static double conjugate(const void *self, double factor, const void *p)
{
	const struct composed *f = self;
	const void *at = p;

	if (1. != f->c) {
		void *divided = memory(&f->copy, f, p);

		vec_axpby(f->type, f->n, divided, 1. / f->c, p, 0., p);
		at = divided;
	}

	return functional_conjugate_scaled(f->g, factor * f->a, at) +
	       ((NULL == f->t) ? 0. : vec_dot(f->type, f->n, p, f->t));
}

static void prox_each(const void *self, double factor, const void *gamma, void *dst, const void *src)
{
	const struct composed *f = self;

	functional_prox_each_scaled(f->g, factor * f->a, gamma, dst, src);
}

static bool bounds(const void *self, double *lo, double *hi)
{
	return functional_is_bounds(((const struct composed *)self)->g, lo, hi);
}

static bool lengths(const void *self, struct functional_lengths *l)
{
	const struct composed *f = self;
	const bool is = functional_is_lengths(f->g, l);

	l->factor *= f->a;

	return is;
}

/** f is a g, a > 0. */
static bool is_multiple(const struct composed *f)
{
	return 0. < f->a && 1. == f->c && 0. == f->q && NULL == f->t && NULL == f->u;
}

static void gradient(const void *self, void *dst, const void *src)
{
	const struct composed *f = self;
	const void *x = src;

	if (dst == src && 0. < f->q) {
		void *copy = memory(&f->copy, f, src);

		vec_copy(f->type, f->n, copy, src);
		x = copy;
	}

	if (is_shifted(f))
		functional_gradient(f->g, dst, argument(f, dst, x));
	else
		functional_gradient(f->g, dst, x);

	if (1. != f->a * f->c)
		vec_scale(f->type, f->n, dst, f->a * f->c);

	if (0. < f->q)
		vec_axpy(f->type, f->n, dst, f->q, x);

	if (NULL != f->y)
		vec_axpy(f->type, f->n, dst, -f->q, f->y);

	if (NULL != f->u)
		vec_axpy(f->type, f->n, dst, 1., f->u);
}

static double lipschitz(const void *self)
{
	const struct composed *f = self;

	return f->q + ((0. == f->a) ? 0. : f->a * f->c * f->c * functional_lipschitz(f->g));
}

static void curvature(const void *self, void *dst, const void *src)
{
	const struct composed *f = self;
	const enum dtype real = dtype_real(f->type);
	const void *x = is_shifted(f) ? argument(f, memory(&f->arg, f, src), src) : src;

	functional_curvature(f->g, dst, x);
	vec_scale(real, f->n, dst, f->a * f->c * f->c);

	if (0. < f->q) {
		long strs[1];

		md_calc_strides(1, strs, &f->n, dtype_size(real));
		md_sadd_t(real, 1, &f->n, strs, dst, strs, dst, f->q);
	}
}

static void *state(void *self, long *bytes)
{
	return functional_state(((struct composed *)self)->g, bytes);
}

/** Arrays that are given lie on the host. */
static bool anywhere(const void *self)
{
	const struct composed *f = self;

	return NULL == f->t && NULL == f->y && NULL == f->u && functional_is_anywhere(f->g);
}

static long bytes_kept(const void *self)
{
	const struct composed *f = self;

	return functional_memory(f->g) + (is_shifted(f) ? f->n * (long)dtype_size(f->type) : 0);
}

static void destroy(void *self)
{
	struct composed *f = self;

	functional_free(f->g);
	scratch_free(&f->arg);
	scratch_free(&f->copy);
	free(f);
}

static struct functional *create(const char *name, const struct functional *g, struct composed model)
{
	struct composed *f = NEW(struct composed);

	*f = model;
	f->g = functional_ref(g);
	f->type = functional_type(g);
	f->n = functional_size(g);
	f->ops = (struct functional_ops){
	        .name = name,
	        .value = functional_has_value(g) ? value : NULL,
	        .value_to = (0. < model.a && 0. == model.q && NULL == model.u) ? value_to : NULL,
	        .prox = functional_has_prox(g) ? prox : NULL,
	        .prox_conjugate = (functional_has_prox(g) && is_multiple(&model)) ? prox_conjugate : NULL,
	        .conjugate = (0. < model.a && 0. == model.q && NULL == model.u) ? conjugate : NULL,
	        .prox_each = (functional_has_prox_each(g) && is_multiple(&model)) ? prox_each : NULL,
	        .bounds = is_multiple(&model) ? bounds : NULL,
	        .lengths = is_multiple(&model) ? lengths : NULL,
	        .any_step = functional_takes_any_step(g) && is_multiple(&model),
	        .gradient = functional_is_smooth(g) ? gradient : NULL,
	        .lipschitz = functional_is_smooth(g) ? lipschitz : NULL,
	        .curvature = functional_has_curvature(g) ? curvature : NULL,
	        .state = state,
	        .memory = bytes_kept,
	        .anywhere = anywhere,
	        .destroy = destroy,
	};

	return functional_create(&f->ops, f, f->type, DIMS, functional_dims(g));
}

struct functional *functional_scale_create(double a, const struct functional *g)
{
	if (!(a >= 0. && a < INFINITY))
		error("%s is multiplied by %g, expected a factor of at least 0", functional_name(g), a);

	return create(functional_name(g), g, (struct composed){.a = a, .c = 1.});
}

struct functional *functional_dilate_create(double a, const struct functional *g)
{
	if (!(fabs(a) > 0. && fabs(a) < INFINITY))
		error("the argument of %s is multiplied by %g, expected a factor other than 0",
		        functional_name(g), a);

	return create(functional_name(g), g, (struct composed){.a = 1., .c = a});
}

struct functional *functional_translate_create(const struct functional *g, const void *t)
{
	return create(functional_name(g), g, (struct composed){.a = 1., .c = 1., .t = t});
}

struct functional *functional_quadratic_create(const struct functional *g, double a, const void *y)
{
	if (!(a >= 0. && a < INFINITY))
		error("%s: the factor of the added quadratic is %g, expected at least 0", functional_name(g),
		        a);

	return create("quadratic", g, (struct composed){.a = 1., .c = 1., .q = a, .y = y});
}

struct functional *functional_tilt_create(const struct functional *g, const void *u)
{
	return create("tilt", g, (struct composed){.a = 1., .c = 1., .u = u});
}
