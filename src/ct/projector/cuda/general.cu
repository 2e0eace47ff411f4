/** The X-ray transform of any geometry (general.h): joseph.h, siddon.h and sf.h, a thread for each ray or
 * voxel. Positions along a ray are float64 at the start of a run of 16 planes, and relative to it inside. */

#include "ct/projector/cuda/general.h"

#include <stdlib.h>
#include <string.h>
#include <type_traits>

#include "ct/projector/cuda/selftest_xray.h"
#include "num/device/cuda/gpu.h"

namespace
{

enum { LANES = 32, LINES = 8, THREADS = LANES * LINES, RUN = 16 };

/** The call at work, with the tables of its views. */
struct work : general_work {
	const struct gather_view *view;
	const struct gather_column *column;
	const struct sf_view *sf;
};

__device__ inline int cell_of(float x, float *w)
{
	const int c = (int)x;

	*w = x - (float)c;
	return c;
}

__device__ inline int cell_of(double x, double *w)
{
	const int c = (int)x;

	*w = x - (double)c;
	return c;
}

template <typename T> __device__ inline T load(const T *p, bool there)
{
	return there ? __ldg(p) : (T)0;
}

/** Planes [from, to) of a run that begins at plane `base`. S holds the offset of some twenty cells. */
template <typename T, typename S>
__device__ T joseph_run(const struct work *w, const struct joseph_line *l, const struct general_window *o,
        int base, int from, int to, const T *vol)
{
	double x0[2], x1[2];
	struct general_cells c;

	for (int i = 0; i < 2; i++) {
		x0[i] = l->pos[i] + l->slope[i] * base;
		x1[i] = x0[i] + l->slope[i] * (RUN - 1);
	}

	general_find_cells(&c, o, x0, x1);

	const T p0 = (T)(x0[0] - c.low[0]), q0 = (T)(x0[1] - c.low[1]), dp = (T)l->slope[0],
	        dq = (T)l->slope[1];
	const S tp = (S)o->stride[0], tq = (S)o->stride[1];
	const long along = w->stride[l->m];
	const T *plane = vol + c.first[0] * o->stride[0] + c.first[1] * o->stride[1] +
	                 (from - 1 - ((l->m == 2) ? w->slice : 0)) * along;
	T sum = 0;

	if (c.inside) {
		for (int i = from - base; i < to - base; i++, plane += along) {
			T wp, wq;
			const int p = cell_of(fma(dp, (T)i, p0), &wp), q = cell_of(fma(dq, (T)i, q0), &wq);
			const T *v = plane + ((S)p * tp + (S)q * tq);
			const T v00 = __ldg(v), v01 = __ldg(v + tq), v10 = __ldg(v + tp),
			        v11 = __ldg(v + tp + tq);
			const T low = fma(wq, v01 - v00, v00), high = fma(wq, v11 - v10, v10);

			sum += fma(wp, high - low, low);
		}

		return sum;
	}

	for (int i = from - base; i < to - base; i++, plane += along) {
		T wp, wq;
		const int p = cell_of(fma(dp, (T)i, p0), &wp), q = cell_of(fma(dq, (T)i, q0), &wq);
		const T *v = plane + ((S)p * tp + (S)q * tq);
		const T v00 = load(v, general_is_voxel(&c, o, p, q)),
		        v01 = load(v + tq, general_is_voxel(&c, o, p, q + 1)),
		        v10 = load(v + tp, general_is_voxel(&c, o, p + 1, q)),
		        v11 = load(v + tp + tq, general_is_voxel(&c, o, p + 1, q + 1));
		const T low = fma(wq, v01 - v00, v00), high = fma(wq, v11 - v10, v10);

		sum += fma(wp, high - low, low);
	}

	return sum;
}

template <typename T, typename S>
__device__ double joseph_ray(const struct work *w, const struct gather_ray *r, const T *vol)
{
	const int m = joseph_axis(r->d[0], r->d[1], r->d[2]);
	double lo = 1., hi = w->g.n[m], sum = 0.;
	struct joseph_line l;
	struct general_window o;

	if (!w->g.parallel && r->d[m] > 0.)
		lo = (r->s[m] > lo) ? r->s[m] : lo;
	else if (!w->g.parallel)
		hi = (r->s[m] < hi) ? r->s[m] : hi;

	if (joseph_between(&l, r->s, r->d, w->g.size, lo, hi) <= 0 || general_clip_slices(w, &l) <= 0)
		return 0.;

	general_find_window(&o, w, &l);

	for (int base = l.first / RUN * RUN; base < l.first + l.count; base += RUN) {
		const int from = (base > l.first) ? base : l.first, end = l.first + l.count;

		sum += (double)joseph_run<T, S>(
		        w, &l, &o, base, from, (end < base + RUN) ? end : base + RUN, vol);
	}

	return sum;
}

/** Slabs [from, to) of a run, in float64. */
template <typename T>
__device__ T siddon_plain(const struct work *w, const struct siddon_line *line,
        const struct general_window *o, int from, int to, const T *vol)
{
	const int m = line->l.m;
	const long along = (m == 2) ? w->slice : 0;
	T sum = 0;

	for (int i = from; i < to; i++) {
		struct siddon_parts s;

		siddon_slab(&s, line, i, w->g.size);

		for (int k = 0; k < 3; k++) {
			const long p = s.p[k] - 1 - o->low[0], q = s.q[k] - 1 - o->low[1];

			sum += (T)s.w[k] * load(vol + (i - 1 - along) * w->stride[m] + p * o->stride[0] +
			                                   q * o->stride[1],
			                           (unsigned long)p < (unsigned long)o->size[0] &&
			                                   (unsigned long)q < (unsigned long)o->size[1]);
		}
	}

	return sum;
}

/** Where a ray stands between the faces across p or q at the faces of the slabs of a run, in units of
 * 2^-SIDDON_BITS voxels above the lowest cell. */
struct fixed_line {
	unsigned first, step, flip;
	float inv;
};

__device__ inline void find_fixed(struct fixed_line *f, double at, double slope)
{
	const double unit = 1 << SIDDON_BITS;

	f->first = (unsigned)(at * unit);
	f->step = (unsigned)(int)rint(slope * unit);
	f->flip = ((int)f->step > 0) ? ~0u : 0u;
	f->inv = (float)(1. / (fabs(slope) * unit));
}

/** Cells before and after the crossing in slab i of the run, and the part of the slab before it. */
__device__ inline float cross_fixed(const struct fixed_line *f, int i, int *before, int *after)
{
	const unsigned a = f->first + (unsigned)i * f->step;

	*before = (int)(a >> SIDDON_BITS);
	*after = (int)((a + f->step) >> SIDDON_BITS);
	return (*before == *after) ? 1.f : siddon_begin(a, f->flip, f->inv, 1.f);
}

template <typename S>
__device__ float siddon_run(const struct work *w, const struct siddon_line *line,
        const struct general_window *o, int base, int from, int to, const float *vol)
{
	const struct joseph_line *l = &line->l;
	struct fixed_line f[2];
	struct general_cells c;
	double x0[2], x1[2];

	if (!(from - 0.5 >= line->from && to - 0.5 <= line->to)) /* the ray begins here */
		return siddon_plain(w, line, o, from, to, vol);

	for (int i = 0; i < 2; i++) { /* from the face below a cell to the next one: 0 .. 1 */
		x0[i] = l->pos[i] + l->slope[i] * (base - 0.5) + 0.5;
		x1[i] = x0[i] + l->slope[i] * RUN;
	}

	general_find_cells(&c, o, x0, x1);

	for (int i = 0; i < 2; i++)
		find_fixed(&f[i], x0[i] - c.low[i], l->slope[i]);

	const S tp = (S)o->stride[0], tq = (S)o->stride[1];
	const long along = w->stride[l->m];
	const float *plane = vol + c.first[0] * o->stride[0] + c.first[1] * o->stride[1] +
	                     (from - 1 - ((l->m == 2) ? w->slice : 0)) * along;
	float sum = 0.f;

	for (int i = from - base; i < to - base; i++, plane += along) {
		int p0, p1, q0, q1;
		const float p = cross_fixed(&f[0], i, &p0, &p1), q = cross_fixed(&f[1], i, &q0, &q1),
		            less = (p < q) ? p : q, more = (p < q) ? q : p;
		const int pm = (p < q) ? p1 : p0, qm = (p < q) ? q0 : q1;
		float v0, v1, v2;

		if (c.inside) {
			v0 = __ldg(plane + ((S)p0 * tp + (S)q0 * tq));
			v1 = __ldg(plane + ((S)pm * tp + (S)qm * tq));
			v2 = __ldg(plane + ((S)p1 * tp + (S)q1 * tq));
		} else {
			v0 = load(plane + ((S)p0 * tp + (S)q0 * tq), general_is_voxel(&c, o, p0, q0));
			v1 = load(plane + ((S)pm * tp + (S)qm * tq), general_is_voxel(&c, o, pm, qm));
			v2 = load(plane + ((S)p1 * tp + (S)q1 * tq), general_is_voxel(&c, o, p1, q1));
		}

		sum = fmaf(less, v0, fmaf(more - less, v1, fmaf(1.f - more, v2, sum)));
	}

	return sum;
}

template <typename S>
__device__ double siddon_run(const struct work *w, const struct siddon_line *line,
        const struct general_window *o, int, int from, int to, const double *vol)
{
	return siddon_plain(w, line, o, from, to, vol);
}

template <typename T, typename S>
__device__ double siddon_ray(const struct work *w, const struct gather_ray *r, const T *vol)
{
	struct siddon_line line;
	struct general_window o;
	double sum = 0.;

	if (siddon_clip(&line, r->s, r->d, w->g.size, !w->g.parallel) <= 0)
		return 0.;

	struct joseph_line l = line.l;

	if (general_clip_slices(w, &l) <= 0)
		return 0.;

	general_find_window(&o, w, &l);

	for (int base = l.first / RUN * RUN; base < l.first + l.count; base += RUN) {
		const int from = (base > l.first) ? base : l.first, end = l.first + l.count;

		sum += (double)siddon_run<S>(
		        w, &line, &o, base, from, (end < base + RUN) ? end : base + RUN, vol);
	}

	return sum;
}

/** Lanes go along rows of the detector (across = 0), or columns. */
template <typename T, typename S, bool SIDDON>
__global__ void __launch_bounds__(THREADS) follow(struct work w, int across, T *proj, const T *vol)
{
	const long lane = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           line = (long)blockIdx.y * LINES + threadIdx.x / LANES;
	const long a = across ? lane : line, b = across ? line : lane;

	if (a >= w.g.cols || b >= w.rows)
		return;

	for (long k = blockIdx.z; k < w.views; k += gridDim.z) {
		const struct gather_view *v = w.view + w.first + k;
		T *y = proj + ((k * w.rows + b) * w.g.cols + a) * w.step;
		struct gather_ray r;

		gather_aim(&r, &w.g, v, w.column + v->columns + a, w.row + b);

		const double sum = SIDDON ? siddon_ray<T, S>(&w, &r, vol) : joseph_ray<T, S>(&w, &r, vol);

		*y += (T)(sum * gather_length(&w.g, &r));
	}
}

/** Projections times the length of their rays between planes: what the gathering kernels read. */
template <typename T> __global__ void __launch_bounds__(THREADS) weigh(struct work w, T *out, const T *proj)
{
	const long a = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           b = (long)blockIdx.y * LINES + threadIdx.x / LANES;

	if (a >= w.g.cols || b >= w.rows)
		return;

	for (long k = blockIdx.z; k < w.views; k += gridDim.z) {
		const struct gather_view *v = w.view + w.first + k;
		const long i = (k * w.rows + b) * w.g.cols + a;
		struct gather_ray r;

		gather_aim(&r, &w.g, v, w.column + v->columns + a, w.row + b);
		out[i] = proj[i * w.step] * (T)gather_length(&w.g, &r);
	}
}

/** Rows lo..hi that column c's rays to the voxel come from, of those at work. */
__device__ inline void rows_of(
        long *lo, long *hi, const struct work *w, const struct gather_hit *o, double rise, double up)
{
	const double inv = 1. / rise;

	gather_range(lo, hi, (o->at[1] - up) * inv, o->far[1] * inv, w->g.middle[1], w->g.rows);
	*lo = (*lo > w->row) ? *lo : w->row;
	*hi = (*hi < w->row + w->rows - 1) ? *hi : w->row + w->rows - 1;
}

/** The pixels of a view that a voxel may be seen by, each by its ray in float64. */
template <typename T, bool SIDDON>
__device__ T gather_plain(const struct work *w, const struct gather_view *v, struct gather_hit *o,
        const double c[3], const T *y)
{
	const struct gather_column *column = w->column + v->columns;
	long a0 = 0, a1 = w->g.cols - 1;
	T sum = 0;

	for (int k = 0; k < 2; k++)
		o->far[k] = (SIDDON ? 0.5 : 1.) * o->lean *
		            (gather_move(o, v, k, 0) + gather_move(o, v, k, 1) + gather_move(o, v, k, 2));

	if (o->known && w->g.curved)
		gather_bent_range(&a0, &a1, column, o->at[0], o->far[0], w->g.cols);
	else if (o->known)
		gather_range(&a0, &a1, o->at[0], o->far[0], w->g.middle[0], w->g.cols);

	for (long a = a0; a <= a1; a++) {
		long b0 = w->row, b1 = w->row + w->rows - 1;

		if (o->known)
			rows_of(&b0, &b1, w, o, column[a].rise, column[a].up);

		for (long b = b0; b <= b1; b++) {
			struct gather_ray r;

			gather_aim(&r, &w->g, v, column + a, b);

			const double part =
			        SIDDON ? gather_siddon(&w->g, &r, c) : gather_joseph(&w->g, &r, c);

			sum += (T)part * y[(b - w->row) * w->g.cols + a];
		}
	}

	return sum;
}

/** A voxel and a view the near way, by either method. */
struct near_joseph {
	typedef float real;
	struct gather_nearly n;

	__device__ void make(const struct gather_near *from)
	{
		gather_nearly(&n, from);
	}
	__device__ float weight(const struct work *, const struct gather_view *, const double *, long, long,
	        float da, float db) const
	{
		return gather_joseph_near(&n, da, db);
	}
};

struct near_siddon {
	typedef double real;
	struct gather_near n;

	__device__ void make(const struct gather_near *from)
	{
		n = *from;
	}
	__device__ float weight(const struct work *w, const struct gather_view *v, const double c[3], long a,
	        long b, double da, double db) const
	{
		const float part = gather_siddon_near(&n, da, db);

		if (part >= 0.f)
			return part;

		struct gather_ray r;

		gather_aim(&r, &w->g, v, w->column + v->columns + a, b);
		return (float)gather_siddon(&w->g, &r, c);
	}
};

template <bool SIDDON>
__device__ float gather_float(
        const struct work *w, const struct gather_view *v, const double c[3], const float *y)
{
	typedef typename std::conditional<SIDDON, near_siddon, near_joseph>::type near_way;
	typedef typename near_way::real real;
	const struct gather_column *column = w->column + v->columns;
	const double reach = SIDDON ? 0.5 : 1.;
	struct gather_hit o;
	struct gather_near known;
	near_way n;
	long a0, a1, b0, b1;
	float sum = 0.f;

	gather_look(&o, &w->g, v, c, reach);

	if (!o.known || !gather_approach(&known, &o, &w->g, v, reach))
		return gather_plain<float, SIDDON>(w, v, &o, c, y);

	n.make(&known);

	if (w->g.curved)
		gather_bent_range(&a0, &a1, column, o.at[0], o.far[0], w->g.cols);
	else
		gather_range(&a0, &a1, o.at[0], o.far[0], w->g.middle[0], w->g.cols);

	if (!w->g.curved) {
		rows_of(&b0, &b1, w, &o, 1., 0.);

		const real da = (real)((double)a0 - w->g.middle[0] - o.at[0]),
		           db = (real)((double)b0 - w->g.middle[1] - o.at[1]);

		for (long b = b0; b <= b1; b++) {
			const float *line = y + (b - w->row) * w->g.cols;

			for (long a = a0; a <= a1; a++)
				sum += n.weight(w, v, c, a, b, da + (real)(a - a0), db + (real)(b - b0)) *
				       __ldg(line + a);
		}

		return sum;
	}

	for (long a = a0; a <= a1; a++) {
		const double rise = column[a].rise, up = column[a].up;
		const real da = (real)(column[a].land - o.at[0]);

		rows_of(&b0, &b1, w, &o, rise, up);

		for (long b = b0; b <= b1; b++)
			sum += n.weight(w, v, c, a, b, da,
			               (real)(((double)b - w->g.middle[1]) * rise + up - o.at[1])) *
			       __ldg(y + (b - w->row) * w->g.cols + a);
	}

	return sum;
}

template <bool SIDDON>
__device__ inline float gather_any(
        const struct work *w, const struct gather_view *v, const double c[3], const float *y)
{
	return gather_float<SIDDON>(w, v, c, y);
}

template <bool SIDDON>
__device__ inline double gather_any(
        const struct work *w, const struct gather_view *v, const double c[3], const double *y)
{
	struct gather_hit o;

	gather_look(&o, &w->g, v, c, SIDDON ? 0.5 : 1.);
	return gather_plain<double, SIDDON>(w, v, &o, c, y);
}

/** A voxel collects from all views, in their order. */
template <typename T, bool SIDDON>
__global__ void __launch_bounds__(THREADS) collect(struct work w, T *vol, const T *proj)
{
	const long x = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           y = (long)blockIdx.y * LINES + threadIdx.x / LANES;

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	for (long z = blockIdx.z; z < w.slices; z += gridDim.z) {
		const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.};
		T *out = vol + x * w.stride[0] + y * w.stride[1] + z * w.stride[2], sum = *out;

		for (long k = 0; k < w.views; k++)
			sum += gather_any<SIDDON>(&w, w.view + w.first + k, c, proj + k * w.rows * w.g.cols);

		*out = sum;
	}
}

/* Footprints. */

__device__ inline float part_of(float e, float flat, float soft, float bend, float inv)
{
	return sf_part(e, flat, soft, bend, inv);
}

__device__ inline double part_of(double e, double flat, double soft, double bend, double inv)
{
	return sf_part64(e, flat, soft, bend, inv);
}

/** A footprint along one direction of the detector. */
template <typename T> struct shade {
	T start, flat, soft, bend, inv;
	long first, end;
};

template <typename T>
__device__ inline void shade_along(struct shade<T> *o, const struct sf_hit *s, int k, double size)
{
	double first, end;

	sf_range(&first, &end, s->at[k], s->wide[k], s->soft[k], size);
	o->first = (long)first;
	o->end = (long)end;
	o->start = (T)(first - 0.5 - s->at[k]);
	o->flat = (T)(0.5 * (s->wide[k] - s->soft[k]));
	o->soft = (T)s->soft[k];
	o->bend = (T)((s->soft[k] > 1e-30) ? 0.5 / s->soft[k] : 0.);
	o->inv = (T)(1. / s->wide[k]);
}

/** The part of it below edge i of its pixels. */
template <typename T> __device__ inline T shade_below(const struct shade<T> *o, long i)
{
	return part_of(o->start + (T)i, o->flat, o->soft, o->bend, o->inv);
}

template <typename T>
__device__ inline T shades_of(struct shade<T> o[2], const struct work *w, long view, const double c[3])
{
	struct sf_hit s;

	sf_look(&s, w->sf + view, c[0], c[1], c[2], w->g.curved);
	shade_along(&o[0], &s, 0, (double)w->g.cols);
	shade_along(&o[1], &s, 1, (double)w->g.rows);
	return (T)s.amount;
}

/** Whole numbers are in units of 2^-50 of what a pixel can get: the largest value, as find_largest() leaves
 * it, times the volume's diagonal. */
struct whole {
	const unsigned long long *most;
	double across;
};

__device__ inline double unit_of(const struct whole &u)
{
	return __longlong_as_double((long long)*u.most) * u.across * (4096. / 4611686018427387904.);
}

/** What a voxel gives to pixels, in whole numbers: their sum has no order. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
        shed(struct work w, struct whole u, unsigned long long *sum, const T *vol)
{
	const double scale = 1. / unit_of(u); // infinite only where there is nothing to shed
	const long x = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           y = (long)blockIdx.y * LINES + threadIdx.x / LANES;

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	for (long z = blockIdx.z; z < w.slices; z += gridDim.z) {
		const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.};
		const T value = vol[x * w.stride[0] + y * w.stride[1] + z * w.stride[2]];

		for (long k = 0; k < w.views; k++) {
			unsigned long long *out = sum + k * w.rows * w.g.cols;
			struct shade<T> o[2];
			const T amount = shades_of(o, &w, w.first + k, c) * value;
			T below = shade_below(&o[1], 0);

			if (amount == 0)
				continue;

			for (long b = o[1].first; b < o[1].end; b++) {
				const T above = shade_below(&o[1], b + 1 - o[1].first),
				        line = (above - below) * amount;
				T left = shade_below(&o[0], 0);

				below = above;

				if (b < w.row || b >= w.row + w.rows)
					continue;

				for (long a = o[0].first; a < o[0].end; a++) {
					const T right = shade_below(&o[0], a + 1 - o[0].first);
					const double part = (double)((right - left) * line) * scale;

					left = right;
					atomicAdd(out + (b - w.row) * w.g.cols + a,
					        (unsigned long long)(long long)rint(part));
				}
			}
		}
	}
}

/** proj += those sums. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
        settle(long n, long step, struct whole u, T *proj, const unsigned long long *sum)
{
	const double unit = unit_of(u);

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS)
		proj[i * step] += (T)((double)(long long)sum[i] * unit);
}

template <typename T>
__global__ void __launch_bounds__(THREADS) collect_shades(struct work w, T *vol, const T *proj)
{
	const long x = (long)blockIdx.x * LANES + threadIdx.x % LANES,
	           y = (long)blockIdx.y * LINES + threadIdx.x / LANES;

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	for (long z = blockIdx.z; z < w.slices; z += gridDim.z) {
		const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.};
		T *out = vol + x * w.stride[0] + y * w.stride[1] + z * w.stride[2], all = *out;

		for (long k = 0; k < w.views; k++) {
			const T *in = proj + k * w.rows * w.g.cols * w.step;
			struct shade<T> o[2];
			const T amount = shades_of(o, &w, w.first + k, c);
			T below = shade_below(&o[1], 0), sum = 0;

			for (long b = o[1].first; b < o[1].end; b++) {
				const T above = shade_below(&o[1], b + 1 - o[1].first);
				T left = shade_below(&o[0], 0), line = 0;

				for (long a = o[0].first; a < o[0].end && b >= w.row && b < w.row + w.rows;
				        a++) {
					const T right = shade_below(&o[0], a + 1 - o[0].first);

					line += (right - left) *
					        __ldg(in + ((b - w.row) * w.g.cols + a) * w.step);
					left = right;
				}

				sum += (above - below) * line;
				below = above;
			}

			all += sum * amount;
		}

		*out = all;
	}
}

/** The largest absolute value as the bits of a number, which stand in the order of the numbers; NaN above
 * all.
 */
template <typename T>
__global__ void __launch_bounds__(THREADS)
        find_largest(long n, long step, unsigned long long *most, const T *x)
{
	unsigned long long mine = 0;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS) {
		const double size = fabs((double)x[i * step]);
		unsigned long long bits;

		memcpy(&bits, &size, sizeof bits);
		mine = (bits > mine) ? bits : mine;
	}

	for (int by = 16; by > 0; by /= 2) {
		const unsigned long long other = __shfl_xor_sync(~0u, mine, by);

		mine = (other > mine) ? other : mine;
	}

	if (threadIdx.x % 32 == 0)
		atomicMax(most, mine);
}

/** A volume with the axes x and `axis` changed places, so that this one runs fastest: element (i, j) of slice
 * k across them. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
        turn(T *out, const T *in, long nx, long n, long depth, long step, long stride, long slice)
{
	__shared__ T tile[LANES][LANES + 1];
	const int lane = threadIdx.x % LANES, line = threadIdx.x / LANES;
	const long x0 = (long)blockIdx.x * LANES, i0 = (long)blockIdx.y * LANES;

	for (long k = blockIdx.z; k < depth; k += gridDim.z) {
		for (int i = line; i < LANES; i += LINES)
			if (x0 + lane < nx && i0 + i < n)
				tile[i][lane] = in[(x0 + lane) * step + (i0 + i) * stride + k * slice];

		__syncthreads();

		for (int i = line; i < LANES; i += LINES)
			if (x0 + i < nx && i0 + lane < n)
				out[(k * nx + x0 + i) * n + i0 + lane] = tile[lane][i];

		__syncthreads();
	}
}

/** Words of elements outside a mask become 0. */
__global__ void __launch_bounds__(THREADS)
        clear_outside(long n, long words, unsigned *vol, const unsigned char *inside)
{
	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < n; i += (long)gridDim.x * THREADS)
		for (long k = 0; k < words && !inside[i]; k++)
			vol[i * words + k] = 0u;
}

} // namespace

/** How a view is followed: lanes across columns (else rows), in a copy with z (a single slice: y) fastest. */
enum { ACROSS = 1, TRANSPOSED = 2 };

struct general {
	struct work all; // tables on the device
	void *memory[3];
	unsigned char *order; // [views]
};

namespace
{

void *upload(const void *from, size_t bytes)
{
	if (bytes == 0)
		return NULL;

	void *to = device_alloc(bytes);

	device_copy(to, from, bytes);
	return to;
}

struct work work_on(const struct general *g, const struct gpu_tile *p, long step)
{
	struct work w = g->all;

	general_work_set(&w, p, step);
	return w;
}

dim3 blocks(long lanes, long lines, long depth)
{
	const long most = 32768;

	return dim3((unsigned)gpu_divide_up(lanes, LANES), (unsigned)gpu_divide_up(lines, LINES),
	        (unsigned)(depth < most ? depth : most));
}

/** Blocks of a kernel that strides over n elements. */
dim3 enough_for(long n)
{
	const long most = 4096, need = gpu_divide_up(n, THREADS);

	return dim3((unsigned)(need < most ? need : most));
}

/** Views whose whole-number sums are there at a time [8 bytes a pixel]. */
long views_at_a_time(const struct gpu_tile *p, long cols)
{
	const double room = 1 << 28, view = 8. * cols * p->rows;
	const long n = (long)(room / view);

	return (n < 1) ? 1 : (n < p->views) ? n : p->views;
}

template <typename T>
void footprints_forward(struct work w, const struct gpu_tile *tile, T *proj, const T *vol)
{
	const long view = w.g.cols * w.rows, most = views_at_a_time(tile, w.g.cols),
	           voxels = (long)w.g.size[0] * w.g.size[1] * w.slices;
	const double *s = w.g.spacing,
	             across = sqrt(s[0] * s[0] * w.g.n[0] * w.g.n[0] + s[1] * s[1] * w.g.n[1] * w.g.n[1] +
	                           s[2] * s[2] * w.g.n[2] * w.g.n[2]);
	unsigned long long *size = (unsigned long long *)device_alloc(sizeof *size);
	const struct whole u = {size, across};

	device_fill(size, 0, sizeof *size);
	GPU_LAUNCH((find_largest<T>), enough_for(voxels), dim3(THREADS), 0, gpu_stream(), voxels, w.step,
	        size, vol);

	unsigned long long *sum = (unsigned long long *)device_alloc((size_t)(most * view) * sizeof *sum);

	for (long k = 0; k < tile->views; k += most) {
		w.first = tile->view + k;
		w.views = (tile->views - k < most) ? tile->views - k : most;

		const long n = w.views * view;

		device_fill(sum, 0, (size_t)n * sizeof *sum);
		GPU_LAUNCH((shed<T>), blocks(w.g.size[0], w.g.size[1], w.slices), dim3(THREADS), 0,
		        gpu_stream(), w, u, sum, vol);
		GPU_LAUNCH((settle<T>), enough_for(n), dim3(THREADS), 0, gpu_stream(), n, w.step, u,
		        proj + k * view * w.step, (const unsigned long long *)sum);
	}

	device_free(sum);
	device_free(size);
}

/** Strides of a copy that turn() has made. */
struct work transposed(const struct work *w, int axis)
{
	struct work t = *w;
	const long n = (axis == 2) ? w->slices : w->g.size[1];

	t.stride[axis] = 1;
	t.stride[0] = n;
	t.stride[3 - axis] = n * w->g.size[0];
	return t;
}

template <typename T> T *transposed_copy(const struct work *w, int axis, const T *vol)
{
	const long nx = w->g.size[0], n = (axis == 2) ? w->slices : w->g.size[1],
	           depth = (axis == 2) ? w->g.size[1] : w->slices, most = 32768;
	T *out = (T *)device_alloc((size_t)(nx * n * depth) * sizeof(T));
	const dim3 grid((unsigned)gpu_divide_up(nx, LANES), (unsigned)gpu_divide_up(n, LANES),
	        (unsigned)(depth < most ? depth : most));

	GPU_LAUNCH((turn<T>), grid, dim3(THREADS), 0, gpu_stream(), out, vol, nx, n, depth, w->step,
	        w->stride[axis], w->stride[3 - axis]);
	return out;
}

template <typename T, typename S>
void follow_by(const struct work &w, dim3 grid, int across, T *proj, const T *vol)
{
	if (w.g.siddon)
		GPU_LAUNCH((follow<T, S, true>), grid, dim3(THREADS), 0, gpu_stream(), w, across, proj, vol);
	else
		GPU_LAUNCH((follow<T, S, false>), grid, dim3(THREADS), 0, gpu_stream(), w, across, proj, vol);
}

template <typename T>
void forward(const struct general *g, long step, T *proj, const T *vol, const struct gpu_tile *tile)
{
	struct work w = work_on(g, tile, step);
	const int axis = (w.g.size[2] > 1) ? 2 : 1;
	const long view = w.g.cols * w.rows * step, end = tile->view + tile->views;
	T *copy = NULL;

	if (w.sf) {
		footprints_forward(w, tile, proj, vol);
		return;
	}

	for (long k = tile->view, to; k < end; k = to) {
		const int order = g->order[k];

		for (to = k + 1; to < end && g->order[to] == order;)
			to++;

		if ((order & TRANSPOSED) && !copy)
			copy = transposed_copy(&w, axis, vol);

		struct work run = (order & TRANSPOSED) ? transposed(&w, axis) : w;
		const T *in = (order & TRANSPOSED) ? copy : vol;
		T *out = proj + (k - tile->view) * view;
		const int across = (order & ACROSS) ? 1 : 0;

		run.first = k;
		run.views = to - k;

		const dim3 grid =
		        across ? blocks(w.g.cols, w.rows, run.views) : blocks(w.rows, w.g.cols, run.views);

		const long far = 24; // cells that a run may go across, and more

		if (run.stride[1] < 0x7fffffff / far / 2 && run.stride[2] < 0x7fffffff / far / 2 &&
		        run.stride[0] < 0x7fffffff / far / 2)
			follow_by<T, int>(run, grid, across, out, in);
		else
			follow_by<T, long>(run, grid, across, out, in);
	}

	device_free(copy);
}

template <typename T>
void adjoint(const struct general *g, long step, T *vol, const T *proj, const struct gpu_tile *tile)
{
	struct work w = work_on(g, tile, step);
	const dim3 grid = blocks(w.g.size[0], w.g.size[1], w.slices);

	if (w.sf) {
		GPU_LAUNCH((collect_shades<T>), grid, dim3(THREADS), 0, gpu_stream(), w, vol, proj);
		return;
	}

	T *y = (T *)device_alloc((size_t)(w.g.cols * w.rows * w.views) * sizeof *y);

	GPU_LAUNCH((weigh<T>), blocks(w.g.cols, w.rows, w.views), dim3(THREADS), 0, gpu_stream(), w, y, proj);

	if (w.g.siddon)
		GPU_LAUNCH((collect<T, true>), grid, dim3(THREADS), 0, gpu_stream(), w, vol, (const T *)y);
	else
		GPU_LAUNCH((collect<T, false>), grid, dim3(THREADS), 0, gpu_stream(), w, vol, (const T *)y);

	device_free(y);
}

} // namespace

namespace
{

/** How much of the way between neighbouring rays, in a plane across the dominant axis, goes along `axis`; a
 * half warp that stays empty counts half. */
double together(const struct gather *g, const struct gather_view *v, const double step[3], int axis, long n)
{
	double way[3], sum = 1e-30;

	for (int i = 0; i < 3; i++)
		way[i] = g->parallel ? v->s[i] : v->d[i] - v->s[i];

	const int m = joseph_axis(way[0], way[1], way[2]);

	if (m == axis)
		return 0.;

	for (int i = 0; i < 3; i++)
		if (i != m)
			sum += fabs(step[i] - step[m] / way[m] * way[i]);

	return fabs(step[axis] - step[m] / way[m] * way[axis]) / sum * ((n < LANES) ? (double)n / LANES : 1.);
}

/** The order in which a warp's rays lie closest together in memory. */
int best_order(const struct gather *g, const struct gather_view *v)
{
	const int axis = (g->size[2] > 1) ? 2 : 1;
	double best = -1.;
	int order = 0;

	for (int o = 0; o < 4; o++) {
		const bool across = (o & ACROSS);
		const double good = together(
		        g, v, across ? v->u : v->v, (o & TRANSPOSED) ? axis : 0, across ? g->cols : g->rows);

		if (good > best) {
			best = good;
			order = o;
		}
	}

	return order;
}

} // namespace

extern "C" struct general *general_create(const struct general_setup *s)
{
	struct general *g = (struct general *)calloc(1, sizeof *g);

	if (!g)
		error("out of memory for the tables of the X-ray transform");

	g->memory[0] = upload(s->view, s->views * sizeof *s->view);
	g->memory[1] = upload(s->column, s->columns * sizeof *s->column);
	g->memory[2] = s->sf ? upload(s->sf, s->views * sizeof *s->sf) : NULL;
	g->all.g = s->all;
	g->all.view = (const struct gather_view *)g->memory[0];
	g->all.column = (const struct gather_column *)g->memory[1];
	g->all.sf = (const struct sf_view *)g->memory[2];
	g->order = (unsigned char *)malloc((size_t)s->views);

	if (!g->order)
		error("out of memory for %ld views", s->views);

	for (long k = 0; k < s->views; k++)
		g->order[k] = (unsigned char)best_order(&s->all, s->view + k);

	return g;
}

extern "C" void general_free(struct general *g)
{
	if (!g)
		return;

	for (int i = 0; i < 3; i++)
		device_free(g->memory[i]);

	free(g->order);
	free(g);
}

extern "C" double general_memory(
        const struct general *g, bool wide, bool forward, const struct gpu_tile *tile)
{
	const double pixels = (double)g->all.g.cols * tile->rows, size = wide ? 8. : 4.;

	if (g->all.sf)
		return forward ? 8. * pixels * views_at_a_time(tile, g->all.g.cols) : 0.;

	return size * (forward ? (double)g->all.g.size[0] * g->all.g.size[1] * tile->slices // transposed
	                       : pixels * tile->views);
}

extern "C" void general_forward(const struct general *g, bool wide, long step, void *proj, const void *vol,
        const struct gpu_tile *tile)
{
	gpu_selftest(&gpu_selftest_general);

	if (wide)
		forward(g, step, (double *)proj, (const double *)vol, tile);
	else
		forward(g, step, (float *)proj, (const float *)vol, tile);
}

extern "C" void general_adjoint(const struct general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_tile *tile)
{
	gpu_selftest(&gpu_selftest_general);

	if (wide)
		adjoint(g, step, (double *)vol, (const double *)proj, tile);
	else
		adjoint(g, step, (float *)vol, (const float *)proj, tile);
}

extern "C" void general_hide(void *vol, long size, const unsigned char *inside, long n)
{
	GPU_LAUNCH(clear_outside, enough_for(n), dim3(THREADS), 0, gpu_stream(), n,
	        size / (long)sizeof(unsigned), (unsigned *)vol, inside);
}
