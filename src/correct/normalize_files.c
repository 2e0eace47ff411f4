/* Normalisation from file to file, in batches of views. */

#include "correct/normalize_files.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

static void run_here(
        struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y, long *lost)
{
	enum { SLAB = 1 << 18 };
	const long size = z->cols * z->rows, views = x->count / size, per = (size < SLAB) ? SLAB / size : 1;
	const long elements = mul_checked(per, size, x->name);
	double *work = md_alloc(1, &elements, sizeof *work);
	double *weights = v->w ? md_alloc(1, &elements, sizeof *weights) : NULL;

	for (long k = 0; k < views; k += per) {
		const long n = (views - k < per) ? views - k : per;

		convert(DT_FLOAT64, work, x->hdr.type, cfl_next(x, n * size), n * size, NARROW_SATURATE);

		if (v->w) {
			normalize_weights(z, &v->noise, weights, work, k, n);
			convert(v->w->hdr.type, cfl_slab(v->w, n * size), DT_FLOAT64, weights, n * size,
			        NARROW_SATURATE);
		}

		normalize_views(z, work, k, n, x->name);
		*lost += convert(
		        y->hdr.type, cfl_slab(y, n * size), DT_FLOAT64, work, n * size, NARROW_SATURATE);
		progress_update(k + n);
	}

	md_free(work);
	md_free(weights);
}

/** Views that pass through the GPU, so many at a time. */
struct passing {
	struct normalizer *z;
	struct cfl *x, *y;
	long views, per, size; // of a view [elements]
	double *work;
	long lost;
};

static long views_at(const struct passing *p, long k)
{
	return (p->views - k * p->per < p->per) ? p->views - k * p->per : p->per;
}

static void describe(void *ctx, long k, struct device_slab *s)
{
	const struct passing *p = ctx;
	const long first = k * p->per * p->size, n = views_at(p, k) * p->size;

	*s = (struct device_slab){.inputs = 1,
	        .outputs = 1,
	        .in = {device_part_in(p->x, first, n)},
	        .out = {device_part_out(p->y, first, n)}};
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	struct passing *p = ctx;
	const long views = views_at(p, k), n = views * p->size;

	device_convert(DT_FLOAT64, p->work, p->x->hdr.type, in[0], n, false);
	normalize_views(p->z, p->work, k * p->per, views, p->x->name);
	p->lost += device_convert(p->y->hdr.type, out[0], DT_FLOAT64, p->work, n, true);
	progress_add(views);
}

static void run_there(struct normalizer *z, struct cfl *x, struct cfl *y, long *lost)
{
	enum { SLAB = 1 << 22 };
	const long size = z->cols * z->rows, per = (size < SLAB) ? SLAB / size : 1;
	struct passing p = {z, x, y, x->count / size, per, size, NULL, 0};

	p.work = device_alloc((size_t)mul_checked(per, size, x->name) * sizeof *p.work);
	device_run_pipeline(&(const struct device_pipeline){
	        .slabs = (p.views + per - 1) / per, .describe = describe, .compute = compute, .ctx = &p});
	device_free(p.work);
	*lost = p.lost;
}

void normalize_files(struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y)
{
	const double bytes = (double)x->count * (double)(dtype_size(x->hdr.type) + dtype_size(y->hdr.type));
	const bool on_device = 0 == z->images && NULL == v->w && device_worth(bytes, 0.);
	long lost = 0;

	progress_start("normalize", x->count / (z->cols * z->rows));

	if (on_device)
		run_there(z, x, y, &lost);
	else
		run_here(z, v, x, y, &lost);

	progress_end();

	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, y->count,
		        dtype_name(y->hdr.type), y->name);
}
