/* Total variation. Notation of [2]: the prox of b is x = b - gamma B'p, where p is a field of vectors of
 * length
 * <= 1 that maximises -1/2 |b - gamma B'p|^2. */

#include <math.h>
#include <stdlib.h>

#include "iter/functional/regularisers.h"

#include "iter/functional/functionals.h"
#include "iter/step/dual.h"
#include "linops/linop.h"
#include "linops/scratch.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/md/flpmath.h"

struct tv {
	struct tv_conf conf;
	struct field field;
	struct linop *B;
	struct functional *box; // bounds, or NULL
	double norm2;           // |B|^2, an upper bound
	struct scratch p, q, g, b, momentum;
	bool started; // p is that of the last prox
};

enum {
	CHECK = 10, // iterations between two looks at the duality gap
	STALLS = 50 // looks without a smaller one
};

static void *field(struct scratch *s, const struct tv *t, const void *ref)
{
	return scratch_get(s, t->field.type, t->field.n * t->field.K, ref);
}

static double value(const void *self, const void *x)
{
	struct tv *t = (struct tv *)self;
	void *g = field(&t->g, t, x);

	linop_forward(t->B, g, x);

	return field_measure(&t->field, g, NULL, NULL);
}

static void value_to(const void *self, double *out, const void *x)
{
	struct tv *t = (struct tv *)self;
	void *g = field(&t->g, t, x);

	linop_forward(t->B, g, x);
	field_length_to(&t->field, g, out);
}

/** x = b - gamma B'p, within the bounds. */
static void primal(const struct tv *t, double gamma, void *x, const void *b, const void *p)
{
	linop_adjoint(t->B, x, p);
	vec_axpby(t->field.type, t->field.n, x, 1., b, -gamma, x);

	if (NULL != t->box)
		functional_prox(t->box, 1., x, x);
}

/** Twice the duality gap of x and p bounds |x - limit|^2. g becomes B x. */
static double gap(const struct tv *t, double gamma, const void *x, const void *p, void *g)
{
	double inner;

	linop_forward(t->B, g, x);

	const double length = field_measure(&t->field, g, p, &inner);

	return gamma * (length - inner);
}

/** The smallest gap so far, and how often it was not improved on since. */
struct progress {
	double least;
	int stalls;
};

/** Small enough, or as small as roundings let it be: the gap shrinks no more. */
static bool is_done(struct progress *s, double left, double enough)
{
	s->stalls = (left < s->least) ? 0 : s->stalls + 1;
	s->least = fmin(left, s->least);

	return left <= enough || s->stalls >= STALLS;
}

static void prox(const void *self, double gamma, void *x, const void *src)
{
	struct tv *t = (struct tv *)self; // memory and starting point are no part of its value
	const struct tv_conf *c = &t->conf;
	const long n = t->field.n * t->field.K;
	void *p = field(&t->p, t, x), *q = field(&t->q, t, x), *g = field(&t->g, t, x);
	double *momentum = scratch_get(&t->momentum, DT_FLOAT64, 1, x);
	const void *b = src;
	struct progress progress = {.least = INFINITY};

	if (x == src) {
		void *copy = scratch_get(&t->b, t->field.type, t->field.n, x);

		vec_copy(t->field.type, t->field.n, copy, src);
		b = copy;
	}

	const double size = (0. < c->tolerance) ? vec_norm(t->field.type, t->field.n, b) : 0.;
	const double enough = .5 * c->tolerance * c->tolerance * size * size;

	number_put(momentum, 1.);

	if (!(c->warm && t->started))
		vec_clear(t->field.type, n, p);

	vec_copy(t->field.type, n, q, p);

	for (long k = 0; k < c->iterations; k++) {
		if (0. < c->tolerance && 0 == k % CHECK) {
			primal(t, gamma, x, b, p);

			if (is_done(&progress, gap(t, gamma, x, p, g), enough))
				break;
		}

		primal(t, gamma, x, b, q);
		linop_forward(t->B, g, x);
		field_accelerate(&t->field, 1. / (gamma * t->norm2), 1., momentum, p, q, g);
	}

	primal(t, gamma, x, b, p);
	t->started = true;
}

static void *state(void *self, long *bytes)
{
	struct tv *t = self;

	if (!t->conf.warm)
		return NULL;

	*bytes = t->field.n * t->field.K * (long)dtype_size(t->field.type);

	if (!t->started)
		vec_clear(t->field.type, t->field.n * t->field.K, field(&t->p, t, NULL));

	t->started = true;

	return t->p.p;
}

/** Three fields, and a copy for a prox in place. */
static long bytes_kept(const void *self)
{
	const struct tv *t = self;

	return (3 * t->field.K + 1) * t->field.n * (long)dtype_size(t->field.type);
}

static void destroy(void *self)
{
	struct tv *t = self;

	linop_free(t->B);
	functional_free(t->box);
	scratch_free(&t->p);
	scratch_free(&t->q);
	scratch_free(&t->g);
	scratch_free(&t->b);
	scratch_free(&t->momentum);
	free(t);
}

struct functional *functional_tv_create(enum dtype type, int D, const long dims[], const struct tv_conf *conf)
{
	static const struct functional_ops ops = {.name = "tv",
	        .value = value,
	        .value_to = value_to,
	        .prox = prox,
	        .state = state,
	        .memory = bytes_kept,
	        .anywhere = functional_always,
	        .destroy = destroy};

	struct tv *t = NEW(struct tv);
	struct functional *g = functional_create(&ops, t, type, D, dims);
	double h[DIMS];

	if (conf->bounded)
		t->box = functional_box_create(type, D, dims, conf->lo, conf->hi);

	t->conf = *conf;
	t->conf.h = NULL;

	for (int d = 0; d < DIMS; d++) {
		h[d] = (NULL == conf->h || d >= D) ? 1. : conf->h[d];

		if (conf->flags & (1ul << d) && d < D && 1 < dims[d])
			t->norm2 += 4. / (h[d] * h[d]);
	}

	t->norm2 = (0. == t->norm2) ? 1. : t->norm2;
	t->B = linop_grad_create(type, D, dims, conf->flags, h);
	t->field = (struct field){
	        .type = type,
	        .n = functional_size(g),
	        .K = __builtin_popcountl(conf->flags),
	        .apart = conf->anisotropic,
	};

	return g;
}
