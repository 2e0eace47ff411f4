/** Wavelet transforms along dimensions, and their inverses and adjoints. */

#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/array/array_as.h"
#include "num/array/part.h"

int main_wavelet(int argc, char *argv[]);

/** Levels as asked for, or as many as there can be. */
static long choose_levels(const struct cfl *x, unsigned long dims, long levels)
{
	const long most = wavelet_max_levels(DIMS, x->hdr.dims, dims);

	if (0 == most)
		error("%s is %s: expected more than one element along some of DIMS", x->name,
		        hdr_shape(&x->hdr));

	if (levels > most)
		error("%s is %s: expected at most %ld --levels, found %ld", x->name, hdr_shape(&x->hdr), most,
		        levels);

	levels = (0 == levels) ? most : levels;
	tool_record("levels", "%ld", levels);

	return levels;
}

/** Places and spacing are kept, for the way back. */
static void set_header(struct hdr *h, const struct hdr *in, bool inverse)
{
	hdr_copy(h, in);
	h->type = dtype_compute(in->type);
	h->quantity = Q_UNKNOWN;

	if (!inverse)
		h->has_detector = false;
}

int main_wavelet(int argc, char *argv[])
{
	unsigned long dims = 0;
	long levels = 0;
	bool inverse = false, adjoint = false;
	int family = WAVELET_DB2, boundary = WAVELET_PERIODIC;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('f', "family", &family, wavelet_family_names, "wavelet family"),
	        OPT_CHOICE('b', "boundary", &boundary, wavelet_boundary_names, "values beyond the ends"),
	        OPT_LONG('l', "levels", &levels, "N", 1, 62,
	                "number of levels (default: as many as possible)"),
	        OPT_FLAG('i', "inverse", &inverse, "inverse transform, from coefficients to elements"),
	        OPT_FLAG(
	                'a', "adjoint", &adjoint, "the exact transpose of the transform (or of the inverse)"),
	        ARG_DIMS("DIMS", &dims, "dimensions to transform: 0,1 or x,y"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same dims: coarse part first, then details"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "wavelet",
	                .group = GROUP_CALCULATE,
	                .synonyms = "dwt",
	                .about = "Wavelet transform along dimensions",
	                .details = "One level turns n elements of a dimension into (n+1)/2 coarse "
	                           "coefficients, followed by n/2 details. The numbers (n+1)/2 and n/2 "
	                           "are rounded down. The next level transforms only the coefficients "
	                           "that are coarse along all DIMS.\n\n"
	                           "The families haar, db2 and db4 are orthonormal with the periodic "
	                           "boundary. The inverse of an orthonormal transform is the adjoint, and "
	                           "the norm is kept. The families db2 and db4 are Daubechies' wavelets "
	                           "with 2 and 4 vanishing moments. The family cdf44 is the biorthogonal, "
	                           "symmetric 9/7 wavelet of Cohen, Daubechies and Feauveau. With the "
	                           "periodic boundary and an odd length, the last element becomes a "
	                           "coarse coefficient unchanged. With the symmetric boundary, the array "
	                           "is mirrored at its ends.\n\n"
	                           "With --inverse and otherwise the same options, the array is restored "
	                           "up to rounding. The result has the type float32, or the type of the "
	                           "elements if this is float64 or complex. For the inverse, coefficients "
	                           "keep the spacing and origin of the elements.",
	                .examples = "gantry wavelet x,y slice coefficients\n"
	                            "gantry wavelet --inverse x,y coefficients again\n"
	                            "gantry wavelet --family cdf44 --boundary symmetric --levels 3 x,y,z "
	                            "volume coefficients",
	                .memory = "inputs and outputs. An input whose type differs from the output is "
	                          "copied, too",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	levels = choose_levels(x, dims, levels);
	set_header(&h, &x->hdr, inverse);

	const struct part p = part_choose(h.dims, dims, 0, 0);
	long own[DIMS];

	part_dims(&p, own, h.dims);

	struct linop *W = (inverse ? linop_wavelet_inverse_create : linop_wavelet_create)(h.type, DIMS, own,
	        dims, (enum wavelet_family)family, (enum wavelet_boundary)boundary, levels);

	tool_needs(part_open_memory(&p, x, h.type) + part_out_memory(&p, &h, h.type, out), 0);

	struct cfl *y = cfl_create(out, &h);
	const bool on_device =
	        linop_is_anywhere(W) &&
	        array_as_device((double)(x->count + y->count) * (double)dtype_size(h.type), 0.);
	struct array *a = part_open(&p, x, h.type, on_device), *b = part_out(&p, y, h.type, on_device);

	(adjoint ? linop_adjoint : linop_forward)(W, b->data, a->data);
	part_finish(&p, y, b);
	array_free(a);
	linop_free(W);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
