#include "linops/xray/ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/cuda/weigh.h"
#include "misc/mem.h"
#include "num/convert.h"
#include "num/device.h"
#include "num/fft.h"
#include "num/flpmath.h"

/** [bytes] of padded lines that a thread filters at a time. */
static const long block_bytes = 1L << 18;

struct ramp {
	long n;           // samples per line
	long padded;      // of the transforms
	double *response; // padded / 2 + 1, the transform's 1 / padded included
};

static double bend_factor(double angle)
{
	double f = (0. == angle) ? 1. : angle / sin(angle);

	return f * f;
}

struct ramp *ramp_create(const struct ramp_filter *f, long n, double bend)
{
	struct ramp *r = NEW(struct ramp);

	r->n = n;
	r->padded = fft_good_size(mul_checked(2, n, "the padded detector row"));
	r->response = mem_alloc((size_t)(r->padded / 2 + 1) * sizeof *r->response);

	double *h = mem_calloc((size_t)r->padded, sizeof *h);
	double *spectrum = mem_alloc((size_t)(r->padded / 2 + 1) * 2 * sizeof *spectrum);

	ramp_kernel(f, n, h);

	for (long i = 0; i < n; i++) {
		h[i] *= bend_factor((double)i * bend) / (double)r->padded;
		h[i ? r->padded - i : 0] = h[i];
	}

	fft_r2c(r->padded, 1, DT_FLOAT64, spectrum, h);

	for (long i = 0; i <= r->padded / 2; i++)
		r->response[i] = spectrum[2 * i]; // h is even: no imaginary part

	free(spectrum);
	free(h);

	return r;
}

void ramp_free(struct ramp *r)
{
	if (!r)
		return;

	free(r->response);
	free(r);
}

#define REAL   float
#define REALDT DT_FLOAT32
#define FN(x)  x##_float
#include "linops/xray/ramp_impl.inc"

#define REAL   double
#define REALDT DT_FLOAT64
#define FN(x)  x##_double
#include "linops/xray/ramp_impl.inc"

/** Lines per block, independent of the number of threads. */
static long block_lines(const struct ramp *r, enum dtype type)
{
	long lines = block_bytes / (r->padded * (long)dtype_size(type));

	return (lines < 1) ? 1 : lines;
}

/** The same on the GPU, where the lines lie, in blocks that stay in its cache. */
static void lines_there(const struct ramp *r, enum dtype type, long lines, char *x)
{
	const long size = (long)dtype_size(type), half = r->padded / 2 + 1,
	           all = RAMP_BLOCK / (size * r->padded),
	           per = (all < 1)       ? 1
	                 : (all < lines) ? all
	                                 : lines;
	const long close[2] = {size, r->n * size}, apart[2] = {size, r->padded * size},
	           freq_strs[2] = {size, 2 * half * size}, one[2] = {size, 0};
	char *line = device_alloc((size_t)(per * r->padded * size)),
	     *freq = device_alloc((size_t)(per * half * 2 * size)),
	     *factor = device_alloc((size_t)(2 * half * size)); // of both parts: lines without gaps
	double *twice = mem_alloc((size_t)(2 * half) * sizeof *twice);
	char *narrow = mem_alloc((size_t)(2 * half * size));

	for (long i = 0; i < 2 * half; i++)
		twice[i] = r->response[i / 2];

	convert(type, narrow, DT_FLOAT64, twice, 2 * half, NARROW_SATURATE); // device_load() waits
	device_copy(factor, narrow, (size_t)(2 * half * size));
	free(narrow);
	free(twice);

	for (long first = 0, n; first < lines; first += n) {
		n = (lines - first < per) ? lines - first : per;
		char *at = x + first * r->n * size;
		const long dims[2] = {r->n, n}, freq_dims[2] = {2 * half, n};

		weigh_pad(DT_FLOAT64 == type, line, r->padded, at, r->n, n);
		fft_r2c(r->padded, n, type, freq, line);
		md_apply2(OP_MUL, type, 2, freq_dims, freq_strs, freq, freq_strs, freq, one, factor);
		fft_c2r(r->padded, n, type, line, freq);
		md_copy2(2, dims, close, at, apart, line, (size_t)size);
	}

	device_free(line);
	device_free(freq);
	device_free(factor);
}

void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x)
{
	if (device_holds(x)) {
		lines_there(r, type, lines, x);
		return;
	}

	long per = block_lines(r, type);

#pragma omp parallel for schedule(dynamic)
	for (long first = 0; first < lines; first += per) {
		long n = (lines - first < per) ? lines - first : per;

		if (DT_FLOAT32 == type)
			block_float(r, n, (float *)x + first * r->n);
		else
			block_double(r, n, (double *)x + first * r->n);
	}
}
