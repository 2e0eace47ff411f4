/* Drift of views. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/align.h"
#include "ct/stream/view_batches.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"

int main_align(int argc, char *argv[]);

struct alignment {
	long cols, rows, views; // views of the reference
	double *reference;
	double most;
	double *shift; // 2 numbers for each view
};

static void view(void *ctx, const struct single_view *v)
{
	const struct alignment *a = ctx;
	const double *r = a->reference + (a->views > 1 ? v->number * v->size : 0);
	double *shift = a->shift + 2 * v->number;

	align_shift(a->cols, a->rows, r, v->in, a->most, shift);
	align_move(a->cols, a->rows, shift, v->out, v->in);
}

/** Frames to align to: one, or as many as there are views. */
static void read_reference(struct alignment *a, const char *name, const struct cfl *x)
{
	struct cfl *f = cfl_open(name);
	const long size = a->cols * a->rows;

	cfl_expect_real(f);

	if (f->hdr.dims[0] != a->cols || f->hdr.dims[1] != a->rows ||
	        (f->count != size && f->count != x->count))
		error("%s is %s, expected one view of %ld x %ld, or the dimensions of %s", f->name,
		        hdr_shape(&f->hdr), a->cols, a->rows, x->name);

	a->views = f->count / size;
	a->reference = mem_alloc((size_t)f->count * sizeof *a->reference);
	convert(DT_FLOAT64, a->reference, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);

	for (long i = 0; i < f->count; i++)
		if (!isfinite(a->reference[i]))
			error("%s: element %ld of view %ld is not finite, expected numbers", f->name,
			        i % size, i / size);

	cfl_close(f);
}

static void report(const struct alignment *a, long views)
{
	double most[2] = {0., 0.};

	for (long k = 0; k < views; k++) {
		verbose("view %ld: %.3f %.3f pixels", k, a->shift[2 * k], a->shift[2 * k + 1]);

		for (int d = 0; d < 2; d++)
			most[d] = fmax(most[d], fabs(a->shift[2 * k + d]));
	}

	info("the largest shifts are %.3f and %.3f pixels along u and v", most[0], most[1]);
}

int main_align(int argc, char *argv[])
{
	struct alignment a = {.most = 20.};
	const char *reference = NULL, *shifts = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_ARRAY('r', "reference", &reference, "REF",
	                "reference view, or one reference per view of IN (reprojections)"),
	        OPT_DOUBLE('m', "max-shift", &a.most, "PX", 0, 1e6, "largest shift [pixels]"),
	        ARG_IN("IN", &in, "views, flats or other frames (u, v, view)"),
	        ARG_OUT("OUT", &out, "the shifted frames, same type"),
	        ARG_OUT_OPTIONAL("SHIFTS", &shifts, "shift of each frame, (2, view) [pixels]"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "align",
	                .group = GROUP_CALIBRATE,
	                .synonyms = "motion",
	                .about = "Align views to a reference by shifts",
	                .details = "The shift of a view maximises the cross-correlation of the view with "
	                           "the reference. The shift is refined to 1/256 pixel by a Fourier sum "
	                           "(Guizar-Sicairos, Thurman and Fienup, Opt. Lett. 33, 156, 2008). "
	                           "Before the correlation, the mean of each image is subtracted. Each "
	                           "image is also tapered to 0 at its edges, over an eighth of its width "
	                           "and height. The view is then shifted back by cubic convolution.\n\n"
	                           "To correct drift during a scan, use projections of a first "
	                           "reconstruction as REF. To align flats or repeated views, use one of "
	                           "these frames as REF.",
	                .examples = "gantry align --reference reprojected proj aligned shifts\n"
	                            "gantry extract view 0 flats - | gantry align --reference - flats still",
	                .memory = "the reference as float64. Each thread also needs two spectra of a view "
	                          "that is zero-padded to twice its size",
	                .opts = opts},
	        argc, argv);

	if (NULL == reference)
		usage_error("expected --reference");

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_COUNTS | 1u << Q_TRANSMISSION | 1u << Q_LINE_INTEGRAL,
	        "gantry align takes views of a detector");
	hdr_copy(&h, &x->hdr);
	a.cols = h.dims[0];
	a.rows = h.dims[1];
	read_reference(&a, reference, x);

	const long views = x->count / (a.cols * a.rows);

	a.shift = mem_calloc((size_t)(2 * views), sizeof *a.shift);
	tool_needs(view_batches_memory(x, a.cols * a.rows, 0) + 8 * a.views * a.cols * a.rows +
	                   128 * tool_threads() * a.cols * a.rows,
	        0.);

	struct cfl *y = cfl_create(out, &h), *s = NULL;

	hdr_free(&h);

	if (NULL != shifts) {
		hdr_init(&h);
		hdr_set_dims(&h, 2, (const long[]){2, views});
		h.type = DT_FLOAT64;
		s = cfl_create(shifts, &h);
		hdr_free(&h);
	}

	view_batches_run(&(struct view_batches){.out = y, .in = x, .each = view, .ctx = &a, .what = "align"});
	report(&a, views);

	if (NULL != s)
		memcpy(cfl_slab(s, 2 * views), a.shift, (size_t)(2 * views) * sizeof *a.shift);

	free(a.reference);
	free(a.shift);
	cfl_close(x);
	cfl_close(y);

	if (NULL != s)
		cfl_close(s);

	leave(EXIT_DONE);
}
