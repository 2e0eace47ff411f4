/* Medians of windows. */

#include <math.h>
#include <stdlib.h>

#include "iter/denoise/denoisers.h"

#include "iter/denoise/denoise_passes.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "num/md/select.h"

struct median {
	enum dtype type;
	long dims[DIMS], n, radius;
	unsigned long flags;
	struct median_window there;
	struct scratch copy; // of an operand that is overwritten
};

/** The median around position pos of x. */
static double around(const struct median *m, const void *x, const long pos[DIMS], double *v)
{
	long at[DIMS], off[DIMS] = {0}, wide[DIMS], n = 0;
	bool nan = false;

	for (int d = 0; d < DIMS; d++)
		wide[d] = (m->flags & (1ul << d)) ? 2 * m->radius + 1 : 1;

	do {
		long k = 0;

		for (int d = DIMS - 1; d >= 0; d--) {
			at[d] = pos[d] + off[d] - ((wide[d] > 1) ? m->radius : 0);
			at[d] = (at[d] < 0) ? 0 : (at[d] >= m->dims[d]) ? m->dims[d] - 1 : at[d];
			k = k * m->dims[d] + at[d];
		}

		v[n] = (DT_FLOAT32 == m->type) ? (double)((const float *)x)[k] : ((const double *)x)[k];
		v[n] += 0.; // of the two zeros one: equal elements are the same bytes
		nan |= isnan(v[n++]);
	} while (md_next(DIMS, wide, m->flags, off));

	return nan ? NAN : select_kth(n, n / 2, v);
}

static void filter(const struct median *m, void *dst, const void *src)
{
	const long lines = m->n / m->dims[0];

#pragma omp parallel for schedule(dynamic)
	for (long l = 0; l < lines; l++) {
		double v[MEDIAN_WINDOW];
		long pos[DIMS] = {0};

		md_unravel_index(DIMS, pos, ~1ul, m->dims, l);

		for (pos[0] = 0; pos[0] < m->dims[0]; pos[0]++) {
			const double value = around(m, src, pos, v);

			if (DT_FLOAT32 == m->type)
				((float *)dst)[l * m->dims[0] + pos[0]] = (float)value;
			else
				((double *)dst)[l * m->dims[0] + pos[0]] = value;
		}
	}
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	struct median *m = (struct median *)self; // memory is no part of its value

	(void)gamma;

	if (dst == src) {
		void *copy = scratch_get(&m->copy, m->type, m->n, src);

		vec_copy(m->type, m->n, copy, src);
		src = copy;
	}

	if (device_holds(src))
		denoise_passes_gpu.median(&m->there, m->type, dst, src);
	else
		filter(m, dst, src);
}

static void destroy(void *self)
{
	struct median *m = self;

	scratch_free(&m->copy);
	free(m);
}

struct functional *functional_median_create(
        enum dtype type, int D, const long dims[], unsigned long flags, long radius)
{
	static const struct functional_ops ops = {
	        .name = "median", .prox = prox, .anywhere = functional_always, .destroy = destroy};

	if (dtype_is_complex(type))
		error("a median of type %s, expected a real type: complex numbers have no order",
		        dtype_name(type));

	struct median *m = NEW(struct median);
	struct functional *g = functional_create(&ops, m, type, D, dims);

	*m = (struct median){.type = type, .n = functional_size(g), .radius = radius, .flags = flags};
	md_copy_dims(DIMS, m->dims, functional_dims(g));

	double window = 1.;
	long step = 1;

	for (int d = 0; d < DIMS; d++) {
		if (1 == m->dims[d])
			m->flags &= ~(1ul << d);
		else if (flags & (1ul << d))
			window *= 2. * (double)radius + 1.;
	}

	if (radius < 1 || !(window <= MEDIAN_WINDOW))
		error("medians of windows of %.0f elements (radius %ld), expected a radius of at least 1 "
		      "and at most %d elements",
		        window, radius, MEDIAN_WINDOW);

	m->there = (struct median_window){.n = m->n, .radius = radius, .count = (long)window};

	for (int d = 0; d < DIMS; d++) {
		if (m->flags & (1ul << d)) {
			m->there.dims[m->there.axes] = m->dims[d];
			m->there.steps[m->there.axes++] = step;
		}

		step *= m->dims[d];
	}

	return g;
}
