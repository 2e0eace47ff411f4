/* The X-ray transform of any geometry with joseph.h, siddon.h and sf.h; one work-item per ray or voxel.
 * Positions along a ray are float64 at the start of each run of 16 planes, and relative to it within the run.
 * real: type of the data, float or double; offset: int or long, large enough for the offset of some twenty
 * cells. */

enum { RUN = 16 };

DEVICE_FN real load(__global const real *p, int there)
{
	return there ? *p : (real)0;
}

/** Planes [from, to) of a run that begins at plane `base`. */
DEVICE_FN real joseph_run(const struct general_work *w, const struct joseph_line *l, const struct general_window *o,
        int base, int from, int to, __global const real *vol)
{
	double x0[2], x1[2];
	struct general_cells c;

	for (int i = 0; i < 2; i++) {
		x0[i] = l->pos[i] + l->slope[i] * base;
		x1[i] = x0[i] + l->slope[i] * (RUN - 1);
	}

	general_find_cells(&c, o, x0, x1);

	const real p0 = (real)(x0[0] - c.low[0]), q0 = (real)(x0[1] - c.low[1]), dp = (real)l->slope[0],
	           dq = (real)l->slope[1];
	const offset tp = (offset)o->stride[0], tq = (offset)o->stride[1];
	const long along = w->stride[l->m];
	__global const real *plane = vol + c.first[0] * o->stride[0] + c.first[1] * o->stride[1] +
	                             (from - 1 - ((l->m == 2) ? w->slice : 0)) * along;
	real sum = 0;

	if (c.inside) {
		for (int i = from - base; i < to - base; i++, plane += along) {
			const real x = fma(dp, (real)i, p0), y = fma(dq, (real)i, q0);
			const int p = (int)x, q = (int)y;
			const real wp = x - (real)p, wq = y - (real)q;
			__global const real *v = plane + ((offset)p * tp + (offset)q * tq);
			const real v00 = v[0], v01 = v[tq], v10 = v[tp], v11 = v[tp + tq];
			const real low = fma(wq, v01 - v00, v00), high = fma(wq, v11 - v10, v10);

			sum += fma(wp, high - low, low);
		}

		return sum;
	}

	for (int i = from - base; i < to - base; i++, plane += along) {
		const real x = fma(dp, (real)i, p0), y = fma(dq, (real)i, q0);
		const int p = (int)x, q = (int)y;
		const real wp = x - (real)p, wq = y - (real)q;
		__global const real *v = plane + ((offset)p * tp + (offset)q * tq);
		const real v00 = load(v, general_is_voxel(&c, o, p, q)),
		           v01 = load(v + tq, general_is_voxel(&c, o, p, q + 1)),
		           v10 = load(v + tp, general_is_voxel(&c, o, p + 1, q)),
		           v11 = load(v + tp + tq, general_is_voxel(&c, o, p + 1, q + 1));
		const real low = fma(wq, v01 - v00, v00), high = fma(wq, v11 - v10, v10);

		sum += fma(wp, high - low, low);
	}

	return sum;
}

DEVICE_FN double joseph_ray(
        const struct general_work *w, const struct gather_ray *r, __global const real *vol)
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

	const int end = l.first + l.count;

	for (int base = l.first / RUN * RUN; base < end; base += RUN)
		sum += (double)joseph_run(w, &l, &o, base, max(base, l.first), min(end, base + RUN), vol);

	return sum;
}

/** Slabs [from, to) of a run, in float64. */
DEVICE_FN real siddon_plain(const struct general_work *w, const struct siddon_line *line,
        const struct general_window *o, int from, int to, __global const real *vol)
{
	const int m = line->l.m;
	const long along = (m == 2) ? w->slice : 0;
	real sum = 0;

	for (int i = from; i < to; i++) {
		struct siddon_parts s;

		siddon_slab(&s, line, i, w->g.size);

		for (int k = 0; k < 3; k++) {
			const long p = s.p[k] - 1 - o->low[0], q = s.q[k] - 1 - o->low[1];

			sum += (real)s.w[k] *
			       load(vol + (i - 1 - along) * w->stride[m] + p * o->stride[0] +
			                       q * o->stride[1],
			               (ulong)p < (ulong)o->size[0] && (ulong)q < (ulong)o->size[1]);
		}
	}

	return sum;
}

#ifdef WIDE
#define siddon_run(w, line, o, base, from, to, vol) siddon_plain(w, line, o, from, to, vol)
#else
/** Position of a ray along p or q at the faces of the slabs of a run, in units of 2^-SIDDON_BITS voxels above
 * the lowest cell. */
struct fixed_line {
	uint first, step, flip;
	float inv;
};

DEVICE_FN void find_fixed(struct fixed_line *f, double at, double slope)
{
	const double unit = 1 << SIDDON_BITS;

	f->first = (uint)(at * unit);
	f->step = (uint)(int)rint(slope * unit);
	f->flip = ((int)f->step > 0) ? ~0u : 0u;
	f->inv = (float)(1. / (fabs(slope) * unit));
}

/** Cells before and after the crossing in slab i of the run, and the part of the slab before it. */
DEVICE_FN float cross_fixed(const struct fixed_line *f, int i, int *before, int *after)
{
	const uint a = f->first + (uint)i * f->step;

	*before = (int)(a >> SIDDON_BITS);
	*after = (int)((a + f->step) >> SIDDON_BITS);
	return (*before == *after) ? 1.f : siddon_begin(a, f->flip, f->inv, 1.f);
}

DEVICE_FN float siddon_run(const struct general_work *w, const struct siddon_line *line,
        const struct general_window *o, int base, int from, int to, __global const float *vol)
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

	const offset tp = (offset)o->stride[0], tq = (offset)o->stride[1];
	const long along = w->stride[l->m];
	__global const float *plane = vol + c.first[0] * o->stride[0] + c.first[1] * o->stride[1] +
	                              (from - 1 - ((l->m == 2) ? w->slice : 0)) * along;
	float sum = 0.f;

	for (int i = from - base; i < to - base; i++, plane += along) {
		int p0, p1, q0, q1;
		const float p = cross_fixed(&f[0], i, &p0, &p1), q = cross_fixed(&f[1], i, &q0, &q1),
		            less = (p < q) ? p : q, more = (p < q) ? q : p;
		const int pm = (p < q) ? p1 : p0, qm = (p < q) ? q0 : q1;
		const float v0 = load(plane + ((offset)p0 * tp + (offset)q0 * tq),
		                    c.inside || general_is_voxel(&c, o, p0, q0)),
		            v1 = load(plane + ((offset)pm * tp + (offset)qm * tq),
		                    c.inside || general_is_voxel(&c, o, pm, qm)),
		            v2 = load(plane + ((offset)p1 * tp + (offset)q1 * tq),
		                    c.inside || general_is_voxel(&c, o, p1, q1));

		sum = fma(less, v0, fma(more - less, v1, fma(1.f - more, v2, sum)));
	}

	return sum;
}
#endif

DEVICE_FN double siddon_ray(
        const struct general_work *w, const struct gather_ray *r, __global const real *vol)
{
	struct siddon_line line;
	struct joseph_line l;
	struct general_window o;
	double sum = 0.;

	if (siddon_clip(&line, r->s, r->d, w->g.size, !w->g.parallel) <= 0)
		return 0.;

	l = line.l;

	if (general_clip_slices(w, &l) <= 0)
		return 0.;

	general_find_window(&o, w, &l);

	const int end = l.first + l.count;

	for (int base = l.first / RUN * RUN; base < end; base += RUN)
		sum += (double)siddon_run(w, &line, &o, base, max(base, l.first), min(end, base + RUN), vol);

	return sum;
}

/** proj += A vol; one ray per work-item. */
__kernel void follow(struct general_work w, __global const struct gather_view *views, long views_at,
        __global const struct gather_column *columns, long columns_at, __global real *proj, long proj_at,
        __global const real *vol, long vol_at)
{
	const long a = get_global_id(0), b = get_global_id(1), k = get_global_id(2);
	__global const struct gather_view *v = AT(const struct gather_view, views, views_at) + w.first + k;
	__global real *y = AT(real, proj, proj_at) + ((k * w.rows + b) * w.g.cols + a) * w.step;
	struct gather_ray r;

	if (a >= w.g.cols || b >= w.rows)
		return;

	gather_aim(
	        &r, &w.g, v, AT(const struct gather_column, columns, columns_at) + v->columns + a, w.row + b);

	const double sum = w.g.siddon ? siddon_ray(&w, &r, AT(const real, vol, vol_at))
	                              : joseph_ray(&w, &r, AT(const real, vol, vol_at));

	*y += (real)(sum * gather_length(&w.g, &r));
}

/** Projections times the length of their rays between planes, as input of the gathering kernels. */
__kernel void weigh(struct general_work w, __global const struct gather_view *views, long views_at,
        __global const struct gather_column *columns, long columns_at, __global real *out, long out_at,
        __global const real *proj, long proj_at)
{
	const long a = get_global_id(0), b = get_global_id(1), k = get_global_id(2),
	           i = (k * w.rows + b) * w.g.cols + a;
	__global const struct gather_view *v = AT(const struct gather_view, views, views_at) + w.first + k;
	struct gather_ray r;

	if (a >= w.g.cols || b >= w.rows)
		return;

	gather_aim(
	        &r, &w.g, v, AT(const struct gather_column, columns, columns_at) + v->columns + a, w.row + b);
	AT(real, out, out_at)[i] = AT(const real, proj, proj_at)[i * w.step] * (real)gather_length(&w.g, &r);
}

/** Rows lo..hi of this call whose rays in a column may meet the voxel. */
DEVICE_FN void rows_of(
        long *lo, long *hi, const struct general_work *w, const struct gather_hit *o, double rise, double up)
{
	const double inv = 1. / rise;

	gather_range(lo, hi, (o->at[1] - up) * inv, o->far[1] * inv, w->g.middle[1], w->g.rows);
	*lo = max(*lo, w->row);
	*hi = min(*hi, w->row + w->rows - 1);
}

/** Sum over the pixels of a view whose rays may meet the voxel, each ray in float64. y: row w->row of the
 * view.
 */
DEVICE_FN real gather_plain(const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, struct gather_hit *o, const double c[3],
        __global const real *y, const int siddon)
{
	long a0 = 0, a1 = w->g.cols - 1;
	real sum = 0;

	for (int k = 0; k < 2; k++)
		o->far[k] = (siddon ? 0.5 : 1.) * o->lean *
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
			sum += (real)(siddon ? gather_siddon(&w->g, &r, c) : gather_joseph(&w->g, &r, c)) *
			       y[(b - w->row) * w->g.cols + a];
		}
	}

	return sum;
}

#ifdef WIDE
DEVICE_FN real gather_any(const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, const double c[3], __global const real *y,
        const int siddon)
{
	struct gather_hit o;

	gather_look(&o, &w->g, v, c, siddon ? 0.5 : 1.);
	return gather_plain(w, v, column, &o, c, y, siddon);
}
#else
/** The weight of the voxel in the ray of pixel (a, b), which passes da columns and db rows from its centre.
 */
DEVICE_FN float near_weight(const struct gather_near *near, const struct gather_nearly *n,
        const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, const double c[3], long a, long b, double da, double db,
        const int siddon)
{
	struct gather_ray r;
	float part;

	if (!siddon)
		return gather_joseph_near(n, (float)da, (float)db);

	part = gather_siddon_near(near, da, db);

	if (part >= 0.f)
		return part;

	gather_aim(&r, &w->g, v, column + a, b);
	return (float)gather_siddon(&w->g, &r, c);
}

DEVICE_FN float gather_any(const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, const double c[3], __global const float *y,
        const int siddon)
{
	const double reach = siddon ? 0.5 : 1.;
	struct gather_hit o;
	struct gather_near near;
	struct gather_nearly n;
	long a0, a1, b0, b1;
	float sum = 0.f;

	gather_look(&o, &w->g, v, c, reach);

	if (!o.known || !gather_approach(&near, &o, &w->g, v, reach))
		return gather_plain(w, v, column, &o, c, y, siddon);

	gather_nearly(&n, &near);

	if (w->g.curved)
		gather_bent_range(&a0, &a1, column, o.at[0], o.far[0], w->g.cols);
	else
		gather_range(&a0, &a1, o.at[0], o.far[0], w->g.middle[0], w->g.cols);

	if (!w->g.curved) {
		const double da = (double)a0 - w->g.middle[0] - o.at[0];

		rows_of(&b0, &b1, w, &o, 1., 0.);

		for (long b = b0; b <= b1; b++)
			for (long a = a0; a <= a1; a++)
				sum += near_weight(&near, &n, w, v, column, c, a, b, da + (double)(a - a0),
				               (double)b - w->g.middle[1] - o.at[1], siddon) *
				       y[(b - w->row) * w->g.cols + a];

		return sum;
	}

	for (long a = a0; a <= a1; a++) {
		const double rise = column[a].rise, up = column[a].up, da = column[a].land - o.at[0];

		rows_of(&b0, &b1, w, &o, rise, up);

		for (long b = b0; b <= b1; b++)
			sum += near_weight(&near, &n, w, v, column, c, a, b, da,
			               ((double)b - w->g.middle[1]) * rise + up - o.at[1], siddon) *
			       y[(b - w->row) * w->g.cols + a];
	}

	return sum;
}
#endif

/** vol += A' proj: a voxel gathers from all views, in their order. */
__kernel void collect(struct general_work w, __global const struct gather_view *views, long views_at,
        __global const struct gather_column *columns, long columns_at, __global real *vol, long vol_at,
        __global const real *proj, long proj_at)
{
	const long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	__global real *out = AT(real, vol, vol_at) + x * w.stride[0] + y * w.stride[1] + z * w.stride[2];
	const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.};
	real sum;

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	sum = *out;

	for (long k = 0; k < w.views; k++) {
		__global const struct gather_view *v =
		        AT(const struct gather_view, views, views_at) + w.first + k;
		__global const struct gather_column *column =
		        AT(const struct gather_column, columns, columns_at) + v->columns;
		__global const real *in = AT(const real, proj, proj_at) + k * w.rows * w.g.cols;

		sum += w.g.siddon ? gather_any(&w, v, column, c, in, 1) : gather_any(&w, v, column, c, in, 0);
	}

	*out = sum;
}

/* ---- footprints ---- */

#ifdef WIDE
#define part_of sf_part64
#else
#define part_of sf_part
#endif

/** A footprint along one direction of the detector. */
struct shade {
	real start, flat, soft, bend, inv;
	long first, end;
};

DEVICE_FN void shade_along(struct shade *o, const struct sf_hit *s, int k, double size)
{
	double first, end;

	sf_range(&first, &end, s->at[k], s->wide[k], s->soft[k], size);
	o->first = (long)first;
	o->end = (long)end;
	o->start = (real)(first - 0.5 - s->at[k]);
	o->flat = (real)(0.5 * (s->wide[k] - s->soft[k]));
	o->soft = (real)s->soft[k];
	o->bend = (real)((s->soft[k] > 1e-30) ? 0.5 / s->soft[k] : 0.);
	o->inv = (real)(1. / s->wide[k]);
}

/** The part of the footprint below edge i of its pixels. */
DEVICE_FN real shade_below(const struct shade *o, long i)
{
	return part_of(o->start + (real)i, o->flat, o->soft, o->bend, o->inv);
}

DEVICE_FN real shades_of(struct shade o[2], const struct general_work *w, __global const struct sf_view *view,
        const double c[3])
{
	const struct sf_view v = *view;
	struct sf_hit s;

	sf_look(&s, &v, c[0], c[1], c[2], w->g.curved);
	shade_along(&o[0], &s, 0, (double)w->g.cols);
	shade_along(&o[1], &s, 1, (double)w->g.rows);
	return (real)s.amount;
}

/** Footprints are summed as integers, in units of 2^-50 of an upper bound of a pixel: the largest value of a
 * voxel, from find_largest(), times the volume's diagonal `across`. */
DEVICE_FN double unit_of(uint most, double across)
{
	return as_double((ulong)(most + 1) << 32) * across * (4096. / 4611686018427387904.);
}

/** Largest upper 32 bits of absolute values in float64: as integers they have the order of the numbers, NaN
 * above all.
 */
__kernel void find_largest(
        long n, long step, __global uint *most, long most_at, __global const real *x, long x_at)
{
	const long items = get_global_size(0) * get_global_size(1);
	uint mine = 0;

	for (long i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < n; i += items)
		mine = max(mine, (uint)(as_ulong(fabs((double)AT(const real, x, x_at)[i * step])) >> 32));

	atomic_max(AT(volatile uint, most, most_at), mine);
}

/** *sum += x in 64 bits, by two atomic additions of 32 bits with carry; the result does not depend on their
 * order. */
DEVICE_FN void add_whole(volatile __global uint *sum, ulong x)
{
	const uint low = (uint)x, before = atomic_add(sum, low), carry = (before + low < before) ? 1u : 0u,
	           high = (uint)(x >> 32) + carry;

	if (high != 0u)
		atomic_add(sum + 1, high);
}

/** Adds the footprint of a voxel to the pixels, in integers, so that the order of sums has no effect. */
__kernel void shed(struct general_work w, double across, __global const struct sf_view *views, long views_at,
        __global const uint *most, long most_at, __global uint *sum, long sum_at, __global const real *vol,
        long vol_at)
{
	const long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.},
	             scale = 1. / unit_of(*AT(const uint, most, most_at), across);

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	const real value = AT(const real, vol, vol_at)[x * w.stride[0] + y * w.stride[1] + z * w.stride[2]];

	for (long k = 0; k < w.views; k++) {
		__global uint *out = AT(uint, sum, sum_at) + 2 * k * w.rows * w.g.cols;
		struct shade o[2];
		const real amount =
		        shades_of(o, &w, AT(const struct sf_view, views, views_at) + w.first + k, c) * value;
		real below = shade_below(&o[1], 0);

		if (amount == 0)
			continue;

		for (long b = o[1].first; b < o[1].end; b++) {
			const real above = shade_below(&o[1], b + 1 - o[1].first),
			           line = (above - below) * amount;
			real left = shade_below(&o[0], 0);

			below = above;

			if (b < w.row || b >= w.row + w.rows)
				continue;

			for (long a = o[0].first; a < o[0].end; a++) {
				const real right = shade_below(&o[0], a + 1 - o[0].first);
				const double part = (double)((right - left) * line) * scale;

				left = right;
				add_whole(out + 2 * ((b - w.row) * w.g.cols + a), (ulong)(long)rint(part));
			}
		}
	}
}

/** proj += the sums of shed(). */
__kernel void settle(long n, long step, double across, __global const uint *most, long most_at,
        __global real *proj, long proj_at, __global const ulong *sum, long sum_at)
{
	const double unit = unit_of(*AT(const uint, most, most_at), across);
	const long items = get_global_size(0) * get_global_size(1);

	for (long i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < n; i += items)
		AT(real, proj, proj_at)
	[i * step] += (real)((double)(long)AT(const ulong, sum, sum_at)[i] * unit);
}

__kernel void collect_shades(struct general_work w, __global const struct sf_view *views, long views_at,
        __global real *vol, long vol_at, __global const real *proj, long proj_at)
{
	const long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	const double c[3] = {x + 1., y + 1., (double)(w.slice + z) + 1.};
	__global real *out = AT(real, vol, vol_at) + x * w.stride[0] + y * w.stride[1] + z * w.stride[2];
	real all;

	if (x >= w.g.size[0] || y >= w.g.size[1])
		return;

	all = *out;

	for (long k = 0; k < w.views; k++) {
		__global const real *in = AT(const real, proj, proj_at) + k * w.rows * w.g.cols * w.step;
		struct shade o[2];
		const real amount =
		        shades_of(o, &w, AT(const struct sf_view, views, views_at) + w.first + k, c);
		const long b0 = max(o[1].first, w.row), b1 = min(o[1].end, w.row + w.rows);
		real below = shade_below(&o[1], b0 - o[1].first), sum = 0;

		for (long b = b0; b < b1; b++) {
			const real above = shade_below(&o[1], b + 1 - o[1].first);
			real left = shade_below(&o[0], 0), line = 0;

			for (long a = o[0].first; a < o[0].end; a++) {
				const real right = shade_below(&o[0], a + 1 - o[0].first);

				line += (right - left) * in[((b - w.row) * w.g.cols + a) * w.step];
				left = right;
			}

			sum += (above - below) * line;
			below = above;
		}

		all += sum * amount;
	}

	*out = all;
}

/** Sets elements outside a mask to 0, word by word. */
__kernel void hide(
        long n, long words, __global uint *vol, long vol_at, __global const uchar *inside, long inside_at)
{
	const long items = get_global_size(0) * get_global_size(1);

	for (long i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < n; i += items)
		for (long k = 0; k < words && !AT(const uchar, inside, inside_at)[i]; k++)
			AT(uint, vol, vol_at)[i * words + k] = 0u;
}

#ifdef WINDOW_COLS
/* collect() for Joseph's method, flat detectors and float32. A work-item computes eight neighbouring voxels
 * with all pixels of a window of WINDOW_COLS x WINDOW_ROWS, without branches, in vectors that compilers for
 * processors can use. gather_any() computes voxels with rays outside the window, or with rays of several
 * dominant axes. */

/** For each lane x if isx, y if isy, else z. */
DEVICE_FN float8 component(int8 isx, int8 isy, float8 x, float8 y, float8 z)
{
	return select(select(z, y, isy), x, isx);
}

/** Distance [columns or rows] that the position moves per voxel along the axes other than the dominant one,
 * summed. */
DEVICE_FN float8 reach_of(__global const double *to, __global const double *ahead, float8 scale, float8 rate,
        int8 isx, int8 isy)
{
	const float8 x = fabs(scale * ((float)to[0] + rate * (float)ahead[0])),
	             y = fabs(scale * ((float)to[1] + rate * (float)ahead[1])),
	             z = fabs(scale * ((float)to[2] + rate * (float)ahead[2]));

	return x + y + z - component(isx, isy, x, y, z);
}

/** The sums of a view for eight voxels from (X, Y, Z) on; in: row w->row of the view; *plain: lanes that the
 * window cannot compute. t: GENERAL_NEAR numbers of the view (work.h). */
DEVICE_FN float8 collect_eight(const struct general_work *w, __global const double *t, double8 X, double Y,
        double Z, __global const float *in, int8 *plain)
{
	const int parallel = t[17] == 0., cols = (int)w->g.cols, rows = (int)w->rows;
	const double8 away = t[8] * X + (t[9] * Y + t[10] * Z + t[11]), inv = 1. / away;
	const double8 A = (t[0] * X + (t[1] * Y + t[2] * Z + t[3])) * inv,
	              B = (t[4] * X + (t[5] * Y + t[6] * Z + t[7])) * inv;
	const double8 a0 = clamp(ceil(A - 0.5 * WINDOW_COLS), -100., cols + 1.),
	              b0 = clamp(ceil(B - 0.5 * WINDOW_ROWS), -100., w->g.rows + 1.);
	const float8 da = convert_float8(a0 - A), db = convert_float8(b0 - B),
	             scale = convert_float8(t[12] * inv), lean = 1.f / (1.f - convert_float8(t[13] * inv));
	const float8 wx = convert_float8(t[17] * X - t[18]), wy = (float)(t[17] * Y - t[19]),
	             wz = (float)(t[17] * Z - t[20]), ax = fabs(wx), ay = fabs(wy), az = fabs(wz);
	const int8 isx = parallel ? (int8)(-(t[38] == 0.)) : (ax >= ay) & (ax >= az),
	           isy = parallel ? (int8)(-(t[38] == 1.)) : (ax < ay) & (ay >= az), isz = ~(isx | isy);
	const float8 far_a = lean * reach_of(t + 27, t + 33, scale,
	                                    convert_float8((A - t[14]) * t[16] + t[36]), isx, isy),
	             far_b = lean * reach_of(t + 30, t + 33, scale,
	                                    convert_float8((B - t[15]) * t[16] + t[37]), isx, isy);

	/* the axis of all rays that meet the voxel, with room for rounding */
	const float8 ux = (float)t[21], uy = (float)t[22], uz = (float)t[23], vx = (float)t[24],
	             vy = (float)t[25], vz = (float)t[26];
	const float8 wm = component(isx, isy, wx, wy, wz), um = component(isx, isy, ux, uy, uz),
	             vm = component(isx, isy, vx, vy, vz), wp = select(wx, wy, isx), wq = select(wz, wy, isz),
	             up0 = select(ux, uy, isx), uq0 = select(uz, uy, isz), vp0 = select(vx, vy, isx),
	             vq0 = select(vz, vy, isz), a = 1.f + far_a, b = 1.f + far_b;
	const float8 most = scale * fabs(wm) - a * fabs(um) - b * fabs(vm),
	             other = fmax(scale * fabs(wp) + a * fabs(up0) + b * fabs(vp0),
	                     scale * fabs(wq) + a * fabs(uq0) + b * fabs(vq0));
	const int8 known = convert_int8((away > 0.) & (t[13] * inv < 0.999)) &
	                   (far_a < 0.4999f * WINDOW_COLS) & (far_b < 0.4999f * WINDOW_ROWS);

	*plain = ~(parallel ? known : known & (most > 1.0001f * other));

	const float8 iw = 1.f / wm, rp = wp * iw, rq = wq * iw, bend = parallel ? (float8)0.f : iw;
	const float8 up = up0 - rp * um, uq = uq0 - rq * um, vp = vp0 - rp * vm, vq = vq0 - rq * vm,
	             us = um * bend, vs = vm * bend;
	const int8 first = select(convert_int8(a0), (int8)0, *plain),
	           line = select(convert_int8(b0) - (int)w->row, (int8)0, *plain);
	float8 sum = 0.f;

#pragma unroll
	for (int j = 0; j < WINDOW_ROWS; j++)
#pragma unroll
		for (int i = 0; i < WINDOW_COLS; i++) {
			const float8 ea = da + (float)i, eb = db + (float)j,
			             s = 1.f / (scale + ea * us + eb * vs);
			const float8 p = 1.f - fabs((ea * up + eb * vp) * s),
			             q = 1.f - fabs((ea * uq + eb * vq) * s);
			const int8 here = (first + i >= 0) & (first + i < cols) & (line + j >= 0) &
			                  (line + j < rows) & (p > 0.f) & (q > 0.f),
			           at = select((int8)0, (line + j) * cols + first + i, here);
			const float8 value = (float8)(in[at.s0], in[at.s1], in[at.s2], in[at.s3], in[at.s4],
			        in[at.s5], in[at.s6], in[at.s7]);

			sum += select((float8)0.f, p * q * value, here);
		}

	return select(sum, (float8)0.f, *plain);
}

__kernel void collect_window(struct general_work w, __global const struct gather_view *views, long views_at,
        __global const struct gather_column *columns, long columns_at, __global const double *near,
        long near_at, __global float *vol, long vol_at, __global const float *proj, long proj_at)
{
	const long x = 8 * get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	const int n = (int)min((long)w.g.size[0] - x, (long)8);
	__global float *out = AT(float, vol, vol_at) + x * w.stride[0] + y * w.stride[1] + z * w.stride[2];
	const double8 X = (double)x + (double8)(0., 1., 2., 3., 4., 5., 6., 7.);
	const double Y = y, Z = w.slice + z;
	float lane[8];

	if (n <= 0 || y >= w.g.size[1])
		return;

	for (int i = 0; i < n; i++)
		lane[i] = out[i * w.stride[0]];

	float8 sum = vload8(0, lane);

	for (long k = 0; k < w.views; k++) {
		__global const double *t = AT(const double, near, near_at) + (w.first + k) * GENERAL_NEAR;
		__global const float *in = AT(const float, proj, proj_at) + k * w.rows * w.g.cols;
		int8 plain;

		sum += collect_eight(&w, t, X, Y, Z, in, &plain);

		if (any(plain)) {
			__global const struct gather_view *v =
			        AT(const struct gather_view, views, views_at) + w.first + k;
			int is_plain[8];

			vstore8(sum, 0, lane);
			vstore8(plain, 0, is_plain);

			for (int i = 0; i < n; i++) {
				const double c[3] = {x + i + 1., Y + 1., Z + 1.};

				if (is_plain[i])
					lane[i] += gather_any(&w, v,
					        AT(const struct gather_column, columns, columns_at) +
					                v->columns,
					        c, in, 0);
			}

			sum = vload8(0, lane);
		}
	}

	vstore8(sum, 0, lane);

	for (int i = 0; i < n; i++)
		out[i * w.stride[0]] = lane[i];
}
#endif
