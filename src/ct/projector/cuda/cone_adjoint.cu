/* The exact transpose of cone_forward.cu.
 *
 * Voxel stationary. A block owns 16 planes of the dominant axis x 16 lines x 32 G slices; a warp owns a
 * plane, its lanes run along z, and its 16 x G sums per lane stay in registers for all views. The patch of
 * the projections that the block can see is loaded into the ring, a view per stage (path lengths are already
 * included). For each column, a lane interpolates along the column and then adds to the two neighbouring
 * lines. The loop over columns is unrolled by line, so that the sums of these lines are registers known at
 * compile time. There is one launch per dominant axis; sums are in the order of views. */

#include "ct/projector/cuda/patch.h"

enum { LINES = RING_LINES, END = 99 /* the line of an entry behind the last */ };

struct adjoint_args {
	struct gpu_ring_size ring;
	int axis, add, tma;
};

/** First column and row of the patch of a view, or PATCH_NONE. */
template <bool CURVED>
static __device__ int2 patch_of(const struct hit_view *v, const struct gpu_view *w, const struct gpu_batch &b,
        const struct adjoint_args &f, int i0, int j0, int k0, int slices)
{
	const double slack = CURVED ? 0.2 : 0.02;
	const int first = f.axis ? w->lo[1] : w->lo[0], end = f.axis ? w->hi[1] : w->hi[0];
	double ua = 1e30, ub = -1e30, va = 1e30, vb = -1e30;

	for (int k = 0; k < 4; k++) {
		const double i = min(i0 + (k & 1) * (RING_WARPS - 1), gpu_extent(b, f.axis) - 1),
		             j = min(j0 - 1 + (k >> 1) * (LINES + 1), gpu_extent(b, 1 - f.axis));
		const struct detector_hit s = CURVED ? hit_curved(v, f.axis ? j : i, f.axis ? i : j)
		                                     : hit_flat(v, f.axis ? j : i, f.axis ? i : j);
		const double lo = s.row + s.rise * (k0 - 1), hi = s.row + s.rise * (k0 + slices);

		ua = fmin(ua, s.column);
		ub = fmax(ub, s.column);
		va = fmin(va, lo);
		vb = fmax(vb, hi);
	}

	const double spread = CURVED ? 0.005 * (vb - va) + slack : slack;
	const int u = (int)floor(ua - slack), v0 = (int)floor(va - spread) & ~3;

	if (!(u < end && ub + slack >= first && v0 < b.rows && vb + spread >= 0.))
		return make_int2(PATCH_NONE, 0);

	if ((int)ceil(ub + slack) - u + 1 > f.ring.lines || (int)ceil(vb + spread) - v0 + 1 > f.ring.width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(u, v0);
}

/** sum over rows of tent(height - slice) value for one lane: q is the position of the row before the first
 * that may matter, from `at`; rows are s apart. T of them are looked at. */
template <int T>
static __device__ __forceinline__ float gather(
        const unsigned char *shared, float q, float s, float sm1, float c1, uint32_t at)
{
	const float m = __fadd_rd(q, RING_MAGIC), a = (m - RING_MAGIC) - q; // in (-1, 0]
	const float d = fmaf(s, a, sm1); // of the first row, in (-1, s - 1]
	const uint32_t o = at + (uint32_t)__float_as_int(m) * 4u;
	const float w0 = __saturatef(1.f - fabsf(d));

	if (T == 2)
		return fmaf(__saturatef(c1 - d), ring_at(shared, o + 4), w0 * ring_at(shared, o));

	float r = fmaf(__saturatef(1.f - fabsf(d + s)), ring_at(shared, o + 4), w0 * ring_at(shared, o));
#pragma unroll
	for (int t = 2; t < T; t++)
		r = fmaf(__saturatef(1.f - fabsf(fmaf((float)t, s, d))), ring_at(shared, o + 4 * t), r);

	return r;
}

/** All columns of the table, in the order of lines. */
template <int G, int T>
static __device__ __forceinline__ void cone_sweep(
        const unsigned char *shared, float (*acc)[G], const float4 *tp, float vl, uint32_t stage)
{
	enum { WORDS = 1 + (G + 1) / 2 };
	float4 a = tp[0];

#pragma unroll
	for (int j = -1; j < LINES; j++)
		while (__float_as_int(a.x) == j) {
			const float4 e[2] = {tp[1], tp[WORDS - 1]};
			const float w1 = a.y, w0 = 1.f - a.y, is = a.z, s = a.w, sm1 = a.w - 1.f;

			tp += WORDS;
			a = tp[0];
#pragma unroll
			for (int h = 0; h < G; h++) {
				const float q = (h & 1) ? e[h >> 1].z : e[h >> 1].x,
				            at = (h & 1) ? e[h >> 1].w : e[h >> 1].y;
				const float r = gather<T>(shared, fmaf(vl, is, q), s, sm1, -sm1,
				        stage + (uint32_t)__float_as_int(at));

				if (j >= 0)
					acc[j < 0 ? 0 : j][h] = fmaf(w0, r, acc[j < 0 ? 0 : j][h]);

				if (j + 1 < LINES)
					acc[j + 1 < LINES ? j + 1 : 0][h] =
					        fmaf(w1, r, acc[j + 1 < LINES ? j + 1 : 0][h]);
			}
		}
}

/** CLOSE: rows may be less than a voxel apart. CURVED: the detector is. */
template <int G, bool CLOSE, bool CURVED>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        cone_adjoint(const __grid_constant__ CUtensorMap patches, struct gpu_batch b, struct adjoint_args f)
{
	enum { WORDS = 1 + (G + 1) / 2, ENTRIES = 32 * WORDS + 3 };
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

	const int ip = i0 + warp, lines = min(LINES, gpu_extent(b, 1 - axis) - j0);
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

		/* one column per lane, in the order of lines */
		for (int c0 = 0; c0 < columns; c0 += 32) {
			const int u = from + way * (c0 + lane);
			bool ok = u >= 0 && u < b.cols && c0 + lane < columns;
			struct gpu_column c = {-1e9, 0., 0., 0., 1., 0.};

			if (ok) {
				c = b.column[(long)w * b.cols + u];
				ok = b.pace[(long)w * b.cols + u].axis == axis;
			}

			const double y = c.y0 + ip * c.dy - j0, fl = floor(y), s = c.sa + ip * c.sb,
			             is = 1. / s;
			const double base = c.za + ip * c.zb;

			ok = ok && y > -1. && y < lines;

			const unsigned act = __ballot_sync(~0u, ok);
			const int near = CLOSE && __any_sync(~0u, ok && s < 1.),
			          nearer = CLOSE && __any_sync(~0u, ok && s < 2. / 3.),
			          nearest = CLOSE && __any_sync(~0u, ok && s < 0.5);

			__syncwarp();
			tab[WORDS * lane] = make_float4(
			        __int_as_float(ok ? (int)fl : END), (float)(y - fl), (float)is, (float)s);
#pragma unroll
			for (int e = 0; e < (G + 1) / 2;
			        e++) { // first row for the middle of each group of 32 slices
				const double x0 = (b.slice + k0 + 64 * e + 15 - base) * is, f0 = floor(x0);
				const double x1 = (b.slice + k0 + 64 * e + 47 - base) * is, f1 = floor(x1);
				const int line = (u - q.x) * width - q.y;

				tab[WORDS * lane + 1 + e] = make_float4((float)(x0 - f0),
				        __int_as_float((line + (int)f0 + 1) * 4), (float)(x1 - f1),
				        __int_as_float((line + (int)f1 + 1) * 4));
			}

			if (lane == 0)
				tab[32 * WORDS] = make_float4(__int_as_float(END), 0.f, 0.f, 0.f);
			__syncwarp();

			if (!waited)
				ring_wait(r, st, phase);

			waited = true;

			if (act) {
				const float4 *tp = tab + WORDS * (__ffs(act) - 1);
				const uint32_t sb = (uint32_t)(st * stage) - (uint32_t)RING_MAGICBITS * 4u;

				if (CLOSE && nearest)
					cone_sweep<G, 8>(shared, acc, tp, vl, sb);
				else if (CLOSE && nearer)
					cone_sweep<G, 4>(shared, acc, tp, vl, sb);
				else if (CLOSE && near)
					cone_sweep<G, 3>(shared, acc, tp, vl, sb);
				else
					cone_sweep<G, 2>(shared, acc, tp, vl, sb);
			}
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
	return RING_BARRIERS + (size_t)RING_WARPS * (32 * (1 + (g + 1) / 2) + 3) * sizeof(float4) +
	       (size_t)views * 12 + 16;
}

bool gpu_cone_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r)
{
	const int width = (rows + 3) / 4 * 4;

	*r = {columns, width, 0};

	return columns <= 256 && width <= 256 && ring_fits(r, tables(GPU_BATCH_VIEWS, slices / 32), 8);
}

template <int G, bool CLOSE, bool CURVED>
static void launch(const struct gpu_batch *b, const struct adjoint_args *f)
{
	const size_t shared = (size_t)f->ring.stages * ring_stage(f->ring) + tables(b->views, G);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], 32 * G),
	        (unsigned)gpu_divide_up(b->n[1 - f->axis], LINES),
	        (unsigned)gpu_divide_up(b->n[f->axis], RING_WARPS));
	CUtensorMap patches = {};

	if (f->tma)
		patch_map(&patches, b, &f->ring);

	GPU_LAUNCH(
	        (cone_adjoint<G, CLOSE, CURVED>), grid, RING_THREADS, shared, gpu_stream(), patches, *b, *f);
}

void gpu_cone_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, int slices, bool close,
        bool curved, int axis, bool add)
{
	const struct adjoint_args f = {*r, axis, add, gpu_has_tma()};

	if (slices == 128 && !close && !curved)
		launch<4, false, false>(b, &f);
	else if (slices == 128 && !curved)
		launch<4, true, false>(b, &f);
	else if (slices == 128)
		launch<4, true, true>(b, &f);
	else if (!curved)
		launch<1, true, false>(b, &f);
	else
		launch<1, true, true>(b, &f);
}
