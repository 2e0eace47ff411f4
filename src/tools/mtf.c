/** Spatial resolution from an edge or a wire. */

#include <math.h>
#include <stdio.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/stat/resolution.h"

int main_mtf(int argc, char *argv[]);

static void expect_numbers(const struct opt_doubles *v, int n, const char *what)
{
	if (v->n > 0 && v->n != n)
		usage_error("%s: found %d number%s, expected %d", what, v->n, 1 == v->n ? "" : "s", n);
}

static void choose_slices(const char *range, const struct hdr *h, long *first, long *step, long *n)
{
	*first = h->dims[2] / 2;
	*step = 1;
	*n = 1;

	if (range != NULL)
		parse_range(range, h->dims[2], first, step, n, "--range");
}

static void print_level(const struct mtf *m, double level, const char *name)
{
	double f = mtf_frequency(m, level);

	if (isnan(f))
		info("%s: not reached up to %.5g /mm", name, m->frequency[m->n - 1]);
	else
		info("%s: %.5g /mm (%.4g mm between line pairs)", name, f, 1. / f);
}

static void print(const struct mtf *m, double level)
{
	if (level > 0.) {
		double f = mtf_frequency(m, level);

		if (isnan(f))
			error("the MTF is above %g at all frequencies up to %.5g /mm", level,
			        m->frequency[m->n - 1]);

		printf("%.9g\n", f);
		return;
	}

	printf("frequency,mtf\n");

	for (long k = 0; k < m->n; k++)
		printf("%.9g,%.9g\n", m->frequency[k], m->value[k]);

	print_level(m, 0.5, "MTF 50 %");
	print_level(m, 0.1, "MTF 10 %");
}

int main_mtf(int argc, char *argv[])
{
	struct opt_doubles disc = {0}, edge = {0}, wire = {0};
	const char *name = NULL, *range = NULL;
	double width = 0., diameter = 0., level = 0.;

	const struct opt opts[] = {
	        OPT_DOUBLES(0, "disc", &disc, "X:Y:R", 0, 0, "the edge of a disc [mm]; its centre is found"),
	        OPT_DOUBLES(
	                0, "edge", &edge, "X0:X1:Y0:Y1", 0, 0, "a box with a straight, slanted edge [mm]"),
	        OPT_DOUBLES(0, "wire", &wire, "X:Y:R", 0, 0, "circle around a wire or bead [mm]"),
	        OPT_DOUBLE(0, "width", &width, "MM", 0, 1e9,
	                "width of the profile on both sides of the edge (default: 10 pixels)"),
	        OPT_DOUBLE(0, "diameter", &diameter, "MM", 0, 1e9, "diameter of the wire, divided out"),
	        OPT_STRING(0, "range", &range, "START:STOP[:STEP]",
	                "slices to average (default: the middle one)"),
	        OPT_DOUBLE(0, "level", &level, "T", 0, 1,
	                "print only the frequency at which the MTF falls to T"),
	        ARG_IN("IN", &name, "any real array"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "mtf",
	                .group = GROUP_MEASURE,
	                .synonyms = "resolution",
	                .about = "Measure the modulation transfer function at an edge or a wire",
	                .details =
	                        "The output is comma-separated values of frequency [1/mm] and MTF, for "
	                        "frequencies from 0 to 1 / pixel. For an edge, the edge spread function is "
	                        "the mean value at each distance from the edge. The distances from the "
	                        "edge are divided into bins of an eighth of a pixel. The derivative of the "
	                        "edge spread function is the line spread function. The Fourier transform "
	                        "of the line spread function is the MTF. For a disc, the method is that of "
	                        "Richard et al. (2012). For a straight edge, the method is that of ISO "
	                        "12233. The edge should be several pixels away from other structures.\n\n"
	                        "For a wire, the MTF is the Hankel transform of the measured point spread "
	                        "function. If several slices are averaged, the object must not change "
	                        "along dimension 2.",
	                .examples = "gantry mtf --disc 0:0:20 --range 40:60 volume\n"
	                            "gantry mtf --wire 12:0:3 --diameter 0.05 --level 0.1 volume\n"
	                            "gantry mtf --edge -5:5:10:20 volume",
	                .memory = "two slices in float64",
	                .opts = opts,
	        },
	        argc, argv);

	expect_numbers(&disc, 3, "--disc");
	expect_numbers(&edge, 4, "--edge");
	expect_numbers(&wire, 3, "--wire");

	if ((disc.n > 0) + (edge.n > 0) + (wire.n > 0) != 1)
		usage_error("expected one of --disc, --edge and --wire");

	if (diameter > 0. && 0 == wire.n)
		usage_error("--diameter requires --wire");

	if (width > 0. && 0 < wire.n)
		usage_error("--width requires --disc or --edge");

	struct cfl *f = cfl_open(name);
	struct plane p;
	struct mtf m = {0};
	long first, step, n;

	cfl_expect_real(f);
	choose_slices(range, &f->hdr, &first, &step, &n);
	tool_plan_text();
	plane_mean(&p, f, first, step, n);
	width = width > 0. ? width : 10. * fmin(p.dx, p.dy);

	if (disc.n > 0)
		mtf_disc(&m, &p, disc.v[0], disc.v[1], disc.v[2], width);
	else if (edge.n > 0)
		mtf_edge(&m, &p, edge.v, width);
	else
		mtf_wire(&m, &p, wire.v[0], wire.v[1], wire.v[2], diameter);

	if (edge.n > 0)
		info("the edge runs through %.6g:%.6g mm at %.4g degrees", m.found[0], m.found[1],
		        m.found[2]);
	else
		info("the centre is at %.6g:%.6g mm", m.found[0], m.found[1]);

	print(&m, level);
	mtf_free(&m);
	plane_free(&p);
	cfl_close(f);
	leave(EXIT_DONE);
}
