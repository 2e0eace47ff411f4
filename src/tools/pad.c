/* Truncated projections. */

#include <stdlib.h>
#include <string.h>

#include "correct/pad.h"
#include "ct/stream/view_batches.h"
#include "correct/view_kernels.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/array/place.h"
#include "num/device/device.h"

int main_pad(int argc, char *argv[]);

struct padding {
	int mode; // enum pad_mode
	bool crop;
	long cols, rows, left, right;
};

static void view(void *ctx, const struct single_view *v)
{
	const struct padding *p = ctx;
	const long wide = p->crop ? p->cols - p->left - p->right : p->cols + p->left + p->right;

	for (long b = 0; b < p->rows; b++)
		if (p->crop)
			memcpy(v->out + b * wide, v->in + b * p->cols + p->left,
			        (size_t)wide * sizeof *v->out);
		else
			pad_line((enum pad_mode)p->mode, p->cols, p->left, p->right, v->out + b * wide,
			        v->in + b * p->cols);
}

/** Every new column is one of the old ones times a number. */
static void views(void *ctx, const struct view_batch *b)
{
	const struct padding *p = ctx;
	const long wide = p->crop ? p->cols - p->left - p->right : p->cols + p->left + p->right;
	const size_t bytes = (size_t)wide * sizeof(double);
	long *at = mem_alloc((size_t)wide * sizeof *at);
	double *factor = mem_alloc(bytes);

	for (long a = 0; a < wide; a++)
		if (p->crop) {
			at[a] = a + p->left;
			factor[a] = 1.;
		} else {
			factor[a] = pad_column(
			        (enum pad_mode)p->mode, p->cols, p->left, p->right, a - p->left, &at[a]);
		}

	long *at_there = place_bring(at, (size_t)wide * sizeof *at);
	double *factor_there = place_bring(factor, bytes);

	view_kernels_gpu.columns(wide, at_there, factor_there, p->cols, b->n * p->rows, b->out, b->in[0]);
	device_free(at_there);
	device_free(factor_there);
	free(at);
	free(factor);
}

int main_pad(int argc, char *argv[])
{
	struct padding p = {0};
	struct opt_longs width = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "mode", &p.mode, pad_mode_names, "values of the new columns"),
	        OPT_LONGS('w', "width", &width, "N[:M]", 0, 1L << 40,
	                "columns to add on the left and right (default: half the width each)"),
	        OPT_FLAG('c', "crop", &p.crop, "remove columns instead of adding them"),
	        ARG_IN("PROJ", &in, "line integrals or transmission (u, v, view)"),
	        ARG_OUT("OUT", &out, "wider projections, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "pad",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "extrapolate",
	                  .about = "Extend truncated projections along u",
	                  .details = "If the object extends beyond the detector, the ramp filter treats "
	                             "the end of a row as an edge. The reconstruction then has a bright "
	                             "rim and a wrong mean. The columns that 'gantry pad' adds reduce the "
	                             "rim and the error of the mean. The option --mode sets the values of "
	                             "the added columns:\n\n"
	                             "edge: the last value is repeated.\n"
	                             "cosine: the last value is multiplied by a factor that falls from 1 "
	                             "to 0 as half a period of a cosine.\n"
	                             "mirror: the row is mirrored at its end, and multiplied by the same "
	                             "factor as for cosine. The mode mirror is similar to the method of "
	                             "Ohnesorge, Flohr, Schwarz, Heiken and Bae, Med. Phys. 27, 39 "
	                             "(2000).\n\n"
	                             "The original columns keep their positions in mm. If the width is the "
	                             "same on both sides, 'gantry geom --detector COLS:ROWS' makes the "
	                             "geometry of the result. For an accurate mean, choose a width of "
	                             "about the extent of the object beyond the detector. For the mode "
	                             "cosine, choose a width of 1.5 times the extent beyond the detector. "
	                             "Values outside the region that every view sees stay wrong. "
	                             "Therefore, reconstruct only the region that every view sees, with "
	                             "--size or --like. To crop along any dimension, use 'gantry extract'.",
	                  .examples = "gantry pad --mode edge --width 400 proj wide\n"
	                              "gantry pad --width 400 --crop wide proj",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_LINE_INTEGRAL | 1u << Q_TRANSMISSION,
	        "run gantry normalize first; of a volume: gantry resize");

	if (width.n > 2)
		usage_error("--width has %d numbers, expected N or N:M", width.n);

	p.cols = x->hdr.dims[0];
	p.rows = x->hdr.dims[1];
	p.left = width.n ? width.v[0] : p.cols / 2;
	p.right = (2 == width.n) ? width.v[1] : p.left;

	if (p.crop && p.left + p.right >= p.cols)
		error("%s has %ld columns, expected more than the %ld columns that are removed", x->name,
		        p.cols, p.left + p.right);

	hdr_copy(&h, &x->hdr);
	hdr_subrange(&h, 0, p.crop ? p.left : -p.left, 1,
	        p.crop ? p.cols - p.left - p.right : p.cols + p.left + p.right);
	hdr_count(&h, out);
	tool_record("width", "%ld:%ld", p.left, p.right);
	tool_needs(view_batches_memory(x, h.dims[0] * p.rows, 0), 0.);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	view_batches_run(&(struct view_batches){
	        .out = y, .in = x, .each = view, .there = views, .ctx = &p, .what = "pad"});
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
