/* Blur of the detector. */

#include <math.h>
#include <stdlib.h>

#include "correct/deblur.h"
#include "ct/stream/view_batches.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"

int main_deblur(int argc, char *argv[]);

static void view(void *ctx, const struct single_view *v)
{
	deblur_view(ctx, v->out, v->in);
}

static void read_psf(struct deblur *d, const char *name, long cols, long rows)
{
	struct cfl *f = cfl_open(name);
	const long *size = f->hdr.dims;

	cfl_expect_real(f);

	if (size[0] * size[1] != f->count || size[0] > 2 * cols || size[1] > 2 * rows)
		error("%s is %s, expected a point spread function (u, v) of at most %ld x %ld, twice the "
		      "size of a view",
		        f->name, hdr_shape(&f->hdr), 2 * cols, 2 * rows);

	if (0 == size[0] % 2 || 0 == size[1] % 2)
		error("%s is %ld x %ld, expected odd sizes, so that the centre is an element", f->name,
		        size[0], size[1]);

	double *h = mem_alloc((size_t)f->count * sizeof *h);

	convert(DT_FLOAT64, h, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);
	deblur_psf(d, cols, rows, size, h, f->name);
	free(h);
	cfl_close(f);
}

int main_deblur(int argc, char *argv[])
{
	struct deblur d = {.noise = NAN, .slope = NAN};
	struct opt_doubles sigma = {0};
	int type = -1;
	const char *psf = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "method", &d.method, "lucy|wiener", "how"),
	        OPT_DOUBLES('s', "sigma", &sigma, "SU[:SV]", 0, 1e4,
	                "standard deviation of a Gaussian blur [pixels]"),
	        OPT_ARRAY('p', "psf", &psf, "PSF", "point spread function (u, v), centred"),
	        OPT_LONG('i', "iterations", &d.iterations, "N", 1, 100000, "lucy (default: from each view)"),
	        OPT_DOUBLE('n', "noise", &d.noise, "K", 1e-12, 1e6,
	                "wiener: power of noise over signal (default: from each view)"),
	        OPT_DOUBLE(0, "slope", &d.slope, "P", 0, 16,
	                "wiener, with --noise: signal power falls as frequency^-P (default: 0)"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "counts or transmission (u, v, view)"),
	        ARG_OUT("OUT", &out, "deblurred views"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "deblur",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "deconvolve deconvolution",
	                  .about = "Deconvolve detector blur",
	                  .details = "The method lucy is the iteration of Richardson (J. Opt. Soc. Am. "
	                             "62, 55, 1972) and Lucy (Astron. J. 79, 745, 1974). The method lucy "
	                             "keeps values >= 0. More iterations sharpen more, but also amplify "
	                             "the noise more. By default, the number of iterations is chosen for "
	                             "each view. The command finds the number k of iterations after which "
	                             "the residual is below the noise or hardly decreases. The command "
	                             "then runs 2 k iterations, but at most 500.\n\n"
	                             "The method wiener multiplies the spectrum of a view by conj(H) / "
	                             "(|H|^2 + K |f|^P) (Wiener, 1949). The Wiener filter is scaled to 1 "
	                             "at frequency 0. H is the spectrum of the point spread function. The "
	                             "frequency |f| is 2 / pi sqrt(sin(pi fu)^2 + sin(pi fv)^2). The "
	                             "frequencies fu and fv are in cycles per pixel. Without --noise, K "
	                             "and P maximise the likelihood of the view's spectrum (Whittle, "
	                             "1953).\n\n"
	                             "Use deblur before the logarithm, because the blur acts on "
	                             "intensities. Views are extended by their mirror images.",
	                  .examples = "gantry deblur --sigma 1.2 transmission sharp\n"
	                              "gantry deblur --method wiener --noise 0.001 --psf h counts sharp",
	                  .memory = "two spectra of a padded view for each thread",
	                  .opts = opts},
	        argc, argv);

	if ((0 < sigma.n) == (NULL != psf))
		usage_error("expected --sigma or --psf");

	if (0 < d.iterations && 0 != d.method)
		usage_error("--iterations requires --method lucy");

	if (!isnan(d.noise) && 0 == d.method)
		usage_error("--noise requires --method wiener");

	if (!isnan(d.slope) && isnan(d.noise))
		usage_error("--slope requires --noise");

	d.slope = isnan(d.slope) ? 0. : d.slope;

	if (sigma.n > 2)
		usage_error("--sigma has %d numbers, expected SU or SU:SV", sigma.n);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_COUNTS | 1u << Q_TRANSMISSION,
	        "the blur is of intensities: run gantry deblur before the logarithm");
	hdr_copy(&h, &x->hdr);
	h.type = views_type(type, h.type);

	if (NULL != psf)
		read_psf(&d, psf, h.dims[0], h.dims[1]);
	else
		deblur_gauss(&d, h.dims[0], h.dims[1], (const double[]){sigma.v[0], sigma.v[1 < sigma.n]});

	tool_needs(
	        view_batches_memory(x, h.dims[0] * h.dims[1], 0) + 32 * tool_threads() * plane_size(&d.plane),
	        0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(
	        &(struct view_batches){.out = y, .in = x, .each = view, .ctx = &d, .what = "deblur"});
	deblur_free(&d);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
