#include "iter/step/dual.h"

#include "iter/step/dual_kern.h"
#include "iter/step/fold.h"
#include "iter/step/passes.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/kern/kern.h"

static void block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct dual_pass *a = ctx;
	const struct field *f = a->f;
	dual_kern *run = KERN_CHOOSE(dual_kern);
	const int parts = dtype_is_complex(f->type) ? 2 : 1;

	for (long at = first * parts, end = (first + n) * parts; at < end; at += DUAL_RUN) {
		const long len = (end - at < DUAL_RUN) ? end - at : DUAL_RUN;

		if (!f->apart)
			run(a, f->K, at, len, sum);

		for (int k = 0; f->apart && k < f->K; k++)
			run(a, 1, k * f->n * parts + at, len, sum);
	}
}

double field_ascend(
        const struct field *f, double s, double radius, double beta, void *p, void *q, const void *g)
{
	double sum[FOLD_SUMS];

	if (device_holds(g)) {
		double *there = device_alloc(sizeof *there);

		iter_passes_gpu.ascend(f, s, radius, beta, p, q, g, there);

		return number_take(there);
	}

	fold(f->n, block, &(struct dual_pass){DUAL_ASCEND, f, s, radius, beta, p, q, (void *)g}, sum);

	return sum[0];
}

void field_accelerate(
        const struct field *f, double s, double radius, double *momentum, void *p, void *q, const void *g)
{
	if (device_holds(g)) {
		iter_passes_gpu.accelerate(f, s, radius, momentum, p, q, g);
		return;
	}

	const double next = momentum_after(*momentum);
	const double against = field_ascend(f, s, radius, (*momentum - 1.) / next, p, q, g);

	*momentum = (against > 0.) ? 1. : next;
}

void field_climb(const struct field *f, double s, double radius, void *p, void *g)
{
	double sum[FOLD_SUMS];

	if (device_holds(g)) {
		iter_passes_gpu.climb(f, s, radius, p, g);
		return;
	}

	fold(f->n, block, &(struct dual_pass){DUAL_CLIMB, f, s, radius, 0., p, NULL, g}, sum);
}

double field_measure(const struct field *f, const void *g, const void *p, double *inner)
{
	double sum[FOLD_SUMS];

	if (device_holds(g)) {
		double *there = device_alloc(2 * sizeof *there), here[2];

		iter_passes_gpu.measure(f, g, p, there);
		device_copy(here, there, sizeof here);
		device_free(there);

		if (NULL != inner)
			*inner = here[1];

		return here[0];
	}

	fold(f->n, block, &(struct dual_pass){.action = DUAL_MEASURE, .f = f, .p = (void *)p, .g = (void *)g},
	        sum);

	if (NULL != inner)
		*inner = sum[1];

	return sum[0];
}

void field_length_to(const struct field *f, const void *g, double *out)
{
	if (!device_holds(g)) {
		*out = field_measure(f, g, NULL, NULL);
		return;
	}

	double *there = device_alloc(2 * sizeof *there);

	iter_passes_gpu.measure(f, g, NULL, there);
	device_copy(out, there, sizeof *out);
	device_free(there);
}
