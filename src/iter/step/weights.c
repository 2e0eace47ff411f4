#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/step/weights.h"

#include "iter/step/fold.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

struct weights {
	bool computed; // exp(ymin - y)
	double ymin;
	enum dtype type; // of data
	const void *data;
	long dims[DIMS];         // of what is weighted
	long steps[DIMS];        // [elements], 0 where repeated
	struct scratch *weighed; // of weights_norm2() on a device
};

struct weights *weights_create_array(
        const long dims[DIMS], const long wdims[DIMS], enum dtype wtype, const void *data)
{
	if (!md_check_broadcast(DIMS, dims, wdims))
		error("dimensions of the weights and of the data differ: expected equal lengths, or weights "
		      "of "
		      "length 1");

	struct weights *w = NEW(struct weights);
	long step = 1;

	w->weighed = NEW(struct scratch);

	w->type = wtype;
	w->data = data;

	for (int i = 0; i < DIMS; i++) {
		w->dims[i] = dims[i];
		w->steps[i] = wdims[i] > 1 ? step : 0;
		step *= wdims[i];
	}

	return w;
}

struct weights *weights_create_exp(enum dtype ytype, const void *y, double ymin)
{
	struct weights *w = NEW(struct weights);

	*w = (struct weights){
	        .computed = true, .ymin = ymin, .type = ytype, .data = y, .weighed = NEW(struct scratch)};

	return w;
}

void weights_free(struct weights *w)
{
	if (w == NULL)
		return;

	scratch_free(w->weighed);
	free(w->weighed);
	free(w);
}

/* Elements first .. first + n - 1 of the weights of an array, converted, repeated along its dims of length 1.
 */
static void read_array(const struct weights *w, enum dtype real, long first, long n, char *out)
{
	size_t size = dtype_size(real);
	long pos[DIMS];
	long at = 0;

	for (int i = 0; i < DIMS; i++) {
		pos[i] = first % w->dims[i];
		first /= w->dims[i];
		at += pos[i] * w->steps[i];
	}

	while (n > 0) {
		long run = w->dims[0] - pos[0] < n ? w->dims[0] - pos[0] : n;
		const char *in = (const char *)w->data + at * (long)dtype_size(w->type);

		long distinct = w->steps[0] == 1 ? run : 1;

		convert(real, out, w->type, in, distinct, NARROW_SATURATE);

		for (long k = distinct; k < run; k++)
			memcpy(out + k * (long)size, out, size);

		out += run * (long)size;
		n -= run;
		at -= pos[0] * w->steps[0];
		pos[0] = 0;

		for (int i = 1; i < DIMS; i++) {
			at += w->steps[i];

			if (++pos[i] < w->dims[i])
				break;

			at -= pos[i] * w->steps[i];
			pos[i] = 0;
		}
	}
}

#define WEIGHTS_KERNELS(T, name, real, exponential)                                                          \
	static void read_##name(const struct weights *w, long first, long n, T *out)                         \
	{                                                                                                    \
		if (!w->computed) {                                                                          \
			read_array(w, real, first, n, (char *)out);                                          \
			return;                                                                              \
		}                                                                                            \
		assert(w->type == real);                                                                     \
		for (long i = 0; i < n; i++)                                                                 \
			out[i] = exponential((T)(w->ymin - ((const T *)w->data)[first + i]));                \
	}                                                                                                    \
	static void apply_##name(                                                                            \
	        const struct weights *w, int parts, long first, long n, T *dst, const T *src)                \
	{                                                                                                    \
		T buf[FOLD_BLOCK];                                                                           \
		read_##name(w, first, n, buf);                                                               \
		for (long i = 0; i < n; i++)                                                                 \
			for (int k = 0; k < parts; k++)                                                      \
				dst[parts * (first + i) + k] = buf[i] * src[parts * (first + i) + k];        \
	}                                                                                                    \
	static void xpay_##name(                                                                             \
	        const struct weights *w, int parts, long first, long n, T *y, T beta, const T *x)            \
	{                                                                                                    \
		T buf[FOLD_BLOCK];                                                                           \
		read_##name(w, first, n, buf);                                                               \
		for (long i = 0; i < n; i++)                                                                 \
			for (int k = 0; k < parts; k++) {                                                    \
				long j = parts * (first + i) + k;                                            \
				y[j] = buf[i] * x[j] + (beta == 0 ? 0 : beta * y[j]);                        \
			}                                                                                    \
	}                                                                                                    \
	static double norm2_##name(const struct weights *w, int parts, long first, long n, const T *x)       \
	{                                                                                                    \
		T buf[FOLD_BLOCK];                                                                           \
		double sum = 0.;                                                                             \
		read_##name(w, first, n, buf);                                                               \
		for (long i = 0; i < n; i++)                                                                 \
			for (int k = 0; k < parts; k++) {                                                    \
				double v = x[parts * (first + i) + k];                                       \
				sum += (double)buf[i] * v * v;                                               \
			}                                                                                    \
		return sum;                                                                                  \
	}

WEIGHTS_KERNELS(float, float, DT_FLOAT32, expf)
WEIGHTS_KERNELS(double, double, DT_FLOAT64, exp)

void weights_block(const struct weights *w, enum dtype real, long first, long n, void *out)
{
	float narrow[FOLD_BLOCK];

	if (real == DT_FLOAT32)
		read_float(w, first, n, out);
	else if (!w->computed || w->type == DT_FLOAT64)
		read_double(w, first, n, out);
	else {
		read_float(w, first, n, narrow);
		convert(DT_FLOAT64, out, DT_FLOAT32, narrow, n, NARROW_SATURATE);
	}
}

struct pass {
	const struct weights *w;
	enum dtype type;
	void *dst;
	const void *src;
	double beta;
};

static void apply_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	int parts = dtype_is_complex(p->type) ? 2 : 1;

	(void)sum;

	if (dtype_real(p->type) == DT_FLOAT32)
		apply_float(p->w, parts, first, n, p->dst, p->src);
	else
		apply_double(p->w, parts, first, n, p->dst, p->src);
}

static void xpay_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	int parts = dtype_is_complex(p->type) ? 2 : 1;

	(void)sum;

	if (dtype_real(p->type) == DT_FLOAT32)
		xpay_float(p->w, parts, first, n, p->dst, (float)p->beta, p->src);
	else
		xpay_double(p->w, parts, first, n, p->dst, p->beta, p->src);
}

static void norm2_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	int parts = dtype_is_complex(p->type) ? 2 : 1;

	if (dtype_real(p->type) == DT_FLOAT32)
		sum[0] += norm2_float(p->w, parts, first, n, p->src);
	else
		sum[0] += norm2_double(p->w, parts, first, n, p->src);
}

/* ---- weights on a device: an element for each of what they weigh, of its real type ---- */

static void device_apply(const struct weights *w, enum dtype type, long n, void *dst, const void *src)
{
	const enum dtype real = dtype_real(type);
	const long size = (long)dtype_size(real), parts = dtype_is_complex(type) ? 2 : 1;
	const long dims[2] = {parts, n}, all[2] = {size, parts * size}, one[2] = {0, size};

	assert(!w->computed && w->type == real && device_holds(w->data));
	md_apply2(OP_MUL, real, 2, dims, all, dst, all, src, one, w->data);
}

void weights_apply(const struct weights *w, enum dtype type, long n, void *dst, const void *src)
{
	double sum[FOLD_SUMS];

	if (w != NULL && device_holds(src))
		device_apply(w, type, n, dst, src);
	else if (w != NULL)
		fold(n, apply_block, &(struct pass){w, type, dst, src, 0.}, sum);
	else if (dst != src)
		vec_copy(type, n, dst, src);
}

void weights_xpay(const struct weights *w, enum dtype type, long n, void *y, double beta, const void *x)
{
	double sum[FOLD_SUMS];

	if (w != NULL && device_holds(x)) {
		void *weighed = scratch_get(w->weighed, type, n, x);

		device_apply(w, type, n, weighed, x);
		vec_axpby(type, n, y, 1., weighed, beta, y);
	} else if (w != NULL)
		fold(n, xpay_block, &(struct pass){w, type, y, x, beta}, sum);
	else if (beta == 0.)
		vec_copy(type, n, y, x);
	else
		vec_xpay(type, n, y, beta, x);
}

double weights_norm2(const struct weights *w, enum dtype type, long n, const void *x)
{
	double sum[FOLD_SUMS];

	if (w == NULL)
		return vec_dot(type, n, x, x);

	if (device_holds(x)) {
		double *there = device_alloc(sizeof *there);

		weights_norm2_to(w, type, n, there, x);

		return number_take(there);
	}

	fold(n, norm2_block, &(struct pass){w, type, NULL, x, 0.}, sum);

	return sum[0];
}

void weights_norm2_to(const struct weights *w, enum dtype type, long n, double *out, const void *x)
{
	if (w == NULL) {
		vec_dot_to(type, n, out, x, x);
	} else if (device_holds(x)) {
		void *weighed = scratch_get(w->weighed, type, n, x);

		device_apply(w, type, n, weighed, x);
		vec_dot_to(type, n, out, weighed, x);
	} else {
		*out = weights_norm2(w, type, n, x);
	}
}
