/* Discrete Fourier transforms by FFTW3, line by line. */

#include <assert.h>
#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/fft/fft_backend.h"
#include "num/md/multind.h"

enum plan_kind { PLAN_FORWARD, PLAN_INVERSE, PLAN_R2C, PLAN_C2R };

/** Lines of n elements `step` apart; line k starts at k / inner * outer_step + k % inner * line_step
 * [elements]. */
struct lines {
	long n, step;
	long lines, inner, line_step, outer_step;
	long group; // lines that are gathered together
	bool centred;
	double scale;
};

/** Elements from line to line in a buffer: a multiple of 64 bytes, so that every line is aligned alike. */
static long line_pitch(long n)
{
	return (n + 8) / 8 * 8;
}

#define REAL    float
#define FFTW(x) fftwf_##x
#define FN(x)   x##_float
#include "num/fft/fft_impl.inc"

#define REAL    double
#define FFTW(x) fftw_##x
#define FN(x)   x##_double
#include "num/fft/fft_impl.inc"

static struct lines lines_along(int D, const long dims[], int d, unsigned mode)
{
	enum { GROUP = 16, GROUP_ELEMENTS = 1 << 16 };
	long before = md_calc_size(d, dims), n = dims[d], all = md_calc_size(D, dims);
	struct lines l = {.n = n,
	        .step = before,
	        .lines = all / n,
	        .inner = before,
	        .line_step = 1,
	        .outer_step = before * n,
	        .centred = 0 != (mode & FFT_CENTRED),
	        .scale = (mode & FFT_UNITARY) ? 1. / sqrt((double)n) : 1.};

	if (1 == before) {
		l.inner = l.lines;
		l.line_step = n;
		l.outer_step = all;
	}

	l.group = GROUP_ELEMENTS / n;
	l.group = (l.group < 1) ? 1 : (l.group > GROUP) ? GROUP : l.group;

	return l;
}

static void cpu_fft(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type,
        void *out, const void *in)
{
	const void *src = in;

	for (int d = 0; d < D; d++) {
		if (!(dimflags & 1ul << d) || 1 == dims[d])
			continue;

		struct lines l = lines_along(D, dims, d, mode);

		if (DT_COMPLEX64 == type)
			along_float(&l, 0 != (mode & FFT_INVERSE), out, src);
		else
			along_double(&l, 0 != (mode & FFT_INVERSE), out, src);

		src = out;
	}

	if (src == in && out != in)
		md_copy(D, dims, out, in, dtype_size(type));
}

static void cpu_r2c(long n, long batch, enum dtype type, void *out, const void *in)
{
	if (DT_FLOAT32 == type)
		r2c_float(n, batch, out, in);
	else
		r2c_double(n, batch, out, in);
}

static void cpu_c2r(long n, long batch, enum dtype type, void *out, void *in)
{
	if (DT_FLOAT32 == type)
		c2r_float(n, batch, out, in);
	else
		c2r_double(n, batch, out, in);
}

const struct fft_backend fft_backend_cpu = {cpu_fft, cpu_r2c, cpu_c2r, NULL};

static const struct fft_backend *backend_at(const void *p)
{
	return device_holds(p) ? &fft_backend_gpu : &fft_backend_cpu;
}

static void check_complex(enum dtype type)
{
	if (DT_COMPLEX64 != type && DT_COMPLEX128 != type)
		error("a Fourier transform of %s elements is not supported, expected complex64 or "
		      "complex128",
		        dtype_name(type));
}

void fft(int D, const long dims[], unsigned long dimflags, unsigned mode, enum dtype type, void *out,
        const void *in)
{
	check_complex(type);
	backend_at(out)->fft(D, dims, dimflags, mode, type, out, in);
}

struct fft_line fft_line(long n, enum dtype type, unsigned mode)
{
	check_complex(type);

	const enum plan_kind kind = (mode & FFT_INVERSE) ? PLAN_INVERSE : PLAN_FORWARD;

	return (struct fft_line){.type = type,
	        .plan = (DT_COMPLEX64 == type) ? (void *)plan_line_float(kind, n)
	                                       : (void *)plan_line_double(kind, n)};
}

void fft_line_run(struct fft_line l, void *out, const void *in)
{
	assert(0 == ((uintptr_t)out | (uintptr_t)in) % 64);

	if (DT_COMPLEX64 == l.type)
		fftwf_execute_dft(l.plan, (void *)in, out);
	else
		fftw_execute_dft(l.plan, (void *)in, out);
}

static void check_real(enum dtype type)
{
	if (DT_FLOAT32 != type && DT_FLOAT64 != type)
		error("a real Fourier transform of %s elements is not supported, expected float32 or "
		      "float64",
		        dtype_name(type));
}

void fft_r2c(long n, long batch, enum dtype type, void *out, const void *in)
{
	check_real(type);
	backend_at(out)->r2c(n, batch, type, out, in);
}

void fft_c2r(long n, long batch, enum dtype type, void *out, void *in)
{
	check_real(type);
	backend_at(out)->c2r(n, batch, type, out, in);
}

bool fft_on_device(void)
{
	return NULL != fft_backend_gpu.is_there && fft_backend_gpu.is_there();
}

/** Whether n has no prime factor above 7. */
static bool is_smooth(long n)
{
	static const long primes[] = {2, 3, 5, 7};

	for (int i = 0; i < 4; i++)
		while (0 == n % primes[i])
			n /= primes[i];

	return 1 == n;
}

long fft_good_size(long n)
{
	if (n < 1)
		n = 1;

	while (!is_smooth(n))
		n++;

	return n;
}

long fft_line_size(long n)
{
	long size = 1;

	while (size < n)
		size *= 2;

	return (size >= 8 && n <= size / 8 * 5) ? size / 8 * 5 : size;
}
