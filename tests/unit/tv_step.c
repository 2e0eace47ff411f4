/* Steps of x and of a total variation's dual in one pass, against the same in passes of their own. */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "iter/functional/functionals.h"
#include "iter/step/tv_step.h"
#include "linops/linop.h"
#include "linops/probe.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct scene {
	enum dtype type;
	long n, m; // of the volume, of its differences
	struct iter_term term;
	void *x, *z, *dz, *T, *q;
};

static void *copy(enum dtype t, long n, const void *x)
{
	void *y = mem_alloc((size_t)n * dtype_size(t));

	memcpy(y, x, (size_t)n * dtype_size(t));

	return y;
}

static struct scene create(
        enum dtype t, const long dims[5], unsigned long flags, const double h[5], bool aniso, double factor)
{
	struct scene s = {.type = t};
	struct linop *B = linop_grad_create(t, 5, dims, flags, h);
	struct functional *g = aniso ? functional_l1_create(t, 6, linop_codomain(B), NULL, NULL)
	                             : functional_l21_create(t, 6, linop_codomain(B), 32);

	s.n = linop_domain_size(B);
	s.m = linop_codomain_size(B);
	s.term = (struct iter_term){functional_scale_create(factor, g), B};
	functional_free(g);
	s.x = probe_vector(t, s.n, 1);
	s.z = probe_vector(t, s.n, 2);
	s.dz = probe_vector(t, s.n, 3);
	s.T = probe_vector(t, s.n, 4);
	s.q = mem_calloc((size_t)s.m, dtype_size(t));

	// a dual that steps have led to
	void *other = probe_vector(t, s.n, 5), *far = mem_alloc((size_t)s.m * dtype_size(t));

	linop_forward(B, far, other);
	functional_prox_conjugate(s.term.g, 1., s.q, far);
	free(other);
	free(far);

	return s;
}

static void destroy(struct scene *s)
{
	functional_free(s->term.g);
	linop_free(s->term.B);
	free(s->x);
	free(s->z);
	free(s->dz);
	free(s->T);
	free(s->q);
}

static double at(enum dtype t, const void *x, long i)
{
	return (DT_FLOAT32 == t) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* The largest difference of x from what the formula says, in passes of their own. */
static double off(const struct scene *s, const struct tv_step *c, const void *x, const void *z, const void *q)
{
	const size_t size = dtype_size(s->type);
	void *to = mem_alloc((size_t)s->m * size), *next = mem_alloc((size_t)s->m * size),
	     *back = mem_alloc((size_t)s->n * size);
	double most = 0.;

	linop_forward(s->term.B, to, s->x);
	vec_axpby(s->type, s->m, to, c->sigma, to, 1., s->q);
	functional_prox_conjugate(s->term.g, c->sigma, next, to);

	for (long i = 0; i < s->m; i++)
		most = fmax(most, fabs(at(s->type, next, i) - at(s->type, q, i)));

	vec_axpby(s->type, s->m, next, 2., next, -1., s->q);
	linop_adjoint(s->term.B, back, next);

	for (long i = 0; i < s->n; i++) {
		const double T = at(s->type, s->T, i), dz = at(s->type, s->dz, i);
		const double sum = at(s->type, s->z, i) + c->ahead * dz + at(s->type, back, i);
		const double want = (at(s->type, s->x, i) - T * sum) / (1. + c->lambda * T);

		most = fmax(most, fabs(fmin(fmax(want, c->lo), c->hi) - at(s->type, x, i)));
		most = fmax(most, fabs(at(s->type, s->z, i) + dz - at(s->type, z, i)));
	}

	free(to);
	free(next);
	free(back);

	return most;
}

static void check_step(enum dtype t, const long dims[5], unsigned long flags, bool aniso)
{
	static const int threads[] = {1, 2, 3, 7};
	const double h[] = {0.5, 1., 2., 1., 3.};
	struct scene s = create(t, dims, flags, h, aniso, 0.3);
	struct tv_step c;
	void *x[2], *z[2], *q[2], *work = mem_alloc((size_t)s.m * dtype_size(t));
	bool same = true;

	check(tv_step_of_term(&c, &s.term), "a total variation is one");
	c.sigma = 0.2;
	c.ahead = 4.;
	c.lambda = 0.1;
	c.lo = -0.5;
	c.hi = 0.6;

	for (int k = 0; k < 4; k++) {
		omp_set_num_threads(threads[k]);
		x[k > 0] = copy(t, s.n, s.x);
		z[k > 0] = copy(t, s.n, s.z);
		q[k > 0] = copy(t, s.m, s.q);
		tv_step(&c, x[k > 0], z[k > 0], s.dz, s.T, q[k > 0], work);

		if (0 == k)
			continue;

		same = same && 0 == memcmp(x[0], x[1], (size_t)s.n * dtype_size(t)) &&
		       0 == memcmp(z[0], z[1], (size_t)s.n * dtype_size(t)) &&
		       0 == memcmp(q[0], q[1], (size_t)s.m * dtype_size(t));
		free(x[1]);
		free(z[1]);
		free(q[1]);
	}

	const double far = off(&s, &c, x[0], z[0], q[0]);

	check(far < ((DT_FLOAT32 == t) ? 1e-5 : 1e-13),
	        "%s %ld x %ld x %ld x %ld x %ld, dims 0x%lx%s: off by %.2g", dtype_name(t), dims[0], dims[1],
	        dims[2], dims[3], dims[4], flags, aniso ? ", aniso" : "", far);
	check(same, "%s %ld x %ld x %ld: 1, 2, 3 and 7 threads", dtype_name(t), dims[0], dims[1], dims[2]);
	free(x[0]);
	free(z[0]);
	free(q[0]);
	free(work);
	destroy(&s);
}

/* Without differences, and without dz. */
static void check_numbers(enum dtype t)
{
	const long dims[] = {9000, 1, 3, 1, 1};
	struct scene s = create(t, dims, 4, (const double[]){1., 1., 1., 1., 1.}, false, 1.);
	void *x = copy(t, s.n, s.x), *z = copy(t, s.n, s.z);
	struct tv_step c;
	double most = 0.;

	tv_step_of_numbers(&c, t, s.n);
	c.ahead = 3.;
	tv_step(&c, x, z, s.dz, s.T, NULL, NULL);

	for (long i = 0; i < s.n; i++)
		most = fmax(most, fabs(at(t, s.x, i) - at(t, s.T, i) * (at(t, s.z, i) + 3. * at(t, s.dz, i)) -
		                          at(t, x, i)));

	memcpy(x, s.x, (size_t)s.n * dtype_size(t));
	tv_step(&c, x, s.z, NULL, s.T, NULL, NULL);

	for (long i = 0; i < s.n; i++)
		most = fmax(most, fabs(at(t, s.x, i) - at(t, s.T, i) * at(t, s.z, i) - at(t, x, i)));

	check(most < ((DT_FLOAT32 == t) ? 1e-5 : 1e-13), "%s numbers: off by %.2g", dtype_name(t), most);
	free(x);
	free(z);
	destroy(&s);
}

/* What is not the sum of lengths of forward differences. */
static void check_others(void)
{
	const long dims[] = {6, 5, 4}, flat[] = {6, 1, 4}, four[] = {3, 3, 3, 3};
	const double h[] = {1., 1., 1., 1.};
	const enum dtype t = DT_FLOAT64;
	struct tv_step c;
	struct linop *B = linop_grad_create(t, 3, dims, 7, h),
	             *periodic = linop_gradient_create(t, 3, dims, 7, h, GRAD_FORWARD, GRAD_PERIODIC),
	             *back = linop_gradient_create(t, 3, dims, 7, h, GRAD_BACKWARD, GRAD_REPLICATE),
	             *thin = linop_grad_create(t, 3, flat, 7, h),
	             *space = linop_grad_create(t, 4, four, 7, h);
	struct functional *l21 = functional_l21_create(t, 4, linop_codomain(B), 8),
	                  *across = functional_l21_create(t, 4, linop_codomain(B), 4),
	                  *square = functional_l2sq_create(t, 4, linop_codomain(B), NULL, NULL),
	                  *less = functional_l21_create(t, 4, linop_codomain(thin), 8),
	                  *more = functional_l21_create(t, 5, linop_codomain(space), 16);
	double *shift = probe_vector(t, functional_size(l21), 1);
	struct functional *shifted = functional_translate_create(l21, shift),
	                  *none = functional_scale_create(0., l21);
	const struct iter_term others[] = {{l21, NULL}, {l21, periodic}, {l21, back}, {across, B},
	        {square, B}, {shifted, B}, {none, B}, {less, thin}, {more, space}};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		check(!tv_step_of_term(&c, &others[i]), "term %zu is not a total variation", i);

	functional_free(l21);
	functional_free(across);
	functional_free(square);
	functional_free(less);
	functional_free(more);
	functional_free(shifted);
	functional_free(none);
	free(shift);
	linop_free(B);
	linop_free(periodic);
	linop_free(back);
	linop_free(thin);
	linop_free(space);
}

int main(void)
{
	static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64};
	static const struct {
		long dims[5];
		unsigned long flags;
	} cases[] = {{{65, 34, 21, 1, 1}, 7}, {{700, 60, 1, 1, 1}, 3}, {{1100, 3, 20, 1, 1}, 7},
	        {{5, 4, 3, 1, 1}, 7}, {{1500, 1, 1, 1, 1}, 1}, {{64, 40, 30, 1, 1}, 4},
	        {{64, 40, 30, 1, 1}, 2}, {{64, 40, 30, 1, 1}, 1}, {{64, 40, 30, 1, 1}, 6},
	        {{64, 40, 30, 1, 1}, 5}, {{40, 1, 900, 1, 1}, 5}, {{300, 2, 2, 1, 1}, 4},
	        {{1, 200, 200, 1, 1}, 6}, {{200, 200, 1, 1, 1}, 1}, {{30, 20, 1, 1, 9}, 19},
	        {{40, 30, 1, 60, 1}, 10}, {{1, 1, 50, 1, 30}, 20}};

	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
			check_step(types[i], cases[k].dims, cases[k].flags, false);
			check_step(types[i], cases[k].dims, cases[k].flags, true);
		}

		check_numbers(types[i]);
	}

	check_others();

	return checks_failed > 0;
}
