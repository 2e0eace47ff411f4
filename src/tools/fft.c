#include <math.h>

#include "misc/cfl.h"
#include "misc/error.h"
#include "misc/opt.h"
#include "num/convert.h"
#include "num/device.h"
#include "num/device_load.h"
#include "num/fft.h"
#include "num/flpmath.h"
#include "num/place.h"

int main_fft(int argc, char *argv[]);

/** Transformed dims: places become frequencies 1 / (n spacing) apart; the inverse finds the spacing again. */
static void transform_header(struct hdr *h, unsigned long dims)
{
	h->type = (DT_FLOAT64 == h->type || DT_COMPLEX128 == h->type) ? DT_COMPLEX128 : DT_COMPLEX64;
	h->quantity = Q_UNKNOWN;

	for (int d = 0; d < DIMS; d++) {
		if (!(dims & 1ul << d) || 1 == h->dims[d])
			continue;

		if (h->has_spacing)
			h->spacing[d] = 1. / ((double)h->dims[d] * h->spacing[d]);

		h->origin[d] = NAN;
	}
}

/** out = in, as complex numbers. */
static void promote(enum dtype to, char *out, enum dtype from, const char *in, long n)
{
	enum { BLOCK = 1 << 16 };

#pragma omp parallel for schedule(static)
	for (long i = 0; i < n; i += BLOCK)
		convert(to, out + i * (long)dtype_size(to), from, in + i * (long)dtype_size(from),
		        (n - i < BLOCK) ? n - i : BLOCK, NARROW_SATURATE);
}

/** The transform of an array on the GPU that was asked for; false: it does not fit there, or none was. */
static bool on_device(
        const struct hdr *h, unsigned long dims, unsigned mode, double scale, struct cfl *y, struct cfl *x)
{
	const size_t bytes = (size_t)x->count * dtype_size(h->type);
	const double arrays = (mode & FFT_CENTRED) ? 4.2 : 3.2; // itself, cuFFT's own, what is turned

	if (!device_worth(2. * (double)bytes, 5. * (double)x->count * log2((double)x->count)))
		return false;

	if (arrays * (double)bytes > (double)device_left()) {
		warn("not on the GPU: the array does not fit into its memory");
		return false;
	}

	void *data = device_alloc(bytes);

	device_load(h->type, data, x->hdr.type, place_input(x), x->count);
	fft(DIMS, h->dims, dims, mode, h->type, data, data);

	if (1. != scale)
		vec_scale(h->type, x->count, data, scale);

	device_copy(place_output(y), data, bytes);
	device_free(data);

	return true;
}

int main_fft(int argc, char *argv[])
{
	unsigned long dims = 0;
	bool inverse = false, unitary = false, centred = false;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('i', "inverse", &inverse, "the inverse transform"),
	        OPT_FLAG('u', "unitary", &unitary, "factor 1/sqrt(N) in both directions"),
	        OPT_FLAG('c', "centred", &centred, "index n/2 is position 0 and frequency 0"),
	        ARG_DIMS("DIMS", &dims, "dimensions to transform: 0,1 or x,y"),
	        ARG_IN("IN", &in, "any array; real data are promoted"),
	        ARG_OUT("OUT", &out, "complex64, or complex128 of float64 data"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "fft",
	        .about = "Discrete Fourier transform along some dimensions",
	        .details = "X[k] = sum over n of x[n] exp(-2 pi i k n / N) for each dimension in DIMS. The "
	                   "inverse has +i and the factor 1/N, so that "
	                   "it undoes the transform; with --unitary both have 1/sqrt(N). Spacing s [mm] of a "
	                   "transformed dimension becomes 1/(N s) "
	                   "[1/mm], centred.",
	        .examples = "gantry fft x,y slice spectrum\ngantry fft --inverse 0,1 spectrum again\ngantry "
	                    "fft --centred --unitary 0 projections lines",
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	transform_header(&h, dims);

	struct cfl *y = cfl_create(out, &h);
	unsigned mode =
	        (inverse ? FFT_INVERSE : 0) | (unitary ? FFT_UNITARY : 0) | (centred ? FFT_CENTRED : 0);

	long n[DIMS];

	md_select_dims(DIMS, dims, n, h.dims);

	const double scale = (inverse && !unitary) ? 1. / (double)md_calc_size(DIMS, n) : 1.;

	if (!on_device(&h, dims, mode, scale, y, x)) {
		void *data = cfl_map_out(y);

		promote(h.type, data, x->hdr.type, cfl_map(x), x->count);
		fft(DIMS, h.dims, dims, mode, h.type, data, data);

		if (1. != scale)
			vec_scale(h.type, y->count, data, scale);
	}

	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
