/* Filters projections from file to file, in batches of views. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_files.h"

#include "ct/projector/xray.h"
#include "ct/stream/view_batches.h"
#include "misc/mem.h"
#include "num/device/device.h"

/** The detector's columns of filtered lines: real parts, or real and imaginary parts interleaved. */
static void store(const struct fbp *f, const struct geom *g, enum dtype type, char *out,
        const char *const q[2], long lines)
{
	long part = (long)dtype_size(dtype_real(type));
	int parts = dtype_is_complex(type) ? 2 : 1;

	for (long l = 0; l < lines; l++)
		for (long a = 0; a < g->cols; a++)
			for (int p = 0; p < parts; p++)
				memcpy(out + ((l * g->cols + a) * parts + p) * part,
				        q[p] + (l * fbp_cols(f) + fbp_left(f) + a) * part, (size_t)part);
}

struct filtering {
	struct fbp *f;
	const struct geom *g;
	enum dtype type;  // of the output
	const char *name; // of the projections
	char *q[2];       // filtered lines of a batch, real and imaginary parts
	void *there;      // on the device, of one of them; NULL: by the CPU
};

static void filter_batch(void *ctx, const struct view_batch *b)
{
	const struct filtering *w = ctx;
	const enum dtype real = dtype_real(w->type);
	const long lines = b->n * w->g->rows;

	for (int p = 0; p < 2 && w->q[p]; p++) {
		void *q = w->there ? w->there : w->q[p];

		fbp_filter(w->f, real, q, b->in[p], b->first % w->g->views, b->n);

		if (w->there)
			device_copy(w->q[p], q, (size_t)(lines * fbp_cols(w->f)) * dtype_size(real));
	}

	store(w->f, w->g, w->type, b->out, (const char *const *)w->q, lines);
	xray_expect_finite(w->type, lines * w->g->cols, b->out, w->name, "filtered values");
}

/** A view in memory for each of the parts of a type, of `cols` columns [bytes]. */
static long view_bytes(const struct geom *g, long cols, enum dtype type, enum dtype real)
{
	return (dtype_is_complex(type) ? 2 : 1) * g->rows * cols * (long)dtype_size(real);
}

/** Views of another type are converted (ct/stream/view_batches.h). */
long fbp_files_filter_memory(const struct fbp *f, const struct geom *g, const struct cfl *x, enum dtype type)
{
	const enum dtype real = dtype_real(type);
	long view = view_bytes(g, fbp_cols(f), type, real);

	if (x->hdr.type != real)
		view += view_bytes(g, g->cols, x->hdr.type, real);

	return fbp_batch(f, real) * view;
}

void fbp_files_filter(struct fbp *f, const struct geom *g, struct cfl *x, struct cfl *y)
{
	const enum dtype type = y->hdr.type, real = dtype_real(type);
	const long per = fbp_batch(f, real);
	const size_t bytes = (size_t)(per * g->rows * fbp_cols(f)) * dtype_size(real);
	const double transforms = 20. * (double)x->count * log2((double)fbp_cols(f) + 2.);
	const bool load = device_worth(2. * (double)x->count * (double)dtype_size(type), transforms);
	struct filtering w = {.f = f, .g = g, .type = type, .name = x->name};

	for (int p = 0; p < (dtype_is_complex(type) ? 2 : 1); p++)
		w.q[p] = mem_alloc(bytes);

	w.there = load ? device_alloc(bytes) : NULL;
	view_batches_run(&(const struct view_batches){.out = y,
	        .in = x,
	        .choice = &(struct view_choice){.n = g->views, .views = g->views},
	        .per = per,
	        .type = real,
	        .work = type,
	        .fn = filter_batch,
	        .load = load,
	        .ctx = &w,
	        .what = "filter"});
	device_free(w.there);
	free(w.q[0]);
	free(w.q[1]);
}
