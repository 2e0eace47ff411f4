/* The shearlet transform: filters are products of Meyer's windows in the octave and the slope of a frequency.
 */

#include <math.h>
#include <stdlib.h>

#include "linops/fit.h"
#include "linops/spectrum.h"
#include "linops/wavelet/filters.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/md/flpmath.h"

struct shearlet {
	struct spectrum s;
	long count;       // filters
	long plane;       // frequencies
	long wstrs[DIMS]; // of a filter in the array [bytes]
	char *filters;    // of the real type
};

static void shearlet_forward(const void *self, void *dst, const void *src)
{
	struct shearlet *o = (struct shearlet *)self;
	const long bytes = o->s.size * (long)dtype_size(o->s.type);
	const long step = o->plane * (long)dtype_size(dtype_real(o->s.type));

	spectrum_forward(&o->s, src);

	for (long i = 0; i < o->count; i++)
		spectrum_back(&o->s, (char *)dst + i * bytes, o->filters + i * step, o->wstrs);
}

static void shearlet_adjoint(const void *self, void *dst, const void *src)
{
	struct shearlet *o = (struct shearlet *)self;
	const long bytes = o->s.size * (long)dtype_size(o->s.type);
	const long step = o->plane * (long)dtype_size(dtype_real(o->s.type));

	for (long i = 0; i < o->count; i++)
		spectrum_gather(
		        &o->s, (const char *)src + i * bytes, o->filters + i * step, o->wstrs, 0 == i);

	spectrum_gathered(&o->s, dst);
}

/* S'S = 1: 1 / (1 + lambda) */
static void shearlet_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct shearlet *o = self;

	vec_copy(o->s.type, o->s.size, dst, src);
	vec_scale(o->s.type, o->s.size, dst, 1. / (1. + lambda));
}

static double shearlet_norm(const void *self)
{
	(void)self;

	return 1.;
}

static void shearlet_destroy(void *self)
{
	struct shearlet *o = self;

	spectrum_free(&o->s);
	free(o->filters);
	free(o);
}

static const struct linop_ops shearlet_ops = {.name = "shearlet",
        .forward = shearlet_forward,
        .adjoint = shearlet_adjoint,
        .destroy = shearlet_destroy,
        .normal_inverse = shearlet_inverse,
        .norm = shearlet_norm};

/** Meyer's smooth step: 0 up to x = 0, 1 from x = 1 on, step(x) + step(1 - x) = 1. */
static double step(double x)
{
	x = fmin(fmax(x, 0.), 1.);

	return x * x * x * x * (35. - 84. * x + 70. * x * x - 20. * x * x * x);
}

/** Square of the low-pass window: 1 for r <= cut / 2, 0 from r = cut on. */
static double low_pass(double r, double cut)
{
	return (r > 0.) ? step(-log2(r / cut)) : 1.;
}

static long directions(int j)
{
	return 4l << ((j + 1) / 2);
}

long shearlet_count(int scales)
{
	long n = 1;

	for (int j = 0; j < scales; j++)
		n += directions(j);

	return n;
}

/** Slope of a line through 0 as a number in [0, 4): along an edge of the square from (1, -1) to (1, 1), then
 * from (1, 1) to (-1, 1); the lines of f and -f are one. */
static double slope(double x, double y)
{
	const double t = (fabs(y) <= fabs(x)) ? 1. + y / x : 3. - x / y;

	return (t < 4.) ? t : t - 4.;
}

/** Square of the window of direction k of n, centred on slope 4 k / n + 1. */
static double direction(double t, long k, long n)
{
	double d = fmod((t - 1.) * (double)n / 4. - (double)k, (double)n);

	d = fabs(d);
	d = fmin(d, (double)n - d);

	return step(1. - d);
}

/** Squares of all windows at frequency (x, y), |x|, |y| <= 1; their sum is 1. */
static void windows(int scales, double x, double y, double square[])
{
	const double r = fmax(fabs(x), fabs(y));
	double below = low_pass(r, ldexp(1., 1 - scales));
	long at = 1;

	square[0] = below;

	for (int j = 0; j < scales; j++) {
		const double above = (j == scales - 1) ? 1. : low_pass(r, ldexp(1., 2 - scales + j));
		const long n = directions(j);

		for (long k = 0; k < n; k++)
			square[at++] = (above > below) ? (above - below) * direction(slope(x, y), k, n) : 0.;

		below = above;
	}
}

/** Index k of n as a frequency in [-1, 1]. */
static double frequency(long k, long n)
{
	return 2. * (double)((2 * k < n) ? k : k - n) / (double)n;
}

/** Roots of the mean of the squares at f and -f, which differ where -f is the same index as f. */
static void make_filters(struct shearlet *o, int scales, long n1, long n2)
{
#pragma omp parallel num_threads(threads_for(4. * (double)(o->count * o->plane)))
	{
		double *here = mem_alloc((size_t)o->count * sizeof *here);
		double *there = mem_alloc((size_t)o->count * sizeof *there);

#pragma omp for schedule(static)
		for (long i = 0; i < o->plane; i++) {
			const long k1 = i % n1, k2 = i / n1;

			windows(scales, frequency(k1, n1), frequency(k2, n2), here);
			windows(scales, frequency((n1 - k1) % n1, n1), frequency((n2 - k2) % n2, n2), there);

			for (long f = 0; f < o->count; f++) {
				const double w = sqrt(0.5 * (here[f] + there[f]));

				if (DT_FLOAT32 == dtype_real(o->s.type))
					((float *)o->filters)[f * o->plane + i] = (float)w;
				else
					((double *)o->filters)[f * o->plane + i] = w;
			}
		}

		free(here);
		free(there);
	}
}

struct linop *linop_shearlet_create(enum dtype type, int D, const long dims[], int d1, int d2, int scales)
{
	if (D < 2 || D >= DIMS || d1 < 0 || d2 <= d1 || d2 >= D)
		error("a shearlet transform has the dimensions %d and %d, expected two ascending dimensions "
		      "from 0 to %d",
		        d1, d2, D - 1);

	if (scales < 1 || scales > SHEARLET_SCALES)
		error("a shearlet transform has %d scales, expected 1 to %d", scales, SHEARLET_SCALES);

	struct shearlet *o = NEW(struct shearlet);
	const size_t size = dtype_size(dtype_real(type));
	long odims[DIMS];

	spectrum_init(&o->s, type, D, dims, 1ul << d1 | 1ul << d2);
	o->count = shearlet_count(scales);
	o->plane = mul_checked(dims[d1], dims[d2], "a shearlet transform");
	o->wstrs[d1] = (long)size;
	o->wstrs[d2] = (long)size * dims[d1];
	o->filters = mem_alloc((size_t)mul_checked(o->count, o->plane, "shearlet filters") * size);
	make_filters(o, scales, dims[d1], dims[d2]);
	md_copy_dims(D, odims, dims);
	odims[D] = o->count;

	return linop_create(&shearlet_ops, o, type, D + 1, odims, D, dims);
}
