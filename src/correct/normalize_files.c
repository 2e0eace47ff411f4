/* Normalisation from file to file. */

#include "correct/normalize_files.h"

#include <stdlib.h>

#include "ct/stream/view_batches.h"
#include "misc/mem.h"
#include "num/kern/convert.h"

struct work {
	struct normalizer *z;
	struct normalize_weighing *v;
	const char *name; // of the counts
	long size;        // of a view [elements]
	double *weights;  // of a batch
};

/** Views in place, on the host or a device. */
static void batch(void *ctx, const struct view_batch *b)
{
	const struct work *w = ctx;
	const long n = b->n * w->size;

	if (w->weights) {
		normalize_weights(w->z, &w->v->noise, w->weights, b->out, b->first, b->n);
		convert(w->v->w->hdr.type, cfl_slab_at(w->v->w, b->first * w->size, n), DT_FLOAT64,
		        w->weights, n, NARROW_SATURATE);
		cfl_write_own(w->v->w, b->first * w->size, n);
	}

	normalize_views(w->z, b->out, b->first, b->n, w->name);
}

void normalize_files(struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y)
{
	enum { BATCH = 1 << 18 };
	const long size = z->cols * z->rows, per = (size < BATCH) ? BATCH / size : 1;
	struct work w = {.z = z, .v = v, .name = x->name, .size = size};

	if (v->w) {
		cfl_in_parts(v->w);
		w.weights = mem_alloc((size_t)mul_checked(per, size, x->name) * sizeof *w.weights);
	}

	view_batches_run(&(const struct view_batches){.out = y,
	        .in = x,
	        .per = per,
	        .any_value = true,
	        .changes = true,
	        .type = DT_FLOAT64,
	        .work = DT_FLOAT64,
	        .fn = batch,
	        .there = (0 == z->images && NULL == v->w) ? batch : NULL,
	        .ctx = &w,
	        .what = "normalize"});
	free(w.weights);
}
