/* Wavelet transforms in lifting steps. Groups of lines are transformed side by side in a buffer of float64;
 * the step coefficients of DB2 and DB4 come from the Euclidean algorithm on their polyphase components, those
 * of CDF44 from Daubechies and Sweldens (wavelet.h). */

#include <stdlib.h>

#include "linops/fit.h"
#include "linops/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/flpmath.h"

enum { LANES = 16, STEPS = 5, AXES = DIMS + 1, SMALL = 1 << 14 };

/** x[i] += sum of c x[i + offset], for all i of that parity; offsets are odd. */
struct lift {
	int parity, taps;
	struct tap {
		int offset;
		double c;
	} tap[2];
};

/** The steps, then factors of the even elements (coarse) and the odd ones (details). */
struct family {
	bool orthonormal;
	int steps;
	struct lift step[STEPS];
	double low, high;
};

#define SQRT2 1.4142135623730951
#define SQRT3 1.7320508075688772

static const struct family families[] = {
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
	long dims[AXES];
	unsigned long flags; // of axes
	const struct family *family;
	enum wavelet_boundary boundary;
	long levels;
	bool inverse; // forward of the operator goes from coefficients to elements
};

struct task {
	const struct family *f;
	bool periodic, analysis, transpose;
	long n, step;     // of a line
	long lifted;      // elements of it that take part
	long dims[AXES];  // of the lines, 1 along theirs
	long steps[AXES]; // [reals]
	int axes;
};

/** The element that stands for number i of n > 1; the parity stays. */
static long beyond(bool periodic, long i, long n)
{
	if (0 <= i && i < n)
		return i;

	if (periodic)
		return (i % n + n) % n;

	const long period = 2 * (n - 1);

	i = (i % period + period) % period;

	return (i < n) ? i : period - i;
}

static void add(double *restrict y, double c, const double *restrict x)
{
	for (int k = 0; k < LANES; k++)
		y[k] += c * x[k];
}

/** One step on LANES lines; its inverse is that with sign -1. */
static void lift(const struct task *t, const struct lift *s, double sign, double *b)
{
	for (long i = s->parity; i < t->lifted; i += 2)
		for (int k = 0; k < s->taps; k++) {
			const long j = beyond(t->periodic, i + s->tap[k].offset, t->lifted);

			if (t->transpose)
				add(b + LANES * j, sign * s->tap[k].c, b + LANES * i);
			else
				add(b + LANES * i, sign * s->tap[k].c, b + LANES * j);
		}
}

static void scale(const struct task *t, bool inverse, double *b)
{
	const double even = inverse ? 1. / t->f->low : t->f->low;
	const double odd = inverse ? 1. / t->f->high : t->f->high;

	for (long i = 0; i < t->lifted; i++)
		for (int k = 0; k < LANES; k++)
			b[LANES * i + k] *= (i % 2) ? odd : even;
}

/** analysis: T, transposed T^-1'; synthesis: T^-1, transposed T'. */
static void transform(const struct task *t, double *b)
{
	const bool inverse = t->analysis == t->transpose;
	const double sign = inverse ? -1. : 1.;

	if (!t->analysis)
		scale(t, inverse, b);

	for (int k = 0; k < t->f->steps; k++)
		lift(t, &t->f->step[t->analysis ? k : t->f->steps - 1 - k], sign, b);

	if (t->analysis)
		scale(t, inverse, b);
}

/** Where element i of a line lies among its coefficients. */
static long place(long i, long n)
{
	return (i % 2) ? (n + 1) / 2 + i / 2 : i / 2;
}

#define REAL        float
#define NAMED(name) name##_float
#include "linops/wavelet_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/wavelet_impl.inc"

/** Offset of line number k [reals]. */
static long line_at(const struct task *t, long k)
{
	long at = 0;

	for (int a = 0; a < t->axes; a++) {
		at += k % t->dims[a] * t->steps[a];
		k /= t->dims[a];
	}

	return at;
}

/** A level along one axis of the coarse part, which has extents n[]. */
static void level(const struct wavelet *w, bool analysis, bool transpose, const long n[], int axis, void *x)
{
	struct task t = {.f = w->family,
	        .periodic = WAVELET_PERIODIC == w->boundary,
	        .analysis = analysis,
	        .transpose = transpose,
	        .n = n[axis],
	        .axes = w->axes};
	long lines = 1, step = 1;

	for (int a = 0; a < w->axes; a++) {
		t.dims[a] = (a == axis) ? 1 : n[a];
		t.steps[a] = step;
		t.step = (a == axis) ? step : t.step;
		step *= w->dims[a];
		lines *= t.dims[a];
	}

	t.lifted = t.n - (t.periodic ? t.n % 2 : 0);

	if (t.lifted < 2)
		return;

#pragma omp parallel if (t.n * lines > SMALL)
	{
		double *b = mem_alloc((size_t)t.n * LANES * sizeof *b);

#pragma omp for schedule(static)
		for (long first = 0; first < lines; first += LANES) {
			const int lanes = (lines - first < LANES) ? (int)(lines - first) : LANES;
			long at[LANES];

			for (int k = 0; k < LANES; k++)
				at[k] = line_at(&t, first + ((k < lanes) ? k : 0));

			if (DT_FLOAT32 == dtype_real(w->type))
				lines_float(&t, lanes, at, x, b);
			else
				lines_double(&t, lanes, at, x, b);
		}

		free(b);
	}
}

/** Extents of the coarse part after so many levels. */
static void coarse(const struct wavelet *w, long levels, long n[AXES])
{
	for (int a = 0; a < w->axes; a++) {
		n[a] = w->dims[a];

		for (long l = 0; l < levels && (w->flags & 1ul << a); l++)
			n[a] = (n[a] + 1) / 2;
	}
}

static void apply(const struct wavelet *w, bool analysis, bool transpose, void *dst, const void *src)
{
	long n[AXES];

	vec_copy(w->type, w->size, dst, src);

	for (long l = 0; l < w->levels; l++) {
		coarse(w, analysis ? l : w->levels - 1 - l, n);

		for (int k = 0; k < w->axes; k++) {
			const int a = analysis ? k : w->axes - 1 - k;

			if (w->flags & 1ul << a)
				level(w, analysis, transpose, n, a, dst);
		}
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

static const struct linop_ops wavelet_ops = {
        .name = "wavelet", .forward = wavelet_forward, .adjoint = wavelet_adjoint, .destroy = free};
static const struct linop_ops orthonormal_ops = {.name = "wavelet",
        .forward = wavelet_forward,
        .adjoint = wavelet_adjoint,
        .destroy = free,
        .normal_inverse = orthonormal_inverse};

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
		error("a wavelet transform of %ld levels, expected 1 to %ld for these dimensions", levels,
		        most);

	struct wavelet *w = NEW(struct wavelet);
	const bool complex_type = dtype_is_complex(type);
	const struct family *f = &families[family];

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
