/* Lines of any length in float64: mixed radix (Cooley and Tukey 1965) where the largest prime factor is
 * small, else as a convolution of a power of two (Bluestein 1970). */

#include "minimal/fftw/fftw3.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "misc/mem.h"

enum { LARGEST_RADIX = 31 };

struct fft_plan {
	long n;
	int sign;
	complex double *root;                // [n] exp(sign 2 pi i k / n)
	long padded;                         // Bluestein: length of the convolution, else 0
	complex double *chirp;               // [n] exp(sign pi i k^2 / n)
	complex double *other;               // [padded] transform of its conjugate
	struct fft_plan *forward, *backward; // of that length
};

static long largest_factor(long n)
{
	long largest = 1;

	for (long f = 2; f * f <= n; f++)
		for (; n % f == 0; n /= f)
			largest = f;

	return n > largest ? n : largest;
}

static long smallest_factor(long n)
{
	for (long f = 2; f * f <= n; f++)
		if (n % f == 0)
			return f;

	return n;
}

/* out[k] = sum_j in[j step] root^(j k) for a line of n, a divisor of the plan's length. */
static void mixed(const struct fft_plan *p, long n, long step, const complex double *in, complex double *out)
{
	if (1 == n) {
		out[0] = in[0];
		return;
	}

	const long r = smallest_factor(n), m = n / r, stride = p->n / n;
	complex double t[LARGEST_RADIX];

	for (long k = 0; k < r; k++)
		mixed(p, m, step * r, in + k * step, out + k * m);

	for (long j = 0; j < m; j++) {
		for (long k = 0; k < r; k++)
			t[k] = out[k * m + j] * p->root[j * k * stride % p->n];

		for (long q = 0; q < r; q++) {
			complex double sum = 0.;

			for (long k = 0; k < r; k++)
				sum += t[k] * p->root[k * q % r * m * stride];

			out[q * m + j] = sum;
		}
	}
}

static void bluestein(const struct fft_plan *p, const complex double *in, complex double *out)
{
	complex double *a = mem_calloc((size_t)p->padded, sizeof *a);
	complex double *b = mem_alloc((size_t)p->padded * sizeof *b);

	for (long k = 0; k < p->n; k++)
		a[k] = in[k] * p->chirp[k];

	mixed(p->forward, p->padded, 1, a, b);

	for (long k = 0; k < p->padded; k++)
		b[k] *= p->other[k];

	mixed(p->backward, p->padded, 1, b, a);

	for (long k = 0; k < p->n; k++)
		out[k] = a[k] / (double)p->padded * p->chirp[k];

	free(a);
	free(b);
}

static struct fft_plan *plan(long n, int sign);

static void prepare_bluestein(struct fft_plan *p)
{
	const long n = p->n;

	for (p->padded = 1; p->padded < 2 * n; p->padded *= 2)
		;

	p->forward = plan(p->padded, FFTW_FORWARD);
	p->backward = plan(p->padded, FFTW_BACKWARD);
	p->chirp = mem_alloc((size_t)n * sizeof *p->chirp);
	p->other = mem_alloc((size_t)p->padded * sizeof *p->other);

	complex double *around = mem_calloc((size_t)p->padded, sizeof *around);

	for (long k = 0; k < n; k++) { // k^2 modulo 2 n, so that the angle stays exact
		p->chirp[k] = cexp(p->sign * I * M_PI * (double)(k * k % (2 * n)) / (double)n);
		around[k] = around[(p->padded - k) % p->padded] = conj(p->chirp[k]);
	}

	mixed(p->forward, p->padded, 1, around, p->other);
	free(around);
}

static struct fft_plan *plan(long n, int sign)
{
	struct fft_plan *p = mem_calloc(1, sizeof *p);

	p->n = n;
	p->sign = sign;
	p->root = mem_alloc((size_t)n * sizeof *p->root);

	for (long k = 0; k < n; k++)
		p->root[k] = cexp(sign * 2. * I * M_PI * (double)k / (double)n);

	if (largest_factor(n) > LARGEST_RADIX)
		prepare_bluestein(p);

	return p;
}

static void transform(const struct fft_plan *p, const complex double *in, complex double *out)
{
	if (p->padded > 0)
		bluestein(p, in, out);
	else
		mixed(p, p->n, 1, in, out);
}

#define PRECISION(PREFIX, REAL)                                                                              \
	PREFIX##_plan PREFIX##_plan_dft_1d(                                                                  \
	        int n, PREFIX##_complex *in, PREFIX##_complex *out, int sign, unsigned flags)                \
	{                                                                                                    \
		(void)in, (void)out, (void)flags;                                                            \
		return plan(n, sign);                                                                        \
	}                                                                                                    \
                                                                                                             \
	PREFIX##_plan PREFIX##_plan_dft_r2c_1d(int n, REAL *in, PREFIX##_complex *out, unsigned flags)       \
	{                                                                                                    \
		(void)in, (void)out, (void)flags;                                                            \
		return plan(n, FFTW_FORWARD);                                                                \
	}                                                                                                    \
                                                                                                             \
	PREFIX##_plan PREFIX##_plan_dft_c2r_1d(int n, PREFIX##_complex *in, REAL *out, unsigned flags)       \
	{                                                                                                    \
		(void)in, (void)out, (void)flags;                                                            \
		return plan(n, FFTW_BACKWARD);                                                               \
	}                                                                                                    \
                                                                                                             \
	static complex double *PREFIX##_room(const struct fft_plan *p)                                       \
	{                                                                                                    \
		return mem_alloc((size_t)p->n * 2 * sizeof(complex double));                                 \
	}                                                                                                    \
                                                                                                             \
	void PREFIX##_execute_dft(PREFIX##_plan p, PREFIX##_complex *in, PREFIX##_complex *out)              \
	{                                                                                                    \
		complex double *a = PREFIX##_room(p), *b = a + p->n;                                         \
                                                                                                             \
		for (long k = 0; k < p->n; k++)                                                              \
			a[k] = CMPLX(in[k][0], in[k][1]);                                                    \
                                                                                                             \
		transform(p, a, b);                                                                          \
                                                                                                             \
		for (long k = 0; k < p->n; k++) {                                                            \
			out[k][0] = (REAL)creal(b[k]);                                                       \
			out[k][1] = (REAL)cimag(b[k]);                                                       \
		}                                                                                            \
                                                                                                             \
		free(a);                                                                                     \
	}                                                                                                    \
                                                                                                             \
	void PREFIX##_execute_dft_r2c(PREFIX##_plan p, REAL *in, PREFIX##_complex *out)                      \
	{                                                                                                    \
		complex double *a = PREFIX##_room(p), *b = a + p->n;                                         \
                                                                                                             \
		for (long k = 0; k < p->n; k++)                                                              \
			a[k] = in[k];                                                                        \
                                                                                                             \
		transform(p, a, b);                                                                          \
                                                                                                             \
		for (long k = 0; k < p->n / 2 + 1; k++) {                                                    \
			out[k][0] = (REAL)creal(b[k]);                                                       \
			out[k][1] = (REAL)cimag(b[k]);                                                       \
		}                                                                                            \
                                                                                                             \
		free(a);                                                                                     \
	}                                                                                                    \
                                                                                                             \
	void PREFIX##_execute_dft_c2r(PREFIX##_plan p, PREFIX##_complex *in, REAL *out)                      \
	{                                                                                                    \
		complex double *a = PREFIX##_room(p), *b = a + p->n;                                         \
                                                                                                             \
		for (long k = 0; k < p->n / 2 + 1; k++) {                                                    \
			a[k] = CMPLX(in[k][0], in[k][1]);                                                    \
                                                                                                             \
			if (k > 0 && 2 * k < p->n)                                                           \
				a[p->n - k] = conj(a[k]);                                                    \
			else                                                                                 \
				a[k] = creal(a[k]);                                                          \
		}                                                                                            \
                                                                                                             \
		transform(p, a, b);                                                                          \
                                                                                                             \
		for (long k = 0; k < p->n; k++)                                                              \
			out[k] = (REAL)creal(b[k]);                                                          \
                                                                                                             \
		free(a);                                                                                     \
	}

PRECISION(fftwf, float)
PRECISION(fftw, double)
