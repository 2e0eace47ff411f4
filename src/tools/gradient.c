/** Finite differences along dimensions, and their adjoint. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linops/linop.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/array/array_as.h"
#include "num/array/part.h"

int main_gradient(int argc, char *argv[]);

/** Elements on each side that a difference or its transpose reads, those of other rules at the ends too. */
enum { NEIGHBOURS = 2 };

/** Dims below `end` among x, y and z that are larger than 1. */
static unsigned long spatial_dims(const struct hdr *h, int end)
{
	unsigned long dims = 0;

	for (int d = 0; d < 3 && d < end; d++)
		dims |= (1 < h->dims[d]) ? 1ul << d : 0;

	return dims;
}

/** The dim of the components, from the array to which the operator is applied. */
static int component_dim(const struct cfl *x, bool adjoint, unsigned long dims)
{
	const int rank = hdr_rank(&x->hdr);

	if (!adjoint || 1 == __builtin_popcountl(dims))
		return (rank < 3) ? 3 : rank;

	return rank - 1;
}

/** Checks that the array is one of the operator's. */
static void check_shape(const struct cfl *x, bool adjoint, unsigned long dims, int at)
{
	const int parts = __builtin_popcountl(dims);

	if (0 == dims)
		error("%s is %s: x, y and z have length 1 (choose dimensions with --dims)", x->name,
		        hdr_shape(&x->hdr));

	if (at >= DIMS)
		error("%s is %s: the components need an unused dimension, but all are in use", x->name,
		        hdr_shape(&x->hdr));

	if (0 != dims >> at)
		error("%s is %s: dimensions in --dims must be below %d%s", x->name, hdr_shape(&x->hdr), at,
		        adjoint ? ", the last dimension, which holds the components" : "");

	if (adjoint && parts != x->hdr.dims[at])
		error("%s is %s: dimension %d holds %ld components, but --dims names %d dimensions", x->name,
		        hdr_shape(&x->hdr), at, x->hdr.dims[at], parts);
}

/** Components lie along dim `at`. Differences have the unit of the elements per mm, where there are mm. */
static void set_header(struct hdr *h, const struct hdr *in, bool adjoint, int at, int parts)
{
	hdr_copy(h, in);
	h->type = dtype_compute(in->type);
	h->quantity = Q_UNKNOWN;
	h->has_detector = false;
	h->dims[at] = adjoint ? 1 : parts;
	h->spacing[at] = 1.;
	h->origin[at] = NAN;
	h->unit[0] = '\0';

	if (!adjoint && in->has_spacing && '\0' != in->unit[0] && strlen(in->unit) + 3 < sizeof h->unit)
		sprintf(h->unit, "%s%s", in->unit, strcmp(in->unit, "1/mm") ? "/mm" : "^2");
}

int main_gradient(int argc, char *argv[])
{
	unsigned long dims = 0;
	bool given = false, adjoint = false;
	int scheme = GRAD_FORWARD, boundary = GRAD_REPLICATE;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        {'d', "dims", OPT_KIND_DIMS, &dims, "DIMS",
	                "dimensions (default: those of x,y,z longer than 1)", 0, 0, 0, &given},
	        OPT_CHOICE(0, "scheme", &scheme, "forward|backward|central", "kind of difference"),
	        OPT_CHOICE(0, "boundary", &boundary, "replicate|zero|periodic|one-sided",
	                "values beyond the ends"),
	        OPT_FLAG('a', "adjoint", &adjoint, "the exact transpose: from components to an array"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the components along a new dimension"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "gradient",
	                .group = GROUP_CALCULATE,
	                .synonyms = "grad diff",
	                .about = "Finite differences along dimensions",
	                .details = "The schemes use the spacing h [mm] of the header (default 1):\n\n"
	                           "forward: (x[i+1] - x[i]) / h.\n"
	                           "backward: (x[i] - x[i-1]) / h.\n"
	                           "central: (x[i+1] - x[i-1]) / (2 h).\n\n"
	                           "Values beyond an end are the last element (replicate), 0 (zero), or "
	                           "the values at the other end (periodic). With --boundary one-sided, "
	                           "the difference of the two elements at the end is used. With --scheme "
	                           "central --boundary one-sided, the result is that of "
	                           "numpy.gradient.\n\n"
	                           "The components are stored along a new dimension, in the order of the "
	                           "dimensions. The new dimension follows the last dimension in use, and "
	                           "is at least 3 (channel). With --adjoint, the components are read from "
	                           "the last dimension in use. The result of --adjoint is the transpose "
	                           "of the gradient, which is minus the divergence. The result has the "
	                           "type float32, or the type of the elements if this is float64 or "
	                           "complex.",
	                .examples =
	                        "gantry gradient volume components\n"
	                        "gantry gradient --dims z --scheme central --boundary one-sided volume dz\n"
	                        "gantry gradient --adjoint components divergence",
	                .memory = "inputs and outputs. An input whose type differs from the output is "
	                          "copied, too",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	if (!given)
		dims = spatial_dims(
		        &x->hdr, (adjoint && 1 < hdr_rank(&x->hdr)) ? hdr_rank(&x->hdr) - 1 : DIMS);

	const int at = component_dim(x, adjoint, dims);

	check_shape(x, adjoint, dims, at);
	set_header(&h, &x->hdr, adjoint, at, __builtin_popcountl(dims));

	const unsigned long across = ~((1ul << at) - 1); // where the components lie
	const struct part p =
	        part_choose(h.dims, across | (GRAD_PERIODIC == boundary ? dims : 0), dims, NEIGHBOURS);
	long own[DIMS];

	part_dims(&p, own, h.dims);

	struct linop *G = linop_gradient_create(
	        h.type, at, own, dims, h.spacing, (enum grad_scheme)scheme, (enum grad_boundary)boundary);

	tool_needs(part_open_memory(&p, x, h.type) + part_out_memory(&p, &h, h.type, out), 0);

	struct cfl *y = cfl_create(out, &h);
	const bool on_device =
	        linop_is_anywhere(G) &&
	        array_as_device((double)(x->count + y->count) * (double)dtype_size(h.type), 0.);
	struct array *a = part_open(&p, x, h.type, on_device), *b = part_out(&p, y, h.type, on_device);

	(adjoint ? linop_adjoint : linop_forward)(G, b->data, a->data);
	part_finish(&p, y, b);
	array_free(a);
	linop_free(G);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
