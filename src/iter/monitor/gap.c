#include <math.h>

#include "iter/monitor/gap.h"

#include "iter/step/fold.h"
#include "num/array/place.h"
#include "num/md/flpmath.h"

/* The largest difference between u and x: a fraction of x, plus a fraction of the largest element. */
static const double around = 0.2, beside = 0.02;

struct pass {
	enum dtype real;
	const void *a, *b, *c;
	double lambda, lo, hi, most, scale;
};

static double number(enum dtype real, const void *x, long i)
{
	return (DT_FLOAT32 == real) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void near_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;

	for (long i = first; i < first + n; i++) {
		const double x = number(p->real, p->a, i), z = number(p->real, p->b, i);
		const double far = around * fabs(x) + beside * p->most;
		const double lo = isfinite(p->lo) ? p->lo : x - far, hi = fmax(fmin(p->hi, x + far), lo);
		const double best = (p->lambda > 0.) ? -z / p->lambda : (z > 0.) ? lo : hi;
		const double u = fmin(fmax(best, lo), hi);

		sum[0] += z * u + 0.5 * p->lambda * u * u;
	}
}

static void squares_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;

	for (long i = first; i < first + n; i++) {
		const double dual = number(p->real, p->a, i), w = number(p->real, p->c, i) / p->scale;

		sum[0] += dual * number(p->real, p->b, i);

		if (0. != dual)
			sum[0] += 0.5 * dual * dual / w;
	}
}

/** Real types and both parts of complex ones alike; vectors may be on a device. */
static double sum_of(const struct run *r, long n, fold_fn *fn, struct pass *p)
{
	const size_t bytes = (size_t)n * dtype_size(r->type);
	const void *const there[] = {p->a, p->b, p->c};
	void *here[3] = {NULL};
	double sum[FOLD_SUMS];

	for (int i = 0; i < 3; i++)
		if (NULL != there[i])
			here[i] = place_take(there[i], bytes);

	p->real = dtype_real(r->type);
	p->a = here[0];
	p->b = here[1];
	p->c = here[2];
	fold(dtype_is_complex(r->type) ? 2 * n : n, fn, p, sum);

	for (int i = 0; i < 3; i++)
		if (NULL != there[i])
			place_done(here[i], there[i]);

	return sum[0];
}

double gap_near(const struct run *r, double lo, double hi, const void *x, const void *z)
{
	const enum dtype real = dtype_real(r->type);
	const long n = dtype_is_complex(r->type) ? 2 * r->n : r->n, strs[] = {(long)dtype_size(real)};

	return sum_of(r, r->n, near_block,
	        &(struct pass){.a = x,
	                .b = z,
	                .lambda = r->p->lambda,
	                .lo = lo,
	                .hi = hi,
	                .most = md_maxabs_t(real, 1, &n, strs, x)});
}

double gap_of_squares(const struct run *r, long n, const void *p, const void *y, const void *W, double scale)
{
	return sum_of(r, n, squares_block, &(struct pass){.a = p, .b = y, .c = W, .scale = scale});
}
