/* Joseph's forward projection and its exact transpose for slice-parallel beams, in which a row of the
 * detector sees one height. The transform is computed slice by slice; transpose.cu interpolates rows from
 * slices.
 *
 * Lanes hold H x 4 slices each, a warp 128 H. Both kernels are one loop: eight outputs per warp in registers
 * (columns u .. u + 7 of a view; or lines j .. j + 7 of a plane), one stage per step (a plane; or a view),
 * two neighbouring lines of input per output. Neighbouring outputs share lines, so the even and the odd line
 * stay in registers and are read again only when they change. */

#include "ct/projector/cuda/ring.h"

enum { ITEMS = 128, ENDS = 2 * ITEMS / 16 /* tiles are 16 columns or wider */, OUTPUTS = 8, BOX = 8 };

struct slice_parallel_args {
	const struct gpu_ray_tile *tiles;
	struct gpu_ring_size ring;
	int across, add, tma;
};

static __device__ __forceinline__ float4 quad_at(const unsigned char *shared, uint32_t at)
{
	return *(const float4 *)(shared + at);
}

static __device__ __forceinline__ void add4(float4 *sum, float w, const float4 &x)
{
	sum->x = fmaf(w, x.x, sum->x);
	sum->y = fmaf(w, x.y, sum->y);
	sum->z = fmaf(w, x.z, sum->z);
	sum->w = fmaf(w, x.w, sum->w);
}

/** Adds to eight outputs what the table says: {weight of the even line, of the odd one, where they are or -1
 * if they are at hand}. */
template <int H>
static __device__ __forceinline__ void eight(const unsigned char *shared, float4 (*acc)[H], float4 *even,
        float4 *odd, const float4 *tb, uint32_t base)
{
#pragma unroll
	for (int m = 0; m < OUTPUTS; m++) {
		const float4 q = tb[m];
		const int e = __float_as_int(q.z), o = __float_as_int(q.w);

		if (e >= 0)
#pragma unroll
			for (int h = 0; h < H; h++)
				even[h] = quad_at(shared, base + (uint32_t)e + 512u * h);

		if (o >= 0)
#pragma unroll
			for (int h = 0; h < H; h++)
				odd[h] = quad_at(shared, base + (uint32_t)o + 512u * h);

#pragma unroll
		for (int h = 0; h < H; h++)
			add4(&acc[m][h], q.x, even[h]);
#pragma unroll
		for (int h = 0; h < H; h++)
			add4(&acc[m][h], q.y, odd[h]);
	}
}

/** One lane's entry of the table, of 8 for each step: lower line f, relative to the window, and the weights
 * of both lines. */
template <int H> static __device__ __forceinline__ float4 entry(int f, float w0, float w1, bool ok, int lane)
{
	const int e = (f + 1) & ~1, o = f | 1;
	const int pe = __shfl_up_sync(~0u, e, 1), po = __shfl_up_sync(~0u, o, 1),
	          pk = __shfl_up_sync(~0u, (int)ok, 1);
	const bool fresh = !(lane & 7) || !pk;
	const int le = ok && (fresh || pe != e) ? e * 512 * H : -1,
	          lo = ok && (fresh || po != o) ? o * 512 * H : -1;

	if (!ok)
		w0 = w1 = 0.f;

	return make_float4((f & 1) ? w1 : w0, (f & 1) ? w0 : w1, __int_as_float(le), __int_as_float(lo));
}

/** Where the first or the last of a view's columns in a tile meets the planes: those between reach no
 * further. */
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

/** first line << 8 | lines of the window of a plane. */
static __device__ int window_at(const float2 *reach, int ends, int i, int lines)
{
	const float slack = 0.02f;
	float ya = 1e30f, yb = -1e30f;

	for (int k = 0; k < ends; k++) {
		const float y = fmaf((float)i, reach[k].y, reach[k].x);

		if (reach[k].x > 1e8f)
			continue;

		ya = fminf(ya, y);
		yb = fmaxf(yb, y);
	}

	if (!(yb > -1.f - slack && ya < (float)lines + slack))
		return 0;

	const int a = (int)floorf(fmaxf(ya - slack, -1.f)),
	          b = (int)floorf(fminf(yb + slack, (float)lines - 0.001f)) + 1;

	if (b - a >= 255)
		__trap(); // the plan was wrong: better no numbers than these

	return a * 256 | (b - a + 1);
}

template <int H>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        slice_parallel_forward(const __grid_constant__ CUtensorMap along_y,
                const __grid_constant__ CUtensorMap along_x, struct gpu_batch b, struct slice_parallel_args f)
{
	enum { LINE = 512 * H }; // bytes of a line
	GPU_SHARED(unsigned char, shared);
	const int stage = f.ring.lines * LINE, tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const struct gpu_ray_tile t = f.tiles[blockIdx.x];
	const int planes = gpu_extent(b, t.axis), lines = gpu_extent(b, 1 - t.axis),
	          z0 = blockIdx.y * 128 * H;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * 32;
	p += RING_WARPS * 32 * sizeof(float4);
	float2 *reach = (float2 *)p;
	p += ENDS * sizeof(float2);
	int *range = (int *)p;
	int *win = range + 4;

	const int ends = 2 * ITEMS / f.across;

	if (tid < ends)
		reach[tid] = end_of(b, t, f.across, tid >> 1, tid & 1);

	ring_windows(
	        win, range, planes, f.ring.lines, [&](int i) { return window_at(reach, ends, i, lines); });

	const int first = range[0], steps = range[1] + 1 - first;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_planes<BOX>(r, &along_y, &along_x, b, t.axis, lines, shared, stage, LINE / 4, first,
		        steps, [&](int i) { return make_int2(z0, win[i]); });
		return;
	}

	gpu_registers_more<112>();

	float4 acc[OUTPUTS][H], even[H], odd[H];
	const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
	for (int h = 0; h < H; h++) {
		even[h] = odd[h] = zero;
#pragma unroll
		for (int m = 0; m < OUTPUTS; m++)
			acc[m][h] = zero;
	}

	const int w = warp * OUTPUTS / f.across, uw = t.u + warp * OUTPUTS % f.across, u = uw + (lane & 7);
	const bool mine = w < t.views && u < b.cols;
	const long at = (long)(t.view + (mine ? w : 0)) * b.cols + (mine ? u : 0);
	const bool real = mine && b.pace[at].axis == t.axis;
	const double y0 = b.column[at].y0, dy = b.column[at].dy;
	const unsigned all_real = __ballot_sync(~0u, real);
	int last = -1;

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int i = first + k;

		if (last != i >> 2) {
			last = i >> 2;

			const int ip = min(last * 4 + (lane >> 3), planes - 1);
			const double y = y0 + ip * dy, f0 = floor(y);
			const float w1 = (float)(y - f0);
			const bool ok = real && y > -1. && y < lines && (win[ip] & 255);
			const float4 e = entry<H>(ok ? (int)f0 - (win[ip] >> 8) : 0, 1.f - w1, w1, ok, lane);

			__syncwarp();
			tab[lane] = e;
			__syncwarp();
		}

		ring_wait(r, st, phase);
		eight<H>(shared, acc, even, odd, tab + (i & 3) * 8, (uint32_t)(st * stage + lane * 16));
		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	if (w < t.views)
#pragma unroll
		for (int m = 0; m < OUTPUTS; m++)
#pragma unroll
			for (int h = 0; h < H; h++)
				if ((all_real >> m & 1) && z0 + h * 128 + lane * 4 < b.pitch)
					*(float4 *)(b.proj +
					            ((long)(t.view + w) * b.cols + uw + m) * b.pitch + z0 +
					            h * 128 + lane * 4) = acc[m][h];
}

/** A block owns 16 planes x (one per warp), lines y = j0 .. j0 + 7, 128 H slices. */
template <int H>
static __global__ void __launch_bounds__(RING_THREADS, 1) slice_parallel_adjoint(
        const __grid_constant__ CUtensorMap patches, struct gpu_batch b, struct slice_parallel_args f)
{
	enum { LINE = 512 * H };
	GPU_SHARED(unsigned char, shared);
	const int stage = f.ring.lines * LINE, tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const int z0 = blockIdx.x * 128 * H, j0 = blockIdx.y * OUTPUTS, i0 = blockIdx.z * RING_WARPS;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * 32;
	p += RING_WARPS * 32 * sizeof(float4);
	int *win = (int *)p; // first column of the window of each view

	for (int w = tid; w < b.views; w += RING_THREADS) {
		const double *to = b.hit[w].to[0];
		const double u = to[0] * i0 + to[1] * j0 + to[3], a = to[0] * (RING_WARPS - 1),
		             c = to[1] * (OUTPUTS - 1);
		const double lo = u + fmin(0., a) + fmin(0., c), hi = u + fmax(0., a) + fmax(0., c);

		win[w] = (int)floor(lo - 1e-3);

		if ((int)floor(hi + 1e-3) + 2 - win[w] > f.ring.lines)
			__trap(); // the plan was wrong: better no numbers than these
	}

	__syncthreads();

	const int steps = b.views;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_views(r, &patches, b, shared, stage, f.ring.lines, LINE / 4, steps,
		        [&](int k) { return make_int3(win[k], z0, k); });
		return;
	}

	gpu_registers_more<112>();

	const int i = i0 + warp;
	float *out = b.vol + ((long)i * b.n[1] + j0) * b.depth + z0 + lane * 4;
	float4 acc[OUTPUTS][H], even[H], odd[H];
	const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
	for (int h = 0; h < H; h++) {
		even[h] = odd[h] = zero;
#pragma unroll
		for (int m = 0; m < OUTPUTS; m++)
			acc[m][h] =
			        f.add && i < b.n[0] && j0 + m < b.n[1] && z0 + h * 128 + lane * 4 < b.depth
			                ? *(const float4 *)(out + (long)m * b.depth + h * 128)
			                : zero;
	}

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		if (!(k & 3)) {
			const int w = min(k + (lane >> 3), b.views - 1);
			const double *to = b.hit[w].to[0];
			const double u = to[0] * i + to[1] * (j0 + (lane & 7)) + to[3], f0 = floor(u),
			             a = u - f0;
			const double d =
			        1. /
			        fmax(fabs(to[0]), fabs(to[1])); // between columns across the dominant axis
			const float4 e = entry<H>((int)f0 - win[w], (float)fmax(0., 1. - d * a),
			        (float)fmax(0., 1. - d * (1. - a)), true, lane);

			__syncwarp();
			tab[lane] = e;
			__syncwarp();
		}

		ring_wait(r, st, phase);
		eight<H>(shared, acc, even, odd, tab + (k & 3) * 8, (uint32_t)(st * stage + lane * 16));
		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	if (i < b.n[0])
#pragma unroll
		for (int m = 0; m < OUTPUTS; m++)
#pragma unroll
			for (int h = 0; h < H; h++)
				if (j0 + m < b.n[1] && z0 + h * 128 + lane * 4 < b.depth)
					*(float4 *)(out + (long)m * b.depth + h * 128) = acc[m][h];
}

static bool shape(size_t tables, int lines, int slices, struct gpu_ring_size *r)
{
	*r = {lines, slices > 128 ? 256 : 128, 0};

	return lines <= 248 && ring_fits(r, tables, 8);
}

static size_t forward_tables(int planes)
{
	return RING_BARRIERS + RING_WARPS * 32 * sizeof(float4) + ENDS * sizeof(float2) + 16 +
	       (size_t)planes * 4;
}

static size_t adjoint_tables(int views)
{
	return RING_BARRIERS + RING_WARPS * 32 * sizeof(float4) + (size_t)views * 4;
}

bool gpu_slice_parallel_forward_shape(int planes, int slices, int lines, struct gpu_ring_size *r)
{
	return shape(forward_tables(planes), (lines + BOX - 1) / BOX * BOX, slices, r);
}

bool gpu_slice_parallel_adjoint_shape(int columns, int slices, struct gpu_ring_size *r)
{
	return shape(adjoint_tables(GPU_BATCH_VIEWS), columns, slices, r);
}

template <int H>
static void launch_forward(const struct gpu_batch *b, const struct slice_parallel_args *f, long n)
{
	const size_t shared =
	        (size_t)f->ring.stages * f->ring.lines * 512 * H + forward_tables(max(b->n[0], b->n[1]));
	CUtensorMap along_y = {}, along_x = {};

	if (f->tma)
		ring_maps<BOX>(&along_y, &along_x, b, 128 * H);

	GPU_LAUNCH(slice_parallel_forward<H>, dim3((unsigned)n, (unsigned)gpu_divide_up(b->n[2], 128 * H)),
	        RING_THREADS, shared, gpu_stream(), along_y, along_x, *b, *f);
}

void gpu_slice_parallel_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n,
        int across, const struct gpu_ring_size *r)
{
	const struct slice_parallel_args f = {tiles, *r, across, 0, gpu_has_tma()};

	if (r->width == 256)
		launch_forward<2>(b, &f, n);
	else
		launch_forward<1>(b, &f, n);
}

template <int H> static void launch_adjoint(const struct gpu_batch *b, const struct slice_parallel_args *f)
{
	const size_t shared = (size_t)f->ring.stages * f->ring.lines * 512 * H + adjoint_tables(b->views);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], 128 * H), (unsigned)gpu_divide_up(b->n[1], OUTPUTS),
	        (unsigned)gpu_divide_up(b->n[0], RING_WARPS));
	CUtensorMap patches = {};

	if (f->tma)
		ring_view_map(&patches, b, f->ring.lines, 128 * H);

	GPU_LAUNCH(slice_parallel_adjoint<H>, grid, RING_THREADS, shared, gpu_stream(), patches, *b, *f);
}

void gpu_slice_parallel_adjoint(const struct gpu_batch *b, const struct gpu_ring_size *r, bool add)
{
	const struct slice_parallel_args f = {NULL, *r, 0, add, gpu_has_tma()};

	if (r->width == 256)
		launch_adjoint<2>(b, &f);
	else
		launch_adjoint<1>(b, &f);
}
