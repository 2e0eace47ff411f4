/* Passes over vectors on the CPU. */

#include <string.h>

#include "iter/step/updates.h"

#include "iter/step/fold.h"
#include "misc/minmax.h"
#include "num/device/device.h"
#include "num/md/philox.h"

const struct iter_updates *iter_updates_of(const void *p)
{
	return device_holds(p) ? &iter_updates_gpu : &iter_updates_cpu;
}

struct pass {
	enum dtype real;
	void *x, *y;
	const void *u, *v, *w;
	double a, b;
	bool prox;
	uint64_t stream;
	long k;
	const void *const *vectors;
	const double *c;
};

#define UPDATE_KERNELS(T)                                                                                    \
	static void mix_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])                 \
	{                                                                                                    \
		T *restrict y = (T *)p->y + first;                                                           \
		const T a = (T)p->a, b = (T)p->b;                                                            \
		double y2 = 0.;                                                                              \
                                                                                                             \
		if (NULL != p->u) {                                                                          \
			const T *restrict x = (const T *)p->u + first;                                       \
                                                                                                             \
			for (long i = 0; i < n; i++)                                                         \
				y[i] = a * x[i] + b * y[i];                                                  \
		} else {                                                                                     \
			for (long i = 0; i < n; i++)                                                         \
				y[i] *= b;                                                                   \
		}                                                                                            \
                                                                                                             \
		_Pragma("omp simd reduction(+ : y2)") for (long i = 0; i < n; i++) y2 +=                     \
		        (double)y[i] * (double)y[i];                                                         \
                                                                                                             \
		sum[0] += y2;                                                                                \
	}                                                                                                    \
	static void divide_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])              \
	{                                                                                                    \
		T *x = (T *)p->x + first, *last = (NULL == p->y) ? NULL : (T *)p->y + first;                 \
		const T *at = (const T *)p->u + first, *s = (const T *)p->v + first,                         \
		        *d = (const T *)p->w + first;                                                        \
		const T f = (T)-p->a;                                                                        \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			const T q = (d[i] > 0) ? s[i] / d[i] : 0, from = at[i];                              \
                                                                                                             \
			if (NULL != last)                                                                    \
				last[i] = x[i];                                                              \
                                                                                                             \
			x[i] = from + f * q;                                                                 \
			sum[0] += (double)s[i] * (double)s[i];                                               \
			sum[1] += (double)q * (double)q;                                                     \
		}                                                                                            \
	}                                                                                                    \
	static void project_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])             \
	{                                                                                                    \
		T *xp = (T *)p->y + first;                                                                   \
		const T *x = (const T *)p->u + first, *g = (const T *)p->v + first,                          \
		        *d = (const T *)p->w + first;                                                        \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			double z;                                                                            \
			const double to = update_projected(x[i], xp[i], g[i], d[i], p->a, p->b, &z),         \
			             step = d[i] * (z - to);                                                 \
                                                                                                             \
			sum[0] += step * step;                                                               \
			sum[1] += step * (to - x[i]);                                                        \
			xp[i] = (T)to;                                                                       \
		}                                                                                            \
	}                                                                                                    \
	static void add_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])                 \
	{                                                                                                    \
		T *x = (T *)p->x + first;                                                                    \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			sum[0] += x[i] < 0;                                                                  \
			x[i] = (T)(x[i] + p->a);                                                             \
		}                                                                                            \
	}                                                                                                    \
	static void clip_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])                \
	{                                                                                                    \
		T *x = (T *)p->x + first;                                                                    \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			sum[0] += x[i] < 0;                                                                  \
			x[i] = x[i] > 0 ? x[i] : 0;                                                          \
		}                                                                                            \
	}                                                                                                    \
	static void exchange_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])            \
	{                                                                                                    \
		T *x = (T *)p->x + first, *y = (T *)p->y + first;                                            \
                                                                                                             \
		(void)sum;                                                                                   \
                                                                                                             \
		for (long i = 0; i < n; i++) {                                                               \
			const T old = x[i];                                                                  \
                                                                                                             \
			x[i] = y[i];                                                                         \
			y[i] = old;                                                                          \
		}                                                                                            \
	}                                                                                                    \
	static void weigh_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])               \
	{                                                                                                    \
		T *w = (T *)p->x + first;                                                                    \
		const T *z = (const T *)p->u + first;                                                        \
                                                                                                             \
		(void)sum;                                                                                   \
                                                                                                             \
		for (long i = 0; i < n; i++)                                                                 \
			w[i] = (T)update_weight(p->prox, p->a, z[i], w[i]);                                  \
	}                                                                                                    \
	static void signs_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])               \
	{                                                                                                    \
		T *x = p->x;                                                                                 \
		uint32_t bits[4] = {0};                                                                      \
                                                                                                             \
		(void)sum;                                                                                   \
		_Static_assert(0 == FOLD_BLOCK % PHILOX_BITS, "blocks of whole draws");                      \
                                                                                                             \
		for (long i = first; i < first + n; i++) {                                                   \
			if (0 == i % PHILOX_BITS)                                                            \
				philox_signs(bits, p->stream, (uint64_t)(i / PHILOX_BITS));                  \
                                                                                                             \
			x[i] = (T)philox_sign(bits, i);                                                      \
		}                                                                                            \
	}                                                                                                    \
	static void inner_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])               \
	{                                                                                                    \
		const T *restrict w = (const T *)p->w + first;                                               \
                                                                                                             \
		for (long k = 0; k < p->k; k++) {                                                            \
			const T *restrict v = (const T *)p->vectors[k] + first;                              \
			double d = 0.;                                                                       \
                                                                                                             \
			_Pragma("omp simd reduction(+ : d)") for (long i = 0; i < n; i++) d +=               \
			        (double)v[i] * (double)w[i];                                                 \
                                                                                                             \
			sum[k] += d;                                                                         \
		}                                                                                            \
	}                                                                                                    \
	static void combine_##T(const struct pass *p, long first, long n, double sum[FOLD_SUMS])             \
	{                                                                                                    \
		T *y = (T *)p->y + first;                                                                    \
		double y2 = 0.;                                                                              \
                                                                                                             \
		if (p->y != p->u)                                                                            \
			memcpy(y, (const T *)p->u + first, (size_t)n * sizeof *y);                           \
                                                                                                             \
		for (long k = 0; k < p->k; k++) {                                                            \
			const T *v = (const T *)p->vectors[k] + first;                                       \
			const T c = (T)(p->a * p->c[k]);                                                     \
                                                                                                             \
			for (long i = 0; i < n; i++)                                                         \
				y[i] += c * v[i];                                                            \
		}                                                                                            \
                                                                                                             \
		_Pragma("omp simd reduction(+ : y2)") for (long i = 0; i < n; i++) y2 +=                     \
		        (double)y[i] * (double)y[i];                                                         \
                                                                                                             \
		sum[0] += y2;                                                                                \
	}

UPDATE_KERNELS(float)
UPDATE_KERNELS(double)

#define UPDATE_BLOCK(op)                                                                                     \
	static void op##_block(void *ctx, long first, long n, double sum[FOLD_SUMS])                         \
	{                                                                                                    \
		const struct pass *p = ctx;                                                                  \
                                                                                                             \
		if (DT_FLOAT32 == p->real)                                                                   \
			op##_float(p, first, n, sum);                                                        \
		else                                                                                         \
			op##_double(p, first, n, sum);                                                       \
	}

UPDATE_BLOCK(mix)
UPDATE_BLOCK(divide)
UPDATE_BLOCK(project)
UPDATE_BLOCK(add)
UPDATE_BLOCK(clip)
UPDATE_BLOCK(exchange)
UPDATE_BLOCK(weigh)
UPDATE_BLOCK(signs)
UPDATE_BLOCK(inner)
UPDATE_BLOCK(combine)

/** The first `sums` of them to sum, unless that is NULL. */
static void updates_run(fold_fn *fn, struct pass *p, long n, int sums, double *sum)
{
	double all[FOLD_SUMS];

	fold(n, fn, p, all);

	if (NULL != sum)
		memcpy(sum, all, (size_t)sums * sizeof *sum);
}

static void mix(enum dtype real, long n, void *y, const struct update_factor *a, const void *x,
        const struct update_factor *b, double *sum)
{
	struct pass p = {.real = real,
	        .y = y,
	        .u = x,
	        .a = (NULL == x) ? 0. : update_factor(a),
	        .b = update_factor(b)};

	updates_run(mix_block, &p, n, 1, sum);
}

static void divide(enum dtype real, long n, void *x, void *last, const void *at, const void *s, const void *d,
        double relaxation, double sum[2])
{
	updates_run(divide_block,
	        &(struct pass){.real = real, .x = x, .y = last, .u = at, .v = s, .w = d, .a = relaxation}, n,
	        2, sum);
}

static void project(enum dtype real, long n, const void *x, void *xp, const void *g, const void *d,
        double momentum, double lambda, double sum[2])
{
	updates_run(project_block,
	        &(struct pass){.real = real, .y = xp, .u = x, .v = g, .w = d, .a = momentum, .b = lambda}, n,
	        2, sum);
}

static void add(enum dtype real, long n, void *x, double a, double *below)
{
	updates_run(add_block, &(struct pass){.real = real, .x = x, .a = a}, n, 1, below);
}

static void clip(enum dtype real, long n, void *x, double *below)
{
	updates_run(clip_block, &(struct pass){.real = real, .x = x}, n, 1, below);
}

static void exchange(enum dtype real, long n, void *x, void *y)
{
	updates_run(exchange_block, &(struct pass){.real = real, .x = x, .y = y}, n, 0, NULL);
}

static void weigh(enum dtype real, long n, void *w, const void *z, bool prox, double t)
{
	updates_run(
	        weigh_block, &(struct pass){.real = real, .x = w, .u = z, .a = t, .prox = prox}, n, 0, NULL);
}

static void signs(enum dtype real, long n, void *x, uint64_t stream)
{
	updates_run(signs_block, &(struct pass){.real = real, .x = x, .stream = stream}, n, 0, NULL);
}

static void inner(enum dtype real, long n, long k, const void *const v[], const void *w, double *out)
{
	for (long at = 0; at < k; at += FOLD_SUMS) {
		struct pass p = {.real = real, .w = w, .vectors = v + at, .k = min_long(FOLD_SUMS, k - at)};

		updates_run(inner_block, &p, n, (int)p.k, out + at);
	}
}

static void combine(enum dtype real, long n, void *y, const void *x, double sign, long k,
        const void *const v[], const double *c, bool there, double *sum)
{
	struct pass p = {.real = real, .y = y, .u = x, .a = sign, .vectors = v, .c = c, .k = k};

	(void)there; // and here are one
	updates_run(combine_block, &p, n, 1, sum);
}

static void numbers(enum numbers_rule rule, const struct numbers_given *given, double *n)
{
	numbers_apply(rule, given, n);
}

const struct iter_updates iter_updates_cpu = {
        mix, divide, project, add, clip, exchange, weigh, signs, inner, combine, numbers};
