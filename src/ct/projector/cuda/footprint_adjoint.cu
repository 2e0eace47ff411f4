/* Separable footprints (sf.h) for columns parallel to z: back projection. A block owns 16 x 16 lines of 32 G
 * slices, whose sums stay in registers; the patch of a view that their footprints touch is loaded into the
 * ring. All voxels of a line have the same weights in the same few columns. A lane sums these columns over
 * the rows that its slices touch. Views are summed in order. */

#include "ct/projector/cuda/patch.h"
#include "num/md/cuda/approx.h"

extern "C" {
#include "ct/projector/model/sf.h"
}

enum { LINES = RING_LINES };

/** Of a line: the parts of its columns; {rows per voxel, square of the distance from the source across z (1
 * of a parallel beam), columns, height of the first slice above the source}; and for each group of 32 slices
 * where the middle one begins: {fraction of a row, place in the stage}. */
enum { PARTS = GPU_FOOTPRINT_COLUMNS, PLACES = PARTS / 4 + 1 };

struct footprint_args {
	struct gpu_ring_size ring;
	struct gpu_footprints s;
	int add, tma;
};

template <bool CURVED>
static __device__ __forceinline__ struct detector_hit seen(
        struct hit_footprint *o, const struct hit_view *v, double x, double y)
{
	if (CURVED) { // one after the other: what they share is not to take registers in between
		*o = hit_footprint_curved(v, x, y);
		return hit_curved(v, gpu_after(o->amount, x), gpu_after(o->amount, y));
	}

	const struct detector_hit s = hit_flat(v, x, y);

	*o = hit_footprint_flat(v, &s, x, y);
	return s;
}

/** Row 0 of the call among all rows of a view, counted upwards. */
static __device__ __forceinline__ int lowest(
        const struct gpu_view *w, const struct gpu_batch &b, const struct gpu_footprints &s)
{
	return w->down ? s.all_rows - s.row - b.rows : s.row;
}

/** First column and row of the patch of a view, or PATCH_NONE. */
template <bool CURVED>
static __device__ int2 patch_of(const struct hit_view *v, const struct gpu_view *w, const struct gpu_batch &b,
        const struct footprint_args &f, int i0, int j0, int k0, int slices)
{
	const double slack = CURVED ? 0.2 : 0.02;
	double ua = 1e30, ub = -1e30, va = 1e30, vb = -1e30;

	for (int k = 0; k < 4; k++) {
		struct hit_footprint o;
		const struct detector_hit s =
		        seen<CURVED>(&o, v, min(i0 + (k & 1) * (RING_WARPS - 1), b.n[0] - 1),
		                min(j0 + (k >> 1) * (LINES - 1), b.n[1] - 1));
		const double half = 0.5 * (o.wide + o.soft), lo = s.row + s.rise * (f.s.slice + k0 - 0.5),
		             hi = lo + s.rise * slices;

		ua = fmin(ua, s.column - half);
		ub = fmax(ub, s.column + half);
		va = fmin(va, lo);
		vb = fmax(vb, hi);
	}

	const double spread = CURVED ? 0.005 * (vb - va) + slack : slack;
	const int up = lowest(w, b, f.s), u = (int)floor(ua + 0.5 - slack),
	          v0 = ((int)floor(va + 0.5 - spread) - up) & ~3,
	          columns = (int)floor(ub + 0.5 + slack) + 2 - u,
	          rows = (int)floor(vb + 0.5 + spread) - up + 5 - v0;

	if (!(u < b.cols && u + columns > 0 && v0 < b.rows && v0 + rows > 0))
		return make_int2(PATCH_NONE, 0);

	if (columns > f.ring.lines || rows > f.ring.width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(u, v0);
}

/** One line's 32 G slices collect from rows: each slice touches T of them at most. */
template <int G, int T>
static __device__ __forceinline__ void collect(const unsigned char *shared, float (&acc)[G], const float4 *tp,
        const float (&far2)[G], float vl, uint32_t stage, uint32_t next)
{
	const float2 first = *(const float2 *)tp;
	const float4 line = tp[PARTS / 4];
	const int columns = __float_as_int(line.z);
	const float2 *place = (const float2 *)(tp + PLACES);

#pragma unroll
	for (int h = 0; h < G; h++) {
		const float2 at = place[h];
		const float z = fmaf(vl, line.x, at.x), m = __fadd_rd(z, RING_MAGIC),
		            a = z - (m - RING_MAGIC), over = a + line.x;
		uint32_t o = stage + (uint32_t)__float_as_int(at.y) + (uint32_t)__float_as_int(m) * 4u;
		float row[T];

#pragma unroll
		for (int t = 0; t < T; t++)
			row[t] = fmaf(first.y, ring_at(shared, o + next + 4 * t),
			        first.x * ring_at(shared, o + 4 * t));

#pragma unroll 1 // few: the code of 16 lines is long enough
		for (int c = 2; c < columns; c++) {
			const float part = ((const float *)tp)[c];

			o += next;
#pragma unroll
			for (int t = 0; t < T; t++)
				row[t] = fmaf(part, ring_at(shared, o + next + 4 * t), row[t]);
		}

		const float w = fminf(1.f - a, line.x);
		float sum = w * row[0];

		if (T == 2)
			sum = fmaf(line.x - w, row[1], sum);
		else
#pragma unroll
			for (int t = 1; t < T; t++)
				sum = fmaf(__saturatef(over - (float)t), row[t], sum);

		acc[h] = fmaf(gpu_root(far2[h] + line.y), sum, acc[h]);
	}
}

/** Parts of the columns of a line's footprint, times its amount over its rise; those that are 0 too where
 * other lanes have more. Returns the number of columns. */
static __device__ __forceinline__ int find_parts(
        float *part, const struct hit_footprint *o, double column, int *first, float amount)
{
	const double half = 0.5 * (o->wide + o->soft), lo = floor(column - half + 0.5);
	const int columns = (int)(floor(column + half + 0.5) - lo) + 1;
	const float start = (float)(lo - 0.5 - column), flat = 0.5f * (o->wide - o->soft),
	            bend = o->soft > 1e-30f ? 0.5f / o->soft : 0.f, inv = 1.f / o->wide;
	float below = sf_part(start, flat, o->soft, bend, inv);

#pragma unroll 1
	for (int c = 0; c < PARTS && __any_sync(~0u, c < max(columns, 2)); c++) {
		const float above = sf_part(start + (float)(c + 1), flat, o->soft, bend, inv);

		part[c] = (above - below) * amount;
		below = above;
	}

	*first = (int)lo;
	return columns;
}

template <int G, bool CURVED>
static __global__ void __launch_bounds__(RING_THREADS, 1) footprint_adjoint(
        const __grid_constant__ CUtensorMap patches, struct gpu_batch b, struct footprint_args f)
{
	enum { WORDS = PLACES + (G + 1) / 2 };
	GPU_SHARED(unsigned char, shared);
	const int width = f.ring.width, stage = ring_stage(f.ring), tid = threadIdx.x, warp = tid >> 5,
	          lane = tid & 31;
	const int k0 = blockIdx.x * 32 * G, j0 = blockIdx.y * LINES, i0 = blockIdx.z * RING_WARPS;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * 32 * WORDS;
	p += RING_WARPS * 32 * WORDS * sizeof(float4);
	int2 *win = (int2 *)p;
	p += b.views * sizeof(int2);
	int *count = (int *)p, *list = count + 4; // views that touch anything

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

	const int i = min(i0 + warp, b.n[0] - 1);
	const float vl = (float)(lane - 16);
	const uint32_t next = (uint32_t)width * 4u;
	float acc[LINES][G], far2[G];

	ring_voxels<G>(acc, b, 0, [&](float &sum, const float *at) { sum = f.add ? *at : 0.f; });

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		if (!(k & 1)) { // lanes: 16 lines x 2 views
			const int w = list[min(k + (lane >> 4), steps - 1)],
			          j = min(j0 + (lane & 15), b.n[1] - 1);
			const int2 q = win[w];
			const struct gpu_view *v = b.view + w;
			struct hit_footprint o;
			const struct detector_hit s = seen<CURVED>(&o, b.hit + w, i, j);
			const double x = (i - v->s[0]) * f.s.spacing[0], y = (j - v->s[1]) * f.s.spacing[1];
			float4 *e = tab + WORDS * lane;
			int u;

			__syncwarp();

			const int columns = find_parts(
			        (float *)e, &o, s.column, &u, (float)(v->amount / s.rise) * o.amount);

			e[PARTS / 4] = make_float4((float)s.rise, f.s.parallel ? 1.f : (float)(x * x + y * y),
			        __int_as_float(columns), (float)(f.s.slice + k0 - v->s[2]));
#pragma unroll
			for (int h = 0; h < G; h++) { // the edge of the middle slice of 32
				const double z = s.row + 0.5 + s.rise * (f.s.slice + k0 + 32 * h + 15.5),
				             fl = floor(z);
				const int at = (u - q.x) * width + (int)fl - q.y;

				((float2 *)(e + PLACES))[h] =
				        make_float2((float)(z - fl), __int_as_float(at * 4));
			}

			__syncwarp();
		}

		const float4 *tp = tab + (k & 1) * 16 * WORDS;
		const float height = tp[PARTS / 4].w;

#pragma unroll
		for (int h = 0; h < G; h++) {
			const float z = (height + (float)(lane + 32 * h)) *
			                (f.s.parallel ? 0.f : (float)f.s.spacing[2]);

			far2[h] = z * z;
		}

		const float rise = tp[(lane & 15) * WORDS + PARTS / 4].x;
		const bool far = __any_sync(~0u, rise > 1.f), farther = __any_sync(~0u, rise > 2.f);
		const uint32_t base = (uint32_t)(st * stage) - (uint32_t)RING_MAGICBITS * 4u;

		ring_wait(r, st, phase);

		if (farther)
#pragma unroll
			for (int j = 0; j < LINES; j++)
				collect<G, 5>(shared, acc[j], tp + j * WORDS, far2, vl, base, next);
		else if (far)
#pragma unroll
			for (int j = 0; j < LINES; j++)
				collect<G, 3>(shared, acc[j], tp + j * WORDS, far2, vl, base, next);
		else
#pragma unroll
			for (int j = 0; j < LINES; j++)
				collect<G, 2>(shared, acc[j], tp + j * WORDS, far2, vl, base, next);

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	ring_voxels<G>(acc, b, 0, [&](float &sum, float *at) { *at = sum; });
}

static size_t tables(int views, int g)
{
	return RING_BARRIERS + (size_t)RING_WARPS * 32 * (PLACES + (g + 1) / 2) * sizeof(float4) +
	       (size_t)views * 12 + 16;
}

bool gpu_footprint_adjoint_shape(int columns, int rows, int slices, struct gpu_ring_size *r)
{
	*r = {columns + 2, (rows + 7) / 4 * 4, 0};

	return r->lines <= 256 && r->width <= 256 && ring_fits(r, tables(GPU_BATCH_VIEWS, slices / 32), 8);
}

template <int G, bool CURVED> static void launch(const struct gpu_batch *b, const struct footprint_args *f)
{
	const size_t shared = (size_t)f->ring.stages * ring_stage(f->ring) + tables(b->views, G);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], 32 * G), (unsigned)gpu_divide_up(b->n[1], LINES),
	        (unsigned)gpu_divide_up(b->n[0], RING_WARPS));
	CUtensorMap patches = {};

	if (f->tma)
		patch_map(&patches, b, &f->ring);

	GPU_LAUNCH((footprint_adjoint<G, CURVED>), grid, RING_THREADS, shared, gpu_stream(), patches, *b, *f);
}

void gpu_footprint_adjoint(const struct gpu_batch *b, const struct gpu_footprints *s,
        const struct gpu_ring_size *r, int slices, bool curved, bool add)
{
	const struct footprint_args f = {*r, *s, add, gpu_has_tma()};

	if (slices == 128 && !curved)
		launch<4, false>(b, &f);
	else if (slices == 128)
		launch<4, true>(b, &f);
	else if (!curved)
		launch<1, false>(b, &f);
	else
		launch<1, true>(b, &f);
}
