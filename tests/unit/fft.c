/* Fourier transforms against the sum that defines them. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "misc/mem.h"
#include "num/fft/fft.h"
#include "num/md/multind.h"
#include "num/md/rand.h"

static complex double *noise(long n, uint64_t seed)
{
	complex double *x = mem_alloc((size_t)n * sizeof *x);

	for (long i = 0; i < n; i++)
		x[i] = rand_normal(seed, 2 * (uint64_t)i) + I * rand_normal(seed, 2 * (uint64_t)i + 1);

	return x;
}

static double distance(long n, const complex double *a, const complex double *b)
{
	double d = 0, s = 0;

	for (long i = 0; i < n; i++) {
		d += creal((a[i] - b[i]) * conj(a[i] - b[i]));
		s += creal(b[i] * conj(b[i]));
	}

	return sqrt(d / s);
}

/* One line by its definition; exponents reduced modulo n before they become angles. */
static void dft_line(long n, unsigned mode, complex double *y, const complex double *x, long step)
{
	complex double *w = mem_alloc((size_t)n * sizeof *w);
	double sign = mode & FFT_INVERSE ? 1 : -1, factor = mode & FFT_UNITARY ? 1 / sqrt((double)n) : 1;
	long c = mode & FFT_CENTRED ? n / 2 : 0;

	for (long i = 0; i < n; i++)
		w[i] = cexp(sign * 2 * M_PI * I * (double)i / (double)n);

	for (long k = 0; k < n; k++) {
		complex double sum = 0;

		for (long i = 0; i < n; i++)
			sum += x[i * step] * w[((k - c) * (i - c) % n + n) % n];

		y[k * step] = factor * sum;
	}

	free(w);
}

static void dft(int D, const long dims[], unsigned long flags, unsigned mode, complex double *y,
        const complex double *x)
{
	long n = md_calc_size(D, dims), step = 1;
	complex double *t = mem_alloc((size_t)n * sizeof *t);

	memcpy(y, x, (size_t)n * sizeof *y);

	for (int d = 0; d < D; d++) {
		for (long i = 0; (flags & 1ul << d) && i < n / dims[d]; i++) {
			long at = i / step * step * dims[d] + i % step;

			dft_line(dims[d], mode, t + at, y + at, step);
		}

		if (flags & 1ul << d)
			memcpy(y, t, (size_t)n * sizeof *y);

		step *= dims[d];
	}

	free(t);
}

static void test_sizes(void)
{
	static const long sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 31, 64, 97, 100, 509, 2047, 2049};

	for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		long n = sizes[k];
		complex double *x = noise(n, 1), *y = mem_alloc((size_t)n * sizeof *y);
		complex double *r = mem_alloc((size_t)n * sizeof *r);
		double worst = 0;

		for (unsigned mode = 0; mode < 8; mode++) {
			if (n > 600 && 0 != mode && 7 != mode)
				continue;

			fft(1, &n, 1, mode, DT_COMPLEX128, y, x);
			dft(1, &n, 1, mode, r, x);
			worst = fmax(worst, distance(n, y, r));
		}

		check(worst < 1e-13, "fft: %ld elements, every mode (off by %.1e)", n, worst);
		free(x);
		free(y);
		free(r);
	}
}

static void test_dims(void)
{
	const long dims[] = {6, 5, 1, 7, 3};
	long n = md_calc_size(5, dims);
	complex double *x = noise(n, 2), *y = mem_alloc((size_t)n * sizeof *y);
	complex double *r = mem_alloc((size_t)n * sizeof *r);
	complex float *f = mem_alloc((size_t)n * sizeof *f);
	double worst = 0, worst_float = 0;
	bool in_place = true;

	for (unsigned long flags = 0; flags < 32; flags++) {
		unsigned mode = (unsigned)(flags * 5 % 8);

		dft(5, dims, flags, mode, r, x);
		fft(5, dims, flags, mode, DT_COMPLEX128, y, x);
		worst = fmax(worst, distance(n, y, r));

		complex double *z = mem_alloc((size_t)n * sizeof *z);

		memcpy(z, x, (size_t)n * sizeof *z);
		fft(5, dims, flags, mode, DT_COMPLEX128, z, z);
		in_place = in_place && 0 == memcmp(z, y, (size_t)n * sizeof *z);

		for (long i = 0; i < n; i++)
			f[i] = (complex float)x[i];

		fft(5, dims, flags, mode, DT_COMPLEX64, f, f);

		for (long i = 0; i < n; i++)
			z[i] = f[i];

		worst_float = fmax(worst_float, distance(n, z, r));
		free(z);
	}

	check(worst < 1e-14, "fft: any choice of dims (off by %.1e)", worst);
	check(worst_float < 1e-6, "fft: single precision (off by %.1e)", worst_float);
	check(in_place, "fft: in place has the same bits");
	free(x);
	free(y);
	free(r);
	free(f);
}

static void test_threads(void)
{
	const long dims[] = {65, 48, 37};
	long n = md_calc_size(3, dims);
	complex double *x = noise(n, 3), *y = mem_alloc((size_t)n * sizeof *y);
	complex double *one = mem_alloc((size_t)n * sizeof *one);
	bool same = true;

	omp_set_num_threads(1);
	fft(3, dims, 7, FFT_CENTRED, DT_COMPLEX128, one, x);

	for (int j = 2; j <= 7; j += 5) {
		omp_set_num_threads(j);
		fft(3, dims, 7, FFT_CENTRED, DT_COMPLEX128, y, x);
		same = same && 0 == memcmp(one, y, (size_t)n * sizeof *y);
	}

	check(same, "fft: the same bits for 1, 2 and 7 threads");

	// at an address of other alignment
	complex double *shifted = mem_alloc((size_t)(n + 1) * sizeof *shifted);

	memcpy(shifted + 1, x, (size_t)n * sizeof *x);
	fft(3, dims, 7, FFT_CENTRED, DT_COMPLEX128, shifted + 1, shifted + 1);
	check(0 == memcmp(one, shifted + 1, (size_t)n * sizeof *y), "fft: the same bits at another address");

	fft(3, dims, 7, FFT_UNITARY | FFT_CENTRED, DT_COMPLEX128, y, x);

	double before = 0, after = 0;

	for (long i = 0; i < n; i++) {
		before += creal(x[i] * conj(x[i]));
		after += creal(y[i] * conj(y[i]));
	}

	check(fabs(after / before - 1) < 1e-13, "fft: the unitary transform keeps the norm");
	fft(3, dims, 7, FFT_UNITARY | FFT_CENTRED | FFT_INVERSE, DT_COMPLEX128, y, y);
	check(distance(n, y, x) < 1e-14, "fft: its inverse undoes it");
	free(x);
	free(y);
	free(one);
	free(shifted);
}

static void test_real(void)
{
	static const long sizes[] = {1, 2, 3, 8, 15, 97, 2047, 4097};
	enum { BATCH = 3 };

	for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		long n = sizes[k], m = n / 2 + 1;
		const long dims[] = {n, BATCH};
		complex double *z = noise(n * BATCH, 4), *y = mem_alloc((size_t)(n * BATCH) * sizeof *y);
		double *x = mem_alloc((size_t)(n * BATCH) * sizeof *x),
		       *back = mem_alloc((size_t)(n * BATCH) * sizeof *back);
		float *f = mem_alloc((size_t)(n * BATCH) * sizeof *f),
		      *fb = mem_alloc((size_t)(n * BATCH) * sizeof *fb);
		complex double *half = mem_alloc((size_t)(m * BATCH) * sizeof *half);
		complex float *fh = mem_alloc((size_t)(m * BATCH) * sizeof *fh);
		double off = 0, off_float = 0;

		for (long i = 0; i < n * BATCH; i++) {
			f[i] = (float)(x[i] = creal(z[i]));
			z[i] = x[i];
		}

		fft(2, dims, 1, 0, DT_COMPLEX128, y, z);
		fft_r2c(n, BATCH, DT_FLOAT64, half, x);
		fft_r2c(n, BATCH, DT_FLOAT32, fh, f);

		for (long b = 0; b < BATCH; b++)
			for (long i = 0; i < m; i++) {
				off = fmax(off, cabs(half[b * m + i] - y[b * n + i]));
				off_float = fmax(off_float, cabs(fh[b * m + i] - y[b * n + i]));
			}

		fft_c2r(n, BATCH, DT_FLOAT64, back, half);
		fft_c2r(n, BATCH, DT_FLOAT32, fb, fh);

		for (long i = 0; i < n * BATCH; i++) {
			off = fmax(off, fabs(back[i] / (double)n - x[i]));
			off_float = fmax(off_float, fabs(fb[i] / (double)n - x[i]));
		}

		check(off < 1e-11 && off_float < 1e-3, "fft: real lines of %ld, there and back", n);
		free(z);
		free(y);
		free(x);
		free(back);
		free(f);
		free(fb);
		free(half);
		free(fh);
	}
}

/** Single lines between buffers of the caller. */
static void test_lines(void)
{
	static const long sizes[] = {1, 2, 5, 10, 64, 97, 320};

	for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		const long n = sizes[k];
		complex double *x = noise(n, 7), *y = mem_alloc((size_t)n * sizeof *y);
		complex double *z = mem_alloc((size_t)n * sizeof *z);
		complex float *f = mem_alloc((size_t)n * sizeof *f), *g = mem_alloc((size_t)n * sizeof *g);
		double off = 0;

		for (unsigned mode = 0; mode <= FFT_INVERSE; mode += FFT_INVERSE) {
			for (long i = 0; i < n; i++)
				f[i] = (complex float)x[i];

			fft(1, &n, 1, mode, DT_COMPLEX128, y, x);
			fft_line_run(fft_line(n, DT_COMPLEX128, mode), z, x);
			off = fmax(off, distance(n, z, y));
			fft_line_run(fft_line(n, DT_COMPLEX64, mode), g, f);

			for (long i = 0; i < n; i++)
				z[i] = g[i];

			off = fmax(off, 1e-8 * distance(n, z, y));
		}

		check(off < 1e-14, "fft: single lines of %ld, both types (off by %.1e)", n, off);
		free(x);
		free(y);
		free(z);
		free(f);
		free(g);
	}

	check(1 == fft_line_size(0) && 5 == fft_line_size(5) && 8 == fft_line_size(6) &&
	                640 == fft_line_size(513) && 640 == fft_line_size(640) && 1024 == fft_line_size(641),
	        "sizes of lines: 2^a or 5 2^a");
}

static void real_type(void)
{
	const long n = 4;
	float x[8] = {0};

	fft(1, &n, 1, 0, DT_FLOAT32, x, x);
}

static void real_line(void)
{
	fft_line(4, DT_FLOAT64, 0);
}

int main(void)
{
	test_sizes();
	test_dims();
	test_threads();
	test_real();
	test_lines();
	check(1 == fft_good_size(0) && 7 == fft_good_size(7) && 12 == fft_good_size(11) &&
	                2048 == fft_good_size(2047) && 2058 == fft_good_size(2050),
	        "good sizes: no prime factor above 7");
	check_ends(1, "expected complex64", real_type, "fft: refuses real types");
	check_ends(1, "float64 elements is not supported, expected complex64", real_line,
	        "fft: so do single lines");

	return checks_failed > 0;
}
