/* Scattered radiation. */

#include "ct/stream/view_batches.h"
#include "correct/scatter.h"
#include "correct/view_kernels.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"

int main_scatter(int argc, char *argv[]);

static void view(void *ctx, const struct single_view *v)
{
	scatter_view(ctx, v->out, v->in);
}

int main_scatter(int argc, char *argv[])
{
	struct scatter s = {.amplitude = 0.1, .alpha = 0.9, .beta = 0.5, .ratio = 0.3, .sigma = {20., 80.}};
	struct opt_doubles sigma = {.n = 2, .v = {20., 80.}}, pixel = {0};
	int type = -1;
	const char *in = NULL, *out = NULL;

	s.iterations = 6;

	const struct opt opts[] = {
	        OPT_DOUBLE('A', "amplitude", &s.amplitude, "A", 0, 1e3, "amplitude of the kernel"),
	        OPT_DOUBLE('a', "alpha", &s.alpha, "X", 0, 10, "power of the primary transmission"),
	        OPT_DOUBLE('b', "beta", &s.beta, "X", 0, 10, "power of the primary line integral"),
	        OPT_DOUBLES('s', "sigma", &sigma, "S1:S2", 1e-6, 1e6,
	                "standard deviations of the two Gaussians [mm on the detector]"),
	        OPT_DOUBLE('B', "ratio", &s.ratio, "B", 0, 1e3,
	                "weight of the second Gaussian (the first has weight 1)"),
	        OPT_DOUBLES('p', "pixel", &pixel, "PU[:PV]", 1e-9, 1e6,
	                "detector pixels [mm] (default: the spacing of IN)"),
	        OPT_LONG('i', "iterations", &s.iterations, "N", 1, 1000, "iterations of the fixed point"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "transmission (u, v, view)"),
	        ARG_OUT("OUT", &out, "primary transmission"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "scatter",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "scatter-correction",
	                  .about = "Subtract scattered radiation by superposition of kernels",
	                  .details = "A pixel with the primary transmission P scatters A P^alpha (-log "
	                             "P)^beta to its neighbours. The scatter of a pixel is spread by the "
	                             "kernel (g1 + B g2) / (1 + B). The functions g1 and g2 are Gaussians "
	                             "with the standard deviations S1 and S2. The measured transmission IN "
	                             "is P + S(P), where S(P) is the scatter of all pixels. The command "
	                             "finds P by iterating P = IN - S(P). The method is that of Sun and "
	                             "Star-Lack, Phys. Med. Biol. 55, 6695 (2010). The command uses one "
	                             "kernel for all thicknesses of the object.\n\n"
	                             "The best parameters depend on the scanner. Fit the parameters to a "
	                             "scan with a beam stopper, or to a simulation. The defaults are only a "
	                             "rough guess for a flat panel without an anti-scatter grid. Values of "
	                             "P below IN / 100 are raised to this limit, and counted in a message.",
	                  .examples = "gantry scatter --amplitude 0.08 --sigma 15:60 --pixel 0.4 t primary",
	                  .memory = "the spectrum of a padded view for each thread",
	                  .opts = opts},
	        argc, argv);

	if (2 != sigma.n)
		usage_error("--sigma has %d numbers, expected S1:S2", sigma.n);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_TRANSMISSION, "run gantry normalize --no-log first");

	if (0 == pixel.n && !x->hdr.has_spacing)
		error("%s has no spacing (give --pixel PU)", x->name);

	hdr_copy(&h, &x->hdr);
	h.type = views_type(type, h.type);
	s.sigma[0] = sigma.v[0];
	s.sigma[1] = sigma.v[1];

	const double p[2] = {pixel.n ? pixel.v[0] : h.spacing[0], (1 < pixel.n) ? pixel.v[1]
	                                                          : pixel.n     ? pixel.v[0]
	                                                                        : h.spacing[1]};

	tool_record("pixel", "%.17g:%.17g", p[0], p[1]);
	scatter_create(&s, h.dims[0], h.dims[1], p);
	tool_needs(
	        view_batches_memory(x, h.dims[0] * h.dims[1], 0) + 24 * tool_threads() * plane_size(&s.plane),
	        0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(&(struct view_batches){.out = y,
	        .in = x,
	        .each = view,
	        .there = scatter_views,
	        .room = 1. + views_filter_room(&s.plane),
	        .operations = 400. * (double)s.iterations,
	        .ctx = &s,
	        .what = "scatter"});

	if (s.low)
		warn("%s: %ld of %ld primaries are below a hundredth of the transmission and are raised to "
		     "this limit",
		        x->name, s.low, x->count);

	scatter_free(&s);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
