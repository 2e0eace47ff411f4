/*
 * Orthogonal matching pursuit [1]: minimise |A W' z - y| over few nonzero coefficients z, W' being a
 * dictionary (its columns the atoms; voxels without one). An iteration adds the atom of the largest
 * |correlation| with the residual, per length of its column of A W', and solves least squares for the
 * coefficients of all atoms chosen, by conjugate gradients that go on from those of the iteration before. The
 * chosen columns are never kept: memory does not grow with the number of atoms.
 *
 * Lengths of columns: of few columns from their projections; else estimated, |column j|^2 = E (A' u)_j^2 of
 * random signs u, and those of the atoms in front projected before one of them is chosen.
 *
 * [1] Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad, Orthogonal matching pursuit: recursive function
 * approximation with applications to wavelet decomposition, 27th Asilomar Conference on Signals, Systems and
 * Computers, 1993.
 */

#include <math.h>
#include <stdint.h>

#include "iter/algorithm.h"
#include "iter/fold.h"
#include "num/flpmath.h"
#include "num/rand.h"

/* Correlations, direction, an image of it or of a gradient; lengths of the columns, below 0 where they are
 * estimated; 1 where an atom is chosen.
 */
enum { S, D, IMAGE, LENGTH, CHOSEN };
enum { R, Q }; // y - A x, A W' d
enum { ATOMS, SHORTEST };

enum {
	FEW = 1024,   // columns that are all projected
	PROBES = 64,  // of an estimate, whose standard deviation is sqrt(1 / (2 PROBES)): 9 %
	MEASURED = 16 // columns projected in an iteration at most
};

static double get(const struct run *r, int vector, long i)
{
	const void *v = r->v[vector];

	return (DT_FLOAT32 == r->type) ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

static void set(const struct run *r, int vector, long i, double value)
{
	if (DT_FLOAT32 == r->type)
		((float *)r->v[vector])[i] = (float)value;
	else
		((double *)r->v[vector])[i] = value;
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

static void measure(struct run *r, long j)
{
	vec_clear(r->type, r->n, r->v[D]);
	set(r, D, j, 1.);
	linop_forward(r->p->A, r->w[Q], synthesis(r));
	set(r, LENGTH, j, vec_norm(r->type, r->m, r->w[Q]));
}

struct probe {
	enum dtype type;
	void *w;
	uint64_t number;
};

/** Random signs, a bit for each; blocks begin where a draw of bits does. */
static void draw_signs(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	enum { BITS = 128 };
	const struct probe *p = ctx;
	uint32_t bits[4] = {0};

	(void)sum;
	_Static_assert(0 == FOLD_BLOCK % BITS, "blocks of whole draws");

	for (long i = first; i < first + n; i++) {
		if (0 == i % BITS)
			philox4x32(bits, 1, (uint64_t)(i / BITS), p->number);

		const bool up = 0 != (bits[i % BITS / 32] >> (i % 32) & 1u);

		if (DT_FLOAT32 == p->type)
			((float *)p->w)[i] = up ? 1.f : -1.f;
		else
			((double *)p->w)[i] = up ? 1. : -1.;
	}
}

static void estimate(struct run *r)
{
	double sum[FOLD_SUMS];

	vec_clear(r->type, r->n, r->v[LENGTH]);

	for (int k = 0; k < PROBES; k++) {
		fold(r->m, draw_signs, &(struct probe){r->type, r->w[Q], (uint64_t)k}, sum);
		correlate(r, r->w[Q]);
		vec_mul(r->type, r->n, r->v[D], r->v[S], r->v[S]);
		vec_axpy(r->type, r->n, r->v[LENGTH], 1., r->v[D]);
	}

#pragma omp parallel for schedule(static)
	for (long j = 0; j < r->n; j++)
		set(r, LENGTH, j, -sqrt(get(r, LENGTH, j) / PROBES));
}

/** Shorter columns are roundings of 0. */
static void find_shortest(struct run *r)
{
	double most = 0.;

#pragma omp parallel for schedule(static) reduction(max : most)
	for (long j = 0; j < r->n; j++)
		most = fmax(most, fabs(get(r, LENGTH, j)));

	r->s[SHORTEST] = most * ((DT_FLOAT32 == r->type) ? 1e-4 : 1e-9);
}

/* ---- choosing -------------------------------------------------------------- */

/** The first of the atoms left with the largest |correlation| per length, -1: none has any. */
static long foremost(const struct run *r, double *value)
{
	long at = -1;
	double most = 0.;

#pragma omp parallel
	{
		long mine = -1;
		double best = 0.;

#pragma omp for schedule(static) nowait
		for (long j = 0; j < r->n; j++) {
			const double length = fabs(get(r, LENGTH, j)), c = fabs(get(r, S, j));

			if (length > r->s[SHORTEST] && c > best * length && 0. == get(r, CHOSEN, j)) {
				best = c / length;
				mine = j;
			}
		}

#pragma omp critical(omp_foremost)
		if (0 <= mine && (best > most || (best == most && mine < at))) {
			most = best;
			at = mine;
		}
	}

	*value = most;

	return at;
}

/** The one to add, its length known; -1: none. */
static long choose(struct run *r, double *value)
{
	long at = foremost(r, value);

	for (int k = 0; k < MEASURED && 0 <= at && get(r, LENGTH, at) < 0.; k++) {
		measure(r, at);
		at = foremost(r, value);
	}

	return at;
}

/* ---- least squares of the atoms chosen -------------------------------------- */

/** x, from the correlations of y - A x on. */
static void solve(struct run *r)
{
	const double least = (DT_FLOAT32 == r->type) ? 1e-5 : 1e-12;
	const long most = 2 * (long)r->s[ATOMS] + 8;
	double first = 0., before = 0.;

	for (long k = 0; k < most; k++) {
		if (0 < k)
			correlate(r, r->w[R]);

		vec_mul(r->type, r->n, r->v[S], r->v[S], r->v[CHOSEN]);

		const double gamma = vec_dot(r->type, r->n, r->v[S], r->v[S]);

		if (0 == k)
			first = gamma;

		if (gamma <= least * least * first)
			break;

		if (0 == k)
			vec_copy(r->type, r->n, r->v[D], r->v[S]);
		else
			vec_xpay(r->type, r->n, r->v[D], gamma / before, r->v[S]);

		const void *image = synthesis(r);

		linop_forward(r->p->A, r->w[Q], image);

		const double curvature = vec_dot(r->type, r->m, r->w[Q], r->w[Q]);

		if (!(curvature > 0.))
			break;

		vec_axpy(r->type, r->n, r->x, gamma / curvature, image);
		vec_axpy(r->type, r->m, r->w[R], -gamma / curvature, r->w[Q]);
		before = gamma;
	}
}

/** y - A x, and what is said of it. */
static void tell(struct run *r)
{
	linop_forward(r->p->A, r->w[R], r->x);
	vec_axpby(r->type, r->m, r->w[R], 1., r->p->y, -1., r->w[R]);
	r->residual = vec_norm(r->type, r->m, r->w[R]);
	r->objective = 0.5 * r->residual * r->residual;
	r->minimum = r->residual <= ((DT_FLOAT32 == r->type) ? 3e-6 : 1e-11) *
	                                    vec_norm(r->type, r->m, r->p->y); // roundings are left
}

static void begin(struct run *r)
{
	r->s[ATOMS] = r->s[SHORTEST] = 0.;
	tell(r);

	if (r->minimum)
		return;

	if (r->n <= FEW)
		for (long j = 0; j < r->n; j++)
			measure(r, j);
	else
		estimate(r);

	find_shortest(r);
	correlate(r, r->w[R]);
	r->minimum = foremost(r, &r->gradient) < 0;
}

static void iterate(struct run *r)
{
	correlate(r, r->w[R]);

	const long at = choose(r, &r->gradient);

	if (0 <= at) {
		set(r, CHOSEN, at, 1.);
		r->s[ATOMS] += 1.;
		solve(r);
	}

	tell(r);
	r->minimum = r->minimum || at < 0;
}

/** As counted for phantoms of 96^2: 4 to 8 conjugate gradients for up to 100 voxels, which hardly overlap; 4
 * and one more for every 5 atoms for wavelets, which do. */
static double projections(long n, long iterations)
{
	const double k = (double)iterations, begin = (n <= FEW) ? (double)n : PROBES;

	return begin + k * (2. + 4. + 2. * (4. + 0.1 * k));
}

const struct algorithm algorithm_omp = {
        .name = "omp",
        .about = "orthogonal matching pursuit (Pati, Rezaiifar and Krishnaprasad 1993): least squares with "
                 "few voxels, or atoms of --dictionary, one more in each iteration",
        .takes = TAKES_DICTIONARY | MONOTONE,
        .volumes = 5,
        .projections = 2,
        .begin = begin,
        .iterate = iterate,
        .projections_of = projections,
};
