#include <math.h>

#include "iter/step/dual.h"

#include "iter/step/fold.h"
#include "iter/step/passes.h"
#include "num/array/place.h"
#include "num/device/device.h"

enum { DUAL_RUN = 1024 }; // numbers that are looked at together

static inline float root_float(float x)
{
	return sqrtf(x);
}

static inline double root_double(double x)
{
	return sqrt(x);
}

#define REAL        float
#define NAMED(name) name##_float
#include "iter/step/dual_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "iter/step/dual_impl.inc"

enum action { ASCEND, CLIMB, MEASURE };

struct pass {
	enum action action;
	const struct field *f;
	double s, radius, beta;
	void *p, *q, *g;
};

/** n numbers of K components, the first of which begins at number `at`. */
static void run(const struct pass *a, int K, long at, long n, double sum[FOLD_SUMS])
{
	const int parts = dtype_is_complex(a->f->type) ? 2 : 1;
	const long step = a->f->n * parts;

	if (DT_FLOAT32 == dtype_real(a->f->type)) {
		float *p = (NULL == a->p) ? NULL : (float *)a->p + at, *g = (float *)a->g + at;

		if (CLIMB == a->action)
			climb_float((float)a->s, (float)a->radius, K, parts, step, n, p, g);
		else if (ASCEND == a->action)
			sum[0] += ascend_float((float)a->s, (float)a->radius, (float)a->beta, K, parts, step,
			        n, p, (float *)a->q + at, g);
		else
			sum[0] += measure_float(K, parts, step, n, g, p, &sum[1]);
	} else {
		double *p = (NULL == a->p) ? NULL : (double *)a->p + at, *g = (double *)a->g + at;

		if (CLIMB == a->action)
			climb_double(a->s, a->radius, K, parts, step, n, p, g);
		else if (ASCEND == a->action)
			sum[0] += ascend_double(
			        a->s, a->radius, a->beta, K, parts, step, n, p, (double *)a->q + at, g);
		else
			sum[0] += measure_double(K, parts, step, n, g, p, &sum[1]);
	}
}

static void block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *a = ctx;
	const struct field *f = a->f;
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

	fold(f->n, block, &(struct pass){ASCEND, f, s, radius, beta, p, q, (void *)g}, sum);

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

	fold(f->n, block, &(struct pass){CLIMB, f, s, radius, 0., p, NULL, g}, sum);
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

	fold(f->n, block, &(struct pass){.action = MEASURE, .f = f, .p = (void *)p, .g = (void *)g}, sum);

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
