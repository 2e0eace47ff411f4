/*
 * Orthogonal matching pursuit [1]: minimise |A W' z - y| over few nonzero coefficients z, W' being a
 * dictionary (its columns the atoms; voxels without one). An iteration adds the atom of the largest
 * |correlation| with the residual, relative to the length of its column of A W', and solves least squares for
 * the coefficients of all chosen atoms, by conjugate gradients that continue from those of the last
 * iteration. The chosen columns are never kept: memory does not grow with the number of atoms.
 *
 * Lengths of columns: for few columns from their projections; else estimated, |column j|^2 = E (A' u)_j^2 for
 * random signs u, and the leading atoms are projected before one of them is chosen.
 *
 * [1] Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad, Orthogonal matching pursuit: recursive function
 * approximation with applications to wavelet decomposition, 27th Asilomar Conference on Signals, Systems and
 * Computers, 1993.
 */

#include <math.h>
#include <stdint.h>

#include "iter/algorithm/algorithm.h"
#include "num/md/flpmath.h"

/* Correlations, direction, an image of it or of a gradient; lengths of the columns, below 0 where they are
 * estimated; 1 where an atom is chosen.
 */
enum { S, D, IMAGE, LENGTH, CHOSEN };
enum { R, Q };                  // y - A x, A W' d
enum { ATOMS, SHORTEST, DATA }; // chosen; lengths below are roundings of 0; |y|

enum {
	FEW = 1024,   // columns that are all projected
	PROBES = 64,  // of an estimate, whose standard deviation is sqrt(1 / (2 PROBES)): 9 %
	MEASURED = 16 // columns projected in an iteration at most
};

/** Element i of a vector, where it lies. */
static void *element(const struct run *r, int vector, long i)
{
	return (char *)r->v[vector] + i * (long)dtype_size(r->type);
}

/** to[0 ... n), of the run's type, = a function of n float64 or other numbers. */
static void map(const struct run *r, const struct md_chain *f, long n, void *to, const void *from)
{
	const long strs[] = {(long)dtype_size(r->type)}, in[] = {(long)dtype_size(f->value[0].type)};

	md_chain(f, r->type, 1, &n, strs, to, (const long *const[]){in}, (const void *const[]){from});
}

/** Of the direction: W' d. */
static const void *synthesis(struct run *r)
{
	if (NULL == r->p->dictionary)
		return r->v[D];

	linop_adjoint(r->p->dictionary, r->v[IMAGE], r->v[D]);

	return r->v[IMAGE];
}

/** s = W A' w. */
static void correlate(struct run *r, const void *w)
{
	if (NULL == r->p->dictionary) {
		linop_adjoint(r->p->A, r->v[S], w);
		return;
	}

	linop_adjoint(r->p->A, r->v[IMAGE], w);
	linop_forward(r->p->dictionary, r->v[S], r->v[IMAGE]);
}

/* ---- lengths of columns --------------------------------------------------- */

/** The length of column j; `norm`: room for a number. */
static void measure(struct run *r, long j, double *norm)
{
	struct md_chain f = {0};

	chain_convert(&f, r->type, chain_operand(&f, DT_FLOAT64));
	vec_clear(r->type, r->n, r->v[D]);
	run_fill(r->type, 1, element(r, D, j), 1.);
	linop_forward(r->p->A, r->w[Q], synthesis(r));
	vec_norm_to(r->type, r->m, norm, r->w[Q]);
	map(r, &f, 1, element(r, LENGTH, j), norm);
}

static void measure_all(struct run *r)
{
	int place;
	double *norm = run_ask(r, &place);

	for (long j = 0; j < r->n; j++)
		measure(r, j, norm);

	run_fetch(r);
}

static void estimate(struct run *r)
{
	struct md_chain f = {0};
	const int mean =
	        chain_scale(&f, chain_convert(&f, DT_FLOAT64, chain_operand(&f, r->type)), 1. / PROBES);

	chain_op1(&f, OP_NEG, chain_op1(&f, OP_SQRT, mean));
	vec_clear(r->type, r->n, r->v[LENGTH]);

	for (int k = 0; k < PROBES; k++) {
		iter_updates_of(r->x)->signs(r->type, r->m, r->w[Q], (uint64_t)k);
		correlate(r, r->w[Q]);
		vec_mul(r->type, r->n, r->v[D], r->v[S], r->v[S]);
		vec_axpy(r->type, r->n, r->v[LENGTH], 1., r->v[D]);
	}

	map(r, &f, r->n, r->v[LENGTH], r->v[LENGTH]);
}

/** Shorter columns are roundings of 0. */
static void find_shortest(struct run *r)
{
	const long strs[] = {(long)dtype_size(r->type)};

	r->s[SHORTEST] =
	        md_maxabs_t(r->type, 1, &r->n, strs, r->v[LENGTH]) * ((DT_FLOAT32 == r->type) ? 1e-4 : 1e-9);
}

/* ---- choosing -------------------------------------------------------------- */

/** |correlation| per length of the atoms left, 0 of others; `known`: of those alone whose length is. */
static struct md_chain merit(const struct run *r, bool known)
{
	struct md_chain f = {0};
	const int s = chain_operand(&f, r->type), length = chain_operand(&f, r->type),
	          chosen = chain_operand(&f, r->type);
	const int zero = chain_constant(&f, DT_FLOAT64, 0.);
	const int c = chain_convert(&f, DT_FLOAT64, chain_op1(&f, OP_ABS, s));
	const int wide = chain_convert(&f, DT_FLOAT64, length),
	          l = known ? wide : chain_op1(&f, OP_ABS, wide);
	const int far = chain_op2(&f, OP_GT, l, chain_constant(&f, DT_FLOAT64, r->s[SHORTEST])),
	          left = chain_op2(&f, OP_EQ, chain_convert(&f, DT_FLOAT64, chosen), zero),
	          some = chain_op2(&f, OP_GT, c, zero); // not of NaN
	const int counts = chain_op2(&f, OP_AND, chain_op2(&f, OP_AND, far, left), some);

	chain_op3(&f, OP_SELECT, counts, chain_op2(&f, OP_DIV, c, l), zero);

	return f;
}

static void reduce(const struct run *r, enum reduction red, const struct md_chain *f, double *out)
{
	const long strs[] = {(long)dtype_size(r->type)}, none[] = {0};

	md_reduction_t(&(const struct md_reduction){.red = red, .type = r->type, .pre = f}, DT_FLOAT64, 1,
	        &r->n, 1, none, out, 3, (const long *const[]){strs, strs, strs},
	        (const void *const[]){r->v[S], r->v[LENGTH], r->v[CHOSEN]});
}

/** The first of the atoms left with the largest |correlation| per length. */
struct foremost {
	long at;      // -1: none has any
	double value; // per length
	bool known;   // the length is not an estimate
};

static struct foremost foremost(struct run *r)
{
	const struct md_chain all = merit(r, false), known = merit(r, true);
	int place;
	double *n = run_ask_some(r, 3, &place);

	reduce(r, RED_MAX, &all, n);
	reduce(r, RED_ARGMAX, &all, n + 1);
	reduce(r, RED_MAX, &known, n + 2);
	run_fetch(r);

	const double value = run_told(r, place);

	return (struct foremost){
	        (value > 0.) ? (long)run_told(r, place + 1) : -1, value, run_told(r, place + 2) >= value};
}

/** The one to add, its length known; each look is a fetch, and each length a projection. */
static struct foremost choose(struct run *r)
{
	struct foremost f = foremost(r);

	for (int k = 0; k < MEASURED && 0 <= f.at && !f.known; k++) {
		int place;

		measure(r, f.at, run_ask(r, &place));
		f = foremost(r);
	}

	return f;
}

/* ---- least squares of the atoms chosen -------------------------------------- */

/** The correlations of the atoms chosen; asks for their squares. */
static int ask_chosen(struct run *r)
{
	vec_mul(r->type, r->n, r->v[S], r->v[S], r->v[CHOSEN]);

	return run_ask_dot(r, r->n, r->v[S], r->v[S]);
}

/** x, from the correlations of y - A x on; every step is fetched once. */
static void solve(struct run *r)
{
	const double least = (DT_FLOAT32 == r->type) ? 1e-5 : 1e-12;
	const long most = 2 * (long)r->s[ATOMS] + 8;
	double first = 0., gamma = 0.;
	int asked = ask_chosen(r);

	vec_copy(r->type, r->n, r->v[D], r->v[S]);

	for (long k = 0; k < most; k++) {
		const void *image = synthesis(r);

		linop_forward(r->p->A, r->w[Q], image);

		const int curvature = run_ask_dot(r, r->m, r->w[Q], r->w[Q]);
		struct update_factor step = factor_over(gamma, r->asked + curvature), back;

		if (0 == k) { // not fetched yet
			step.times = 1.;
			step.over = r->asked + asked;
		}

		back = step;
		back.times = -step.times;
		run_mix(r, r->n, r->x, step, image, factor_of(1.), NULL);
		run_mix(r, r->m, r->w[R], back, r->w[Q], factor_of(1.), NULL);

		if (k + 1 == most)
			break;

		correlate(r, r->w[R]);

		const int next = ask_chosen(r);

		run_fetch(r);

		const double before = (0 == k) ? run_told(r, asked) : gamma;

		first = (0 == k) ? before : first;
		gamma = run_told(r, next);

		if (!(run_told(r, curvature) > 0.) || gamma <= least * least * first)
			break;

		vec_xpay(r->type, r->n, r->v[D], gamma / before, r->v[S]);
	}
}

/** y - A x, and its statistics. */
static void tell(struct run *r)
{
	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpby(r->type, r->m, r->w[R], 1., r->p->y, -1., r->w[R]);

	const int residual = run_ask_norm(r, r->m, r->w[R]), size = run_ask_size(r);

	run_fetch(r);
	run_told_size(r, size);
	r->residual = run_told(r, residual);
	r->objective = 0.5 * r->residual * r->residual;
	r->minimum =
	        r->residual <= ((DT_FLOAT32 == r->type) ? 3e-6 : 1e-11) * r->s[DATA]; // roundings are left
}

static void omp_begin(struct run *r)
{
	r->s[ATOMS] = r->s[SHORTEST] = 0.;
	r->s[DATA] = vec_norm(r->type, r->m, r->p->y);
	tell(r);

	if (r->minimum)
		return;

	if (r->n <= FEW)
		measure_all(r);
	else
		estimate(r);

	find_shortest(r);
	correlate(r, r->w[R]);

	const struct foremost f = foremost(r);

	r->gradient = f.value;
	r->minimum = f.at < 0;
}

static void omp_iterate(struct run *r)
{
	correlate(r, r->w[R]);

	const struct foremost f = choose(r);

	r->gradient = f.value;

	if (0 <= f.at) {
		run_fill(r->type, 1, element(r, CHOSEN, f.at), 1.);
		r->s[ATOMS] += 1.;
		solve(r);
	}

	tell(r);
	r->minimum = r->minimum || f.at < 0;
}

/** As counted for phantoms of 96^2: 4 to 8 conjugate gradients for up to 100 voxels, which hardly overlap; 4
 * and one more for every 5 atoms for wavelets, which do. */
static double projections(long n, long iterations)
{
	const double k = (double)iterations, begin = (n <= FEW) ? (double)n : PROBES;

	return begin + k * (2. + 4. + 2. * (4. + 0.1 * k));
}

static bool sound(const struct run *r)
{
	return run_is_count(r->s[ATOMS], r->n);
}

const struct algorithm algorithm_omp = {
        .name = "omp",
        .about = "orthogonal matching pursuit (Pati, Rezaiifar and Krishnaprasad 1993): least squares with "
                 "few voxels, or few atoms of --dictionary; each iteration adds one",
        .takes = ANYWHERE | TAKES_DICTIONARY | MONOTONE,
        .volumes = 5,
        .projections = 2,
        .sound = sound,
        .begin = omp_begin,
        .iterate = omp_iterate,
        .projections_of = projections,
};
