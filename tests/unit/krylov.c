/* Krylov methods with a basis: closed forms, with and without room for the whole space. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { M = 60, N = 24 };

static double A_[M * N], B_[M * N], y_[M]; // column-major; B_ is transposed

/* x = G^-1 b by elimination with pivots. */
static void solve(double G[N][N], double b[N], double x[N])
{
	for (int i = 0; i < N; i++) {
		int p = i;

		for (int j = i + 1; j < N; j++)
			p = (fabs(G[j][i]) > fabs(G[p][i])) ? j : p;

		for (int k = 0; k < N; k++) {
			const double t = G[i][k];

			G[i][k] = G[p][k];
			G[p][k] = t;
		}

		const double t = b[i];

		b[i] = b[p];
		b[p] = t;

		for (int j = i + 1; j < N; j++) {
			const double f = G[j][i] / G[i][i];

			for (int k = i; k < N; k++)
				G[j][k] -= f * G[i][k];

			b[j] -= f * b[i];
		}
	}

	for (int i = N - 1; i >= 0; i--) {
		x[i] = b[i];

		for (int k = i + 1; k < N; k++)
			x[i] -= G[i][k] * x[k];

		x[i] /= G[i][i];
	}
}

/* (B'A + lambda) x = B'y */
static void closed_form(const double *B, double lambda, double x[N])
{
	double G[N][N], b[N];

	for (int j = 0; j < N; j++) {
		b[j] = 0.;

		for (int i = 0; i < M; i++)
			b[j] += B[i + M * j] * y_[i];

		for (int k = 0; k < N; k++) {
			G[j][k] = (j == k) ? lambda : 0.;

			for (int i = 0; i < M; i++)
				G[j][k] += B[i + M * j] * A_[i + M * k];
		}
	}

	solve(G, b, x);
}

static double residual(const double x[N])
{
	double sum = 0.;

	for (int i = 0; i < M; i++) {
		double r = y_[i];

		for (int j = 0; j < N; j++)
			r -= A_[i + M * j] * x[j];

		sum += r * r;
	}

	return sqrt(sum);
}

static double distance(const double a[N], const double b[N])
{
	double sum = 0., of = 0.;

	for (int j = 0; j < N; j++) {
		sum += (a[j] - b[j]) * (a[j] - b[j]);
		of += b[j] * b[j];
	}

	return sqrt(sum / of);
}

static void fill(void)
{
	for (long i = 0; i < (long)M * N; i++) {
		A_[i] = rand_normal(3, (uint64_t)i);
		B_[i] = A_[i] + 0.3 * rand_normal(5, (uint64_t)i);
	}

	for (int i = 0; i < M; i++)
		y_[i] = rand_normal(4, (uint64_t)i);
}

static struct linop *matrix(const double *M_)
{
	return linop_matrix_create(DT_FLOAT64, M, N, M_, 1, (const long[]){N});
}

/* B A x = B y with BA; least squares with AB where B is A', and any equations that have a solution. */
static void test_gmres(void)
{
	struct linop *A = matrix(A_), *other = matrix(B_), *B = linop_adjoint_create(other);
	double least[N], oblique[N], x[N], met[M];

	closed_form(A_, 0., least);
	closed_form(B_, 0., oblique);

	for (int unmatched = 0; unmatched < 2; unmatched++)
		for (int restarts = 0; restarts < 2; restarts++) {
			const struct iter_problem p = {.A = A, .y = y_, .back = unmatched ? B : NULL};
			struct iter_conf conf = {
			        .iterations = restarts ? 400 : 60, .basis = restarts ? 8 : 60};

			struct iter_result res;

			if (unmatched) {
				linop_forward(A, met, oblique);
				res = algorithm_solve(algorithm_find("ab-gmres"),
				        &(const struct iter_problem){.A = A, .y = met, .back = B}, &conf, x);
				check(distance(x, oblique) < 1e-6,
				        "ab-gmres unmatched%s: data that can be met, to %.2g",
				        restarts ? " restarted" : "", distance(x, oblique));
			}

			res = algorithm_solve(algorithm_find("ab-gmres"), &p, &conf, x);

			check(fabs(res.residual - residual(x)) < 1e-8 * residual(x) &&
			                residual(x) < (unmatched ? 1.1 : 1. + 1e-8) * residual(least),
			        "ab-gmres%s%s: least squares, to %.2g of it", unmatched ? " unmatched" : "",
			        restarts ? " restarted" : "", residual(x) / residual(least) - 1.);

			conf.noise = 1e-9;
			res = algorithm_solve(algorithm_find("ba-gmres"), &p, &conf, x);

			const double *want = unmatched ? oblique : least;

			check(distance(x, want) < 1e-7 && fabs(res.residual - residual(x)) < 1e-9,
			        "ba-gmres%s%s: B A x = B y, to %.2g", unmatched ? " unmatched" : "",
			        restarts ? " restarted" : "", distance(x, want));
		}

	linop_free(A);
	linop_free(B);
	linop_free(other);
}

static void test_hybrid(void)
{
	struct linop *A = matrix(A_);
	const struct algorithm *a = algorithm_find("hybrid-lsqr");
	double want[N], x[N], smallest[N];

	closed_form(A_, 2., want);
	closed_form(A_, 0., smallest);

	for (long basis = 2; basis <= 32; basis += 15) { // 2: most of it without the basis
		struct iter_result res =
		        algorithm_solve(a, &(const struct iter_problem){.A = A, .y = y_, .lambda = 2.},
		                &(const struct iter_conf){.iterations = 60, .basis = basis}, x);

		check(distance(x, want) < 1e-9 && fabs(res.residual - residual(x)) < 1e-6 * residual(x),
		        "hybrid-lsqr, a basis of %ld: a lambda that is given, to %.2g", basis,
		        distance(x, want));
	}

	// the discrepancy principle; then x is a solution for some lambda
	const double noise = 1.3 * residual(smallest);
	const struct iter_problem p = {.A = A, .y = y_};

	for (int by_noise = 0; by_noise < 2; by_noise++) {
		double g[N], r[M];

		algorithm_solve(
		        a, &p, &(const struct iter_conf){.iterations = N, .noise = by_noise ? noise : 0.}, x);
		linop_forward(A, r, x);
		vec_axpby(DT_FLOAT64, M, r, 1., y_, -1., r);
		linop_adjoint(A, g, r);

		const double lambda =
		        vec_dot(DT_FLOAT64, N, g, x) / vec_dot(DT_FLOAT64, N, x, x); // A'r = lambda x

		closed_form(A_, lambda, want);
		check(distance(x, want) < 1e-7 && lambda > 0.,
		        "hybrid-lsqr: Tikhonov's solution for lambda %.4g, to %.2g", lambda,
		        distance(x, want));
		check(!by_noise || fabs(residual(x) - noise) < 1e-7 * noise,
		        "hybrid-lsqr: the residual is that of the noise");
	}

	linop_free(A);
}

int main(void)
{
	fill();
	test_gmres();
	test_hybrid();

	return checks_failed > 0;
}
