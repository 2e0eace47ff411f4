/* Edge-preserving filters, by expressions of neighbours (doc/neighbourhoods.md). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/denoise/denoisers.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/expr/expr.h"
#include "num/expr/iterate.h"
#include "num/md/multind.h"

/** The dims that an expression takes neighbours along. */
enum { AXES = 3 };

struct edges {
	enum dtype type;
	long dims[DIMS], strs[DIMS]; // the coupled ones first, three of them at the least
	int coupled;
	struct edges_conf conf;
};

static struct array *view(const struct edges *m, const void *data)
{
	return array_borrow(m->type, DIMS, m->dims, m->strs, (void *)data);
}

/** The text for values that differ by s. */
static char *text_of(const struct edges *m, double s)
{
	double w[AXES] = {0};

	if (0 < m->conf.steps)
		return mem_printf("v + %.17g*perona_malik(v, %.17g)", 0.5 / (m->coupled + 1), s);

	for (int d = 0; d < m->coupled; d++)
		w[d] = m->conf.width;

	return mem_printf("bilateral(v, %.17g, %.17g:%.17g:%.17g)", s, w[0], w[1], w[2]);
}

/** The weights divide by the square of the difference of values, which must not become 0 or infinite. */
static void check_difference(enum dtype type, double s)
{
	const double least = (DT_FLOAT32 == type) ? 1e-18 : 1e-150;

	if (!(least <= s))
		error("strength times noise is %g, too small for %s (scale the values)", s, dtype_name(type));
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct edges *m = self;
	const double s = m->conf.strength * m->conf.sigma * sqrt(gamma);
	const struct array_rules rules = array_default;
	struct array *out = view(m, dst), *in = view(m, src);
	const struct array *from[] = {in};
	struct expr_error err;
	struct expr_operand o;

	check_difference(m->type, s);

	char *text = text_of(m, s);
	struct expr *e = expr_parse(text, &err);

	if (NULL == e)
		error("%s: %s", text, err.text);

	expr_operand_of(&o, in);

	if (0 < m->conf.steps) {
		expr_iterate(e, 0, m->conf.steps, 0, 0, rules, &o, out, from, NULL);
	} else {
		struct expr_plan *p = expr_bind(e, &o, rules);

		expr_run(p, &out, from);
		expr_plan_free(p);
	}

	expr_free(e);
	free(text);
	array_free(out);
	array_free(in);
}

static void destroy(void *self)
{
	free(self);
}

/** The dims in the order of an expression. */
static void order_dims(struct edges *m, const long dims[DIMS], unsigned long flags)
{
	long strs[DIMS];
	int k = 0;

	md_calc_strides(DIMS, strs, dims, dtype_size(m->type));
	md_singleton_dims(DIMS, m->dims);

	for (int d = 0; d < DIMS; d++)
		if ((flags & 1ul << d) && 1 < dims[d]) {
			if (AXES == k)
				error("this method supports at most 3 dimensions");

			m->dims[k] = dims[d];
			m->strs[k++] = strs[d];
		}

	m->coupled = k;
	k = AXES;

	for (int d = 0; d < DIMS; d++)
		if (1 < dims[d] && !(flags & 1ul << d)) {
			if (DIMS == k)
				error("the array has more than %d dimensions", DIMS - AXES);

			m->dims[k] = dims[d];
			m->strs[k++] = strs[d];
		}
}

static struct functional *create(const struct functional_ops *ops, enum dtype type, int D, const long dims[],
        const struct edges_conf *conf)
{
	if (dtype_is_complex(type))
		error("%s has type %s, expected a real type", ops->name, dtype_name(type));

	struct edges *m = NEW(struct edges);
	struct functional *g = functional_create(ops, m, type, D, dims);

	*m = (struct edges){.type = type, .conf = *conf};
	order_dims(m, functional_dims(g), conf->flags);

	return g;
}

struct functional *functional_bilateral_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf)
{
	static const struct functional_ops ops = {.name = "bilateral", .prox = prox, .destroy = destroy};
	struct edges_conf c = *conf;

	c.steps = 0;

	return create(&ops, type, D, dims, &c);
}

struct functional *functional_diffusion_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf)
{
	static const struct functional_ops ops = {.name = "diffusion", .prox = prox, .destroy = destroy};

	return create(&ops, type, D, dims, conf);
}
