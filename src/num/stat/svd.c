#include <math.h>
#include <stdbool.h>

#include "num/stat/svd.h"

/** The rotation of columns p and q, of r elements, that makes them orthogonal; false if they already are. */
static bool rotate(
        long r, double complex *p, double complex *q, long n, double complex *vp, double complex *vq)
{
	double alpha = 0., beta = 0.;
	double complex gamma = 0.;

	for (long i = 0; i < r; i++) {
		alpha += creal(p[i]) * creal(p[i]) + cimag(p[i]) * cimag(p[i]);
		beta += creal(q[i]) * creal(q[i]) + cimag(q[i]) * cimag(q[i]);
		gamma += conj(p[i]) * q[i];
	}

	const double g = cabs(gamma);

	if (!(g > 1e-15 * sqrt(alpha * beta)))
		return false;

	const double zeta = (beta - alpha) / (2. * g);
	const double t = copysign(1., zeta) / (fabs(zeta) + sqrt(1. + zeta * zeta));
	const double c = 1. / sqrt(1. + t * t), s = c * t;
	const double complex turn = conj(gamma) / g;

	for (long i = 0; i < r; i++) {
		const double complex a = p[i], b = q[i] * turn;

		p[i] = c * a - s * b;
		q[i] = s * a + c * b;
	}

	for (long i = 0; i < n; i++) {
		const double complex a = vp[i], b = vq[i] * turn;

		vp[i] = c * a - s * b;
		vq[i] = s * a + c * b;
	}

	return true;
}

void svd_jacobi(long r, long n, double complex *M, double complex *V, double *sigma)
{
	// rounds of pairs of columns as of a tournament: the pairs of a round are disjoint, any thread may
	// take one
	const long seats = n + n % 2;
	bool again = n > 1;

	for (long i = 0; i < n * n; i++)
		V[i] = (i % (n + 1) == 0) ? 1. : 0.;

	for (int sweep = 0; sweep < 60 && again; sweep++) {
		again = false;

		for (long round = 0; round < seats - 1; round++) {
#pragma omp parallel for reduction(|| : again) if (r * n > 10000)
			for (long k = 0; k < seats / 2; k++) {
				const long a = (0 == k) ? seats - 1 : (round + k) % (seats - 1);
				const long b = (round + seats - 1 - k) % (seats - 1);
				const long p = (a < b) ? a : b, q = (a < b) ? b : a;

				if (q < n)
					again = rotate(r, M + p * r, M + q * r, n, V + p * n, V + q * n) ||
					        again;
			}
		}
	}

	for (long j = 0; j < n; j++) {
		double s = 0.;

		for (long i = 0; i < r; i++)
			s += creal(M[j * r + i]) * creal(M[j * r + i]) +
			     cimag(M[j * r + i]) * cimag(M[j * r + i]);

		sigma[j] = sqrt(s);
	}
}
