#include "correct/distort.h"

#include "correct/cubic.h"
#include "correct/view_kernels.h"
#include "num/array/place.h"
#include "num/device/device.h"

void distort_view(const struct distort *d, double *out, const double *in)
{
	for (long b = 0; b < d->rows; b++)
		for (long a = 0; a < d->cols; a++)
			out[b * d->cols + a] =
			        distort_at(d->cols, d->rows, d->centre, d->terms, d->k, in, a, b);
}

void distort_views(void *ctx, const struct view_batch *p)
{
	const struct distort *d = ctx;
	double *k = place_bring(d->k, (size_t)d->terms * sizeof *k);

	view_kernels_gpu.distort(d->cols, d->rows, d->centre, d->terms, k, p->n, p->out, p->in[0]);
	device_free(k);
}
