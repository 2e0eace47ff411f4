/** Self-test of passes over vectors. Sums are tested through values that are scaled by them. */

#include "iter/cuda/selftest_iter.h"

#include "iter/algorithm/algorithm.h"
#include "iter/functional/functionals.h"
#include "iter/step/dual.h"
#include "num/array/place.h"
#include "num/md/flpmath.h"

enum { N = SELFTEST_NUMBERS, PART = N / 4, NUMBERS = 16 };

/** Steps, sums and what goes by them: N results. */
static void updates(float *out, const float *x, const float *y, double *n)
{
	const struct iter_updates *u = iter_updates_of(out);
	const struct update_factor half = factor_of(.5), less = factor_of(-1.25), none = factor_of(0.);
	const struct update_factor norm = factor_over_root(40., n), root = factor_times_root(.02, n + 6);
	float *a = out, *b = out + PART, *c = out + 2 * PART, *d = out + 3 * PART;
	const void *const all[] = {x, y, a};

	vec_copy(DT_FLOAT32, PART, a, x);
	u->mix(DT_FLOAT32, PART, a, &half, y, &less, n);
	u->mix(DT_FLOAT32, PART, a, &none, NULL, &norm, n + 1);
	u->inner(DT_FLOAT32, PART, 3, all, y, n + 2);
	vec_copy(DT_FLOAT32, PART, b, x);
	u->divide(DT_FLOAT32, PART, b, c, y, a, x + PART, .7, n + 5);
	u->project(DT_FLOAT32, PART, y, c, a, x + PART, .3, .1, n + 7);
	vec_copy(DT_FLOAT32, PART, d, y);
	u->add(DT_FLOAT32, PART, d, .1, n + 9);
	u->clip(DT_FLOAT32, PART, d, n + 10);
	u->exchange(DT_FLOAT32, PART, c, d);
	u->mix(DT_FLOAT32, PART, c, &root, x, &half, NULL);
	u->combine(DT_FLOAT32, PART, d, d, .01, 3, (const void *const[]){x, y, a}, n + 2, true, NULL);
}

static void field(float *out, const float *x, const float *y)
{
	const struct field f = {.type = DT_FLOAT32, .n = PART / 3, .K = 3};

	vec_copy(DT_FLOAT32, PART, out, x);
	vec_copy(DT_FLOAT32, PART, out + PART, y);
	field_ascend(&f, .7, .4, .5, out, out + PART, y + PART);
}

/** Of a functional, which is freed: the prox at x, and its value times y. */
static void functional(struct functional *g, float *out, const float *x, const float *y, double *n)
{
	const struct update_factor by = factor_times(1. / N, n), none = factor_of(0.);

	functional_prox(g, .3, out, x);
	functional_value_to(g, n, x);
	vec_copy(DT_FLOAT32, PART, out + PART, y);
	iter_updates_of(out)->mix(DT_FLOAT32, PART, out + PART, &none, NULL, &by, NULL);
	functional_free(g);
}

/** x, in and out, after some iterations on projections y. */
static void iterations(const char *name, float *x, const float *y)
{
	const long n = PART;
	struct linop *one = linop_identity_create(DT_FLOAT32, 1, &n), *A = linop_scale(.5, one);

	algorithm_solve(algorithm_find(name), &(const struct iter_problem){.A = A, .y = y},
	        &(const struct iter_conf){.iterations = 2, .warm = true}, x);
	linop_free(A);
	linop_free(one);
}

static void vectors(float *out, const float *x, const float *y)
{
	const long numbers = NUMBERS, dims[2] = {PART / 8, 8};
	double *n = md_alloc_sameplace(1, &numbers, sizeof *n, out);
	float *data = out + 3 * N + 3 * PART;

	updates(out, x, y, n);
	field(out + N, x, y);
	functional(functional_huber_create(DT_FLOAT32, 2, dims, .2, y, NULL), out + N + 2 * PART, x, y, n);
	functional(functional_l21_create(DT_FLOAT32, 2, dims, 2), out + 2 * N, x, y, n);
	functional(functional_l1_create(DT_FLOAT32, 2, dims, NULL, NULL), out + 2 * N + 2 * PART, y, x, n);

	vec_copy(DT_FLOAT32, PART, data, x);
	iter_updates_of(out)->add(DT_FLOAT32, PART, data, .75, n); // counts
	vec_copy(DT_FLOAT32, 3 * PART, out + 3 * N, y);
	iterations("cg", out + 3 * N, data);
	iterations("lsqr", out + 3 * N + PART, data);
	vec_copy(DT_FLOAT32, PART, out + 3 * N + 2 * PART, data);
	iterations("mlem", out + 3 * N + 2 * PART, data);
	md_free(n);
}

static bool vectors_work(char *why, size_t room)
{
	return gpu_selftest_same(why, room, "steps and sums of vectors", vectors, 1e-5);
}

GPU_SELFTEST(vectors, vectors_work);
