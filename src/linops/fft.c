#include <math.h>
#include <stdlib.h>

#include "linops/linop.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"

struct fourier {
	enum dtype type;
	int D;
	long dims[DIMS];
	unsigned long flags;
	unsigned mode;
};

static void fft_forward(const void *self, void *dst, const void *src)
{
	const struct fourier *f = self;

	fft(f->D, f->dims, f->flags, f->mode, f->type, dst, src);
}

/* The shifts of a centred transform are orthogonal and the factor is real, so only the sign of the exponent
 * changes. */
static void fft_adjoint(const void *self, void *dst, const void *src)
{
	const struct fourier *f = self;

	fft(f->D, f->dims, f->flags, f->mode ^ FFT_INVERSE, f->type, dst, src);
}

/* A'A is the number of elements along the dims in flags, 1 of unitary transforms. */
static double fft_gain(const struct fourier *f)
{
	long dims[DIMS];

	md_select_dims(f->D, f->flags, dims, f->dims);

	return (f->mode & FFT_UNITARY) ? 1. : (double)md_calc_size(f->D, dims);
}

static void fft_normal(const void *self, void *dst, const void *src)
{
	const struct fourier *f = self;
	const long n = md_calc_size(f->D, f->dims);

	vec_copy(f->type, n, dst, src);
	vec_scale(f->type, n, dst, fft_gain(f));
}

static void fft_normal_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct fourier *f = self;
	const long n = md_calc_size(f->D, f->dims);

	vec_copy(f->type, n, dst, src);
	vec_scale(f->type, n, dst, 1. / (fft_gain(f) + lambda));
}

static double fft_norm(const void *self)
{
	return sqrt(fft_gain(self));
}

static const struct linop_ops fft_ops = {.name = "fft",
        .forward = fft_forward,
        .adjoint = fft_adjoint,
        .normal = fft_normal,
        .destroy = free,
        .normal_inverse = fft_normal_inverse,
        .norm = fft_norm,
        .anywhere = true};

struct linop *linop_fft_create(enum dtype type, int D, const long dims[], unsigned long flags, unsigned mode)
{
	if (!dtype_is_complex(type))
		error("a Fourier transform needs type complex64 or complex128, found %s", dtype_name(type));

	struct fourier *f = NEW(struct fourier);

	*f = (struct fourier){.type = type, .D = D, .flags = flags, .mode = mode};
	md_copy_dims(D, f->dims, dims);

	return linop_create(&fft_ops, f, type, D, dims, D, dims);
}
