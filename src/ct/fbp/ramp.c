#include "ct/fbp/ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/cuda/weigh.h"
#include "ct/fbp/line_kernels.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/fft/fft.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** Frequency responses are those of the kernel for zero-padded lines, and include the factor of the
 * transforms. */
struct ramp {
	long n;           // samples per line
	long padded;      // on a device
	double *response; // padded / 2 + 1, on a device
	long pairs;       // complex elements of a line padded on the host
	double *wide;     // 2 pairs factors each of an element and of its partner, see set_factors()
	float *narrow;    // the same
};

static double bend_factor(double angle)
{
	double f = (0. == angle) ? 1. : angle / sin(angle);

	return f * f;
}

/**
 * response[0..m] of the even kernel h[0..n-1] on a circle of 2 m >= 2 n samples, over 2 m. With even samples
 * as real and odd ones as imaginary parts, a real line is a complex one of m, from whose spectrum z its own
 * follows,
 *
 *     x[k] = e + exp(-i t) o,    e = (z[k] + conj z[m - k]) / 2,  i o = (z[k] - conj z[m - k]) / 2,
 *
 * t = pi k / m and z[m] = z[0]; that of an even line is real.
 */
static void even_response(long n, const double *h, long m, double *response)
{
	double *x = mem_alloc((size_t)(2 * m) * sizeof *x);

	memset(x, 0, (size_t)(2 * m) * sizeof *x);

	for (long i = 0; i < n; i++)
		x[i] = x[i ? 2 * m - i : 0] = h[i] / (double)(2 * m);

	fft(1, &m, 1, 0, DT_COMPLEX128, x, x);

	for (long k = 0; k <= m; k++) {
		const double t = M_PI * (double)k / (double)m, *z = x + k % m * 2, *y = x + (m - k) % m * 2;

		response[k] = 0.5 * (z[0] + y[0] + cos(t) * (z[1] + y[1]) - sin(t) * (z[0] - y[0]));
	}

	free(x);
}

void ramp_response(const struct ramp_filter *f, long n, long m, double *response)
{
	double *h = mem_alloc((size_t)n * sizeof *h);

	ramp_kernel(f, n, h);
	even_response(n, h, m, response);
	free(h);
}

/**
 * In the terms of even_response(): from z to x, times the response R, and back to z is one step,
 *
 *     z'[k] = (s - d sin t) z[k] + (d cos t) i conj z[m - k],
 *     s = (R[k] + R[m - k]) / 2,  d = (R[k] - R[m - k]) / 2,
 *
 * and i conj z is z with its parts swapped: in memory, the line read backwards.
 */
static void set_factors(struct ramp *r, const double *h)
{
	const long m = r->pairs;
	double *R = mem_alloc((size_t)(m + 1) * sizeof *R);

	even_response(r->n, h, m, R);
	r->wide = mem_alloc((size_t)(4 * m) * sizeof *r->wide);
	r->narrow = mem_alloc((size_t)(4 * m) * sizeof *r->narrow);

	for (long i = 0; i < 2 * m; i++) {
		const long k = i / 2;
		const double t = M_PI * (double)k / (double)m, s = R[k] + R[m - k], d = R[k] - R[m - k];

		r->wide[i] = s - d * sin(t); // twice: the transforms of m have a factor m, not 2 m
		r->wide[2 * m + i] = d * cos(t);
	}

	for (long i = 0; i < 4 * m; i++)
		r->narrow[i] = (float)r->wide[i];

	free(R);
}

struct ramp *ramp_create(const struct ramp_filter *f, long n, double bend)
{
	struct ramp *r = NEW(struct ramp);
	double *h = mem_alloc((size_t)n * sizeof *h);

	r->n = n;
	r->padded = mul_checked(2, fft_good_size(n), "the padded detector row");
	r->pairs = fft_line_size(n);
	r->response = mem_alloc((size_t)(r->padded / 2 + 1) * sizeof *r->response);
	ramp_kernel(f, n, h);

	for (long i = 0; i < n; i++)
		h[i] *= bend_factor((double)i * bend);

	even_response(n, h, r->padded / 2, r->response);
	set_factors(r, h);
	free(h);

	return r;
}

void ramp_free(struct ramp *r)
{
	if (!r)
		return;

	free(r->response);
	free(r->wide);
	free(r->narrow);
	free(r);
}

#define REAL    float
#define COMPLEX DT_COMPLEX64
#define FACTORS narrow
#define FN(x)   x##_float
#include "ct/fbp/ramp_impl.inc"

#define REAL    double
#define COMPLEX DT_COMPLEX128
#define FACTORS wide
#define FN(x)   x##_double
#include "ct/fbp/ramp_impl.inc"

void ramp_lines_from(
        const struct ramp *r, enum dtype type, long lines, void *x, ramp_load *load, const void *ctx)
{
	if (DT_FLOAT32 == type)
		lines_float(r, lines, x, load, ctx);
	else
		lines_double(r, lines, x, load, ctx);
}

/** The lines on the GPU, where they lie, in blocks that stay in its cache. */
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

/** Lines of so many bytes, one behind another. */
struct row {
	const char *x;
	size_t bytes;
};

static void load_row(const void *ctx, long l, void *line, double *room)
{
	const struct row *row = ctx;

	(void)room;
	memcpy(line, row->x + (size_t)l * row->bytes, row->bytes);
}

void ramp_lines(const struct ramp *r, enum dtype type, long lines, void *x)
{
	if (device_holds(x))
		lines_there(r, type, lines, x);
	else
		ramp_lines_from(
		        r, type, lines, x, load_row, &(const struct row){x, (size_t)r->n * dtype_size(type)});
}
