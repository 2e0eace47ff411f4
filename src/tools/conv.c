/** Convolution of arrays. */

#include <string.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/array/array_as.h"
#include "num/array/part.h"
#include "num/fft/convolve.h"
#include "num/shape/shaping.h"

int main_conv(int argc, char *argv[]);

enum method { METHOD_AUTO, METHOD_DIRECT, METHOD_FFT };

struct conv {
	unsigned long dims;
	enum conv_mode mode;
	enum method method;
	bool correlate, adjoint;
	struct cfl *in, *kernel;
	long odims[DIMS], centre[DIMS];
};

/** The type in which it is computed. */
static enum dtype work_type(const struct conv *c)
{
	enum dtype t = dtype_promote(c->in->hdr.type, c->kernel->hdr.type);

	if (dtype_is_integer(t))
		return (dtype_size(t) <= 2) ? DT_FLOAT32 : DT_FLOAT64;

	return dtype_work(t);
}

/** The first output of the forward operation lies this many elements before (negative) or after the first
 * input, the kernel's middle element being its place. */
static long first_output(const struct conv *c, int d)
{
	long k = c->kernel->hdr.dims[d];

	switch (c->mode) {
	case CONV_FULL:
		return -((k - 1) / 2);
	case CONV_VALID:
		return k - 1 - (k - 1) / 2;
	default:
		return 0;
	}
}

/** Sizes along the dims of the kernel: of the operation, or of its adjoint's result. */
static void set_sizes(struct conv *c)
{
	const struct hdr *in = &c->in->hdr, *k = &c->kernel->hdr;

	for (int d = 0; d < DIMS; d++) {
		if (c->dims & 1ul << d)
			continue;

		if (in->dims[d] != k->dims[d] && 1 != in->dims[d] && 1 != k->dims[d])
			error("%s is %s and %s is %s: expected equal sizes along dimension %d, or size 1 in "
			      "one array",
			        c->in->name, hdr_shape(in), c->kernel->name, hdr_shape(k), d);

		c->odims[d] = (1 == in->dims[d]) ? k->dims[d] : in->dims[d];
	}

	for (int d = 0; d < DIMS; d++) {
		if (!(c->dims & 1ul << d))
			continue;

		bool shrinks = c->adjoint ? CONV_FULL == c->mode : CONV_VALID == c->mode;

		if (shrinks && k->dims[d] > in->dims[d])
			error("%s is %s and %s is %s: the kernel is longer than the array (%ld and %ld "
			      "elements) along dimension %d",
			        c->kernel->name, hdr_shape(k), c->in->name, hdr_shape(in), k->dims[d],
			        in->dims[d], d);
	}

	if (c->adjoint) { // sizes of the forward operation's input, centres of the forward operation
		long odims[DIMS];
		const enum conv_mode reverse = (CONV_FULL == c->mode)    ? CONV_VALID
		                               : (CONV_VALID == c->mode) ? CONV_FULL
		                                                         : c->mode;

		md_conv_geometry(reverse, DIMS, c->dims, c->odims, c->centre, k->dims, in->dims);
		md_copy_dims(DIMS, odims, c->odims);
		md_conv_geometry(c->mode, DIMS, c->dims, odims, c->centre, k->dims, c->odims);
	} else {
		md_conv_geometry(c->mode, DIMS, c->dims, c->odims, c->centre, k->dims, in->dims);
	}

	if (c->correlate)
		for (int d = 0; d < DIMS; d++)
			c->centre[d] = (c->dims & 1ul << d) ? k->dims[d] - 1 - c->centre[d] : 0;
}

static void set_header(struct hdr *h, const struct conv *c)
{
	hdr_copy(h, &c->in->hdr);
	h->has_detector = false;

	if (Q_GEOMETRY == h->quantity || Q_UNKNOWN != c->kernel->hdr.quantity)
		h->quantity = Q_UNKNOWN;

	for (int d = 0; d < DIMS; d++) {
		long first = first_output(c, d);

		if (c->dims & 1ul << d)
			shaping_subrange(h, d, c->adjoint ? -first : first, 1, c->odims[d]);
		else
			h->dims[d] = c->odims[d];
	}
}

/** The adjoint of a convolution with k is the correlation with conj(k), and the other way round. */
static unsigned operation(const struct conv *c)
{
	bool correlation = c->correlate != c->adjoint;

	return (correlation ? CONV_CORRELATE | CONV_CONJ : 0) |
	       ((CONV_CYCLIC == c->mode) ? CONV_PERIODIC : 0);
}

static bool by_fft(const struct conv *c, enum dtype t)
{
	const struct hdr *k = &c->kernel->hdr;

	for (int d = 0; d < DIMS; d++) {
		if ((c->dims & 1ul << d) || 1 == k->dims[d])
			continue;

		if (METHOD_FFT == c->method)
			error("%s is %s: it holds %ld kernels along dimension %d, but --method fft takes one "
			      "kernel",
			        c->kernel->name, hdr_shape(k), k->dims[d], d);

		return false;
	}

	if (METHOD_AUTO == c->method)
		return md_convolve_prefers_fft(t, DIMS, c->dims, c->odims, k->dims, c->in->hdr.dims);

	return METHOD_FFT == c->method;
}

static void convolve(const struct conv *c, struct array *out, const struct array *k, const struct array *in)
{
	(by_fft(c, out->type) ? md_convolve_fft_t : md_convolve_t)(out->type, operation(c), DIMS, c->dims,
	        c->centre, out->dims, out->strs, out->data, k->dims, k->strs, k->data, in->dims, in->strs,
	        in->data);
}

static void conv_run(struct conv *c, const char *out, int type)
{
	enum dtype work = work_type(c);
	struct hdr h;

	set_sizes(c);
	set_header(&h, c);
	h.type = (0 <= type) ? (enum dtype)type : work;

	if (DT_FLOAT64 == h.type && DT_FLOAT32 == work)
		work = DT_FLOAT64;

	if (DT_COMPLEX128 == h.type && DT_COMPLEX64 == work)
		work = DT_COMPLEX128;

	const struct part p = part_choose(c->odims, by_fft(c, work) ? c->dims : 0, 0, 0), all = {.d = -1},
	                  *of_in = (0 <= p.d && (c->dims >> p.d & 1)) ? &all : &p;
	const long memory = part_open_memory(of_in, c->in, work) + part_open_memory(of_in, c->kernel, work) +
	                    part_out_memory(&p, &h, work, out);

	if (of_in == &all) // outputs from p.from on
		c->centre[p.d] += (operation(c) & CONV_CORRELATE) ? -p.from : p.from;

	const long spectra = by_fft(c, work) ? md_convolve_fft_memory(work, DIMS, c->dims, c->odims,
	                                               c->kernel->hdr.dims, c->in->hdr.dims)
	                                     : 0;

	tool_needs(memory + spectra, 0);

	struct cfl *f = cfl_create(out, &h);
	const double elements = (double)(c->in->count + c->kernel->count + f->count);
	const bool on_device =
	        array_as_device(elements * (double)dtype_size(work) + 2. * (double)spectra, 0.);
	struct array *x = part_open(of_in, c->in, work, on_device),
	             *k = part_open(of_in, c->kernel, work, on_device);
	struct array *y = part_out(&p, f, work, on_device);

	convolve(c, y, k, x);
	part_finish(&p, f, y);
	array_free(x);
	array_free(k);
	hdr_free(&h);
	cfl_close(c->in);
	cfl_close(c->kernel);
	cfl_close(f);
}

int main_conv(int argc, char *argv[])
{
	static const enum conv_mode modes[] = {CONV_SAME, CONV_VALID, CONV_FULL, CONV_CYCLIC, CONV_CAUSAL};
	struct conv c = {0};
	const char *in = NULL, *kernel = NULL, *out = NULL;
	int mode = 0, method = METHOD_AUTO, type = -1;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "mode", &mode, "same|valid|full|cyclic|causal", "which outputs"),
	        OPT_CHOICE(0, "method", &method, "auto|direct|fft",
	                "sums, or products of Fourier transforms (default: auto)"),
	        OPT_FLAG('c', "correlate", &c.correlate,
	                "correlate: conjugate the kernel and do not reverse it"),
	        OPT_FLAG('a', "adjoint", &c.adjoint, "adjoint of the operator that the other options define"),
	        OPT_TYPE(&type),
	        ARG_DIMS("DIMS", &c.dims, "dimensions to convolve along: 0,1 or x,y"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_IN("KERNEL", &kernel, "kernel; length 1 or that of IN along other dimensions"),
	        ARG_OUT("OUT", &out, "the convolution"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "conv",
	                  .group = GROUP_CALCULATE,
	                  .synonyms = "convolve convolution",
	                  .about = "Convolve arrays along some dimensions",
	                  .details = "OUT[i] = sum over t of KERNEL[t] IN[i + c - t], where IN = 0 outside "
	                             "the array. For n inputs and k weights along a dimension, the modes "
	                             "are:\n\n"
	                             "same: n outputs, with c = (k-1)/2 rounded down.\n"
	                             "valid: the n-k+1 outputs for which the kernel is completely inside "
	                             "the array.\n"
	                             "full: all n+k-1 outputs.\n"
	                             "causal: n outputs, each of which depends only on inputs up to its own "
	                             "position.\n"
	                             "cyclic: n outputs as in the mode same, but IN is periodic.\n\n"
	                             "With --correlate, the weights are conj(KERNEL) without reversal, as "
	                             "in SciPy's correlate. The position of an output [mm] is the position "
	                             "of the kernel's middle weight. Large kernels are applied by Fourier "
	                             "transforms of blocks. With Fourier transforms, rounding errors are "
	                             "relative to the largest value nearby. Integers of up to 16 bits give "
	                             "float32, and larger integers give float64.",
	                  .examples = "gantry conv x,y image kernel smooth\n"
	                              "gantry conv --mode valid --correlate 0,1,2 volume pattern match\n"
	                              "gantry conv --mode cyclic --adjoint 0 lines kernel back",
	                  .memory = "a copy of each input whose type is not that of the computation. Fourier "
	                            "transforms need about 200 MiB",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	c.mode = modes[mode];
	c.method = (enum method)method;
	c.in = cfl_open(in);
	c.kernel = cfl_open(kernel);
	conv_run(&c, out, type);
	leave(EXIT_DONE);
}
