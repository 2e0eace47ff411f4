/* Tests for every nonlinear operator. */

#include <math.h>
#include <stdlib.h>

#include "linops/probe.h"
#include "misc/mem.h"
#include "nlops/nlop.h"
#include "num/md/flpmath.h"

/** The operator at a point, to be moved from and come back to. */
struct place {
	const struct nlop *F;
	void *x[NLOP_ARGS];
	void *y[NLOP_ARGS];
};

static void evaluate(struct place *p)
{
	const void *in[NLOP_ARGS];

	for (int i = 0; i < nlop_ins(p->F); i++)
		in[i] = p->x[i];

	nlop_forward(p->F, p->y, in);
}

static void place_init(struct place *p, const struct nlop *F, const void *const x[], unsigned long seed)
{
	const enum dtype t = nlop_type(F);

	*p = (struct place){.F = F};

	for (int i = 0; i < nlop_ins(F); i++) {
		const long n = nlop_in_size(F, i);
		long strs[1];

		p->x[i] = probe_vector(t, n, 100 * seed + (unsigned long)i);
		md_calc_strides(1, strs, &n, dtype_size(t));

		if (NULL != x) {
			vec_copy(t, n, p->x[i], x[i]);
		} else {
			vec_scale(t, n, p->x[i], 0.25);
			md_sadd_t(t, 1, &n, strs, p->x[i], strs, p->x[i], 1.5);
		}
	}

	for (int o = 0; o < nlop_outs(F); o++)
		p->y[o] = mem_alloc((size_t)nlop_out_size(F, o) * dtype_size(t));
}

static void place_free(struct place *p)
{
	for (int k = 0; k < NLOP_ARGS; k++) {
		free(p->x[k]);
		free(p->y[k]);
	}
}

/** (F_o(x + h v) - F_o(x - h v)) / 2h into d. */
static void difference(struct place *p, int o, int i, double h, const void *v, void *d)
{
	const enum dtype t = nlop_type(p->F);
	const long n = nlop_in_size(p->F, i), m = nlop_out_size(p->F, o);
	void *x = mem_alloc((size_t)n * dtype_size(t));

	vec_copy(t, n, x, p->x[i]);
	vec_axpy(t, n, p->x[i], h, v);
	evaluate(p);
	vec_copy(t, m, d, p->y[o]);
	vec_axpby(t, n, p->x[i], 1., x, -h, v);
	evaluate(p);
	vec_axpby(t, m, d, 0.5 / h, d, -0.5 / h, p->y[o]);
	vec_copy(t, n, p->x[i], x);
	free(x);
}

static double derivative_error(struct place *p, int o, int i, const void *v)
{
	const enum dtype t = nlop_type(p->F);
	const long m = nlop_out_size(p->F, o);
	void *d = mem_alloc((size_t)m * dtype_size(t)), *Dv = mem_alloc((size_t)m * dtype_size(t));
	double best = INFINITY;

	evaluate(p);
	nlop_derivative(p->F, o, i, Dv, v);

	const double size = vec_norm(t, m, Dv);

	for (double h = 1e-2; h > 1e-6; h /= 3.) {
		difference(p, o, i, h, v, d);
		best = fmin(best, probe_distance(t, m, d, Dv, size));
	}

	free(d);
	free(Dv);

	return best;
}

static double worse(double a, double b)
{
	return (a >= b || isnan(a)) ? a : b;
}

struct nlop_check nlop_check(const struct nlop *F, const void *const x[], unsigned long seed)
{
	struct nlop_check c = {.dot = 0.};
	struct place p;

	place_init(&p, F, x, seed);

	for (int o = 0; o < nlop_outs(F); o++)
		for (int i = 0; i < nlop_ins(F); i++) {
			void *v = probe_vector(nlop_type(F), nlop_in_size(F, i), 100 * seed + 50);

			c.derivative = worse(c.derivative, derivative_error(&p, o, i, v));
			free(v);
			evaluate(&p);

			struct linop *J = nlop_derivative_create(F, o, i);
			const struct linop_check l = linop_check(J, 2);

			c.dot = worse(c.dot, l.dot);
			c.linearity = worse(c.linearity, l.linearity);
			linop_free(J);
		}

	place_free(&p);

	return c;
}
