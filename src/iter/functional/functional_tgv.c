/* Total generalised variation and infimal convolution: both have x and an auxiliary unknown, a field w or an
 * image v, and the duals p of first and q of second differences. Notation of [4], [5], [6]. */

#include <math.h>
#include <stdlib.h>

#include "iter/functional/regularisers.h"

#include "iter/step/dual.h"
#include "linops/differences.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct tgv {
	struct tgv_conf conf;
	enum dtype type;
	long n;
	bool infimal;
	struct linop *grad, *sym;
	struct field first, second;
	double tau, tau_aux, sigma1, sigma2;
	struct scratch room;
	bool started; // room holds what the last prox ended with
};

/** What a prox works with; aux is w (P n) or v (n), its extrapolated form, and room for one more. x, aux, p
 * and q lie one after the other: they are what the next prox may start from. */
struct work {
	long aux_size;
	char *x, *x_bar, *aux, *aux_bar, *p, *q, *g1, *g2;
};

static long aux_size(const struct tgv *t)
{
	return t->infimal ? t->n : t->n * t->first.K;
}

/** Elements of x, aux, p and q. */
static long state_size(const struct tgv *t)
{
	return t->n + aux_size(t) + t->n * (t->first.K + t->second.K);
}

/** Where ref lies. */
static struct work work_of(struct tgv *t, const void *ref)
{
	const long size = (long)dtype_size(t->type), field1 = t->n * t->first.K * size,
	           field2 = t->n * t->second.K * size, n = t->n * size, aux = aux_size(t) * size;
	struct work k = {.aux_size = aux_size(t)};

	k.x = scratch_get(&t->room, t->type, mul_checked(2, state_size(t), "a regulariser's memory"), ref);
	k.aux = k.x + n;
	k.p = k.aux + aux;
	k.q = k.p + field1;
	k.x_bar = k.q + field2;
	k.aux_bar = k.x_bar + n;
	k.g1 = k.aux_bar + aux;
	k.g2 = k.g1 + field1;

	return k;
}

/** p and q towards the differences at the extrapolated point. */
static void ascend(const struct tgv *t, double gamma, struct work *k)
{
	const long field1 = t->n * t->first.K;

	if (t->infimal) {
		linop_forward(t->grad, k->g1, k->aux_bar);
		linop_forward(t->sym, k->g2, k->g1);
		vec_axpby(t->type, t->n, k->aux_bar, 1., k->x_bar, -1., k->aux_bar);
		linop_forward(t->grad, k->g1, k->aux_bar);
	} else {
		linop_forward(t->sym, k->g2, k->aux_bar);
		linop_forward(t->grad, k->g1, k->x_bar);
		vec_axpy(t->type, field1, k->g1, -1., k->aux_bar);
	}

	field_climb(&t->first, t->sigma1, gamma * t->conf.first, k->p, k->g1);
	field_climb(&t->second, t->sigma2, gamma * t->conf.second, k->q, k->g2);
}

/** new = old - tau step (in `bar`, which becomes 2 new - old). */
static void extrapolate(const struct tgv *t, long n, double tau, char *x, char *bar)
{
	vec_axpy(t->type, n, x, -tau, bar);
	vec_axpby(t->type, n, bar, 1., x, -tau, bar);
}

/** x and the auxiliary unknown against the gradient of the Lagrangian, x by the prox of 1/2 |x - b|^2. */
static void descend(const struct tgv *t, struct work *k, const void *b)
{
	linop_adjoint(t->grad, k->x_bar, k->p);

	if (t->infimal) {
		linop_adjoint(t->sym, k->g1, k->q);
		vec_axpy(t->type, t->n * t->first.K, k->g1, -1., k->p);
		linop_adjoint(t->grad, k->aux_bar, k->g1);
	} else {
		linop_adjoint(t->sym, k->aux_bar, k->q);
		vec_axpy(t->type, k->aux_size, k->aux_bar, -1., k->p);
	}

	extrapolate(t, k->aux_size, t->tau_aux, k->aux, k->aux_bar);

	/* (x - tau x_bar + tau b) / (1 + tau) = x - tau / (1 + tau) (x_bar + x - b) */
	vec_axpy(t->type, t->n, k->x_bar, 1., k->x);
	vec_axpy(t->type, t->n, k->x_bar, -1., b);
	extrapolate(t, t->n, t->tau / (1. + t->tau), k->x, k->x_bar);
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	struct tgv *t = (struct tgv *)self; // memory and starting point are no part of its value
	const double enough = t->conf.tolerance * vec_norm(t->type, t->n, src);
	struct work k = work_of(t, src);

	if (!(t->conf.warm && t->started)) {
		vec_clear(t->type, state_size(t), k.x);

		if (!t->conf.warm) // else as after state()
			vec_copy(t->type, t->n, k.x, src);
	}

	vec_copy(t->type, t->n, k.x_bar, k.x);
	vec_copy(t->type, k.aux_size, k.aux_bar, k.aux);

	for (long i = 0; i < t->conf.iterations; i++) {
		ascend(t, gamma, &k);
		descend(t, &k, src);

		if (0. == t->conf.tolerance || 9 != i % 10)
			continue;

		vec_axpby(t->type, t->n, k.g1, 1., k.x_bar, -1., k.x); // the last change

		if (vec_norm(t->type, t->n, k.g1) <= enough)
			break;
	}

	vec_copy(t->type, t->n, dst, k.x);
	t->started = true;
}

static void *state(void *self, long *bytes)
{
	struct tgv *t = self;

	if (!t->conf.warm)
		return NULL;

	*bytes = state_size(t) * (long)dtype_size(t->type);

	const struct work k = work_of(t, NULL);

	if (!t->started)
		vec_clear(t->type, state_size(t), k.x);

	t->started = true;

	return k.x;
}

static long bytes_kept(const void *self)
{
	const struct tgv *t = self;

	return 2 * state_size(t) * (long)dtype_size(t->type);
}

static void destroy(void *self)
{
	struct tgv *t = self;

	linop_free(t->grad);
	linop_free(t->sym);
	scratch_free(&t->room);
	free(t);
}

/** Steps 1 / sums of |elements| along rows and columns of the operator [7]. A column of a difference along a
 * dim has 3/h: two, and one at an end that is taken twice. */
static void choose_steps(struct tgv *t, unsigned long flags, const double h[], const long dims[])
{
	double columns = 0., steepest = 0.;
	const double mixed = 1. + (t->first.K - 1) * M_SQRT1_2; // of components of a symmetric tensor

	for (int d = 0; d < DIMS; d++)
		if (flags & (1ul << d) && 1 < dims[d]) {
			columns += 3. / h[d];
			steepest = fmax(steepest, 2. / h[d]);
		}

	const double second = M_SQRT2 * steepest, column2 = 1.5 * steepest * mixed;

	t->tau = 1. / fmax(columns, 1e-300);
	t->sigma1 = 1. / (t->infimal ? 2. * steepest : steepest + 1.);
	t->sigma2 = 1. / (t->infimal ? second * steepest : second);
	t->tau_aux = 1. / (t->infimal ? columns + columns * column2 : 1. + column2);
}

/** Lengths in units of the smallest spacing, where the parts of the operator are of similar size: |gradient x
 * - w| and |symmetric gradient w| with w in this unit, too. */
static void choose_unit(struct tgv_conf *conf, double h[DIMS], const long dims[])
{
	double unit = INFINITY;

	for (int d = 0; d < DIMS; d++)
		if (conf->flags & (1ul << d) && 1 < dims[d])
			unit = fmin(unit, fabs(h[d]));

	if (isinf(unit))
		return;

	for (int d = 0; d < DIMS; d++)
		h[d] /= unit;

	conf->first /= unit;
	conf->second /= unit * unit;
}

static struct functional *create(const struct functional_ops *ops, enum dtype type, int D, const long dims[],
        const struct tgv_conf *conf, bool infimal)
{
	if (!(conf->first > 0. && conf->second > 0.))
		error("%s has the factors %g and %g, expected more than 0", ops->name, conf->first,
		        conf->second);

	struct tgv *t = NEW(struct tgv);
	struct functional *g = functional_create(ops, t, type, D, dims);
	double h[DIMS];

	for (int d = 0; d < DIMS; d++)
		h[d] = (NULL == conf->h || d >= D) ? 1. : conf->h[d];

	t->conf = *conf;
	t->conf.h = NULL;
	choose_unit(&t->conf, h, functional_dims(g));
	t->type = type;
	t->n = functional_size(g);
	t->grad = linop_gradient_create(type, D, dims, conf->flags, h, GRAD_FORWARD, GRAD_ONE_SIDED);
	t->sym =
	        linop_symmetric_gradient_create(type, D, dims, conf->flags, h, GRAD_BACKWARD, GRAD_ONE_SIDED);

	const int P = __builtin_popcountl(conf->flags);

	t->first = (struct field){.type = type, .n = t->n, .K = P};
	t->second = (struct field){.type = type, .n = t->n, .K = P * (P + 1) / 2};
	t->infimal = infimal;
	choose_steps(t, conf->flags, h, functional_dims(g));

	return g;
}

struct functional *functional_tgv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf)
{
	static const struct functional_ops ops = {.name = "tgv",
	        .prox = prox,
	        .state = state,
	        .memory = bytes_kept,
	        .anywhere = functional_always,
	        .destroy = destroy};

	return create(&ops, type, D, dims, conf, false);
}

struct functional *functional_ictv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf)
{
	static const struct functional_ops ops = {.name = "ictv",
	        .prox = prox,
	        .state = state,
	        .memory = bytes_kept,
	        .anywhere = functional_always,
	        .destroy = destroy};

	return create(&ops, type, D, dims, conf, true);
}
