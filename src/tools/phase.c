/* Phase retrieval. */

#include <math.h>
#include <stdlib.h>

#include "ct/stream/view_batches.h"
#include "correct/phase.h"
#include "correct/view_kernels.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/md/flpmath.h"

int main_phase(int argc, char *argv[]);

struct retrieval {
	struct phase phase;
	bool log;
	long low; // filtered transmissions that are not over 0
};

static void view(void *ctx, const struct single_view *v)
{
	struct retrieval *r = ctx;
	double *work = mem_alloc((size_t)(2 * plane_size(&r->phase.plane)) * sizeof *work);
	long low = 0;

	phase_view(&r->phase, v->out, v->in, work);

	for (long i = 0; r->log && i < v->size; i++) {
		low += !(v->out[i] > 0.);
		v->out[i] = 0. - log(v->out[i]);
	}

	free(work);

#pragma omp atomic
	r->low += low;
}

static void views(void *ctx, const struct view_batch *b)
{
	struct retrieval *r = ctx;
	const long n = b->n * r->phase.plane.cols * r->phase.plane.rows, strs[] = {sizeof(double)};

	phase_views(&r->phase, b->n, b->out, b->in[0]);

	if (!r->log)
		return;

	struct md_chain low = {0}, f = {0};
	const struct md_reduction count = {.red = RED_COUNT, .type = DT_FLOAT64, .pre = &low};
	double found = 0.;
	int v = chain_operand(&low, DT_FLOAT64);

	chain_op1(&low, OP_NOT, chain_op2(&low, OP_GT, v, chain_constant(&low, DT_FLOAT64, 0.)));
	md_reduction_t(&count, DT_FLOAT64, 1, &n, 1, (const long[]){0}, &found, 1,
	        (const long *const[]){strs}, (const void *const[]){b->out});
	r->low += (long)found;
	v = chain_op1(&f, OP_LOG, chain_operand(&f, DT_FLOAT64));
	chain_op2(&f, OP_SUB, chain_constant(&f, DT_FLOAT64, 0.), v);
	md_chain(&f, DT_FLOAT64, 1, &n, strs, b->out, (const long *const[]){strs},
	        (const void *const[]){b->out});
}

int main_phase(int argc, char *argv[])
{
	double energy = NAN, distance = NAN, ratio = NAN, source = NAN;
	struct opt_doubles pixel = {0};
	bool no_log = false;
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLE('e', "energy", &energy, "KEV", 1e-3, 1e6, "of the photons [keV]"),
	        OPT_DOUBLE('d', "distance", &distance, "MM", 0, 1e9, "from the object to the detector [mm]"),
	        OPT_DOUBLE('r', "ratio", &ratio, "R", 0, 1e9, "delta / beta of the object's material"),
	        OPT_DOUBLE('s', "source", &source, "MM", 1e-3, 1e9,
	                "distance from a point source to the object [mm] (default: a parallel beam)"),
	        OPT_DOUBLES('p', "pixel", &pixel, "PU[:PV]", 1e-9, 1e6,
	                "detector pixels [mm] (default: the spacing of IN)"),
	        OPT_FLAG(0, "no-log", &no_log, "write the filtered transmission instead of line integrals"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "transmission (u, v, view)"),
	        ARG_OUT("OUT", &out, "line integrals of the attenuation"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "phase",
	                .group = GROUP_CORRECT,
	                .synonyms = "paganin",
	                .about = "Retrieve attenuation from phase contrast (Paganin)",
	                .details =
	                        "The method assumes an object of one material (Paganin, Mayo, Gureyev, "
	                        "Miller and Wilkins, J. Microsc. 206, 33, 2002). The result is p = -log "
	                        "F^-1[F[IN] / (1 + pi L z R f^2)], where F is the Fourier transform. The "
	                        "wavelength is L = 1.23984198e-6 mm keV / energy. In this formula, z is "
	                        "--distance, and R is delta / beta. The frequency f is in cycles per mm. "
	                        "With a point source (--source s), the pixel size and z are divided by the "
	                        "magnification M = (s + z) / s. Views are extended by their mirror images "
	                        "before the Fourier transform.\n\n"
	                        "The filter is a low-pass filter. If the data show no fringes, the result "
	                        "is blurred; use a smaller R in this case.",
	                .examples =
	                        "gantry phase --energy 25 --distance 300 --ratio 500 --pixel 0.00065 t proj\n"
	                        "gantry normalize --no-log --flat f counts - | gantry phase -e 20 -d 100 "
	                        "-r 300 -p 0.001 - proj",
	                .memory = "the spectrum of a padded view for each thread",
	                .by_parts = true,
	                .opts = opts},
	        argc, argv);

	if (isnan(energy) || isnan(distance) || isnan(ratio))
		usage_error("expected --energy, --distance and --ratio");

	struct cfl *x = cfl_open(in);
	struct retrieval r = {.log = !no_log};
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_TRANSMISSION, "run gantry normalize --no-log first");

	if (0 == pixel.n && !x->hdr.has_spacing)
		error("%s has no spacing (give --pixel PU)", x->name);

	const double m = isnan(source) ? 1. : (source + distance) / source;
	const double p[2] = {
	        (pixel.n ? pixel.v[0] : x->hdr.spacing[0]) / m, (1 < pixel.n      ? pixel.v[1]
	                                                                : pixel.n ? pixel.v[0]
	                                                                          : x->hdr.spacing[1]) /
	                                                                m};

	hdr_copy(&h, &x->hdr);
	h.type = views_type(type, h.type);
	h.quantity = no_log ? Q_TRANSMISSION : Q_LINE_INTEGRAL;
	r.phase = phase_create(h.dims[0], h.dims[1], energy, distance / m, ratio, p);
	tool_record("pixel", "%.17g:%.17g", p[0] * m, p[1] * m);
	tool_needs(view_batches_memory(x, h.dims[0] * h.dims[1], 0) +
	                   16 * tool_threads() * plane_size(&r.phase.plane),
	        0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(&(struct view_batches){.out = y,
	        .in = x,
	        .each = view,
	        .there = views,
	        .room = views_filter_room(&r.phase.plane),
	        .operations = 400.,
	        .ctx = &r,
	        .what = "phase"});

	ranks_sum(&r.low, 1);

	if (r.low)
		error("%s: %ld of %ld filtered transmissions are not above 0, expected transmissions; run "
		      "gantry outliers first",
		        x->name, r.low, x->count);

	phase_free(&r.phase);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
