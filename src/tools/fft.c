#include <math.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/fft/fft.h"
#include "num/fft/fft_files.h"
#include "num/fft/fft_shared.h"
#include "num/md/multind.h"

int main_fft(int argc, char *argv[]);

/** Sets the spacing of frequencies, 1 / (n spacing); the inverse restores the original spacing. */
static void transform_header(struct hdr *h, unsigned long dims)
{
	h->type = (DT_FLOAT64 == h->type || DT_COMPLEX128 == h->type) ? DT_COMPLEX128 : DT_COMPLEX64;
	h->quantity = Q_UNKNOWN;

	for (int d = 0; d < DIMS; d++) {
		if (!(dims & 1ul << d))
			continue;

		if (h->has_spacing)
			h->spacing[d] = 1. / ((double)h->dims[d] * h->spacing[d]);

		h->origin[d] = NAN;
	}
}

int main_fft(int argc, char *argv[])
{
	unsigned long dims = 0;
	bool inverse = false, unitary = false, centred = false;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('i', "inverse", &inverse, "the inverse transform"),
	        OPT_FLAG('u', "unitary", &unitary, "factor 1/sqrt(N) in both directions"),
	        OPT_FLAG('c', "centred", &centred, "zero position and zero frequency at index n/2"),
	        ARG_DIMS("DIMS", &dims, "dimensions to transform: 0,1 or x,y"),
	        ARG_IN("IN", &in, "any array; real data are promoted"),
	        ARG_OUT("OUT", &out, "complex64, or complex128 of float64 data"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "fft",
	        .group = GROUP_CALCULATE,
	        .synonyms = "ifft dft fourier",
	        .about = "Discrete Fourier transform along some dimensions",
	        .details = "The transform along a dimension is X[k] = sum over n of x[n] exp(-2 pi i k n "
	                   "/ N). The inverse transform has the factor 1/N, and +i in place of -i. With "
	                   "--unitary, both transforms have the factor 1/sqrt(N). In a transformed "
	                   "dimension, also of length 1, the spacing s [mm] becomes 1/(N s) [1/mm]. The "
	                   "grid of a transformed dimension is centred on 0.",
	        .examples = "gantry fft x,y slice spectrum\ngantry fft --inverse 0,1 spectrum again\ngantry "
	                    "fft --centred --unitary 0 projections lines",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	transform_header(&h, dims);

	if (!fft_is_shared(h.dims, dims))
		ranks_alone();

	if (ranks_shared())
		tool_needs(fft_shared_memory(&h, x, dims, out), 0.);

	struct cfl *y = cfl_create(out, &h);
	unsigned mode =
	        (inverse ? FFT_INVERSE : 0) | (unitary ? FFT_UNITARY : 0) | (centred ? FFT_CENTRED : 0);

	long n[DIMS];

	md_select_dims(DIMS, dims, n, h.dims);

	const double scale = (inverse && !unitary) ? 1. / (double)md_calc_size(DIMS, n) : 1.;

	if (ranks_shared())
		fft_shared(y, x, dims, mode, scale);
	else
		fft_files(y, x, dims, mode, scale);

	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
