/* Medians of windows, of many elements of a line at a time. */

#include <stdlib.h>
#include <string.h>

#include "iter/denoise/denoisers.h"

#include "iter/denoise/denoise_passes.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "num/md/median_lanes.h"

struct median {
	enum dtype type;
	long dims[DIMS], n, radius;
	unsigned long flags;
	struct median_window there;
	struct median_network *network; // of the CPU
	struct scratch copy;            // of an operand that is overwritten
};

/** A line of the operand in the window of a line of the result. */
static long line_at(const struct median *m, const long pos[DIMS], const long off[DIMS])
{
	long k = 0;

	for (int d = DIMS - 1; d > 0; d--) {
		long at = pos[d] + off[d] - ((m->flags & (1ul << d)) ? m->radius : 0);

		at = (at < 0) ? 0 : (at >= m->dims[d]) ? m->dims[d] - 1 : at;
		k = k * m->dims[d] + at;
	}

	return k * m->dims[0];
}

/** v[i] = line[first + i], or the nearest element where that is beyond its ends. */
static void take(const struct median *m, char *v, const char *line, long first)
{
	const long n = m->dims[0], size = (long)dtype_size(m->type);

	if (0 <= first && first + MEDIAN_LANES <= n) {
		memcpy(v, line + first * size, (size_t)(MEDIAN_LANES * size));
		return;
	}

	for (long i = 0; i < MEDIAN_LANES; i++) {
		const long at = (first + i < 0) ? 0 : (first + i >= n) ? n - 1 : first + i;

		memcpy(v + i * size, line + at * size, (size_t)size);
	}
}

/** MEDIAN_LANES elements of the result from element `first` of the line at pos on, in out; v: room for as
 * many windows. */
static void lanes(
        const struct median *m, char *out, const char *src, const long pos[DIMS], long first, char *v)
{
	const long size = (long)dtype_size(m->type), r = (m->flags & 1ul) ? m->radius : 0;
	long off[DIMS] = {0}, wide[DIMS];
	char *to = v;

	for (int d = 0; d < DIMS; d++)
		wide[d] = (m->flags & (1ul << d)) ? 2 * m->radius + 1 : 1;

	do {
		const char *line = src + line_at(m, pos, off) * size;

		for (long k = -r; k <= r; k++, to += MEDIAN_LANES * size)
			take(m, to, line, first + k);
	} while (md_next(DIMS, wide, m->flags & ~1ul, off));

	median_lanes(m->network, m->type, out, v);
}

static void filter(const struct median *m, char *dst, const char *src)
{
	const long n = m->dims[0], lines = m->n / n, size = (long)dtype_size(m->type);
	const size_t window = (size_t)(m->there.count * MEDIAN_LANES * size);

#pragma omp parallel num_threads(threads_for((double)m->n *(double)m->there.count))
	{
		char *v = mem_alloc(window), *out = mem_alloc((size_t)(MEDIAN_LANES * size));

#pragma omp for schedule(dynamic)
		for (long l = 0; l < lines; l++) {
			long pos[DIMS] = {0};

			md_unravel_index(DIMS, pos, ~1ul, m->dims, l);

			for (long i = 0; i < n; i += MEDIAN_LANES) {
				const long count = (n - i < MEDIAN_LANES) ? n - i : MEDIAN_LANES;

				lanes(m, out, src, pos, i, v);
				memcpy(dst + (l * n + i) * size, out, (size_t)(count * size));
			}
		}

		free(out);
		free(v);
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
	median_network_free(m->network);
	free(m);
}

struct functional *functional_median_create(
        enum dtype type, int D, const long dims[], unsigned long flags, long radius)
{
	static const struct functional_ops ops = {
	        .name = "median", .prox = prox, .anywhere = functional_always, .destroy = destroy};

	if (dtype_is_complex(type))
		error("a median needs a real type, found %s", dtype_name(type));

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
		error("the window of the median has %.0f elements (radius %ld), expected a radius of at "
		      "least 1 and at most %d elements",
		        window, radius, MEDIAN_WINDOW);

	m->there = (struct median_window){.n = m->n, .radius = radius, .count = (long)window};

	m->network = median_network_create(m->there.count);

	for (int d = 0; d < DIMS; d++) {
		if (m->flags & (1ul << d)) {
			m->there.dims[m->there.axes] = m->dims[d];
			m->there.steps[m->there.axes++] = step;
		}

		step *= m->dims[d];
	}

	return g;
}
