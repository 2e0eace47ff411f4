/* Wavelet transforms in lifting steps. Groups of lines are transformed side by side in a buffer of float64;
 * the step coefficients of DB2 and DB4 come from the Euclidean algorithm on their polyphase components, those
 * of CDF44 from Daubechies and Sweldens (wavelet.h). */

#include <stdlib.h>

#include "linops/fit.h"
#include "linops/scratch.h"
#include "linops/wavelet/wavelet.h"
#include "linops/wavelet/wavelet_lines.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

enum { LANES = 16 };

#define SQRT2 1.4142135623730951
#define SQRT3 1.7320508075688772

static const struct wavelet_lifts families[] = {
        [WAVELET_HAAR] = {true, 2, {{1, 1, {{-1, -1.}}}, {0, 1, {{1, 0.5}}}}, SQRT2, 1. / SQRT2},
        [WAVELET_DB2] = {true, 3,
                {{1, 1, {{-1, -SQRT3}}}, {0, 2, {{1, SQRT3 / 4.}, {3, SQRT3 / 4. - 0.5}}},
                        {1, 1, {{-3, 1.}}}},
                (SQRT3 + 1.) / SQRT2, (SQRT3 - 1.) / SQRT2},
        [WAVELET_DB4] = {true, 5,
                {{1, 1, {{-1, 0.32227588800028112}}},
                        {0, 2, {{-1, 1.1171236051162172}, {1, -0.29195312600347534}}},
                        {1, 2, {{-1, -0.11355149660809287}, {1, -0.54002828341971387}}},
                        {0, 2, {{1, 0.55479469680433835}, {3, -0.098423494495084432}}},
                        {1, 1, {{-3, 0.02145362655440929}}}},
                0.68292181203541469, 1.4642964719775893},
        [WAVELET_CDF44] = {false, 4,
                {{1, 2, {{-1, -1.586134342059924}, {1, -1.586134342059924}}},
                        {0, 2, {{-1, -0.052980118572961}, {1, -0.052980118572961}}},
                        {1, 2, {{-1, 0.882911075530934}, {1, 0.882911075530934}}},
                        {0, 2, {{-1, 0.443506852043971}, {1, 0.443506852043971}}}},
                1.149604398860241, 1. / 1.149604398860241},
};

const char wavelet_family_names[] = "haar|db2|db4|cdf44";
const char wavelet_boundary_names[] = "periodic|symmetric";

/** Of the four maps between elements and coefficients: to coefficients or back; the transpose of the other
 * direction or not. */
struct wavelet {
	enum dtype type;
	long size;
	int axes; // dims, a first one of 2 for the parts of complex elements
	long dims[WAVELET_AXES];
	unsigned long flags; // of axes
	const struct wavelet_lifts *family;
	enum wavelet_boundary boundary;
	long levels;
	bool inverse;         // forward of the operator goes from coefficients to elements
	struct scratch other; // on a device, whose levels go from one array to another
};

static void add(double *restrict y, double c, const double *restrict x)
{
	for (int k = 0; k < LANES; k++)
		y[k] += c * x[k];
}

/** One step on LANES lines; its inverse is that with sign -1. */
static void lift(const struct wavelet_task *t, const struct wavelet_lift *s, double sign, double *b)
{
	for (long i = s->parity; i < t->lifted; i += 2)
		for (int k = 0; k < s->taps; k++) {
			const long j = wavelet_beyond(t->periodic, i + s->tap[k].offset, t->lifted);

			if (t->transpose)
				add(b + LANES * j, sign * s->tap[k].c, b + LANES * i);
			else
				add(b + LANES * i, sign * s->tap[k].c, b + LANES * j);
		}
}

static void scale(const struct wavelet_task *t, bool inverse, double *b)
{
	const double even = inverse ? 1. / t->f.low : t->f.low;
	const double odd = inverse ? 1. / t->f.high : t->f.high;

	for (long i = 0; i < t->lifted; i++)
		for (int k = 0; k < LANES; k++)
			b[LANES * i + k] *= (i % 2) ? odd : even;
}

static void transform(const struct wavelet_task *t, double *b)
{
	const bool inverse = wavelet_inverse(t);
	const double sign = inverse ? -1. : 1.;

	if (!t->analysis)
		scale(t, inverse, b);

	for (int k = 0; k < t->f.steps; k++)
		lift(t, wavelet_step(t, k), sign, b);

	if (t->analysis)
		scale(t, inverse, b);
}

#define REAL        float
#define NAMED(name) name##_float
#include "linops/wavelet/wavelet_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/wavelet/wavelet_impl.inc"

/** A level along one axis of the coarse part, which has extents n[]; whether there is anything to do. */
static bool task_of(struct wavelet_task *t, const struct wavelet *w, bool analysis, bool transpose,
        const long n[], int axis)
{
	long step = 1;

	*t = (struct wavelet_task){.f = *w->family,
	        .periodic = WAVELET_PERIODIC == w->boundary,
	        .analysis = analysis,
	        .transpose = transpose,
	        .n = n[axis],
	        .lines = 1};

	for (int a = 0; a < w->axes; a++) {
		if (a == axis) {
			t->step = step;
		} else if (1 < n[a]) {
			t->dims[t->axes] = n[a];
			t->steps[t->axes++] = step;
			t->lines *= n[a];
		}

		step *= w->dims[a];
	}

	t->lifted = t->n - (t->periodic ? t->n % 2 : 0);

	return 2 <= t->lifted;
}

/** In place, on the CPU. */
static void level(const struct wavelet_task *t, enum dtype real, void *x)
{
#pragma omp parallel num_threads(threads_for(3. * (double)(t->n * t->lines)))
	{
		double *b = mem_alloc((size_t)t->n * LANES * sizeof *b);

#pragma omp for schedule(static)
		for (long first = 0; first < t->lines; first += LANES) {
			const int lanes = (t->lines - first < LANES) ? (int)(t->lines - first) : LANES;
			long at[LANES];

			for (int k = 0; k < LANES; k++)
				at[k] = wavelet_line_at(t, first + ((k < lanes) ? k : 0));

			if (DT_FLOAT32 == real)
				lines_float(t, lanes, at, x, b);
			else
				lines_double(t, lanes, at, x, b);
		}

		free(b);
	}
}

/** Extents of the coarse part after so many levels. */
static void coarse(const struct wavelet *w, long levels, long n[WAVELET_AXES])
{
	for (int a = 0; a < w->axes; a++) {
		n[a] = w->dims[a];

		for (long l = 0; l < levels && (w->flags & 1ul << a); l++)
			n[a] = (n[a] + 1) / 2;
	}
}

/** The tasks of a level in their order; how many. */
static int tasks_of(const struct wavelet *w, bool analysis, bool transpose, long l,
        struct wavelet_task tasks[WAVELET_AXES])
{
	long n[WAVELET_AXES];
	int count = 0;

	coarse(w, analysis ? l : w->levels - 1 - l, n);

	for (int k = 0; k < w->axes; k++) {
		const int a = analysis ? k : w->axes - 1 - k;

		if (w->flags & 1ul << a)
			count += task_of(&tasks[count], w, analysis, transpose, n, a);
	}

	return count;
}

/** The coarse part of a level from one array to another. */
static void copy_part(const struct wavelet *w, bool analysis, long l, void *dst, const void *src)
{
	const size_t size = dtype_size(dtype_real(w->type));
	long n[WAVELET_AXES], dims[WAVELET_AXES], strs[WAVELET_AXES], step = (long)size;
	int D = 0;

	coarse(w, analysis ? l : w->levels - 1 - l, n);

	for (int a = 0; a < w->axes; a++) {
		if (1 < n[a]) {
			dims[D] = n[a];
			strs[D++] = step;
		}

		step *= w->dims[a];
	}

	md_copy2(D, dims, strs, dst, strs, src, size);
}

/** A level on a device, where each task goes from one array to another: from `from` to `end`, which may be
 * the same; `beside` is a third one. */
static void level_there(const struct wavelet *w, bool analysis, bool transpose, long l, void *end,
        void *beside, const void *from)
{
	struct wavelet_task tasks[WAVELET_AXES];
	const int count = tasks_of(w, analysis, transpose, l, tasks);
	const bool over = from == end && count % 2; // it comes out beside

	for (int k = 0; k < count; k++) {
		void *to = ((bool)((count - 1 - k) % 2) != over) ? beside : end;

		wavelet_kernels_gpu.lines(&tasks[k], dtype_real(w->type), to, from);
		from = to;
	}

	if (over)
		copy_part(w, analysis, l, end, beside);
}

/** From coefficients, all levels but the last work where those of the others lie, in the array from which the
 * last one comes out in dst. */
static void apply_there(const struct wavelet *w, bool analysis, bool transpose, void *dst, const void *src)
{
	struct wavelet_task tasks[WAVELET_AXES];
	const int last = tasks_of(w, analysis, transpose, w->levels - 1, tasks);
	void *other = scratch_get((struct scratch *)&w->other, w->type, w->size, dst);
	void *home = (analysis || 0 == last % 2) ? dst : other, *away = (home == dst) ? other : dst;
	const void *from = src;

	if (!analysis && 1 < w->levels) {
		vec_copy(w->type, w->size, home, src);
		from = home;
	}

	for (long l = 0; l < w->levels; l++) {
		if (l == w->levels - 1)
			level_there(w, analysis, transpose, l, dst, other, from);
		else
			level_there(w, analysis, transpose, l, home, away, from);

		from = home;
	}
}

static void apply(const struct wavelet *w, bool analysis, bool transpose, void *dst, const void *src)
{
	struct wavelet_task tasks[WAVELET_AXES];

	if (device_holds(src)) {
		apply_there(w, analysis, transpose, dst, src);
		return;
	}

	vec_copy(w->type, w->size, dst, src);

	for (long l = 0; l < w->levels; l++) {
		const int count = tasks_of(w, analysis, transpose, l, tasks);

		for (int k = 0; k < count; k++)
			level(&tasks[k], dtype_real(w->type), dst);
	}
}

static void wavelet_forward(const void *self, void *dst, const void *src)
{
	const struct wavelet *w = self;

	apply(w, !w->inverse, false, dst, src);
}

static void wavelet_adjoint(const void *self, void *dst, const void *src)
{
	const struct wavelet *w = self;

	apply(w, w->inverse, true, dst, src);
}

/* (1 + lambda)^-1 */
static void orthonormal_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct wavelet *w = self;

	vec_copy(w->type, w->size, dst, src);
	vec_scale(w->type, w->size, dst, 1. / (1. + lambda));
}

static double orthonormal_norm(const void *self)
{
	(void)self;

	return 1.;
}

static void destroy(void *self)
{
	struct wavelet *w = self;

	scratch_free(&w->other);
	free(w);
}

static const struct linop_ops wavelet_ops = {.name = "wavelet",
        .forward = wavelet_forward,
        .adjoint = wavelet_adjoint,
        .destroy = destroy,
        .anywhere = true};
static const struct linop_ops orthonormal_ops = {.name = "wavelet",
        .forward = wavelet_forward,
        .adjoint = wavelet_adjoint,
        .destroy = destroy,
        .normal_inverse = orthonormal_inverse,
        .norm = orthonormal_norm,
        .anywhere = true};

long wavelet_max_levels(int D, const long dims[], unsigned long flags)
{
	long levels = 0;

	for (int d = 0; d < D; d++)
		while ((flags & 1ul << d) && dims[d] > 1 && (dims[d] - 1) >> levels > 0)
			levels++;

	return levels;
}

static struct linop *create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum wavelet_family family, enum wavelet_boundary boundary, long levels, bool inverse)
{
	fit_flags(D, flags, "a wavelet transform");

	const long most = wavelet_max_levels(D, dims, flags);

	if (levels < 1 || levels > most)
		error("a wavelet transform has %ld levels, expected 1 to %ld for these dimensions", levels,
		        most);

	struct wavelet *w = NEW(struct wavelet);
	const bool complex_type = dtype_is_complex(type);
	const struct wavelet_lifts *f = &families[family];

	*w = (struct wavelet){.type = type,
	        .family = f,
	        .boundary = boundary,
	        .levels = levels,
	        .inverse = inverse,
	        .axes = D + complex_type,
	        .flags = flags << complex_type};
	w->dims[0] = 2;
	md_copy_dims(D, w->dims + complex_type, dims);
	w->size = md_calc_size(D, dims);

	return linop_create(
	        (f->orthonormal && WAVELET_PERIODIC == boundary) ? &orthonormal_ops : &wavelet_ops, w, type,
	        D, dims, D, dims);
}

struct linop *linop_wavelet_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum wavelet_family family, enum wavelet_boundary boundary, long levels)
{
	return create(type, D, dims, flags, family, boundary, levels, false);
}

struct linop *linop_wavelet_inverse_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum wavelet_family family, enum wavelet_boundary boundary, long levels)
{
	return create(type, D, dims, flags, family, boundary, levels, true);
}
