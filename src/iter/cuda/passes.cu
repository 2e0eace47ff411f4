/** Passes over vectors on the GPU: one thread per element, vector or group; see iter/step/passes.h. Lengths
 * and steps are computed in the type of the data as on the CPU, sums in float64 (iter/cuda/sums.h). */

#include "iter/cuda/sums.h"

#include <math.h>

extern "C" {
#include "iter/step/counts.h"
#include "iter/step/dual.h"
#include "iter/step/groups.h"
#include "iter/step/passes.h"
#include "iter/step/radial.h"
#include "misc/mem.h"
}

/* ---- fields of vectors ---- */

/** Element e of a field: K components, `step` numbers apart, of `parts` numbers each. */
struct layout {
	long n, step;
	int K, parts;
};

static struct layout layout_of(const struct field *f)
{
	const int parts = dtype_is_complex(f->type) ? 2 : 1;

	// each component alone: a field of K n vectors of one component
	if (f->apart)
		return layout{f->n * f->K, 0, 1, parts};

	return layout{f->n, f->n * parts, f->K, parts};
}

/** Components of real numbers; 0: they are complex. */
static int real_components(const struct layout *l)
{
	return (1 == l->parts) ? l->K : 0;
}

template <typename T> __device__ static T factor(T length2, T radius)
{
	const T length = sqrt(length2);

	return (length <= radius) ? (T)1 : radius / length;
}

/** N: real components, whose loads are all under way together; 0: as many as the layout says, of any type. */
template <typename T, int N>
__global__ static void ascend_kernel(struct layout f, T s, T radius, double given, const double *momentum,
        T *p, T *q, const T *g, double *out)
{
	enum { ROOM = (0 < N) ? N : 1 };
	const T beta = (T)((NULL == momentum) ? given : (*momentum - 1.) / momentum_after(*momentum));
	double sum = 0.;

	FOR_MINE(e, (0 < N) ? f.n : 0)
	{
		T v[ROOM], old[ROOM], was[ROOM], length2 = 0;

#pragma unroll
		for (int k = 0; k < N; k++) {
			old[k] = q[k * f.step + e];
			v[k] = g[k * f.step + e];
			was[k] = p[k * f.step + e];
		}

#pragma unroll
		for (int k = 0; k < N; k++) {
			v[k] = old[k] + s * v[k];
			length2 += v[k] * v[k];
		}

		const T scale = factor(length2, radius);

#pragma unroll
		for (int k = 0; k < N; k++) {
			const T next = v[k] * scale, d = next - was[k];

			sum += (double)((old[k] - next) * d);
			q[k * f.step + e] = next + beta * d;
			p[k * f.step + e] = next;
		}
	}

	FOR_MINE(e, (0 < N) ? 0 : f.n)
	{
		T length2 = 0;

		for (int k = 0; k < f.K; k++)
			for (int c = 0; c < f.parts; c++) {
				const long i = k * f.step + f.parts * e + c;
				const T v = q[i] + s * g[i];

				length2 += v * v;
			}

		const T scale = factor(length2, radius);

		for (int k = 0; k < f.K; k++)
			for (int c = 0; c < f.parts; c++) {
				const long i = k * f.step + f.parts * e + c;
				const T old = q[i], next = (old + s * g[i]) * scale, d = next - p[i];

				sum += (double)((old - next) * d);
				q[i] = next + beta * d;
				p[i] = next;
			}
	}

	add_up(sum, 0., out);
}

/** N as for ascend_kernel(). */
template <typename T, int N>
__global__ static void climb_kernel(struct layout f, T s, T radius, T *p, const T *g)
{
	enum { ROOM = (0 < N) ? N : 1 };

	FOR_MINE(e, (0 < N) ? f.n : 0)
	{
		T v[ROOM], slope[ROOM], length2 = 0;

#pragma unroll
		for (int k = 0; k < N; k++) {
			v[k] = p[k * f.step + e];
			slope[k] = g[k * f.step + e];
		}

#pragma unroll
		for (int k = 0; k < N; k++) {
			v[k] += s * slope[k];
			length2 += v[k] * v[k];
		}

		const T scale = factor(length2, radius);

#pragma unroll
		for (int k = 0; k < N; k++)
			p[k * f.step + e] = v[k] * scale;
	}

	FOR_MINE(e, (0 < N) ? 0 : f.n)
	{
		T length2 = 0;

		for (int k = 0; k < f.K; k++)
			for (int c = 0; c < f.parts; c++) {
				const long i = k * f.step + f.parts * e + c;
				const T v = p[i] + s * g[i];

				length2 += v * v;
			}

		const T scale = factor(length2, radius);

		for (int k = 0; k < f.K; k++)
			for (int c = 0; c < f.parts; c++) {
				const long i = k * f.step + f.parts * e + c;

				p[i] = (p[i] + s * g[i]) * scale;
			}
	}
}

template <typename T>
__global__ static void measure_kernel(struct layout f, const T *g, const T *p, double *out)
{
	double sum = 0., inner = 0.;

	FOR_MINE(e, f.n)
	{
		T length2 = 0;

		for (int k = 0; k < f.K; k++)
			for (int c = 0; c < f.parts; c++) {
				const long i = k * f.step + f.parts * e + c;

				length2 += g[i] * g[i];

				if (NULL != p)
					inner += (double)g[i] * (double)p[i];
			}

		sum += (double)sqrt(length2);
	}

	add_up(sum, inner, out);
}

/** momentum NULL: beta, and the sum. */
template <typename T>
static void ascend_of(const struct field *f, double s, double radius, double beta, double *momentum, void *p,
        void *q, const void *g, double *sum)
{
	const struct layout l = layout_of(f);
	const int N = real_components(&l);
	totals t(l.n);

	const auto ascending = (1 == N)   ? ascend_kernel<T, 1>
	                       : (2 == N) ? ascend_kernel<T, 2>
	                       : (3 == N) ? ascend_kernel<T, 3>
	                                  : ascend_kernel<T, 0>;

	GPU_LAUNCH(ascending, t.blocks, THREADS, 0, pass_stream(), l, (T)s, (T)radius, beta,
	        (const double *)momentum, (T *)p, (T *)q, (const T *)g, t.there);
	t.give(sum, NULL, momentum);
}

static void ascend(const struct field *f, double s, double radius, double beta, void *p, void *q,
        const void *g, double *sum)
{
	if (DT_FLOAT32 == dtype_real(f->type))
		ascend_of<float>(f, s, radius, beta, NULL, p, q, g, sum);
	else
		ascend_of<double>(f, s, radius, beta, NULL, p, q, g, sum);
}

static void accelerate(
        const struct field *f, double s, double radius, double *momentum, void *p, void *q, const void *g)
{
	if (DT_FLOAT32 == dtype_real(f->type))
		ascend_of<float>(f, s, radius, 0., momentum, p, q, g, NULL);
	else
		ascend_of<double>(f, s, radius, 0., momentum, p, q, g, NULL);
}

template <typename T>
static void climb_of(const struct field *f, double s, double radius, void *p, const void *g)
{
	const struct layout l = layout_of(f);
	const int N = real_components(&l);
	const auto climbing = (1 == N)   ? climb_kernel<T, 1>
	                      : (2 == N) ? climb_kernel<T, 2>
	                      : (3 == N) ? climb_kernel<T, 3>
	                                 : climb_kernel<T, 0>;

	GPU_LAUNCH(climbing, blocks_of(l.n), THREADS, 0, pass_stream(), l, (T)s, (T)radius, (T *)p,
	        (const T *)g);
}

static void climb(const struct field *f, double s, double radius, void *p, void *g)
{
	if (DT_FLOAT32 == dtype_real(f->type))
		climb_of<float>(f, s, radius, p, g);
	else
		climb_of<double>(f, s, radius, p, g);
}

static void measure(const struct field *f, const void *g, const void *p, double sum[2])
{
	const struct layout l = layout_of(f);
	totals t(l.n);

	if (DT_FLOAT32 == dtype_real(f->type))
		GPU_LAUNCH(measure_kernel<float>, t.blocks, THREADS, 0, pass_stream(), l, (const float *)g,
		        (const float *)p, t.there);
	else
		GPU_LAUNCH(measure_kernel<double>, t.blocks, THREADS, 0, pass_stream(), l, (const double *)g,
		        (const double *)p, t.there);

	t.give(&sum[0], &sum[1], NULL);
}

/* ---- groups ---- */

/** Where group i begins. */
__device__ static long group_at(const struct groups *g, long i)
{
	long at = 0;

	for (int d = 0; d < g->kept; d++) {
		const long next = i / g->kdims[d];

		at += (i - next * g->kdims[d]) * g->kstrs[d];
		i = next;
	}

	return at;
}

/** Where member j of a group lies behind its beginning. */
__device__ static long member_at(const struct groups *g, long j)
{
	long at = 0;

	for (int d = 0; d < g->inside; d++) {
		const long next = j / g->gdims[d];

		at += (j - next * g->gdims[d]) * g->gstrs[d];
		j = next;
	}

	return at;
}

/** dst NULL: sums. */
template <typename T>
__global__ static void groups_kernel(struct groups g, long members, enum groups_rule rule, double radius,
        T *dst, const T *src, double *out)
{
	double sum = 0.;

	FOR_MINE(i, g.count)
	{
		const long at = group_at(&g, i);
		double s = 0.;

		for (long j = 0; j < members; j++) {
			const double v = (double)src[at + member_at(&g, j)];

			s += v * v;
		}

		const double f = groups_apply(rule, radius, sqrt(s));

		sum += f;

		for (long j = 0; NULL != dst && j < members; j++) {
			const long k = at + member_at(&g, j);

			dst[k] = (T)(f * (double)src[k]);
		}
	}

	if (NULL != out)
		add_up(sum, 0., out);
}

static void run_groups(const struct groups *g, enum groups_rule rule, double radius, void *dst,
        const void *src, long blocks, double *out)
{
	long members = 1;

	for (int d = 0; d < g->inside; d++)
		members *= g->gdims[d];

	if (DT_FLOAT32 == g->real)
		GPU_LAUNCH(groups_kernel<float>, blocks, THREADS, 0, pass_stream(), *g, members, rule, radius,
		        (float *)dst, (const float *)src, out);
	else
		GPU_LAUNCH(groups_kernel<double>, blocks, THREADS, 0, pass_stream(), *g, members, rule,
		        radius, (double *)dst, (const double *)src, out);
}

static void scale_groups(
        const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src)
{
	run_groups(g, rule, radius, dst, src, blocks_of(g->count), NULL);
}

static void sum_groups(
        const struct groups *g, enum groups_rule rule, double radius, const void *src, double *sum)
{
	totals t(g->count);

	run_groups(g, rule, radius, NULL, src, t.blocks, t.there);
	t.give(sum, NULL, NULL);
}

/* ---- sums over elements ---- */

/** Of an element at distance t, of weight w: its value, the factor of its prox, slope / t. */
__device__ static double radial(
        enum point_rule rule, enum point_action action, double delta, double gamma, double w, double t)
{
	const bool value = POINT_VALUE == action, prox = POINT_PROX == action;

	if (POINT_L2SQ == rule)
		return value  ? l2sq(delta, w, t)
		       : prox ? l2sq_shrink(delta, gamma * w, t)
		              : l2sq_slope(delta, w, t);

	if (POINT_L1 == rule)
		return value ? l1(delta, w, t) : l1_shrink(delta, gamma * w, t);

	if (POINT_L0 == rule)
		return value ? l0(delta, w, t) : l0_shrink(delta, gamma * w, t);

	if (POINT_PSEUDO_HUBER == rule)
		return value  ? pseudo_huber(delta, w, t)
		       : prox ? pseudo_huber_shrink(delta, gamma * w, t)
		              : pseudo_huber_slope(delta, w, t);

	return value  ? huber(delta, w, t)
	       : prox ? huber_shrink(delta, gamma * w, t)
	              : huber_slope(delta, w, t);
}

struct point {
	enum point_rule rule;
	enum point_action action;
	double param[4], gamma;
	struct point_data d;
};

/** An element of a box; bounds 2 and 3 leave room for roundings. */
__device__ static double boxed(const struct point &a, double v, double *sum)
{
	if (POINT_VALUE == a.action && !(v >= a.param[2] && v <= a.param[3]))
		*sum = INFINITY;

	return (v < a.param[0]) ? a.param[0] : (v > a.param[1]) ? a.param[1] : v;
}

/** What a likelihood says of an element x of count y; w: of the blank scan. */
__device__ static double counted(const struct point &a, double y, double b, double w, double x)
{
	if (POINT_KL == a.rule)
		return (POINT_VALUE == a.action)  ? counts_divergence(y, x + b)
		       : (POINT_PROX == a.action) ? emission_prox(y, b, a.gamma, x)
		                                  : emission_slope(y, b, x);

	const double blank = a.param[0] * w;

	switch (a.action) {
	case POINT_VALUE:
		return transmission_value_at(y, blank, a.param[1], x);
	case POINT_PROX:
		return transmission_prox_at(y, blank, a.gamma, x);
	case POINT_GRADIENT:
		return transmission_slope_at(y, blank, a.param[1], x);
	case POINT_CURVATURE:
		return transmission_surrogate(y, blank, a.param[1], x);
	default:
		return transmission_second_at(y, blank, a.param[1], x);
	}
}

template <typename T>
__global__ static void point_kernel(struct point a, int parts, long n, T *dst, const T *src, double *out)
{
	const T *y = (const T *)a.d.y, *b = (const T *)a.d.b;
	double sum = 0.;

	FOR_MINE(i, n)
	{
		const double w = (NULL == a.d.w) ? 1. : a.d.w[i];
		double r[2] = {0., 0.}, from[2] = {0., 0.};

		for (int k = 0; k < parts; k++) {
			r[k] = (double)src[parts * i + k];
			from[k] = (NULL == y) ? 0. : (double)y[parts * i + k];
		}

		if (POINT_BOX == a.rule || POINT_KL == a.rule || POINT_TRANSMISSION == a.rule) {
			const double v = (POINT_BOX == a.rule)
			                         ? boxed(a, r[0], &sum)
			                         : counted(a, from[0],
			                                   (NULL == b) ? a.param[0] : (double)b[i], w, r[0]);

			if (NULL != dst)
				dst[i] = (T)v;
			else if (POINT_BOX != a.rule)
				sum += v;

			continue;
		}

		for (int k = 0; k < parts; k++)
			r[k] -= from[k];

		const double t = (1 == parts) ? fabs(r[0]) : sqrt(r[0] * r[0] + r[1] * r[1]);
		const double s = radial(a.rule, a.action, a.param[0], a.gamma, w, t);

		if (POINT_VALUE == a.action)
			sum += s;
		else if (POINT_CURVATURE == a.action)
			dst[i] = (T)s;
		else
			for (int k = 0; k < parts; k++)
				dst[parts * i + k] =
				        (T)(s * r[k] + ((POINT_PROX == a.action) ? from[k] : 0.));
	}

	if (NULL != out)
		add_up(sum, 0., out);
}

template <typename T>
static void point_of(const struct point &a, int parts, long n, void *dst, const void *src, double *sum)
{
	if (POINT_VALUE == a.action) {
		totals t(n);

		GPU_LAUNCH(point_kernel<T>, t.blocks, THREADS, 0, pass_stream(), a, parts, n, (T *)NULL,
		        (const T *)src, t.there);
		t.give(sum, NULL, NULL);
	} else {
		GPU_LAUNCH(point_kernel<T>, blocks_of(n), THREADS, 0, pass_stream(), a, parts, n, (T *)dst,
		        (const T *)src, (double *)NULL);
	}
}

static void point(enum point_rule rule, enum point_action action, const double param[], double gamma,
        enum dtype type, long n, const struct point_data *d, void *dst, const void *src, double *sum)
{
	const struct point a = {rule, action, {param[0], param[1], param[2], param[3]}, gamma, *d};
	const int parts = dtype_is_complex(type) ? 2 : 1;

	if (DT_FLOAT32 == dtype_real(type))
		point_of<float>(a, parts, n, dst, src, sum);
	else
		point_of<double>(a, parts, n, dst, src, sum);
}

/* ---- y += a x and its squares ---- */

/** AHEAD elements at a time, whose loads are under way together; in the order of FOR_MINE. */
template <typename T>
__global__ static void step_kernel(long n, T *y, struct step_length length, const T *x, double *out)
{
	const T a = (T)step_length(&length);
	const long all = (long)gridDim.x * THREADS;
	double sum = 0.;

	for (long i = (long)blockIdx.x * THREADS + (long)threadIdx.x; i < n; i += AHEAD * all) {
		T u[AHEAD], v[AHEAD];

#pragma unroll
		for (int k = 0; k < AHEAD; k++) {
			const bool inside = i + k * all < n;

			u[k] = inside ? x[i + k * all] : (T)0;
			v[k] = inside ? y[i + k * all] : (T)0;
		}

#pragma unroll
		for (int k = 0; k < AHEAD; k++) {
			if (i + k * all >= n)
				break;

			v[k] += a * u[k];
			y[i + k * all] = v[k];
			sum += (double)v[k] * (double)v[k];
		}
	}

	add_up(sum, 0., out);
}

static void step(enum dtype real, long n, void *y, const struct step_length *a, const void *x, double *sum)
{
	totals t(n);

	if (DT_FLOAT32 == real)
		GPU_LAUNCH(step_kernel<float>, t.blocks, THREADS, 0, pass_stream(), n, (float *)y, *a,
		        (const float *)x, t.there);
	else
		GPU_LAUNCH(step_kernel<double>, t.blocks, THREADS, 0, pass_stream(), n, (double *)y, *a,
		        (const double *)x, t.there);

	t.give(sum, NULL, NULL);
}

/* ---- of SIRT and of expectation maximisation ---- */

template <typename T> __global__ static void invert_kernel(long n, T *x, double limit, double *out)
{
	double below = 0.;

	FOR_MINE(i, n)
	{
		const T v = x[i];

		below += ((double)v < -limit) ? 1. : 0.;
		x[i] = ((double)v > limit) ? (T)1 / v : (T)0;
	}

	add_up(below, 0., out);
}

static void invert(enum dtype real, long n, void *x, double limit, double *below)
{
	totals t(n);

	if (DT_FLOAT32 == real)
		GPU_LAUNCH(invert_kernel<float>, t.blocks, THREADS, 0, pass_stream(), n, (float *)x, limit,
		        t.there);
	else
		GPU_LAUNCH(invert_kernel<double>, t.blocks, THREADS, 0, pass_stream(), n, (double *)x, limit,
		        t.there);

	t.give(below, NULL, NULL);
}

template <typename T> __global__ static void ratio_kernel(long n, T *p, const T *y, double *out)
{
	double apart = 0., square = 0.;

	FOR_MINE(i, n)
	{
		const double yi = (double)y[i], pi = (double)p[i];

		apart += divergence_from(yi, pi);
		square += (pi - yi) * (pi - yi);
		p[i] = (T)ratio_to(yi, pi);
	}

	add_up(apart, square, out);
}

static void ratio(enum dtype real, long n, void *p, const void *y, double sum[2])
{
	totals t(n);

	if (DT_FLOAT32 == real)
		GPU_LAUNCH(ratio_kernel<float>, t.blocks, THREADS, 0, pass_stream(), n, (float *)p,
		        (const float *)y, t.there);
	else
		GPU_LAUNCH(ratio_kernel<double>, t.blocks, THREADS, 0, pass_stream(), n, (double *)p,
		        (const double *)y, t.there);

	t.give(&sum[0], &sum[1], NULL);
}

template <typename T>
__global__ static void multiply_kernel(long n, T *x, const T *f, const T *s, double *out)
{
	double sum = 0.;

	FOR_MINE(i, n)
	{
		const T before = x[i], after = (s[i] > 0) ? before * (f[i] / s[i]) : before;
		const double d = (double)after - (double)before;

		x[i] = after;
		sum += d * d;
	}

	add_up(sum, 0., out);
}

static void multiply(enum dtype real, long n, void *x, const void *f, const void *s, double *sum)
{
	totals t(n);

	if (DT_FLOAT32 == real)
		GPU_LAUNCH(multiply_kernel<float>, t.blocks, THREADS, 0, pass_stream(), n, (float *)x,
		        (const float *)f, (const float *)s, t.there);
	else
		GPU_LAUNCH(multiply_kernel<double>, t.blocks, THREADS, 0, pass_stream(), n, (double *)x,
		        (const double *)f, (const double *)s, t.there);

	t.give(sum, NULL, NULL);
}

extern "C" {
extern const struct iter_passes iter_passes_gpu;
const struct iter_passes iter_passes_gpu = {
        ascend, accelerate, climb, measure, scale_groups, sum_groups, point, step, invert, ratio, multiply};
}
