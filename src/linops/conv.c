/* Convolution with a kernel. */

#include <stdlib.h>
#include <string.h>

#include "linops/fit.h"
#include "linops/scratch.h"
#include "linops/wavelet/filters.h"
#include "misc/error.h"
#include "misc/mem.h"

struct conv {
	enum dtype type;
	int D;
	unsigned long flags;
	unsigned periodic; // CONV_PERIODIC or 0
	long idims[DIMS], odims[DIMS], kdims[DIMS];
	long istrs[DIMS], ostrs[DIMS], kstrs[DIMS];
	long centre[DIMS];
	bool by_fft[2]; // forward, adjoint
	size_t bytes;
	void *k;
	struct scratch there; // the kernel on a device
};

/** The kernel where x lies; memory is no part of the operator's value. */
static const void *kernel_near(const struct conv *c, const void *x)
{
	return scratch_near((struct scratch *)&c->there, c->k, c->bytes, x);
}

static void conv_forward(const void *self, void *dst, const void *src)
{
	const struct conv *c = self;

	(c->by_fft[0] ? md_convolve_fft_t : md_convolve_t)(c->type, c->periodic, c->D, c->flags, c->centre,
	        c->odims, c->ostrs, dst, c->kdims, c->kstrs, kernel_near(c, src), c->idims, c->istrs, src);
}

static void conv_adjoint(const void *self, void *dst, const void *src)
{
	const struct conv *c = self;

	(c->by_fft[1] ? md_convolve_fft_t : md_convolve_t)(c->type, c->periodic | CONV_CORRELATE | CONV_CONJ,
	        c->D, c->flags, c->centre, c->idims, c->istrs, dst, c->kdims, c->kstrs, kernel_near(c, src),
	        c->odims, c->ostrs, src);
}

static void conv_destroy(void *self)
{
	struct conv *c = self;

	scratch_free(&c->there);
	free(c->k);
	free(c);
}

static const struct linop_ops conv_ops = {.name = "convolution",
        .forward = conv_forward,
        .adjoint = conv_adjoint,
        .destroy = conv_destroy,
        .anywhere = true};

struct linop *linop_conv_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum conv_mode mode, const long kdims[], const void *kernel)
{
	fit_flags(D, flags, "a convolution");

	for (int d = 0; d < D; d++)
		if (kdims[d] < 1 || (!(flags & 1ul << d) && 1 != kdims[d]))
			error("the kernel has %ld elements along dimension %d, expected %s", kdims[d], d,
			        (flags & 1ul << d) ? "at least 1" : "1, as nothing is convolved there");

	struct conv *c = NEW(struct conv);
	const size_t size = dtype_size(type), bytes = (size_t)md_calc_size(D, kdims) * size;

	*c = (struct conv){
	        .type = type, .D = D, .flags = flags, .periodic = (CONV_CYCLIC == mode) ? CONV_PERIODIC : 0};
	md_copy_dims(D, c->idims, dims);
	md_copy_dims(D, c->odims, dims);
	md_copy_dims(D, c->kdims, kdims);
	md_conv_geometry(mode, D, flags, c->odims, c->centre, kdims, dims);
	md_calc_strides(D, c->istrs, c->idims, size);
	md_calc_strides(D, c->ostrs, c->odims, size);
	md_calc_strides(D, c->kstrs, c->kdims, size);
	c->by_fft[0] = md_convolve_prefers_fft(type, D, flags, c->odims, kdims, dims);
	c->by_fft[1] = md_convolve_prefers_fft(type, D, flags, dims, kdims, c->odims);
	c->bytes = bytes;
	c->k = mem_alloc(bytes);
	memcpy(c->k, kernel, bytes);

	return linop_create(&conv_ops, c, type, D, c->odims, D, dims);
}
