/* Distortion by a lens. */

#include "correct/distort.h"
#include "ct/stream/view_batches.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"

int main_distort(int argc, char *argv[]);

static void view(void *ctx, const struct single_view *v)
{
	distort_view(ctx, v->out, v->in);
}

int main_distort(int argc, char *argv[])
{
	struct distort d = {0};
	struct opt_doubles k = {0}, centre = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES('k', "coefficients", &k, "K0:K1:..", 0, 0,
	                "coefficients of the backward model, in pixels"),
	        OPT_DOUBLES('c', "center", &centre, "U:V", 0, 0,
	                "centre of distortion [pixels, from 0] (default: the middle)"),
	        ARG_IN("IN", &in, "counts, transmission or line integrals (u, v, view)"),
	        ARG_OUT("OUT", &out, "corrected views, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "distort",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "undistort distortion",
	                  .about = "Correct the radial distortion of a lens",
	                  .details = "The output at distance r from the centre is the input at distance r "
	                             "(K0 + K1 r + K2 r^2 + ..). Input values are interpolated by cubic "
	                             "convolution (Keys, 1981). The formula is the backward model of Vo, "
	                             "Atwood and Drakopoulos, Opt. Express 23, 32859 (2015). With K0 = 1 "
	                             "alone, the views do not change. Programs that count rows before "
	                             "columns use the same coefficients. For --center, exchange the two "
	                             "numbers of the centre that such a program gives. Correct either the "
	                             "transmission, or all of counts, darks and flats.",
	                  .examples = "gantry distort --coefficients 1:1e-5:-3e-9 --center 1020.3:1034.8 t "
	                              "straight",
	                  .opts = opts},
	        argc, argv);

	if (0 == k.n)
		usage_error("expected --coefficients");

	if (!(k.v[0] > 0.))
		usage_error("--coefficients: K0 is %g, expected more than 0 (1 means no distortion)", k.v[0]);

	if (0 != centre.n && 2 != centre.n)
		usage_error("--center has %d numbers, expected U:V", centre.n);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_COUNTS | 1u << Q_TRANSMISSION | 1u << Q_LINE_INTEGRAL,
	        "gantry distort takes views of a detector");
	hdr_copy(&h, &x->hdr);
	d = (struct distort){.cols = h.dims[0], .rows = h.dims[1], .terms = k.n, .k = k.v};
	d.centre[0] = centre.n ? centre.v[0] : 0.5 * (double)(d.cols - 1);
	d.centre[1] = centre.n ? centre.v[1] : 0.5 * (double)(d.rows - 1);
	tool_record("center", "%.17g:%.17g", d.centre[0], d.centre[1]);
	tool_needs(view_batches_memory(x, d.cols * d.rows, 0), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(&(struct view_batches){.out = y,
	        .in = x,
	        .each = view,
	        .there = distort_views,
	        .operations = 100.,
	        .ctx = &d,
	        .what = "distort"});
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
