#include <stdlib.h>

#include "linops/linop.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/fft.h"
#include "num/multind.h"

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
 * turns. */
static void fft_adjoint(const void *self, void *dst, const void *src)
{
	const struct fourier *f = self;

	fft(f->D, f->dims, f->flags, f->mode ^ FFT_INVERSE, f->type, dst, src);
}

static const struct linop_ops fft_ops = {
        .name = "fft", .forward = fft_forward, .adjoint = fft_adjoint, .destroy = free};

struct linop *linop_fft_create(enum dtype type, int D, const long dims[], unsigned long flags, unsigned mode)
{
	if (!dtype_is_complex(type))
		error("a Fourier transform of %s, expected complex64 or complex128", dtype_name(type));

	struct fourier *f = NEW(struct fourier);

	*f = (struct fourier){.type = type, .D = D, .flags = flags, .mode = mode};
	md_copy_dims(D, f->dims, dims);

	return linop_create(&fft_ops, f, type, D, dims, D, dims);
}
