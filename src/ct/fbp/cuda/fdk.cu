/* Back projection of filtered views whose columns are parallel to z: bilinear between pixels in float32,
 * divided by the square of the distance. A block owns 16 x 16 lines of 32 G slices; the patch of a view that
 * it can see is loaded into the ring. Views are summed in order. */

#include "ct/projector/cuda/ring.h"

enum { LINES = RING_LINES };

struct fdk_args {
	struct gpu_ring_size ring;
	int add, tma;
};

template <bool CURVED>
static __device__ __forceinline__ struct detector_hit seen(const struct hit_view *v, double x, double y)
{
	return CURVED ? hit_curved(v, x, y) : hit_flat(v, x, y);
}

/** First column and row of the patch of a view. */
template <bool CURVED>
static __device__ int2 patch_of(const struct hit_view *v, const struct gpu_batch &b, const struct fdk_args &f,
        int i0, int j0, int k0, int slices)
{
	const double slack = CURVED ? 0.2 : 0.02;
	double ua = 1e30, ub = -1e30, va = 1e30, vb = -1e30;

	for (int k = 0; k < 4; k++) {
		const struct detector_hit s =
		        seen<CURVED>(v, min(i0 + (k & 1) * (RING_WARPS - 1), b.n[0] - 1),
		                min(j0 + (k >> 1) * (LINES - 1), b.n[1] - 1));
		const double lo = s.row + s.rise * k0, hi = s.row + s.rise * (k0 + slices - 1);

		ua = fmin(ua, s.column);
		ub = fmax(ub, s.column);
		va = fmin(va, lo);
		vb = fmax(vb, hi);
	}

	const double spread = CURVED ? 0.005 * (vb - va) + slack : slack;
	const int u = (int)floor(ua - slack), v0 = (int)floor(va - spread) & ~3;

	if ((int)floor(ub + slack) + 2 - u > f.ring.lines || (int)floor(vb + spread) + 2 - v0 > f.ring.width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(u, v0);
}

template <int G, int WIDTH, bool CURVED>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        fdk_add(const __grid_constant__ CUtensorMap patches, struct gpu_batch b, struct fdk_args f)
{
	GPU_SHARED(unsigned char, shared);
	const int stage = ring_stage(f.ring), tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const int k0 = blockIdx.x * 32 * G, j0 = blockIdx.y * LINES, i0 = blockIdx.z * RING_WARPS;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * 64;
	p += RING_WARPS * 64 * sizeof(float4);
	int2 *win = (int2 *)p;

	for (int w = tid; w < b.views; w += RING_THREADS)
		win[w] = patch_of<CURVED>(b.hit + w, b, f, i0, j0, k0, 32 * G);

	__syncthreads();

	const int steps = b.views;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_views(r, &patches, b, shared, stage, f.ring.lines, WIDTH, steps,
		        [&](int k) { return make_int3(win[k].x, win[k].y, k); });
		return;
	}

	gpu_registers_more<112>();

	const int i = i0 + warp;
	float acc[LINES][G];

	ring_voxels<G>(acc, b, 0, [&](float &sum, const float *at) { sum = f.add ? *at : 0.f; });

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		if (!(k & 1)) { // lanes: 16 lines x 2 views
			const int w = min(k + (lane >> 4), b.views - 1);
			const int2 q = win[w];
			const struct detector_hit s = seen<CURVED>(
			        b.hit + w, min(i, b.n[0] - 1), min(j0 + (lane & 15), b.n[1] - 1));
			const double f0 = floor(s.column), a = s.column - f0;

			__syncwarp();
			tab[2 * lane] = make_float4((float)(s.weight * (1. - a)), (float)(s.weight * a),
			        (float)s.rise, (float)(s.row + k0 * s.rise - q.y - WIDTH / 2));
			tab[2 * lane + 1].x = __int_as_float((((int)f0 - q.x) * WIDTH + WIDTH / 2) * 4);
			__syncwarp();
		}

		ring_wait(r, st, phase);

		const float4 *tp = tab + (k & 1) * 32;
		const uint32_t sb = (uint32_t)(st * stage) - (uint32_t)RING_MAGICBITS * 4u;
#pragma unroll
		for (int j = 0; j < LINES; j++) {
			const float4 e = tp[2 * j];
			const uint32_t base = sb + (uint32_t)__float_as_int(tp[2 * j + 1].x);
#pragma unroll
			for (int h = 0; h < G; h++) {
				const float v = fmaf((float)(lane + 32 * h), e.z, e.w),
				            m = __fadd_rd(v, RING_MAGIC), w = v - (m - RING_MAGIC);
				const uint32_t o = base + (uint32_t)__float_as_int(m) * 4u;
				const float a0 = ring_at(shared, o), a1 = ring_at(shared, o + 4),
				            b0 = ring_at(shared, o + WIDTH * 4),
				            b1 = ring_at(shared, o + WIDTH * 4 + 4);

				acc[j][h] = fmaf(e.y, fmaf(w, b1 - b0, b0),
				        fmaf(e.x, fmaf(w, a1 - a0, a0), acc[j][h]));
			}
		}

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	ring_voxels<G>(acc, b, 0, [&](float &sum, float *at) { *at = sum; });
}

static size_t tables(int views)
{
	return RING_BARRIERS + RING_WARPS * 64 * sizeof(float4) + (size_t)views * sizeof(int2);
}

bool gpu_fdk_shape(int columns, int rows, int slices, bool curved, struct gpu_ring_size *r)
{
	const int width = rows <= 152 && !(slices == 128 && curved) ? 152 : 232;

	*r = {columns, width, 0};

	return columns <= 256 && rows <= width && ring_fits(r, tables(GPU_BATCH_VIEWS), 8);
}

template <int G, int WIDTH, bool CURVED>
static void launch(const struct gpu_batch *b, const struct fdk_args *f)
{
	const size_t shared = (size_t)f->ring.stages * ring_stage(f->ring) + tables(b->views);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], 32 * G), (unsigned)gpu_divide_up(b->n[1], LINES),
	        (unsigned)gpu_divide_up(b->n[0], RING_WARPS));
	CUtensorMap patches = {};

	if (f->tma)
		ring_view_map(&patches, b, f->ring.lines, WIDTH);

	GPU_LAUNCH((fdk_add<G, WIDTH, CURVED>), grid, RING_THREADS, shared, gpu_stream(), patches, *b, *f);
}

void gpu_fdk_add(const struct gpu_batch *b, const struct gpu_ring_size *r, int slices, bool curved, bool add)
{
	const struct fdk_args f = {*r, add, gpu_has_tma()};

	const bool narrow = (r->width == 152);

	if (slices == 128 && curved)
		launch<4, 232, true>(b, &f);
	else if (slices == 128 && narrow)
		launch<4, 152, false>(b, &f);
	else if (slices == 128)
		launch<4, 232, false>(b, &f);
	else if (curved && narrow)
		launch<1, 152, true>(b, &f);
	else if (curved)
		launch<1, 232, true>(b, &f);
	else if (narrow)
		launch<1, 152, false>(b, &f);
	else
		launch<1, 232, false>(b, &f);
}
