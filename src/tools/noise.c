/* Photon noise. */

#include "ct/geometry/views.h"
#include "ct/phantom/photons.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/shape/slabs.h"

int main_noise(int argc, char *argv[]);

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	photons_count(ctx, first, n, out, in[0]);
}

int main_noise(int argc, char *argv[])
{
	double photons = 1e5;
	long seed = 0;
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {OPT_DOUBLE('n', "photons", &photons, "N", 1e-300, PHOTONS_MOST,
	                                   "photons per pixel and view without object"),
	        OPT_LONG('s', "seed", &seed, "S", 0, 0x1p62, "seed of the random numbers"), OPT_TYPE(&type),
	        ARG_IN("IN", &in, "line integrals"), ARG_OUT("OUT", &out, "line integrals with noise"),
	        OPT_END};

	tool_init(
	        &(struct tool){.name = "noise",
	                .group = GROUP_SIMULATE,
	                .synonyms = "poisson addnoise",
	                .about = "Add photon noise to line integrals",
	                .details =
	                        "The counts c are drawn from a Poisson distribution of the mean N exp(-p), "
	                        "where p is the line integral. The result is -log(c / N). A count of 0 "
	                        "becomes 1, and the number of such counts is reported.",
	                .examples = "gantry noise --photons 1e5 proj noisy\n"
	                            "gantry project geom vol - | gantry noise --photons 1e4 --seed 3 - noisy",
	                .by_parts = true,
	                .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct photons s = {.incident = photons, .seed = (uint64_t)seed};
	struct hdr h;

	cfl_expect_real(x);
	views_expect_line_integrals(x);
	hdr_copy(&h, &x->hdr);
	h.type = (0 <= type) ? (enum dtype)type : dtype_compute(h.type);
	tool_record("photons", "%.17g", photons);
	tool_record("seed", "%ld", seed);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);

	slabs_run(y, DT_FLOAT64, 1, (struct cfl *const[]){x}, (const enum dtype[]){DT_FLOAT64}, block, &s,
	        "noise");

	ranks_sum(&s.bad, 1);
	ranks_sum(&s.empty, 1);

	if (s.bad)
		error("%s: %ld of %ld values are NaN or would give more than %g photons, expected line "
		      "integrals",
		        x->name, s.bad, x->count, PHOTONS_MOST);

	if (s.empty)
		warn("%s: %ld of %ld pixels counted no photon: taken as 1 photon", x->name, s.empty,
		        x->count);

	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
