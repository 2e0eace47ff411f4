#include <complex.h>
#include <math.h>

#include "iter/step/mean_weight.h"

#include "iter/step/fold.h"
#include "misc/error.h"
#include "num/array/place.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

static const double longest = 100.; // of M, in units of its smallest element

struct pass {
	enum dtype type; // of a and b
	char *out;       // real
	const char *a, *b;
	double floor; // of the mean weight
};

/* out = b / a, 0 where no ray passes. */
static void divide(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	double a[FOLD_BLOCK], b[FOLD_BLOCK];
	long size = (long)dtype_size(p->type);
	enum dtype real = dtype_real(p->type);

	(void)sum;
	convert(DT_FLOAT64, a, p->type, p->a + first * size, n, NARROW_SATURATE);
	convert(DT_FLOAT64, b, p->type, p->b + first * size, n, NARROW_SATURATE);

	for (long i = 0; i < n; i++)
		a[i] = a[i] > 0. && b[i] > 0. ? b[i] / a[i] : 0.;

	convert(real, p->out + first * (long)dtype_size(real), DT_FLOAT64, a, n, NARROW_SATURATE);
}

static void invert(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	double v[FOLD_BLOCK];
	enum dtype real = dtype_real(p->type);
	char *out = p->out + first * (long)dtype_size(real);

	(void)sum;
	convert(DT_FLOAT64, v, real, out, n, NARROW_SATURATE);

	for (long i = 0; i < n; i++)
		v[i] = 1. / fmax(v[i], p->floor);

	convert(real, out, DT_FLOAT64, v, n, NARROW_SATURATE);
}

static void fill_ones(enum dtype type, long n, void *x)
{
	float f = 1.f;
	double d = 1.;
	complex float cf = 1.f;
	complex double cd = 1.;
	const void *one = type == DT_FLOAT32     ? (const void *)&f
	                  : type == DT_FLOAT64   ? (const void *)&d
	                  : type == DT_COMPLEX64 ? (const void *)&cf
	                                         : (const void *)&cd;

	long first, end;

	distributed_part(n, &first, &end);
	n = end - first;
	md_fill(1, &n, (char *)x + first * (long)dtype_size(type), one, dtype_size(type));
}

void mean_weight_inverse(void *out, const struct iter_problem *p, void *a, void *b, void *r)
{
	enum dtype type = linop_type(p->A);
	long n = linop_domain_size(p->A);
	long m = linop_codomain_size(p->A);
	long strs[1];
	double sum[FOLD_SUMS];
	const size_t bytes = (size_t)n * dtype_size(type), real = (size_t)n * dtype_size(dtype_real(type));

	fill_ones(type, m, r);
	linop_adjoint(p->A, a, r);
	weights_apply(p->W, type, m, r, r);
	linop_adjoint(p->A, b, r);

	struct pass pass = {.type = type,
	        .out = place_take(out, real),
	        .a = place_take(a, bytes),
	        .b = place_take(b, bytes)};

	fold(n, divide, &pass, sum);
	place_done((void *)pass.a, a);
	place_done((void *)pass.b, b);

	md_calc_strides(1, strs, &n, dtype_size(dtype_real(type)));

	double max = md_maxabs_t(dtype_real(type), 1, &n, strs, pass.out);

	if (!isfinite(max))
		error("the weights are too large for %s", dtype_name(type));

	pass.floor = max > 0. ? max / longest : 1.;
	fold(n, invert, &pass, sum);
	place_back(pass.out, out, real);
}
