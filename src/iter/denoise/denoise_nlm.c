/* Non-local means. On the CPU tiles of lines are done for all shifts of the search window: squared
 * differences of x and shifted x, summed over windows across the lines and along them, dim by dim [1]; all of
 * it stays in the cache.
 *
 * [1] J. Darbon et al., Fast nonlocal filtering applied to electron cryomicroscopy, ISBI 2008. */

#include <stdlib.h>
#include <string.h>

#include "iter/denoise/denoisers.h"

#include "iter/denoise/denoise_passes.h"
#include "iter/denoise/nlm_kern.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/kern/kern.h"
#include "num/md/flpmath.h"

struct nlm {
	struct nlm_conf conf;
	enum dtype type;
	long dims[DIMS], n;
	struct nlm_window there;
	struct scratch in, out; // on a device: float32
};

enum { TILE = 16 }; // lines along dim 1 at most

struct work {
	const struct nlm *m;
	const struct nlm_kern *kern;
	float twice, factor; // weights are exp(-max(distance - twice, 0) factor)
	long patch[DIMS], search[DIMS];
	float *x;       // float32, lines with the last elements repeated beyond their ends
	long pitch;     // of these
	float *inverse; // 1 / elements in the window along dim 0
};

/** Room of a thread: sums across lines of differences, with zeros around, and the results of a tile. */
struct tile {
	long lines; // most of them
	float *d, *c, *total, *sum, *largest;
};

static long clamped(long i, long n)
{
	return (i < 0) ? 0 : (i >= n) ? n - 1 : i;
}

/** Elements of a window of radius r at i that are inside. */
static long inside(long i, long r, long n)
{
	return ((i + r < n) ? i + r : n - 1) - ((i > r) ? i - r : 0) + 1;
}

/** The line of x at pos moved by off, at the nearest one where that is outside. */
static const float *line_at(const struct work *w, const long pos[DIMS], const long off[DIMS])
{
	const long *dims = w->m->dims;
	long k = 0;

	for (int d = DIMS - 1; d > 0; d--)
		k = k * dims[d] + clamped(pos[d] + off[d], dims[d]);

	return w->x + k * w->pitch + w->search[0];
}

/** Whether the line at pos moved by off is one of the array. */
static bool has_line(const struct nlm *m, const long pos[DIMS], const long off[DIMS])
{
	for (int d = 1; d < DIMS; d++)
		if (pos[d] + off[d] < 0 || pos[d] + off[d] >= m->dims[d])
			return false;

	return true;
}

/** d = squared differences of x and x moved by off along the line at pos, summed over the window across
 * dims 2 and beyond. */
static void differences(const struct work *w, float *d, const long pos[DIMS], const long off[DIMS])
{
	static const long here[DIMS];
	const struct nlm *m = w->m;
	const unsigned long across = m->conf.flags & ~3ul;
	long at[DIMS] = {0}, wide[DIMS], near[DIMS];

	memset(d, 0, (size_t)m->dims[0] * sizeof *d);
	md_copy_dims(DIMS, near, pos);

	for (int k = 0; k < DIMS; k++)
		wide[k] = 2 * w->patch[k] + 1;

	do {
		bool is_inside = true;

		for (int k = 2; k < DIMS; k++) {
			near[k] = pos[k] + at[k] - (((across >> k) & 1) ? w->patch[k] : 0);
			is_inside &= near[k] >= 0 && near[k] < m->dims[k];
		}

		if (is_inside)
			w->kern->square(
			        m->dims[0], d, line_at(w, near, here), line_at(w, near, off) + off[0]);
	} while (md_next(DIMS, wide, across, at));
}

/** Adds what elements moved by off weigh in lines pos[1] .. pos[1] + n - 1. */
static void add_shift(
        const struct work *w, struct tile *t, const long tile_pos[DIMS], long n, const long off[DIMS])
{
	const struct nlm *m = w->m;
	const long r = w->patch[1], r0 = w->patch[0], n0 = m->dims[0], n1 = m->dims[1];
	const long first = (tile_pos[1] > r) ? tile_pos[1] - r : 0;
	const long end = (tile_pos[1] + n + r < n1) ? tile_pos[1] + n + r : n1;
	const long lo = (off[0] < 0) ? -off[0] : 0, hi = (off[0] > 0) ? n0 - off[0] : n0;
	long pos[DIMS], others = 1;

	md_copy_dims(DIMS, pos, tile_pos);

	for (int d = 2; d < DIMS; d++)
		others *= inside(pos[d], w->patch[d], m->dims[d]);

	for (pos[1] = first; pos[1] < end; pos[1]++)
		differences(w, t->d + (pos[1] - first) * n0, pos, off);

	for (long l = 0; l < n && lo < hi; l++) {
		const long y = tile_pos[1] + l, from = (y > r) ? y - r : 0, rows = inside(y, r, n1);

		pos[1] = y;

		if (!has_line(m, pos, off))
			continue;

		w->kern->add_rows(n0, t->c + r0, t->d + (from - first) * n0, rows, n0);
		w->kern->gather(hi - lo, r0, t->c + r0 + lo, w->inverse + lo, 1.f / (float)(rows * others),
		        w->twice, w->factor, line_at(w, pos, off) + lo + off[0], t->total + l * n0 + lo,
		        t->sum + l * n0 + lo, t->largest + l * n0 + lo);
	}
}

/** All shifts for lines pos[1] .. pos[1] + n - 1; the results are in t->sum. */
static void do_tile(const struct work *w, struct tile *t, const long pos[DIMS], long n)
{
	static const long here[DIMS];
	const struct nlm *m = w->m;
	const long n0 = m->dims[0];
	long off[DIMS] = {0}, at[DIMS] = {0}, wide[DIMS], line[DIMS];

	memset(t->total, 0, (size_t)(3 * t->lines * n0) * sizeof *t->total);
	md_copy_dims(DIMS, line, pos);

	for (int d = 0; d < DIMS; d++)
		wide[d] = 2 * w->search[d] + 1;

	do {
		bool self = true;

		for (int d = 0; d < DIMS; d++) {
			off[d] = at[d] - w->search[d];
			self &= 0 == off[d];
		}

		if (!self)
			add_shift(w, t, pos, n, off);
	} while (md_next(DIMS, wide, m->conf.flags, at));

	for (long l = 0; l < n; l++) {
		line[1] = pos[1] + l;

		const float *x = line_at(w, line, here);

		for (long i = l * n0; i < (l + 1) * n0; i++) {
			const float own = (t->largest[i] > 0.f) ? t->largest[i] : 1.f;

			t->sum[i] = (t->sum[i] + own * x[i - l * n0]) / (t->total[i] + own);
		}
	}
}

static void denoise_nlm_run(const struct work *w, void *dst)
{
	const struct nlm *m = w->m;
	const long n0 = m->dims[0], n1 = m->dims[1], tiles = (n1 + TILE - 1) / TILE,
	           count = m->n / n0 / n1 * tiles;

#pragma omp parallel
	{
		struct tile t = {.lines = min_long(TILE, n1)};

		t.d = mem_alloc((size_t)(min_long(t.lines + 2 * w->patch[1], n1) * n0) * sizeof(float));
		t.c = mem_calloc((size_t)(n0 + 2 * w->patch[0]), sizeof(float));
		t.total = mem_alloc((size_t)(3 * t.lines * n0) * sizeof(float));
		t.sum = t.total + t.lines * n0;
		t.largest = t.sum + t.lines * n0;

#pragma omp for schedule(dynamic)
		for (long k = 0; k < count; k++) {
			const long first = k % tiles * TILE, line = k / tiles * n1 + first;
			const long n = (n1 - first < TILE) ? n1 - first : TILE;
			long pos[DIMS] = {0};

			md_unravel_index(DIMS, pos, ~1ul, m->dims, line);
			do_tile(w, &t, pos, n);
			convert(m->type, (char *)dst + line * n0 * (long)dtype_size(m->type), DT_FLOAT32,
			        t.sum, n * n0, NARROW_SATURATE);
		}

		free(t.total);
		free(t.c);
		free(t.d);
	}
}

/** x and the lines' ends. */
static void fill(struct work *w, const void *src)
{
	const struct nlm *m = w->m;
	const long n0 = m->dims[0], s = w->search[0], size = (long)dtype_size(m->type);

#pragma omp parallel for schedule(static)
	for (long l = 0; l < m->n / n0; l++) {
		float *x = w->x + l * w->pitch + s;

		convert(DT_FLOAT32, x, m->type, (const char *)src + l * n0 * size, n0, NARROW_SATURATE);

		for (long i = 1; i <= s; i++) {
			x[-i] = x[0];
			x[n0 - 1 + i] = x[n0 - 1];
		}
	}

	for (long i = 0; i < n0; i++)
		w->inverse[i] = 1.f / (float)inside(i, w->patch[0], n0);
}

/** Elements of x as it is kept. */
static long padded(const struct nlm *m)
{
	const long s = (m->conf.flags & 1) ? m->conf.search : 0;

	return mul_checked(m->n / m->dims[0], m->dims[0] + 2 * s, "non-local means");
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

	struct work w = {.m = m,
	        .kern = KERN_CHOOSE(nlm_kern),
	        .twice = (float)(2. * noise2),
	        .factor = (float)(1. / (m->conf.strength * m->conf.strength * noise2)),
	        .x = mem_alloc((size_t)padded(m) * sizeof(float)),
	        .pitch = padded(m) / (m->n / m->dims[0]),
	        .inverse = mem_alloc((size_t)m->dims[0] * sizeof(float))};

	for (int d = 0; d < DIMS; d++)
		if (m->conf.flags & (1ul << d)) {
			w.patch[d] = m->conf.patch;
			w.search[d] = m->conf.search;
		}

	fill(&w, src);
	denoise_nlm_run(&w, dst);
	free(w.inverse);
	free(w.x);
}

/** Patches that far along so many axes have kernels. */
static bool anywhere(const void *self)
{
	const struct nlm *m = self;

	return m->conf.patch <= NLM_PATCH && __builtin_popcountl(m->conf.flags) <= NLM_AXES;
}

/** A copy with longer lines on the CPU, two arrays on a device. */
static long memory(const void *self)
{
	const struct nlm *m = self;
	const long copies = 2 * m->n;

	return max_long(padded(m), copies) * (long)sizeof(float);
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
		error("non-local means needs a real type, found %s", dtype_name(type));

	if (conf->patch < 0 || conf->search < 1)
		error("non-local means: the patch radius is %ld and the search radius is %ld, expected at "
		      "least 0 and 1",
		        conf->patch, conf->search);

	if (!(conf->sigma > 0.) || !(conf->strength > 0.))
		error("non-local means: the noise is %g and the strength is %g, expected more than 0",
		        conf->sigma, conf->strength);

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
