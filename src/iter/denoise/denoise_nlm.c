/* Non-local means. For every shift of the search window, all patch distances at once: squared differences of
 * x and shifted x, summed over windows along one dim after the other [1].
 *
 * [1] J. Darbon et al., Fast nonlocal filtering applied to electron cryomicroscopy, ISBI 2008. */

#include <math.h>
#include <stdlib.h>

#include "iter/denoise/denoisers.h"

#include "iter/denoise/denoise_passes.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

struct nlm {
	struct nlm_conf conf;
	enum dtype type;
	long dims[DIMS], n;
	struct nlm_window there;
	struct scratch in, out; // on a device: float32
};

/** All float32: weights, weighted sums, the largest weight, and two of distances. */
struct work {
	const struct nlm *m;
	const float *x;
	float *total, *sum, *largest, *d, *e;
};

/** Element `pos` moved by `off`, at the nearest element where that is outside. */
static long moved(const struct nlm *m, const long pos[DIMS], const long off[DIMS])
{
	long k = 0;

	for (int d = DIMS - 1; d >= 0; d--) {
		long at = pos[d] + off[d];

		at = (at < 0) ? 0 : (at >= m->dims[d]) ? m->dims[d] - 1 : at;
		k = k * m->dims[d] + at;
	}

	return k;
}

/** d = (x - x moved)^2 */
static void differences(struct work *w, const long off[DIMS])
{
	const long *dims = w->m->dims, lines = w->m->n / dims[0];

#pragma omp parallel for schedule(static)
	for (long l = 0; l < lines; l++) {
		long pos[DIMS] = {0}, across[DIMS] = {0};

		for (int d = 1; d < DIMS; d++)
			across[d] = off[d];

		md_unravel_index(DIMS, pos, ~1ul, dims, l);

		const float *a = w->x + l * dims[0], *b = w->x + moved(w->m, pos, across);

		for (long i = 0; i < dims[0]; i++) {
			long j = i + off[0];

			j = (j < 0) ? 0 : (j >= dims[0]) ? dims[0] - 1 : j;
			w->d[l * dims[0] + i] = (a[i] - b[j]) * (a[i] - b[j]);
		}
	}
}

/** out = mean of in over windows along a dim, of what is inside the array. Windows slide: a sum in float64.
 */
static void window(const struct nlm *m, int dim, float *out, const float *in)
{
	long step = 1;

	for (int d = 0; d < dim; d++)
		step *= m->dims[d];

	const long n = m->dims[dim], lines = m->n / n, r = m->conf.patch;

#pragma omp parallel for schedule(static)
	for (long l = 0; l < lines; l++) {
		const long base = l % step + l / step * step * n;
		double s = 0.;

		for (long i = 0; i < r && i < n; i++)
			s += (double)in[base + i * step];

		for (long i = 0; i < n; i++) {
			const long enter = i + r, leave = i - r - 1;

			s += (enter < n) ? (double)in[base + enter * step] : 0.;
			s -= (leave >= 0) ? (double)in[base + leave * step] : 0.;

			const long inside = (enter < n ? enter : n - 1) - (leave >= 0 ? leave : -1);

			out[base + i * step] = (float)(s / (double)inside);
		}
	}
}

/** Whether the line through pos moved by off is one of the array. */
static bool has_line(const long dims[DIMS], const long pos[DIMS], const long off[DIMS])
{
	for (int d = 1; d < DIMS; d++)
		if (pos[d] + off[d] < 0 || pos[d] + off[d] >= dims[d])
			return false;

	return true;
}

/** Adds what the elements moved by off weigh. */
static void gather(struct work *w, const long off[DIMS], double noise2, double h2)
{
	const long *dims = w->m->dims, lines = w->m->n / dims[0];

#pragma omp parallel for schedule(static)
	for (long l = 0; l < lines; l++) {
		long pos[DIMS] = {0}, across[DIMS] = {0};

		for (int d = 1; d < DIMS; d++)
			across[d] = off[d];

		md_unravel_index(DIMS, pos, ~1ul, dims, l);

		if (!has_line(dims, pos, off))
			continue;

		const float *b = w->x + moved(w->m, pos, across) + off[0];
		const long lo = (off[0] < 0) ? -off[0] : 0, hi = (off[0] > 0) ? dims[0] - off[0] : dims[0];

		for (long i = lo; i < hi; i++) {
			const long k = l * dims[0] + i;
			const float weight = (float)exp(-fmax((double)w->d[k] - 2. * noise2, 0.) / h2);

			w->total[k] += weight;
			w->sum[k] += weight * b[i];
			w->largest[k] = fmaxf(w->largest[k], weight);
		}
	}
}

static void run(struct work *w, double noise2, double h2)
{
	const struct nlm *m = w->m;
	long off[DIMS] = {0}, pos[DIMS] = {0}, wide[DIMS];

	for (int d = 0; d < DIMS; d++)
		wide[d] = (m->conf.flags & (1ul << d)) ? 2 * m->conf.search + 1 : 1;

	do {
		bool self = true;

		for (int d = 0; d < DIMS; d++) {
			off[d] = (wide[d] > 1) ? pos[d] - m->conf.search : 0;
			self &= 0 == off[d];
		}

		if (self)
			continue;

		differences(w, off);

		for (int d = 0; d < DIMS && 0 < m->conf.patch; d++)
			if (m->conf.flags & (1ul << d)) {
				float *t = w->d;

				window(m, d, w->e, w->d);
				w->d = w->e;
				w->e = t;
			}

		gather(w, off, noise2, h2);
	} while (md_next(DIMS, wide, m->conf.flags, pos));
}

static void run_there(struct nlm *m, double noise2, double h2, void *dst, const void *src)
{
	const bool narrow = DT_FLOAT32 == m->type;
	float *in = (narrow && dst != src) ? NULL : scratch_get(&m->in, DT_FLOAT32, m->n, src);
	float *out = narrow ? dst : scratch_get(&m->out, DT_FLOAT32, m->n, src);
	struct nlm_window w = m->there;

	w.noise2 = noise2;
	w.h2 = h2;

	if (NULL != in)
		device_convert(DT_FLOAT32, in, m->type, src, m->n, false);

	denoise_passes_gpu.nlm(&w, out, (NULL != in) ? in : src);

	if (!narrow)
		device_convert(m->type, dst, DT_FLOAT32, out, m->n, false);
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct nlm *m = self;
	const double noise2 = m->conf.sigma * m->conf.sigma * gamma;

	if (device_holds(src)) {
		run_there((struct nlm *)self, noise2, m->conf.strength * m->conf.strength * noise2, dst, src);
		return;
	}

	float *memory = mem_calloc((size_t)mul_checked(6, m->n, "non-local means"), sizeof(float));
	struct work w = {.m = m,
	        .x = memory,
	        .total = memory + m->n,
	        .sum = memory + 2 * m->n,
	        .largest = memory + 3 * m->n,
	        .d = memory + 4 * m->n,
	        .e = memory + 5 * m->n};

	convert(DT_FLOAT32, memory, m->type, src, m->n, NARROW_SATURATE);
	run(&w, noise2, m->conf.strength * m->conf.strength * noise2);

	for (long i = 0; i < m->n; i++) {
		const float own = (w.largest[i] > 0.f) ? w.largest[i] : 1.f;

		w.sum[i] = (w.sum[i] + own * w.x[i]) / (w.total[i] + own);
	}

	convert(m->type, dst, DT_FLOAT32, w.sum, m->n, NARROW_SATURATE);
	free(memory);
}

/** Patches that far along so many axes have kernels. */
static bool anywhere(const void *self)
{
	const struct nlm *m = self;

	return m->conf.patch <= NLM_PATCH && __builtin_popcountl(m->conf.flags) <= NLM_AXES;
}

/** Six arrays on the CPU, two on a device. */
static long memory(const void *self)
{
	const struct nlm *m = self;

	return 6 * m->n * (long)sizeof(float);
}

static void destroy(void *self)
{
	struct nlm *m = self;

	scratch_free(&m->in);
	scratch_free(&m->out);
	free(m);
}

static void set_window(struct nlm *m)
{
	struct nlm_window *w = &m->there;
	long step = 1;

	w->search = m->conf.search;
	w->patch = (int)m->conf.patch;

	for (int d = 0; d < DIMS; d++) {
		if (m->conf.flags & (1ul << d)) {
			w->dims[w->axes] = m->dims[d];
			w->steps[w->axes++] = step;
		} else if (1 < m->dims[d]) {
			w->odims[w->others] = m->dims[d];
			w->osteps[w->others++] = step;
		}

		step *= m->dims[d];
	}
}

struct functional *functional_nlm_create(
        enum dtype type, int D, const long dims[], const struct nlm_conf *conf)
{
	static const struct functional_ops ops = {
	        .name = "nlm", .prox = prox, .memory = memory, .anywhere = anywhere, .destroy = destroy};

	if (dtype_is_complex(type))
		error("non-local means of type %s, expected a real type", dtype_name(type));

	if (conf->patch < 0 || conf->search < 1 || !(conf->sigma > 0.) || !(conf->strength > 0.))
		error("non-local means with patch %ld, search %ld, noise %g and strength %g, expected at "
		      "least 0, at least 1, and more than 0",
		        conf->patch, conf->search, conf->sigma, conf->strength);

	struct nlm *m = NEW(struct nlm);
	struct functional *g = functional_create(&ops, m, type, D, dims);

	*m = (struct nlm){.conf = *conf, .type = type, .n = functional_size(g)};
	md_copy_dims(DIMS, m->dims, functional_dims(g));

	for (int d = 0; d < DIMS; d++)
		if (1 == m->dims[d])
			m->conf.flags &= ~(1ul << d);

	if (anywhere(m))
		set_window(m);

	return g;
}
