/* Siddon's method and separable footprints for columns parallel to z: projection.
 *
 * Ray-stationary, as cone_forward.cu: a block owns ALIGNED_ITEMS columns of up to 8 views and 32 G rows and
 * processes the planes of the dominant axis in order; the window of a plane that these rows may touch is
 * loaded into the ring. A warp owns 8 columns, lanes run along the rows, and every pixel is summed by one
 * thread in the order of planes and lines.
 *
 * Siddon: in the slab of a plane, a column has one segment in one line, or two segments in neighbouring
 * lines. In a segment, the start of a row is an integer multiple of 2^-32 voxels; the row is in this voxel up
 * to a face, and in the next voxel beyond the face. Footprints: the footprints of a few lines of a plane
 * cover the column, with different weights. Along a line of voxels, a row is a box that overlaps a few
 * voxels. */

#include "ct/projector/cuda/ring.h"
#include "num/md/cuda/approx.h"

extern "C" {
#include "ct/projector/model/sf.h"
#include "ct/projector/model/siddon.h"
}

enum {
	ITEMS = 128,
	PER_WARP = ITEMS / RING_WARPS,
	BOX = 8 /* lines of one copy */,
	SLOTS = 4 /* lines at a time */
};

/** Lines y and heights z that an item's lowest and highest rows reach in plane 0, and per plane; what they
 * touch lies within `wide` lines (and so many more per plane) and `tall` voxels of it. */
struct reach {
	float y0, dy, low0, low, high0, high, wide0, wide, tall;
};

struct march_args {
	const struct gpu_ray_tile *tiles;
	struct gpu_ring_size ring;
	struct gpu_footprints s;
	int across; // columns of a tile: a power of 2
	int tma;
};

/** z and lines of the window of a plane: {z, first line << 8 | lines}. */
static __device__ int2 window_at(const struct reach *reach, int i, int lines, int nz, int width)
{
	const float slack = 0.02f;
	float ya = 1e30f, yb = -1e30f, za = 1e30f, zb = -1e30f;

	for (int k = 0; k < ITEMS; k++) {
		const struct reach r = reach[k];
		const float y = fmaf((float)i, r.dy, r.y0), low = fmaf((float)i, r.low, r.low0),
		            high = fmaf((float)i, r.high, r.high0), wide = fmaf((float)i, r.wide, r.wide0);

		if (r.y0 > 1e8f)
			continue;

		ya = fminf(ya, y - wide);
		yb = fmaxf(yb, y + wide);
		za = fminf(za, fminf(low, high) - r.tall);
		zb = fmaxf(zb, fmaxf(low, high) + r.tall);
	}

	ya += 0.5f - slack;
	yb += 0.5f + slack;
	za += 0.5f - slack;
	zb += 0.5f + slack;

	if (!(yb >= 0.f && ya < (float)lines && zb >= 0.f && za < (float)nz))
		return make_int2(0, 0);

	const int a = (int)fmaxf(ya, 0.f), b = (int)fminf(yb, (float)lines - 0.5f);
	const int z = (int)floorf(fmaxf(za - 1.f, -4e8f)) & ~3;

	if (!(zb + 4.f - (float)z < (float)width) || b - a >= 255)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(z, a * 256 | (b - a + 1));
}

/** Rows of the call among all of a view, counted upwards: the lowest. */
static __device__ __forceinline__ int lowest(
        const struct gpu_view *w, const struct gpu_batch &b, const struct gpu_footprints &s)
{
	return w->down ? s.all_rows - s.row - b.rows : s.row;
}

template <bool CURVED>
static __device__ __forceinline__ struct detector_hit seen(
        const struct hit_view *v, int axis, double i, double j)
{
	const double x = axis ? j : i, y = axis ? i : j;

	return CURVED ? hit_curved(v, x, y) : hit_flat(v, x, y);
}

/** Lines from one column to the next in plane i. */
template <bool CURVED>
static __device__ double apart(const struct hit_view *v, const struct gpu_column &c, int axis, double i)
{
	const double y = c.y0 + i * c.dy;
	const struct detector_hit a = seen<CURVED>(v, axis, i, y - 0.5),
	                          b = seen<CURVED>(v, axis, i, y + 0.5);

	return 1. / fabs(b.column - a.column);
}

/** Of a column whose rows first..last are at work. */
template <int METHOD, bool CURVED>
static __device__ struct reach reach_of(
        const struct gpu_column &c, const struct hit_view *v, int axis, int planes, int first, int last)
{
	const double rise = fmax(fabs(c.zb + first * c.sb), fabs(c.zb + last * c.sb)),
	             step = fmax(c.sa, c.sa + planes * c.sb);
	struct reach e = {(float)c.y0, (float)c.dy, (float)(c.za + first * c.sa),
	        (float)(c.zb + first * c.sb), (float)(c.za + last * c.sa), (float)(c.zb + last * c.sb),
	        (float)(0.5 * fabs(c.dy)), 0.f, (float)(0.5 * rise)};

	if (METHOD == GPU_MARCH_SIDDON)
		return e;

	// lines from column to column are linear in the plane; curvature of the view across them is a margin
	const double from = apart<CURVED>(v, c, axis, 0.), to = apart<CURVED>(v, c, axis, planes - 1.),
	             most = 0.5 * (1. + fabs(c.dy) + fmax(from, to)),
	             bend = planes > 1 ? fabs(to - from) / ((planes - 1) * fmin(from, to)) : 0.,
	             margin = 0.05 + 3. * most * most * bend;

	e.wide0 = (float)(0.5 * (1. + fabs(c.dy) + from) + margin);
	e.wide = planes > 1 ? (float)(0.5 * (to - from) / (planes - 1)) : 0.f;
	e.tall = (float)(0.5 * step + 0.5 + 1.5 * rise * (most + margin));
	return e;
}

/** Of positions in stretches, in a voxel. */
static constexpr double UNIT = 4294967296.;

/** Entries of tables: what lines have in common, then each group of 32 rows.
 * Siddon, a stretch: {place of the line in the stage, with whole voxels from row to row in its last bits, or
 * -1; its length; how much more than the row below a row rises in it, in 2^-32; voxels from row to row, in
 * 2^-32}, {cell of the group's first row, and where it begins there, in 2^-32; rows from it up to the level
 * one; what all rows rise, in 2^-32}. Footprints, a line: {0 or -1; voxels per row; square of the distance
 * from the source across z; part}, {where the group's middle row begins in its cell, place of the cell,
 * height of its voxel above the source [mm]}. */
template <int G, bool CURVED>
static __device__ __forceinline__ void write_stretch(float4 *e, const struct gpu_column &c, bool ok, int2 q,
        int i, int lines, bool upper, int v0, int rest, const struct march_args &f)
{
	const struct siddon_stretch s = siddon_stretch(c.y0, c.dy, i, lines, upper);
	const double to = s.from + s.length, a = c.za + s.from * c.zb + 0.5, b = c.za + to * c.zb + 0.5,
	             sa = c.sa + s.from * c.sb, sb = c.sa + to * c.sb;
	const long step = (long)rint(sa * UNIT);
	const int line = s.line - (q.y >> 8);

	ok = ok && (q.y & 255) && s.length > 0. && line >= 0 && line < (q.y & 255);
	e[0] = make_float4(__int_as_float(ok ? line * f.ring.width * 4 + (int)(step >> 32) : -1),
	        (float)s.length, (float)((sb - sa) * UNIT), __int_as_float((int)(unsigned)step));
#pragma unroll
	for (int h = 0; h < G; h++) {
		const double r = v0 + (32 * h <= rest ? 32 * h : 0), z = a + r * sa - f.s.slice - q.x,
		             fl = floor(z);

		e[1 + h] =
		        make_float4(__int_as_float((int)fl), __int_as_float((int)(unsigned)((z - fl) * UNIT)),
		                (float)(c.sb != 0. ? -c.zb / c.sb - r : 0.),
		                c.sb != 0. || b == a ? 1e-20f : (float)((b - a) * UNIT));
	}
}

template <int G>
static __device__ __forceinline__ void add_stretch(
        const unsigned char *shared, float (&acc)[G], const float4 *e, unsigned row, uint32_t base)
{
	const float4 s = e[0];
	const int line = __float_as_int(s.x);

	if (line < 0)
		return;

	const unsigned fine = (unsigned)__float_as_int(s.w), whole = (unsigned)line & 15u;
	const float level = e[1].w;

#pragma unroll
	for (int h = 0; h < G; h++) {
		const float4 q = e[1 + h];
		const uint64_t z =
		        ((uint64_t)(unsigned)__float_as_int(q.x) << 32 | (unsigned)__float_as_int(q.y)) +
		        (uint64_t)row * fine;
		const unsigned cell = (unsigned)(z >> 32) + row * whole;
		const float rise = fmaf((float)(int)row - q.z, s.z, level);
		const bool up = rise > 0.f;
		const float far = (float)((unsigned)z ^ (up ? ~0u : 0u)),
		            w = __saturatef(far * fabsf(gpu_inverse(rise)));
		const uint32_t o = base + ((uint32_t)line & ~15u) + cell * 4u;
		const float here = ring_at(shared, o), next = ring_at(shared, up ? o + 4 : o - 4);

		acc[h] = fmaf(s.y, fmaf(w, here - next, next), acc[h]);
	}
}

/** Returns voxels per row. */
template <int G, bool CURVED>
static __device__ __forceinline__ float write_line(float4 *e, const struct gpu_batch &b, int view, int u,
        bool ok, int2 q, int axis, int i, int j, int v0, int rest, const struct march_args &f)
{
	const struct hit_view *v = b.hit + view;
	const struct gpu_view *w = b.view + view;
	const double x = axis ? j : i, y = axis ? i : j;
	const struct detector_hit s = CURVED ? hit_curved(v, x, y) : hit_flat(v, x, y);
	const struct hit_footprint o =
	        CURVED ? hit_footprint_curved(v, x, y) : hit_footprint_flat(v, &s, x, y);
	const double inv = 1. / s.rise, dx = (x - w->s[0]) * f.s.spacing[0],
	             dy = (y - w->s[1]) * f.s.spacing[1];
	const float start = (float)(u - 0.5 - s.column), flat = 0.5f * (o.wide - o.soft),
	            bend = o.soft > 1e-30f ? 0.5f / o.soft : 0.f, width = 1.f / o.wide;
	const float part =
	        sf_part(start + 1.f, flat, o.soft, bend, width) - sf_part(start, flat, o.soft, bend, width);
	const int line = j - (q.y >> 8);

	ok = ok && line >= 0 && line < (q.y & 255) && part != 0.f;
	e[0] = make_float4(__int_as_float(ok ? 0 : -1), (float)inv, (float)(dx * dx + dy * dy),
	        part * o.amount * w->amount);
#pragma unroll
	for (int h = 0; h < G; h++) {
		const double r = lowest(w, b, f.s) + v0 + 16 + (32 * h <= rest ? 32 * h : 0),
		             z = (r - 0.5 - s.row) * inv + 0.5, fl = floor(z);

		e[1 + h] = make_float4((float)(z - fl),
		        __int_as_float((line * f.ring.width + (int)fl - f.s.slice - q.x) * 4),
		        (float)((fl - w->s[2]) * f.s.spacing[2]), 0.f);
	}

	return ok ? (float)inv : 0.f;
}

/** A row touches T voxels of a line at most; T = 0: `most`. */
template <int G, int T>
static __device__ __forceinline__ void add_line(const unsigned char *shared, float (&acc)[G], const float4 *e,
        float vl, uint32_t base, float high, bool parallel, int most)
{
	const float4 s = e[0];

	if (__float_as_int(s.x) < 0)
		return;

#pragma unroll
	for (int h = 0; h < G; h++) {
		const float4 q = e[1 + h];
		const float z = fmaf(vl, s.y, q.x), mg = __fadd_rd(z, RING_MAGIC), m = mg - RING_MAGIC,
		            a = z - m, over = a + s.y, at = fmaf(m, high, q.z);
		const uint32_t o = base + (uint32_t)__float_as_int(q.y) + (uint32_t)__float_as_int(mg) * 4u;
		float sum = 0.f;

#pragma unroll
		for (int t = 0; t < (T ? T : most); t++) {
			const float w = t == 0 ? fminf(1.f - a, s.y) : __saturatef(over - (float)t),
			            k = fmaf((float)t, high, at), square = fmaf(k, k, s.z),
			            x = parallel ? w : w * gpu_root(square);

			sum = fmaf(x, ring_at(shared, o + 4 * t), sum);
		}

		acc[h] = fmaf(s.w, sum, acc[h]);
	}
}

template <int METHOD, int G, bool CURVED>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        march_forward(const __grid_constant__ CUtensorMap along_y,
                const __grid_constant__ CUtensorMap along_x, struct gpu_batch b, struct march_args f)
{
	enum { WORDS = 1 + G };
	GPU_SHARED(unsigned char, shared);
	const int width = f.ring.width, stage = f.ring.lines * width * 4, tid = threadIdx.x, warp = tid >> 5,
	          lane = tid & 31;
	const struct gpu_ray_tile t = f.tiles[blockIdx.x];
	const int planes = gpu_extent(b, t.axis), lines = gpu_extent(b, 1 - t.axis), v0 = blockIdx.y * 32 * G;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	struct gpu_column *item = (struct gpu_column *)p;
	p += ITEMS * sizeof *item;
	float4 *tab = (float4 *)p + warp * 32 * WORDS;
	p += RING_WARPS * 32 * WORDS * sizeof(float4);
	struct reach *reach = (struct reach *)p;
	p += ITEMS * sizeof *reach;
	int *range = (int *)p; // first plane that has anything to do, and the last
	p += 16;
	int2 *win = (int2 *)p;

	if (tid < ITEMS) {
		const int w = tid / f.across, u = t.u + tid % f.across;
		struct gpu_column c = {1e9, 0., 0., 0., 1., 0.};
		struct reach e = {1e9f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f};

		if (w < t.views && u < b.cols) {
			const long at = (long)(t.view + w) * b.cols + u;

			if (b.pace[at].axis == t.axis) {
				const double up = lowest(b.view + t.view + w, b, f.s);

				c = b.column[at]; // rows from those of the call on
				c.za += up * c.sa;
				c.zb += up * c.sb;
				e = reach_of<METHOD, CURVED>(c, b.hit + t.view + w, t.axis, planes, v0,
				        min(v0 + 32 * G, b.rows) - 1);
				e.low0 -= (float)f.s.slice;
				e.high0 -= (float)f.s.slice;
			}
		}

		item[tid] = c;
		reach[tid] = e;
	}

	ring_windows(win, range, planes, f.ring.lines,
	        [&](int i) { return window_at(reach, i, lines, b.n[2], width); });

	const int first = range[0], steps = range[1] + 1 - first;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_planes<BOX>(r, &along_y, &along_x, b, t.axis, lines, shared, stage, width, first,
		        steps, [&](int i) { return win[i]; });
		return;
	}

	gpu_registers_more<112>();

	float acc[PER_WARP][G];
#pragma unroll
	for (int m = 0; m < PER_WARP; m++)
#pragma unroll
		for (int h = 0; h < G; h++)
			acc[m][h] = 0.f;

	/* Past the last row the window has nothing: groups there repeat the first, lanes the last row. */
	const int rest = b.rows - 1 - v0, row = rest < 31 ? min(lane, rest) : lane;
	const float high = (float)f.s.spacing[2];
	int last = -1;

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int i = first + k;
		const uint32_t base = (uint32_t)(st * stage);

		if (METHOD == GPU_MARCH_SIDDON) {
			if (last != i >> 1) { // both stretches of 8 items in 2 planes, one per lane
				last = i >> 1;

				const int ip = min(last * 2 + (lane >> 4), planes - 1);
				const struct gpu_column c = item[warp * PER_WARP + (lane >> 1 & 7)];

				__syncwarp();
				write_stretch<G, CURVED>(tab + lane * WORDS, c, c.y0 < 1e8, win[ip], ip,
				        lines, lane & 1, v0, rest, f);
				__syncwarp();
			}

			ring_wait(r, st, phase);

			const float4 *tb = tab + (i & 1) * 16 * WORDS;
#pragma unroll
			for (int m = 0; m < PER_WARP; m++)
#pragma unroll
				for (int s = 0; s < 2; s++)
					add_stretch<G>(shared, acc[m], tb + (2 * m + s) * WORDS, row, base);
		} else {
			const int2 q = win[i];
			const int which = warp * PER_WARP + lane / SLOTS;
			const struct gpu_column c = item[which];
			const struct reach e = reach[which];
			const double y = c.y0 + i * c.dy, wide = fmaf((float)i, e.wide, e.wide0);
			const bool there = c.y0 < 1e8 && (q.y & 255);
			const int from = there ? max((int)ceil(fmax(y - wide, -1e6)), 0) : 0,
			          end = there ? min((int)floor(fmin(y + wide, 1e6)), lines - 1) : -1;
			bool waited = false;

			for (int j = from + lane % SLOTS; __any_sync(~0u, j - lane % SLOTS <= end);
			        j += SLOTS) {
				__syncwarp();

				const float most = write_line<G, CURVED>(tab + lane * WORDS, b,
				        there ? t.view + which / f.across : t.view, t.u + which % f.across,
				        j <= end, q, t.axis, i, j, v0, rest, f);
				int touched = 2;

				while (touched < 256 && __any_sync(~0u, most > (float)(touched - 1)))
					touched++;

				__syncwarp();

				if (!waited)
					ring_wait(r, st, phase);

				waited = true;

				const float vl = (float)(row - 16);
				const uint32_t at = base - (uint32_t)RING_MAGICBITS * 4u;

#pragma unroll
				for (int m = 0; m < PER_WARP; m++)
#pragma unroll 1
					for (int s = 0; s < SLOTS; s++) {
						const float4 *tb = tab + (SLOTS * m + s) * WORDS;

						if (touched == 2)
							add_line<G, 2>(shared, acc[m], tb, vl, at, high,
							        f.s.parallel, 2);
						else if (touched == 3)
							add_line<G, 3>(shared, acc[m], tb, vl, at, high,
							        f.s.parallel, 3);
						else
							add_line<G, 0>(shared, acc[m], tb, vl, at, high,
							        f.s.parallel, touched);
					}
			}

			if (!waited)
				ring_wait(r, st, phase);
		}

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

#pragma unroll
	for (int m = 0; m < PER_WARP; m++) {
		const int k = warp * PER_WARP + m;

		if (item[k].y0 > 1e8)
			continue;

		float *out = b.proj + ((long)(t.view + k / f.across) * b.cols + t.u + k % f.across) * b.pitch;
#pragma unroll
		for (int h = 0; h < G; h++)
			if (v0 + lane + 32 * h < b.rows)
				out[v0 + lane + 32 * h] = acc[m][h];
	}
}

static size_t tables(int planes, int g)
{
	return RING_BARRIERS + ITEMS * (sizeof(struct gpu_column) + sizeof(struct reach)) +
	       (size_t)RING_WARPS * 32 * (1 + g) * sizeof(float4) + 16 + (size_t)planes * 8;
}

bool gpu_march_forward_shape(
        int planes, const int depth_of_rows[4], int lines, struct gpu_ring_size *r, int *rows)
{
	const int most = 248; // of lines: 8 bits

	lines = (lines + BOX - 1) / BOX * BOX;

	for (int g = 4; g > 0; g /= 2) {
		*r = {lines, (depth_of_rows[g - 1] + 7) / 8 * 8, 0};
		*rows = 32 * g;

		if (lines <= most && r->width <= 256 && ring_fits(r, tables(planes, g), 4))
			return true;
	}

	return false;
}

template <int METHOD, int G, bool CURVED>
static void launch(const struct gpu_batch *b, const struct march_args *f, long n)
{
	const int width = f->ring.width;
	CUtensorMap along_y = {}, along_x = {};
	const size_t shared =
	        (size_t)f->ring.stages * f->ring.lines * width * 4 + tables(max(b->n[0], b->n[1]), G);

	if (f->tma)
		ring_maps<BOX>(&along_y, &along_x, b, width);

	GPU_LAUNCH((march_forward<METHOD, G, CURVED>),
	        dim3((unsigned)n, (unsigned)gpu_divide_up(b->rows, 32 * G)), RING_THREADS, shared,
	        gpu_stream(), along_y, along_x, *b, *f);
}

template <int METHOD, bool CURVED>
static void launch_rows(const struct gpu_batch *b, const struct march_args *f, long n, int rows)
{
	if (rows == 128)
		launch<METHOD, 4, CURVED>(b, f, n);
	else if (rows == 64)
		launch<METHOD, 2, CURVED>(b, f, n);
	else
		launch<METHOD, 1, CURVED>(b, f, n);
}

void gpu_march_forward(enum gpu_march method, const struct gpu_batch *b, const struct gpu_footprints *s,
        const struct gpu_ray_tile *tiles, long n, int across, const struct gpu_ring_size *r, int rows,
        bool curved)
{
	const struct march_args f = {tiles, *r, *s, across, gpu_has_tma()};

	if (method == GPU_MARCH_SIDDON)
		launch_rows<GPU_MARCH_SIDDON, false>(b, &f, n, rows);
	else if (curved)
		launch_rows<GPU_MARCH_FOOTPRINTS, true>(b, &f, n, rows);
	else
		launch_rows<GPU_MARCH_FOOTPRINTS, false>(b, &f, n, rows);
}
