/* Filters and tables of resampling.
 *
 * Anti-aliasing: an output grid coarser by s along an axis of the input cannot represent frequencies over
 * 1/(2 s) of a voxel. So the kernel of the interpolation, widened by s, sampled at voxels and normalised to
 * sum 1, is applied along that axis first. Degree-3 B-splines interpolate through coefficients that are the
 * samples filtered by the inverse of (1 4 1)/6 (num/kern/interpolation.h) [1]. Both are symmetric, so that
 * they are a single filter on a mirrored input.
 *
 * [1] M. Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing Magazine
 *     16(6):22-38, 1999.
 * [2] R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Transactions on
 *     Acoustics, Speech, and Signal Processing 29(6):1153-1160, 1981.
 */

#include <math.h>
#include <stdlib.h>

#include "linops/resample/plan.h"
#include "misc/mem.h"
#include "misc/minmax.h"

static double sinc(double x)
{
	return (fabs(x) < 1e-9) ? 1. : sin(M_PI * x) / (M_PI * x);
}

static double lanczos(double x)
{
	return (fabs(x) < 3.) ? sinc(x) * sinc(x / 3.) : 0.;
}

static double triangle(double x)
{
	return fmax(0., 1. - fabs(x));
}

static double keys(double x)
{
	const double a = fabs(x);

	return (a < 1.) ? 1. + a * a * (1.5 * a - 2.5) : (a < 2.) ? 2. + a * (-4. + a * (2.5 - 0.5 * a)) : 0.;
}

static double (*shape(enum resample_kernel k, long *support))(double)
{
	*support = (RESAMPLE_LINEAR == k) ? 1 : (RESAMPLE_LANCZOS == k) ? 3 : 2;

	return (RESAMPLE_LINEAR == k) ? triangle : (RESAMPLE_LANCZOS == k) ? lanczos : keys;
}

/** Half of the anti-aliasing filter of width s; returns its radius. */
static long anti_aliasing(enum resample_kernel kernel, double s, double **h)
{
	long support;
	double (*fn)(double) = shape(kernel, &support);
	const long radius =
	        (RESAMPLE_NEAREST == kernel || s <= 1. + 1e-6) ? 0 : (long)ceil((double)support * s) - 1;
	double sum = 1.;

	*h = mem_alloc((size_t)(radius + 1) * sizeof **h);
	(*h)[0] = 1.;

	for (long k = 1; k <= radius; k++)
		sum += 2. * ((*h)[k] = fn((double)k / s));

	for (long k = 0; k <= radius; k++)
		(*h)[k] /= sum;

	return radius;
}

/** Half of the filter from samples to coefficients of splines. */
static long spline(enum resample_kernel kernel, bool wide, double **h)
{
	const long radius = (RESAMPLE_CUBIC != kernel) ? 0
	                    : wide                     ? INTERPOLATION_SPLINE_RADIUS_WIDE
	                                               : INTERPOLATION_SPLINE_RADIUS;

	*h = mem_alloc((size_t)(radius + 1) * sizeof **h);

	for (long k = 0; k <= radius; k++)
		(*h)[k] = radius ? interpolation_spline_tap(k) : 1.;

	return radius;
}

/** The convolution of two symmetric filters, as halves. */
static double *joined(long n, const double *a, long m, const double *b)
{
	double *c = mem_calloc((size_t)(n + m + 1), sizeof *c);

	for (long k = 0; k <= n + m; k++)
		for (long i = max_long(-n, k - m); i <= min_long(n, k + m); i++)
			c[k] += a[labs(i)] * b[labs(k - i)];

	return c;
}

/** A filter of radius r on a mirrored input of n > 1 elements, which has the period P = 2 (n - 1), as one of
 * a radius of n - 1, where it is wider than four periods: weights a period apart meet the same element.
 * Returns the radius. */
static long folded(long r, double *h, long n)
{
	const long period = 2 * (n - 1);

	if (r <= 4 * period)
		return r;

	double *sum = mem_calloc((size_t)n, sizeof *sum);

	for (long k = -r; k <= r; k++) {
		const long at = (k % period + period) % period;

		if (at < n)
			sum[at] += h[labs(k)];
	}

	for (long k = 0; k < n; k++)
		h[k] = (k < n - 1) ? sum[k] : 0.5 * sum[k];

	free(sum);
	return n - 1;
}

static void *as_type(enum dtype t, long n, const double *x)
{
	void *y = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < n; i++)
		if (DT_FLOAT32 == t)
			((float *)y)[i] = (float)x[i];
		else
			((double *)y)[i] = x[i];

	return y;
}

static void design_axis(struct resample_plan *p, int d)
{
	double *a, *b;
	const bool flat = 1 == p->r.in[d];
	const long n = anti_aliasing(p->r.kernel, flat ? 1. : p->r.coarser[d], &a);
	const long m = spline(flat ? RESAMPLE_LINEAR : p->r.kernel, DT_FLOAT64 == p->work, &b);
	double *c = joined(n, a, m, b);

	p->radius[d] = flat ? n + m : folded(n + m, c, p->r.in[d]);
	p->fir[d] = as_type(p->work, p->radius[d] + 1, c);
	free(a);
	free(b);
	free(c);
}

/** Weights of Lanczos for places between two voxels, the first tap two below. */
static void *design_table(enum dtype work)
{
	const long count = (RESAMPLE_TABLE + 1) * RESAMPLE_LANES;
	double *t = mem_calloc((size_t)count, sizeof *t);

	for (long k = 0; k <= RESAMPLE_TABLE; k++) {
		double *w = t + k * RESAMPLE_LANES, sum = 0.;

		for (int i = 0; i < 6; i++)
			sum += w[i] = lanczos((double)k / RESAMPLE_TABLE - (double)(i - 2));

		for (int i = 0; i < 6; i++)
			w[i] /= sum;
	}

	void *out = as_type(work, count, t);

	free(t);

	return out;
}

void resample_design(struct resample_plan *p)
{
	static const long before[] = {0, 0, 1, 1, 2}, after[] = {0, 1, 2, 2, 3};

	p->before = before[p->r.kernel];
	p->after = after[p->r.kernel];

	for (int d = 0; d < 3; d++)
		design_axis(p, d);

	if (RESAMPLE_LANCZOS == p->r.kernel)
		p->table = design_table(p->work);
}

void resample_coarser(struct resample *r)
{
	for (int d = 0; d < 3; d++) {
		double s = 0.;

		for (int c = 0; c < 3; c++)
			s += (1 == r->out[c]) ? 0. : r->at[d][c] * r->at[d][c];

		r->coarser[d] = sqrt(s);
	}
}

bool resample_misses(const struct resample *r)
{
	for (int d = 0; d < 3; d++) {
		double low = r->at[d][3], high = low;

		for (int c = 0; c < 3; c++) {
			const double along = r->at[d][c] * (double)(r->out[c] - 1);

			low += fmin(0., along);
			high += fmax(0., along);
		}

		if (!(high >= -0.5 && low <= (double)r->in[d] - 0.5))
			return true;
	}

	return false;
}
