/* Removal of ring artefacts in the sinogram. */

#include <math.h>

#include "ct/stream/sinograms.h"
#include "correct/rings/rings.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"

int main_rings(int argc, char *argv[]);

static void sinogram(void *ctx, long cols, long views, double *x)
{
	rings_correct(ctx, cols, views, x);
}

/** Refuses options of other methods; before the defaults are set. */
static void check_method(const struct rings *r)
{
	const int m = r->method;
	const bool takes_large = RINGS_COMBINED == m || RINGS_LARGE == m || RINGS_DEAD == m;

	if (r->order && RINGS_FITTING != m)
		usage_error("--order requires --method fitting");

	if (r->levels && RINGS_WAVELET != m)
		usage_error("--levels requires --method wavelet");

	if (r->blocks && RINGS_REGULARISED != m)
		usage_error("--blocks requires --method regularised");

	if (r->large && !takes_large)
		usage_error("--large requires --method combined, large or dead");

	if (!isnan(r->snr) && !takes_large)
		usage_error("--snr requires --method combined, large or dead");

	if (!isnan(r->alpha) && RINGS_REGULARISED != m)
		usage_error("--alpha requires --method regularised");

	if (r->size && (RINGS_LARGE == m || RINGS_DEAD == m || RINGS_REGULARISED == m || RINGS_WAVELET == m ||
	                       RINGS_FITTING == m))
		usage_error("--size requires --method combined, sorting, filtering or median");

	if (r->steady > 0 && RINGS_DEAD == m)
		usage_error("--median has no effect with --method dead");

	if (!isnan(r->sigma) && RINGS_FILTERING != m && RINGS_FITTING != m && RINGS_WAVELET != m)
		usage_error("--sigma requires --method filtering, fitting or wavelet");
}

static void check(const struct rings *r, const struct cfl *x)
{
	if (0 == r->size % 2 || 0 == r->large % 2)
		usage_error("--%s %ld: expected an odd number of columns", (r->size % 2) ? "large" : "size",
		        (r->size % 2) ? r->large : r->size);

	if (0 != r->steady && 0 == r->steady % 2)
		usage_error("--median %ld: expected 0 or an odd number of views", r->steady);

	if (x->hdr.dims[2] < 2)
		error("%s is %s, expected projections (u, v, view) with several views", x->name,
		        hdr_shape(&x->hdr));

	if (x->hdr.dims[2] > 1L << 30)
		error("%s has %ld views, expected at most 2^30", x->name, x->hdr.dims[2]);

	if (x->hdr.dims[0] < 8)
		error("%s has %ld columns, expected at least 8", x->name, x->hdr.dims[0]);
}

int main_rings(int argc, char *argv[])
{
	struct rings r = {.snr = NAN, .alpha = NAN, .sigma = NAN};
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "method", &r.method, ring_method_names, "method of correction"),
	        OPT_LONG('s', "size", &r.size, "N", 1, 100001,
	                "window of medians for small stripes [columns, odd] (default: 11; 13 from 256 "
	                "columns on, 15 from 512 on, 21 from 1024 on)"),
	        OPT_LONG('l', "large", &r.large, "N", 1, 100001,
	                "window for large and dead stripes [columns, odd] (default: a 32nd of the columns, "
	                "21 to 51)"),
	        OPT_DOUBLE(0, "snr", &r.snr, "S", 0.1, 1e6,
	                "combined, large, dead: contrast from which a stripe is corrected (default: 3)"),
	        OPT_DOUBLE(0, "sigma", &r.sigma, "S", 1e-3, 1e6,
	                "filtering, wavelet: cycles per scan (default: 3, 2); fitting: columns (default: 1)"),
	        OPT_LONG(0, "order", &r.order, "N", 1, 20, "fitting: degree of the polynomial (default: 2)"),
	        OPT_DOUBLE(0, "alpha", &r.alpha, "A", 1e-12, 1e12,
	                "regularised: 1 / (scale in columns)^2; larger scales belong to the object (default: "
	                "0.5)"),
	        OPT_LONG(0, "levels", &r.levels, "N", 1, 12,
	                "wavelet: levels (default: 1; 3 from 256 columns on, 4 from 512 on)"),
	        OPT_LONG('b', "blocks", &r.blocks, "N", 1, 1000000,
	                "regularised: blocks of views with stripes of their own (default: 1)"),
	        OPT_LONG(0, "median", &r.steady, "N", 0, 1000001,
	                "median of the correction over N views, odd (0: all, or a third where stripes "
	                "change; 1: none)"),
	        OPT_TYPE(&type),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT("OUT", &out, "line integrals with fewer stripes"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "rings",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "destripe ringremoval ring-removal stripes",
	                  .about = "Remove ring artefacts",
	                  .details = "Each detector row is corrected separately, as a sinogram. The methods "
	                             "are:\n\n"
	                             "combined: first dead, then sorting.\n"
	                             "sorting: algorithm 3 of Vo and others (2018).\n"
	                             "filtering: algorithm 2 of Vo and others (2018).\n"
	                             "fitting: algorithm 1 of Vo and others (2018).\n"
	                             "large: algorithm 5 of Vo and others (2018).\n"
	                             "dead: algorithm 6 of Vo and others (2018).\n"
	                             "regularised: the method of Titarenko, Withers and Yagola, Appl. Math. "
	                             "Lett. 23, 1489 (2010).\n"
	                             "wavelet: the method of Muench, Trtik, Marone and Stampanoni, Opt. "
	                             "Express 17, 8567 (2009). The wavelet is Daubechies' wavelet with 4 "
	                             "vanishing moments.\n"
	                             "median: subtracts the deviation of each value from the running median "
	                             "along the detector row.\n\n"
	                             "The paper of Vo and others (2018) is Vo, Atwood and Drakopoulos, Opt. "
	                             "Express 26, 28396.\n\n"
	                             "A stripe keeps its column from view to view, but an edge of the "
	                             "object does not. All methods except dead therefore replace the "
	                             "correction of a column by a median over views. By default (--median "
	                             "0), the correction of a column is one median over the whole scan. If "
	                             "a stripe changes during the scan (partial ring), its column is "
	                             "corrected by running medians. The running medians for partial rings "
	                             "are over a third of the views. With --median 101, running medians "
	                             "over 101 views are used in all columns. With --median 1, the method "
	                             "is used as published, without medians over views. A method without "
	                             "these medians also smooths the object.\n\n"
	                             "The windows of --size and --large must be wider than the stripes. The "
	                             "windows must be narrower than dense parts of the object near the "
	                             "axis. No method can distinguish rings from an object with rotational "
	                             "symmetry about the axis. All methods subtract stripes from line "
	                             "integrals, even where the publication divides. The page "
	                             "doc/corrections.md compares the methods.",
	                  .examples = "gantry rings proj clean\n"
	                              "gantry rings --method sorting --size 31 --median 101 proj clean\n"
	                              "gantry normalize --dark d --flat f counts - | gantry rings - clean",
	                  .memory = "256 MiB of detector rows. Each thread also needs up to 6 sinograms "
	                            "(wavelet: 10)",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	check_method(&r);
	rings_defaults(&r, x->hdr.dims[0]);
	cfl_expect_real(x);
	views_expect_line_integrals(x);
	check(&r, x);
	hdr_copy(&h, &x->hdr);
	h.type = views_type(type, h.type);
	tool_needs(sinograms_pass_memory(x) +
	                   min_long(tool_threads(), h.dims[1]) * rings_memory(&r, h.dims[0], h.dims[2]),
	        0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	sinograms_pass(&(struct sinogram_pass){y, x, sinogram, &r, "rings"});
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
