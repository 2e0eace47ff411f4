/* Thresholds of wavelet coefficients. */

#include <math.h>
#include <stdlib.h>

#include "iter/functional/regularisers.h"

#include "iter/functional/functionals.h"
#include "linops/scratch.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/md/flpmath.h"

struct wavelet {
	struct wavelet_conf conf;
	enum dtype type;
	long dims[DIMS], coarse[DIMS], n; // coarse: extent of the coarsest part
	struct linop *forward, *inverse;
	struct functional *threshold;
	struct scratch c, shifted, part, sum;
};

/** Copies the coarsest part out of the coefficients or back; those it leaves behind are 0. */
static void coarse_part(const struct wavelet *t, void *coefficients, void *part, bool back)
{
	const size_t size = dtype_size(t->type);
	long strs[DIMS], pstrs[DIMS];

	md_calc_strides(DIMS, strs, t->dims, size);
	md_calc_strides(DIMS, pstrs, t->coarse, size);

	if (back) {
		md_copy2(DIMS, t->coarse, strs, coefficients, pstrs, part, size);
	} else {
		md_copy2(DIMS, t->coarse, pstrs, part, strs, coefficients, size);
		md_clear2(DIMS, t->coarse, strs, coefficients, size);
	}
}

static void shift(const struct wavelet *t, long by, void *dst, const void *src)
{
	long center[DIMS] = {0};

	for (int d = 0; d < DIMS; d++)
		if (t->conf.flags & (1ul << d) && 1 < t->dims[d])
			center[d] = ((by % t->dims[d]) + t->dims[d]) % t->dims[d];

	md_circ_shift(DIMS, t->dims, center, dst, src, dtype_size(t->type));
}

/** The coefficients of x shifted by s, less the coarsest part. */
static void *analyse(struct wavelet *t, long s, const void *x, void *part)
{
	void *c = scratch_get(&t->c, t->type, t->n, x);

	if (0 == s) {
		linop_forward(t->forward, c, x);
	} else {
		void *y = scratch_get(&t->shifted, t->type, t->n, x);

		shift(t, s, y, x);
		linop_forward(t->forward, c, y);
	}

	coarse_part(t, c, part, false);

	return c;
}

static void *part_of(struct wavelet *t, const void *x)
{
	return scratch_get(&t->part, t->type, md_calc_size(DIMS, t->coarse), x);
}

static double value(const void *self, const void *x)
{
	struct wavelet *t = (struct wavelet *)self; // memory is no part of its value
	double sum = 0.;

	for (long s = 0; s < t->conf.spins; s++)
		sum += functional_value(t->threshold, analyse(t, s, x, part_of(t, x)));

	return sum / (double)t->conf.spins;
}

static void value_to(const void *self, double *out, const void *x)
{
	struct wavelet *t = (struct wavelet *)self;

	if (1 == t->conf.spins)
		functional_value_to(t->threshold, out, analyse(t, 0, x, part_of(t, x)));
	else
		number_put(out, value(self, x));
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	struct wavelet *t = (struct wavelet *)self;
	void *part = part_of(t, src);
	void *sum = (1 < t->conf.spins) ? scratch_get(&t->sum, t->type, t->n, src) : NULL;

	if (NULL != sum)
		vec_clear(t->type, t->n, sum);

	for (long s = 0; s < t->conf.spins; s++) {
		void *c = analyse(t, s, src, part);

		functional_prox(t->threshold, gamma, c, c);
		coarse_part(t, c, part, true);

		if (NULL == sum) {
			linop_forward(t->inverse, dst, c);
			continue;
		}

		void *y = scratch_get(&t->shifted, t->type, t->n, src);

		linop_forward(t->inverse, y, c);
		shift(t, -s, c, y);
		vec_axpy(t->type, t->n, sum, 1. / (double)t->conf.spins, c);
	}

	if (NULL != sum)
		vec_copy(t->type, t->n, dst, sum);
}

/** Coefficients, what their transform keeps beside them on a device, and those of more than one shift. */
static long memory(const void *self)
{
	const struct wavelet *t = self;

	return (2 + 2 * (1 < t->conf.spins)) * t->n * (long)dtype_size(t->type);
}

static bool anywhere(const void *self)
{
	const struct wavelet *t = self;

	return functional_is_anywhere(t->threshold);
}

static void destroy(void *self)
{
	struct wavelet *t = self;

	linop_free(t->forward);
	linop_free(t->inverse);
	functional_free(t->threshold);
	scratch_free(&t->c);
	scratch_free(&t->shifted);
	scratch_free(&t->part);
	scratch_free(&t->sum);
	free(t);
}

struct functional *functional_wavelet_create(
        enum dtype type, int D, const long dims[], const struct wavelet_conf *conf)
{
	static const struct functional_ops ops = {.name = "wavelet",
	        .value = value,
	        .value_to = value_to,
	        .prox = prox,
	        .memory = memory,
	        .anywhere = anywhere,
	        .destroy = destroy};

	if (conf->spins < 1)
		error("a wavelet threshold has %ld shifts, expected at least 1", conf->spins);

	struct wavelet *t = NEW(struct wavelet);
	struct functional *g = functional_create(&ops, t, type, D, dims);

	t->conf = *conf;
	t->type = type;
	t->n = functional_size(g);
	t->threshold = conf->hard ? functional_l0_create(type, D, dims, NULL, NULL)
	                          : functional_l1_create(type, D, dims, NULL, NULL);
	t->forward = linop_wavelet_create(type, D, dims, conf->flags, (enum wavelet_family)conf->family,
	        (enum wavelet_boundary)conf->boundary, conf->levels);
	t->inverse = linop_wavelet_inverse_create(type, D, dims, conf->flags,
	        (enum wavelet_family)conf->family, (enum wavelet_boundary)conf->boundary, conf->levels);

	for (int d = 0; d < DIMS; d++) {
		t->dims[d] = t->coarse[d] = functional_dims(g)[d];

		for (long l = 0; conf->flags & (1ul << d) && l < conf->levels; l++)
			t->coarse[d] = (t->coarse[d] + 1) / 2;
	}

	return g;
}
