/* Each block gives count, mean and sum of squared deviations; blocks are merged in order by the update
 * formulas of Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample
 * variances, Stanford 1979. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "num/stat/summary.h"

#include "misc/mem.h"
#include "num/shape/slabs.h"

struct part {
	long finite, zeros, nans, infs;
	long first_nan, first_inf;
	long double min, max;
	complex double sum, mean;
	double dev2; // sum |x - mean|^2
};

static bool nan_double(double x)
{
	return isnan(x);
}

static bool inf_double(double x)
{
	return isinf(x);
}

static bool nan_complex(complex double x)
{
	return isnan(creal(x)) || isnan(cimag(x));
}

static bool inf_complex(complex double x)
{
	return isinf(creal(x)) || isinf(cimag(x));
}

static bool never(long x)
{
	(void)x;

	return false;
}

static double square_double(double x)
{
	return x * x;
}

static double square_complex(complex double x)
{
	return creal(x) * creal(x) + cimag(x) * cimag(x);
}

/* Values of a block in two passes over the cached block: sums, then deviations from the block's mean. */
#define SUMMARY_KERNEL(T, V, name, is_nan, is_inf, magnitude, square)                                        \
	static void part_##name(struct part *p, long first, long n, const T *x)                              \
	{                                                                                                    \
		V sum = 0;                                                                                   \
		double dev2 = 0.;                                                                            \
		T min = 0, max = 0;                                                                          \
		for (long i = 0; i < n; i++) {                                                               \
			if (is_nan(x[i])) {                                                                  \
				p->first_nan = p->nans++ == 0 ? first + i : p->first_nan;                    \
				continue;                                                                    \
			}                                                                                    \
			if (is_inf(x[i])) {                                                                  \
				p->first_inf = p->infs++ == 0 ? first + i : p->first_inf;                    \
				continue;                                                                    \
			}                                                                                    \
			T m = magnitude(x[i]);                                                               \
			min = p->finite == 0 || REAL(m) < REAL(min) ? m : min;                               \
			max = p->finite == 0 || REAL(m) > REAL(max) ? m : max;                               \
			p->zeros += x[i] == 0;                                                               \
			p->finite++;                                                                         \
			sum += (V)x[i];                                                                      \
		}                                                                                            \
		V mean = p->finite > 0 ? sum / (double)p->finite : 0;                                        \
		for (long i = 0; i < n; i++)                                                                 \
			if (!is_nan(x[i]) && !is_inf(x[i]))                                                  \
				dev2 += square((V)x[i] - mean);                                              \
		p->min = REAL(min);                                                                          \
		p->max = REAL(max);                                                                          \
		p->sum = sum;                                                                                \
		p->mean = mean;                                                                              \
		p->dev2 = dev2;                                                                              \
	}

#define REAL(x) (x)
SUMMARY_KERNEL(double, double, double, nan_double, inf_double, , square_double)
SUMMARY_KERNEL(int64_t, double, int64, never, never, , square_double)
SUMMARY_KERNEL(uint64_t, double, uint64, never, never, , square_double)
#undef REAL
#define REAL(x) creal(x)
SUMMARY_KERNEL(complex double, complex double, complex, nan_complex, inf_complex, cabs, square_complex)

struct pass {
	enum dtype type;
	struct part *parts;
};

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct pass *pass = ctx;
	struct part *p = &pass->parts[first / SLAB_BLOCK];

	(void)out;
	*p = (struct part){.first_nan = -1, .first_inf = -1};

	switch (pass->type) {
	case DT_INT64:
		part_int64(p, first, n, in[0]);
		break;
	case DT_UINT64:
		part_uint64(p, first, n, in[0]);
		break;
	case DT_COMPLEX128:
		part_complex(p, first, n, in[0]);
		break;
	default:
		part_double(p, first, n, in[0]);
	}
}

/* The type that holds every value of t and has a kernel. */
static enum dtype work_type(enum dtype t)
{
	if (t == DT_INT64 || t == DT_UINT64)
		return t;

	return dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
}

static void merge(struct part *a, const struct part *b)
{
	a->zeros += b->zeros;
	a->nans += b->nans;
	a->infs += b->infs;
	a->first_nan = a->first_nan < 0 ? b->first_nan : a->first_nan;
	a->first_inf = a->first_inf < 0 ? b->first_inf : a->first_inf;

	if (b->finite == 0)
		return;

	complex double step = b->mean - a->mean;
	double n = (double)a->finite + (double)b->finite;

	a->min = a->finite == 0 || b->min < a->min ? b->min : a->min;
	a->max = a->finite == 0 || b->max > a->max ? b->max : a->max;
	a->dev2 += b->dev2 + square_complex(step) * ((double)a->finite / n) * (double)b->finite;
	a->mean += step * ((double)b->finite / n);
	a->sum += b->sum;
	a->finite += b->finite;
}

void summarize(struct summary *out, struct cfl *f)
{
	long blocks = (f->count + SLAB_BLOCK - 1) / SLAB_BLOCK;
	struct pass pass = {work_type(f->hdr.type), mem_alloc((size_t)blocks * sizeof(struct part))};

	slabs_gather(1, &f, &pass.type, block, &pass, pass.parts, sizeof *pass.parts, "stats");

	struct part all = {.first_nan = -1, .first_inf = -1};

	for (long b = 0; b < blocks; b++)
		merge(&all, &pass.parts[b]);

	free(pass.parts);

	bool any = all.finite > 0;

	*out = (struct summary){
	        .count = f->count,
	        .finite = all.finite,
	        .zeros = all.zeros,
	        .nans = all.nans,
	        .infs = all.infs,
	        .first_nan = all.first_nan,
	        .first_inf = all.first_inf,
	        .min = any ? all.min : NAN,
	        .max = any ? all.max : NAN,
	        .sum = all.sum,
	        .mean = any ? all.sum / (double)all.finite : NAN,
	        .std = any ? sqrt(all.dev2 / (double)all.finite) : NAN,
	        .norm = sqrt(all.dev2 + square_complex(all.mean) * (double)all.finite),
	};
}
