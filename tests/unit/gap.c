/* Convex conjugates; the duality gap of spdhg, never below what the objective exceeds its minimum by, and how
 * fast it closes. */

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/functional/functionals.h"
#include "misc/file/hdr.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

static double uniform(unsigned seed, long i)
{
	return rand_uniform(seed, (uint64_t)i);
}

/* ---- conjugates ---------------------------------------------------------- */

/* max over x of p x - g(x), which is concave, x between lo and hi, by ever finer grids. */
static double largest(const struct functional *g, double p, double lo, double hi)
{
	double best = -INFINITY, where = lo;

	for (int round = 0; round < 40; round++) {
		enum { POINTS = 60 };
		const double step = (hi - lo) / POINTS;

		for (int i = 0; i <= POINTS; i++) {
			const double x = lo + i * step, v = p * x - functional_value(g, &x);

			if (v > best) {
				best = v;
				where = x;
			}
		}

		lo = fmax(lo, where - 2. * step);
		hi = fmin(hi, where + 2. * step);
	}

	return best;
}

static void check_conjugate(
        struct functional *g, const char *what, double lo, double hi, const double *p, int n)
{
	for (int i = 0; i < n; i++) {
		const double want = largest(g, p[i], lo, hi), got = functional_conjugate(g, &p[i]);

		check(fabs(got - want) < 1e-6 * fmax(1., fabs(want)), "conjugate of %s at %g: %g, is %g",
		        what, p[i], got, want);
	}

	functional_free(g);
}

static struct functional *consumed(struct functional *made, struct functional *of)
{
	functional_free(of);

	return made;
}

static void test_conjugates(void)
{
	const enum dtype t = DT_FLOAT64;
	const long one = 1, wdims[DIMS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	const double y = 0.7, heavy = 2.5, counts = 9., shift = 0.4, none = 0.;
	const double some[] = {-0.9, -0.3, 0., 0.2, 0.8}, below[] = {-40., -3., 0., 0.5, 0.9},
	             slopes[] = {-60., -5., 0., 3., 8.5};
	struct weights *w = weights_create_array(wdims, wdims, t, &heavy);

	check_conjugate(functional_l2sq_create(t, 1, &one, &y, w), "l2sq", -9, 9, some, 5);
	check_conjugate(functional_l1_create(t, 1, &one, &y, NULL), "l1", -9, 9, some, 5);
	check_conjugate(functional_huber_create(t, 1, &one, 0.5, &y, w), "huber", -9, 9, some, 5);
	check_conjugate(
	        functional_pseudo_huber_create(t, 1, &one, 0.5, &y, w), "pseudo-huber", -9, 9, some, 5);
	check_conjugate(functional_kl_create(t, 1, &one, &counts, NULL, 2.), "kl", -2., 200., below, 5);
	check_conjugate(functional_kl_create(t, 1, &one, &none, NULL, 2.), "kl of 0", -2., 200., below, 5);
	check_conjugate(functional_transmission_create(t, 1, &one, &counts, NULL, 30., 0.), "transmission",
	        -9., 30., slopes, 5);
	check_conjugate(functional_transmission_create(t, 1, &one, &none, w, 30., 0.), "transmission of 0",
	        -9., 60., slopes, 2);

	struct functional *huber = functional_huber_create(t, 1, &one, 0.5, &y, NULL);
	struct functional *moved = consumed(functional_translate_create(huber, &shift), huber);
	struct functional *wide = consumed(functional_dilate_create(-1.5, moved), moved);

	check_conjugate(consumed(functional_scale_create(1.5, wide), wide), "scaled, shifted huber", -20, 20,
	        some, 5);

	struct functional *l2 = functional_l2_create(t, 1, &one),
	                  *l1 = functional_l1_create(t, 1, &one, NULL, NULL);
	const double outside = 1.01;

	check(isnan(functional_conjugate(l2, &y)), "a conjugate that is not known is NaN");
	check(isinf(functional_conjugate(l1, &outside)), "the conjugate of l1 is infinite beyond 1");
	functional_free(l2);
	functional_free(l1);
	weights_free(w);
}

/* The conjugate of lengths is 0 for lengths up to the factor. */
static void test_lengths(void)
{
	const long dims[] = {3, 2};
	const double p[] = {0.6, 0., 0.2, 0.79, 0.3, -0.1}, q[] = {0.6, 0., 0.2, 0.81, 0.3, -0.1};
	struct functional *l21 = functional_l21_create(DT_FLOAT64, 2, dims, 2);
	struct functional *g = consumed(functional_scale_create(1.0, l21), l21);

	check(0. == functional_conjugate(g, p), "the conjugate of lengths is 0 within the ball");
	check(isinf(functional_conjugate(g, q)), "and infinite outside");
	functional_free(g);
}

/* ---- gaps ---------------------------------------------------------------- */

enum { ROWS = 80, SIDE = 6, N = SIDE * SIDE, SUBSETS = 4, LOOKS = 64 };

static double matrix[ROWS * N], y[ROWS], counts[ROWS], weight[ROWS], part[ROWS * N]; // column-major

static struct {
	int n;
	long k[LOOKS];
	double objective[LOOKS], gap[LOOKS];
} seen;

/* The gap of spdhg, remembered. */
static double look(struct run *r, double *objective)
{
	const double gap = algorithm_find("spdhg")->gap(r, objective);

	seen.k[seen.n] = r->k;
	seen.objective[seen.n] = *objective;
	seen.gap[seen.n++] = gap;

	return gap;
}

static void make_data(void)
{
	double x[N];

	for (int j = 0; j < N; j++)
		x[j] = (j % SIDE > 1 && j % SIDE < 5 && j / SIDE > 0 && j / SIDE < 4) ? 1. : 0.;

	for (int i = 0; i < ROWS; i++) {
		y[i] = 0.3 * (uniform(2, i) - 0.5);
		weight[i] = (0 == i % 9) ? 0. : 0.5 + uniform(3, i);

		for (int j = 0; j < N; j++) {
			const double a = uniform(1, i + ROWS * j);

			matrix[i + ROWS * j] = (a > 0.7) ? a : 0.;
			y[i] += matrix[i + ROWS * j] * x[j];
		}

		counts[i] = floor(4. * fmax(y[i], 0.) + 3. * uniform(4, i));
	}
}

/* Rows first .. first + n - 1. */
static struct linop *rows_of(int first, int n)
{
	const long dims[] = {N};

	for (int j = 0; j < N; j++)
		for (int i = 0; i < n; i++)
			part[i + n * j] = matrix[first + i + ROWS * j];

	return linop_matrix_create(DT_FLOAT64, n, N, part, 1, dims);
}

/* Data of a kind, of some rows. */
static struct functional *data_of(const char *kind, int first, int n, const struct weights *w)
{
	const long rows = n;

	if (0 == strcmp(kind, "weighted"))
		return functional_l2sq_create(DT_FLOAT64, 1, &rows, y + first, w);

	if (0 == strcmp(kind, "huber"))
		return functional_huber_create(DT_FLOAT64, 1, &rows, 0.1, y + first, NULL);

	if (0 == strcmp(kind, "kl"))
		return functional_kl_create(DT_FLOAT64, 1, &rows, counts + first, NULL, 0.5);

	if (0 == strcmp(kind, "transmission"))
		return functional_transmission_create(DT_FLOAT64, 1, &rows, counts + first, NULL, 40., 0.);

	return NULL;
}

struct problem {
	struct iter_problem p;
	struct iter_subset sub[SUBSETS];
	struct weights *w[SUBSETS];
	struct linop *A, *D;
};

static void create(
        struct problem *q, const char *kind, double lambda, const struct iter_term *term, int terms)
{
	const int n = ROWS / SUBSETS;

	*q = (struct problem){.A = rows_of(0, ROWS)};

	for (int s = 0; s < SUBSETS; s++) {
		long dims[DIMS];

		for (int d = 0; d < DIMS; d++)
			dims[d] = (0 == d) ? n : 1;

		q->w[s] = weights_create_array(dims, dims, DT_FLOAT64, weight + s * n);
		q->sub[s] = (struct iter_subset){.A = rows_of(s * n, n),
		        .y = y + s * n,
		        .W = (0 == strcmp(kind, "squares")) ? q->w[s] : NULL,
		        .data = data_of(kind, s * n, n, q->w[s])};
	}

	q->p = (struct iter_problem){.A = q->A,
	        .y = y,
	        .lambda = lambda,
	        .terms = terms,
	        .term = term,
	        .subsets = SUBSETS,
	        .subset = q->sub};
}

static void destroy(struct problem *q)
{
	for (int s = 0; s < SUBSETS; s++) {
		linop_free(q->sub[s].A);
		functional_free(q->sub[s].data);
		weights_free(q->w[s]);
	}

	linop_free(q->A);
}

/* The minimiser is within the limits around x from iteration 20 on; the gap is 1 % after `most`. */
static void check_gap(
        const char *kind, const char *what, double lambda, const struct iter_term *term, int terms, long most)
{
	struct algorithm spy = *algorithm_find("spdhg");
	struct problem q;
	double x[N] = {0.}, closest = INFINITY;
	bool above = true, known = true;
	long soon = 1000;

	create(&q, kind, lambda, term, terms);
	spy.gap = look;
	seen.n = 0;
	algorithm_solve(&spy, &q.p, &(const struct iter_conf){.iterations = 1000, .until = 1e-300}, x);

	const double best = seen.objective[seen.n - 1];

	for (int i = 0; i < seen.n; i++) {
		const double excess = seen.objective[i] - best;

		known = known && isfinite(seen.gap[i]);
		above = above && (seen.k[i] < 20 || seen.gap[i] >= excess - 1e-9 * best);
		closest = fmin(closest, fabs(seen.gap[i]) / best);
		soon = (seen.gap[i] < 1e-2 * best && seen.k[i] < soon) ? seen.k[i] : soon;
	}

	check(known && 20 < seen.n, "%s, %s: the gap is known", kind, what);
	check(above, "%s, %s: the gap is at least the excess", kind, what);
	check(soon <= most, "%s, %s: the gap is 1 %% after %ld iterations, at most %ld", kind, what, soon,
	        most);
	check(closest < 1e-4, "%s, %s: the gap closes, to %.2g", kind, what, closest);
	destroy(&q);
}

static void test_gaps(void)
{
	static const struct {
		const char *name;
		long tv, two; // iterations until the gap is 1 %, of the terms below
	} kinds[] = {{"squares", 48, 28}, {"weighted", 48, 28}, {"huber", 44, 30}, {"kl", 88, 64},
	        {"transmission", 96, 96}};
	const long dims[] = {N, 1, 1};
	const double h = 0.25;
	// over an image that A takes as a vector: differences of neighbours in memory
	struct linop *D = linop_grad_create(DT_FLOAT64, 1, dims, 1, &h);
	struct functional *l21 = functional_l21_create(DT_FLOAT64, 2, linop_codomain(D), 2),
	                  *l1 = functional_l1_create(DT_FLOAT64, 2, linop_codomain(D), NULL, NULL);
	struct functional *tv = consumed(functional_scale_create(0.3 * h, l21), functional_ref(l21)),
	                  *aniso = consumed(functional_scale_create(0.2 * h, l1), functional_ref(l1)),
	                  *nonneg = functional_nonneg_create(DT_FLOAT64, 1, dims),
	                  *box = functional_box_create(DT_FLOAT64, 1, dims, 0., 0.9),
	                  *flat = functional_l1_create(DT_FLOAT64, 1, dims, NULL, NULL);
	struct functional *little = consumed(functional_scale_create(0.02 * h, l21), l21),
	                  *strong = consumed(functional_scale_create(4. * h, l1), l1);
	const struct iter_term both[] = {{tv, D}, {nonneg, NULL}},
	                       bounds[] = {{tv, D}, {aniso, D}, {box, NULL}}, free_[] = {{tv, D}},
	                       sparse[] = {{flat, NULL}},
	                       smooth[] = {{little, D}, {strong, D}, {nonneg, NULL}};

	make_data();

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		check_gap(kinds[i].name, "tv, x >= 0", 0., both, 2, kinds[i].tv);
		check_gap(kinds[i].name, "two terms, 0 <= x <= 0.9", 0., bounds, 3, kinds[i].two);
	}

	check_gap("squares", "tv", 0., free_, 1, 48);
	check_gap("squares", "tv and lambda", 0.5, both, 2, 28);
	check_gap("squares", "strong regularisation", 0., smooth, 3, 52);
	check_gap("huber", "lambda alone", 0.5, NULL, 0, 26);

	struct problem q;
	struct algorithm spy = *algorithm_find("spdhg");
	double x[N] = {0.};

	create(&q, "squares", 0., sparse, 1);
	spy.gap = look;
	seen.n = 0;
	algorithm_solve(&spy, &q.p, &(const struct iter_conf){.iterations = 40, .until = 1e-300}, x);
	check(isnan(seen.gap[0]),
	        "a term that the step of x takes and that is not bounds: the gap is unknown");
	destroy(&q);

	functional_free(tv);
	functional_free(aniso);
	functional_free(little);
	functional_free(strong);
	functional_free(nonneg);
	functional_free(box);
	functional_free(flat);
	linop_free(D);
}

/* A term steps in passes of its own as it does in one with x. */
static void test_passes(void)
{
	const long dims[] = {N};
	const double h = 0.5, nowhere[N] = {0.};
	struct linop *D = linop_grad_create(DT_FLOAT64, 1, dims, 1, &h);
	struct functional *l21 = functional_l21_create(DT_FLOAT64, 2, linop_codomain(D), 2),
	                  *nonneg = functional_nonneg_create(DT_FLOAT64, 1, dims),
	                  *still = functional_translate_create(
	                          l21, nowhere); // which the one pass does not take
	const struct iter_term one[] = {{l21, D}, {nonneg, NULL}}, own[] = {{still, D}, {nonneg, NULL}};
	double x[2][N], off = 0.;

	for (int i = 0; i < 2; i++) {
		struct problem q;

		create(&q, "squares", 0.1, (0 == i) ? one : own, 2);
		algorithm_solve(
		        algorithm_find("spdhg"), &q.p, &(const struct iter_conf){.iterations = 15}, x[i]);
		destroy(&q);
	}

	for (int j = 0; j < N; j++)
		off = fmax(off, fabs(x[0][j] - x[1][j]));

	check(off < 1e-12, "a term in passes of its own, and in one with x: off by %.2g", off);
	functional_free(l21);
	functional_free(nonneg);
	functional_free(still);
	linop_free(D);
}

int main(void)
{
	test_conjugates();
	test_lengths();
	test_gaps();
	test_passes();

	return checks_failed > 0;
}
