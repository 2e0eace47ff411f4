/* Siddon's method for columns parallel to z: back projection. The exact transpose of march_forward.cu.
 *
 * Voxel-stationary, as cone_adjoint.cu: a block owns 16 planes of the dominant axis x 16 lines x 32 G slices.
 * In the slab of a plane, a column has one segment in one line, or two segments in neighbouring lines. A lane
 * prepares one segment. Segments are sorted by line, so that sums are registers known at compile time. In a
 * segment, row r rises from z to z + D; a voxel gets the part of the segment in which the row is inside the
 * voxel. Positions of rows relative to voxels are accurate to 1e-7: they are multiples of the leading bits of
 * the step, plus small remainders. */

#include "ct/projector/cuda/patch.h"
#include "num/md/cuda/approx.h"

extern "C" {
#include "ct/projector/model/siddon.h"
}

enum {
	LINES = RING_LINES,
	END = 99 /* the line behind the last stretch */,
	ACROSS = 16 /* columns at a time */
};

struct siddon_args {
	struct gpu_ring_size ring;
	int axis, add, tma;
};

/** Words of four of a stretch: {line, rows per slice where it begins and where it ends, its length}, {leading
 * bits of slices per row, the rest, what all rows rise in it, what a row rises more than the one below}, for
 * each group of 32 slices {row of the middle slice's lower face at both ends, from a whole row on; height of
 * the row above that one over it: leading bits, and the rest}, {rows from that one up to the level one, its
 * place in the stage}. */
template <int G> struct stretch_size {
	enum { PLACES = 2 + G, WORDS = (PLACES + (G + 1) / 2) | 1 /* no two lanes in a bank */ };
};

/** A row that just touches a voxel is looked at [rows]. */
static constexpr double SLACK = 1e-5;

/** First column and row of the patch of a view, or PATCH_NONE. */
template <bool CURVED>
static __device__ int2 patch_of(const struct hit_view *v, const struct gpu_view *w, const struct gpu_batch &b,
        const struct siddon_args &f, int i0, int j0, int k0, int slices)
{
	const double slack = CURVED ? 0.2 : 0.02;
	const int first = f.axis ? w->lo[1] : w->lo[0], end = f.axis ? w->hi[1] : w->hi[0];
	double ua = 1e30, ub = -1e30, va = 1e30, vb = -1e30;

	for (int k = 0; k < 4; k++) {
		const double i = min(i0 + (k & 1) * RING_WARPS, gpu_extent(b, f.axis)) - 0.5,
		             j = min(j0 - 1 + (k >> 1) * (LINES + 1), gpu_extent(b, 1 - f.axis));
		const struct detector_hit s = CURVED ? hit_curved(v, f.axis ? j : i, f.axis ? i : j)
		                                     : hit_flat(v, f.axis ? j : i, f.axis ? i : j);
		const double lo = s.row + s.rise * (k0 - 1.5), hi = s.row + s.rise * (k0 + slices + 0.5);

		ua = fmin(ua, s.column);
		ub = fmax(ub, s.column);
		va = fmin(va, lo);
		vb = fmax(vb, hi);
	}

	const double spread = CURVED ? 0.005 * (vb - va) + slack : slack;
	const int u = (int)floor(ua - slack), v0 = (int)floor(va - spread) & ~3;

	if (!(u < end && ub + slack >= first && v0 < b.rows && vb + spread >= 0.))
		return make_int2(PATCH_NONE, 0);

	if ((int)ceil(ub + slack) - u + 1 > f.ring.lines || (int)ceil(vb + spread) - v0 + 5 > f.ring.width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(u, v0);
}

/** A lane's stretch in the table. Returns how many rows may meet a voxel. */
template <int G>
static __device__ __forceinline__ float write_stretch(float4 *e, const struct gpu_column &c,
        const struct siddon_stretch &s, int line, int mid, int at, int v0)
{
	const double to = s.from + s.length, a = c.za + s.from * c.zb + 0.5, b = c.za + to * c.zb + 0.5,
	             sa = c.sa + s.from * c.sb, sb = c.sa + to * c.sb, ia = 1. / sa, ib = 1. / sb,
	             unit = 1 << 18, coarse = rint(sa * unit) / unit;
	float2 *place = (float2 *)(e + stretch_size<G>::PLACES);
	float most = 0.f;

	e[0] = make_float4(__int_as_float(line), (float)ia, (float)ib, (float)s.length);
	e[1] = make_float4((float)coarse, (float)(sa - coarse),
	        c.sb != 0. || b == a ? 1e-20f : (float)(b - a), (float)(sb - sa));
#pragma unroll
	for (int h = 0; h < G; h++) {
		const int k = mid + 32 * h;
		const double ra = (k - a) * ia - SLACK, rb = (k - b) * ib - SLACK, r0 = floor(fmin(ra, rb)),
		             z = a + (r0 + 1.) * sa - k, lead = rint(z * unit) / unit,
		             rise = (b - a) + (r0 + 1.) * (sb - sa),
		             level = c.sb != 0. ? -c.zb / c.sb - (r0 + 1.) : 0.;

		e[2 + h] = make_float4((float)(ra - r0), (float)(rb - r0), (float)lead, (float)(z - lead));
		place[h] = make_float2((float)level, __int_as_float((at + (int)r0 + 1 - v0) * 4));
		most = fmaxf(most, fabsf((float)rise));
	}

	return (1.f + most + 34.f * (float)(fmax(ia, ib) * fabs(sb - sa))) * (float)fmax(ia, ib);
}

/** Gathers what the rows of a stretch leave in one slice of each group of 32: T rows may meet it. */
template <int G, int T>
static __device__ __forceinline__ void gather(const unsigned char *shared, float (&acc)[G], const float4 *e,
        const float4 &line, float vl, uint32_t stage)
{
	const float4 step = e[1];
	const float2 *place = (const float2 *)(e + stretch_size<G>::PLACES);

#pragma unroll
	for (int h = 0; h < G; h++) {
		const float4 q = e[2 + h];
		const float2 at = place[h];
		const float row = fminf(fmaf(vl, line.y, q.x), fmaf(vl, line.z, q.y)),
		            mg = __fadd_rd(row, RING_MAGIC), m = mg - RING_MAGIC;
		const uint32_t o = stage + (uint32_t)__float_as_int(at.y) + (uint32_t)__float_as_int(mg) * 4u;
		float z = fmaf(m, step.x, q.z - vl), rest = fmaf(m, step.y, q.w), // of the lower face, exact
		        sum = 0.f;

#pragma unroll
		for (int t = 0; t < T; t++) {
			const float inv = gpu_inverse(fmaf(m - at.x + (float)t, step.w, step.z)),
			            small = rest * inv, in = __saturatef(fmaf(-z, inv, -small)),
			            out = __saturatef(fmaf(1.f - z, inv, -small));

			sum = fmaf(fabsf(out - in), ring_at(shared, o + 4 * t), sum);
			z += step.x;
			rest += step.y;
		}

		acc[h] = fmaf(line.w, sum, acc[h]);
	}
}

/** All stretches of the table, in the order of lines. */
template <int G, int T>
static __device__ __forceinline__ void siddon_sweep(
        const unsigned char *shared, float (*acc)[G], const float4 *tp, float vl, uint32_t stage)
{
	float4 line = tp[0];

#pragma unroll
	for (int j = 0; j < LINES; j++)
		while (__float_as_int(line.x) == j) {
			gather<G, T>(shared, acc[j], tp, line, vl, stage);
			tp += stretch_size<G>::WORDS;
			line = tp[0];
		}
}

/** Place of each lane's line in the order of lines, lanes in their order within one; *count: of all. */
static __device__ __forceinline__ int rank(int line, bool ok, int lane, int *count)
{
	int before = 0, mine = 0;

#pragma unroll 4
	for (int j = 0; j < LINES; j++) {
		const unsigned here = __ballot_sync(~0u, ok && line == j);

		if (line == j)
			mine = before + __popc(here & ((1u << lane) - 1u));

		before += __popc(here);
	}

	*count = before;
	return mine;
}

template <int G, bool CURVED>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        siddon_adjoint(const __grid_constant__ CUtensorMap patches, struct gpu_batch b, struct siddon_args f)
{
	enum { WORDS = stretch_size<G>::WORDS, ENTRIES = 33 * WORDS };
	GPU_SHARED(unsigned char, shared);
	const int width = f.ring.width, stage = ring_stage(f.ring);
	const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, axis = f.axis;
	const int k0 = blockIdx.x * 32 * G, j0 = blockIdx.y * LINES, i0 = blockIdx.z * RING_WARPS;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * ENTRIES;
	p += RING_WARPS * ENTRIES * sizeof(float4);
	int2 *win = (int2 *)p;
	p += b.views * sizeof(int2);
	int *count = (int *)p, *list = count + 4; // views that have anything to do

	for (int w = tid; w < b.views; w += RING_THREADS)
		win[w] =
		        patch_of_all(b, w, patch_of<CURVED>(b.hit + w, b.view + w, b, f, i0, j0, k0, 32 * G));

	__syncthreads();

	if (warp == 0)
		*count = ring_list(list, b.views, [&](int i) { return win[i].x != PATCH_NONE; });

	__syncthreads();

	const int steps = *count;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		patch_feed(r, f.ring, &patches, b, shared, steps, list, win);
		return;
	}

	gpu_registers_more<112>();

	const int ip = i0 + warp, all_lines = gpu_extent(b, 1 - axis), lines = min(LINES, all_lines - j0);
	const bool inside = ip < gpu_extent(b, axis);
	float acc[LINES][G];

	ring_voxels<G>(acc, b, axis, [&](float &sum, const float *at) { sum = f.add ? *at : 0.f; });

	const float vl = (float)(lane - 16);

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int w = list[k];
		const int2 q = win[w];
		const struct hit_view *vw = b.hit + w;
		const double end =
		        lane & 1 ? j0 + LINES : j0 - 1; // the two ends of the lines, in even and odd lanes
		const struct detector_hit at = CURVED ? hit_curved(vw, axis ? end : ip, axis ? ip : end)
		                                      : hit_flat(vw, axis ? end : ip, axis ? ip : end);
		const float ua = __shfl_sync(~0u, (float)at.column, 0),
		            ub = __shfl_sync(~0u, (float)at.column, 1);
		const int from = ua < ub ? (int)floorf(ua - 2e-3f) : (int)ceilf(ua + 2e-3f),
		          way = ua < ub ? 1 : -1;
		const int columns = inside ? (int)(fabsf(ub - ua) + 0.01f) + 3 : 0;
		bool waited = false;

		/* one stretch per lane, in the order of columns */
		for (int c0 = 0; c0 < columns; c0 += ACROSS) {
			const int n = c0 + (lane >> 1), u = from + way * n;
			bool ok = u >= 0 && u < b.cols && n < columns;
			struct gpu_column c = {-1e9, 0., 0., 0., 1., 0.};

			if (ok) {
				c = b.column[(long)w * b.cols + u];
				ok = b.pace[(long)w * b.cols + u].axis == axis;
			}

			const struct siddon_stretch s = siddon_stretch(c.y0, c.dy, ip, all_lines, lane & 1);
			const int line = s.line - j0;
			int found;

			ok = ok && s.length > 0. && line >= 0 && line < lines;

			const int entry = rank(line, ok, lane, &found);
			float rows = 0.f;

			__syncwarp();

			if (ok)
				rows = write_stretch<G>(tab + WORDS * entry, c, s, line, b.slice + k0 + 16,
				        (u - q.x) * width, q.y);

			if (lane == 0)
				tab[WORDS * found] = make_float4(__int_as_float(END), 0.f, 0.f, 0.f);

			__syncwarp();

			const bool many = __any_sync(~0u, rows > 1.999f),
			           more = G == 1 && __any_sync(~0u, rows > 3.999f);

			if (!waited)
				ring_wait(r, st, phase);

			waited = true;

			const uint32_t sb = (uint32_t)(st * stage) - (uint32_t)RING_MAGICBITS * 4u;

			if (G == 1 && more)
				siddon_sweep<G, 8>(shared, acc, tab, vl, sb);
			else if (many)
				siddon_sweep<G, 4>(shared, acc, tab, vl, sb);
			else
				siddon_sweep<G, 2>(shared, acc, tab, vl, sb);
		}

		if (!waited)
			ring_wait(r, st, phase);

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	ring_voxels<G>(acc, b, axis, [&](float &sum, float *at) { *at = sum; });
}

static size_t tables(int views, int g)
{
	const size_t words = g == 4 ? (size_t)stretch_size<4>::WORDS : (size_t)stretch_size<1>::WORDS;

	return RING_BARRIERS + RING_WARPS * 33 * words * sizeof(float4) + (size_t)views * 12 + 16;
}

bool gpu_siddon_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r)
{
	*r = {columns, (rows + 9) / 4 * 4, 0};

	return r->lines <= 256 && r->width <= 256 && ring_fits(r, tables(GPU_BATCH_VIEWS, slices / 32), 8);
}

template <int G, bool CURVED> static void launch(const struct gpu_batch *b, const struct siddon_args *f)
{
	const size_t shared = (size_t)f->ring.stages * ring_stage(f->ring) + tables(b->views, G);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], 32 * G),
	        (unsigned)gpu_divide_up(b->n[1 - f->axis], LINES),
	        (unsigned)gpu_divide_up(b->n[f->axis], RING_WARPS));
	CUtensorMap patches = {};

	if (f->tma)
		patch_map(&patches, b, &f->ring);

	GPU_LAUNCH((siddon_adjoint<G, CURVED>), grid, RING_THREADS, shared, gpu_stream(), patches, *b, *f);
}

void gpu_siddon_adjoint(
        const struct gpu_batch *b, const struct gpu_ring_size *r, int slices, bool curved, int axis, bool add)
{
	const struct siddon_args f = {*r, axis, add, gpu_has_tma()};

	if (slices == 128 && !curved)
		launch<4, false>(b, &f);
	else if (slices == 128)
		launch<4, true>(b, &f);
	else if (!curved)
		launch<1, false>(b, &f);
	else
		launch<1, true>(b, &f);
}
