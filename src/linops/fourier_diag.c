/* Operators that are diagonal in the Fourier domain. */

#include <math.h>
#include <stdlib.h>

#include "linops/fit.h"
#include "linops/shapes.h"
#include "linops/spectrum.h"
#include "linops/wavelet/filters.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"

struct diagonal {
	struct spectrum s;
	long wdims[DIMS], wstrs[DIMS];
	void *w;              // in the precision of the type
	struct scratch there; // the same on a device
};

static size_t weight_bytes(const struct diagonal *o)
{
	return (size_t)md_calc_size(o->s.D, o->wdims) * dtype_size(dtype_real(o->s.type));
}

static void diagonal_apply(const void *self, void *dst, const void *src)
{
	struct diagonal *o = (struct diagonal *)self;

	spectrum_forward(&o->s, src);
	spectrum_back(&o->s, dst, scratch_near(&o->there, o->w, weight_bytes(o), src), o->wstrs);
}

static double weight(const struct diagonal *o, long i)
{
	return (DT_FLOAT32 == dtype_real(o->s.type)) ? ((const float *)o->w)[i] : ((const double *)o->w)[i];
}

/* 1 / (w^2 + lambda) */
static void diagonal_inverse(const void *self, double lambda, void *dst, const void *src)
{
	struct diagonal *o = (struct diagonal *)self;
	const long n = md_calc_size(o->s.D, o->wdims);
	const size_t size = dtype_size(dtype_real(o->s.type));
	char *inverse = mem_alloc((size_t)n * size);

	for (long i = 0; i < n; i++) {
		const double w = weight(o, i), v = 1. / (w * w + lambda);

		if (sizeof(float) == size)
			((float *)inverse)[i] = (float)v;
		else
			((double *)inverse)[i] = v;
	}

	spectrum_forward(&o->s, src);

	struct scratch there = {0};

	spectrum_back(&o->s, dst, scratch_near(&there, inverse, weight_bytes(o), src), o->wstrs);
	scratch_free(&there);
	free(inverse);
}

static void diagonal_destroy(void *self)
{
	struct diagonal *o = self;

	spectrum_free(&o->s);
	scratch_free(&o->there);
	free(o->w);
	free(o);
}

static const struct linop_ops diagonal_ops = {.name = "fourier diagonal",
        .forward = diagonal_apply,
        .adjoint = diagonal_apply,
        .destroy = diagonal_destroy,
        .normal_inverse = diagonal_inverse,
        .anywhere = true};

/** Number of the frequency that is minus that of element i. */
static long mirror(const struct diagonal *o, long i)
{
	long at = 0, step = 1;

	for (int d = 0; d < o->s.D; d++) {
		const long n = o->wdims[d], k = i % n;

		at += step * (((o->s.flags & 1ul << d) && k > 0) ? n - k : k);
		step *= n;
		i /= n;
	}

	return at;
}

struct linop *linop_fourier_diag_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const long wdims[], const double w[])
{
	fit_flags(D, flags, "a Fourier diagonal");

	for (int d = 0; d < D; d++)
		if (wdims[d] != dims[d] && 1 != wdims[d])
			error("the Fourier weights have %ld elements along dimension %d, expected %ld or 1",
			        wdims[d], d, dims[d]);

	struct diagonal *o = NEW(struct diagonal);
	const long n = md_calc_size(D, wdims);
	const size_t size = dtype_size(dtype_real(type));

	spectrum_init(&o->s, type, D, dims, flags);
	md_singleton_dims(DIMS, o->wdims);
	md_copy_dims(D, o->wdims, wdims);
	md_calc_strides(D, o->wstrs, wdims, size);
	o->w = mem_alloc((size_t)n * size);

	for (long i = 0; i < n; i++) {
		const double v = dtype_is_complex(type) ? w[i] : 0.5 * (w[i] + w[mirror(o, i)]);

		if (sizeof(float) == size)
			((float *)o->w)[i] = (float)v;
		else
			((double *)o->w)[i] = v;
	}

	return linop_create(&diagonal_ops, o, type, D, dims, D, dims);
}

/** Weights of the length of frequencies; dims beside flags are 1. */
static struct linop *radial(enum dtype type, int D, const long dims[], unsigned long flags, const double h[],
        radial_fn *fn, void *ctx)
{
	long wdims[DIMS], pos[DIMS] = {0}, i = 0;

	md_select_dims(D, flags, wdims, dims);

	double *w = mem_alloc((size_t)md_calc_size(D, wdims) * sizeof *w);

	do {
		double sum = 0.;

		for (int d = 0; d < D; d++)
			if (flags & 1ul << d) {
				const long k = (2 * pos[d] < dims[d]) ? pos[d] : pos[d] - dims[d];
				const double f = (double)k / ((double)dims[d] * h[d]);

				sum += f * f;
			}

		w[i] = (NULL == fn) ? sqrt(sum) : fn(ctx, sqrt(sum));

		if (!isfinite(w[i]))
			error("a Fourier weight is %g at %g/mm, expected a finite value", w[i], sqrt(sum));

		i++;
	} while (md_next(D, wdims, ~0ul, pos));

	struct linop *A = linop_fourier_diag_create(type, D, dims, flags, wdims, w);

	free(w);

	return A;
}

struct linop *linop_radial_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], bool padded, radial_fn *fn, void *ctx)
{
	long large[DIMS];

	fit_flags(D, flags, "a radial weighting");
	md_copy_dims(D, large, dims);

	for (int d = 0; d < D; d++) {
		if (!(flags & 1ul << d))
			continue;

		if (!(h[d] > 0.))
			error("the voxel size is %g mm along dimension %d, expected more than 0", h[d], d);

		if (padded && dims[d] > 1)
			large[d] = fft_good_size(2 * dims[d]);
	}

	struct linop *W = radial(type, D, large, flags, h, fn, ctx);

	if (!padded)
		return W;

	struct linop *pad = linop_resize_create(type, D, large, dims, RESIZE_END);
	struct linop *cut = linop_adjoint_create(pad);
	struct linop *both = linop_chain(W, pad);
	struct linop *A = linop_chain(cut, both);

	linop_free(W);
	linop_free(pad);
	linop_free(cut);
	linop_free(both);

	return A;
}
