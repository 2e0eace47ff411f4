/* The X-ray transform of any geometry with joseph.h, siddon.h and sf.h; one work-item per ray or voxel.
 * Positions along a ray are float64 at the start of each run of 16 planes, and relative to it within the run.
 * PoCL compiles the whole program for each of its kernels, so a program has few of them: those of footprints,
 * hide(), or those of Joseph's (SIDDON 0) or Siddon's method (1), either with bricks of SIDE voxels or with
 * collect(). real: type of the data, float or double (WIDE); offset: int or long, large enough for the offset
 * of some twenty cells. */

#if defined SIDDON
enum { RUN = 16 };

DEVICE_FN real load(__global const real *p, int there)
{
	return there ? *p : (real)0;
}

/** Position of a ray along p or q in the planes of a run, above the lowest cell. float32 needs units of 2^-32
 * voxels, because the steps of a run would add up rounding errors of 1e-6 voxels. */
#ifdef WIDE
struct joseph_track {
	double first, step;
};

DEVICE_FN void find_track(struct joseph_track *t, double at, double slope)
{
	t->first = at;
	t->step = slope;
}

/** Returns the cell in plane i of the run, and sets *w to the fraction of the position. */
DEVICE_FN int cell_of(const struct joseph_track *t, int i, double *w)
{
	const double x = fma(t->step, (double)i, t->first);
	const int c = (int)x;

	*w = x - (double)c;
	return c;
}
#else
struct joseph_track {
	long first, step;
};

DEVICE_FN void find_track(struct joseph_track *t, double at, double slope)
{
	t->first = (long)(at * 0x1p32);
	t->step = (long)rint(slope * 0x1p32);
}

/** Returns the cell in plane i of the run, and sets *w to the fraction of the position. */
DEVICE_FN int cell_of(const struct joseph_track *t, int i, float *w)
{
	const long x = t->first + i * t->step;

	*w = (float)(int)((uint)x >> 1) * 0x1p-31f;
	return (int)(x >> 32);
}
#endif

/** Sets t and c for the run that begins at plane `base`. */
DEVICE_FN void begin_joseph_run(struct joseph_track t[2], struct general_cells *c, const struct joseph_line *l,
        const struct general_window *o, int base)
{
	double x0[2], x1[2];

	for (int i = 0; i < 2; i++) {
		x0[i] = l->pos[i] + l->slope[i] * base;
		x1[i] = x0[i] + l->slope[i] * (RUN - 1);
	}

	general_find_cells(c, o, x0, x1);

	for (int i = 0; i < 2; i++)
		find_track(&t[i], x0[i] - c->low[i], l->slope[i]);
}

/** Planes [from, to) of a run that begins at plane `base`. */
DEVICE_FN real joseph_run(const struct general_work *w, const struct joseph_line *l,
        const struct general_window *o, int base, int from, int to, __global const real *vol)
{
	struct joseph_track t[2];
	struct general_cells c;

	begin_joseph_run(t, &c, l, o, base);

	const offset tp = (offset)o->stride[0], tq = (offset)o->stride[1];
	const long along = w->stride[l->m];
	__global const real *plane = vol + c.first[0] * o->stride[0] + c.first[1] * o->stride[1] +
	                             (from - 1 - ((l->m == 2) ? w->slice : 0)) * along;
	real sum = 0, wp, wq;

	if (c.inside) {
		for (int i = from - base; i < to - base; i++, plane += along) {
			const int p = cell_of(&t[0], i, &wp), q = cell_of(&t[1], i, &wq);
			__global const real *v = plane + ((offset)p * tp + (offset)q * tq);
			const real v00 = v[0], v01 = v[tq], v10 = v[tp], v11 = v[tp + tq];
			const real low = fma(wq, v01 - v00, v00), high = fma(wq, v11 - v10, v10);

			sum += fma(wp, high - low, low);
		}

		return sum;
	}

	for (int i = from - base; i < to - base; i++, plane += along) {
		const int p = cell_of(&t[0], i, &wp), q = cell_of(&t[1], i, &wq);
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

/** The planes of a ray that meet the volume. Returns their number. */
DEVICE_FN int joseph_clip(struct joseph_line *l, const struct general_work *w, const struct gather_ray *r)
{
	const int m = joseph_axis(r->d[0], r->d[1], r->d[2]);
	double lo = 1., hi = w->g.n[m];

	if (!w->g.parallel && r->d[m] > 0.)
		lo = (r->s[m] > lo) ? r->s[m] : lo;
	else if (!w->g.parallel)
		hi = (r->s[m] < hi) ? r->s[m] : hi;

	return joseph_between(l, r->s, r->d, w->g.size, lo, hi);
}

DEVICE_FN double joseph_ray(
        const struct general_work *w, const struct gather_ray *r, __global const real *vol)
{
	double sum = 0.;
	struct joseph_line l;
	struct general_window o;

	if (joseph_clip(&l, w, r) <= 0 || general_clip_slices(w, &l) <= 0)
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
/** Position of a ray along p or q at the faces of the slabs of a run above the lowest cell, in units of
 * 2^-FINE voxels, so that the steps of a run add no error. */
enum { FINE = 51 };
struct fixed_line {
	ulong first, step, flip;
	float inv;
};

DEVICE_FN void find_fixed(struct fixed_line *f, double at, double slope)
{
	const double unit = (double)(1L << FINE);
	const long step = (long)rint(slope * unit);

	f->first = (ulong)(at * unit);
	f->step = (ulong)step;
	f->flip = (step > 0) ? ~0ul : 0ul;
	f->inv = 1.f / fabs((float)step);
}

/** Cells before and after the crossing in slab i of the run, and the part of the slab before it. */
DEVICE_FN float cross_fixed(const struct fixed_line *f, int i, int *before, int *after)
{
	const ulong at = f->first + (ulong)i * f->step, left = (at ^ f->flip) & ((1ul << FINE) - 1);

	*before = (int)(at >> FINE);
	*after = (int)((at + f->step) >> FINE);
	return (*before == *after) ? 1.f : fmin((float)(long)left * f->inv, 1.f);
}

/** Whether rounding errors of a position are small beside a step. */
DEVICE_FN int is_steep(double slope)
{
	return slope == 0. || fabs(slope) >= 0x1p-30;
}

/** Sets f and c for slabs [from, to) of the run; false: the ray begins here, or nearly lies in a face. */
DEVICE_FN int begin_siddon_run(struct fixed_line f[2], struct general_cells *c,
        const struct siddon_line *line, const struct general_window *o, int base, int from, int to)
{
	const struct joseph_line *l = &line->l;
	double x0[2], x1[2];

	if (!(from - 0.5 >= line->from && to - 0.5 <= line->to && is_steep(l->slope[0]) &&
	            is_steep(l->slope[1])))
		return 0;

	for (int i = 0; i < 2; i++) { /* from the face below a cell to the next one: 0 .. 1 */
		x0[i] = l->pos[i] + l->slope[i] * (base - 0.5) + 0.5;
		x1[i] = x0[i] + l->slope[i] * RUN;
	}

	general_find_cells(c, o, x0, x1);

	for (int i = 0; i < 2; i++)
		find_fixed(&f[i], x0[i] - c->low[i], l->slope[i]);

	return 1;
}

DEVICE_FN float siddon_run(const struct general_work *w, const struct siddon_line *line,
        const struct general_window *o, int base, int from, int to, __global const float *vol)
{
	const struct joseph_line *l = &line->l;
	struct fixed_line f[2];
	struct general_cells c;

	if (!begin_siddon_run(f, &c, line, o, base, from, to))
		return siddon_plain(w, line, o, from, to, vol);

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

	const double sum = SIDDON ? siddon_ray(&w, &r, AT(const real, vol, vol_at))
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

/** Columns of the view whose rays may meet the voxel. */
DEVICE_FN void columns_of(long *lo, long *hi, const struct general_work *w, const struct gather_hit *o,
        __global const struct gather_column *column)
{
	*lo = 0;
	*hi = w->g.cols - 1;

	if (o->known && w->g.curved)
		gather_bent_range(lo, hi, column, o->at[0], o->far[0], w->g.cols);
	else if (o->known)
		gather_range(lo, hi, o->at[0], o->far[0], w->g.middle[0], w->g.cols);
}

#ifndef SIDE
/** Sum over the pixels of a view whose rays may meet the voxel, each ray in float64. y: row w->row of the
 * view.
 */
DEVICE_FN real gather_plain(const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, struct gather_hit *o, const double c[3],
        __global const real *y, const int siddon)
{
	long a0, a1;
	real sum = 0;

	for (int k = 0; k < 2; k++)
		o->far[k] = (siddon ? 0.5 : 1.) * o->lean *
		            (gather_move(o, v, k, 0) + gather_move(o, v, k, 1) + gather_move(o, v, k, 2));

	columns_of(&a0, &a1, w, o, column);

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
/** One end of a tent of Joseph's method: the distance of a ray from this end, times the ray's scale (gather.h),
 * in units of 2^-TENT voxels. The distance of pixel (i, j) is first + i column + j row, without rounding errors,
 * so that weights close to 0 have small relative errors. */
struct tent_end {
	long first, column, row;
};

enum { TENT = 40 };

/** Sets the distance t + da u + db v at pixel (0, 0), which is da columns and db rows from the ray through the
 * voxel's centre, where t is the scale. Pixels are 1 column and `rise` rows apart. */
DEVICE_FN void find_tent_end(struct tent_end *e, double t, double u, double v, double da, double db, double rise)
{
	const double unit = (double)(1L << TENT) / t;

	e->first = (long)((t + da * u + db * v) * unit);
	e->column = (long)rint(u * unit);
	e->row = (long)rint(v * rise * unit);
}

/** Sets both ends of the tents along p and q. */
DEVICE_FN void find_tents(
        struct tent_end e[4], const struct gather_near *n, double da, double db, double rise)
{
	find_tent_end(&e[0], n->t, n->um - n->up, n->vm - n->vp, da, db, rise);
	find_tent_end(&e[1], n->t, n->um + n->up, n->vm + n->vp, da, db, rise);
	find_tent_end(&e[2], n->t, n->um - n->uq, n->vm - n->vq, da, db, rise);
	find_tent_end(&e[3], n->t, n->um + n->uq, n->vm + n->vq, da, db, rise);
}

/** Joseph's weight of the voxel in the ray of pixel (i, j). */
DEVICE_FN float joseph_weight(const struct tent_end e[4], int i, int j)
{
	long x[4];

	for (int k = 0; k < 4; k++)
		x[k] = e[k].first + i * e[k].column + j * e[k].row;

	const float p = (float)max(min(x[0], x[1]), 0l), q = (float)max(min(x[2], x[3]), 0l),
	            inv = 2.f / (float)(x[0] + x[1]);

	return (p * inv) * (q * inv);
}

/** Siddon's weight of the voxel in the ray of pixel (a, b), which passes da columns and db rows from its
 * centre. */
DEVICE_FN float siddon_weight(const struct gather_near *near, const struct general_work *w,
        __global const struct gather_view *v, __global const struct gather_column *column, const double c[3],
        long a, long b, double da, double db)
{
	const float part = gather_siddon_near(near, da, db);
	struct gather_ray r;

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
	struct tent_end tent[4];
	struct gather_hit o;
	struct gather_near near;
	long a0, a1, b0, b1;
	float sum = 0.f;

	gather_look(&o, &w->g, v, c, reach);

	if (!o.known || !gather_approach(&near, &o, &w->g, v, reach))
		return gather_plain(w, v, column, &o, c, y, siddon);

	columns_of(&a0, &a1, w, &o, column);

	if (!w->g.curved) {
		rows_of(&b0, &b1, w, &o, 1., 0.);

		const double da = (double)a0 - w->g.middle[0] - o.at[0],
		             db = (double)b0 - w->g.middle[1] - o.at[1];

		if (!siddon)
			find_tents(tent, &near, da, db, 1.);

		for (long b = b0; b <= b1; b++)
			for (long a = a0; a <= a1; a++)
				sum += (siddon ? siddon_weight(&near, w, v, column, c, a, b,
				                         da + (double)(a - a0), db + (double)(b - b0))
				               : joseph_weight(tent, (int)(a - a0), (int)(b - b0))) *
				       y[(b - w->row) * w->g.cols + a];

		return sum;
	}

	for (long a = a0; a <= a1; a++) {
		const double rise = column[a].rise, up = column[a].up, da = column[a].land - o.at[0];

		rows_of(&b0, &b1, w, &o, rise, up);

		const double db = ((double)b0 - w->g.middle[1]) * rise + up - o.at[1];

		if (!siddon)
			find_tents(tent, &near, da, db, rise);

		for (long b = b0; b <= b1; b++)
			sum += (siddon ? siddon_weight(&near, w, v, column, c, a, b, da,
			                         db + (double)(b - b0) * rise)
			               : joseph_weight(tent, 0, (int)(b - b0))) *
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

		sum += gather_any(&w, v, column, c, in, SIDDON);
	}

	*out = sum;
}
#else
/* ---- the adjoint for processors: a work-item adds all rays to a brick of voxels in local memory, in the
 * order of views, columns and rows; the weights are those of follow() ---- */

enum { BRICK = SIDE, BRICK_ROW = BRICK * BRICK };

/** Voxels [low, low + size) along each axis. */
struct brick {
	int low[3], size[3];
};

/** The planes of a line that meet the brick, and the window of the brick along p and q. Returns their number.
 */
DEVICE_FN int clip_brick(struct joseph_line *l, struct general_window *o, const struct brick *k)
{
	double lo = max(l->first, k->low[l->m] + 1),
	       hi = min(l->first + l->count - 1, k->low[l->m] + k->size[l->m]);

	for (int i = 0; i < 2; i++) {
		const int axis = i ? l->q : l->p;
		const double at = l->pos[i] - k->low[axis], end = k->size[axis] + 1., slope = l->slope[i];

		o->low[i] = k->low[axis];
		o->size[i] = k->size[axis];
		o->stride[i] = (axis == 0) ? 1 : (axis == 1) ? BRICK : BRICK_ROW;

		if (slope == 0. && !(at >= 0. && at <= end))
			return 0;

		joseph_narrow(&lo, &hi, at, 1. / slope, end);
	}

	if (!(lo <= hi))
		return 0;

	l->first = (int)ceil(lo);
	return l->count = (int)floor(hi) - l->first + 1;
}

/** Adds x to a voxel if it is in the brick. */
DEVICE_FN void give(int there, __local real *voxel, real x)
{
	if (there)
		*voxel += x;
}

/** joseph_run() transposed; plane: the voxels (0, 0) of plane `from`. */
DEVICE_FN void joseph_run_back(const struct joseph_line *l, const struct general_window *o, int base,
        int from, int to, int along, __local real *plane, real value)
{
	struct joseph_track t[2];
	struct general_cells c;
	real wp, wq;

	begin_joseph_run(t, &c, l, o, base);

	const int tp = (int)o->stride[0], tq = (int)o->stride[1];

	plane += (int)c.first[0] * tp + (int)c.first[1] * tq;

	for (int i = from - base; i < to - base; i++, plane += along) {
		const int p = cell_of(&t[0], i, &wp), q = cell_of(&t[1], i, &wq);
		const real high = wp * value, low = ((real)1 - wp) * value, v11 = wq * high, v01 = wq * low,
		           v10 = ((real)1 - wq) * high, v00 = ((real)1 - wq) * low;
		__local real *v = plane + (p * tp + q * tq);

		if (c.inside) {
			v[0] += v00;
			v[tq] += v01;
			v[tp] += v10;
			v[tp + tq] += v11;
		} else {
			give(general_is_voxel(&c, o, p, q), v, v00);
			give(general_is_voxel(&c, o, p, q + 1), v + tq, v01);
			give(general_is_voxel(&c, o, p + 1, q), v + tp, v10);
			give(general_is_voxel(&c, o, p + 1, q + 1), v + tp + tq, v11);
		}
	}
}

/** siddon_plain() transposed. */
DEVICE_FN void siddon_plain_back(const struct general_work *w, const struct siddon_line *line,
        const struct general_window *o, int from, int to, int along, __local real *plane, real value)
{
	for (int i = from; i < to; i++, plane += along) {
		struct siddon_parts s;

		siddon_slab(&s, line, i, w->g.size);

		for (int k = 0; k < 3; k++) {
			const long p = s.p[k] - 1 - o->low[0], q = s.q[k] - 1 - o->low[1];

			give((ulong)p < (ulong)o->size[0] && (ulong)q < (ulong)o->size[1],
			        plane + (p * o->stride[0] + q * o->stride[1]), (real)s.w[k] * value);
		}
	}
}

#ifdef WIDE
#define siddon_run_back(w, line, o, base, from, to, along, plane, value)                                     \
	siddon_plain_back(w, line, o, from, to, along, plane, value)
#else
/** siddon_run() transposed. */
DEVICE_FN void siddon_run_back(const struct general_work *w, const struct siddon_line *line,
        const struct general_window *o, int base, int from, int to, int along, __local float *plane,
        float value)
{
	struct fixed_line f[2];
	struct general_cells c;

	if (!begin_siddon_run(f, &c, line, o, base, from, to)) {
		siddon_plain_back(w, line, o, from, to, along, plane, value);
		return;
	}

	const int tp = (int)o->stride[0], tq = (int)o->stride[1];

	plane += (int)c.first[0] * tp + (int)c.first[1] * tq;

	for (int i = from - base; i < to - base; i++, plane += along) {
		int p0, p1, q0, q1;
		const float p = cross_fixed(&f[0], i, &p0, &p1), q = cross_fixed(&f[1], i, &q0, &q1),
		            less = (p < q) ? p : q, more = (p < q) ? q : p;
		const int pm = (p < q) ? p1 : p0, qm = (p < q) ? q0 : q1;

		give(c.inside || general_is_voxel(&c, o, p0, q0), plane + (p0 * tp + q0 * tq), less * value);
		give(c.inside || general_is_voxel(&c, o, pm, qm), plane + (pm * tp + qm * tq),
		        (more - less) * value);
		give(c.inside || general_is_voxel(&c, o, p1, q1), plane + (p1 * tp + q1 * tq),
		        (1.f - more) * value);
	}
}
#endif

/** Adds a ray to the brick. */
DEVICE_FN void add_ray(const struct general_work *w, const struct gather_ray *r, const struct brick *k,
        __local real *sums, real value)
{
	const int m = joseph_axis(r->d[0], r->d[1], r->d[2]), along = (m == 0)   ? 1
	                                                              : (m == 1) ? BRICK
	                                                                         : BRICK_ROW;
	struct siddon_line line;
	struct joseph_line l;
	struct general_window o;
	const int count = SIDDON ? siddon_clip(&line, r->s, r->d, w->g.size, !w->g.parallel)
	                              : joseph_clip(&l, w, r);

	if (count <= 0)
		return;

	if (SIDDON)
		l = line.l;

	if (clip_brick(&l, &o, k) <= 0)
		return;

	const int end = l.first + l.count;

	for (int base = l.first / RUN * RUN; base < end; base += RUN) {
		const int from = max(base, l.first), to = min(end, base + RUN);
		__local real *plane = sums + (from - 1 - k->low[m]) * along;

		if (SIDDON)
			siddon_run_back(w, &line, &o, base, from, to, along, plane, value);
		else
			joseph_run_back(&l, &o, base, from, to, along, plane, value);
	}
}

/** Where the rays that may meet the brick land; a brick of which nothing is known gets all of them. */
DEVICE_FN void look_at_brick(struct gather_hit *o, const struct general_work *w,
        __global const struct gather_view *v, const struct brick *k)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
	int known = 1;

	for (int i = 0; i < 8; i++) {
		double c[3];

		for (int d = 0; d < 3; d++)
			c[d] = k->low[d] + ((i >> d & 1) ? k->size[d] + 1. : 0.);

		gather_look(o, &w->g, v, c, 0.);
		known &= o->known;

		for (int d = 0; d < 2; d++) {
			low[d] = fmin(low[d], o->at[d]);
			high[d] = fmax(high[d], o->at[d]);
		}
	}

	o->known = known;

	for (int d = 0; d < 2; d++) {
		o->at[d] = 0.5 * (low[d] + high[d]);
		o->far[d] = 0.5 * (high[d] - low[d]);
	}
}

DEVICE_FN void add_view(const struct general_work *w, __global const struct gather_view *v,
        __global const struct gather_column *column, const struct brick *k, __local real *sums,
        __global const real *y)
{
	struct gather_hit o;
	long a0, a1;

	look_at_brick(&o, w, v, k);
	columns_of(&a0, &a1, w, &o, column);

	for (long a = a0; a <= a1; a++) {
		long b0 = w->row, b1 = w->row + w->rows - 1;

		if (o.known)
			rows_of(&b0, &b1, w, &o, column[a].rise, column[a].up);

		for (long b = b0; b <= b1; b++) {
			const real value = y[(b - w->row) * w->g.cols + a];
			struct gather_ray r;

			gather_aim(&r, &w->g, v, column + a, b);

			if (value != 0)
				add_ray(w, &r, k, sums, value);
		}
	}
}

/** vol += A' proj, a brick in each group of one work-item; views one after the other. */
__kernel void scatter(struct general_work w, __global const struct gather_view *views, long views_at,
        __global const struct gather_column *columns, long columns_at, __global real *vol, long vol_at,
        __global const real *proj, long proj_at)
{
	__local real sums[BRICK * BRICK_ROW];
	const long group[3] = {get_group_id(0), get_group_id(1), get_group_id(2)};
	const long end[3] = {w.g.size[0], w.g.size[1], w.slice + w.slices};
	struct brick k;

	for (int d = 0; d < 3; d++) {
		k.low[d] = (int)(group[d] * BRICK + ((d == 2) ? w.slice : 0));
		k.size[d] = (int)min((long)BRICK, end[d] - k.low[d]);
	}

	for (int i = 0; i < BRICK * BRICK_ROW; i++)
		sums[i] = 0;

	for (long j = 0; j < w.views; j++) {
		__global const struct gather_view *v =
		        AT(const struct gather_view, views, views_at) + w.first + j;

		add_view(&w, v, AT(const struct gather_column, columns, columns_at) + v->columns, &k, sums,
		        AT(const real, proj, proj_at) + j * w.rows * w.g.cols);

		for (int z = 0; z < k.size[2]; z++)
			for (int y = 0; y < k.size[1]; y++) {
				__global real *out = AT(real, vol, vol_at) + k.low[0] * w.stride[0] +
				                     (k.low[1] + y) * w.stride[1] +
				                     (k.low[2] + z - w.slice) * w.stride[2];
				__local real *line = sums + z * BRICK_ROW + y * BRICK;

				for (int x = 0; x < k.size[0]; x++) {
					out[x * w.stride[0]] += line[x];
					line[x] = 0;
				}
			}
	}
}
#endif

#elif defined FOOTPRINTS
/** A footprint along one direction of the detector, in float64: the part of a pixel is a difference, and small
 * in wide footprints. */
struct shade {
	double start, flat, soft, bend, inv;
	long first, end;
};

DEVICE_FN void shade_along(struct shade *o, const struct sf_hit *s, int k, double size)
{
	double first, end;

	sf_range(&first, &end, s->at[k], s->wide[k], s->soft[k], size);
	o->first = (long)first;
	o->end = (long)end;
	o->start = first - 0.5 - s->at[k];
	o->flat = 0.5 * (s->wide[k] - s->soft[k]);
	o->soft = s->soft[k];
	o->bend = (s->soft[k] > 1e-30) ? 0.5 / s->soft[k] : 0.;
	o->inv = 1. / s->wide[k];
}

/** The part of the footprint below edge i of its pixels. */
DEVICE_FN double shade_below(const struct shade *o, long i)
{
	return sf_part64(o->start + (double)i, o->flat, o->soft, o->bend, o->inv);
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

/** Footprints are summed as integers, in units of 2^-56 of an upper bound of a pixel: the largest value of a
 * voxel, from find_largest(), times the volume's diagonal `across`. */
DEVICE_FN double unit_of(uint most, double across)
{
	return as_double((ulong)(most + 1) << 32) * across * (64. / 4611686018427387904.);
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

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define add_whole(sum, x) (void)atom_add((volatile __global ulong *)(sum), x)
#else
/** *sum += x in 64 bits, by two atomic additions of 32 bits with carry; the result does not depend on their
 * order. */
DEVICE_FN void add_whole(volatile __global uint *sum, ulong x)
{
	const uint low = (uint)x, before = atomic_add(sum, low), carry = (before + low < before) ? 1u : 0u,
	           high = (uint)(x >> 32) + carry;

	if (high != 0u)
		atomic_add(sum + 1, high);
}
#endif

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
		double below = shade_below(&o[1], 0);

		if (amount == 0)
			continue;

		for (long b = o[1].first; b < o[1].end; b++) {
			const double above = shade_below(&o[1], b + 1 - o[1].first);
			const real line = (real)(above - below) * amount;
			double left = shade_below(&o[0], 0);

			below = above;

			if (b < w.row || b >= w.row + w.rows)
				continue;

			for (long a = o[0].first; a < o[0].end; a++) {
				const double right = shade_below(&o[0], a + 1 - o[0].first);
				const double part = (double)((real)(right - left) * line) * scale;

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
		double below = shade_below(&o[1], b0 - o[1].first);
		real sum = 0;

		for (long b = b0; b < b1; b++) {
			const double above = shade_below(&o[1], b + 1 - o[1].first);
			double left = shade_below(&o[0], 0);
			real line = 0;

			for (long a = o[0].first; a < o[0].end; a++) {
				const double right = shade_below(&o[0], a + 1 - o[0].first);

				line += (real)(right - left) * in[((b - w.row) * w.g.cols + a) * w.step];
				left = right;
			}

			sum += (real)(above - below) * line;
			below = above;
		}

		all += sum * amount;
	}

	*out = all;
}

#else
/** Sets elements outside a mask to 0, word by word. */
__kernel void hide(
        long n, long words, __global uint *vol, long vol_at, __global const uchar *inside, long inside_at)
{
	const long items = get_global_size(0) * get_global_size(1);

	for (long i = get_global_id(1) * get_global_size(0) + get_global_id(0); i < n; i += items)
		for (long k = 0; k < words && !AT(const uchar, inside, inside_at)[i]; k++)
			AT(uint, vol, vol_at)[i * words + k] = 0u;
}
#endif
