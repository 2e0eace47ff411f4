/* A single slice and a detector of one row in its plane: parallel and fan beam, flat and curved; Joseph's
 * and Siddon's forward projection and their exact transposes. Since nothing varies along z, lanes run across
 * the dominant axis. In the slab of a plane, a ray of slope s covers the segment [X - s, X] across the
 * dominant axis. Siddon's method divides it between the at most two lines of voxels that the ray meets; a
 * line gets the part between its faces. Positions are sums of leading bits and small remainders, so that
 * weights are accurate to 1e-10 / s.
 *
 * Forward is ray-stationary. A block owns 32 to 128 columns of 16 to 64 views, a thread one column of four
 * views, and processes the planes of the dominant axis in order. The common window of 16 planes at a time is
 * loaded into the ring. One thread sums each ray in the order of planes.
 *
 * The adjoint is voxel-stationary. A block owns 64 planes x 64 lines, a warp four planes, a lane two voxels
 * of each. A stage of the ring holds the data of four views: the projections (path lengths are already
 * included) and, unless columns are equally spaced, the distance of each column to the next (fan beams) or
 * the line of each column across these planes (curved detectors). The column of a voxel is computed from the
 * column at the middle of 32 voxels; the weights of the neighbouring columns follow from the positions of
 * their rays. There is one launch per dominant axis; sums are in the order of views. */

#include "ct/projector/cuda/ring.h"
#include "num/md/cuda/approx.h"

extern "C" {
#include "ct/projector/gpu/slices.h"
}

enum { RUN = SLICES_RUN, RAYS = 4, ENDS = 2 * SLICES_RAYS / 32, NOTHING = 1 << 30 };
enum {
	SIDE = SLICES_SIDE,
	PLANES = SIDE / RING_WARPS,
	GROUPS = SIDE / 32,
	QUAD = 4,
	ITEMS = PLANES * GROUPS
};

struct slice_forward_args {
	const struct gpu_ray_tile *tiles;
	const float *plane[2]; // [y][x], in which x runs fastest, is of axis 1; [x][y] of axis 0
	int pitch[2];          // elements from plane to plane: multiples of 4, zeros behind the volume
	int stages, across, add, tma;
};

/** x of a whole number, and the rest within half of it. */
static __device__ __forceinline__ double nearest(double x, int *whole)
{
	const double magic = 6755399441055744., m = x + magic;

	*whole = __double2loint(m);
	return x - (m - magic);
}

/** The first or the last column of a view in a tile that has the tile's axis. */
static __device__ float2 end_of(
        const struct gpu_batch &b, const struct gpu_ray_tile &t, int across, int view, bool last)
{
	const int most = min(across, b.cols - t.u) - 1;

	for (int c = 0; c <= most && view < t.views; c++) {
		const long at = (long)(t.view + view) * b.cols + t.u + (last ? most - c : c);

		if (b.pace[at].axis == t.axis)
			return make_float2((float)b.column[at].y0, (float)b.column[at].dy);
	}

	return make_float2(1e9f, 0.f);
}

/** A place as a multiple of 2^-17 and the rest. */
static __device__ __forceinline__ float2 leading(double x)
{
	const double unit = 1 << 17, lead = rint(x * unit) / unit;

	return make_float2((float)lead, (float)(x - lead));
}

/** Siddon's method: a ray that stays within this of a line's place along the whole volume is level, and as
 * far above it as a face has to be to count as the voxel below's [voxels]. */
static __device__ constexpr double LEVEL = 1e-9;

/** A column's stretch across, its slope's sign left out: where it ends in plane 0, per plane, and 1 / s. */
struct stretch {
	double y0, dy;
	float inv;
};

static __device__ __forceinline__ struct stretch stretch_of(double y0, double dy)
{
	const double s = fabs(dy);

	if (s < LEVEL)
		return {y0 + LEVEL, 0., 1e30f};

	return {y0 + 0.5 * s, dy, (float)(1. / s)};
}

/** First element of the window of a run of planes, or NOTHING. All of the tile's rays are in it, also where
 * they are outside the volume, and what lies `below` them. */
static __device__ int window_at(const float2 *reach, int ends, int run, int lines, int width, float below)
{
	const float slack = 0.02f, i0 = (float)(run * RUN), i1 = i0 + (float)(RUN - 1);
	float ya = 1e30f, yb = -1e30f;

	for (int k = 0; k < ends; k++) {
		const float y0 = fmaf(i0, reach[k].y, reach[k].x), y1 = fmaf(i1, reach[k].y, reach[k].x);

		if (reach[k].x > 1e8f)
			continue;

		ya = fminf(ya, fminf(y0, y1));
		yb = fmaxf(yb, fmaxf(y0, y1));
	}

	if (!(yb > -1.f - slack && ya < (float)lines + slack))
		return NOTHING;

	const int a = (int)floorf(ya - slack - below) & ~3;

	if (!(yb + slack + 2.f - (float)a <= (float)width))
		__trap(); // the plan was wrong: better no numbers than these

	return a;
}

template <int PITCH, bool SIDDON>
static __global__ void __launch_bounds__(RING_THREADS, 1) slice_forward(
        const __grid_constant__ CUtensorMap along_y, const __grid_constant__ CUtensorMap along_x,
        struct gpu_batch b, struct slice_forward_args f, float *proj)
{
	enum { BOXES = PITCH > 256 ? 2 : 1, TALL = BOXES == 1 ? RUN : 1, STAGE = RUN * PITCH * 4 };
	GPU_SHARED(unsigned char, shared);
	const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const struct gpu_ray_tile t = f.tiles[blockIdx.x];
	const int lines = gpu_extent(b, 1 - t.axis), runs = (gpu_extent(b, t.axis) + RUN - 1) / RUN;
	unsigned char *p = shared + f.stages * STAGE;
	struct ring r = ring_start(p, f.stages, f.tma);
	p += RING_BARRIERS;
	float2 *reach = (float2 *)p;
	p += ENDS * sizeof(float2);
	int *count = (int *)p, *list = count + 4, *win = list + runs;

	const int ends = 2 * t.views;

	for (int e = tid; e < ends; e += RING_THREADS)
		reach[e] = end_of(b, t, f.across, e >> 1, e & 1);

	__syncthreads();

	for (int i = tid; i < runs; i += RING_THREADS)
		win[i] = window_at(reach, ends, i, lines, PITCH, SIDDON ? 0.5f : 0.f);

	__syncthreads();

	if (warp == 0)
		*count = ring_list(list, runs, [&](int i) { return win[i] != NOTHING; });

	__syncthreads();

	const int steps = *count;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed(
		        r, steps,
		        [&](int k, int st, uint64_t *full) {
			        const int i = list[k] * RUN, y = win[list[k]];
			        unsigned char *to = shared + st * STAGE;

			        gpu_bar_expect(full, STAGE);

			        for (int e = 0; e < RUN; e += TALL)
				        for (int h = 0; h < BOXES; h++, to += TALL * PITCH * 4 / BOXES)
					        if (t.axis == 0)
						        gpu_tma_load2(to, &along_y, full,
						                y + h * (PITCH / BOXES), i + e);
					        else
						        gpu_tma_load2(to, &along_x, full,
						                y + h * (PITCH / BOXES), i + e);
		        },
		        [&](int k, int st, int id) {
			        const int i0 = list[k] * RUN, y0 = win[list[k]],
			                  planes = gpu_extent(b, t.axis);
			        const float *from = t.axis ? f.plane[1] : f.plane[0];
			        const int pitch = t.axis ? f.pitch[1] : f.pitch[0];
			        float *to = (float *)(shared + st * STAGE);

			        for (int c = id; c < RUN * (PITCH / 4); c += RING_COPIERS) {
				        const int i = i0 + c / (PITCH / 4), y = y0 + c % (PITCH / 4) * 4;
				        const bool inside = i < planes;

				        ring_copy4(to + 4 * c, from + (long)(inside ? i : 0) * pitch, inside,
				                y, pitch);
			        }
		        });
		return;
	}

	gpu_registers_more<112>();

	const int beside = f.across / 32, u = t.u + warp % beside * 32 + lane,
	          first = warp / beside * RAYS; // views first .. first + 3 of the tile
	double y0[RAYS], dy[RAYS];
	float acc[RAYS], inv[RAYS];
	float2 slope[RAYS];
	unsigned real = 0;

#pragma unroll
	for (int m = 0; m < RAYS; m++) {
		const bool mine = first + m < t.views && u < b.cols;
		const long at = (long)(t.view + (mine ? first + m : 0)) * b.cols + (mine ? u : t.u);
		const bool on = mine && b.pace[at].axis == t.axis;

		real |= (unsigned)on << m;
		y0[m] = b.column[at].y0;
		dy[m] = b.column[at].dy;
		acc[m] = 0.f;

		for (int e = 0; e < ends && !on; e++) // some ray of the tile: the window holds it
			if (reach[e].x < 1e8f) {
				y0[m] = (double)reach[e].x;
				dy[m] = (double)reach[e].y;
				break;
			}

		slope[m] = make_float2((float)dy[m], 0.f);

		if (SIDDON) {
			const struct stretch o = stretch_of(y0[m] - 0.5, dy[m]);

			y0[m] = o.y0;
			dy[m] = o.dy;
			inv[m] = o.inv;
			slope[m] = leading(o.dy);
		}
	}

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int i = list[k] * RUN + RUN / 2, y = win[list[k]];
		const uint32_t base = (uint32_t)(st * STAGE) - (uint32_t)RING_MAGICBITS * 4u;
		float2 at[RAYS];
		float sum[RAYS];
		uint32_t cell[RAYS];

#pragma unroll
		for (int m = 0; m < RAYS; m++) {
			int whole;
			const double rest = nearest(y0[m] + i * dy[m], &whole);

			at[m] = SIDDON ? leading(rest) : make_float2((float)rest, 0.f);
			cell[m] = base + (uint32_t)(whole - y) * 4u;
			sum[m] = 0.f;
		}

		ring_wait(r, st, phase);

#pragma unroll
		for (int e = 0; e < RUN; e++)
#pragma unroll
			for (int m = 0; m < RAYS; m++) {
				const float plane = (float)(e - RUN / 2),
				            lead = fmaf(plane, slope[m].x, at[m].x),
				            rest = SIDDON ? fmaf(plane, slope[m].y, at[m].y) : 0.f,
				            mg = __fadd_rd(SIDDON ? lead + rest : lead, RING_MAGIC),
				            part = lead - (mg - RING_MAGIC),
				            w = SIDDON ? __saturatef((part + rest) * inv[m]) : part;
				const uint32_t a = cell[m] + (uint32_t)__float_as_int(mg) * 4u;
				const float v0 = ring_at(shared, a + e * PITCH * 4),
				            v1 = ring_at(shared, a + e * PITCH * 4 + 4);

				sum[m] += fmaf(w, v1 - v0, v0);
			}

		ring_done(r, st);

#pragma unroll
		for (int m = 0; m < RAYS; m++)
			acc[m] += sum[m];

		if (++st == f.stages) {
			st = 0;
			phase ^= 1;
		}
	}

#pragma unroll
	for (int m = 0; m < RAYS; m++)
		if (real >> m & 1) {
			const long at = (long)(t.view + first + m) * b.cols + u;
			const float x = acc[m] * gpu_slice_length(b, at, SIDDON);

			proj[at] = f.add ? proj[at] + x : x;
		}
}

/* ---- adjoint ---- */

/** Where the voxels of a block are seen by a view: columns from `whole` on, by plane i and line j from the
 * block's middle. Flat: (q0 + q1 i + q2 j) / (q3 + q4 i + q5 j); curved: the ray from or along `from` to or
 * through (q0 + q1 i + q2 j, q3 + q4 i + q5 j) meets the circle. */
struct place {
	float q[6], from[2], radius, inv, off;
	int whole, first, columns, taps; // of the block: columns in the ring, and that a voxel looks at
};

struct slice_adjoint_args {
	int stages, room, axis, add, tma; // room: columns of a view in a stage
	float spacing[2], height;         // footprints: of lines, planes and slices [mm]; 0: a parallel beam
};

static __device__ __forceinline__ float seen_at(const struct place &p, bool parallel, float i, float j)
{
	const float a = fmaf(p.q[2], j, fmaf(p.q[1], i, p.q[0])),
	            c = fmaf(p.q[5], j, fmaf(p.q[4], i, p.q[3]));

	if (p.radius == 0.f)
		return a / c;

	const float ox = parallel ? a : p.from[0], oy = parallel ? c : p.from[1],
	            dx = parallel ? p.from[0] : a - p.from[0], dy = parallel ? p.from[1] : c - p.from[1];
	const float dd = fmaf(dx, dx, dy * dy), od = fmaf(ox, dx, oy * dy),
	            disc = od * od - dd * (fmaf(ox, ox, oy * oy) - p.radius * p.radius);
	const float t = (sqrtf(fmaxf(disc, 0.f)) - od) / dd;

	return fmaf(atan2f(fmaf(t, dx, ox), fmaf(t, dy, oy)), p.inv, p.off);
}

static __device__ __forceinline__ double column_at(
        const struct hit_view *v, bool even, int axis, double i, double j)
{
	const double x = axis ? j : i, y = axis ? i : j;

	return even ? v->to[0][0] * x + v->to[0][1] * y + v->to[0][3] : hit_at(v, x, y).column;
}

/** Lines of 32 voxels from j0 on: the middle of those inside the volume, and how far they reach. */
static __device__ __forceinline__ float2 middle_of(int j0, int lines)
{
	const int lo = min(j0, lines - 1), hi = min(j0 + 31, lines - 1);

	return make_float2(0.5f * (float)(lo + hi), fmaxf(0.5f * (float)(hi - lo), 0.5f));
}

/** A column near a middle: value, slope and half the bend, by lines. */
static __device__ __forceinline__ float3 bend_at(
        const struct place &p, bool parallel, float i, float j, float reach)
{
	const float inv = 1.f / reach, u = seen_at(p, parallel, i, j),
	            below = seen_at(p, parallel, i, j - reach) - u,
	            above = seen_at(p, parallel, i, j + reach) - u;

	return make_float3(u, 0.5f * inv * (above - below), 0.5f * inv * inv * (above + below));
}

/** The formula of a block in float32, for the columns from `whole` on. */
static __device__ void place_block(
        struct place *p, const struct hit_view *v, int axis, double ic, double jc, double whole)
{
	const bool bent = v->radius > 0.;
	const int across = 1 - axis;
	const double *num = v->to[0], *den = bent ? v->to[1] : v->to[2], less = bent ? 0. : whole;
	const double x = axis ? jc : ic, y = axis ? ic : jc;

	p->q[0] = (float)(num[0] * x + num[1] * y + num[3] -
	                  less * (v->to[2][0] * x + v->to[2][1] * y + v->to[2][3]));
	p->q[1] = (float)(num[axis] - less * v->to[2][axis]);
	p->q[2] = (float)(num[across] - less * v->to[2][across]);
	p->q[3] = (float)(den[0] * x + den[1] * y + den[3]);
	p->q[4] = (float)den[axis];
	p->q[5] = (float)den[across];
	p->from[0] = (float)v->from[0];
	p->from[1] = (float)v->from[1];
	p->radius = (float)v->radius;
	p->inv = bent ? (float)(1. / v->pitch) : 0.f;
	p->off = (float)(v->middle[0] - whole);
	p->whole = (int)whole;
}

/** How a view sees a block; false: not at all. EVEN: columns are equally far apart. */
template <bool EVEN>
static __device__ bool look_at(struct place *p, const struct hit_view *v, const struct gpu_view *w,
        const struct gpu_batch &b, const struct slice_adjoint_args &f, int i0, int j0)
{
	const int axis = f.axis, planes = gpu_extent(b, axis), lines = gpu_extent(b, 1 - axis);
	const int lo = axis ? w->lo[1] : w->lo[0], hi = axis ? w->hi[1] : w->hi[0];
	const double ic = min(i0 + SIDE / 2, planes - 1), jc = min(j0 + SIDE / 2, lines - 1);
	double ua = 1e30, ub = -1e30, rate = EVEN ? fabs(v->to[0][1 - axis]) - 1e-9 : 0.;
	float wrong = 0.f;

	if (!EVEN)
		place_block(p, v, axis, ic, jc, floor(column_at(v, false, axis, ic, jc)));

	for (int k = 0; k < 4; k++) {
		const double i = min(i0 + (k & 1) * (SIDE - 1), planes - 1),
		             j = min(j0 - 1 + (k >> 1) * (SIDE + 1), lines);
		const double u = column_at(v, EVEN, axis, i, j);

		ua = fmin(ua, u);
		ub = fmax(ub, u);

		if (!EVEN) { // columns per line, and what the kernel will make of it
			const float2 mid = middle_of(j0 + (k >> 1) * 32, lines);
			const float ip = (float)(i - ic), jp = mid.x - (float)jc, half = 0.5f * mid.y;
			const float3 q = bend_at(*p, v->parallel, ip, jp, mid.y);
			const double true_u = column_at(v, false, axis, i, mid.x) - p->whole;

			rate = fmax(rate, fabs(column_at(v, false, axis, i, j + (k < 2 ? 1. : -1.)) - u));
			wrong = fmaxf(wrong, fabsf(fmaf(half, fmaf(half, q.z, q.y), q.x) -
			                             seen_at(*p, v->parallel, ip, jp + half)) +
			                             (float)fabs(true_u - q.x));
		}
	}

	const double need = EVEN ? rate : rate * 1.002 + 2. * wrong;

	p->taps = need <= 1. ? 2 : need <= 1.5 ? 3 : need <= 2. ? 4 : 8;

	const double slack = EVEN ? 0.02 : 1.02 + 2. * wrong, before = 0.5 * (p->taps - 2);
	const double first = floor(ua - slack - before), last = floor(ub + slack - before) + p->taps - 1;

	if (!(first < hi && last >= lo))
		return false;

	p->first = (int)first;
	p->columns = (int)(last - first) + 1;

	if (p->columns > f.room || need > 4.)
		__trap(); // the plan was wrong: better no numbers than these

	return true;
}

/** How the footprints of a block's voxels fall on a flat detector: as look_at(). place.from[0] is what all of
 * a view's amounts have in common. */
static __device__ bool look_at_footprints(struct place *p, const struct hit_view *v, const struct gpu_view *w,
        const struct gpu_batch &b, const struct slice_adjoint_args &f, int i0, int j0)
{
	const int axis = f.axis, planes = gpu_extent(b, axis), lines = gpu_extent(b, 1 - axis);
	const double ic = min(i0 + SIDE / 2, planes - 1), jc = min(j0 + SIDE / 2, lines - 1), slack = 0.05;
	double ua = 1e30, ub = -1e30, most = 0.;

	place_block(p, v, axis, ic, jc, floor(column_at(v, false, axis, ic, jc)));
	p->from[0] = w->amount / (float)fabs(v->to[1][2]);

	for (int k = 0; k < 4; k++) {
		const double i = min(i0 + (k & 1) * (SIDE - 1), planes - 1),
		             j = min(j0 + (k >> 1) * (SIDE - 1), lines - 1), x = axis ? j : i,
		             y = axis ? i : j;
		const struct detector_hit s = hit_flat(v, x, y);
		const struct hit_footprint o = hit_footprint_flat(v, &s, x, y);
		const double half = 0.5 * (o.wide + o.soft);

		ua = fmin(ua, s.column - half);
		ub = fmax(ub, s.column - half);
		most = fmax(most, 2. * half);
	}

	most = 1.01 * most + 0.01;
	p->taps = most <= 1. ? 2 : most <= 2. ? 3 : most <= 3. ? 4 : 8;

	const double first = floor(ua + 0.5 - slack), last = floor(ub + 0.5 + slack) + p->taps - 1;

	if (!(first < b.cols && last >= 0.))
		return false;

	p->first = (int)first;
	p->columns = (int)(last - first) + 1;

	if (p->columns > f.room || most > 7.)
		__trap(); // the plan was wrong: better no numbers than these

	return true;
}

/** Arrays of a stage that hold something for each column: the projections; GPU_SLICE_FLAT: in pairs with what
 * a column is away from the next [lines] where `den` is 1; GPU_SLICE_BENT: and its line. Siddon's method:
 * pairs of the projections and 1 / s, of where a stretch ends, and of that per plane. */
static constexpr int arrays(enum gpu_slice_columns kind, bool siddon)
{
	return siddon ? 6 : kind == GPU_SLICE_FLAT ? 2 : kind == GPU_SLICE_BENT ? 3 : 1;
}

template <enum gpu_slice_columns KIND, bool SIDDON> struct stage_size {
	enum { ARRAYS = arrays(KIND, SIDDON) };
	enum { STEP = SIDDON || KIND == GPU_SLICE_FLAT ? 8 : 4 }; // from column to column [bytes]
};

static __device__ __forceinline__ float2 pair_at(const unsigned char *shared, uint32_t at)
{
	return *(const float2 *)(shared + at);
}

/** Adds a view's columns to the sums of a warp, an entry of the table for each plane and group of 32 lines:
 * {column of the middle, where it is, columns per line; GPU_SLICE_EVEN: their distance, FLAT: `den` there,
 * else their bend}. FLAT: line j from the middle sees column x + u j / (1 + k j) with den = den0 (1 + k j),
 * `near` = den0 k, and column c passes it at (c - that column) den h(c) from there. */
template <int T, enum gpu_slice_columns KIND, bool SIDDON, int ROOM>
static __device__ __forceinline__ void gather(const unsigned char *shared, float (*acc)[GROUPS],
        const float4 *tab, float near, const float *vl, const float *jl, const float *il)
{
	const float before = 0.5f * (T - 2);

#pragma unroll
	for (int p = 0; p < PLANES; p++)
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			const float4 e = tab[p * GROUPS + g];
			const float den = fmaf(near, vl[g], e.w), square = -near * (vl[g] * vl[g]);
			float q = fmaf(vl[g], KIND == GPU_SLICE_BENT ? fmaf(vl[g], e.w, e.z) : e.z, e.x);

			if (KIND == GPU_SLICE_FLAT)
				q = fmaf(square * e.z, gpu_inverse(den), q);

			const float m = __fadd_rd(q, RING_MAGIC), a = (m - RING_MAGIC) - q, // in (-1, 0]
			        far = a * den;
			const uint32_t o = (uint32_t)__float_as_int(e.y) +
			                   (uint32_t)__float_as_int(m) * stage_size<KIND, SIDDON>::STEP;
			float sum = acc[p][g];

#pragma unroll
			for (int t = 0; t < T; t++) {
				float w, y;

				if (SIDDON) {
					const float2 c = pair_at(shared, o + 8 * t),
					             end = pair_at(shared, o + 8 * (ROOM + t)),
					             step = pair_at(shared, o + 8 * (2 * ROOM + t));
					const float lead = fmaf(step.x, il[p], end.x - jl[g]), // exact
					        rest = fmaf(step.y, il[p], end.y);

					y = c.x;
					w = __saturatef((lead + rest) * c.y) -
					    __saturatef(((lead - 1.f) + rest) * c.y);
				} else if (KIND == GPU_SLICE_FLAT) {
					const float2 c = pair_at(shared, o + 8 * t);

					y = c.x;
					w = T == 2 && t == 0 ? fmaf(far, c.y, 1.f)
					    : T == 2         ? fmaf(-(far + den), c.y, 1.f)
					             : 1.f - fabsf(fmaf((float)t - before, den, far) * c.y);
				} else {
					y = ring_at(shared, o + 4 * t);

					if (KIND == GPU_SLICE_EVEN && T == 2)
						w = t ? fmaf(-e.w, a, 1.f - e.w) : fmaf(e.w, a, 1.f);
					else if (KIND == GPU_SLICE_EVEN)
						w = 1.f - fabsf(e.w * (a + ((float)t - before)));
					else
						w = 1.f -
						    fabsf(fmaf(ring_at(shared, o + 4 * (2 * ROOM + t)), il[p],
						            ring_at(shared, o + 4 * (ROOM + t)) -
						                    jl[g])); // exact so far
				}

				sum = fmaf(__saturatef(w), y, sum);
			}

			acc[p][g] = sum;
		}
}

/** The same by footprints: T columns see a voxel. Entries as of GPU_SLICE_FLAT, and 32 behind them {gradients
 * of the column along lines and planes, times den; square of the distance from the source along planes; along
 * lines: of the middle [voxels]}. */
template <int T>
static __device__ __forceinline__ void gather_footprints(const unsigned char *shared, float (*acc)[GROUPS],
        const float4 *tab, const struct place &v, float spacing, const float *vl)
{
	const float near = v.q[5], slant = v.q[4], amount = v.from[0];

#pragma unroll
	for (int p = 0; p < PLANES; p++)
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			const float4 e = tab[p * GROUPS + g], s = tab[32 + p * GROUPS + g];
			const float inv = gpu_inverse(fmaf(near, vl[g], e.w)),
			            q = fmaf(-near * (vl[g] * vl[g]) * e.z, inv, fmaf(vl[g], e.z, e.x)),
			            du = q - e.x;
			const float along = fabsf(fmaf(-du, near, s.x) * inv),
			            across = fabsf(fmaf(-du, slant, s.y) * inv), wide = fmaxf(along, across),
			            soft = fminf(along, across), flat = 0.5f * (wide - soft),
			            bend = 0.5f * gpu_inverse(fmaxf(soft, 1e-30f));
			const float m = __fadd_rd(q - flat - soft + 0.5f, RING_MAGIC),
			            start = (m - RING_MAGIC) - q + 0.5f, far = (vl[g] + s.w) * spacing;
			const uint32_t o = (uint32_t)__float_as_int(e.y) + (uint32_t)__float_as_int(m) * 4u;
			float below = -0.5f * wide, sum = 0.f;

#pragma unroll
			for (int t = 0; t < T; t++) { // as sf_part()
				const float edge = start + (float)t, from = fabsf(edge),
				            part = fminf(fmaxf(from - flat, 0.f), soft),
				            half = fminf(from, flat) + fmaf(-part * part, bend, part),
				            above = t == T - 1 ? 0.5f * wide : copysignf(half, edge);

				sum = fmaf(above - below, ring_at(shared, o + 4 * t), sum);
				below = above;
			}

			acc[p][g] =
			        fmaf(amount * (inv * inv) * gpu_inverse(wide) * gpu_root(fmaf(far, far, s.z)),
			                sum, acc[p][g]);
		}
}

/** The table's entry of a view for plane i and the lines about that middle; `at`: where column 0 of the stage
 * is. */
template <enum gpu_slice_columns KIND, bool SIDDON>
static __device__ __forceinline__ float4 entry_of(
        const struct place *p, const struct hit_view *s, int axis, int i, float2 mid, int ic, int jc, int at)
{
	const float before = KIND == GPU_SLICE_FOOTPRINTS ? 0.f : 0.5f * (float)(p->taps - 2);
	float4 e;

	if (KIND == GPU_SLICE_EVEN) {
		const double u = column_at(s, true, axis, i, mid.x) - before, fl = floor(u),
		             rate = axis ? s->to[0][0] : s->to[0][1];

		e = make_float4((float)(u - fl), 0.f, (float)rate, (float)(1. / fabs(rate)));
		at += ((int)fl - p->first) * stage_size<KIND, SIDDON>::STEP;
	} else if (KIND == GPU_SLICE_FLAT || KIND == GPU_SLICE_FOOTPRINTS) {
		const float il = (float)(i - ic), jl = mid.x - (float)jc;
		const float den = fmaf(p->q[5], jl, fmaf(p->q[4], il, p->q[3])), inv = gpu_inverse(den),
		            u = fmaf(p->q[2], jl, fmaf(p->q[1], il, p->q[0])) * inv, fl = floorf(u - before);
		const double x = axis ? mid.x : i, y = axis ? i : mid.x, whole = p->whole + fl;
		const double rest = s->to[0][0] * x + s->to[0][1] * y + s->to[0][3] -
		                    whole * (s->to[2][0] * x + s->to[2][1] * y + s->to[2][3]);

		e = make_float4((float)rest * inv - before, 0.f, fmaf(-u, p->q[5], p->q[2]) * inv, den);
		at += ((int)fl + p->whole - p->first) * stage_size<KIND, SIDDON>::STEP;
	} else {
		const float3 q = bend_at(*p, s->parallel, (float)(i - ic), mid.x - (float)jc, mid.y);
		const float u = q.x - before, fl = floorf(u);

		e = make_float4(u - fl, 0.f, q.y, q.z);
		at += ((int)fl + p->whole - p->first) * stage_size<KIND, SIDDON>::STEP;
	}

	e.y = __int_as_float(at - (int)((uint32_t)RING_MAGICBITS * stage_size<KIND, SIDDON>::STEP));
	return e;
}

/** What footprints need beside it. */
static __device__ __forceinline__ float4 shape_of(const struct place *p, const struct gpu_view *w,
        const struct slice_adjoint_args &f, int slice, bool parallel, int i, float2 mid, int ic, int jc)
{
	const float il = (float)(i - ic), jl = mid.x - (float)jc;
	const float u = fmaf(p->q[2], jl, fmaf(p->q[1], il, p->q[0])) *
	                gpu_inverse(fmaf(p->q[5], jl, fmaf(p->q[4], il, p->q[3])));
	const float y = (float)(i - (f.axis ? w->s[1] : w->s[0])) * f.spacing[1],
	            z = (float)(slice - w->s[2]) * f.height;

	return make_float4(fmaf(-u, p->q[5], p->q[2]), fmaf(-u, p->q[4], p->q[1]),
	        parallel ? 1.f : fmaf(y, y, z * z), (float)(mid.x - (f.axis ? w->s[0] : w->s[1])));
}

template <enum gpu_slice_columns KIND, bool SIDDON, int ROOM>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        slice_adjoint(struct gpu_batch b, struct slice_adjoint_args f, float *vol)
{
	enum { VIEW = stage_size<KIND, SIDDON>::ARRAYS * ROOM, STAGE = QUAD * VIEW * 4 };
	enum { FOOTPRINTS = KIND == GPU_SLICE_FOOTPRINTS, ENTRIES = FOOTPRINTS ? 64 : 32 };
	GPU_SHARED(unsigned char, shared);
	const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, axis = f.axis;
	const int planes = gpu_extent(b, axis), lines = gpu_extent(b, 1 - axis), j0 = blockIdx.x * SIDE,
	          i0 = blockIdx.y * SIDE;
	const int ic = min(i0 + SIDE / 2, planes - 1), jc = min(j0 + SIDE / 2, lines - 1);
	unsigned char *p = shared + f.stages * STAGE;
	struct ring r = ring_start(p, f.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * ENTRIES;
	p += RING_WARPS * ENTRIES * sizeof(float4);
	struct place *place = (struct place *)p;
	p += b.views * sizeof *place;
	int *count = (int *)p, *list = count + 4; // views that have anything to do

	for (int w = tid; w < b.views; w += RING_THREADS)
		if (!(FOOTPRINTS ? look_at_footprints(place + w, b.hit + w, b.view + w, b, f, i0, j0)
		                 : look_at<KIND == GPU_SLICE_EVEN>(
		                           place + w, b.hit + w, b.view + w, b, f, i0, j0)))
			place[w].taps = 0;

	__syncthreads();

	if (warp == 0)
		*count = ring_list(list, b.views, [&](int i) { return place[i].taps != 0; });

	__syncthreads();

	const int views = *count, steps = (views + QUAD - 1) / QUAD;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_fill(r, steps, [&](int k, int st, int id) {
			float *to = (float *)(shared + st * STAGE) + id / 32 * VIEW; // a warp for each view
			const int v = k * QUAD + id / 32, w = list[min(v, views - 1)];
			const struct place &q = place[w];

			if (v >= views)
				return;

#pragma unroll 4
			for (int e = id & 31; e < q.columns; e += 32) {
				const int u = q.first + e;
				const bool inside = u >= 0 && u < b.cols;
				const long at = (long)w * b.cols + (inside ? u : 0);
				const float y = inside ? __ldg(b.proj + at) : 0.f;

				if (SIDDON) {
					const struct stretch o = stretch_of(
					        __ldg(&b.column[at].y0) + 0.5, __ldg(&b.column[at].dy));

					*(float2 *)(to + 2 * e) = make_float2(y, o.inv);
					*(float2 *)(to + 2 * (ROOM + e)) = leading(o.y0 + o.dy * ic - jc);
					*(float2 *)(to + 2 * (2 * ROOM + e)) = leading(o.dy);
					continue;
				}

				if (KIND == GPU_SLICE_FLAT) {
					const float rate = fmaf(-(float)(u - q.whole), q.q[5], q.q[2]);

					*(float2 *)(to + 2 * e) =
					        make_float2(y, fminf(fabsf(gpu_inverse(rate)), 1e30f));
					continue;
				}

				to[e] = y;

				if (KIND == GPU_SLICE_BENT) {
					const double y0 = __ldg(&b.column[at].y0),
					             dy = __ldg(&b.column[at].dy);

					to[ROOM + e] = (float)(y0 + dy * ic - jc);
					to[2 * ROOM + e] = (float)dy;
				}
			}
		});
		return;
	}

	gpu_registers_more<112>();

	float acc[PLANES][GROUPS], vl[GROUPS], jl[GROUPS], il[PLANES];

#pragma unroll
	for (int g = 0; g < GROUPS; g++) {
		const int j = min(j0 + 32 * g + lane, lines - 1);

		vl[g] = (float)j - middle_of(j0 + 32 * g, lines).x;
		jl[g] = (float)(j - jc);
	}

#pragma unroll
	for (int e = 0; e < PLANES; e++) {
		const int i = i0 + warp * PLANES + e;

		il[e] = (float)(min(i, planes - 1) - ic);
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			const int j = j0 + 32 * g + lane;

			acc[e][g] = f.add && i < planes && j < lines
			                    ? vol[axis ? (long)i * b.n[0] + j : (long)j * b.n[0] + i]
			                    : 0.f;
		}
	}

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int here = min(QUAD, views - k * QUAD);

		__syncwarp();

		if (lane / ITEMS < here) { // lanes: planes and groups of four views
			const int v = lane / ITEMS, w = list[k * QUAD + v];
			const int i = min(i0 + warp * PLANES + lane / GROUPS % PLANES, planes - 1);

			const float2 mid = middle_of(j0 + lane % GROUPS * 32, lines);

			tab[lane] = entry_of<KIND, SIDDON>(
			        place + w, b.hit + w, axis, i, mid, ic, jc, st * STAGE + v * VIEW * 4);

			if (FOOTPRINTS)
				tab[32 + lane] = shape_of(
				        place + w, b.view + w, f, b.slice, b.hit[w].parallel, i, mid, ic, jc);
		}

		__syncwarp();
		ring_wait(r, st, phase);

		for (int v = 0; v < here; v++) {
			const float4 *e = tab + v * ITEMS;
			const struct place &q = place[list[k * QUAD + v]];
			const float near = KIND == GPU_SLICE_FLAT ? q.q[5] : 0.f;
			const int taps = q.taps;

			if (FOOTPRINTS) {
				if (taps == 2)
					gather_footprints<2>(shared, acc, e, q, f.spacing[0], vl);
				else if (taps == 3)
					gather_footprints<3>(shared, acc, e, q, f.spacing[0], vl);
				else if (taps == 4)
					gather_footprints<4>(shared, acc, e, q, f.spacing[0], vl);
				else
					gather_footprints<8>(shared, acc, e, q, f.spacing[0], vl);

				continue;
			}

			if (taps == 2)
				gather<2, KIND, SIDDON, ROOM>(shared, acc, e, near, vl, jl, il);
			else if (taps == 3)
				gather<3, KIND, SIDDON, ROOM>(shared, acc, e, near, vl, jl, il);
			else if (taps == 4)
				gather<4, KIND, SIDDON, ROOM>(shared, acc, e, near, vl, jl, il);
			else
				gather<8, KIND, SIDDON, ROOM>(shared, acc, e, near, vl, jl, il);
		}

		ring_done(r, st);

		if (++st == f.stages) {
			st = 0;
			phase ^= 1;
		}
	}

#pragma unroll
	for (int e = 0; e < PLANES; e++)
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			const int i = i0 + warp * PLANES + e, j = j0 + 32 * g + lane;

			if (i < planes && j < lines)
				vol[axis ? (long)i * b.n[0] + j : (long)j * b.n[0] + i] = acc[e][g];
		}
}

/** b.proj = lengths times proj in the columns of that axis, 0 in the others. */
static __global__ void weigh(struct gpu_batch b, const float *proj, int axis, bool siddon)
{
	const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;

	if (at < (long)b.views * b.cols)
		b.proj[at] = b.pace[at].axis == axis ? proj[at] * gpu_slice_length(b, at, siddon) : 0.f;
}

/* ---- launches ---- */

static size_t forward_tables(int planes)
{
	return RING_BARRIERS + ENDS * sizeof(float2) + 16 + (size_t)(planes + RUN) / RUN * 8;
}

static size_t adjoint_tables(int views, bool footprints)
{
	return RING_BARRIERS + RING_WARPS * (footprints ? 64 : 32) * sizeof(float4) +
	       (size_t)views * (sizeof(struct place) + 4) + 16;
}

bool gpu_slice_forward_shape(int planes, int window, struct gpu_ring_size *r)
{
	for (int width = 256; width <= 512; width += 128) {
		*r = {RUN, width, 0};

		if (window <= width && ring_fits(r, forward_tables(planes), 8))
			return true;
	}

	return false;
}

bool gpu_slice_adjoint_shape(
        int columns, double rate, enum gpu_slice_columns kind, bool siddon, struct gpu_ring_size *r)
{
	const int more = 12; // taps, rounding
	const int room = columns + more <= 256 ? 256 : 640;

	*r = {QUAD * arrays(kind, siddon), room, 0};

	return columns + more <= room && rate <= 3.9 &&
	       ring_fits(r, adjoint_tables(GPU_BATCH_VIEWS, kind == GPU_SLICE_FOOTPRINTS), 8);
}

template <int PITCH, bool SIDDON>
static void launch(const struct gpu_batch *b, const struct slice_forward_args *f, long n, float *proj)
{
	const int box[2] = {PITCH > 256 ? PITCH / 2 : PITCH, PITCH > 256 ? 1 : RUN};
	const long step_y[1] = {f->pitch[0] * 4L}, step_x[1] = {f->pitch[1] * 4L};
	const long dims_y[2] = {b->n[1], b->n[0]}, dims_x[2] = {b->n[0], b->n[1]};
	const size_t shared = (size_t)f->stages * RUN * PITCH * 4 + forward_tables(max(b->n[0], b->n[1]));
	CUtensorMap along_y = {}, along_x = {};

	if (f->tma) {
		gpu_tensor2(&along_y, f->plane[0], dims_y, step_y, box);
		gpu_tensor2(&along_x, f->plane[1], dims_x, step_x, box);
	}

	GPU_LAUNCH((slice_forward<PITCH, SIDDON>), dim3((unsigned)n), RING_THREADS, shared, gpu_stream(),
	        along_y, along_x, *b, *f, proj);
}

template <bool SIDDON>
static void launch(
        const struct gpu_batch *b, const struct slice_forward_args *f, long n, int width, float *proj)
{
	if (width == 256)
		launch<256, SIDDON>(b, f, n, proj);
	else if (width == 384)
		launch<384, SIDDON>(b, f, n, proj);
	else
		launch<512, SIDDON>(b, f, n, proj);
}

void gpu_slice_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, bool siddon, const struct gpu_slice *slice, float *proj, bool add)
{
	const struct slice_forward_args f = {tiles, {slice->plane[0], slice->plane[1]},
	        {slice->pitch[0], slice->pitch[1]}, r->stages, across, add, gpu_has_tma()};

	if (n > 0 && siddon)
		launch<true>(b, &f, n, r->width, proj);
	else if (n > 0)
		launch<false>(b, &f, n, r->width, proj);
}

template <enum gpu_slice_columns KIND, bool SIDDON, int ROOM>
static void launch_adjoint(const struct gpu_batch *b, const struct slice_adjoint_args *f, float *vol)
{
	const dim3 grid((unsigned)gpu_divide_up(b->n[1 - f->axis], SIDE),
	        (unsigned)gpu_divide_up(b->n[f->axis], SIDE));
	const size_t shared = (size_t)f->stages * QUAD * arrays(KIND, SIDDON) * ROOM * 4 +
	                      adjoint_tables(b->views, KIND == GPU_SLICE_FOOTPRINTS);

	GPU_LAUNCH(
	        (slice_adjoint<KIND, SIDDON, ROOM>), grid, RING_THREADS, shared, gpu_stream(), *b, *f, vol);
}

template <enum gpu_slice_columns KIND, bool SIDDON>
static void launch_adjoint(const struct gpu_batch *b, const struct slice_adjoint_args *f, float *vol)
{
	if (f->room == 256)
		launch_adjoint<KIND, SIDDON, 256>(b, f, vol);
	else
		launch_adjoint<KIND, SIDDON, 640>(b, f, vol);
}

void gpu_slice_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, enum gpu_slice_columns kind,
        bool siddon, int axis, float *vol, const float *proj, bool add)
{
	enum { THREADS = 256 };
	const struct slice_adjoint_args f = {r->stages, r->width, axis, add, gpu_has_tma(), {0.f, 0.f}, 0.f};

	GPU_LAUNCH(weigh, gpu_divide_up((long)b->views * b->cols, THREADS), THREADS, 0, gpu_stream(), *b,
	        proj, axis, siddon);

	if (siddon && kind == GPU_SLICE_EVEN)
		launch_adjoint<GPU_SLICE_EVEN, true>(b, &f, vol);
	else if (siddon) // weights are the lines' own, whichever way columns were found
		launch_adjoint<GPU_SLICE_BENT, true>(b, &f, vol);
	else if (kind == GPU_SLICE_EVEN)
		launch_adjoint<GPU_SLICE_EVEN, false>(b, &f, vol);
	else if (kind == GPU_SLICE_FLAT)
		launch_adjoint<GPU_SLICE_FLAT, false>(b, &f, vol);
	else
		launch_adjoint<GPU_SLICE_BENT, false>(b, &f, vol);
}

void gpu_slice_footprints(const struct gpu_batch *b, const struct gpu_ring_size *r, const double spacing[3],
        bool parallel, float *vol, const float *proj, bool add)
{
	struct slice_adjoint_args f = {r->stages, r->width, 1, add, gpu_has_tma(), {0.f, 0.f}, 0.f};
	struct gpu_batch all = *b;

	for (int k = 0; k < 2 && !parallel; k++)
		f.spacing[k] = (float)spacing[k];

	f.height = parallel ? 0.f : (float)spacing[2];
	all.proj = (float *)proj;
	launch_adjoint<GPU_SLICE_FOOTPRINTS, false>(&all, &f, vol);
}
